// The questions of a scheme: where they stand, what they are called, when they are asked. Pure.
/** @import { Attribute, Category, Condition, Kind, Questions, Relation, Row, Scheme } from "./types.js" */

/** The question that every judgement begins with. */
export const CATEGORY = "category";
export const LISTED = ["one", "several"];
/** @type {{ level: "levels", category: "categories", relation: "relations", attribute: "attributes" }} */
export const LISTS = { level: "levels", category: "categories", relation: "relations", attribute: "attributes" };

/** @type {<K extends Kind>(scheme: Scheme, kind: K) => Questions[K][]} */
export const listOf = (scheme, kind) => /** @type {any} */ (scheme[LISTS[kind]]);

/** @type {<K extends Kind>(scheme: Scheme, kind: K, key: string) => Questions[K] | undefined} */
export const find = (scheme, kind, key) => listOf(scheme, kind).find((row) => row.key === key);

/** The relation by whose pointers a category says identity. @type {(scheme: Scheme, category: string) => Relation | undefined} */
export function identityOf(scheme, category) {
  return scheme.relations.find((relation) => relation.identity && asksBy(relation.asked_if, CATEGORY)?.includes(category));
}

/** The values by which a condition asks a question; null: it asks by another. @type {(condition: Condition | null, question: string) => string[] | null} */
export function asksBy(condition, question) {
  return condition && "question" in condition && condition.question === question ? condition.values : null;
}

/** Whether an identity relation stands with its category, and not in the list. @type {(scheme: Scheme, relation: Relation) => boolean} */
export const isOfCategory = (scheme, relation) => relation.identity && scheme.categories.some(({ key }) => identityOf(scheme, key) === relation);

/** @type {(scheme: Scheme) => Relation[]} */
export const listedRelations = (scheme) => scheme.relations.filter((relation) => !isOfCategory(scheme, relation));

/**
 * The questions by whose answers another may be asked, with their answers: those before it that list values.
 * @type {(scheme: Scheme, kind: Kind, key: string) => { key: string, label: string, values: { key: string, label: string }[] }[]}
 */
export function leading(scheme, kind, key) {
  const end = kind === "attribute" ? scheme.attributes.findIndex((attribute) => attribute.key === key) : scheme.attributes.length;
  const attributes = scheme.attributes.slice(0, Math.max(end, 0)).filter((attribute) => canLead(attribute) && !follows(scheme, attribute.key, key));
  const categories = scheme.categories.length > 0 ? [{ key: CATEGORY, label: "category", values: scheme.categories }] : [];
  return [...categories, ...attributes];
}

/** @type {(attribute: Attribute) => boolean} */
export function canLead(attribute) {
  return LISTED.includes(attribute.kind) && attribute.of !== "entity" && attribute.values.length > 0;
}

/** Whether an attribute or relation is asked, in the end, by another one. @type {(scheme: Scheme, key: string, by: string, seen?: Set<string>) => boolean} */
export function follows(scheme, key, by, seen = new Set()) {
  if (seen.has(key)) {
    return false;
  }
  seen.add(key);
  const attribute = find(scheme, "attribute", key);
  const { asked_if: condition = null } = attribute ?? find(scheme, "relation", key) ?? {};
  const named = [attribute?.relation, condition && ("relation" in condition ? condition.relation : condition.question)];
  return named.some((other) => Boolean(other) && (other === by || follows(scheme, /** @type {string} */ (other), by, seen)));
}

/** The relations by which a question may be asked if they are set. @type {(scheme: Scheme, key: string) => Relation[]} */
export function leadingRelations(scheme, key) {
  return scheme.relations.filter((relation) => relation.key !== key && !relation.identity && !follows(scheme, relation.key, key));
}

