// What the coding page knows: the text with its markables, and the judgements. Pure: no DOM, no clock, no network.
import { blocks, offsetConverter } from "./slices.js";

/** @typedef {{category: string|null, pointers: string[], indices: string[], note: string, unsure: boolean, optional: boolean}} Judgement */
/** @typedef {Map<string, Judgement>} Judgements by the key of the markable */
/** @typedef {{uuid: string, kind: string, payload: any}} Operation "judge", "clear", and from the log "import" */
/**
 * @typedef {{key: string, label: string, points_to: string|null, max_pointers: number|null, allow_later: boolean,
 *   takes_index: boolean}} Category
 */
/**
 * @typedef {{key: string, level: string, label: string, parts: [number, number][], start: number, end: number,
 *   coded: boolean, order: number, words: string, head: string}} Markable
 */
/**
 * @typedef {{project: {slug: string, title: string}, user: string, title: string, content: string, language: string,
 *   direction: string, blocks: import("./slices.js").Block[], answers: "pointers"|"indices"|"categories",
 *   categories: Category[], markables: Markable[], coded: Markable[], byKey: Map<string, Markable>,
 *   levels: Map<string, {key: string, label: string, coded: boolean}>, readOnly: boolean, version: number}} Model
 */

/**
 * @param {any} raw the JSON that the server puts into the page
 * @returns {{model: Model, judgements: Judgements}}
 */
export function load(raw) {
  const content = raw.text.content;
  const convert = offsetConverter(content);
  const levels = new Map(raw.scheme.levels.map((level) => [level.key, level]));
  const segments = (raw.text.segments ?? []).map((segment) => ({
    kind: segment.kind,
    label: segment.label ?? "",
    speaker: segment.speaker ?? "",
    start: convert(segment.start),
    end: convert(segment.end),
  }));
  const markables = raw.markables
    .map((markable) => {
      const parts = markable.parts
        .map(([start, end]) => /** @type {[number, number]} */ ([convert(start), convert(end)]))
        .sort((one, other) => one[0] - other[0]);
      const words = parts.map(([start, end]) => content.slice(start, end)).join(" … ").replace(/\s+/g, " ").trim();
      return {
        key: markable.key,
        level: markable.level,
        label: markable.label ?? "",
        parts,
        start: parts[0][0],
        end: Math.max(...parts.map((part) => part[1])),
        coded: levels.get(markable.level)?.coded ?? true,
        order: 0,
        words,
        head: lastWord(words),
      };
    })
    .sort(byTextOrder);
  markables.forEach((markable, index) => {
    markable.order = index;
  });
  return {
    model: {
      project: raw.project,
      user: raw.user,
      title: raw.text.title,
      content,
      language: raw.text.language,
      direction: raw.text.direction,
      blocks: blocks(content, segments),
      answers: raw.scheme.answers,
      categories: raw.scheme.categories.map((category) => ({ takes_index: category.key === "refers", ...category })),
      levels,
      markables,
      coded: markables.filter((markable) => markable.coded),
      byKey: new Map(markables.map((markable) => [markable.key, markable])),
      readOnly: raw.coding.status !== "open",
      version: raw.coding.version,
    },
    judgements: new Map(Object.entries(raw.judgements ?? {}).map(([key, value]) => [key, judgement(value)])),
  };
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
    unsure: value.unsure ?? false,
    optional: value.optional ?? false,
  };
}

/** @param {Judgement|null|undefined} one @param {Judgement|null|undefined} other */
export function sameJudgement(one, other) {
  return JSON.stringify(one ? judgement(one) : null) === JSON.stringify(other ? judgement(other) : null);
}

/**
 * The operation that makes a markable carry this judgement, or none.
 * @param {string} uuid @param {string} key @param {Judgement|null} value
 * @returns {Operation}
 */
export function operation(uuid, key, value) {
  return value === null
    ? { uuid, kind: "clear", payload: { markable: key } }
    : { uuid, kind: "judge", payload: { markable: key, ...judgement(value) } };
}

/**
 * @param {Judgements} judgements is left as it was
 * @param {Operation[]} operations
 * @returns {Judgements}
 */
export function apply(judgements, operations) {
  const result = new Map(judgements);
  for (const { kind, payload } of operations) {
    if (kind === "judge") {
      result.set(payload.markable, judgement(payload));
    } else if (kind === "clear") {
      result.delete(payload.markable);
    } else if (kind === "import") {
      payload.judgements.forEach((one) => result.set(one.markable, judgement(one)));
    }
  }
  return result;
}

/**
 * What others did first, then what is not yet saved here: one's own unsent work is never lost.
 * @param {Judgements} base what the server had, as far as this page knew
 * @param {Operation[]} missed
 * @param {Operation[]} pending
 */
export function rebase(base, missed, pending) {
  const renewed = apply(base, missed);
  return { base: renewed, judgements: apply(renewed, pending) };
}

/** @param {Model} model @param {string|null|undefined} key @returns {Category|undefined} */
export function categoryOf(model, key) {
  return model.categories.find((category) => category.key === key);
}

/**
 * Decided: a category, and what the category asks for.
 * @param {Model} model @param {Judgement|undefined} value
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

/** @typedef {{uuid: string, key: string, before: Judgement|null, after: Judgement|null}} Change */
/** @typedef {{done: Change[], undone: Change[]}} History */

/** @returns {History} */
export function emptyHistory() {
  return { done: [], undone: [] };
}

/** @param {History} history @param {Change} change @returns {History} */
export function remember(history, change) {
  return { done: [...history.done, change], undone: [] };
}

/**
 * @param {History} history
 * @returns {{history: History, change: Change|null}} the change to take back
 */
export function undo(history) {
  const change = history.done.at(-1) ?? null;
  return {
    change,
    history: change ? { done: history.done.slice(0, -1), undone: [...history.undone, change] } : history,
  };
}

/** @param {History} history @returns {{history: History, change: Change|null}} the change to make again */
export function redo(history) {
  const change = history.undone.at(-1) ?? null;
  return {
    change,
    history: change ? { done: [...history.done, change], undone: history.undone.slice(0, -1) } : history,
  };
}

/** A refused change never happened: undoing it would only write the same answer again. */
export function forget(history, uuid) {
  const keep = (change) => change.uuid !== uuid;
  return { done: history.done.filter(keep), undone: history.undone.filter(keep) };
}
