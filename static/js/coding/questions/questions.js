// Which questions a markable is asked, in which order, and which comes next. Pure.
import { answersOf, applies, missingAttributes } from "./constraints.js";
import { entityAnswers, entityOf, haveAnswers } from "./entity-answers.js";
/** @import { AttributeAnswer, Chains, Judgements, Model, Question, RawScheme } from "../types.js" */

export const CATEGORY = "category";

/**
 * The questions after the category: each behind the one that leads to it, those of entities last.
 * @type {(scheme: Pick<RawScheme, "relations" | "attributes">) => Question[]}
 */
export function questionsOf({ relations, attributes }) {
  /** @type {(Question & { leader: string | null })[]} */
  const all = [
    ...relations.filter((relation) => !relation.identity && relation.to_levels.length > 0).map((relation) => ({
      ...relation, of: /** @type {"relation"} */ ("relation"), kind: /** @type {"targets"} */ ("targets"), relation: relation.key, required: false, values: [], primary_of: null,
      depth: 0, leader: leaderOf(relation.asked_if) ?? null,
    })),
    ...attributes.map((attribute) => ({
      ...attribute, values: attribute.values.toSorted((value, other) => Number(value.retired) - Number(other.retired)), depth: 0, leader: leaderOf(attribute.asked_if) ?? attribute.relation ?? attribute.primary_of,
    })),
  ];
  const keys = new Set(all.map(({ key }) => key));
  const found = /** @type {Question[]} */ ([]);
  /** @type {(leader: string | null, depth: number) => void} */
  const add = (leader, depth) => {
    for (const { leader: own, ...question } of all) {
      const root = own === null || !keys.has(own);
      if ((leader === null ? root : own === leader) && !found.some(({ key }) => key === question.key)) {
        found.push({ ...question, depth });
        add(question.key, depth + 1);
      }
    }
  };
  add(null, 0);
  return [...found.filter(({ of }) => of !== "entity"), ...found.filter(({ of }) => of === "entity").map((question) => ({ ...question, depth: 0 }))];
}

/** @param {Question["asked_if"]} condition */
function leaderOf(condition) {
  return condition === null ? null : "relation" in condition ? condition.relation : condition.question;
}

/** The questions that the answers of a markable lead to. @type {(questions: Question[], model: Model, judgements: Judgements, key: string) => Question[]} */
export function askedOf(questions, model, judgements, key) {
  const { value, given, want } = answersOf(model, judgements, key);
  return questions.filter((question) => applies(model.constraints, question.key, given) && (!question.retired || Object.hasOwn(value.relations, question.key) || Object.hasOwn(value.attributes, question.key))
    && (question.of === "entity" ? want === null : question.primary_of === null || Object.hasOwn(value.attributes, question.primary_of)));
}

/** @type {(judgements: Judgements, chains: Chains, key: string, question: Question) => boolean} */
export function isAnswered(judgements, chains, key, { key: name, of, kind }) {
  if (of === "entity") {
    return haveAnswers(judgements, chains, key, name);
  }
  return Object.hasOwn(judgements.get(key)?.[kind === "targets" ? "relations" : "attributes"] ?? {}, name);
}

/**
 * The next question without an answer after one; null where nothing is left to ask. Where a category points, the letters are
 * its own: then another relation is not asked, but chosen.
 * @type {(asked: Question[], model: Model, judgements: Judgements, chains: Chains, key: string, after: string | null) => string | null}
 */
export function nextQuestion(asked, model, judgements, chains, key, after) {
  const { value, given, want } = answersOf(model, judgements, key);
  if (want !== null) {
    return CATEGORY;
  }
  const points = value.pointers.length > 0;
  const open = asked.slice(asked.findIndex((question) => question.key === after) + 1)
    .find((question) => !(question.kind === "targets" && points) && !isAnswered(judgements, chains, key, question));
  return open?.key ?? missingAttributes(model.constraints, given)[0] ?? null;
}

/** What a markable or its entity answers to an attribute; of an entity that may be several. @type {(judgements: Judgements, chains: Chains, key: string, question: Question) => AttributeAnswer | undefined} */
export function answerOf(judgements, chains, key, { key: name, of }) {
  return of === "entity" ? entityAnswers(judgements, entityOf(chains, key), name)[0]?.[1] : judgements.get(key)?.attributes[name];
}
