// What a key press makes of a judgement. Pure: returns the new judgement, or why there is none.
import { judgement, sameJudgement } from "../workbench/judgements.js";
import { listsOf, readingsOf } from "../workbench/readings.js";
import { candidates, isLegal, pointingCategory } from "./candidates.js";
import { freeIndex } from "./entities.js";
import { categoryOf } from "./state.js";
/** @import { Answer, Candidate, Category, Judgement, Judgements, Model, Readings } from "./types.js" */

/** @type {(model: Model, judgements: Judgements, key: string, chosen: string) => Answer} */
export function chooseCategory(model, judgements, key, chosen) {
  const category = categoryOf(model, chosen);
  const before = judgement(judgements.get(key));
  if (!category) {
    return { refused: "Unknown category." };
  }
  if (model.answers === "indices") {
    return changed(judgements, key, {
      ...before,
      category: category.key,
      indices: category.takes_index ? newEntity(judgements, key, before) : [],
    });
  }
  const pointers = readingsOf(listsOf(before.pointers).filter((reading) => reading.every((target) => isLegal(model, key, category, target)))
    .slice(0, category.max_pointers ?? undefined));
  return changed(judgements, key, { ...before, category: category.key, pointers });
}

/**
 * The next free number, unless the markable is already alone in its entity.
 * @type {(judgements: Judgements, key: string, before: Judgement) => string[]}
 */
function newEntity(judgements, key, before) {
  const [own, ...more] = before.indices;
  /** @type {(other: string, value: Judgement) => boolean} */
  const shared = (other, value) => other !== key && value.indices.includes(own);
  const alone = own !== undefined && more.length === 0 && ![...judgements].some(([other, value]) => shared(other, value));
  return alone ? before.indices : [freeIndex(judgements, key)];
}

/**
 * Point to a markable, or join its entity.
 * @type {(model: Model, judgements: Judgements, key: string, target: string, further: boolean) => Answer}
 */
export function pointTo(model, judgements, key, target, further) {
  const from = model.byKey.get(key);
  const to = model.byKey.get(target);
  if (!from || !to) {
    return { refused: "Unknown markable." };
  }
  if (model.answers === "indices") {
    const index = judgements.get(target)?.indices[0];
    return index === undefined || target === key
      ? { refused: `“${to.words}” has no index yet.` }
      : takeIndex(model, judgements, key, index, further);
  }
  const before = judgement(judgements.get(key));
  const category = categoryFor(model, before.category, to.level);
  if (!category) {
    return { refused: `No category points to “${to.words}”.` };
  }
  if (!isLegal(model, key, category, target)) {
    return { refused: target === key ? "A markable cannot point to itself." : `“${to.words}” comes later in the text.` };
  }
  const kept = before.category === category.key ? before.pointers : [];
  const pointers = further ? withAlternative(kept, target) : [target];
  if (category.max_pointers !== null && pointers.length > category.max_pointers) {
    return { refused: `${category.label} takes at most ${category.max_pointers} ${plural(category.max_pointers, "antecedent")}.` };
  }
  return changed(judgements, key, { ...before, category: category.key, pointers });
}

/**
 * Stay with the category that is chosen if it points there, else take the first that does.
 * @type {(model: Model, chosen: string | null, level: string) => Category | undefined}
 */
function categoryFor(model, chosen, level) {
  const current = categoryOf(model, chosen);
  return current?.points_to === level ? current : model.categories.find((category) => category.points_to === level);
}

/** @type {(model: Model, judgements: Judgements, key: string, index: string, further: boolean) => Answer} */
export function takeIndex(model, judgements, key, index, further) {
  const before = judgement(judgements.get(key));
  const category = model.categories.find((one) => one.takes_index);
  if (!category) {
    return { refused: "This scheme has no category that takes an index." };
  }
  const kept = before.category === category.key ? before.indices : [];
  return changed(judgements, key, { ...before, category: category.key, indices: further ? toggled(kept, index) : [index] });
}

/** @type {(model: Model, judgements: Judgements, key: string, letter: string, further: boolean) => Answer} */
export function pressLetter(model, judgements, key, letter, further) {
  // A category that takes no pointer offers no targets; a letter then means those of the first one that does.
  const offered = offeredCandidates(model, judgements, key);
  const candidate = offered.find((one) => one.letter === letter);
  if (!candidate) {
    return { refused: `No candidate has the letter ${letter}.` };
  }
  return candidate.index === null
    ? pointTo(model, judgements, key, candidate.key, further)
    : takeIndex(model, judgements, key, candidate.index, further);
}

/**
 * The candidates that the page shows: those of the category chosen, or, if that takes no pointer, of the first that does.
 * @type {(model: Model, judgements: Judgements, key: string) => Candidate[]}
 */
export function offeredCandidates(model, judgements, key) {
  if (model.answers !== "pointers" || pointingCategory(model, judgements, key)) {
    return candidates(model, judgements, key);
  }
  const open = new Map(judgements);
  open.delete(key);
  return candidates(model, open, key);
}

/** @type {(judgements: Judgements, key: string, remark: Partial<Judgement>) => Answer} */
export function addRemark(judgements, key, remark) {
  return changed(judgements, key, { ...judgement(judgements.get(key)), ...remark });
}

/**
 * What is missing before one can go on, in words; null when nothing is.
 * @type {(model: Model, judgements: Judgements, key: string) => string | null}
 */
export function missing(model, judgements, key) {
  const value = judgement(judgements.get(key));
  const category = categoryOf(model, value.category);
  if (!category) {
    return "Choose a category first.";
  }
  if (model.answers === "indices") {
    return category.takes_index && value.indices.length === 0 ? "An index is missing." : null;
  }
  return category.points_to && value.pointers.length === 0 ? `${category.label} needs an antecedent.` : null;
}

/** The readings with a target as an alternative of its own, or without that. @type {(readings: Readings, target: string) => Readings} */
function withAlternative(readings, target) {
  const others = listsOf(readings).filter((reading) => reading.length > 1 || reading[0] !== target);
  return readingsOf(others.length < readings.length ? others : [...others, [target]]);
}

/** @type {(list: string[], item: string) => string[]} */
function toggled(list, item) {
  return list.includes(item) ? list.filter((one) => one !== item) : [...list, item];
}

/** @type {(judgements: Judgements, key: string, value: Judgement) => Answer} */
function changed(judgements, key, value) {
  return { judgement: sameJudgement(judgements.get(key), value) ? null : value };
}

/** @type {(count: number, noun: string) => string} */
function plural(count, noun) {
  return count === 1 ? noun : `${noun}s`;
}