/** How many questions lead to one. @type {(scheme: Scheme, question: { asked_if: Condition | null }, seen?: Set<object>) => number} */
export function depthOf(scheme, question, seen = new Set()) {
  const condition = question.asked_if;
  if (condition === null || seen.has(question)) {
    return 0;
  }
  seen.add(question);
  const before = "relation" in condition
    ? find(scheme, "relation", condition.relation)
    : condition.question === CATEGORY ? undefined : find(scheme, "attribute", condition.question);
  return 1 + (before ? depthOf(scheme, before, seen) : 0);
}

/** @type {(words: string[], last?: string) => string} */
export const joined = (words, last = "or") => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`);

const MAX_NAMED = 3;

/** When a question is asked, in words; "" where it always is. @type {(scheme: Scheme, condition: Condition | null) => string} */
export function whenAsked(scheme, condition) {
  if (condition === null) {
    return "";
  }
  if ("relation" in condition) {
    return `if ${labelOf(find(scheme, "relation", condition.relation), condition.relation)} is set`;
  }
  const attribute = find(scheme, "attribute", condition.question);
  const values = condition.question === CATEGORY ? scheme.categories : attribute?.values ?? [];
  const labels = condition.values.map((key) => labelOf(values.find((value) => value.key === key), key));
  const named = labels.length > MAX_NAMED ? [...labels.slice(0, MAX_NAMED - 1), `${labels.length - MAX_NAMED + 1} others`] : labels;
  const what = condition.question === CATEGORY ? "" : `${labelOf(attribute, condition.question)} is `;
  return `if ${what}${joined(named) || "nothing chosen yet"}`;
}

/** @type {(question: { label: string } | undefined, key: string) => string} */
export const labelOf = (question, key) => question?.label.trim() || key;

/** @type {(scheme: Scheme, category: Category) => string} */
function noteOfCategory(scheme, category) {
  const identity = identityOf(scheme, category.key);
  if (scheme.answers === "pointers" && identity && identity.to_levels.length > 0) {
    return "antecedents";
  }
  return scheme.answers === "indices" && category.takes_index ? "an index" : "";
}

/** @type {Record<Attribute["kind"], (values: number) => string>} */
const KIND_NOTES = {
  one: (values) => `one of ${values}`,
  several: (values) => `several of ${values}`,
  text: () => "text",
  number: () => "number",
};

/** @type {(scheme: Scheme, attribute: Attribute) => string} */
function noteOfAttribute(scheme, attribute) {
  const of = attribute.of === "entity" ? "of the entity" : attribute.of === "relation"
    ? `of ${labelOf(find(scheme, "relation", attribute.relation ?? ""), attribute.relation ?? "no relation yet")}` : "";
  return [KIND_NOTES[attribute.kind](attribute.values.length), of, whenAsked(scheme, attribute.asked_if)].filter(Boolean).join(" · ");
}

/** The lines of the list, group by group. @type {(scheme: Scheme) => Record<Kind, Row[]>} */
export function rowsOf(scheme) {
  return {
    level: scheme.levels.map(({ key, label, coded }) => ({ key, label, depth: 0, note: coded ? "coded" : "only pointed at" })),
    category: scheme.categories.map((category) => ({ key: category.key, label: category.label, depth: 0, note: noteOfCategory(scheme, category) })),
    relation: listedRelations(scheme).map((relation) => ({
      key: relation.key, label: relation.label, depth: depthOf(scheme, relation), note: whenAsked(scheme, relation.asked_if),
    })),
    attribute: scheme.attributes.map((attribute) => ({
      key: attribute.key, label: attribute.label, depth: depthOf(scheme, attribute), note: noteOfAttribute(scheme, attribute),
    })),
  };
}

/** A scheme without what its relations say already. @type {(scheme: Scheme) => Scheme} */
export function whatIsSent({ answers, levels, categories, relations, attributes }) {
  return {
    answers,
    levels,
    categories: categories.map(({ key, label, help, colour, level, takes_index, takes_optional, singleton, retired }) => ({
      key, label, help, colour, level, takes_index, takes_optional, singleton, retired,
    })),
    relations,
    attributes,
  };
}
