// From a key to an action. One table: the help dialogue and the hints are written from it. Pure.
import { LETTERS } from "./candidates.js";

/**
 * @typedef {{type: "undecided"|"neighbour"|"chain", step: 1|-1}
 *   | {type: "category", place: number} | {type: "letter", letter: string, further: boolean}
 *   | {type: "accept"|"undo"|"redo"|"help"|"release"}} Action
 */
/**
 * @typedef {{inField: boolean, onControl: boolean, inText: boolean, released: boolean, inDialog: boolean}} Where
 *   where the focus is: in a text field; on a button or link; in the text or nowhere; and whether Escape freed Tab
 */

export const KEYS = [
  { keys: ["Tab", "Shift+Tab"], does: "next, previous undecided markable" },
  { keys: ["→", "←"], does: "next, previous markable" },
  { keys: ["1", "9"], range: true, does: "choose the category" },
  { keys: ["a", "l"], range: true, does: "point to the candidate that wears the letter", pointing: true },
  { keys: ["Shift+a", "Shift+l"], range: true, does: "add a further antecedent, or take it away: ambiguity", pointing: true },
  { keys: ["Space", "Enter"], does: "accept and go to the next" },
  { keys: ["n", "p"], does: "next, previous member of the same chain", pointing: true },
  { keys: ["u", "U"], does: "undo, redo" },
  { keys: ["Esc"], does: "let Tab leave the text for the buttons and links around it" },
  { keys: ["?"], does: "show these keys" },
];

/**
 * @param {{key: string, code?: string, shiftKey?: boolean, ctrlKey?: boolean, metaKey?: boolean, altKey?: boolean,
 *   isComposing?: boolean}} event
 * @param {Where} where
 * @returns {Action|null} null: the browser may have the key
 */
export function actionFor(event, where) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || where.inField || where.inDialog) {
    return null;
  }
  const further = Boolean(event.shiftKey);
  switch (event.key) {
    case "Tab":
      return where.inText && !where.released ? { type: "undecided", step: further ? -1 : 1 } : null;
    case "Escape":
      return where.inText ? { type: "release" } : null;
    case "ArrowRight":
      return { type: "neighbour", step: 1 };
    case "ArrowLeft":
      return { type: "neighbour", step: -1 };
    case " ":
    case "Enter":
      return where.onControl ? null : { type: "accept" };
    case "?":
      return { type: "help" };
  }
  const digit = /^[1-9]$/.exec(event.key) ?? (/^[a-z?]$/i.test(event.key) ? null : /(?<=^Digit)[1-9]$/.exec(event.code ?? ""));
  if (digit) {
    return { type: "category", place: Number(digit[0]) - 1 };
  }
  const letter = event.key.toLowerCase();
  if (LETTERS.includes(letter)) {
    return { type: "letter", letter, further };
  }
  switch (letter) {
    case "n":
      return { type: "chain", step: 1 };
    case "p":
      return { type: "chain", step: -1 };
    case "u":
      return { type: further ? "redo" : "undo" };
    default:
      return null;
  }
}
