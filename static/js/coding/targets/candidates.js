// What the current markable may point to, best guesses first. Pure.
import { chains } from "../chains/chains.js";
import { categoriesOn, identityOf, targetViolation } from "../questions/constraints.js";
/** @import { Candidate, Chains, Judgements, Markable, Model, RelationConstraints } from "../types.js" */

export const LETTERS = ["a", "s", "d", "f", "g", "h", "j", "k", "l"];

// How many places a hint is worth against sheer nearness. Same words weigh most; the last mention of a chain stands
// for the chain, so the mentions before it step back.
const SAME_WORDS = 12;
const SAME_HEAD = 8;
const LAST_OF_CHAIN = 4;
const INSIDE_CHAIN = -6;

/** Whether a relation allows a target. @type {(model: Model, key: string, relation: RelationConstraints | null, target: string) => boolean} */
export function isLegal(model, key, relation, target) {
  const from = model.byKey.get(key);
  return Boolean(from && relation && targetViolation(relation, from, model.byKey.get(target)) === null);
}

/**
 * The relation whose targets are on offer: the one that is named; else that of the category chosen, or of the first that points.
 * @type {(model: Model, judgements: Judgements, key: string, relation?: string | null) => RelationConstraints | null}
 */
export function relationOf({ constraints, byKey }, judgements, key, relation = null) {
  if (relation !== null) {
    return constraints.relations[relation];
  }
  const { category = null } = judgements.get(key) ?? {};
  const categories = category === null ? categoriesOn(constraints, byKey.at(key).level) : [category];
  return categories.map((category) => identityOf(constraints, category)).find((relation) => relation && !relation.retired) ?? null;
}

/** @type {(model: Model, judgements: Judgements, key: string, relation?: string | null) => Candidate[]} relation: other than identity */
export function candidates(model, judgements, key, relation = null) {
  const list = relation !== null || model.answers === "pointers" ? targets(model, judgements, key, relation)
    : model.answers === "indices" ? entities(model, judgements, key)
      : [];
  return list.map((candidate, place) => ({ ...candidate, letter: LETTERS[place] ?? null }));
}

/** @type {(model: Model, judgements: Judgements, key: string, name: string | null) => Omit<Candidate, "letter">[]} */
function targets(model, judgements, key, name) {
  const relation = relationOf(model, judgements, key, name);
  if (!relation) {
    return [];
  }
  const value = judgements.get(key);
  const chosen = ((name === null ? value?.pointers : value?.relations[name]) ?? []).flat();
  const from = model.byKey.at(key);
  const legal = model.markables.filter((markable) => targetViolation(relation, from, markable) === null);
  // The answer being given is left out: the letters must not move while one is choosing.
  const bonus = standing(model, chains(model, judgements, key), from);
  return rank(model, key, legal, bonus).map((markable) => ({ key: markable.key, index: null, chosen: chosen.includes(markable.key) }));
}

/**
 * One candidate for each entity, shown as its latest mention before the current markable.
 * @type {(model: Model, judgements: Judgements, key: string) => Omit<Candidate, "letter">[]}
 */
function entities(model, judgements, key) {
  const from = model.byKey.at(key);
  const chosen = judgements.get(key)?.indices ?? [];
  const indexOf = /** @type {Map<Markable, string[]>} */ (new Map());
  for (const [chain, members] of chains(model, judgements, key).members) {
    const mentions = members.map((member) => model.byKey.at(member));
    const shown = mentions.filter((mention) => mention.order < from.order).at(-1) ?? mentions[0];
    indexOf.set(shown, [...(indexOf.get(shown) ?? []), chain.slice(1)]);
  }
  return rank(model, key, [...indexOf.keys()], () => 0).flatMap((markable) => (indexOf.get(markable) ?? [])
    .map((index) => ({ key: markable.key, index, chosen: chosen.includes(index) })));
}

/**
 * Nearest first; each hint moves a candidate up, or down, by a fixed number of places.
 * @type {(model: Model, key: string, legal: Markable[], bonus: (markable: Markable) => number) => Markable[]}
 */
function rank(model, key, legal, bonus) {
  const from = model.byKey.at(key);
  const words = from.words.toLowerCase();
  return legal
    .sort((a, b) => Math.abs(a.order - from.order) - Math.abs(b.order - from.order))
    .map((markable, distance) => {
      const same = markable.words.toLowerCase() === words ? SAME_WORDS : markable.lastWord === from.lastWord ? SAME_HEAD : 0;
      return { markable, distance, score: distance - same - bonus(markable) };
    })
    .sort((a, b) => a.score - b.score || a.distance - b.distance)
    .map(({ markable }) => markable);
}

/** @type {(model: Model, current: Chains, from: Markable) => (markable: Markable) => number} */
function standing(model, current, from) {
  const last = /** @type {Map<string, string | undefined>} */ (new Map());
  for (const [chain, members] of current.members) {
    if (members.length > 1) {
      last.set(chain, members.filter((member) => model.byKey.at(member).order < from.order).at(-1));
    }
  }
  return (markable) => {
    const its = (current.of.get(markable.key) ?? []).filter((chain) => last.has(chain));
    return its.length === 0 ? 0 : its.some((chain) => last.get(chain) === markable.key) ? LAST_OF_CHAIN : INSIDE_CHAIN;
  };
}
