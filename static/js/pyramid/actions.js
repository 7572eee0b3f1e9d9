// Everything one can do on the pyramid pages, with its keys. The palette, the list of keys and the hints are written from it. Pure.
/** @import { Model, PyramidAction } from "./types.js" */

// When an action is of use.
const writes = (/** @type {Model} */ model) => !model.readOnly;
const pyramid = (/** @type {Model} */ model) => !model.peer;
const builds = (/** @type {Model} */ model) => writes(model) && pyramid(model);
const peer = (/** @type {Model} */ model) => model.peer && writes(model);
const agrees = (/** @type {Model} */ model) => builds(model) && model.others.length > 0;

/** @type {PyramidAction[]} */
export const ACTIONS = [
  { id: "next-free", group: "Move", label: "Next words in no SCU", keys: ["Tab"] },
  { id: "previous-free", group: "Move", label: "Previous words in no SCU", keys: ["Shift+Tab"] },
  { id: "next-word", group: "Move", label: "Next word", keys: ["ArrowRight"] },
  { id: "previous-word", group: "Move", label: "Previous word", keys: ["ArrowLeft"] },
  { id: "line-down", group: "Move", label: "Next line", keys: ["ArrowDown"] },
  { id: "line-up", group: "Move", label: "Previous line", keys: ["ArrowUp"] },
  { id: "first-word", group: "Move", label: "First word of the summary", keys: ["Home"] },
  { id: "last-word", group: "Move", label: "Last word of the summary", keys: ["End"] },
  { id: "next-summary", group: "Move", label: "Next summary", keys: ["]"], when: pyramid },
  { id: "previous-summary", group: "Move", label: "Previous summary", keys: ["["], when: pyramid },
  { id: "next-scu", group: "Move", label: "Next SCU of the list", keys: ["j"] },
  { id: "previous-scu", group: "Move", label: "Previous SCU of the list", keys: ["k"] },
  { id: "next-contributor", group: "Move", label: "Next contributor of the SCU", keys: ["."] },
  { id: "previous-contributor", group: "Move", label: "Previous contributor of the SCU", keys: [","] },
  { id: "take-up", group: "Move", label: "Select the contributor that the word is in", keys: ["Enter", "Space"] },
  { id: "search", group: "Move", label: "Search words and SCUs", keys: ["/"], anywhere: true },
  { id: "filter", group: "Move", label: "Filter the SCUs", keys: ["f"], anywhere: true },
  { id: "extend-on", group: "Select", label: "Extend the selection by a word", keys: ["Shift+ArrowRight"] },
  { id: "extend-back", group: "Select", label: "Shrink the selection by a word", keys: ["Shift+ArrowLeft"] },
  { id: "extend-down", group: "Select", label: "Extend the selection to the next line", keys: ["Shift+ArrowDown"] },
  { id: "extend-up", group: "Select", label: "Extend the selection to the previous line", keys: ["Shift+ArrowUp"] },
  { id: "new-scu", group: "Mark", label: "New SCU from the selected words", keys: ["n"], when: builds },
  { id: "contribute", group: "Mark", label: "Add the selected words to the selected SCU", keys: ["c"], when: writes },
  { id: "outside", group: "Mark", label: "Mark the selected words as no SCU", keys: ["o"], when: peer },
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 0].map((digit) => ({
    id: `scu-${digit}`, group: "Mark", label: `Add the selected words to the SCU with the number ${digit}…`,
    keys: [String(digit)], when: peer,
  })),
  { id: "part", group: "Mark", label: "Add the selected words to the selected contributor", keys: ["p", "+"], when: writes },
  { id: "take-out", group: "Mark", label: "Remove the selected words from their contributor", keys: ["Backspace"], when: writes },
  { id: "move", group: "Mark", label: "Move the selected contributor to another SCU", keys: ["v"], when: writes },
  { id: "delete", group: "Mark", label: "Delete the selected contributor", keys: ["Delete"], when: writes },
  { id: "label", group: "SCU", label: "Edit the label of the SCU", keys: ["l"], when: builds },
  { id: "comment", group: "SCU", label: "Comment on the SCU", keys: ["e"], when: builds },
  { id: "merge", group: "SCU", label: "Merge the SCU into another", keys: ["m"], when: builds },
  { id: "choose", group: "SCU", label: "Select the contributor for a split", keys: ["s"], when: builds },
  { id: "split", group: "SCU", label: "Split off the selected contributors", keys: ["x"], when: builds },
  { id: "delete-scu", group: "SCU", label: "Delete the SCU", keys: ["Shift+Delete"], when: builds },
  { id: "next-difference", group: "SCU", label: "Next SCU that the coders have otherwise", keys: ["d"], when: (model) => model.others.length > 0 },
  { id: "take-theirs", group: "SCU", label: "Copy an SCU from another coder", keys: ["t"], when: agrees },
  { id: "undo", group: "Page", label: "Undo", keys: ["u", "Ctrl+z"], anywhere: true, when: writes },
  { id: "redo", group: "Page", label: "Redo", keys: ["Shift+u", "Ctrl+Shift+z", "Ctrl+y"], anywhere: true, when: writes },
  { id: "palette", group: "Page", label: "All actions", keys: ["Ctrl+k"], anywhere: true },
  { id: "help", group: "Page", label: "Keyboard shortcuts", keys: ["?"], anywhere: true },
  { id: "release", group: "Page", label: "Leave the text with Tab", keys: ["Escape"], anywhere: true },
  { id: "ask", group: "Page", label: "Ask a question, or read the answers", keys: ["z"], anywhere: true },
  { id: "guidelines", group: "Page", label: "Show or hide the guidelines", keys: ["y"], anywhere: true },
  { id: "layout", group: "Page", label: "Summaries side by side or stacked", keys: ["w"], anywhere: true, when: pyramid },
  { id: "larger", group: "Page", label: "Larger text", keys: ["="], anywhere: true },
  { id: "smaller", group: "Page", label: "Smaller text", keys: ["-"], anywhere: true },
  { id: "hand-in", group: "Page", label: "Check and submit", keys: [], anywhere: true, when: writes },
];

/** Those that this page has a use for. @param {Model} model */
export const actionsOf = (model) => ACTIONS.filter((action) => !action.when || action.when(model));
