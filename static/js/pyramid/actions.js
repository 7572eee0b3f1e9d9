// Everything one can do on the pyramid pages, with its keys. The palette, the list of keys and the hints are written from it. Pure.
/** @import { Model, PyramidAction } from "./types.js" */

/** @typedef {(model: Model) => boolean} Condition */

/** @type {Condition} */
const writes = (model) => !model.readOnly;
/** @type {Condition} */
const pyramid = (model) => !model.peer;
/** @type {Condition} */
const builds = (model) => writes(model) && pyramid(model);
/** @type {Condition} */
const peer = (model) => model.peer && writes(model);
/** @type {Condition} */
const agrees = (model) => builds(model) && model.others.length > 0;

/** @type {PyramidAction[]} */
export const ACTIONS = [
  { id: "next-free", group: "Walk", label: "Next words in no SCU", keys: ["Tab"] },
  { id: "previous-free", group: "Walk", label: "Previous words in no SCU", keys: ["Shift+Tab"] },
  { id: "next-word", group: "Walk", label: "Next word", keys: ["ArrowRight"] },
  { id: "previous-word", group: "Walk", label: "Previous word", keys: ["ArrowLeft"] },
  { id: "line-down", group: "Walk", label: "Next line", keys: ["ArrowDown"] },
  { id: "line-up", group: "Walk", label: "Previous line", keys: ["ArrowUp"] },
  { id: "first-word", group: "Walk", label: "First word of the summary", keys: ["Home"] },
  { id: "last-word", group: "Walk", label: "Last word of the summary", keys: ["End"] },
  { id: "next-summary", group: "Walk", label: "Next summary", keys: ["]"], when: pyramid },
  { id: "previous-summary", group: "Walk", label: "Previous summary", keys: ["["], when: pyramid },
  { id: "next-scu", group: "Walk", label: "Next SCU of the list", keys: ["j"] },
  { id: "previous-scu", group: "Walk", label: "Previous SCU of the list", keys: ["k"] },
  { id: "next-contributor", group: "Walk", label: "Next contributor of the SCU", keys: ["."] },
  { id: "previous-contributor", group: "Walk", label: "Previous contributor of the SCU", keys: [","] },
  { id: "take-up", group: "Walk", label: "Select the contributor that the word is in", keys: ["Enter", "Space"] },
  { id: "search", group: "Walk", label: "Search words and SCUs", keys: ["/"], anywhere: true },
  { id: "filter", group: "Walk", label: "Filter the SCUs", keys: ["f"], anywhere: true },
  { id: "extend-on", group: "Select", label: "Select a word more", keys: ["Shift+ArrowRight"] },
  { id: "extend-back", group: "Select", label: "Select a word less", keys: ["Shift+ArrowLeft"] },
  { id: "extend-down", group: "Select", label: "Select to the next line", keys: ["Shift+ArrowDown"] },
  { id: "extend-up", group: "Select", label: "Select to the previous line", keys: ["Shift+ArrowUp"] },
  { id: "new-scu", group: "Mark", label: "New SCU of the selected words", keys: ["n"], when: builds },
  { id: "contribute", group: "Mark", label: "The selected words express the selected SCU", keys: ["c"], when: writes },
  { id: "outside", group: "Mark", label: "The selected words express no SCU of the pyramid", keys: ["o"], when: peer },
  ...[...Array(9).keys()].map((place) => ({
    id: `scu-${place + 1}`, group: "Mark", label: `The selected words express SCU ${place + 1} of the list`, keys: [String(place + 1)], when: peer,
  })),
  { id: "part", group: "Mark", label: "The selected words are a further part of the selected contributor", keys: ["p", "+"], when: writes },
  { id: "take-out", group: "Mark", label: "Take the selected words out of their contributor", keys: ["Backspace"], when: writes },
  { id: "move", group: "Mark", label: "Move the selected contributor to another SCU", keys: ["v"], when: writes },
  { id: "delete", group: "Mark", label: "Delete the selected contributor", keys: ["Delete"], when: writes },
  { id: "label", group: "SCU", label: "Write the label of the SCU", keys: ["l"], when: builds },
  { id: "comment", group: "SCU", label: "Comment on the SCU", keys: ["e"], when: builds },
  { id: "merge", group: "SCU", label: "Merge the SCU into another", keys: ["m"], when: builds },
  { id: "choose", group: "SCU", label: "Choose the contributor for splitting, or not", keys: ["s"], when: builds },
  { id: "split", group: "SCU", label: "Split the chosen contributors off", keys: ["x"], when: builds },
  { id: "delete-scu", group: "SCU", label: "Delete the SCU", keys: ["Shift+Delete"], when: builds },
  { id: "take-theirs", group: "SCU", label: "Take an SCU as another coder has it", keys: ["t"], when: agrees },
  { id: "undo", group: "Page", label: "Undo", keys: ["u", "Ctrl+z"], anywhere: true, when: writes },
  { id: "redo", group: "Page", label: "Redo", keys: ["Shift+u", "Ctrl+Shift+z", "Ctrl+y"], anywhere: true, when: writes },
  { id: "palette", group: "Page", label: "All actions", keys: ["Ctrl+k"], anywhere: true },
  { id: "help", group: "Page", label: "Keys, and how to change them", keys: ["?"], anywhere: true },
  { id: "release", group: "Page", label: "Let Tab leave the text", keys: ["Escape"], anywhere: true },
  { id: "guidelines", group: "Page", label: "Show or hide the guidelines", keys: ["y"], anywhere: true },
  { id: "layout", group: "Page", label: "Summaries side by side, or one below the other", keys: ["w"], anywhere: true, when: pyramid },
  { id: "larger", group: "Page", label: "Larger text", keys: ["="], anywhere: true },
  { id: "smaller", group: "Page", label: "Smaller text", keys: ["-"], anywhere: true },
  { id: "hand-in", group: "Page", label: "Check and hand in", keys: [], anywhere: true, when: writes },
];

/** Those that this page has a use for. @param {Model} model */
export const actionsOf = (model) => ACTIONS.filter((action) => !action.when || action.when(model));
