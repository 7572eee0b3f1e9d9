// What changes a pyramid: each edit says what to do, as one step, or why it cannot be done. Pure.
import { deed, judgement, keyOf } from "../coding/state.js";
import { apply, markOf, nameOf, PYRAMID, see } from "./state.js";

const LONGEST = 20; // parts, as on the server
const LABEL = 500; // characters, as on the server

/** The part that a run of words is, in code points. @param {Run} run @returns {[number, number]} */
export function partOf({ words }, [first, last]) {
  return [words[first].start, words[last].end];
}

/** @param {Run} run @returns {string} key of the contributor that the words would be */
export function keyOfRun(model, run) {
  return keyOf(model.level, [partOf(model, run)]);
}

/** Eight characters that two windows will not both think of. @param {Crypto} crypto @returns {string} */
export function newKey(crypto) {
  const letters = "0123456789abcdefghijklmnopqrstuvwxyz";
  let key = "";
  while (key.length < 8) {
    const [byte] = crypto.getRandomValues(new Uint8Array(1));
    key += byte < 252 ? letters[byte % 36] : ""; // 252 = 7 × 36: every letter is as likely
  }
  return key;
}

/** A state to work on, which remembers what was done. */
function draft(model, state) {
  const now = PYRAMID.copy(state);
  const deeds = [];
  const act = (one) => {
    deeds.push(one);
    PYRAMID.carryOut(model, now, one);
  };
  const value = (key) => now.judgements.get(key) ?? judgement();
  return {
    deeds,
    value,
    has: (key) => now.judgements.has(key),
    add(key, scu) {
      const before = value(key);
      act(deed(key, { ...before, category: model.scu, indices: [...new Set([...before.indices, scu])] }));
    },
    /** What is left without an SCU is no contributor any more. */
    take(key, scu) {
      const indices = value(key).indices.filter((one) => one !== scu);
      act(indices.length > 0 ? deed(key, { ...value(key), indices }) : { kind: "unmark", payload: { markable: key } });
    },
    judge: (key, more) => act(deed(key, { ...value(key), ...more })),
    move: (key, to) => act({ kind: "move", payload: { markable: key, to } }),
    unmark: (key) => act({ kind: "unmark", payload: { markable: key } }),
    describe(scu, said) {
      const { label = "", comment = "" } = { ...now.scus.get(scu), ...said };
      act({ kind: "describe", payload: { scu, label: cut(label, LABEL), comment } });
    },
    said: (scu) => now.scus.get(scu) ?? { label: "", comment: "" },
  };
}

/** At most so many code points. */
function cut(words, most) {
  return [...words].slice(0, most).join("");
}

/** A new SCU of some words. Its label begins as they are. @param {Run} run @param {string} scu its key @returns {Edit} */
export function makeScu(model, state, run, scu) {
  const key = keyOfRun(model, run);
  const { deeds, add, describe } = draft(model, state);
  add(key, scu);
  describe(scu, { label: markOf(model, key).words });
  return { deeds, scu, contributor: key };
}

/** An SCU that has no words yet. @param {string} scu its key @param {string} label @returns {Edit} */
export function emptyScu(model, state, scu, label) {
  const { deeds, describe } = draft(model, state);
  describe(scu, { label });
  return { deeds, scu, contributor: null };
}

/** Words express an SCU. @param {Run} run @param {string} scu @returns {Edit} */
export function contribute(model, state, run, scu) {
  const key = keyOfRun(model, run);
  const { deeds, add, value } = draft(model, state);
  if (value(key).indices.includes(scu)) {
    return { refused: `“${markOf(model, key).words}” is in this SCU already.`, at: [key] };
  }
  add(key, scu);
  return { deeds, scu, contributor: key };
}

/** Words of a peer express no SCU of the pyramid. @param {Run} run @returns {Edit} */
export function markOutside(model, state, run) {
  return toOutside(model, state, keyOfRun(model, run));
}

/** What was said of words of a peer was wrong: no SCU of the pyramid. @param {string} key of the contributor @returns {Edit} */
export function toOutside(model, state, key) {
  const { deeds, judge } = draft(model, state);
  judge(key, { category: model.outside, indices: [] });
  return { deeds, scu: "", contributor: key };
}

/** @param {string} to key with other parts @returns {Edit} */
function remade(model, state, key, to) {
  const { deeds, move, has } = draft(model, state);
  if (to !== key && has(to)) {
    return { refused: `“${markOf(model, to).words}” is marked already.`, at: [to] };
  }
  move(key, to);
  return { deeds, contributor: to };
}

