// Judgements, and what operations do to them, as the server does it. Pure.
/** @import { Change, Given, Judgement, Judgements, Span } from "./types.js" */

/** The key of a markable says where it is: level and parts, in code points, "phrase:10-14,20-25". @type {(level: string, parts: Span[]) => string} */
export const keyOf = (level, parts) => `${level}:${parts.map(([start, end]) => `${start}-${end}`).join(",")}`;

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

/** A whole judgement from what is there of one. @type {(value?: Partial<Judgement>) => Judgement} */
export function judgement(value = {}) {
  return {
    category: value.category ?? null,
    pointers: value.pointers ?? [],
    indices: (value.indices ?? []).map(String),
    note: value.note ?? "",
    name: value.name ?? "",
    head: value.head ?? [],
    unsure: value.unsure ?? false,
    optional: value.optional ?? false,
    relations: filled(value.relations),
    attributes: filled(value.attributes),
  };
}

/** Those answers that say something, by key. @type {<T>(answers?: Record<string, T>) => Record<string, T>} */
function filled(answers = {}) {
  return Object.fromEntries(Object.entries(answers).filter(([, answer]) => String(answer) !== "").sort());
}

/** @type {(one?: Judgement, other?: Judgement) => boolean} */
export const sameJudgement = (a, b) => JSON.stringify(a ? judgement(a) : null) === JSON.stringify(b ? judgement(b) : null);

/** What makes a markable carry this judgement. @type {(key: string, value: Partial<Judgement>) => Change} */
export const judge = (key, value) => ({ kind: "judge", payload: { markable: key, ...judgement(value) } });

/** The markable that a change is about, as it is called afterwards. @type {(change: Change) => string | null} */
export const markableOf = ({ payload }) => ("to" in payload ? payload.to : "markable" in payload ? payload.markable : null);

/** As the server does it; the judgements are changed. @type {(model: Given, judgements: Judgements, change: Change) => void} */
export function carryOut(model, judgements, { kind, payload }) {
  switch (kind) {
    case "judge":
      judgements.set(payload.markable, judgement(payload));
      break;
    case "clear":
      judgements.delete(payload.markable);
      if (!model.given.has(payload.markable)) {
        judgements.set(payload.markable, judgement()); // one's own mark outlives its judgement
      }
      break;
    case "unmark":
      judgements.delete(payload.markable);
      break;
    case "move": {
      const value = judgements.get(payload.markable);
      if (value) {
        const parts = partsOf(payload.to)?.parts ?? [];
        judgements.delete(payload.markable);
        const head = value.head.filter(([start, end]) => parts.some((part) => part[0] <= start && end <= part[1]));
        judgements.set(payload.to, { ...value, head });
      }
      break;
    }
    case "merge":
      for (const [key, question, , now] of payload.changes) {
        const value = judgement(judgements.get(key));
        const answer = question === "category" ? { category: String(now) } : { attributes: { ...value.attributes, [question]: now } };
        judgements.set(key, { ...value, ...answer });
      }
      break;
    case "import":
    case "draft":
      judgements.clear();
      payload.judgements.forEach((row) => judgements.set(row.markable, judgement(row)));
  }
}

/** What makes a markable what it is now. @type {(model: Given, judgements: Judgements, key: string) => Change} */
export function restore(model, judgements, key) {
  const value = judgements.get(key);
  return value ? judge(key, value) : { kind: model.given.has(key) ? "clear" : "unmark", payload: { markable: key } };
}

/** What takes back a change of judgements, before it is carried out. @type {(model: Given, judgements: Judgements, change: Change) => Change[]} */
export function inverseOf(model, judgements, { kind, payload }) {
  switch (kind) {
    case "judge":
    case "clear":
      return [restore(model, judgements, payload.markable)];
    case "unmark":
      return judgements.has(payload.markable) ? [restore(model, judgements, payload.markable)] : [];
    case "move":
      return judgements.has(payload.markable)
        ? [{ kind: "move", payload: { markable: payload.to, to: payload.markable } }, restore(model, judgements, payload.markable)] : [];
    default:
      return kind === "decide" ? [{ kind, payload }] : [];
  }
}
