// What changes whole chains: naming, merging, splitting. Pure: what would be judged how, or why it cannot be.
import { judgement, sameJudgement } from "../../workbench/judgements.js";
import { listsOf, readingsOf, singlesOf } from "../../workbench/readings.js";
import { isLegal } from "../targets/candidates.js";
import { chains, freeIndex } from "./chains.js";
import { categoriesOn, identityOf, withoutUnasked } from "../questions/constraints.js";
/** @import { Judgement, Judgements, Markable, Model, Plan, Refusal } from "../types.js" */

/** @type {(model: Model, judgements: Judgements, members: string[], name: string) => Plan | Refusal} */
export function rename(model, judgements, members, name) {
  const coded = members.filter((key) => model.byKey.get(key)?.coded);
  if (coded.length === 0) {
    return { refused: "A chain without a judged member cannot be named." };
  }
  const carrier = coded.find((key) => judgements.get(key)?.name) ?? coded[0];
  return plan(model, judgements, coded.map((key) => [key, (value) => ({ ...value, name: key === carrier ? name.trim() : "" })]));
}

/** All members of two chains in one. @type {(model: Model, judgements: Judgements, chain: string, other: string) => Plan | Refusal} */
export function merge(model, judgements, chain, other) {
  const current = chains(model, judgements);
  if (chain === other || !current.members.has(chain) || !current.members.has(other)) {
    return { refused: "Select two chains." };
  }
  if (model.answers === "indices") {
    const [from, to] = [other.slice(1), chain.slice(1)];
    /** @param {Judgement} value */
    const renamed = (value) => ({ ...value, indices: [...new Set(value.indices.map((index) => (index === from ? to : index)))] });
    return plan(model, judgements, current.members.at(other).map((key) => [key, renamed]));
  }
  const order = (/** @type {string} */ chain) => model.byKey.at(current.members.at(chain)[0]).order;
  const [first, second] = order(chain) <= order(other) ? [chain, other] : [other, chain];
  // The root of one chain points into the other; a root that comes later can do so under every scheme.
  for (const [root, into] of [[second, first], [first, second]]) {
    const link = linkTo(model, judgements, root, current.members.at(into));
    if (link) {
      const merged = plan(model, judgements, [[root, () => link]]);
      const names = chains(model, merged.after).of;
      if (String(names.get(chain)) === String(names.get(other))) {
        return merged;
      }
    }
  }
  return { refused: `“${model.byKey.at(second).words}” cannot point to any member of the other chain.` };
}

/**
 * Part of a chain as a chain of its own: where it is split, a markable with all members after it, or it alone.
 *
 * @type {(model: Model, judgements: Judgements, chain: string, key: string, following: boolean) => Plan | Refusal}
 */
export function split(model, judgements, chain, key, following) {
  const members = chains(model, judgements).members.get(chain) ?? [];
  if (!members.includes(key)) { // by now
    return { refused: "Nothing to split." };
  }
  const from = model.byKey.at(key).order;
  const leaves = (/** @type {string} */ member) => (following ? model.byKey.at(member).order >= from : member === key);
  const apart = new Set(members.filter(leaves));
  const rest = new Set(members.filter((member) => !apart.has(member)));
  if (apart.size === 0 || rest.size === 0) {
    return { refused: members.length > 1 ? "There is no member before this one." : "Nothing to split." };
  }
  if (model.answers === "indices") {
    const own = chain.slice(1);
    const fresh = freeIndex(judgements);
    return plan(model, judgements, [...apart].map((member) => [member, (value) => ({
      ...value, indices: value.indices.map((index) => (index === own ? fresh : index)),
    })]));
  }
  let parted = plan(model, judgements, [...cut(model, judgements, apart, rest), ...cut(model, judgements, rest, apart)]).after;
  for (const side of [apart, rest]) {
    parted = gathered(model, parted, side);
  }
  const result = begun(model, judgements, parted, members);
  const after = chains(model, result.after).of;
  const together = [...apart].some((member) => [...rest].some((another) => !isAmbiguous(judgements, member)
    && !isAmbiguous(judgements, another) && after.get(member)?.some((name) => after.get(another)?.includes(name))));
  return together ? { refused: "These pointers form a circle. Delete one of them." } : result;
}

/**
 * What stays of a chain where members leave it, as one chain again. Those that leave are as they were.
 * @type {(model: Model, judgements: Judgements, rest: Set<string>, leaving: Set<string>) => Plan}
 */
export function leave(model, judgements, rest, leaving) {
  const parted = plan(model, judgements, cut(model, judgements, rest, leaving)).after;
  return begun(model, judgements, gathered(model, parted, rest), [...rest]);
}

/**
 * The pointers of one side of a cut without those across it; what is behind these is pointed to instead.
 * @type {(model: Model, judgements: Judgements, side: Set<string>, elsewhere: Set<string>) => Wanted}
 */
