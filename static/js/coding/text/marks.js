// Words that a coder marks: drafts of markables, moved by words and characters, never cut inside a character. Pure.
import { keyOf } from "../../workbench/judgements.js";
import { mergeParts } from "../../workbench/parts.js";
import { findMatches } from "../../workbench/dialogs/search.js";
import { targetsOf } from "../../workbench/readings.js";
import { isLegal } from "../targets/candidates.js";
import { identityOf } from "../questions/constraints.js";
import { apply, withMarks } from "../state.js";
/** @import { Direction, Draft, Edge, Judgements, Markable, Model, Repeats, Span, TextModel, Unit } from "../types.js" */

const REACH = 600; // characters around an edge in which the next words are sought
const MAX_PARTS = 20; // parts, as on the server
const MAX_REPEATS = 100; // marked in one step: what one request carries
const LETTER = /[\p{L}\p{M}\p{N}]/u;
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const segmenters = /** @type {Map<string, Intl.Segmenter>} */ (new Map());

/**
 * What a reader takes for one character may be many code points: flags, accents, families of emoji.
 * @type {(granularity: "word" | "grapheme", language: string) => Intl.Segmenter}
 */
function segmenter(granularity, language) {
  const name = `${granularity} ${language}`;
  let found = segmenters.get(name);
  if (!found) {
    let locales;
    try {
      locales = Intl.getCanonicalLocales(language);
    } catch {
      locales = undefined; // a language tag that is none; words are then told as everywhere
    }
    found = new Intl.Segmenter(locales, { granularity });
    segmenters.set(name, found);
  }
  return found;
}

/**
 * The text around a place, from the line break or as far as REACH; segmenting all of a long text would be slow.
 * @type {(content: string, place: number) => { from: number, to: number }}
 */
function around(content, place) {
  const from = Math.max(0, place - REACH);
  const line = content.lastIndexOf("\n", place - 1) + 1;
  return { from: Math.max(from, Math.min(line, place)), to: Math.min(content.length, place + REACH) };
}

/** @type {(model: TextModel, place: number) => Span[]} */
function wordsNear(model, place) {
  const from = Math.max(0, around(model.content, Math.max(0, place - REACH)).from);
  const to = Math.min(model.content.length, place + REACH);
  return [...segmenter("word", model.language).segment(model.content.slice(from, to))]
    .filter((piece) => piece.isWordLike || /[\p{Emoji_Presentation}\p{Extended_Pictographic}]/u.test(piece.segment))
    .map(({ index, segment }) => /** @type {Span} */ ([from + index, from + index + segment.length]));
}

/** The start of the character that a place lies in, and where it ends. @type {(model: TextModel, place: number) => Span} */
function characterAt(model, place) {
  const { from, to } = around(model.content, place);
  const found = segmenter("grapheme", model.language).segment(model.content.slice(from, to)).containing(place - from);
  return found ? [from + found.index, from + found.index + found.segment.length] : [place, place];
}

/** Words as a coder means them: without white space around, and no character cut. @type {(model: TextModel, start: number, end: number) => Span | null} */
export function snap(model, start, end) {
  const words = model.content.slice(start, end);
  const from = start + words.length - words.trimStart().length;
  const to = start + words.trimEnd().length;
  return from >= to ? null : [characterAt(model, from)[0], characterAt(model, to - 1)[1]];
}

/** The word at a place, or the next one after it. @type {(model: TextModel, place: number) => Span | null} */
export const wordAt = (model, place) => wordsNear(model, place).find(([, end]) => end > place) ?? null;

/** The words before or after some words. @type {(model: TextModel, span: Span, step: Direction) => Span} */
export function neighbour(model, span, step) {
  const words = wordsNear(model, step > 0 ? span[1] : span[0]);
  return (step > 0 ? words.find(([start]) => start >= span[1]) : words.findLast(([, end]) => end <= span[0])) ?? span;
}

/**
 * Move one edge by a word or a character. At least one character stays, and white space is not marked at an edge.
 * @type {(model: TextModel, span: Span, edge: Edge, step: Direction, by: Unit) => Span}
 */
export function moveEdge(model, [start, end], edge, step, by) {
  const { content } = model;
  const side = edge === "start" ? 0 : 1;
  let place = edge === "start" ? start : end;
  if (by === "word") {
    const edges = wordsNear(model, place).map((word) => word[side]);
    place = (step > 0 ? edges.find((edge) => edge > place) : edges.findLast((edge) => edge < place)) ?? place;
  } else {
    do {
      const before = place;
      place = step > 0 ? characterAt(model, place)[1] : characterAt(model, Math.max(0, place - 1))[0];
      if (place === before) {
        break;
      }
    } while (place < content.length && /\s/.test(edge === "start" ? content[place] : content[place - 1] ?? ""));
  }
  /** @type {Span} */
  const moved = edge === "start" ? [place, end] : [start, place];
  return moved[0] < moved[1] ? (snap(model, ...moved) ?? [start, end]) : [start, end];
}

/** @type {(model: Model, draft: Draft) => string} */
export function keyOfDraft(model, { level, parts }) {
  return keyOf(level, mergeParts(parts).map(([start, end]) => /** @type {Span} */ ([model.toPoints(start), model.toPoints(end)])));
}

