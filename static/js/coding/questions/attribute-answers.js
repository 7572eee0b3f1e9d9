// What a value makes of the answer to an attribute. Loaded where there are some, when one begins to work. Pure.
import { judgement } from "../../workbench/judgements.js";
import { allowed, toggled } from "../answers.js";
import { answerEntity, entityAnswers, entityOf } from "./entity-answers.js";
import { violationOf } from "./violations.js";
/** @import { Answer, AttributeAnswer, Chains, Judgements, Model, Plan, Refusal } from "../types.js" */

/**
 * Answer an attribute: a value that is chosen is taken away by choosing it again, unless it has to be there.
 * @type {(model: Model, judgements: Judgements, key: string, attribute: string, value: string | number) => Answer}
 */
export function answerAttribute(model, judgements, key, attribute, value) {
  const before = judgement(judgements.get(key));
  const answer = nextAnswer(model, attribute, before.attributes[attribute], value);
  const attributes = { ...before.attributes, [attribute]: answer ?? "" };
  const second = model.attributes.find((one) => one.primary_of === attribute && attributes[one.key] !== undefined
    && (answer === null || String(attributes[one.key]) === String(answer)))?.key;
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
  const violation = judged.map(([member, one]) => violationOf(model, member, judgement(one))).find(Boolean);
  return violation ? { refused: violation.message } : judged;
}

/** What a value that is chosen makes of an answer; null: none. @type {(model: Model, attribute: string, before: AttributeAnswer | undefined, value: string | number) => AttributeAnswer | null} */
function nextAnswer({ constraints }, attribute, before, value) {
  const { kind, required, values } = constraints.attributes[attribute];
  if (kind === "several") {
    const chosen = toggled([before ?? []].flat().map(String), String(value));
    return chosen.length > 0 ? values.filter((one) => chosen.includes(one)) : null;
  }
  return value === "" || (kind === "one" && value === before && !required) ? null : value;
}