/** Key of some parts; those with no word between them become one. @param {[number, number][]} parts */
function joinedKey(model, parts) {
  const result = [];
  for (const [start, end] of [...parts].sort((one, other) => one[0] - other[0] || one[1] - other[1])) {
    const last = result.at(-1);
    if (last && (start <= last[1] || !model.words.some((word) => word.start < start && word.end > last[1]))) {
      last[1] = Math.max(last[1], end);
    } else {
      result.push([start, end]);
    }
  }
  return { key: keyOf(model.level, result), parts: result };
}

/** A contributor gets further words, which need not stand beside its own. @param {string} key @param {Run} run @returns {Edit} */
export function addPart(model, state, key, run) {
  const mark = markOf(model, key);
  const to = joinedKey(model, [...mark.parts, partOf(model, run)]);
  if (to.key === key) {
    return { refused: "The contributor has these words already.", at: [key] };
  }
  if (to.parts.length > LONGEST) {
    return { refused: `A contributor has at most ${LONGEST} parts.`, at: [key] };
  }
  return remade(model, state, key, to.key);
}

/** Words are taken out of a contributor; without words it is none. @param {string} key @param {Run} run @returns {Edit} */
export function takeOut(model, state, key, [first, last]) {
  const mark = markOf(model, key);
  if (!mark.places.some((place) => first <= place && place <= last)) {
    return { refused: "The contributor has none of these words.", at: [key] };
  }
  const parts = mark.parts.flatMap(([start, end]) => {
    const places = mark.places.filter((place) => model.words[place].end > start && model.words[place].start < end);
    const before = places.filter((place) => place < first);
    const after = places.filter((place) => place > last);
    return before.length + after.length === places.length ? [[start, end]]
      : [before, after].filter((one) => one.length > 0).map((one) => partOf(model, [one[0], one.at(-1)]));
  });
  if (parts.length === 0) {
    const { deeds, unmark } = draft(model, state);
    unmark(key);
    return { deeds, contributor: null };
  }
  return parts.length > LONGEST ? { refused: `A contributor has at most ${LONGEST} parts.`, at: [key] }
    : remade(model, state, key, keyOf(model.level, parts));
}

/** A contributor goes from one SCU to another. @param {string} key @param {string} from "": from none @param {string} to @returns {Edit} */
export function moveTo(model, state, key, from, to) {
  const { deeds, judge, value } = draft(model, state);
  const { indices } = value(key);
  if (from === to || indices.includes(to)) {
    return { refused: "It is in this SCU already.", at: [key] };
  }
  const place = indices.indexOf(from);
  judge(key, { category: model.scu, indices: place < 0 ? [...indices, to] : indices.with(place, to) });
  return { deeds, scu: to, contributor: key };
}

/**
 * All of one SCU goes into another, whose label stays. Where a summary says an SCU at one place only, its two contributors
 * become one of several parts.
 * @param {string} from @param {string} into @returns {Edit}
 */
export function merge(model, state, from, into) {
  const seen = see(model, state);
  const { deeds, add, take, judge, move, value, has, describe, said } = draft(model, state);
  const there = new Map(seen.scus.get(into).contributors.map((one) => [one.summary, one.key]));
  for (const one of seen.scus.get(from).contributors) {
    const own = model.oneContributor ? there.get(one.summary) : undefined;
    if (own === undefined || own === one.key) {
      const indices = value(one.key).indices.map((each) => (each === from ? into : each));
      judge(one.key, { indices: [...new Set(indices)] });
      there.set(one.summary, one.key);
      continue;
    }
    take(one.key, from);
    const { key, parts } = joinedKey(model, [...markOf(model, own).parts, ...one.parts]);
    if (parts.length > LONGEST) {
      return { refused: `The two contributors of ${model.summaries[one.summary].name} would be one of over ${LONGEST} parts.`, at: [one.key, own] };
    }
    if (key !== own && value(own).indices.length === 1 && !has(key)) {
      move(own, key);
    } else if (key !== own) {
      take(own, into);
      add(key, into);
    }
    there.set(one.summary, key);
  }
  const [gone, stays] = [said(from), said(into)];
  if (gone.label || gone.comment) {
    describe(from, { label: "", comment: "" });
  }
  if (gone.comment) {
    describe(into, { label: stays.label || gone.label, comment: [stays.comment, gone.comment].filter(Boolean).join("\n") });
  } else if (!stays.label && gone.label) {
    describe(into, { label: gone.label });
  }
  return { deeds, scu: into, contributor: null };
}

