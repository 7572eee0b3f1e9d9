// The rows of cards: what of them is to decide, and what is decided. Pure.
/** @import { DecidedItems, Decisions, Hole, ItemDecision, Queue, QueueCard, QueueHost, QueueRow } from "./types.js" */

/** The question of category, chain and SCU; others have the keys of attributes and relations. */
export const CATEGORY = "category";

const SHOWN = 3; // units of a row, before the rest is counted
const LETTERS_SHOWN = 12;

/** The words of units, of many the first. @type {(keys: string[], wordsOf: (key: string) => string, separator: string) => string} */
export function unitsInWords(keys, wordsOf, separator) {
  const words = keys.slice(0, SHOWN).map(wordsOf).join(separator);
  return keys.length > SHOWN ? `${words} and ${keys.length - SHOWN} more` : words;
}

/** @param {string} words */
export const shortened = (words) => (words.length > LETTERS_SHOWN ? `${words.slice(0, LETTERS_SHOWN - 1).trimEnd()}…` : words);

/** @typedef {DecidedItems["items"]} Items */

/** The items that are decided with a row. @type {(card: QueueCard, row: QueueRow) => Items} */
export const itemsOf = (card, { units }) => units.map((unit) => [unit, card.question || CATEGORY]);

const MAX_ITEMS = 500;

/** Items as many operations have them: one decides at most 500. @type {(items: Items) => Items[]} */
export const inParts = (items) => Array.from(
  { length: Math.ceil(items.length / MAX_ITEMS) }, (_, part) => items.slice(part * MAX_ITEMS, (part + 1) * MAX_ITEMS),
);

/** @type {(card: QueueCard, row: QueueRow) => boolean} */
export const isAsked = ({ kind }, { contested }) => contested || kind === "question" || kind === "check";

/** What decides a row; null: some of its items are not decided. @type {(decisions: Decisions, card: QueueCard, row: QueueRow) => ItemDecision | null} */
export function decisionOn(decisions, card, row) {
  const found = itemsOf(card, row).map(([unit, question]) => decisions.of(unit, question));
  return found.every((answer) => answer !== null) ? found[0] : null;
}

/** @type {(decisions: Decisions, card: QueueCard, row: QueueRow) => boolean} */
export const isOpen = (decisions, card, row) => isAsked(card, row) && decisionOn(decisions, card, row) === null;

/** The open rows of a card. @type {(decisions: Decisions, card: QueueCard) => QueueRow[]} */
export const openRows = (decisions, card) => card.rows.filter((row) => isOpen(decisions, card, row));

/** How many answers are to decide and how many to check; what is on two cards counts once. @type {(decisions: Decisions, queue: Queue) => { open: number, checks: number }} */
export function countOpen(decisions, { cards }) {
  const [open, checks] = [new Set(), new Set()];
  for (const card of cards) {
    const items = openRows(decisions, card).flatMap((row) => itemsOf(card, row)).filter(([unit, question]) => decisions.of(unit, question) === null);
    items.forEach((item) => (card.kind === "check" ? checks : open).add(String(item)));
  }
  return { open: open.size, checks: checks.size };
}

/** @type {(key: string, question: string) => string} */
const itemKey = (key, question) => `${key} ${question}`;

/** @type {(holes: Hole[]) => Set<string>} */
const itemKeys = (holes) => new Set(holes.flatMap(({ markables, question }) => markables.map((key) => itemKey(key, question))));

/** Decisions without those on items to which gold lacks an answer. @type {(decisions: Decisions, holes: Hole[]) => Decisions} */
export function withoutHoles({ called, of }, holes) {
  const lacking = itemKeys(holes);
  return { called, of: (key, question) => (lacking.has(itemKey(called(key), question)) ? null : of(key, question)) };
}

/** What gold lacks and no card asks for, but those of what everybody says. @type {(decisions: Decisions, queue: Queue, holes: Hole[]) => Hole[]} */
export function otherHoles({ called }, { cards }, holes) {
  const asking = holes.length === 0 ? [] : cards.filter(({ kind }) => kind !== "check");
  const rows = asking.flatMap((card) => card.rows.filter((row) => isAsked(card, row)).map((row) => itemsOf(card, row)));
  const asked = new Set(rows.flat().map(([unit, question]) => itemKey(called(unit), question)));
  return holes.filter(({ markables, question }) => !markables.some((key) => asked.has(itemKey(key, question))));
}

/**
 * Tells of rows of a card whether there is nothing to accept: the draft has no answer, or the scheme asks for one, and gold has none.
 * @type {(decisions: Decisions, card: QueueCard, host: Pick<QueueHost, "holes" | "isUnanswered">) => (row: QueueRow) => boolean}
 */
export function lackingAnswers({ called }, card, { holes, isUnanswered }) {
  const lacking = itemKeys(holes());
  return (row) => itemsOf(card, row).map(([unit, question]) => /** @type {const} */ ([called(unit), question]))
    .some(([key, question]) => lacking.has(itemKey(key, question)) || (row.undecided && isUnanswered(key, question)));
}
