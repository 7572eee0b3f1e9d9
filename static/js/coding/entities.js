// Chains as things to work with: listed, named, merged, split. Pure: what would change, or why it cannot be.
import { chains } from "./chains.js";
import { isLegal } from "./candidates.js";
import { judgement, sameJudgement } from "./state.js";

/**
 * The chains of the text in the order of their first members: from the second member on, entities with an index at once.
 * @param {Numbers} numbers
 * @returns {Entity[]}
 */
export function entities(model, judgements, numbers) {
  const found = [];
  for (const [chain, members] of chains(model, judgements).members) {
    if (members.length > 1 || chain.startsWith("#")) {
      const name = nameOf(judgements, members);
      const words = model.byKey.get(members[0]).words || "∅";
      found.push({ chain, number: numbers.byChain.get(chain), name, words, members });
    }
  }
  const place = (entity) => model.byKey.get(entity.members[0]).order;
  return found.sort((one, other) => place(one) - place(other));
}

/** The entities some of whose words, or whose name or number, hold the query. @param {Entity[]} list */
export function filtered(model, list, query) {
  const wanted = query.trim().toLowerCase();
  return wanted === "" ? list : list.filter((entity) => String(entity.number) === wanted
    || entity.name.toLowerCase().includes(wanted)
    || entity.members.some((key) => model.byKey.get(key).words.toLowerCase().includes(wanted)));
}

/** What the coder calls a chain: the name on the first of its members that carries one. */
export function nameOf(judgements, members) {
  for (const key of members) {
    const name = judgements.get(key)?.name;
    if (name) {
      return name;
    }
  }
  return "";
}

/** @param {string[]} members @param {string} name @returns {Plan} */
export function rename(model, judgements, members, name) {
  const coded = members.filter((key) => model.byKey.get(key).coded);
  if (coded.length === 0) {
    return { refused: "A chain without a judged member cannot be named." };
  }
  const carrier = coded.find((key) => judgements.get(key)?.name) ?? coded[0];
  return plan(model, judgements, coded.map((key) => [key, (value) => ({ ...value, name: key === carrier ? name.trim() : "" })]));
}

/**
 * All members of two chains in one.
 * @param {string} one @param {string} other names of chains
 * @returns {Plan}
 */
export function merge(model, judgements, one, other) {
  const current = chains(model, judgements);
  if (one === other || !current.members.has(one) || !current.members.has(other)) {
    return { refused: "Choose two chains." };
  }
  if (model.answers === "indices") {
    const [from, to] = [other.slice(1), one.slice(1)];
    const renamed = (value) => ({ ...value, indices: [...new Set(value.indices.map((index) => (index === from ? to : index)))] });
    return plan(model, judgements, current.members.get(other).map((key) => [key, renamed]));
  }
  const order = (chain) => model.byKey.get(current.members.get(chain)[0]).order;
  const [first, second] = order(one) <= order(other) ? [one, other] : [other, one];
  // The root of one chain points into the other; a root that comes later can do so under every scheme.
  for (const [root, into] of [[second, first], [first, second]]) {
    const link = linkTo(model, judgements, root, current.members.get(into));
    if (link) {
      const merged = plan(model, judgements, [[root, () => link]]);
      const names = chains(model, merged.after).of;
      if (String(names.get(one)) === String(names.get(other))) {
        return merged;
      }
    }
  }
  return { refused: `“${model.byKey.get(second).words}” cannot point to any member of the other chain.` };
}

/**
 * Part of a chain as a chain of its own.
 * where to split
 * @param {boolean} following this markable with all members after it, or it alone
 * @returns {Plan}
 */
