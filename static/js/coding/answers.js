// What a key press makes of a judgement. Pure: returns the new judgement, or why there is none.
import { judgement, sameJudgement } from "../workbench/judgements.js";
import { listsOf, readingsOf } from "../workbench/readings.js";
import { candidates, isLegal, relationOf } from "./targets/candidates.js";
import { freeIndex } from "./chains/chains.js";
import { answersOf, categoriesOn, identityOf, missingAttributes, readingsViolation, withoutUnasked } from "./questions/constraints.js";
import { categoryOf } from "./state.js";
/** @import { Answer, Candidate, Judgement, Judgements, Manner, Model, Page, Readings } from "./types.js" */

/** How a target joins those that are there. @type {(page: Page, further: boolean) => Manner} */
export const mannerOf = (page, further) => (page.together ? "and" : further ? "or" : "only");

/** The answer as the scheme has it: without what is no longer asked, or why it cannot be. @type {(model: Model, judgements: Judgements, key: string, value: Judgement) => Answer} */
export function allowed(model, judgements, key, value) {
  const { constraints, byKey } = model;
  const from = byKey.at(key);
  const { kept, dropped } = withoutUnasked(constraints, from.level, judgement(value));
  const identity = identityOf(constraints, kept.category);
  for (const [relation, readings] of [...(identity ? [/** @type {const} */ ([identity, kept.pointers])] : []),
    ...Object.entries(kept.relations).map(([name, its]) => /** @type {const} */ ([constraints.relations[name], its]))]) {
    const violation = readingsViolation(model, from, relation, readings);
    if (violation) {
      return { refused: violation.message };
    }
  }
  const answer = changed(judgements, key, kept);
  return dropped.length > 0 ? { ...answer, dropped } : answer;
}

/** @type {(model: Model, judgements: Judgements, key: string, chosen: string) => Answer} */
export function chooseCategory(model, judgements, key, chosen) {
  const category = categoryOf(model, chosen);
  const before = judgement(judgements.get(key));
  if (!category) {
    return { refused: "Unknown category." };
  }
  if (model.answers === "indices") {
    return allowed(model, judgements, key, {
      ...before,
      category: category.key,
      indices: category.takes_index ? newEntity(judgements, key, before) : [],
    });
  }
  const relation = identityOf(model.constraints, chosen);
  let kept = /** @type {string[][]} */ ([]);
  for (const reading of listsOf(before.pointers)) {
    const legal = (relation?.joint || reading.length === 1) && reading.every((target) => isLegal(model, key, relation, target));
    if (legal && new Set([...kept.flat(), ...reading]).size <= (relation?.max_targets ?? Infinity)) {
      kept = [...kept, reading];
    }
  }
  return allowed(model, judgements, key, { ...before, category: category.key, pointers: readingsOf(kept) });
}

/** The next free number, unless the markable is already alone in its entity. @type {(judgements: Judgements, key: string, before: Judgement) => string[]} */
function newEntity(judgements, key, before) {
  const [own, ...more] = before.indices;
  /** @type {(other: string, value: Judgement) => boolean} */
  const shared = (other, value) => other !== key && value.indices.includes(own);
  const alone = own !== undefined && more.length === 0 && ![...judgements].some(([other, value]) => shared(other, value));
  return alone ? before.indices : [freeIndex(judgements, key)];
}

/**
 * Point to a markable, or join its entity.
 * @type {(model: Model, judgements: Judgements, key: string, target: string, manner?: Manner, relation?: string | null) => Answer}
 * relation: other than identity
 */
export function pointTo(model, judgements, key, target, manner = "only", relation = null) {
  const from = model.byKey.get(key);
  const to = model.byKey.get(target);
  if (!from || !to) {
    return { refused: "Unknown markable." };
  }
  const before = judgement(judgements.get(key));
  if (relation !== null) {
    const readings = joined(before.relations[relation] ?? [], target, manner);
    return allowed(model, judgements, key, { ...before, relations: { ...before.relations, [relation]: readings } });
  }
  if (model.answers === "indices") {
    const index = judgements.get(target)?.indices[0];
    return index === undefined || target === key
      ? { refused: `“${to.words}” has no index yet.` }
      : takeIndex(model, judgements, key, index, manner !== "only");
  }
  const category = categoryFor(model, before.category, from.level, to.level);
  if (category === undefined) {
    return { refused: `No category points to “${to.words}”.` };
  }
  const kept = before.category === category ? before.pointers : [];
  return allowed(model, judgements, key, { ...before, category, pointers: joined(kept, target, manner) });
}

