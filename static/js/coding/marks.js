// Words that a coder marks: drafts of markables, moved by words and characters, never cut inside a character. Pure.
import { keyOf } from "./state.js";

const REACH = 600; // characters around an edge in which the next words are sought
const LONGEST = 20; // parts, as on the server
const segmenters = new Map();

/** What a reader takes for one character may be many code points: flags, accents, families of emoji. */
function segmenter(granularity, language) {
  const name = `${granularity} ${language}`;
  if (!segmenters.has(name)) {
    let locales;
    try {
      locales = Intl.getCanonicalLocales(language);
    } catch {
      locales = undefined; // a language tag that is none; words are then told as everywhere
    }
    segmenters.set(name, new Intl.Segmenter(locales, { granularity }));
  }
  return segmenters.get(name);
}

/** The text around a place, from the line break or as far as REACH; segmenting all of a long text would be slow. */
function around(content, place) {
  const from = Math.max(0, place - REACH);
  const line = content.lastIndexOf("\n", place - 1) + 1;
  return { from: Math.max(from, Math.min(line, place)), to: Math.min(content.length, place + REACH) };
}

/** @returns {Span[]} the words near a place */
function wordsNear(model, place) {
  const from = Math.max(0, around(model.content, Math.max(0, place - REACH)).from);
  const to = Math.min(model.content.length, place + REACH);
  return [...segmenter("word", model.language).segment(model.content.slice(from, to))]
    .filter((piece) => piece.isWordLike || /[\p{Emoji_Presentation}\p{Extended_Pictographic}]/u.test(piece.segment))
    .map(({ index, segment }) => [from + index, from + index + segment.length]);
}

/** The start of the character that a place lies in, and where it ends. @returns {Span} */
function characterAt(model, place) {
  const { from, to } = around(model.content, place);
  const found = segmenter("grapheme", model.language).segment(model.content.slice(from, to)).containing(place - from);
  return found ? [from + found.index, from + found.index + found.segment.length] : [place, place];
}

/**
 * Words as a coder means them: without white space around, and no character cut.
 * @param {number} start @param {number} end
 * @returns {Span|null} null: there is nothing but white space
 */
export function snap(model, start, end) {
  const { content } = model;
  let [from, to] = [start, end];
  while (from < to && /\s/.test(content[from])) {
    from += 1;
  }
  while (to > from && /\s/.test(content[to - 1])) {
    to -= 1;
  }
  return from === to ? null : [characterAt(model, from)[0], characterAt(model, to - 1)[1]];
}

/** The word at a place, or the next one after it. @returns {Span|null} */
export function wordAt(model, place) {
  return wordsNear(model, place).find(([, end]) => end > place) ?? null;
}

/** The words before or after some words. @param {Span} span @param {1|-1} step @returns {Span} the same at the end of the text */
export function neighbour(model, span, step) {
  const words = wordsNear(model, step > 0 ? span[1] : span[0]);
  return (step > 0 ? words.find(([start]) => start >= span[1]) : words.findLast(([, end]) => end <= span[0])) ?? span;
}

/**
 * Move one edge by a word or a character. At least one character stays, and white space is not marked at an edge.
 * @param {Span} span @param {"start"|"end"} edge @param {1|-1} step
 * @param {"word"|"character"} by
 * @returns {Span}
 */
export function moveEdge(model, [start, end], edge, step, by) {
  const { content } = model;
  const side = edge === "start" ? 0 : 1;
  let place = edge === "start" ? start : end;
  if (by === "word") {
    const edges = wordsNear(model, place).map((word) => word[side]);
    place = (step > 0 ? edges.find((one) => one > place) : edges.findLast((one) => one < place)) ?? place;
  } else {
    do {
      const before = place;
      place = step > 0 ? characterAt(model, place)[1] : characterAt(model, Math.max(0, place - 1))[0];
      if (place === before) {
        break;
      }
    } while (place < content.length && /\s/.test(edge === "start" ? content[place] : content[place - 1] ?? ""));
  }
  const moved = edge === "start" ? [place, end] : [start, place];
  return moved[0] < moved[1] ? (snap(model, ...moved) ?? [start, end]) : [start, end];
}

/** Parts in the order of the text; those that touch or overlap become one. @param {Span[]} parts @returns {Span[]} */
export function joined(parts) {
  const result = [];
  for (const [start, end] of [...parts].sort((one, other) => one[0] - other[0] || one[1] - other[1])) {
    const last = result.at(-1);
    if (last && start <= last[1]) {
      last[1] = Math.max(last[1], end);
    } else {
      result.push([start, end]);
    }
  }
  return result;
}

/** @param {Draft} draft @returns {string} the key that it would have */
export function keyOfDraft(model, { level, parts }) {
  return keyOf(level, joined(parts).map(([start, end]) => [model.toPoints(start), model.toPoints(end)]));
}

/** @param {Draft} draft @returns {string|null} why it cannot be marked */
export function whyNot(model, draft) {
  const key = keyOfDraft(model, draft);
  if (model.byKey.has(key)) {
    return "These words are marked already.";
  }
  return joined(draft.parts).length > LONGEST ? `A markable has at most ${LONGEST} parts.` : null;
}

/**
 * A markable of one's own with an edge moved, as a draft; null where it is not one's own.
 * @param {"start"|"end"} edge @param {1|-1} step
 * @param {"word"|"character"} by
 */
export function withEdge(model, key, edge, step, by) {
  const { level, parts } = model.byKey.get(key);
  const at = edge === "start" ? 0 : parts.length - 1;
  return { level, at, parts: parts.map((part, place) => (place === at ? moveEdge(model, part, edge, step, by) : part)) };
}

/**
 * The part of the words that lies in the markable, as its head, in code points; null where they reach outside.
 * @param {Span[]} words
 */
export function headOf(model, key, words) {
  const { parts } = model.byKey.get(key);
  const inside = words.every(([start, end]) => parts.some((part) => part[0] <= start && end <= part[1]));
  return inside ? joined(words).map(([start, end]) => [model.toPoints(start), model.toPoints(end)]) : null;
}
