// What taking an answer makes of gold: the units of a row come where it has them, and nothing else moves. Pure.
import { CATEGORY } from "../../workbench/adjudication/rows.js";
import { judge, judgement, sameJudgement } from "../../workbench/judgements.js";
import { listsOf, readingsOf, singlesOf } from "../../workbench/readings.js";
import { allowed, chooseCategory } from "../answers.js";
import { chains, freeIndex } from "../chains/chains.js";
import { leave, merge } from "../chains/edits.js";
import { isLegal } from "../targets/candidates.js";
import { identityOf, withoutUnasked } from "../questions/constraints.js";
import { withMarks } from "../state.js";
/** @import { Change, Judgement, Judgements, Model, Refusal } from "../types.js" */
/** @import { EntityChains, Queue, QueueAnswer } from "../../workbench/adjudication/types.js" */

/** @typedef {{ model: Model, judgements: Map<string, Judgement> }} Gold a copy, which changes while a row is put */

/**
 * The changes by which the units of a row have an answer, with the judgements that whoever gives it has of them; without
 * an answer they are not judged, and not marked either where they did not come with the text.
 * @type {(model: Model, judgements: Judgements, queue: Queue, places: EntityChains, units: string[], answer: QueueAnswer | null, given: Record<string, Partial<Judgement>>) => Change[] | Refusal}
 */
export function take(model, judgements, queue, places, units, answer, given) {
  const gold = part({ model, judgements }, units);
  const entities = new Entities(gold, anchorsOf(model, judgements, places, units));
  if (answer !== null) {
    mark(gold, units.filter((unit) => unit in given));
  }
  for (const unit of units) {
    const value = given[unit];
    const refusal = answer === null || value === undefined ? without(gold, unit)
      : model.answers === "indices" ? putIndex(gold, unit, value, answer, entities)
        : putPointers(gold, queue, unit, value, answer, entities, given);
    if (refusal) {
      return refusal;
    }
    for (const entity of value === undefined ? [] : answer?.entities ?? []) {
      entities.begin(entity, unit);
    }
  }
  return changesBetween(model, judgements, gold.judgements);
}

/** Where gold has entities of the queue, while units of a row are put there one after the other. */
class Entities {
  /** Forgotten when chains become others. @type {Map<number, Set<string>>} */
  members = new Map();

  /** @param {Gold} gold @param {Map<number, string>} anchors */
  constructor(gold, anchors) {
    this.gold = gold;
    this.anchors = anchors;
  }

  /** The chain of gold that an entity is now; none where gold does not have it. @param {number} entity */
  membersOf(entity) {
    let found = this.members.get(entity);
    if (found === undefined) {
      const { of, members } = this.chains();
      const [chain] = of.get(this.anchors.get(entity) ?? "") ?? [];
      found = new Set(chain === undefined ? [] : members.get(chain) ?? []);
      this.members.set(entity, found);
    }
    return found;
  }

  /** The chains of gold as it is now: of a copy, for they are remembered by judgements that do not change. */
  chains() {
    return chains(this.gold.model, new Map(this.gold.judgements));
  }

  /** @param {number} entity @param {string} unit */
  begin(entity, unit) {
    if (!this.anchors.has(entity)) {
      this.anchors.set(entity, unit);
      this.members.delete(entity);
    }
  }
}

/** Of each entity of the queue a markable that gold has in it and that stays there. @type {(model: Model, judgements: Judgements, places: EntityChains, units: string[]) => Map<number, string>} */
function anchorsOf(model, judgements, places, units) {
  const { of, members } = chains(model, judgements);
  const leaving = new Set(units);
  const found = new Map();
  places.forEach((chain, entity) => {
    const staying = (chain === null ? [] : members.get(chain) ?? []).filter((key) => !leaving.has(key));
    const anchor = staying.find((key) => of.get(key)?.length === 1) ?? staying[0];
    if (anchor !== undefined) {
      found.set(entity, anchor);
    }
  });
  return found;
}

