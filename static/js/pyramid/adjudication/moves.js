// What taking an answer makes of an agreed pyramid: the words of a row are contributors as it has them. Pure.
import { keyOf } from "../../workbench/judgements.js";
import { mergeParts } from "../../workbench/parts.js";
import { after, draft, partOf } from "../edits/edits.js";
import { markOf } from "../state.js";
/** @import { Change, Model, PyramidState } from "../types.js" */
/** @import { QueueAnswer, QueueRow, QueueView } from "../../workbench/adjudication/types.js" */

const MAX_PARTS = 20; // parts, as on the server

/** The contributors of an answer on a unit, each with the places of its SCUs. @type {(unit: string, answer: QueueAnswer | null) => Map<string, number[]>} */
function wantedOf(unit, answer) {
  if (answer === null) {
    return new Map();
  }
  const wanted = /** @type {Map<string, number[]>} */ (new Map());
  const pairs = answer.units.length > 0 ? answer.units : answer.entities.map((entity) => /** @type {[string, number]} */ ([unit, entity]));
  pairs.forEach(([key, entity]) => wanted.set(key, [...wanted.get(key) ?? [], entity]));
  return wanted;
}

/** The key of some words alone; null: of too many parts. @type {(model: Model, places: number[]) => string | null} */
function keyOfPlaces(model, places) {
  const runs = mergeParts(places.map((place) => [place, place]), (end, start) => start === end + 1);
  return runs.length > MAX_PARTS ? null : keyOf(model.level, runs.map((run) => partOf(model, run)));
}

/**
 * The changes by which the units of a row have an answer; without one they are no contributors. What somebody else has of
 * the same words gives way; where words belong to one SCU, other contributors keep the rest of theirs.
 * @param {Model} model @param {PyramidState} state
 * @param {Pick<QueueView, "queue" | "places" | "decisions">} view places: SCUs that the entities are
 * @param {QueueRow} row @param {QueueAnswer | null} answer
 * @returns {Change[]}
 */
export function take(model, state, { queue, places, decisions }, row, answer) {
  const edit = draft(model, state);
  const rows = new Set([
    ...queue.cards.flatMap((card) => card.rows.flatMap(({ units }) => units)), ...queue.entities.slice(0, queue.drafted).flat(),
  ]);
  const others = new Set(row.answers.flatMap((answer) => answer?.units.map(([key]) => key) ?? []).filter((key) => !rows.has(key)));
  const before = after(model, state, []);
  for (const unit of row.units) {
    const wanted = wantedOf(unit, answer);
    const taken = new Set([...wanted.keys()].flatMap((key) => markOf(model, key).places));
    for (const contributor of after(model, state, edit.changes).contributors) {
      if (wanted.has(contributor.key)) {
        continue;
      }
      if (contributor.key === unit || contributor.key === decisions.called(unit) || others.has(contributor.key)) {
        edit.unmark(contributor.key);
      } else if (model.exclusive && contributor.places.some((place) => taken.has(place))) {
        const rest = contributor.places.filter((place) => !taken.has(place));
        const to = rest.length > 0 ? keyOfPlaces(model, rest) : null;
        if (to === null || edit.has(to)) {
          edit.unmark(contributor.key);
        } else {
          edit.move(contributor.key, to);
        }
      }
    }
    for (const [key, entities] of wanted) {
      put(key, unit, entities);
    }
  }
  withoutEmpty();
  return edit.changes;

  /** @type {(key: string, unit: string, entities: number[]) => void} */
  function put(key, unit, entities) {
    const { scus } = after(model, state, edit.changes);
    const keys = entities.map((entity) => {
      const scu = places[entity] ?? queue.scus[entity].key;
      if (!scus.has(scu)) {
        edit.describe(scu, { label: queue.scus[entity].label || markOf(model, key).words });
      }
      return scu;
    });
    const { indices } = edit.value(key);
    const shared = key !== unit && rows.has(key) ? indices : []; // it is a contributor with a row of its own
    const now = [...new Set([...shared, ...keys])];
    if (String(now) !== String(indices)) {
      edit.judge(key, { category: model.scu, indices: now });
    }
  }

  /** An SCU all of whose contributors went is gone, unless somebody has commented on it. */
  function withoutEmpty() {
    const { scus } = after(model, state, edit.changes);
    for (const { key } of before.order.filter((scu) => scu.contributors.length > 0)) {
      const now = scus.get(key);
      if (now && now.contributors.length === 0 && now.label && !now.comment) {
        edit.describe(key, { label: "" });
      }
    }
  }
}
