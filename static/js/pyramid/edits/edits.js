// What changes a pyramid: each edit says what to do, as one step, or why it cannot be done. Pure.
import { judge, judgement, keyOf, markableOf } from "../../workbench/judgements.js";
import { mergeParts } from "../../workbench/parts.js";
import { apply, markOf, nameOf, PYRAMID, pyramidOf } from "../state.js";
/** @import { Change, Changes, Description, Edit, EditDraft, Model, Pyramid, PyramidState, Run, Span } from "../types.js" */

const MAX_PARTS = 20; // parts, as on the server
const LABEL = 500; // characters, as on the server

/** The part that a run of words is, in code points. @type {(model: Model, run: Run) => Span} */
export const partOf = ({ words }, [first, last]) => [words[first].start, words[last].end];

/** @type {(model: Model, run: Run) => string} */
export const keyOfRun = (model, run) => keyOf(model.level, [partOf(model, run)]);

/** Eight characters that two windows will not both think of. @type {(crypto: Pick<Crypto, "getRandomValues">) => string} */
export const newKey = (crypto) => Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => (byte % 36).toString(36)).join("");

/** A state to work on, which remembers what was done. @type {(model: Model, state: PyramidState) => EditDraft} */
export function draft(model, state) {
  const now = PYRAMID.copy(state);
  const changes = /** @type {Change[]} */ ([]);
  const act = (/** @type {Change} */ change) => {
    changes.push(change);
    PYRAMID.carryOut(model, now, change);
  };
  const value = (/** @type {string} */ key) => now.judgements.get(key) ?? judgement();
  return {
    changes,
    value,
    has: (key) => now.judgements.has(key),
    add(key, scu) {
      const before = value(key);
      act(judge(key, { ...before, category: model.scu, indices: [...new Set([...before.indices, scu])] }));
    },
    /** What is left without an SCU is no contributor any more. */
    take(key, scu) {
      const indices = value(key).indices.filter((index) => index !== scu);
      act(indices.length > 0 ? judge(key, { ...value(key), indices }) : { kind: "unmark", payload: { markable: key } });
    },
    judge: (key, more) => act(judge(key, { ...value(key), ...more })),
    move: (key, to) => act({ kind: "move", payload: { markable: key, to } }),
    unmark: (key) => act({ kind: "unmark", payload: { markable: key } }),
    describe(scu, said) {
      const { label = "", comment = "" } = { ...now.scus.get(scu), ...said };
      act({ kind: "describe", payload: { scu, label: [...label].slice(0, LABEL).join(""), comment } });
    },
    said: (scu) => now.scus.get(scu) ?? { label: "", comment: "" },
  };
}

/** A new SCU of some words. Its label begins as they are. @type {(model: Model, state: PyramidState, run: Run, scu: string) => Changes} */
export function makeScu(model, state, run, scu) {
  const key = keyOfRun(model, run);
  const { changes, add, describe } = draft(model, state);
  add(key, scu);
  describe(scu, { label: markOf(model, key).words });
  return { changes, scu, contributor: key };
}

/** Words express an SCU. @type {(model: Model, state: PyramidState, run: Run, scu: string) => Edit} */
export function contribute(model, state, run, scu) {
  const key = keyOfRun(model, run);
  const { changes, add, value } = draft(model, state);
  if (value(key).indices.includes(scu)) {
    return { refused: `“${markOf(model, key).words}” is already in this SCU.`, at: [key] };
  }
  add(key, scu);
  return { changes, scu, contributor: key };
}

/** Words of a peer express no SCU of the pyramid, whatever was said of them. @type {(model: Model, state: PyramidState, key: string) => Edit} */
export function toOutside(model, state, key) {
  const { changes, judge } = draft(model, state);
  judge(key, { category: model.outside, indices: [] });
  return { changes, scu: "", contributor: key };
}

/** @type {(model: Model, state: PyramidState, key: string, to: string) => Edit} */
function remade(model, state, key, to) {
  const { changes, move, has } = draft(model, state);
  if (to !== key && has(to)) {
    return { refused: `“${markOf(model, to).words}” is already marked.`, at: [to] };
  }
  move(key, to);
  return { changes, contributor: to };
}

/** Key of some parts; those with no word between them become one. @type {(model: Model, parts: Span[]) => { key: string, parts: Span[] }} */
function joinedKey(model, parts) {
  const joined = mergeParts(parts, (end, start) => start <= end || !model.words.some((word) => word.start < start && word.end > end));
  return { key: keyOf(model.level, joined), parts: joined };
}

/** A contributor gets further words, which need not stand beside its own. @type {(model: Model, state: PyramidState, key: string, run: Run) => Edit} */
export function addPart(model, state, key, run) {
  const mark = markOf(model, key);
  const to = joinedKey(model, [...mark.parts, partOf(model, run)]);
  if (to.key === key) {
    return { refused: "The contributor already has these words.", at: [key] };
  }
  if (to.parts.length > MAX_PARTS) {
    return { refused: `A contributor has at most ${MAX_PARTS} parts.`, at: [key] };
  }
  return remade(model, state, key, to.key);
}