/** Stay with the category that is chosen if it points there, else take the first that does. @type {(model: Model, chosen: string | null, from: string, level: string) => string | undefined} */
function categoryFor({ constraints }, chosen, from, level) {
  return [chosen, ...categoriesOn(constraints, from)].flatMap((key) => key ?? [])
    .find((key) => identityOf(constraints, key)?.to_levels.includes(level));
}

/** The readings with a target, or without it where that is already so. @type {(readings: Readings, target: string, manner: Manner) => Readings} */
function joined(readings, target, manner) {
  const lists = listsOf(readings);
  if (manner === "only") {
    return [target];
  }
  if (manner === "and") {
    return readingsOf([...lists.slice(0, -1), toggled(lists.at(-1) ?? [], target)]);
  }
  const others = lists.filter((reading) => reading.length > 1 || reading[0] !== target);
  return readingsOf(others.length < lists.length ? others : [...others, [target]]);
}

/** @type {(model: Model, judgements: Judgements, key: string, index: string, further: boolean) => Answer} */
export function takeIndex(model, judgements, key, index, further) {
  const before = judgement(judgements.get(key));
  const category = categoriesOn(model.constraints, model.byKey.at(key).level).map((key) => categoryOf(model, key)).find((category) => category?.takes_index);
  if (!category) {
    return { refused: "This scheme has no category that takes an index." };
  }
  const kept = before.category === category.key ? before.indices : [];
  return allowed(model, judgements, key, { ...before, category: category.key, indices: further ? toggled(kept, index) : [index] });
}

/** @type {(model: Model, judgements: Judgements, key: string, letter: string, manner?: Manner, relation?: string | null) => Answer} */
export function pressLetter(model, judgements, key, letter, manner = "only", relation = null) {
  const offered = offeredCandidates(model, judgements, key, relation);
  const candidate = offered.find((entry) => entry.letter === letter);
  if (!candidate) {
    return { refused: `No candidate has the letter ${letter}.` };
  }
  return candidate.index === null
    ? pointTo(model, judgements, key, candidate.key, manner, relation)
    : takeIndex(model, judgements, key, candidate.index, manner !== "only");
}

/**
 * The candidates that the page shows: those of a relation; else those of the category chosen, or, if that takes no pointer, of
 * the first that does.
 * @type {(model: Model, judgements: Judgements, key: string, relation?: string | null) => Candidate[]}
 */
export function offeredCandidates(model, judgements, key, relation = null) {
  if (relation !== null || model.answers !== "pointers" || relationOf(model, judgements, key)) {
    return candidates(model, judgements, key, relation);
  }
  const open = new Map(judgements);
  open.delete(key);
  return candidates(model, open, key);
}

/** @type {(judgements: Judgements, key: string, remark: Partial<Judgement>) => Answer} */
export const addRemark = (judgements, key, remark) => changed(judgements, key, { ...judgement(judgements.get(key)), ...remark });

/** What is missing before one can go on, in words; null when nothing is. @type {(model: Model, judgements: Judgements, key: string) => string | null} */
export function missing(model, judgements, key) {
  const { value, given, want } = answersOf(model, judgements, key);
  switch (want) {
    case "category":
      return "Choose a category first.";
    case "index":
      return "An index is missing.";
    case "target":
      return `${categoryOf(model, value.category)?.label} needs an antecedent.`;
  }
  const [attribute] = missingAttributes(model.constraints, given);
  return attribute !== undefined ? `${model.constraints.attributes[attribute].label} is missing.`
    : value.category === null && Object.keys(value.attributes).length === 0 ? "Answer a question first." : null;
}

/** @type {(list: string[], item: string) => string[]} */
export const toggled = (list, item) => (list.includes(item) ? list.filter((member) => member !== item) : [...list, item]);

/** @type {(judgements: Judgements, key: string, value: Judgement) => Answer} */
const changed = (judgements, key, value) => ({ judgement: sameJudgement(judgements.get(key), value) ? null : value });
