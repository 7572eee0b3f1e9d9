// What the coding page knows: the text with its markables, and the judgements. Pure: no DOM, no clock, no network.
import { applyChanges } from "../workbench/history.js";
import { judgement, partsOf } from "../workbench/judgements.js";
import { offsets } from "../workbench/offsets.js";
import { nextPlace, Table } from "../workbench/table.js";
import { JUDGEMENTS } from "./targets/pointers.js";
import { givenAnswers, isComplete } from "./questions/constraints.js";
import { blocks } from "./text/slices.js";
/** @import { Category, Change, Judgement, Judgements, Markable, Model, RawCoding, RawMarkable, Span, TextModel } from "./types.js" */

/** @type {(raw: RawCoding) => { model: Model, judgements: Judgements }} raw: the JSON that the server puts into the page */
export function load(raw) {
  const { content } = raw.text;
  const { toUnits, toPoints } = offsets(content);
  const { answers, categories, relations, attributes, constraints, levels: rawLevels, scheme_version: scheme } = raw.scheme;
  const levels = new Map(rawLevels.map((level) => [level.key, level]));
  const segments = (raw.text.segments ?? []).map((segment) => ({
    kind: segment.kind,
    label: segment.label ?? "",
    speaker: segment.speaker ?? "",
    start: toUnits(segment.start),
    end: toUnits(segment.end),
  }));
  const readOnly = raw.coding.status !== "open";
  /** @type {TextModel} */
  const basis = {
    user: raw.user,
    content,
    toUnits,
    toPoints,
    language: raw.text.language,
    direction: raw.text.direction,
    blocks: blocks(content, segments),
    sentences: segments.filter((segment) => segment.kind === "sentence").map((segment) => segment.start),
    answers,
    categories,
    relations,
    attributes,
    constraints,
    levels,
    marking: readOnly ? [] : rawLevels.filter((level) => level.coders_mark),
    readOnly,
    practice: raw.practice ?? false,
    gold: raw.gold ?? false,
    feedback: raw.feedback ?? null,
    version: raw.coding.version,
    scheme,
    seconds: raw.coding.seconds ?? 0,
    known: new Map(),
    given: new Set(raw.markables.filter((row) => !row.own).map((row) => row.key)),
  };
  raw.markables.forEach((row) => basis.known.set(row.key, markable(basis, row)));
  const judgements = new Map(Object.entries(raw.judgements ?? {}).map(([key, value]) => [key, judgement(value)]));
  return { model: withMarks(basis, judgements), judgements };
}

/** @type {(basis: TextModel, raw: RawMarkable) => Markable} raw: as the server describes it */
function markable({ content, toUnits, levels }, raw) {
  const parts = raw.parts
    .map(([start, end]) => /** @type {Span} */ ([toUnits(start), toUnits(end)]))
    .sort((a, b) => a[0] - b[0]);
  const words = parts.map(([start, end]) => content.slice(start, end)).join(" … ").replace(/\s+/g, " ").trim();
  return {
    key: raw.key,
    level: raw.level,
    label: raw.label ?? "",
    parts,
    start: parts[0][0],
    end: Math.max(...parts.map((part) => part[1])),
    coded: levels.get(raw.level)?.coded ?? true,
    own: raw.own ?? false,
    head: raw.head ?? [],
    order: 0,
    words,
    lastWord: lastWord(words),
  };
}

/**
 * The model with the markables that came with the text and those of the coder's own: a markable of one's own is there as
 * long as it has a judgement, be it an empty one. The same model where nothing has come or gone.
 * @type {(model: Model | TextModel, judgements: Judgements) => Model}
 */
export function withMarks(model, judgements) {
  const own = new Set([...judgements.keys()].filter((key) => !model.given.has(key)));
  if ("own" in model && own.size === model.own.size && [...own].every((key) => model.own.has(key))) {
    return model;
  }
  const marked = [...own].flatMap((key) => unmarked(model, key) ?? []);
  const markables = [...model.given].flatMap((key) => model.known.get(key) ?? []).concat(marked).sort(byTextOrder)
    .map((mark, order) => ({ ...mark, order }));
  return {
    ...model,
    own,
    markables,
    coded: markables.filter((mark) => mark.coded),
    byKey: new Table(markables.map((mark) => [mark.key, mark])),
  };
}

/** A markable by its key. @type {(model: TextModel, key: string) => Markable | null} */
export function unmarked(model, key) {
  const named = model.known.has(key) ? null : partsOf(key);
  return model.known.get(key) ?? (named ? markable(model, { key, ...named, own: true }) : null);
}

/** Start ascending, end descending: what encloses comes first, so that one's own turn counts as earlier. @type {(a: Markable, b: Markable) => number} */
function byTextOrder(a, b) {
  return a.start - b.start || b.end - a.end || Number(a.coded) - Number(b.coded);
}

/** @type {(words: string) => string} */
function lastWord(words) {
  const found = words.toLowerCase().match(/[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*/gu);
  return found ? found[found.length - 1] : words.toLowerCase();
}

/** @type {(model: Model, judgements: Judgements, operations: Change[]) => Judgements} */
export const apply = (model, judgements, operations) => applyChanges(JUDGEMENTS, model, judgements, operations);

/** @type {(model: TextModel, key: string | null | undefined) => Category | undefined} */
export const categoryOf = (model, key) => model.categories.find((category) => category.key === key);

/** The class of a colour of the scheme, "#rrggbb". @param {string | undefined} colour */
export const colourLook = (colour) => (colour ? `category-${colour.slice(1)}` : "");

/** The colour of a category: its own, or one of eight. @type {(model: Pick<TextModel, "categories">, key: string | null | undefined) => string} a class, or none */
export function categoryLook({ categories }, key) {
  const place = categories.findIndex((category) => category.key === key);
  return place < 0 ? "" : colourLook(categories[place].colour) || `category-${place % 8 + 1}`;
}

/** Decided: all that the scheme requires of the markable. @type {(model: TextModel, level: string, value: Judgement | undefined) => boolean} */
export function isDecided({ constraints }, level, value) {
  return value !== undefined && isComplete(constraints, givenAnswers(constraints, level, value), value.indices.length > 0);
}

/** The next or previous markable that answers to a condition, from a place in the list on, and round the end. @type {(list: Markable[], from: string | null, step: 1 | -1, condition?: (markable: Markable) => boolean) => string | null} */
export function step(list, from, step, condition = () => true) {
  return list[nextPlace(list.length, list.findIndex(({ key }) => key === from), step, (place) => condition(list[place]))]?.key ?? null;
}
