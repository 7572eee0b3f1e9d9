// Where words and numbers lead in a text. Pure.
/** @import { Markable, Model, Span } from "../types.js" */

/**
 * The coded markable that a match belongs to: the smallest that holds it, else the first that it touches.
 * @type {(model: Model, match: Span) => string | null}
 */
export function markableAt(model, [start, end]) {
  const touched = model.coded.filter((one) => one.parts.some((part) => part[0] < end && part[1] > start));
  const holding = touched.filter((one) => one.parts.some((part) => part[0] <= start && part[1] >= end));
  /** @param {Markable} one */
  const size = (one) => one.end - one.start;
  return (holding.sort((one, other) => size(one) - size(other))[0] ?? touched[0])?.key ?? null;
}

/**
 * Where "go to" leads: the number of a markable, or the label of a turn.
 * @type {(model: Model, query: string) => { label: string, key: string }[]}
 * key: of the markable there, or the first one after it
 */
export function destinations(model, query) {
  const wanted = query.trim();
  const found = [];
  const number = /^\d{1,9}$/.test(wanted) ? Number(wanted) : 0;
  if (number >= 1 && number <= model.coded.length) {
    const { key, words } = model.coded[number - 1];
    found.push({ label: `Markable ${number}: ${words}`, key });
  }
  for (const block of wanted ? model.blocks.filter((one) => one.label === wanted) : []) {
    const inside = model.coded.find((one) => one.start >= block.start);
    if (inside) {
      found.push({ label: `${block.label} ${block.speaker}: ${model.content.slice(block.start, block.start + 60)}`, key: inside.key });
    }
  }
  return found;
}
