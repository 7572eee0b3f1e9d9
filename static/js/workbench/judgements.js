// Judgements, and what operations do to them, as the server does it. Pure.
/** @import { Change, Judgement, Judgements, Machine, Span } from "./types.js" */

/**
 * The key of a markable says where it is: level and parts, in code points, "phrase:10-14,20-25".
 * @type {(level: string, parts: Span[]) => string}
 */
export function keyOf(level, parts) {
  return `${level}:${parts.map(([start, end]) => `${start}-${end}`).join(",")}`;
}

/** @type {(key: string) => { level: string, parts: Span[] } | null} */
export function partsOf(key) {
  const match = /^([-\w]+):(\d+-\d+(?:,\d+-\d+)*)$/.exec(key);
  return match && { level: match[1], parts: match[2].split(",").map(spanOf) };
}

/** @type {(part: string) => Span} */
function spanOf(part) {
  const [start, end] = part.split("-").map(Number);
  return [start, end];
}

/**
 * A whole judgement from what is there of one.
 * @type {(value?: Partial<Judgement>) => Judgement}
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

/** @type {(one?: Judgement, other?: Judgement) => boolean} */
export function sameJudgement(one, other) {
  return JSON.stringify(one ? judgement(one) : null) === JSON.stringify(other ? judgement(other) : null);
}

/**
 * What makes a markable carry this judgement.
 * @type {(key: string, value: Partial<Judgement>) => Change}
 */
export function judge(key, value) {
  return { kind: "judge", payload: { markable: key, ...judgement(value) } };
}

/** The markable that a change is about, as it is called afterwards. @type {(change: Change) => string | null} */
export function markableOf({ payload }) {
  return "to" in payload ? payload.to : "markable" in payload ? payload.markable : null;
}

/** @typedef {{ given: Pick<Set<string>, "has"> }} Given keys of the markables that came with the text */

/** As the server does it; the judgements are changed. @type {(model: Given, judgements: Judgements, change: Change) => void} */
export function carryOut(model, judgements, { kind, payload }) {
  /** @param {string} key */
  const mark = (key) => {
    if (!model.given.has(key) && !judgements.has(key)) {
      judgements.set(key, judgement());
    }
  };
  switch (kind) {
    case "judge": {
      const value = judgement(payload);
      judgements.set(payload.markable, value);
      value.pointers.forEach(mark); // who points to words marks them
      break;
    }
    case "clear":
      judgements.delete(payload.markable);
      mark(payload.markable); // one's own mark outlives its judgement
      break;
    case "unmark":
      judgements.delete(payload.markable);
      repoint(judgements, payload.markable, []);
      break;
    case "move": {
      const value = judgements.get(payload.markable);
      if (value) {
        const parts = partsOf(payload.to)?.parts ?? [];
        judgements.delete(payload.markable);
        const head = value.head.filter(([start, end]) => parts.some((part) => part[0] <= start && end <= part[1]));
        judgements.set(payload.to, { ...value, head });
        repoint(judgements, payload.markable, [payload.to]);
      }
      break;
    }
    case "import":
      payload.judgements.forEach((one) => judgements.set(one.markable, judgement(one)));
  }
}

/** @type {(judgements: Judgements, from: string, to: string[]) => void} */
function repoint(judgements, from, to) {
  for (const [key, value] of judgements) {
    if (value.pointers.includes(from)) {
      judgements.set(key, { ...value, pointers: value.pointers.filter((target) => target !== from).concat(to) });
    }
  }
}

/** What takes back a change of judgements, before it is carried out. @type {(model: Given, judgements: Judgements, change: Change) => Change[]} */
export function inverseOf(model, judgements, { kind, payload }) {
  /** @type {(key: string) => Change} */
  const restore = (key) => {
    const value = judgements.get(key);
    return value ? { kind: "judge", payload: { markable: key, ...value } }
      : { kind: model.given.has(key) ? "clear" : "unmark", payload: { markable: key } };
  };
  switch (kind) {
    case "judge": {
      const marked = (payload.pointers ?? []).filter((key) => !model.given.has(key) && !judgements.has(key));
      return [payload.markable, ...marked].map(restore);
    }
    case "clear":
      return [restore(payload.markable)];
    case "unmark": {
      const key = payload.markable;
      const pointing = [...judgements].filter(([, value]) => value.pointers.includes(key)).map(([one]) => one);
      return judgements.has(key) ? [key, ...pointing].map(restore) : [];
    }
    case "move":
      return judgements.has(payload.markable)
        ? [{ kind: "move", payload: { markable: payload.to, to: payload.markable } }, restore(payload.markable)] : [];
    default:
      return [];
  }
}

/** @type {Machine<Given, Judgements>} */
export const JUDGEMENTS = { empty: () => new Map(), copy: (judgements) => new Map(judgements), carryOut, inverseOf };
