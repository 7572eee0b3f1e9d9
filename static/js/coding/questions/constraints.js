// What the scheme allows and asks, by the table by which the server checks. Pure.
import { judgement } from "../../workbench/judgements.js";
import { listsOf } from "../../workbench/readings.js";
/** @import { AttributeConstraints, Constraints, GivenAnswers, Judgement, Judgements, Markable, Model, Readings, RelationConstraints, Violation } from "../types.js" */

/** What a judgement answers, by which further questions are asked. @type {(table: Constraints, level: string, value: Judgement) => GivenAnswers} */
export function givenAnswers({ categories }, level, { category, pointers, attributes, relations }) {
  const set = new Set(Object.keys(relations));
  const identity = categories[category ?? ""]?.identity;
  if (identity && pointers.length > 0) {
    set.add(identity);
  }
  return { level, category, attributes, relations: set };
}

/** Whether the answers given lead to a question; on which levels it is asked is not said here. @type {(question: RelationConstraints | AttributeConstraints, given: GivenAnswers) => boolean} */
export function isAsked(question, { category, attributes, relations }) {
  if ("relation" in question && question.relation && !relations.has(question.relation)) {
    return false;
  }
  const condition = question.asked_if;
  if (condition === null) {
    return true;
  }
  if ("relation" in condition) {
    return relations.has(condition.relation);
  }
  const answer = condition.question === "category" ? category : attributes[condition.question];
  return [answer].flat().some((value) => typeof value === "string" && condition.values.includes(value));
}

/** Whether a relation or attribute is asked of a markable with these answers. @type {(table: Constraints, key: string, given: GivenAnswers) => boolean} */
export function applies({ relations, attributes }, key, given) {
  if (Object.hasOwn(relations, key)) {
    const relation = relations[key];
    return !relation.identity && relation.from_levels.includes(given.level) && relation.to_levels.length > 0 && isAsked(relation, given);
  }
  return Boolean(attributes[key]?.levels.includes(given.level)) && isAsked(attributes[key], given);
}

/** Attributes that are required, asked and not answered; those of entities are not among them. @type {(table: Constraints, given: GivenAnswers) => string[]} */
export function missingAttributes(table, given) {
  return Object.keys(table.attributes).filter((key) => table.attributes[key].required && !table.attributes[key].retired
    && table.attributes[key].of !== "entity" && !Object.hasOwn(given.attributes, key) && applies(table, key, given));
}

/** The categories that are offered. @type {(table: Constraints, level: string) => string[]} */
export function categoriesOn({ categories }, level) {
  return Object.keys(categories).filter((key) => categories[key].levels.includes(level) && !categories[key].retired);
}

/** The relation by whose targets a category says identity. @type {(table: Constraints, category: string | null | undefined) => RelationConstraints | null} */
export function identityOf({ categories, relations }, category) {
  const relation = relations[categories[category ?? ""]?.identity ?? ""];
  return relation && relation.to_levels.length > 0 ? relation : null;
}

/** What the category of a judgement still wants. @type {(table: Constraints, given: GivenAnswers, hasIndex: boolean) => "category" | "index" | "target" | null} */
export function wantOf(table, given, hasIndex) {
  const category = table.categories[given.category ?? ""];
  if (!category) {
    return given.category === null && categoriesOn(table, given.level).length === 0 ? null : "category";
  }
  if (category.takes_index && !hasIndex) {
    return "index";
  }
  const identity = identityOf(table, given.category);
  return identity && !identity.retired && !given.relations.has(category.identity ?? "") ? "target" : null;
}

/** What a markable answers, and what its category still wants. @type {(model: Model, judgements: Judgements, key: string) => { value: Judgement, given: GivenAnswers, want: ReturnType<typeof wantOf> }} */
export function answersOf({ constraints, byKey }, judgements, key) {
  const value = judgement(judgements.get(key));
  const given = givenAnswers(constraints, byKey.at(key).level, value);
  return { value, given, want: wantOf(constraints, given, value.indices.length > 0) };
}

/** Whether a judgement has all that the scheme requires. @type {(table: Constraints, given: GivenAnswers, hasIndex: boolean) => boolean} */
export function isComplete(table, given, hasIndex) {
  return wantOf(table, given, hasIndex) === null && missingAttributes(table, given).length === 0
    && (given.category !== null || Object.keys(given.attributes).length > 0);
}

/** @type {(code: string, message?: string) => Violation} */
export const not = (code, message = "The scheme does not allow this answer.") => ({ code, message });

/** Why a relation may not have a target. @type {(relation: RelationConstraints, from: Markable, to: Markable | undefined) => Violation | null} */
export function targetViolation(relation, from, to) {
  if (!to) {
    return not("unknown_markable", "Unknown markable.");
  }
  if (to.key === from.key) {
    return not("points_at_itself", "A markable cannot point to itself.");
  }
  if (!relation.to_levels.includes(to.level)) {
    return not("wrong_level", `${relation.label} does not point to “${to.words}”.`);
  }
  const isLater = to.start > from.start || (to.start === from.start && to.end < from.end);
  return isLater && !relation.later ? not("points_later", `“${to.words}” comes later in the text.`) : null;
}

/** Why a relation may not have these targets. @type {(model: Model, from: Markable, relation: RelationConstraints, readings: Readings) => Violation | null} */
export function readingsViolation({ byKey }, from, relation, readings) {
  const lists = listsOf(readings);
  const different = new Set(lists.map((list) => [...new Set(list)].sort().join(" "))).size;
  const joint = lists.some((list) => list.length > 1);
  if (lists.some((list) => new Set(list).size < list.length) || different < lists.length) {
    return not(joint && lists.every((list) => new Set(list).size === list.length) ? "double_reading" : "double_pointer");
  }
  if (joint && !relation.joint) {
    return not("not_joint", `${relation.label} takes no targets that are meant together.`);
  }
  const most = relation.max_targets;
  if (most !== null && new Set(lists.flat()).size > most) {
    return not("too_many_pointers", `${relation.label} takes at most ${most} ${relation.identity ? "antecedent" : "target"}${most === 1 ? "" : "s"}.`);
  }
  return lists.flat().map((key) => targetViolation(relation, from, byKey.get(key))).find(Boolean) ?? null;
}

/**
 * A judgement without the answers to questions that are no longer asked, and the keys of these.
 * @type {(table: Constraints, level: string, value: Judgement) => { kept: Judgement, dropped: string[] }}
 */
export function withoutUnasked(table, level, value) {
  const dropped = /** @type {string[]} */ ([]);
  for (;;) {
    const given = givenAnswers(table, level, value);
    const unasked = [...Object.keys(value.relations), ...Object.keys(value.attributes)].filter((key) => !applies(table, key, given));
    if (unasked.length === 0) {
      return { kept: value, dropped };
    }
    dropped.push(...unasked);
    /** @type {<T>(answers: Record<string, T>) => Record<string, T>} */
    const rest = (answers) => Object.fromEntries(Object.entries(answers).filter(([key]) => !unasked.includes(key)));
    value = { ...value, relations: rest(value.relations), attributes: rest(value.attributes) };
  }
}
