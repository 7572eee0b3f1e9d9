// The values of attributes, and what becomes of answers where values are merged. Pure.
import { change, remove, renameValues } from "./edits.js";
import { freeKey, isMade, slug } from "./keys.js";
import { CATEGORY, find } from "./questions.js";
/** @import { Condition, Draft, Edit, Scheme, Value } from "./types.js" */

/** @type {(scheme: Scheme, attribute: string, values: Value[]) => Scheme} */
function withValues(scheme, attribute, values) {
  return /** @type {{ scheme: Scheme }} */ (change(scheme, "attribute", attribute, { values })).scheme;
}

/** @type {(scheme: Scheme, attribute: string) => Value[]} */
const valuesOf = (scheme, attribute) => find(scheme, "attribute", attribute)?.values ?? [];

/** Add values with these labels at the end. @type {(scheme: Scheme, attribute: string, labels: string[]) => Edit} key: that of the first */
export function addValues(scheme, attribute, labels) {
  const values = [...valuesOf(scheme, attribute)];
  const first = values.length;
  for (const label of labels) {
    values.push({ key: freeKey(slug(label) || "value", values.map(({ key }) => key)), label, help: "", colour: "", retired: false });
  }
  return { scheme: withValues(scheme, attribute, values), key: values[first]?.key ?? "" };
}

/** @type {(scheme: Scheme, attribute: string, key: string, fields: Partial<Value>) => Edit} */
export function changeValue(scheme, attribute, key, fields) {
  const values = valuesOf(scheme, attribute).map((value) => (value.key === key ? { ...value, ...fields } : value));
  return { scheme: withValues(scheme, attribute, values), key };
}

/** Give a value another label; its key follows where it may. @type {(scheme: Scheme, attribute: string, key: string, label: string, fixed: boolean) => Edit} */
export function relabelValue(scheme, attribute, key, label, fixed) {
  const values = valuesOf(scheme, attribute);
  const before = values.find((value) => value.key === key);
  const { scheme: after } = /** @type {{ scheme: Scheme }} */ (changeValue(scheme, attribute, key, { label }));
  if (fixed || !before || !isMade(key, before.label, "value")) {
    return { scheme: after, key };
  }
  const taken = values.map((value) => value.key).filter((name) => name !== key);
  return renameValue(after, attribute, key, freeKey(slug(label) || "value", taken));
}

/** Let what is asked by one value be asked by another; null: by none. @type {(scheme: Scheme, question: string, from: string, to: string | null, but?: (row: object) => boolean) => Scheme} */
function follow(scheme, question, from, to, but = () => false) {
  /** @type {<Q extends { asked_if: Condition | null }>(row: Q) => Q} */
  const renamed = (row) => (but(row) ? row : { ...row, asked_if: renameValues(row.asked_if, question, from, to) });
  return { ...scheme, relations: scheme.relations.map(renamed), attributes: scheme.attributes.map(renamed) };
}

/** @type {(scheme: Scheme, attribute: string, from: string, to: string) => Edit} */
export function renameValue(scheme, attribute, from, to) {
  const values = valuesOf(scheme, attribute).map((value) => (value.key === from ? { ...value, key: to } : value));
  return { scheme: follow(withValues(scheme, attribute, values), attribute, from, to), key: to };
}

/** @type {(scheme: Scheme, attribute: string, key: string) => Edit} */
export function removeValue(scheme, attribute, key) {
  const after = withValues(scheme, attribute, valuesOf(scheme, attribute).filter((value) => value.key !== key));
  return { scheme: follow(after, attribute, key, null), key };
}

/**
 * The scheme without the values at the end of lists in which nothing is written yet.
 * @type {(scheme: Scheme, isSaved: (attribute: string, value: string) => boolean) => Scheme}
 */
export function withoutBlankValues(scheme, isSaved) {
  let written = scheme;
  for (const { key, values } of scheme.attributes) {
    const last = values.findLastIndex((value) => value.label.trim() !== "" || isSaved(key, value.key));
    for (const blank of values.slice(last + 1)) {
      ({ scheme: written } = /** @type {{ scheme: Scheme }} */ (removeValue(written, key, blank.key)));
    }
  }
  return written;
}

/** @type {(scheme: Scheme, attribute: string, key: string, by: 1 | -1) => Edit} */
export function moveValue(scheme, attribute, key, by) {
  const values = valuesOf(scheme, attribute);
  const from = values.findIndex((value) => value.key === key);
  const to = from + by;
  if (from < 0 || to < 0 || to >= values.length) {
    return { refused: by < 0 ? "It is the first." : "It is the last." };
  }
  return { scheme: withValues(scheme, attribute, values.toSpliced(from, 1).toSpliced(to, 0, values[from])), key };
}

/** Answer a value or category by another one from now on. @type {(draft: Draft, question: string, from: string, into: string) => Draft} */
export function mergeValues({ scheme, merges }, question, from, into) {
  const isIdentity = (/** @type {object} */ row) => "identity" in row && row.identity === true;
  const edit = question === CATEGORY ? remove(follow(scheme, CATEGORY, from, into, isIdentity), "category", from)
    : removeValue(follow(scheme, question, from, into), question, from);
  const followed = merges.map((merge) => (merge.question === question && merge.into === from ? { ...merge, into } : merge));
  return { scheme: "scheme" in edit ? edit.scheme : scheme, merges: [...followed, { question, value: from, into }] };
}
