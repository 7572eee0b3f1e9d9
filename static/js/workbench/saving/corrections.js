// The text was corrected: where markables are now, as annotations/coding/markables/corrections.py says; or answers were
// merged. Loaded where it happened. Pure.
import { keyOf, partsOf } from "../judgements.js";
import { mergeParts } from "../parts.js";
import { mapTargets, targetsOf } from "../readings.js";
/** @import { Change, Correction, Edit, Judgement, Judgements, Merges, Operation, Outbox, Span, Step, Visit } from "../types.js" */

/** What an edit replaces, without what old and new words begin and end with alike. @type {(edit: Edit) => Span} */
function core({ start, old, new: words }) {
  const [before, after] = [Array.from(old), Array.from(words)];
  let first = 0;
  while (first < before.length && first < after.length && before[first] === after[first]) {
    first += 1;
  }
  let [end, last] = [before.length, after.length];
  while (end > first && last > first && before[end - 1] === after[last - 1]) {
    end -= 1;
    last -= 1;
  }
  return [start + first, start + end];
}

/** Where a span is afterwards; null: an edit cuts it, or nothing of it is left. @type {(span: Span, edits: Edit[]) => Span | null} */
export function mapSpan([start, end], edits) {
  let [movedStart, movedEnd] = [start, end];
  for (const edit of edits) {
    const growth = Array.from(edit.new).length - (edit.end - edit.start);
    if (edit.segments.some(([first, last]) => first === start && last === end)) {
      movedEnd += growth;
      continue;
    }
    let [first, last] = [edit.start, edit.end];
    if (first < end && start < last && !(start <= first && last <= end)) {
      [first, last] = core(edit);
    }
    if (last <= start) {
      movedStart += growth;
      movedEnd += growth;
    } else if (start <= first && last <= end && first < end) {
      movedEnd += growth;
    } else if (first < end) {
      return null;
    }
  }
  return movedStart < movedEnd ? [movedStart, movedEnd] : null;
}

/** @type {(spans: Span[], edits: Edit[]) => Span[] | null} */
function mapSpans(spans, edits) {
  const mapped = spans.map((span) => mapSpan(span, edits)).filter((span) => span !== null);
  return mapped.length === spans.length ? mapped : null;
}

/** @type {(key: string, edits: Edit[]) => string | null} */
export function mapKey(key, edits) {
  const named = partsOf(key);
  const mapped = named && mapSpans(named.parts, edits);
  if (!named || !mapped) {
    return null;
  }
  return keyOf(named.level, mergeParts(mapped));
}

/** A change as it is meant after a correction; null: its words are not there any more. @type {(change: Change, edits: Edit[]) => Change | null} */
export function mapChange(change, edits) {
  switch (change.kind) {
    case "judge": {
      const { payload } = change;
      const markable = mapKey(payload.markable, edits);
      const head = mapSpans(payload.head ?? [], edits);
      return markable && head && targetsOf(payload).every((key) => mapKey(key, edits) !== null)
        ? { kind: "judge", payload: { ...payload, ...mapTargets(payload, (key) => mapKey(key, edits)), markable, head } } : null;
    }
    case "clear":
    case "unmark": {
      const markable = mapKey(change.payload.markable, edits);
      return markable === null ? null : { kind: change.kind, payload: { markable } };
    }
    case "move": {
      const [markable, to] = [mapKey(change.payload.markable, edits), mapKey(change.payload.to, edits)];
      return markable === null || to === null ? null : { kind: "move", payload: { markable, to } };
    }
    case "decide": {
      const items = change.payload.items.map(([key, question]) => [mapKey(key, edits), question]);
      return items.some(([key]) => key === null) ? null
        : { kind: "decide", payload: { ...change.payload, items: /** @type {[string, string][]} */ (items) } };
    }
    default:
      return change;
  }
}