/** @type {(model: Model, draft: Draft) => string | null} */
export function draftError(model, draft) {
  const key = keyOfDraft(model, draft);
  if (model.byKey.has(key)) {
    return "These words are already marked.";
  }
  return mergeParts(draft.parts).length > MAX_PARTS ? `A markable has at most ${MAX_PARTS} parts.` : null;
}

/**
 * A markable of one's own with an edge moved, as a draft. The edge passes places at which the words would be those of
 * another markable.
 * @type {(model: Model, key: string, edge: Edge, step: Direction, by: Unit) => Draft}
 */
export function withEdge(model, key, edge, step, by) {
  const { level, parts } = model.byKey.at(key);
  const at = edge === "start" ? 0 : parts.length - 1;
  /** @param {Span} span @returns {Draft} */
  const move = (span) => {
    const next = moveEdge(model, span, edge, step, by);
    const draft = { level, at, parts: parts.with(at, next) };
    return next.join() !== span.join() && model.byKey.has(keyOfDraft(model, draft)) ? move(next) : draft;
  };
  return move(parts[at]);
}

/**
 * The part of the words that lies in the markable, as its head, in code points; null where they reach outside.
 * @type {(model: Model, key: string, words: Span[]) => Span[] | null}
 */
export function headOf(model, key, words) {
  const { parts } = model.byKey.at(key);
  const inside = words.every(([start, end]) => parts.some((part) => part[0] <= start && end <= part[1]));
  return inside ? mergeParts(words).map(([start, end]) => /** @type {Span} */ ([model.toPoints(start), model.toPoints(end)])) : null;
}

/**
 * Why a markable cannot be moved so: which pointer the scheme would not allow any more; null when none.
 * @type {(model: Model, judgements: Judgements, from: string, to: string) => string | null}
 */
export function brokenBy(model, judgements, from, to) {
  const after = apply(model, judgements, [{ kind: "move", payload: { markable: from, to } }]);
  const moved = withMarks(model, after);
  for (const [key, value] of after) {
    if (key === to || targetsOf(value).includes(to)) {
      const { relations } = moved.constraints;
      const wrong = value.pointers.flat().find((target) => !isLegal(moved, key, identityOf(moved.constraints, value.category), target))
        ?? Object.entries(value.relations).flatMap(([name, readings]) => readings.flat().filter((target) => !isLegal(moved, key, relations[name], target)))[0];
      if (wrong !== undefined) {
        return `“${moved.byKey.at(wrong).words}” would come later in the text than “${moved.byKey.at(key).words}”, which points to it.`;
      }
    }
  }
  return null;
}

/** Whether all of some parts lies in others. @type {(outer: Span[], inner: Span[]) => boolean} */
const holds = (outer, inner) => inner.every(([start, end]) => outer.some((part) => part[0] <= start && end <= part[1]));

/** Of some markables those that share words with some parts and neither contain them nor lie in them. @type {(markables: Markable[], parts: Span[]) => Markable[]} */
export function crossedBy(markables, parts) {
  return markables.filter((markable) => markable.parts.some(([start, end]) => parts.some((part) => start < part[1] && part[0] < end))
    && !holds(markable.parts, parts) && !holds(parts, markable.parts));
}

/** Whether a word ends at a place: of scripts that write no spaces between words, anywhere. @type {(content: string, place: number) => boolean} */
function endsWord(content, place) {
  const [before, after] = [content.slice(0, place).slice(-2).match(/.$/u)?.[0] ?? "", content.slice(place, place + 2).match(/^./u)?.[0] ?? ""];
  return !(LETTER.test(before) && LETTER.test(after)) || WITHOUT_SPACES.test(before) || WITHOUT_SPACES.test(after);
}

/** Whether there is no character of more than ASCII around some words, which then cuts none of them: to look is slow. @type {(content: string, span: Span) => boolean} */
const standsPlain = (content, [start, end]) => content.charAt(start - 1) < "\x80" && content.charAt(end) < "\x80";

/**
 * Where the text has the same words, as whole words and in the same letters; only words that stand together have repeats.
 * @type {(model: Model, draft: Draft) => Repeats}
 */
export function repeatsOf(model, { level, parts }) {
  const [span, ...more] = mergeParts(parts);
  /** @type {Repeats} */
  const repeats = { keys: [], marked: 0, crossing: 0, rest: 0 };
  if (!span || more.length > 0) {
    return repeats;
  }
  const { content } = model;
  const words = (/** @type {Span} */ span) => content.slice(...span).replace(/\s+/g, " ");
  let next = 0;
  /** @type {Markable[]} */
  let near = []; // markables that may reach into a match: looking through all for each would be slow
  for (const match of findMatches(content, words(span))) {
    const whole = words(match) === words(span) && match.every((place) => endsWord(content, place))
      && (standsPlain(content, match) || snap(model, ...match)?.join() === match.join());
    if (!whole) {
      continue;
    }
    const key = keyOfDraft(model, { level, parts: [match], at: 0 });
    near = near.filter((span) => span.end > match[0]);
    while (next < model.coded.length && model.coded[next].start < match[1]) {
      near.push(model.coded[next]);
      next += 1;
    }
    if (model.byKey.has(key)) {
      repeats.marked += 1;
    } else if (crossedBy(near, [match]).length > 0) {
      repeats.crossing += 1;
    } else if (repeats.keys.length === MAX_REPEATS) {
      repeats.rest += 1;
    } else {
      repeats.keys.push(key);
    }
  }
  return repeats;
}
