// What the coding page knows: the text with its markables, and the judgements. Pure: no DOM, no clock, no network.
import { blocks, offsets } from "./slices.js";

/**
 * @param {any} raw the JSON that the server puts into the page
 * @returns {{model: Model, judgements: Judgements}}
 */
export function load(raw) {
  const { content } = raw.text;
  const { toUnits, toPoints } = offsets(content);
  const levels = new Map(raw.scheme.levels.map((level) => [level.key, level]));
  const segments = (raw.text.segments ?? []).map((segment) => ({
    kind: segment.kind,
    label: segment.label ?? "",
    speaker: segment.speaker ?? "",
    start: toUnits(segment.start),
    end: toUnits(segment.end),
  }));
  const readOnly = raw.coding.status !== "open";
  const basis = {
    project: raw.project,
    user: raw.user,
    title: raw.text.title,
    content,
    toUnits,
    toPoints,
    language: raw.text.language,
    direction: raw.text.direction,
    blocks: blocks(content, segments),
    sentences: segments.filter((segment) => segment.kind === "sentence").map((segment) => segment.start),
    answers: raw.scheme.answers,
    categories: raw.scheme.categories.map((category) => ({ takes_index: category.key === "refers", ...category })),
    levels,
    marking: readOnly ? [] : raw.scheme.levels.filter((level) => level.coders_mark),
    readOnly,
    version: raw.coding.version,
    seconds: raw.coding.seconds ?? 0,
  };
  const known = new Map(raw.markables.map((one) => [one.key, markable(basis, one)]));
  const given = new Set(raw.markables.filter((one) => !one.own).map((one) => one.key));
  const judgements = new Map(Object.entries(raw.judgements ?? {}).map(([key, value]) => [key, judgement(value)]));
  return { model: withMarks({ ...basis, known, given, own: null }, judgements), judgements };
}

