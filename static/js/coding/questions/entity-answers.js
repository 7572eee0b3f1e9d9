// Attributes of entities: asked once for each chain, stored with one of its members. Pure.
import { judgement } from "../../workbench/judgements.js";
import { applies, categoriesOn, givenAnswers, missingAttributes } from "./constraints.js";
import { chains } from "../chains/chains.js";
/** @import { AttributeAnswer, Chains, EntityConflict, Judgement, Judgements, Model, Plan, RequiredAnswer } from "../types.js" */

/** The members of the entity that a markable is a mention of; who may be of several answers alone. @type {(chains: Chains, key: string) => string[]} */
export function entityOf({ of, members }, key) {
  const its = of.get(key) ?? [];
  return its.length === 1 ? members.at(its[0]) : [key];
}

/** Whether each entity that a markable may be a mention of has an answer. @type {(judgements: Judgements, chains: Chains, key: string, attribute: string) => boolean} */
export function haveAnswers(judgements, { of, members }, key, attribute) {
  const its = of.get(key) ?? [];
  return (its.length > 0 ? its.map((chain) => members.at(chain)) : [[key]]).every((member) => entityAnswers(judgements, member, attribute).length > 0);
}

/** Who of these members answers an attribute, and what, in text order: the first says what holds. @type {(judgements: Judgements, members: string[], attribute: string) => [string, AttributeAnswer][]} */
export function entityAnswers(judgements, members, attribute) {
  return members.flatMap((key) => {
    const { attributes } = judgement(judgements.get(key));
    return Object.hasOwn(attributes, attribute) ? [/** @type {[string, AttributeAnswer]} */ ([key, attributes[attribute]])] : [];
  });
}

/** Attributes of entities. @type {(model: Model) => string[]} */
export const attributesOf = ({ attributes }) => attributes.filter(({ of }) => of === "entity").map(({ key }) => key);

/** @type {(value: Judgement, attribute: string, answer: AttributeAnswer | null) => Judgement} */
export function withAttribute(value, attribute, answer) {
  const { [attribute]: _, ...others } = value.attributes;
  return { ...value, attributes: answer === null ? others : { ...others, [attribute]: answer } };
}

/** An answer for the entity of a markable: stored where one is, else with the markable. @type {(judgements: Judgements, members: string[], key: string, attribute: string, answer: AttributeAnswer | null) => Plan["judged"]} */
export function answerEntity(judgements, members, key, attribute, answer) {
  const carriers = entityAnswers(judgements, members, attribute).map(([member]) => member);
  return (carriers.length > 0 ? carriers : [key]).map((member) => [member, withAttribute(judgement(judgements.get(member)), attribute, answer)]);
}

/** Whether a markable may carry the answer of its entity. @type {(model: Model, judgements: Judgements, key: string, attribute: string) => boolean} */
export function canAnswer(model, judgements, key, attribute) {
  const { level, coded } = model.byKey.get(key) ?? {};
  const value = judgements.get(key);
  return Boolean(coded && value && (value.category !== null || categoriesOn(model.constraints, String(level)).length === 0))
    && applies(model.constraints, attribute, givenAnswers(model.constraints, String(level), judgement(value)));
}

/**
 * What keeps the answers of entities whose chains a step has parted: the part that has none gets a copy. Where a markable has
 * gone to another chain and others stay behind, the answer stays with these.
 * @type {(model: Model, before: Judgements, after: Judgements, touched: string[], copies: boolean) => Plan["judged"]}
 * copies: the step parts an entity in two
 */
