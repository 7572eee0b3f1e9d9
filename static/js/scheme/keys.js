// Keys of questions and values, made from their labels. Pure.
import { CATEGORY } from "./questions.js";
/** @import { Kind, Scheme } from "./types.js" */

const MAX_KEY_LENGTH = 50;

/** A label as a key: small letters, digits and hyphens. @type {(label: string) => string} "" where nothing of it is left */
export function slug(label) {
  const plain = label.normalize("NFKD").replace(/\p{M}+/gu, "").toLowerCase().replaceAll("ß", "ss");
  return plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, MAX_KEY_LENGTH).replace(/-+$/, "");
}

/** @type {(base: string, taken: Iterable<string>) => string} */
export function freeKey(base, taken) {
  const used = new Set(taken);
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? "" : `-${number}`;
    const key = base.slice(0, MAX_KEY_LENGTH - suffix.length) + suffix;
    if (!used.has(key)) {
      return key;
    }
  }
}

/** Whether a key is still the one that was made from the label. @type {(key: string, label: string, fallback: string) => boolean} */
export function isMade(key, label, fallback) {
  const base = slug(label) || fallback;
  return key === base || (key.startsWith(`${base}-`) && /^\d+$/.test(key.slice(base.length + 1)));
}

/**
 * The keys that a question of a kind cannot have. Categories, relations and attributes have keys of their own.
 * @type {(scheme: Scheme, kind: Kind, but?: string) => string[]} but: the question's own key
 */
export function takenKeys(scheme, kind, but) {
  const others = kind === "level" ? scheme.levels : [...scheme.categories, ...scheme.relations, ...scheme.attributes];
  return [...others.map((row) => row.key).filter((key) => key !== but), ...(kind === "level" ? [] : [CATEGORY])];
}

/** Why a key cannot be written so; "": it can. @type {(key: string, taken: string[]) => string} */
export function keyProblem(key, taken) {
  if (!/^[-\w]+$/.test(key) || key.length > MAX_KEY_LENGTH) {
    return `A key has 1 to ${MAX_KEY_LENGTH} letters, digits, hyphens or underscores.`;
  }
  return taken.includes(key) ? `Another question has the key ${key}.` : "";
}
