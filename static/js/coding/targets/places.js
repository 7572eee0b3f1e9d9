// Where words or numbers lead: to markables of the text. Loaded with the tools and the list of all actions.
import { findMatches } from "../../workbench/dialogs/search.js";
import { describe } from "../view/panel.js";
/** @import { Frame, Markable, Model, Places, Span } from "../types.js" */

const MOST = 500;

/** @type {(frame: Frame) => Places} */
export function createPlaces({ page, go }) {
  return (query) => {
    const { model } = page;
    const matches = query.trim().length > 1 ? findMatches(model.content, query).slice(0, MOST) : [];
    const keys = new Set(matches.map((match) => markableAt(model, match)).filter((key) => key !== null));
    const numbered = destinations(model, query).map(({ label, key }) => ({ label, hint: "go to", run: () => go(key) }));
    return [...numbered, ...[...keys].map((key) => {
      const { words, where } = describe(model, key);
      return { label: words, hint: where, run: () => go(key) };
    })];
  };
}

/** The coded markable that a match belongs to: the smallest that holds it, else the first that it touches. @type {(model: Model, match: Span) => string | null} */
export function markableAt(model, [start, end]) {
  const touched = model.coded.filter((markable) => markable.parts.some((part) => part[0] < end && part[1] > start));
  const holding = touched.filter((markable) => markable.parts.some((part) => part[0] <= start && part[1] >= end));
  const size = (/** @type {Markable} */ markable) => markable.end - markable.start;
  return (holding.sort((a, b) => size(a) - size(b))[0] ?? touched[0])?.key ?? null;
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
  for (const block of wanted ? model.blocks.filter((block) => block.label === wanted) : []) {
    const inside = model.coded.find((markable) => markable.start >= block.start);
    if (inside) {
      found.push({ label: `${block.label} ${block.speaker}: ${model.content.slice(block.start, block.start + 60)}`, key: inside.key });
    }
  }
  return found;
}
