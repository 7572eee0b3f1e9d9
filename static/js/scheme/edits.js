// The steps by which a scheme is edited: each returns another scheme, or why it does not. Pure.
import { asksBy, canLead, CATEGORY, find, identityOf, joined, labelOf, leading, LISTED, LISTS, listOf } from "./questions.js";
import { freeKey, isMade, slug, takenKeys } from "./keys.js";
/** @import { Attribute, Category, Condition, Edit, Kind, Questions, Relation, Scheme } from "./types.js" */

const OF_CATEGORY = "It belongs to its category.";

/** @type {(scheme: Scheme, kind: Kind, list: object[]) => Scheme} */
const withList = (scheme, kind, list) => ({ ...scheme, [LISTS[kind]]: list });

/** @type {(scheme: Scheme) => string[]} */
const codedLevels = ({ levels }) => levels.filter(({ coded }) => coded).map(({ key }) => key);

/** @type {{ [K in Kind]: (scheme: Scheme, key: string, label: string) => Questions[K] }} */
const EMPTY = {
  level: (_, key, label) => ({ key, label, coded: true, coders_mark: false }),
  category: (_, key, label) => ({
    key, label, help: "", colour: "", level: null, takes_index: false, takes_optional: false, singleton: false, retired: false,
  }),
  relation: (scheme, key, label) => ({
    key, label, help: "", from_levels: [], to_levels: codedLevels(scheme).slice(0, 1), identity: false,
    max_targets: null, joint: false, later: false, asked_if: null, retired: false,
  }),
  attribute: (_, key, label) => ({
    key, label, help: "", of: "markable", relation: null, levels: [], kind: "one", required: true, asked_if: null,
    primary_of: null, values: [], retired: false,
  }),
};

/** Add a question behind another, or at the end. @type {(scheme: Scheme, kind: Kind, label: string, behind?: string) => Edit} */
export function add(scheme, kind, label, behind) {
  const list = listOf(scheme, kind);
  const key = freeKey(slug(label) || kind, takenKeys(scheme, kind));
  const at = list.findIndex((row) => row.key === behind);
  const place = at < 0 ? list.length : at + 1;
  /** @type {any} */
  const question = EMPTY[kind](scheme, key, label);
  if (at >= 0 && "asked_if" in question) {
    question.asked_if = /** @type {Relation | Attribute} */ (list[at]).asked_if;
  }
  return { scheme: withList(scheme, kind, list.toSpliced(place, 0, question)), key };
}

/** Set fields of a question other than its key. @type {<K extends Kind>(scheme: Scheme, kind: K, key: string, fields: Partial<Questions[K]>) => Edit} */
export function change(scheme, kind, key, fields) {
  const list = listOf(scheme, kind).map((row) => (row.key === key ? { ...row, ...fields } : row));
  return { scheme: withList(scheme, kind, list), key };
}

/** Give a question another label. Its key follows, where it was made from the label and is not in use. @type {(scheme: Scheme, kind: Kind, key: string, label: string, fixed: boolean) => Edit} */
export function relabel(scheme, kind, key, label, fixed) {
  const before = find(scheme, kind, key);
  const relation = kind === "category" ? identityOf(scheme, key) : undefined;
  let { scheme: after } = /** @type {{ scheme: Scheme }} */ (change(scheme, kind, key, { label }));
  if (relation && before?.label === relation.label) {
    ({ scheme: after } = /** @type {{ scheme: Scheme }} */ (change(after, "relation", relation.key, { label })));
  }
  if (fixed || !before || !isMade(key, before.label, kind)) {
    return { scheme: after, key };
  }
  const but = relation?.key === key ? takenKeys(after, kind, key).filter((name) => name !== key) : takenKeys(after, kind, key);
  return rename(after, kind, key, freeKey(slug(label) || kind, but));
}

/**
 * A scheme that names a question or value by another key, each once; without a key it is not named any more.
 * @type {(scheme: Scheme, kind: Kind, from: string, to: string | null, instead?: Condition | null) => Scheme}
 * instead: when the questions are asked that were asked by an attribute that is gone
 */
function follow(scheme, kind, from, to, instead = null) {
  const now = (/** @type {string | null} */ key) => (key === from ? to : key);
  const levels = (/** @type {string[]} */ keys) => (kind === "level" ? keys.flatMap((key) => now(key) ?? []) : keys);
  /** @type {(condition: Condition | null) => Condition | null} */
  const condition = (asked) => {
    if (kind === "relation" && asked && "relation" in asked && asked.relation === from) {
      return to === null ? null : { relation: to };
    }
    if (kind === "attribute" && asksBy(asked, from)) {
      return to === null ? instead : /** @type {Condition} */ ({ ...asked, question: to });
    }
    return kind === "category" ? renameValues(asked, CATEGORY, from, to) : asked;
  };
  return {
    ...scheme,
    categories: kind === "level" ? scheme.categories.map((category) => ({ ...category, level: now(category.level) })) : scheme.categories,
    relations: scheme.relations.map((relation) => ({
      ...relation, from_levels: levels(relation.from_levels), to_levels: levels(relation.to_levels), asked_if: condition(relation.asked_if),
    })),
    attributes: scheme.attributes.map((attribute) => ({
      ...attribute, levels: levels(attribute.levels), asked_if: condition(attribute.asked_if),
      relation: kind === "relation" ? now(attribute.relation) : attribute.relation, primary_of: kind === "attribute" ? now(attribute.primary_of) : attribute.primary_of,
    })),
  };
}