/** @param {any} basis @param {any} raw one markable as the server describes it @returns {Markable} */
function markable({ content, toUnits, levels }, raw) {
  const parts = raw.parts
    .map(([start, end]) => /** @type {[number, number]} */ ([toUnits(start), toUnits(end)]))
    .sort((one, other) => one[0] - other[0]);
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
 * @returns {Model}
 */
export function withMarks(model, judgements) {
  const own = [];
  for (const key of judgements.keys()) {
    if (!model.given.has(key)) {
      own.push(key);
    }
  }
  if (model.own !== null && own.length === model.own.size && own.every((key) => model.own.has(key))) {
    return model;
  }
  const marked = own.flatMap((key) => {
    const named = model.known.has(key) ? null : partsOf(key);
    return model.known.get(key) ?? (named ? [markable(model, { key, ...named, own: true })] : []);
  });
  const markables = [...model.given].map((key) => model.known.get(key)).concat(marked).sort(byTextOrder)
    .map((one, order) => ({ ...one, order }));
  return {
    ...model,
    own: new Set(own),
    markables,
    coded: markables.filter((one) => one.coded),
    byKey: new Map(markables.map((one) => [one.key, one])),
  };
}

/**
 * The key of a markable says where it is: level and parts, in code points, "phrase:10-14,20-25".
 * @param {string} level @param {[number, number][]} parts
 */
export function keyOf(level, parts) {
  return `${level}:${parts.map(([start, end]) => `${start}-${end}`).join(",")}`;
}

/** @returns {{level: string, parts: [number, number][]}|null} */
export function partsOf(key) {
  const match = /^([-\w]+):(\d+-\d+(?:,\d+-\d+)*)$/.exec(key);
  return match && { level: match[1], parts: match[2].split(",").map((part) => part.split("-").map(Number)) };
}

/** Start ascending, end descending: what encloses comes first, so that one's own turn counts as earlier. */
function byTextOrder(one, other) {
  return one.start - other.start || other.end - one.end || Number(one.coded) - Number(other.coded);
}

/** @param {string} words */
function lastWord(words) {
  const found = words.toLowerCase().match(/[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*/gu);
  return found ? found[found.length - 1] : words.toLowerCase();
}

/**
 * A whole judgement from what is there of one.
 * @param {Partial<Judgement>} [value]
 * @returns {Judgement}
 */
export function judgement(value = {}) {
  return {
    category: value.category ?? null,
    pointers: [...(value.pointers ?? [])],
    indices: (value.indices ?? []).map(String),
    note: value.note ?? "",
    name: value.name ?? "",
    head: value.head ?? [],
    unsure: value.unsure ?? false,
    optional: value.optional ?? false,
  };
}

/** @param {Judgement|null|undefined} one @param {Judgement|null|undefined} other */
export function sameJudgement(one, other) {
  return JSON.stringify(one ? judgement(one) : null) === JSON.stringify(other ? judgement(other) : null);
}

/**
 * What makes a markable carry this judgement.
 * @param {Partial<Judgement>} value
 * @returns {Deed}
 */
export function deed(key, value) {
  return { kind: "judge", payload: { markable: key, ...judgement(value) } };
}

/**
 * are left as they were @param {Operation[]} operations
 * @returns {Judgements}
 */
export function apply(model, judgements, operations) {
  const result = new Map(judgements);
  operations.forEach((one) => carryOut(model, result, one));
  return result;
}

/** As the server does it. are changed @param {Operation} operation */
export function carryOut(model, judgements, { kind, payload }) {
  const key = payload.markable;
  const mark = (own) => {
    if (!model.given.has(own) && !judgements.has(own)) {
      judgements.set(own, judgement());
    }
  };
  switch (kind) {
    case "judge":
      judgements.set(key, judgement(payload));
      judgements.get(key).pointers.forEach(mark); // who points to words marks them
      break;
    case "clear":
      judgements.delete(key);
      mark(key); // one's own mark outlives its judgement
      break;
    case "unmark":
      judgements.delete(key);
      repoint(judgements, key, null);
      break;
    case "move":
      if (judgements.has(key)) {
        const { parts } = partsOf(payload.to);
        const inside = ([start, end]) => parts.some((part) => part[0] <= start && end <= part[1]);
        const value = judgements.get(key);
        judgements.delete(key);
        judgements.set(payload.to, { ...value, head: value.head.filter(inside) });
        repoint(judgements, key, payload.to);
      }
      break;
    case "import":
      payload.judgements.forEach((one) => judgements.set(one.markable, judgement(one)));
  }
}

function repoint(judgements, from, to) {
  for (const [key, value] of judgements) {
    if (value.pointers.includes(from)) {
      const pointers = value.pointers.filter((target) => target !== from).concat(to ?? []);
      judgements.set(key, { ...value, pointers });
    }
  }
}

/**
 * What others did first, then what is not yet saved here: one's own unsent work is never lost.
 * @param {Judgements} base what the server had, as far as this page knew
 * @param {Operation[]} missed @param {Operation[]} pending
 */
export function rebase(model, base, missed, pending) {
  const renewed = apply(model, base, missed);
  return { base: renewed, judgements: apply(model, renewed, pending) };
}

/** @param {string|null|undefined} key @returns {Category|undefined} */
export function categoryOf(model, key) {
  return model.categories.find((category) => category.key === key);
}

/**
 * Decided: a category, and what the category asks for.
 * @param {Judgement|undefined} value
 */
export function isDecided(model, value) {
  const category = value && categoryOf(model, value.category);
  if (!category) {
    return false;
  }
  if (model.answers === "indices") {
    return !category.takes_index || value.indices.length > 0;
  }
  return !category.points_to || value.pointers.length > 0;
}

/**
 * The next or previous markable that answers to a condition, from a place in the list on, and round the end.
 * @param {Markable[]} list @param {string|null} from @param {1|-1} step @param {(markable: Markable) => boolean} condition
 * @returns {string|null}
 */
export function step(list, from, step, condition = () => true) {
  const start = list.findIndex((markable) => markable.key === from);
  for (let count = 1; count <= list.length; count += 1) {
    const at = start < 0 && step < 0 ? list.length - count : start + step * count;
    const markable = list[((at % list.length) + list.length) % list.length];
    if (condition(markable)) {
      return markable.key;
    }
  }
  return null;
}