/**
 * Gold with units apart from their chains, all at once; what one of them began is begun by the next member, as that was.
 * @type {(gold: Gold, units: string[]) => Gold}
 */
function part({ model, judgements }, units) {
  const { of, members } = chains(model, judgements);
  const leaving = new Set(units);
  let after = new Map(judgements);
  for (const chain of new Set(units.flatMap((unit) => of.get(unit) ?? []))) {
    const rest = (members.get(chain) ?? []).filter((key) => !leaving.has(key));
    if (model.answers === "indices" || rest.length === 0) {
      continue;
    }
    const began = leaving.has(chain) ? judgement(judgements.get(chain)) : null;
    const parted = leave(model, after, new Set(rest), leaving);
    after = new Map(parted.after);
    for (const [key, value] of parted.judged) {
      if (value.category === null && began !== null && began.pointers.length === 0) {
        after.set(key, withoutUnasked(model.constraints, model.byKey.at(key).level, { ...value, category: began.category }).kept);
      }
    }
  }
  for (const unit of units) {
    const value = after.get(unit);
    if (value !== undefined) {
      after.set(unit, { ...value, pointers: [], indices: [] });
    }
  }
  return { model, judgements: after };
}

/** Mark what gold is to judge. @type {(gold: Gold, units: string[]) => void} */
function mark(gold, units) {
  units.forEach((unit) => gold.judgements.set(unit, judgement(gold.judgements.get(unit))));
  gold.model = withMarks(gold.model, gold.judgements);
}

/** @type {(gold: Gold, unit: string) => null} */
function without(gold, unit) {
  gold.judgements.delete(unit);
  return null;
}

/** What gold keeps of its own: the note, and whether it is sure. @type {(gold: Gold, unit: string, value: Partial<Judgement>) => Judgement} */
function kept(gold, unit, value) {
  const { note, unsure } = judgement(gold.judgements.get(unit));
  return judgement({ ...value, note, unsure, name: "" });
}

/** @type {(gold: Gold, unit: string, value: Judgement) => Refusal | null} */
function set(gold, unit, value) {
  const answer = allowed(gold.model, gold.judgements, unit, value);
  if ("refused" in answer) {
    return answer;
  }
  gold.judgements.set(unit, answer.judgement ?? judgement(gold.judgements.get(unit)));
  return null;
}

/** @type {(gold: Gold, unit: string, value: Partial<Judgement>, answer: QueueAnswer, entities: Entities) => Refusal | null} */
function putIndex(gold, unit, value, answer, entities) {
  const known = answer.entities.map((entity) => gold.judgements.get(entities.anchors.get(entity) ?? "")?.indices[0]);
  const taken = known.includes(undefined) ? new Map(gold.judgements) : gold.judgements;
  const indices = known.map((index, place) => {
    const own = index ?? freeIndex(taken, unit);
    if (index === undefined) {
      taken.set(`new ${place}`, judgement({ indices: [own] })); // another one is free for the next
    }
    return own;
  });
  return set(gold, unit, { ...kept(gold, unit, value), indices });
}