export function split(model, judgements, chain, key, following) {
  const members = chains(model, judgements).members.get(chain) ?? [];
  const from = model.byKey.get(key).order;
  const leaves = (one) => (following ? model.byKey.get(one).order >= from : one === key);
  const apart = new Set(members.filter(leaves));
  const rest = new Set(members.filter((one) => !apart.has(one)));
  if (apart.size === 0 || rest.size === 0) {
    return { refused: members.length > 1 ? "There is no member before this one." : "There is nothing to split." };
  }
  if (model.answers === "indices") {
    const own = chain.slice(1);
    const fresh = freeIndex(judgements);
    return plan(model, judgements, [...apart].map((one) => [one, (value) => ({
      ...value, indices: value.indices.map((index) => (index === own ? fresh : index)),
    })]));
  }
  const cut = (side, elsewhere) => [...side].map((one) => [one, (value) => {
    const kept = value.pointers.filter((target) => !elsewhere.has(target));
    const crossing = value.pointers.filter((target) => elsewhere.has(target));
    const behind = crossing.flatMap((target) => beyond(model, judgements, one, target, side, elsewhere));
    return { ...value, pointers: [...new Set([...kept, ...behind])] };
  }]);
  let parted = plan(model, judgements, [...cut(apart, rest), ...cut(rest, apart)]).after;
  for (const side of [apart, rest]) {
    parted = gathered(model, parted, side);
  }
  // What has lost its only antecedent begins a chain: the coder has to say as what.
  const result = plan(model, judgements, members.map((one) => [one, () => {
    const value = judgement(parted.get(one));
    return value.pointers.length === 0 && judgements.get(one)?.pointers.length > 0 ? { ...value, category: null } : value;
  }]));
  const after = chains(model, result.after).of;
  const together = [...apart].some((one) => [...rest].some((another) => !isAmbiguous(judgements, one)
    && !isAmbiguous(judgements, another) && after.get(one).some((name) => after.get(another).includes(name))));
  return together ? { refused: "These pointers go in circles; take one away by hand." } : result;
}

function isAmbiguous(judgements, key) {
  return (judgements.get(key)?.pointers.length ?? 0) > 1;
}

/** The antecedents on one's own side that lie behind one across the cut. */
function beyond(model, judgements, from, target, side, elsewhere) {
  const found = [];
  const seen = new Set([target]);
  const open = [target];
  while (open.length > 0) {
    for (const next of judgements.get(open.pop())?.pointers ?? []) {
      if (side.has(next) && next !== from) {
        found.push(next);
      } else if (elsewhere.has(next) && !seen.has(next)) {
        seen.add(next);
        open.push(next);
      }
    }
  }
  const category = model.categories.find((one) => one.key === judgements.get(from).category);
  return found.filter((one) => isLegal(model, from, category, one));
}

/** The side of a cut as one chain again: each root but the first points to the nearest member of the first. */
function gathered(model, judgements, side) {
  const after = new Map(judgements);
  const sorted = [...side].sort((one, other) => model.byKey.get(one).order - model.byKey.get(other).order);
  for (;;) {
    const { of } = chains(model, new Map(after));
    const [main] = of.get(sorted[0]).filter((root) => side.has(root));
    const root = sorted.flatMap((one) => of.get(one)).find((one) => side.has(one) && one !== main);
    const link = root && linkTo(model, after, root, sorted.filter((one) => of.get(one).includes(main)));
    if (!link) {
      return after;
    }
    after.set(root, link);
  }
}

/** The judgement by which a markable points to the nearest member before it, else to any that the scheme allows. */
function linkTo(model, judgements, root, members) {
  const from = model.byKey.get(root);
  if (!from.coded) {
    return null;
  }
  const value = judgement(judgements.get(root));
  const categories = [...model.categories].sort((one, other) => (other.key === value.category) - (one.key === value.category));
  const near = [...members].sort((one, other) => distance(model, from, one) - distance(model, from, other));
  for (const category of categories.filter((one) => one.points_to)) {
    const target = near.find((one) => isLegal(model, root, category, one));
    if (target) {
      return { ...value, category: category.key, pointers: [target] };
    }
  }
  return null;
}

function distance(model, from, key) {
  const { order } = model.byKey.get(key);
  return order < from.order ? from.order - order : 1e9 + order;
}

/** @param {string|null} [except] a markable that does not count @returns {string} a new index */
export function freeIndex(judgements, except = null) {
  const taken = new Set();
  for (const [key, value] of judgements) {
    if (key !== except) {
      value.indices.forEach((index) => taken.add(index));
    }
  }
  let free = 1;
  while (taken.has(String(free))) {
    free += 1;
  }
  return String(free);
}

/** @returns {{changes: [string, Judgement][], after: Judgements}} */
function plan(model, judgements, wanted) {
  const after = new Map(judgements);
  const changes = [];
  for (const [key, change] of wanted) {
    const before = judgement(judgements.get(key));
    const value = judgement(change(before));
    if (model.byKey.get(key).coded && !sameJudgement(before, value)) {
      after.set(key, value);
      changes.push([key, value]);
    }
  }
  return { changes, after };
}