/** A condition in which a value has another key, or none; what is asked by nothing else is always asked. @type {(condition: Condition | null, question: string, from: string, to: string | null) => Condition | null} */
export function renameValues(condition, question, from, to) {
  const values = asksBy(condition, question);
  if (!values?.includes(from)) {
    return condition;
  }
  const now = [...new Set(values.flatMap((value) => (value === from ? to ?? [] : value)))];
  return now.length > 0 ? { question, values: now } : null;
}

/** Give a question another key, wherever it is named. @type {(scheme: Scheme, kind: Kind, from: string, to: string) => Edit} */
export function rename(scheme, kind, from, to) {
  if (from === to) {
    return { scheme, key: to };
  }
  const identity = kind === "category" ? identityOf(scheme, from) : undefined;
  /** @type {(scheme: Scheme, kind: Kind) => Scheme} */
  const renamed = (now, of) => withList(now, of, listOf(now, of).map((row) => (row.key === from ? { ...row, key: to } : row)));
  const after = follow(renamed(scheme, kind), kind, from, to);
  return { scheme: identity?.key === from ? follow(renamed(after, "relation"), "relation", from, to) : after, key: to };
}

/** Take a question out, and what is said of it elsewhere. @type {(scheme: Scheme, kind: Kind, key: string) => Edit} */
export function remove(scheme, kind, key) {
  let left = withList(scheme, kind, listOf(scheme, kind).filter((row) => row.key !== key));
  const identity = kind === "category" ? identityOf(scheme, key) : undefined;
  if (identity || kind === "relation") {
    left = {
      ...left, relations: left.relations.filter((relation) => relation !== identity),
      attributes: left.attributes.filter(({ relation }) => relation !== (identity?.key ?? key)),
    };
  }
  return { key, scheme: follow(left, kind, key, null, kind === "attribute" ? find(scheme, kind, key)?.asked_if : null) };
}

/** The earlier attributes that an attribute names. @type {(attribute: Attribute) => string[]} */
function namedBy({ asked_if, primary_of }) {
  const question = asked_if && "question" in asked_if && asked_if.question !== CATEGORY ? [asked_if.question] : [];
  return primary_of ? [...question, primary_of] : question;
}

/** How many questions from a place on are asked by the first of them: they move together. @type {(list: Attribute[], at: number) => number} */
function familySize(list, at) {
  const family = new Set([list[at].key]);
  let size = 1;
  while (at + size < list.length && namedBy(list[at + size]).some((key) => family.has(key))) {
    family.add(list[at + size].key);
    size += 1;
  }
  return size;
}

/** Why questions cannot stand in this order; "": they can. @type {(attributes: Attribute[]) => string} */
function orderProblem(attributes) {
  const earlier = new Set();
  for (const attribute of attributes) {
    const later = namedBy(attribute).find((key) => !earlier.has(key));
    if (later !== undefined) {
      const before = attributes.find(({ key }) => key === later);
      return `${labelOf(attribute, attribute.key)} is asked by the answer to ${labelOf(before, later)}, and stays behind it.`;
    }
    earlier.add(attribute.key);
  }
  return "";
}

/**
 * Move a question, with those that follow from it, to before another one or, for null, to the end.
 * @type {(scheme: Scheme, kind: Kind, key: string, before: string | null) => Edit}
 */
export function moveBefore(scheme, kind, key, before) {
  const list = listOf(scheme, kind);
  const from = list.findIndex((row) => row.key === key);
  const size = kind === "attribute" ? familySize(scheme.attributes, from) : 1;
  const moved = list.slice(from, from + size);
  if (from < 0 || moved.some((row) => row.key === before)) {
    return { scheme, key };
  }
  const rest = list.toSpliced(from, size);
  const at = before === null ? rest.length : rest.findIndex((row) => row.key === before);
  const after = rest.toSpliced(at, 0, .../** @type {any[]} */ (moved));
  const problem = kind === "attribute" ? orderProblem(/** @type {Attribute[]} */ (after)) : "";
  return problem ? { refused: problem } : { scheme: withList(scheme, kind, after), key };
}

