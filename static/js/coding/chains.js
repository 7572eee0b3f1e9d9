// Chains, computed whenever they are asked for, and the numbers they keep while the page lives. Pure.

/** @typedef {import("./state.js").Model} Model */
/** @typedef {import("./state.js").Judgements} Judgements */
/**
 * Identity of a chain: the key of its root, or "#4" for the entity with index "4".
 * @typedef {{of: Map<string, string[]>, members: Map<string, string[]>}} Chains
 */
/** @typedef {{byChain: Map<string, number>, byMember: Map<string, number[]>, next: number}} Numbers */

/**
 * @param {Model} model
 * @param {Judgements} judgements
 * @param {string|null} [without] a markable whose own answer is left out
 * @returns {Chains}
 */
export function chains(model, judgements, without = null) {
  const of = new Map();
  if (model.answers === "indices") {
    for (const [key, value] of judgements) {
      if (key !== without && value.indices.length > 0) {
        of.set(key, value.indices.map((index) => `#${index}`));
      }
    }
  } else if (model.answers === "pointers") {
    for (const [key, roots] of rootsOf(model, judgements, without)) {
      of.set(key, roots);
    }
  }
  const members = new Map();
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
 * can be long). A circle that nothing leads out of has its earliest member as root.
 */
function rootsOf(model, judgements, without) {
  const targets = (key) => key === without
    ? []
    : (judgements.get(key)?.pointers ?? []).filter((target) => model.byKey.has(target));
  const order = (key) => model.byKey.get(key).order;
  const number = new Map();
  const low = new Map();
  const waiting = [];
  const isWaiting = new Set();
  const roots = new Map();
  let count = 0;

  const enter = (key) => {
    number.set(key, count);
    low.set(key, count);
    count += 1;
    waiting.push(key);
    isWaiting.add(key);
    return { key, targets: targets(key), at: 0 };
  };
  const finish = (key) => {
    const circle = [];
    do {
      circle.push(waiting.pop());
      isWaiting.delete(circle.at(-1));
    } while (circle.at(-1) !== key);
    const outside = new Set(circle.flatMap((member) => targets(member)
      .filter((target) => !circle.includes(target))
      .flatMap((target) => roots.get(target))));
    if (outside.size === 0) {
      outside.add(circle.reduce((one, other) => (order(other) < order(one) ? other : one)));
    }
    const sorted = [...outside].sort((one, other) => order(one) - order(other));
    circle.forEach((member) => roots.set(member, sorted));
  };

  for (const markable of model.markables) {
    const path = number.has(markable.key) ? [] : [enter(markable.key)];
    while (path.length > 0) {
      const here = path[path.length - 1];
      if (here.at < here.targets.length) {
        const target = here.targets[here.at];
        here.at += 1;
        if (!number.has(target)) {
          path.push(enter(target));
        } else if (isWaiting.has(target)) {
          low.set(here.key, Math.min(low.get(here.key), number.get(target)));
        }
        continue;
      }
      path.pop();
      if (path.length > 0) {
        const above = path[path.length - 1].key;
        low.set(above, Math.min(low.get(above), low.get(here.key)));
      }
      if (low.get(here.key) === number.get(here.key)) {
        finish(here.key);
      }
    }
  }
  return roots;
}

/** @returns {Numbers} */
export function noNumbers() {
  return { byChain: new Map(), byMember: new Map(), next: 1 };
}

/**
 * Numbers from the second member on, kept while the page lives; none is ever given to another chain.
 * @param {Numbers} before
 * @param {Chains} current
 * @returns {Numbers}
 */
export function renumber(before, current) {
  const visible = [...current.members].filter(([, members]) => members.length > 1).map(([chain]) => chain);
  const given = kept(before, current, visible);
  const used = new Set([...before.byChain.values(), ...given.values()]);
  let next = before.next;
  for (const chain of visible) {
    if (!given.has(chain)) {
      // An entity wears its own index where that is a free whole number.
      const own = /^#[1-9]\d{0,3}$/.test(chain) ? Number(chain.slice(1)) : next;
      while (used.has(next)) {
        next += 1;
      }
      given.set(chain, used.has(own) ? next : own);
      used.add(given.get(chain));
    }
  }
  const byMember = new Map();
  for (const [key, its] of current.of) {
    const numbers = its.filter((chain) => given.has(chain)).map((chain) => given.get(chain));
    if (numbers.length > 0) {
      byMember.set(key, numbers.sort((one, other) => one - other));
    }
  }
  return { byChain: new Map([...before.byChain, ...given]), byMember, next };
}

/**
 * A chain keeps the number that most of its members wore before, so that an edit which moves its root does not
 * repaint the page. Where two want the same number, the one with more such members has it.
 */
function kept(before, current, visible) {
  const claims = visible.flatMap((chain, place) => {
    const votes = new Map();
    if (!chain.startsWith("#")) {
      for (const number of current.members.get(chain).flatMap((member) => before.byMember.get(member) ?? [])) {
        votes.set(number, (votes.get(number) ?? 0) + 1);
      }
    }
    const own = before.byChain.get(chain);
    if (own !== undefined) {
      votes.set(own, (votes.get(own) ?? 0) + 0.5);
    }
    return [...votes].map(([number, weight]) => ({ chain, number, weight, place }));
  });
  claims.sort((one, other) => other.weight - one.weight || one.place - other.place);
  const given = new Map();
  const taken = new Set();
  for (const { chain, number } of claims) {
    if (!given.has(chain) && !taken.has(number)) {
      given.set(chain, number);
      taken.add(number);
    }
  }
  return given;
}

/**
 * Ten colours and three underlines: thirty looks before one comes back.
 * @param {number} number
 */
export function look(number) {
  const place = Math.max(0, number - 1);
  return { colour: (place % 10) + 1, line: (place % 3) + 1 };
}
