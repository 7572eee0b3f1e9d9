// What a value makes of the answer to an attribute, and which rule of the scheme a judgement breaks, as the server says it.
// Loaded where there are questions after the category. Pure.
import { judgement } from "../../workbench/judgements.js";
import { targetsOf } from "../../workbench/readings.js";
import { allowed, toggled } from "../answers.js";
import { givenAnswers, identityOf, isAsked, not, readingsViolation } from "./constraints.js";
import { answerEntity, entityAnswers, entityOf } from "./entity-answers.js";
/** @import { Answer, AttributeAnswer, Chains, Constraints, GivenAnswers, Judgement, Judgements, Model, Plan, Refusal, Violation } from "../types.js" */

/**
 * Answer an attribute: a value that is chosen is taken away by choosing it again, unless it has to be there.
 * @type {(model: Model, judgements: Judgements, key: string, attribute: string, value: string | number) => Answer}
 */
export function answerAttribute(model, judgements, key, attribute, value) {
  const before = judgement(judgements.get(key));
  const answer = nextAnswer(model, attribute, before.attributes[attribute], value);
  const attributes = { ...before.attributes, [attribute]: answer ?? "" };
  const second = model.attributes.find((spec) => spec.primary_of === attribute && attributes[spec.key] !== undefined
    && (answer === null || String(attributes[spec.key]) === String(answer)))?.key;
  const result = allowed(model, judgements, key, { ...before, attributes: second === undefined ? attributes : { ...attributes, [second]: "" } });
  const violation = "judgement" in result && result.judgement ? violationOf(model, key, result.judgement) : null;
  if (violation) {
    return { refused: violation.message };
  }
  return second === undefined || "refused" in result ? result : { ...result, dropped: [...new Set([...(result.dropped ?? []), second])] };
}

/** The same for the entity of a markable. @type {(model: Model, judgements: Judgements, chains: Chains, key: string, attribute: string, value: string | number) => Plan["judged"] | Refusal} */
export function answerForEntity(model, judgements, chains, key, attribute, value) {
  const members = entityOf(chains, key);
  const [[, before] = [key, undefined]] = entityAnswers(judgements, members, attribute);
  const judged = answerEntity(judgements, members, key, attribute, nextAnswer(model, attribute, before, value));
  const violation = judged.map(([member, value]) => violationOf(model, member, judgement(value))).find(Boolean);
  return violation ? { refused: violation.message } : judged;
}

/** What a value that is chosen makes of an answer; null: none. @type {(model: Model, attribute: string, before: AttributeAnswer | undefined, value: string | number) => AttributeAnswer | null} */
function nextAnswer({ constraints }, attribute, before, value) {
  const { kind, required, values } = constraints.attributes[attribute];
  if (kind === "several") {
    const chosen = toggled([before ?? []].flat().map(String), String(value));
    return chosen.length > 0 ? values.filter((value) => chosen.includes(value)) : null;
  }
  return value === "" || (kind === "one" && value === before && !required) ? null : value;
}

/** @type {(table: Constraints, key: string, answer: AttributeAnswer, given: GivenAnswers) => Violation | null} */
function answerViolation(table, key, answer, given) {
  const attribute = table.attributes[key];
  if (!attribute) {
    return not("unknown_attribute");
  }
  if (!attribute.levels.includes(given.level)) {
    return not("attribute_not_here");
  }
  if (!isAsked(attribute, given)) {
    return not("attribute_not_asked");
  }
  const { kind, values } = attribute;
  if (kind === "number" ? typeof answer !== "number" : kind === "several" ? !Array.isArray(answer) : typeof answer !== "string") {
    return not("bad_value");
  }
  if (kind === "text" || kind === "number") {
    return kind === "text" && Array.from(String(answer)).length > table.max_text_length
      ? not("text_too_long", `${attribute.label} has at most ${table.max_text_length} characters.`) : null;
  }
  const chosen = [answer].flat();
  if (!chosen.every((value) => values.includes(String(value)))) {
    return not("unknown_value");
  }
  return new Set(chosen).size < chosen.length ? not("double_value") : null;
}

/** Whether it is more than one operation may hold. @type {(table: Constraints, value: Judgement) => boolean} */
function isTooMuch(table, value) {
  const answers = Object.values(value.attributes).flat();
  return targetsOf(value).length > table.max_keys || answers.length > table.max_keys
    || answers.some((answer) => typeof answer === "number" && !(Math.abs(answer) <= table.max_number));
}

/** @type {(table: Constraints, key: string, given: GivenAnswers) => Violation | null} */
function relationViolation({ relations }, key, given) {
  const relation = relations[key];
  if (!relation) {
    return not("unknown_relation");
  }
  if (relation.identity) {
    return not("identity_is_pointers");
  }
  if (!relation.from_levels.includes(given.level) || relation.to_levels.length === 0) {
    return not("relation_not_here");
  }
  return isAsked(relation, given) ? null : not("relation_not_asked");
}

/** Which rule a judgement breaks, by the server's code for it. @type {(model: Model, key: string, value: Judgement) => Violation | null} */
export function violationOf(model, key, value) {
  const table = model.constraints;
  const from = model.byKey.get(key);
  if (isTooMuch(table, value)) {
    return not("bad_payload", `More than ${table.max_keys} targets or values, or too large a number.`);
  }
  if (!from) {
    return not("unknown_markable", "Unknown markable.");
  }
  if (!from.coded) {
    return not("not_coded", "This markable is only a target.");
  }
  if (value.category !== null && !table.categories[value.category]?.levels.includes(from.level)) {
    return not(Object.hasOwn(table.categories, value.category) ? "category_not_here" : "unknown_category");
  }
  const given = givenAnswers(table, from.level, value);
  const names = Object.keys(value.relations);
  const identity = identityOf(table, value.category);
  /** @type {(() => Violation | null | undefined)[]} */
  const checks = [
    ...names.map((name) => () => relationViolation(table, name, given)),
    () => (value.pointers.length > 0 && !identity ? not("no_pointer_here", "This category takes no antecedent.") : null),
    () => identity && readingsViolation(model, from, identity, value.pointers),
    ...names.map((name) => () => readingsViolation(model, from, table.relations[name], value.relations[name])),
    ...Object.entries(value.attributes).map(([name, answer]) => () => answerViolation(table, name, answer, given)),
  ];
  for (const check of checks) {
    const violation = check();
    if (violation) {
      return violation;
    }
  }
  return null;
}
