// The rows of cards: what of them is to decide, and what is decided. Pure.
/** @import { DecidedItems, Decisions, ItemDecision, Queue, QueueCard, QueueRow } from "./types.js" */

/** The question of category, chain and SCU; others have the keys of attributes and relations. */
export const CATEGORY = "category";

/** @typedef {DecidedItems["items"]} Items */

/** The items that are decided with a row. @type {(card: QueueCard, row: QueueRow) => Items} */
export function itemsOf(card, { units }) {
  return units.map((unit) => [unit, card.question || CATEGORY]);
}

const MOST_ITEMS = 500;

/** Items as many operations have them: one decides at most 500. @type {(items: Items) => Items[]} */
export const inParts = (items) => Array.from(
  { length: Math.ceil(items.length / MOST_ITEMS) }, (_, part) => items.slice(part * MOST_ITEMS, (part + 1) * MOST_ITEMS),
);

/** @type {(card: QueueCard, row: QueueRow) => boolean} */
export const isAsked = ({ kind }, { contested }) => contested || kind === "question" || kind === "check";

/** What decides a row; null: some of its items are not decided. @type {(decisions: Decisions, card: QueueCard, row: QueueRow) => ItemDecision | null} */
export function decisionOn(decisions, card, row) {
  const found = itemsOf(card, row).map(([unit, question]) => decisions.of(unit, question));
  return found.every((one) => one !== null) ? found[0] : null;
}

/** @type {(decisions: Decisions, card: QueueCard, row: QueueRow) => boolean} */
export const isOpen = (decisions, card, row) => isAsked(card, row) && decisionOn(decisions, card, row) === null;

/** The open rows of a card. @type {(decisions: Decisions, card: QueueCard) => QueueRow[]} */
export const openRows = (decisions, card) => card.rows.filter((row) => isOpen(decisions, card, row));

/** How many rows are to decide and how many to check; a row that is on two cards counts once. @type {(decisions: Decisions, queue: Queue) => { open: number, checks: number }} */
export function countOpen(decisions, { cards }) {
  const [open, checks] = [new Set(), new Set()];
  for (const card of cards) {
    openRows(decisions, card).forEach((row) => (card.kind === "check" ? checks : open).add(String(itemsOf(card, row)[0])));
  }
  return { open: open.size, checks: checks.size };
}

/** Whether the draft leaves a row open: there is nothing to accept. @type {(queue: Queue, card: QueueCard, row: QueueRow) => boolean} */
export function isUndecidedDraft({ draft }, card, { units }) {
  return card.question !== "" && card.question !== CATEGORY ? false
    : units.some((unit) => unit in draft && (draft[unit].category ?? null) === null && Object.keys(draft[unit].attributes ?? {}).length === 0);
}