function cut(model, judgements, side, elsewhere) {
  return [...side].map((member) => [member, (value) => {
    const crossing = singlesOf(value.pointers).filter((target) => elsewhere.has(target));
    const kept = listsOf(value.pointers).filter((reading) => reading.length > 1 || !elsewhere.has(reading[0]));
    const behind = crossing.flatMap((target) => beyond(model, judgements, member, target, side, elsewhere));
    return { ...value, pointers: readingsOf([...kept, ...behind.map((target) => [target])]) };
  }]);
}

/**
 * What has lost its only antecedent begins a chain: the coder has to say as what.
 * @type {(model: Model, judgements: Judgements, parted: Judgements, members: string[]) => Plan}
 */
function begun(model, judgements, parted, members) {
  return plan(model, judgements, members.map((member) => [member, () => {
    const value = judgement(parted.get(member));
    return value.pointers.length > 0 || judgement(judgements.get(member)).pointers.length === 0 ? value
      : withoutUnasked(model.constraints, model.byKey.at(member).level, { ...value, category: null }).kept;
  }]));
}

/** @type {(judgements: Judgements, key: string) => boolean} */
const isAmbiguous = (judgements, key) => (judgements.get(key)?.pointers.length ?? 0) > 1;

/**
 * The antecedents on one's own side that lie behind one across the cut.
 * @type {(model: Model, judgements: Judgements, from: string, target: string, side: Set<string>, elsewhere: Set<string>) => string[]}
 */
function beyond(model, judgements, from, target, side, elsewhere) {
  const found = /** @type {string[]} */ ([]);
  const seen = new Set([target]);
  const open = [target];
  while (open.length > 0) {
    for (const next of singlesOf(judgements.get(open.pop() ?? "")?.pointers ?? [])) {
      if (side.has(next) && next !== from) {
        found.push(next);
      } else if (elsewhere.has(next) && !seen.has(next)) {
        seen.add(next);
        open.push(next);
      }
    }
  }
  const identity = identityOf(model.constraints, judgements.get(from)?.category);
  return found.filter((target) => isLegal(model, from, identity, target));
}

/**
 * The side of a cut as one chain again: each root but the first points to the nearest member of the first.
 * @type {(model: Model, judgements: Judgements, side: Set<string>) => Judgements}
 */
function gathered(model, judgements, side) {
  const after = new Map(judgements);
  const sorted = [...side].sort((a, b) => model.byKey.at(a).order - model.byKey.at(b).order);
  for (;;) {
    const { of } = chains(model, new Map(after));
    const rootsOf = (/** @type {string} */ member) => of.get(member) ?? [];
    const [main] = rootsOf(sorted[0]).filter((root) => side.has(root));
    const root = sorted.flatMap(rootsOf).find((key) => side.has(key) && key !== main);
    const link = root && linkTo(model, after, root, sorted.filter((key) => rootsOf(key).includes(main)));
    if (!link) {
      return after;
    }
    after.set(root, link);
  }
}

/**
 * The judgement by which a markable points to the nearest member before it, else to any that the scheme allows.
 * @type {(model: Model, judgements: Judgements, root: string, members: string[]) => Judgement | null}
 */
function linkTo(model, judgements, root, members) {
  const from = model.byKey.at(root);
  if (!from.coded) {
    return null;
  }
  const value = judgement(judgements.get(root));
  if (singlesOf(value.pointers).length < value.pointers.length) {
    return null; // it stands for several others together
  }
  const categories = categoriesOn(model.constraints, from.level).sort((a, b) => Number(b === value.category) - Number(a === value.category));
  const near = [...members].sort((a, b) => distance(model, from, a) - distance(model, from, b));
  for (const category of categories) {
    const target = near.find((key) => isLegal(model, root, identityOf(model.constraints, category), key));
    if (target) {
      return withoutUnasked(model.constraints, from.level, { ...value, category, pointers: [target] }).kept;
    }
  }
  return null;
}

/** @type {(model: Model, from: Markable, key: string) => number} */
function distance(model, from, key) {
  const { order } = model.byKey.at(key);
  return order < from.order ? from.order - order : 1e9 + order;
}

/** @typedef {[key: string, change: (value: Judgement) => Judgement][]} Wanted */

/** @type {(model: Model, judgements: Judgements, wanted: Wanted) => Plan} */
function plan(model, judgements, wanted) {
  const after = new Map(judgements);
  const judged = /** @type {Plan["judged"]} */ ([]);
  for (const [key, change] of wanted) {
    const before = judgement(judgements.get(key));
    const value = judgement(change(before));
    if (model.byKey.at(key).coded && !sameJudgement(before, value)) {
      after.set(key, value);
      judged.push([key, value]);
    }
  }
  return { judged, after };
}
