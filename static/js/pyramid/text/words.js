// Walking the words: which come next, which are free, which are selected. Pure.
import { nextPlace } from "../../workbench/table.js";
/** @import { Direction, Model, Pyramid, Run } from "../types.js" */

/** Whether a word is in no contributor. @type {(pyramid: Pyramid, place: number) => boolean} */
export const isFree = (pyramid, place) => pyramid.of[place].length === 0;

/** The next or previous place of a word within the words. @type {(model: Model, place: number, step: Direction) => number} */
export const neighbourWord = ({ words }, place, step) => Math.min(Math.max(place + step, 0), words.length - 1);

/** An end of a selection moved by a word; it stays in its summary. @type {(model: Model, anchor: number, place: number, step: Direction | 0) => number} */
export function extendSelection(model, anchor, place, step) {
  const [first, last] = model.summaries[model.words[anchor].summary]?.words ?? [anchor, anchor];
  return Math.min(Math.max(place + step, first), last);
}

/**
 * The next or previous stretch of free words: its first word, round the end; null: every word is in some SCU.
 * @type {(model: Model, pyramid: Pyramid, place: number, step: Direction) => number | null}
 */
export function nextFree(model, pyramid, place, step) {
  const { length } = model.words;
  const begins = (/** @type {number} */ at) => isFree(pyramid, at)
    && (at === 0 || !isFree(pyramid, at - 1) || model.words[at - 1].summary !== model.words[at].summary);
  const found = nextPlace(length, place, step, begins);
  return found < 0 ? null : found;
}

/** The first word of the next or previous summary, round the end. @type {(model: Model, place: number, step: Direction) => number} */
export function wordOfSummary(model, place, step) {
  const { summaries, words } = model;
  const { summary } = words[place];
  const from = summary < 0 ? summaries.length - 1 : summary; // words in no summary come after the last one
  return summaries[nextPlace(summaries.length, from, step, (at) => summaries[at].words[0] >= 0)]?.words[0] ?? place;
}

/** How many words of each summary are in no SCU. @type {(model: Model, pyramid: Pyramid) => number[]} */
export function freeCounts(model, pyramid) {
  const free = model.words.filter((_, place) => isFree(pyramid, place));
  return model.summaries.map(({ place }) => free.filter(({ summary }) => summary === place).length);
}

/** @type {(a: number, b: number) => Run} */
export const run = (a, b) => [Math.min(a, b), Math.max(a, b)];