/** @type {(gold: Gold, queue: Queue, unit: string, value: Partial<Judgement>, answer: QueueAnswer, entities: Entities, given: Record<string, Partial<Judgement>>) => Refusal | null} */
function putPointers(gold, queue, unit, value, answer, entities, given) {
  const base = kept(gold, unit, value);
  if (answer.entities.length === 0 || gold.model.answers === "categories") {
    return set(gold, unit, { ...base, pointers: [] });
  }
  const identity = identityOf(gold.model.constraints, base.category);
  const inGold = (/** @type {string} */ target) => {
    const entity = answer.entities.find((name) => queue.entities[name].includes(target)) ?? answer.entities[0];
    const members = entities.membersOf(entity);
    return target !== unit && members.has(target) && isLegal(gold.model, unit, identity, target) ? target
      : nearest(gold.model, unit, [...members].filter((key) => key !== unit && isLegal(gold.model, unit, identity, key)));
  };
  const pointers = readingsOf(listsOf(base.pointers).map((reading) => [...new Set(reading.flatMap((target) => inGold(target) ?? []))]));
  if (pointers.length > 0) {
    const refusal = set(gold, unit, { ...base, pointers });
    if (answer.entities.length === 1 && singlesOf(pointers).length === pointers.length) {
      entities.membersOf(answer.entities[0]).add(unit);
    } else {
      entities.members.clear();
    }
    return refusal;
  }
  const begins = { ...base, pointers: [], category: base.pointers.length > 0 ? beginningOf(queue, answer, given) : base.category };
  if (begins.category === null) { // nobody begins it here: gold may have what the coder points to in another chain
    const theirs = readingsOf(listsOf(base.pointers).map((reading) => reading.filter(
      (target) => gold.model.byKey.has(target) && isLegal(gold.model, unit, identity, target),
    )));
    if (theirs.length > 0) {
      entities.members.clear();
      return set(gold, unit, { ...base, pointers: theirs });
    }
  }
  const refusal = set(gold, unit, begins);
  const [first] = answer.entities;
  if (refusal || [...entities.membersOf(first)].every((key) => key === unit)) {
    return refusal;
  }
  const { of } = entities.chains();
  const [own] = of.get(unit) ?? [unit];
  const [other] = of.get(entities.anchors.get(first) ?? "") ?? [];
  const merged = merge(gold.model, new Map(gold.judgements), other, own);
  if ("refused" in merged) {
    return merged;
  }
  merged.judged.forEach(([key, value]) => gold.judgements.set(key, value));
  entities.members.clear();
  return null;
}

/** The category with which a coder begins a chain; null: none is known, and it stays to be said. @type {(queue: Queue, answer: QueueAnswer, given: Record<string, Partial<Judgement>>) => string | null} */
function beginningOf(queue, answer, given) {
  const first = queue.entities[answer.entities[0]].map((key) => given[key]).find((value) => value !== undefined && !value.pointers?.length);
  return first?.category ?? null;
}

/** The nearest before, else the first behind. @type {(model: Model, unit: string, keys: string[]) => string | undefined} */
function nearest(model, unit, keys) {
  const { order } = model.byKey.at(unit);
  const orders = keys.map((key) => /** @type {const} */ ([model.byKey.at(key).order, key])).sort(([a], [b]) => a - b);
  return (orders.findLast(([place]) => place < order) ?? orders[0])?.[1];
}

/** @type {(model: Model, before: Judgements, after: Judgements) => Change[]} */
function changesBetween(model, before, after) {
  const judged = [...after].filter(([key, value]) => !sameJudgement(before.get(key), value)).map(([key, value]) => judge(key, value));
  const gone = [...before.keys()].filter((key) => !after.has(key));
  return [...judged, ...gone.map((key) => /** @type {Change} */ ({ kind: model.given.has(key) ? "clear" : "unmark", payload: { markable: key } }))];
}

/**
 * The change by which a unit has a coder's answer to one question of the scheme, and none to it where the coder has none.
 * @type {(model: Model, judgements: Judgements, unit: string, question: string, given?: Partial<Judgement>) => Change[] | Refusal}
 */
export function takeAnswer(model, judgements, unit, question, given = {}) {
  const value = judgement(judgements.get(unit));
  const theirs = judgement(given);
  const field = question in model.constraints.relations ? "relations" : "attributes";
  /** @type {Record<string, unknown>} */
  const answers = { ...value[field] };
  delete answers[question];
  const wanted = question === CATEGORY && theirs.category !== null ? chooseCategory(model, judgements, unit, theirs.category)
    : question === CATEGORY ? { refused: "This coder has no category here." }
      : allowed(model, judgements, unit, judgement({
        ...value, [field]: question in theirs[field] ? { ...answers, [question]: theirs[field][question] } : answers,
      }));
  return "refused" in wanted ? wanted : wanted.judgement === null ? [] : [judge(unit, wanted.judgement)];
}
