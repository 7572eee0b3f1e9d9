// All actions of the coding page, with their keys: palette, list of keys and hints are written from it. Pure.
import { LETTERS } from "./targets/candidates.js";
/** @import { CodingAction, Model } from "./types.js" */

// When an action is of use.
const writes = (/** @type {Model} */ model) => !model.readOnly;
const chains = (/** @type {Model} */ model) => model.answers !== "categories";
const points = (/** @type {Model} */ model) => writes(model) && chains(model);
const marks = (/** @type {Model} */ model) => model.marking.length > 0;
const optional = (/** @type {Model} */ model) => writes(model) && model.categories.some((category) => category.takes_optional);
const heads = (/** @type {Model} */ model) => optional(model) || (writes(model) && marks(model)); // MUC has both
const relates = (/** @type {Model} */ model) => writes(model) && model.relations.some((relation) => !relation.identity);
const asks = (/** @type {Model} */ model) => writes(model) && (model.attributes.length > 0 || relates(model));
export const joins = (/** @type {Model} */ model) => writes(model) && model.relations.some((relation) => relation.joint && relation.to_levels.length > 0);
/** @type {(place: number) => (model: Model) => boolean} */
const category = (place) => (model) => writes(model)
  && [model.categories, ...model.attributes.map(({ values }) => values)].some((all) => place < all.length);

/** @type {CodingAction[]} */
export const ACTIONS = [
  { id: "next-undecided", group: "Move", label: "Next undecided markable", keys: ["Tab"] },
  { id: "previous-undecided", group: "Move", label: "Previous undecided markable", keys: ["Shift+Tab"] },
  { id: "next", group: "Move", label: "Next markable", keys: ["ArrowRight"] },
  { id: "previous", group: "Move", label: "Previous markable", keys: ["ArrowLeft"] },
  { id: "first", group: "Move", label: "First markable", keys: ["Home"] },
  { id: "last", group: "Move", label: "Last markable", keys: ["End"] },
  { id: "next-in-chain", group: "Move", label: "Next member of the same chain", keys: ["n"], when: chains },
  { id: "previous-in-chain", group: "Move", label: "Previous member of the same chain", keys: ["p"], when: chains },
  { id: "search", group: "Move", label: "Search the text", keys: ["/"], anywhere: true },
  { id: "go-to", group: "Move", label: "Go to a markable or a turn", keys: ["t"] },
  ...[...Array(10).keys()].map((place) => ({
    id: `category-${place + 1}`, group: "Judge", label: `Category ${place + 1}`, keys: [String((place + 1) % 10)], when: category(place),
  })),
  ...LETTERS.map((letter, place) => ({
    id: `candidate-${letter}`, group: "Judge", label: `Point to candidate ${place + 1}; with Shift as a further antecedent`,
    keys: [letter], when: (/** @type {Model} */ model) => points(model) || relates(model),
  })),
  { id: "together", group: "Judge", label: "Together with: the next letter adds to the last antecedent", keys: ["+"], when: joins },
  { id: "find", group: "Judge", label: "Find an antecedent, or a value, by words", keys: ["."], when: (model) => points(model) || asks(model) },
  { id: "next-question", group: "Judge", label: "Next question", keys: ["w"], when: asks },
  { id: "previous-question", group: "Judge", label: "Previous question", keys: ["Shift+w"], when: asks },
  { id: "relation", group: "Judge", label: "Choose targets of a relation; again: of the next one", keys: ["b"], when: relates },
  { id: "accept", group: "Judge", label: "Accept and go to the next", keys: ["Space", "Enter"], when: writes },
  { id: "compare", group: "Judge", label: "Compare with the gold", keys: [], when: (model) => writes(model) && model.feedback !== null },
  { id: "unsure", group: "Judge", label: "Mark as unsure", keys: ["q"], when: writes },
  { id: "optional", group: "Judge", label: "Mark as optional", keys: ["o"], when: optional },
  { id: "note", group: "Judge", label: "Edit the note", keys: ["c"], when: writes },
  { id: "clear", group: "Judge", label: "Clear the answer", keys: ["Backspace"], when: writes },
  { id: "undo", group: "Judge", label: "Undo", keys: ["u", "Ctrl+z"], anywhere: true, when: writes },
  { id: "redo", group: "Judge", label: "Redo", keys: ["Shift+u", "Ctrl+Shift+z", "Ctrl+y"], anywhere: true, when: writes },
  { id: "merge", group: "Chains", label: "Merge the chain with another", keys: ["m"], when: points },
  { id: "split", group: "Chains", label: "Split the chain", keys: ["x"], when: points },
  { id: "rename", group: "Chains", label: "Name the chain", keys: ["r"], when: points },
  { id: "entities", group: "Chains", label: "Show or hide the chains of the text", keys: ["v"], anywhere: true, when: chains },
  { id: "mark", group: "Mark", label: "Mark the selected words, or select words by key", keys: ["e"], anywhere: true, when: marks },
  { id: "mark-all", group: "Mark", label: "Mark the same words everywhere in the text", keys: ["Shift+e"], anywhere: true, when: marks },
  ...["word", "character"].flatMap((unit) => ["end", "start"].flatMap((edge) => [["on", "forward", "Right"], ["back", "back", "Left"]].map(([way, words, arrow]) => ({
    id: `${edge}-${way}${unit === "word" ? "" : "-character"}`, group: "Mark", label: `Move the ${edge} ${words} by a ${unit}`,
    keys: [`${unit === "word" ? "Ctrl" : "Alt"}+${edge === "start" ? "Shift+" : ""}Arrow${arrow}`], when: marks,
  })))),
  { id: "head", group: "Mark", label: "Set the head (MIN) of the markable", keys: ["i"], when: heads },
  { id: "unmark", group: "Mark", label: "Delete the markable", keys: ["Delete"], when: marks },
  { id: "palette", group: "Page", label: "All actions", keys: ["Ctrl+k"], anywhere: true },
  { id: "help", group: "Page", label: "Keyboard shortcuts", keys: ["?"], anywhere: true },
  { id: "release", group: "Page", label: "Leave the text with Tab", keys: ["Escape"], anywhere: true },
  { id: "ask", group: "Page", label: "Ask a question, or read the answers", keys: ["z"], anywhere: true, when: (model) => !model.practice && !model.gold },
  { id: "guidelines", group: "Page", label: "Show or hide the guidelines", keys: ["y"], anywhere: true },
  { id: "larger", group: "Page", label: "Larger text", keys: ["=", "+"], anywhere: true },
  { id: "smaller", group: "Page", label: "Smaller text", keys: ["-"], anywhere: true },
  { id: "hand-in", group: "Page", label: "Check and submit", keys: [], anywhere: true, when: writes },
];

/** Those that this text and scheme have a use for. @param {Model} model */
export function actionsOf(model) {
  const alone = model.attributes.length === 0 && new Set(Object.values(model.constraints.categories).map(({ levels }) => String(levels))).size < 2;
  return ACTIONS.filter((action) => !action.when || action.when(model)).map((action) => {
    const place = Number(/^category-(\d+)$/.exec(action.id)?.[1]);
    return place ? { ...action, label: alone ? `Category: ${model.categories[place - 1].label}` : `Category or value ${place}` } : action;
  });
}

/** All of them, those first that are of use: of two with one key the first has it. @param {Model} model */
export function byUse(model) {
  const ids = new Set(actionsOf(model).map(({ id }) => id));
  return ACTIONS.toSorted((a, b) => Number(ids.has(b.id)) - Number(ids.has(a.id)));
}