/** Some contributors of an SCU become one of their own. @param {string} scu @param {string[]} keys @param {string} fresh its key @returns {Edit} */
export function split(model, state, scu, keys, fresh) {
  const own = see(model, state).scus.get(scu)?.contributors.filter((one) => keys.includes(one.key)) ?? [];
  const { deeds, judge, value, describe } = draft(model, state);
  if (own.length === 0) {
    return { refused: "Choose the contributors that are to be an SCU of their own." };
  }
  if (own.length === see(model, state).scus.get(scu).contributors.length) {
    return { refused: "All contributors are chosen: nothing would stay behind." };
  }
  for (const { key } of own) {
    judge(key, { indices: value(key).indices.map((one) => (one === scu ? fresh : one)) });
  }
  describe(fresh, { label: own[0].words });
  return { deeds, scu: fresh, contributor: own[0].key };
}

/** Words do not express the SCU after all. @param {string} key @param {string} scu "": none @returns {Edit} */
export function removeContributor(model, state, key, scu) {
  const { deeds, take, unmark } = draft(model, state);
  if (scu) {
    take(key, scu);
  } else {
    unmark(key);
  }
  return { deeds, contributor: null };
}

/** @param {string} scu @returns {Edit} */
export function removeScu(model, state, scu) {
  const { deeds, take, describe, said } = draft(model, state);
  see(model, state).scus.get(scu).contributors.forEach(({ key }) => take(key, scu));
  if (said(scu).label || said(scu).comment) {
    describe(scu, { label: "", comment: "" });
  }
  return { deeds, scu: null, contributor: null };
}

/** @param {string} scu @param {{label?: string, comment?: string}} more @returns {Edit} */
export function say(model, state, scu, more) {
  const before = state.scus.get(scu) ?? { label: "", comment: "" };
  const after = { ...before, ...more };
  const { deeds, describe } = draft(model, state);
  if (after.label !== before.label || after.comment !== before.comment) {
    describe(scu, after);
  }
  return { deeds, scu };
}

/**
 * An SCU as another coder has it, in an agreed pyramid. Words of its contributors are taken from the SCUs that have them.
 * @param {{label: string, contributors: string[]}} theirs @param {string|null} scu of the agreed pyramid; null: a new one
 * @param {string} fresh key of a new one
 * @returns {Edit}
 */
export function takeTheirs(model, state, theirs, scu, fresh) {
  const { deeds, add, take, describe, value } = draft(model, state);
  const target = scu ?? fresh;
  const seen = see(model, state);
  seen.scus.get(target)?.contributors.forEach(({ key }) => {
    if (!theirs.contributors.includes(key)) {
      take(key, target);
    }
  });
  if (model.exclusive) {
    for (const key of theirs.contributors) {
      const { parts } = markOf(model, key);
      const clash = (one) => one.key !== key && one.parts.some(([start, end]) => parts.some((part) => start < part[1] && part[0] < end));
      for (const one of seen.contributors.filter((each) => clash(each) && !each.scus.includes(target))) {
        one.scus.filter((each) => value(one.key).indices.includes(each)).forEach((each) => take(one.key, each));
      }
      value(key).indices.filter((each) => each !== target).forEach((each) => take(key, each));
    }
  }
  theirs.contributors.filter((key) => !value(key).indices.includes(target)).forEach((key) => add(key, target));
  if (scu === null) {
    describe(target, { label: theirs.label || markOf(model, theirs.contributors[0] ?? "").words });
  }
  return { deeds, scu: target, contributor: null };
}

/** How an SCU is called in a sentence. @param {Seen} seen @param {(key: string) => number} numberOf */
export function called(seen, numberOf) {
  return (key) => {
    const scu = seen.scus.get(key);
    const name = scu ? nameOf(scu) : "";
    return `SCU ${numberOf(key)} “${name.length > 60 ? `${name.slice(0, 58)}…` : name}”`;
  };
}

/** Keys of the contributors that deeds are about, as they are afterwards. @param {Deed[]} deeds @returns {Set<string>} */
export function touchedBy(deeds) {
  return new Set(deeds.filter(({ kind }) => kind !== "describe").map(({ payload }) => payload.to ?? payload.markable));
}

/** @param {Deed[]} deeds */
export function after(model, state, deeds) {
  return see(model, apply(model, state, deeds));
}
