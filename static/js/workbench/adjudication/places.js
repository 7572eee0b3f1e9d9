// Where gold has the entities of the queue now: chains of a text, SCUs of a pyramid. Pure.
/** @import { Decisions, EntityChains, Queue } from "./types.js" */

/** The rows of units, by key: what each coder says of them. @param {Queue} queue @returns {Map<string, import("./types.js").QueueRow>} */
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
  /** @type {Map<string, number[]>} */
  const drafted = new Map();
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
    (best, one) => (one[1] > best[1] ? one : best), /** @type {[string | null, number]} */ ([null, 0]),
  )[0]);
}
