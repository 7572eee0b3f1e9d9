// The answers that gold lacks, as the server says them (`annotations/coding/holes.py`). Pure.
import { judgement } from "../../workbench/judgements.js";
import { chains } from "../chains/chains.js";
import { attributesOf, entityAnswers, entityOf } from "./entity-answers.js";
import { answersOf, applies, categoriesOn, missingAttributes } from "./constraints.js";
/** @import { GivenAnswers, Judgements, Model } from "../types.js" */
/** @import { Hole } from "../../workbench/adjudication/types.js" */

const CATEGORY = "category";

// Judgements are never changed, only replaced: the queue asks for the same holes again and again.
/** @type {WeakMap<Judgements, { model: Model, holes: Hole[] }>} */
const cache = new WeakMap();

/** What gold lacks, in text order. @type {(model: Model, judgements: Judgements) => Hole[]} */
export function holesOf(model, judgements) {
  const cached = cache.get(judgements);
  if (cached?.model === model) {
    return cached.holes;
  }
  const holes = [...model.coded.flatMap(({ key }) => holesAt(model, judgements, key)), ...holesOfEntities(model, judgements)];
  cache.set(judgements, { model, holes });
  return holes;
}

/** What is answered at a markable; null: it has no category yet. @type {(model: Model, judgements: Judgements, key: string) => GivenAnswers | null} */
function judgedAt(model, judgements, key) {
  const { level, coded } = model.byKey.at(key);
  const { value, given } = answersOf(model, judgements, key);
  return coded && (value.category !== null || categoriesOn(model.constraints, level).length === 0) ? given : null;
}

/** @type {(model: Model, judgements: Judgements, key: string) => Hole[]} */
function holesAt(model, judgements, key) {
  if (!judgements.has(key) && model.levels.get(model.byKey.at(key).level)?.coders_mark) {
    return []; // it was left out
  }
  const given = judgedAt(model, judgements, key);
  const questions = [
    ...answersOf(model, judgements, key).want === null ? [] : [CATEGORY], ...given ? missingAttributes(model.constraints, given) : [],
  ];
  return questions.map((question) => ({ markables: [key], question }));
}

/** @type {(model: Model, judgements: Judgements) => Hole[]} */
function holesOfEntities(model, judgements) {
  const { attributes } = model.constraints;
  const required = attributesOf(model).filter((key) => attributes[key].required && !attributes[key].retired);
  if (required.length === 0) {
    return [];
  }
  const { of, members } = chains(model, judgements);
  const alone = model.coded.filter(({ key }) => (of.get(key)?.length ?? 0) === 0).map(({ key }) => [key]);
  return required.flatMap((question) => [...members.values(), ...alone].flatMap((entity) => {
    const asked = entity.filter((key) => {
      const given = judgedAt(model, judgements, key);
      return given !== null && applies(model.constraints, question, given);
    });
    return asked.length > 0 && entityAnswers(judgements, entity, question).length === 0 ? [{ markables: asked, question }] : [];
  }));
}

/** Whether a question is asked of a markable and has no answer. @type {(model: Model, judgements: Judgements, key: string, question: string) => boolean} */
export function isUnanswered(model, judgements, key, question) {
  if (!model.byKey.get(key)?.coded) {
    return false;
  }
  const { value, given, want } = answersOf(model, judgements, key);
  if (question === CATEGORY) {
    return want !== null && (judgements.has(key) || model.given.has(key));
  }
  const members = attributesOf(model).includes(question) ? entityOf(chains(model, judgements), key) : [key];
  return applies(model.constraints, question, given) && !Object.hasOwn(value.relations, question)
    && members.every((one) => !Object.hasOwn(judgement(judgements.get(one)).attributes, question));
}
