// Chains, computed whenever they are asked for, and the numbers they keep while the page lives. Pure.
import { singlesOf } from "../../workbench/readings.js";
import { Table } from "../../workbench/table.js";
/** @import { Chains, Judgements, Model, Numbers } from "../types.js" */

// Judgements are never changed, only replaced: going from word to word asks for the same chains again and again.
/** @type {WeakMap<Judgements, { model: Model, chains: Chains }>} */
const cache = new WeakMap();

/** @type {(model: Model, judgements: Judgements, without?: string | null) => Chains} */
export function chains(model, judgements, without = null) {
  const own = without === null ? undefined : judgements.get(without);
  if (own && own.pointers.length + own.indices.length > 0) {
    return computeChains(model, judgements, without);
  }
  const cached = cache.get(judgements);
  if (cached?.model === model) {
    return cached.chains;
  }
  const found = computeChains(model, judgements, null);
  cache.set(judgements, { model, chains: found });
  return found;
}

/** @type {(model: Model, judgements: Judgements, without: string | null) => Chains} */
function computeChains(model, judgements, without) {
  /** @type {Chains["of"]} */
  const of = new Map(model.answers === "pointers" ? rootsOf(model, judgements, without) : []);
  for (const [key, { indices }] of model.answers === "indices" ? judgements : []) {
    if (key !== without && indices.length > 0) {
      of.set(key, indices.map((index) => `#${index}`));
    }
  }
  /** @type {Chains["members"]} */
  const members = new Table();
  for (const markable of model.markables) {
    for (const chain of of.get(markable.key) ?? []) {
      const list = members.get(chain);
      if (list) {
        list.push(markable.key);
      } else {
        members.set(chain, [markable.key]);
      }
    }
  }
  return { of, members };
}

/**
 * Where one arrives by following pointers (Tarjan's strongly connected components, without recursion, since chains
 * can be long). A circle that nothing leads out of has its earliest member as root. Markables are numbered by their
 * order, and arrays of numbers keep this quick at every key.
 * @type {(model: Model, judgements: Judgements, without: string | null) => [string, string[]][]}
 */
function rootsOf(model, judgements, without) {
  const { markables, byKey } = model;
  const targets = /** @type {Map<number, number[]>} */ (new Map());
  const isTarget = new Set();
  const plural = new Set(); // those that stand for several others begin a chain of their own
  for (const [key, { pointers }] of judgements) {
    const from = pointers.length > 0 && key !== without && byKey.get(key);
    if (from) {
      const alone = singlesOf(pointers);
      const orders = alone.flatMap((target) => byKey.get(target)?.order ?? []);
      targets.set(from.order, orders);
      orders.forEach((order) => isTarget.add(order));
      if (alone.length < pointers.length) {
        plural.add(from.order);
      }
    }
  }
  const none = /** @type {number[]} */ ([]);
  const number = new Int32Array(markables.length).fill(-1);
  const low = new Int32Array(markables.length);
  const waits = new Uint8Array(markables.length);
  const waiting = /** @type {number[]} */ ([]);
  /** @type {Table<number, number[]>} */
  const roots = new Table();
  let count = 0;

  const enter = (/** @type {number} */ order) => {
    number[order] = count;
    low[order] = count;
    count += 1;
    waiting.push(order);
    waits[order] = 1;
    return { order, targets: targets.get(order) ?? none, at: 0 };
  };
  const finish = (/** @type {number} */ order) => {
    const own = targets.get(order) ?? none;
    if (waiting.at(-1) === order && own.length === 1 && own[0] !== order && !plural.has(order)) {
      waiting.pop();
      waits[order] = 0; // no circle, one target: the same chain
      roots.set(order, roots.at(own[0]));
      return;
    }
    const circle = waiting.splice(waiting.lastIndexOf(order)).reverse();
    circle.forEach((member) => {
      waits[member] = 0;
    });
    const inside = new Set(circle);
    const outside = new Set(circle.flatMap((member) => (targets.get(member) ?? none)
      .filter((target) => !inside.has(target))
      .flatMap((target) => roots.at(target))));
    circle.filter((member) => plural.has(member)).forEach((member) => outside.add(member));
    if (outside.size === 0) {
      outside.add(Math.min(...circle));
    }
    const sorted = [...outside].sort((a, b) => a - b);
    circle.forEach((member) => roots.set(member, sorted));
  };

  for (const { order } of markables) {
    if (!targets.has(order) && !isTarget.has(order)) {
      roots.set(order, [order]); // alone, as most are while one begins
      continue;
    }
    const path = number[order] >= 0 ? [] : [enter(order)];
    while (path.length > 0) {
      const here = path[path.length - 1];
      if (here.at < here.targets.length) {
        const target = here.targets[here.at];
        here.at += 1;
        if (number[target] < 0) {
          path.push(enter(target));
        } else if (waits[target]) {
          low[here.order] = Math.min(low[here.order], number[target]);
        }
        continue;
      }
      path.pop();
      if (path.length > 0) {
        const above = path[path.length - 1].order;
        low[above] = Math.min(low[above], low[here.order]);
      }
      if (low[here.order] === number[here.order]) {
        finish(here.order);
      }
    }
  }
  const keys = /** @type {Map<number[], string[]>} */ (new Map()); // those of a chain share one list
  return markables.map(({ key, order }) => {
    const own = roots.at(order);
    const names = keys.get(own) ?? own.map((root) => markables[root].key);
    keys.set(own, names);
    return [key, names];
  });
}

