// What has been decided of gold, by the steps that the server told of and those that the page knows since, and where gold has
// the entities of the queue now: chains of a text, SCUs of a pyramid. Pure.
/** @import { Change, DecidingStep, Decisions, EntityChains, GoldEntry, ItemDecision, Operation, Queue, QueueRow } from "./types.js" */

const KINDS = ["judge", "clear", "unmark", "decide", "move", "draft"];

/** What is remembered after a change: what is an operation, with its uuid. @type {(change: Change, before: GoldEntry | null, replaces?: string[]) => GoldEntry | null} */
export function entryAfter(change, before, replaces = []) {
  const { uuid, step = null, undoes = null } = /** @type {Partial<Operation>} */ (change);
  return uuid !== undefined && KINDS.includes(change.kind) ? { change, step: step ?? uuid, undoes, replaces, before } : before;
}

/** The operations up to one, in order. @param {GoldEntry | null} last */
function entriesUpTo(last) {
  const found = [];
  for (let entry = last; entry !== null; entry = entry.before) {
    found.push(entry);
  }
  return found.reverse();
}

/** How often gold was drafted again since the page was opened. @param {GoldEntry | null} last */
export const draftsSince = (last) => entriesUpTo(last).filter(({ change }) => change.kind === "draft").length;

/** @type {(change: Change) => boolean} */
const answers = ({ kind, payload }) => kind === "clear" || kind === "unmark"
  || (kind === "judge" && "category" in payload && (payload.category !== null || Object.keys(payload.attributes ?? {}).length > 0));

/** The steps of the server, then those that only the page knows. @param {DecidingStep[]} known @param {GoldEntry[]} entries */
function stepsOf(known, entries) {
  const steps = new Map(known.map((step) => [step.step, { ...step, moves: /** @type {[string, string][]} */ ([]) }]));
  const old = new Set(steps.keys());
  for (const { change, step, undoes, replaces } of entries.filter((entry) => !old.has(entry.step))) {
    const own = steps.get(step) ?? { step, undoes, decides: [], markables: [], replaces: [], moves: [] };
    steps.set(step, own);
    if (change.kind === "decide") {
      own.decides = [...own.decides, change.payload];
    } else if (change.kind === "move") {
      own.moves = [...own.moves, [change.payload.markable, change.payload.to]];
    } else if (answers(change) && "markable" in change.payload) {
      const { markable } = change.payload;
      own.markables = [...own.markables, markable];
      own.replaces = [...own.replaces, ...replaces.map((question) => /** @type {[string, string]} */ ([markable, question]))];
    }
  }
  return [...steps.values()];
}

/** @type {(steps: { step: string, undoes: string | null }[]) => Set<string>} what undoes an undoing does the step again */
function undoneOf(steps) {
  const undone = /** @type {Set<string>} */ (new Set());
  for (const { step, undoes } of [...steps].reverse()) {
    if (undoes !== null && !undone.has(step)) {
      undone.add(undoes);
    }
  }
  return undone;
}

const OWN = /** @type {const} */ ({ source: "own", reason: "", section: "", note: "" });

/** What is decided. movesDecide: to move a unit decides it. @type {(known: DecidingStep[], last: GoldEntry | null, movesDecide?: boolean) => Decisions} */
export function decisionsOf(known, last, movesDecide = false) {
  const steps = stepsOf(known, entriesUpTo(last));
  const undone = undoneOf(steps);
  const found = /** @type {Map<string, Map<string, ItemDecision>>} */ (new Map());
  /** what units are called now, by the keys that the queue has, and the other way round @type {Map<string, string>} */
  const now = new Map();
  const once = /** @type {Map<string, string>} */ (new Map());
  for (const { step, undoes, decides, markables, replaces, moves } of steps) {
    for (const [from, to] of moves) {
      const first = once.get(from) ?? from;
      once.delete(from);
      now.set(first, to);
      once.set(to, first);
      const of = found.get(from);
      if (of) {
        found.delete(from);
        found.set(to, of);
      }
    }
    if (undoes !== null || undone.has(step)) {
      continue;
    }
    for (const { items, source, codings = [], reason = "", section = "", note = "" } of decides) {
      for (const [key, question] of items) {
        const of = found.get(key) ?? new Map();
        found.set(key, of.set(question, { source, codings, reason, section, note }));
      }
    }
    for (const key of decides.length > 0 ? [] : markables) {
      const of = found.get(key) ?? new Map();
      replaces.filter(([replaced]) => replaced === key).forEach(([, question]) => of.delete(question));
      found.set(key, of.set("", { ...OWN, codings: [] }));
    }
    for (const [, to] of movesDecide && decides.length === 0 ? moves : []) {
      found.set(to, new Map([["", { ...OWN, codings: [] }]]));
    }
  }
  const called = (/** @type {string} */ key) => now.get(key) ?? key;
  return { called, of: (key, question) => found.get(called(key))?.get(question) ?? found.get(called(key))?.get("") ?? null };
}

/** The rows of units, by key: what each coder says of them. @param {Queue} queue @returns {Map<string, QueueRow>} */
export function rowsByUnit({ cards }) {
  return new Map(cards.flatMap(({ rows }) => rows.flatMap((row) => row.units.map((unit) => /** @type {const} */ ([unit, row])))));
}

/**
 * The entities in which a unit was put: those of the coder whose answer was taken, else those of the draft; none where the
 * adjudicator has put it somewhere.
 * @type {(queue: Queue, rows: ReturnType<typeof rowsByUnit>, decisions: Decisions, unit: string, drafted: number[]) => number[]}
 */
function homesOf(queue, rows, decisions, unit, drafted) {
  const decision = decisions.of(unit, "category");
  if (decision === null || decision.source === "draft") {
    return drafted;
  }
  const coder = queue.coders.findIndex(({ coding }) => decision.codings.includes(coding));
  return coder < 0 ? [] : rows.get(unit)?.answers[coder]?.entities ?? [];
}

/**
 * The chain that each entity is: the one in which gold has most of what was put there, of equal ones the first.
 * chains: those of each unit
 * @type {(queue: Queue, rows: ReturnType<typeof rowsByUnit>, decisions: Decisions, chains: (unit: string) => string[]) => EntityChains}
 */
export function chainsOfEntities(queue, rows, decisions, chains) {
  /** @type {Map<string, number>[]} */
  const votes = queue.entities.map(() => new Map());
  const drafted = /** @type {Map<string, number[]>} */ (new Map());
  queue.entities.slice(0, queue.drafted).forEach((units, entity) => units.forEach((unit) => {
    drafted.set(unit, [...drafted.get(unit) ?? [], entity]);
  }));
  for (const unit of new Set([...drafted.keys(), ...rows.keys()])) {
    for (const entity of homesOf(queue, rows, decisions, unit, drafted.get(unit) ?? [])) {
      for (const chain of chains(decisions.called(unit))) {
        votes[entity].set(chain, (votes[entity].get(chain) ?? 0) + 1);
      }
    }
  }
  return votes.map((of) => [...of].reduce(
    (best, entry) => (entry[1] > best[1] ? entry : best), /** @type {[string | null, number]} */ ([null, 0]),
  )[0]);
}
