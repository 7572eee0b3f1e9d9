// The answers that gold lacks, as the server says them (`annotations/coding/required_answers.py`). Pure.
import { judgement } from "../../workbench/judgements.js";
import { chains } from "../chains/chains.js";
import { attributesOf, entitiesWithout, entityOf } from "./entity-answers.js";
import { answersOf, applies, categoriesOn, missingAttributes } from "./constraints.js";
/** @import { Judgements, Model } from "../types.js" */
/** @import { Hole } from "../../workbench/adjudication/types.js" */

const CATEGORY = "category";

// Judgements are never changed, only replaced: the queue asks for the same holes again and again.
/** @type {WeakMap<Judgements, { model: Model, holes: Hole[] }>} */
const cache = new WeakMap();

/** What gold lacks. @type {(model: Model, judgements: Judgements) => Hole[]} */
export function holesOf(model, judgements) {
  const cached = cache.get(judgements);
  if (cached?.model === model) {
    return cached.holes;
  }
  const coded = new Set(model.coded.map(({ key }) => key));
  const entities = entitiesWithout(model, judgements, (key) => coded.has(key) && isJudged(model, judgements, key));
  const holes = [
    ...[...coded].flatMap((key) => holesAt(model, judgements, key)), ...entities.map(({ attribute, asked }) => ({ markables: asked, question: attribute })),
  ];
  cache.set(judgements, { model, holes });
  return holes;
}

/** Whether further questions are asked of a markable: it has a category, or needs none. @type {(model: Model, judgements: Judgements, key: string) => boolean} */
const isJudged = (model, judgements, key) => judgement(judgements.get(key)).category !== null
  || categoriesOn(model.constraints, model.byKey.at(key).level).length === 0;

/** What gold lacks at a markable; what is not marked where coders mark themselves was left out. @type {(model: Model, judgements: Judgements, key: string) => Hole[]} */
export function holesAt(model, judgements, key) {
  if (!judgements.has(key) && model.levels.get(model.byKey.at(key).level)?.coders_mark) {
    return [];
  }
  const { given, want } = answersOf(model, judgements, key);
  const further = isJudged(model, judgements, key) ? missingAttributes(model.constraints, given) : [];
  return [...want === null ? [] : [CATEGORY], ...further].map((question) => ({ markables: [key], question }));
}

/** Whether a question is asked of a markable and has no answer. @type {(model: Model, judgements: Judgements, key: string, question: string) => boolean} */
export function isUnanswered(model, judgements, key, question) {
  if (!model.byKey.has(key)) {
    return question === CATEGORY; // whether it is a markable
  }
  if (!model.byKey.at(key).coded) {
    return false;
  }
  const { value, given, want } = answersOf(model, judgements, key);
  if (question === CATEGORY) {
    return want !== null && (judgements.has(key) || model.given.has(key));
  }
  const members = attributesOf(model).includes(question) ? entityOf(chains(model, judgements), key) : [key];
  return applies(model.constraints, question, given) && !Object.hasOwn(value.relations, question)
    && members.every((member) => !Object.hasOwn(judgement(judgements.get(member)).attributes, question));
}