/** @type {(given?: Iterable<[string, number]>) => Numbers} given: numbers of chains before the page was loaded again */
export const emptyNumbers = (given = []) => ({ byChain: new Map(given), byMember: new Map(), next: 1, of: null });

/** Numbers from the second member on, kept while the window is open; none is ever given to another chain. @type {(before: Numbers, current: Chains) => Numbers} */
export function renumber(before, current) {
  if (before.of === current) {
    return before;
  }
  const visible = [...current.members].filter(([, members]) => members.length > 1).map(([chain]) => chain);
  const given = keepNumbers(before, current, visible);
  const used = new Set([...before.byChain.values(), ...given.values()]);
  let next = before.next;
  for (const chain of visible) {
    if (!given.has(chain)) {
      // An entity wears its own index where that is a free whole number.
      const own = /^#[1-9]\d{0,3}$/.test(chain) ? Number(chain.slice(1)) : next;
      while (used.has(next)) {
        next += 1;
      }
      const number = used.has(own) ? next : own;
      given.set(chain, number);
      used.add(number);
    }
  }
  const byMember = /** @type {Numbers["byMember"]} */ (new Map());
  for (const [key, its] of current.of) {
    const numbers = its.flatMap((chain) => given.get(chain) ?? []);
    if (numbers.length > 0) {
      byMember.set(key, numbers.sort((a, b) => a - b));
    }
  }
  return { byChain: new Map([...before.byChain, ...given]), byMember, next, of: current };
}

/**
 * A chain keeps the number that most of its members wore before, so that an edit which moves its root does not
 * repaint the page. Where two want the same number, the one with more such members has it.
 * @type {(before: Numbers, current: Chains, visible: string[]) => Map<string, number>}
 */
function keepNumbers(before, current, visible) {
  const claims = visible.flatMap((chain, place) => {
    const votes = /** @type {Map<number, number>} */ (new Map());
    if (!chain.startsWith("#")) {
      for (const number of current.members.at(chain).flatMap((member) => before.byMember.get(member) ?? [])) {
        votes.set(number, (votes.get(number) ?? 0) + 1);
      }
    }
    const own = before.byChain.get(chain);
    if (own !== undefined) {
      votes.set(own, (votes.get(own) ?? 0) + 0.5);
    }
    return [...votes].map(([number, weight]) => ({ chain, number, weight, place }));
  });
  claims.sort((a, b) => b.weight - a.weight || a.place - b.place);
  const given = /** @type {Map<string, number>} */ (new Map());
  const taken = new Set();
  for (const { chain, number } of claims) {
    if (!given.has(chain) && !taken.has(number)) {
      given.set(chain, number);
      taken.add(number);
    }
  }
  return given;
}

/** Ten colours and three underlines: thirty looks before one comes back. @type {(number: number) => { colour: number, line: number }} */
export function look(number) {
  const place = Math.max(0, number - 1);
  return { colour: (place % 10) + 1, line: (place % 3) + 1 };
}

/** The class of its colour. @param {number | null | undefined} number */
export const chainLook = (number) => (number ? ` chain-${look(number).colour}` : "");

/** What the coder calls a chain: the name on the first of its members that carries one. @type {(judgements: Judgements, members: string[]) => string} */
export const nameOf = (judgements, members) => members.map((key) => judgements.get(key)?.name).find(Boolean) ?? "";

/** An index that no markable has, but for one that does not count. @type {(judgements: Judgements, except?: string | null) => string} */
export function freeIndex(judgements, except = null) {
  const taken = new Set([...judgements].flatMap(([key, { indices }]) => (key === except ? [] : indices)));
  let free = 1;
  while (taken.has(String(free))) {
    free += 1;
  }
  return String(free);
}