export function keepEntityAnswers(model, before, after, touched, copies) {
  const judged = /** @type {Map<string, Judgement>} */ (new Map());
  const [then, now] = [chains(model, before), chains(model, after)];
  for (const attribute of attributesOf(model)) {
    for (const carrier of [...before.keys()].filter((key) => before.get(key)?.attributes[attribute] !== undefined && model.byKey.has(key))) {
      const members = entityOf(then, carrier);
      const [[first, answer] = [carrier, null]] = entityAnswers(before, members, attribute);
      if (first !== carrier || answer === null) {
        continue;
      }
      const rest = new Set(members);
      for (const member of members) {
        const group = rest.has(member) ? entityOf(now, member) : null;
        group?.forEach((member) => rest.delete(member));
        const own = group?.filter((member) => members.includes(member)) ?? [];
        const stays = copies || (own.some((member) => !touched.includes(member)) && (own.length === group?.length || own.includes(carrier)));
        const heir = own.find((member) => canAnswer(model, after, member, attribute));
        if (group && stays && heir && entityAnswers(after, group, attribute).length === 0) {
          judged.set(heir, withAttribute(judgement(judged.get(heir) ?? after.get(heir)), attribute, answer));
          const left = after.get(carrier);
          if (!copies && touched.includes(carrier) && left?.attributes[attribute] !== undefined) {
            judged.set(carrier, withAttribute(judgement(judged.get(carrier) ?? left), attribute, null));
          }
        }
      }
    }
  }
  return [...judged];
}

/** The entities whose members differ. @type {(model: Model, judgements: Judgements) => EntityConflict[]} */
export function entityConflicts(model, judgements) {
  const now = chains(model, judgements);
  return attributesOf(model).flatMap((attribute) => [...now.members.values()].flatMap((members) => {
    const given = members.filter((key) => (now.of.get(key)?.length ?? 0) < 2);
    const found = entityAnswers(judgements, given, attribute);
    /** @type {Map<string, [string, AttributeAnswer]>} */
    const different = new Map(found.toReversed().map(([key, answer]) => [String([answer].flat().toSorted()), [key, answer]]));
    return different.size > 1 ? [{ attribute, members: given, answers: [...different.values()].reverse() }] : [];
  }));
}

/** Missing answers without which nothing is submitted, as in `annotations/coding/required_answers.py`. @type {(model: Model, judgements: Judgements) => RequiredAnswer[]} */
export function missingRequired(model, judgements) {
  const { constraints, byKey } = model;
  if (!Object.values(constraints.attributes).some(({ required }) => required)) {
    return [];
  }
  const judged = new Set();
  const missing = /** @type {RequiredAnswer[]} */ ([]);
  for (const { key, level } of model.coded) {
    const value = judgement(judgements.get(key));
    if (value.category !== null || (Object.keys(value.attributes).length > 0 && categoriesOn(constraints, level).length === 0)) {
      judged.add(key);
      missing.push(...missingAttributes(constraints, givenAnswers(constraints, level, value)).map((attribute) => ({ attribute, key, ofChain: false })));
    }
  }
  entitiesWithout(model, judgements, (key) => judged.has(key)).forEach(({ attribute, asked: [key] }) => missing.push({ attribute, key, ofChain: true }));
  return missing.sort((a, b) => byKey.at(a.key).order - byKey.at(b.key).order);
}

/** What is required of entities and no member answers, with the members at which it is asked. @type {(model: Model, judgements: Judgements, isJudged: (key: string) => boolean) => { attribute: string, asked: string[] }[]} */
export function entitiesWithout(model, judgements, isJudged) {
  const { constraints, byKey } = model;
  const { of, members } = chains(model, judgements);
  const alone = model.coded.filter(({ key }) => !of.get(key)?.length).map(({ key }) => [key]);
  const required = attributesOf(model).filter((name) => constraints.attributes[name].required && !constraints.attributes[name].retired);
  return required.flatMap((attribute) => [...members.values(), ...alone].flatMap((entity) => {
    const asked = entity.filter((key) => isJudged(key)
      && applies(constraints, attribute, givenAnswers(constraints, byKey.at(key).level, judgement(judgements.get(key)))));
    return asked.length > 0 && entityAnswers(judgements, entity, attribute).length === 0 ? [{ attribute, asked }] : [];
  }));
}

/** @type {WeakMap<Judgements, { model: Model, keys: Set<string> }>} */
const lacking = new WeakMap();

/** Whether a required answer about the chain of a markable is missing, and is asked here first. @type {(model: Model, judgements: Judgements, key: string) => boolean} */
export function lacksOfChain(model, judgements, key) {
  let known = lacking.get(judgements);
  if (known?.model !== model) {
    known = { model, keys: new Set(missingRequired(model, judgements).filter(({ ofChain }) => ofChain).map((row) => row.key)) };
    lacking.set(judgements, known);
  }
  return known.keys.has(key);
}