/** @type {(judgements: Judgements, edits: Edit[]) => Judgements} */
function mapJudgements(judgements, edits) {
  return new Map([...judgements].flatMap(([key, value]) => {
    const moved = mapKey(key, edits);
    /** @type {Judgement} */
    const judgement = { ...value, ...mapTargets(value, (target) => mapKey(target, edits)), head: mapSpans(value.head, edits) ?? [] };
    return moved ? [[moved, judgement]] : [];
  }));
}

/** Of the state of either page. @template S @param {S} state @param {Edit[]} edits @returns {S} */
export function mapState(state, edits) {
  if (state instanceof Map) {
    return /** @type {S} */ (mapJudgements(state, edits));
  }
  const { judgements } = /** @type {{ judgements: Judgements }} */ (state);
  return { ...state, judgements: mapJudgements(judgements, edits) };
}

/** The steps that can still be taken back: those after the last one whose words are gone. @type {(steps: Step[], edits: Edit[]) => Step[]} */
export function mapSteps(steps, edits) {
  let mapped = /** @type {Step[]} */ ([]);
  for (const step of steps) {
    const changes = step.changes.map((change) => mapChange(change, edits));
    const inverse = step.inverse.map((change) => mapChange(change, edits));
    if ([...changes, ...inverse].includes(null)) {
      mapped = [];
    } else {
      mapped.push({ ...step, changes: /** @type {Change[]} */ (changes), inverse: /** @type {Change[]} */ (inverse) });
    }
  }
  return mapped;
}

/** A change with the answers that others have become. @type {(change: Change, merges: Merges) => Change} */
export function mergeAnswers(change, merges) {
  if (change.kind !== "judge") {
    return change;
  }
  /** @type {(question: string, answer: string) => string} */
  const now = (question, answer) => (Object.hasOwn(merges[question] ?? {}, answer) ? merges[question][answer] : answer);
  const { category, attributes } = change.payload;
  const payload = { ...change.payload };
  if (typeof category === "string") {
    payload.category = now("category", category);
  }
  if (attributes) {
    payload.attributes = Object.fromEntries(Object.entries(attributes).map(([key, answer]) => [key,
      Array.isArray(answer) ? [...new Set(answer.map((value) => now(key, value)))] : typeof answer === "string" ? now(key, answer) : answer]));
  }
  return { kind: "judge", payload };
}

/**
 * The outbox of a page whose text was corrected, or whose scheme has merged answers: what was done before is as it is meant now.
 * The visit is changed, too.
 * @param {Outbox} outbox @param {Visit} visit @param {{ corrections: Correction[], merges: Merges }} changes
 * @param {{ version: number }} model
 * @param {(words: string) => void} notify
 * @returns {Outbox}
 */
export function renewedOutbox(outbox, visit, { corrections, merges }, model, notify) {
  const lost = /** @type {string[]} */ ([]);
  /** @type {(seen: unknown) => Edit[][]} */
  const since = (seen) => corrections.filter(({ sequence }) => sequence > Number(seen ?? 0)).map(({ edits }) => edits);
  /** @type {(operations: Operation[]) => Operation[]} */
  const renew = (operations) => operations.flatMap((operation) => {
    /** @type {Change | null} */
    let change = operation;
    for (const edits of since(operation.seen)) {
      change = change && mapChange(change, edits);
    }
    if (change === null) {
      lost.push(operation.uuid);
      return [];
    }
    const { kind, payload } = mergeAnswers(change, merges);
    return [/** @type {Operation} */ ({ ...operation, kind, payload, seen: model.version })];
  });
  visit.operations = renew(visit.operations);
  const draft = visit.draft;
  if (draft && typeof draft.markable === "string") {
    draft.markable = since(draft.seen).reduce((key, edits) => mapKey(key, edits) ?? "", draft.markable);
  }
  return {
    ...outbox,
    all: async () => {
      const operations = renew(await outbox.all());
      if (lost.length > 0) {
        await outbox.remove(lost);
        const answers = lost.length === 1 ? "an answer that was" : `${lost.length} answers that were`;
        notify(`The text was corrected, and the words of ${answers} not yet saved are gone.`);
      }
      return operations;
    },
  };
}