/** Words are taken out of a contributor; without words it is none. @type {(model: Model, state: PyramidState, key: string, run: Run) => Edit} */
export function takeOut(model, state, key, [first, last]) {
  const mark = markOf(model, key);
  if (!mark.places.some((place) => first <= place && place <= last)) {
    return { refused: "The contributor has none of these words.", at: [key] };
  }
  const parts = mark.parts.flatMap(([start, end]) => {
    const places = mark.places.filter((place) => model.words[place].end > start && model.words[place].start < end);
    const before = places.filter((place) => place < first);
    const after = places.filter((place) => place > last);
    return before.length + after.length === places.length ? [/** @type {Span} */ ([start, end])]
      : [before, after].filter((places) => places.length > 0).map((places) => partOf(model, [places[0], places[places.length - 1]]));
  });
  if (parts.length === 0) {
    const { changes, unmark } = draft(model, state);
    unmark(key);
    return { changes, contributor: null };
  }
  return parts.length > MAX_PARTS ? { refused: `A contributor has at most ${MAX_PARTS} parts.`, at: [key] }
    : remade(model, state, key, keyOf(model.level, parts));
}

/** A contributor goes from one SCU to another. @type {(model: Model, state: PyramidState, key: string, from: string, to: string) => Edit} */
export function moveTo(model, state, key, from, to) {
  const { changes, judge, value } = draft(model, state);
  const { indices } = value(key);
  if (from === to || indices.includes(to)) {
    return { refused: "It is already in this SCU.", at: [key] };
  }
  const place = indices.indexOf(from);
  judge(key, { category: model.scu, indices: place < 0 ? [...indices, to] : indices.with(place, to) });
  return { changes, scu: to, contributor: key };
}

/**
 * All of one SCU goes into another, whose label stays. Where a summary says an SCU at one place only, its two contributors
 * become one of several parts.
 * @type {(model: Model, state: PyramidState, from: string, into: string) => Edit}
 */
export function merge(model, state, from, into) {
  const pyramid = pyramidOf(model, state);
  const { changes, add, take, judge, move, value, has, describe, said } = draft(model, state);
  const there = new Map(pyramid.scus.at(into).contributors.map((contributor) => [contributor.summary, contributor.key]));
  for (const contributor of pyramid.scus.at(from).contributors) {
    const own = model.oneContributor ? there.get(contributor.summary) : undefined;
    if (own === undefined || own === contributor.key) {
      const indices = value(contributor.key).indices.map((each) => (each === from ? into : each));
      judge(contributor.key, { indices: [...new Set(indices)] });
      there.set(contributor.summary, contributor.key);
      continue;
    }
    take(contributor.key, from);
    const { key, parts } = joinedKey(model, [...markOf(model, own).parts, ...contributor.parts]);
    if (parts.length > MAX_PARTS) {
      return { refused: `The two contributors of ${model.summaries[contributor.summary].name} would be one of over ${MAX_PARTS} parts.`, at: [contributor.key, own] };
    }
    if (key !== own && value(own).indices.length === 1 && !has(key)) {
      move(own, key);
    } else if (key !== own) {
      take(own, into);
      add(key, into);
    }
    there.set(contributor.summary, key);
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
  return { changes, scu: into, contributor: null };
}

/** Some contributors of an SCU become one of their own. @type {(model: Model, state: PyramidState, scu: string, keys: string[], fresh: string) => Edit} */
export function split(model, state, scu, keys, fresh) {
  const own = pyramidOf(model, state).scus.get(scu)?.contributors.filter((contributor) => keys.includes(contributor.key)) ?? [];
  const { changes, judge, value, describe } = draft(model, state);
  if (own.length === 0) {
    return { refused: "Select the contributors of the new SCU." };
  }
  if (own.length === pyramidOf(model, state).scus.at(scu).contributors.length) {
    return { refused: "Select fewer contributors: one must stay." };
  }
  for (const { key } of own) {
    judge(key, { indices: value(key).indices.map((index) => (index === scu ? fresh : index)) });
  }
  describe(fresh, { label: own[0].words });
  return { changes, scu: fresh, contributor: own[0].key };
}

/** Words do not express the SCU after all. @type {(model: Model, state: PyramidState, key: string, scu: string) => Edit} */
export function removeContributor(model, state, key, scu) {
  const { changes, take, unmark } = draft(model, state);
  if (scu) {
    take(key, scu);
  } else {
    unmark(key);
  }
  return { changes, contributor: null };
}

/** @type {(model: Model, state: PyramidState, scu: string) => Edit} */
export function removeScu(model, state, scu) {
  const { changes, take, describe, said } = draft(model, state);
  pyramidOf(model, state).scus.at(scu).contributors.forEach(({ key }) => take(key, scu));
  if (said(scu).label || said(scu).comment) {
    describe(scu, { label: "", comment: "" });
  }
  return { changes, scu: null, contributor: null };
}

/** @type {(model: Model, state: PyramidState, scu: string, more: Partial<Description>) => Changes} */
export function say(model, state, scu, more) {
  const before = state.scus.get(scu) ?? { label: "", comment: "" };
  const after = { ...before, ...more };
  const { changes, describe } = draft(model, state);
  if (after.label !== before.label || after.comment !== before.comment) {
    describe(scu, after);
  }
  return { changes, scu };
}

/** How an SCU is called in a sentence. @type {(pyramid: Pyramid, numberOf: (key: string) => number) => (key: string) => string} */
export function called(pyramid, numberOf) {
  return (key) => {
    const scu = pyramid.scus.get(key);
    const name = scu ? nameOf(scu) : "";
    return `SCU ${numberOf(key)} “${name.length > 60 ? `${name.slice(0, 58)}…` : name}”`;
  };
}

/** Keys of the contributors that changes are about, as they are afterwards. @type {(changes: Change[]) => Set<string>} */
export const touchedBy = (changes) => new Set(changes.flatMap((change) => markableOf(change) ?? []));

/** @type {(model: Model, state: PyramidState, changes: Change[]) => Pyramid} */
export const after = (model, state, changes) => pyramidOf(model, apply(model, state, changes));