/** Move a question by one place, with those that follow from it. @type {(scheme: Scheme, kind: Kind, key: string, by: 1 | -1) => Edit} */
export function move(scheme, kind, key, by) {
  const shown = kind === "relation" ? scheme.relations.filter((relation) => !relation.identity || relation.key === key) : listOf(scheme, kind);
  const from = shown.findIndex((row) => row.key === key);
  if (by < 0) {
    let at = from - 1;
    if (kind === "attribute") { // over a family as a whole, unless the question is of that family
      while (at > 0 && familyAt(scheme.attributes, at, from)) {
        at -= 1;
      }
    }
    return at < 0 ? { refused: "It is the first." } : moveBefore(scheme, kind, key, shown[at].key);
  }
  const next = from + (kind === "attribute" ? familySize(scheme.attributes, from) : 1);
  if (next >= shown.length) {
    return { refused: "It is the last." };
  }
  const over = next + (kind === "attribute" ? familySize(scheme.attributes, next) : 1);
  return moveBefore(scheme, kind, key, shown[over]?.key ?? null);
}

/** Whether an earlier question begins a family that this one is in and the mover is not. @type {(list: Attribute[], at: number, mover: number) => boolean} */
function familyAt(list, at, mover) {
  for (let first = at - 1; first >= 0; first -= 1) {
    const end = first + familySize(list, first);
    if (end > at) {
      return end <= mover;
    }
  }
  return false;
}

/** Ask a question by the first value of the one above it that stands as deep. @type {(scheme: Scheme, kind: Kind, key: string) => Edit} */
export function indent(scheme, kind, key) {
  if (kind !== "attribute" && kind !== "relation") {
    return { refused: "Levels and categories depend on nothing." };
  }
  const question = /** @type {Attribute | Relation} */ (find(scheme, kind, key));
  if ("identity" in question && question.identity) {
    return { refused: OF_CATEGORY };
  }
  const condition = question.asked_if;
  const attributes = leading(scheme, kind, key).filter((row) => row.key !== CATEGORY);
  /** @type {(row: { key: string }) => boolean} */
  const beside = (row) => JSON.stringify(find(scheme, "attribute", row.key)?.asked_if ?? null) === JSON.stringify(condition);
  const above = attributes.findLast(beside)
    ?? (condition === null ? leading(scheme, kind, key).find((row) => row.key === CATEGORY) : undefined);
  if (above === undefined) {
    return { refused: "There is no question above it whose answer it could depend on." };
  }
  const [value] = above.values;
  return change(scheme, kind, key, { asked_if: { question: above.key, values: [value.key] } });
}

/** Ask a question whenever the one is asked that it depended on. @type {(scheme: Scheme, kind: Kind, key: string) => Edit} */
export function outdent(scheme, kind, key) {
  const question = kind === "attribute" || kind === "relation" ? find(scheme, kind, key) : undefined;
  const condition = question?.asked_if ?? null;
  if (condition === null) {
    return { refused: "It is always asked." };
  }
  if (question && "identity" in question && question.identity) {
    return { refused: OF_CATEGORY };
  }
  const above = "relation" in condition ? find(scheme, "relation", condition.relation) : find(scheme, "attribute", condition.question);
  return change(scheme, kind, key, { asked_if: above?.asked_if ?? null });
}

/** Let a category point to antecedents, or no longer. @type {(scheme: Scheme, category: string, fields: Partial<Relation> | null) => Edit} */
export function setPointing(scheme, category, fields) {
  const relation = identityOf(scheme, category);
  if (relation) {
    const removed = fields === null ? remove(scheme, "relation", relation.key) : change(scheme, "relation", relation.key, fields);
    return "scheme" in removed ? { scheme: removed.scheme, key: category } : removed;
  }
  if (fields === null) {
    return { scheme, key: category };
  }
  const { label } = /** @type {Category} */ (find(scheme, "category", category));
  /** @type {Relation} */
  const identity = {
    ...EMPTY.relation(scheme, category, label), identity: true, asked_if: { question: CATEGORY, values: [category] }, ...fields,
  };
  const at = scheme.relations.findLastIndex((relation) => relation.identity) + 1;
  return { scheme: { ...scheme, relations: scheme.relations.toSpliced(at, 0, identity) }, key: category };
}

/** Ask an attribute in another way: values are kept for the day on which they are listed again, unless there are none then. @type {(scheme: Scheme, key: string, kind: Attribute["kind"]) => Edit} */
export function setKind(scheme, key, kind) {
  const attribute = /** @type {Attribute} */ (find(scheme, "attribute", key));
  if (LISTED.includes(kind)) {
    return change(scheme, "attribute", key, { kind });
  }
  const asked = scheme.attributes.filter(({ asked_if }) => asksBy(asked_if, key));
  if (asked.length > 0 && canLead(attribute)) {
    return { refused: `${joined(asked.map((row) => labelOf(row, row.key)), "and")} depends on its values.` };
  }
  return change(scheme, "attribute", key, { kind, values: [] });
}
