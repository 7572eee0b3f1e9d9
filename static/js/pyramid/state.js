// What a pyramid page knows: summaries, words, contributors and SCUs. Pure: no DOM, no clock, no network.
import { applyChanges } from "../workbench/history.js";
import { carryOut as carryOutJudgement, inverseOf as judgementBack, judgement, partsOf } from "../workbench/judgements.js";
import { countFirst, offsets } from "../workbench/offsets.js";
import { Table } from "../workbench/table.js";
/** @import { Change, Contributor, Description, Machine, Mark, Model, Pyramid, PyramidState, RawPyramid, Run, Scu, Span } from "./types.js" */

/** @type {(raw: RawPyramid) => { model: Model, state: PyramidState }} raw: the JSON that the server puts into the page */
export function load(raw) {
  const { pyramid, text, scheme } = raw;
  const { toUnits, toPoints } = offsets(text.content);
  const peer = pyramid.kind.startsWith("peer");
  const segments = peer
    ? [{ label: text.title, start: 0, end: toPoints(text.content.length) }]
    : (text.segments ?? []).filter((segment) => segment.kind === "summary").sort((a, b) => a.start - b.start);
  const spans = pyramid.words.map(([start, end]) => ({ start, end })).sort((a, b) => a.start - b.start);
  const words = spans.map((span) => ({
    ...span, summary: segments.findIndex(({ start, end }) => start <= span.start && span.end <= end),
  }));
  const summaries = segments.map(({ label, start, end }, place) => ({
    place, name: label || `Summary ${place + 1}`, start, end,
    words: /** @type {Run} */ ([words.findIndex((word) => word.summary === place), words.findLastIndex((word) => word.summary === place)]),
  }));
  const judgements = new Map(Object.entries(raw.judgements ?? {}).map(([key, value]) => [key, judgement(value)]));
  /** @type {Model} */
  const model = {
    kind: pyramid.kind,
    peer,
    user: raw.user,
    title: text.title,
    docset: pyramid.docset,
    content: text.content,
    toUnits,
    language: text.language,
    direction: text.direction,
    summaries,
    words,
    oneContributor: pyramid.one_contributor,
    exclusive: pyramid.words_exclusive,
    scoresShown: pyramid.scores_shown,
    level: scheme.levels.find((level) => level.coded)?.key ?? "",
    scu: scheme.categories.find((category) => category.takes_index)?.key ?? "",
    outside: scheme.categories.find((category) => !category.takes_index)?.key ?? "",
    against: pyramid.against,
    others: pyramid.others ?? [],
    numbers: new Map(Object.entries(pyramid.numbers)),
    given: new Set(),
    marks: new Map(),
    readOnly: raw.coding.status !== "open",
    version: raw.coding.version,
    seconds: raw.coding.seconds ?? 0,
  };
  return { model, state: { judgements, scus: new Map(Object.entries(pyramid.scus)) } };
}

// ---- operations, as the server does them

/** @type {(state: PyramidState) => PyramidState} */
const copy = (state) => ({ judgements: new Map(state.judgements), scus: new Map(state.scus) });

/** @type {(scus: Map<string, Description>, said: { scu: string, label?: string, comment?: string }) => void} */
function describe(scus, { scu, label = "", comment = "" }) {
  if (label || comment) {
    scus.set(scu, { label, comment });
  } else {
    scus.delete(scu);
  }
}

/** @type {(model: Model, state: PyramidState, change: Change) => void} */
function carryOut(model, state, change) {
  if (change.kind === "describe") {
    describe(state.scus, change.payload);
    return;
  }
  carryOutJudgement(model, state.judgements, change);
  if (change.kind === "import" || change.kind === "draft") {
    state.scus.clear();
    (change.payload.scus ?? []).forEach((scu) => describe(state.scus, scu));
  }
}

/** What history needs to know of a pyramid. @type {Machine<Model, PyramidState>} */
export const PYRAMID = {
  empty: () => ({ judgements: new Map(), scus: new Map() }),
  copy,
  carryOut,
  inverseOf(model, state, change) {
    if (change.kind !== "describe") {
      return judgementBack(model, state.judgements, change);
    }
    const { scu, label = "", comment = "" } = change.payload;
    const before = state.scus.get(scu) ?? { label: "", comment: "" };
    const same = before.label === label && before.comment === comment;
    return same ? [] : [{ kind: "describe", payload: { scu, ...before } }];
  },
};

/** The state is left as it was. @type {(model: Model, state: PyramidState, changes: Change[]) => PyramidState} */
export const apply = (model, state, changes) => applyChanges(PYRAMID, model, state, changes);

// ---- what follows from it

/** What the key of a contributor says; it is reckoned once. @type {(model: Model, key: string) => Mark} */
export function markOf(model, key) {
  let mark = model.marks.get(key);
  if (!mark) {
    const parts = partsOf(key)?.parts ?? [];
    const [first, last] = [parts[0]?.[0] ?? 0, parts.at(-1)?.[1] ?? 0];
    const runs = parts.map((part) => wordsIn(model, part));
    mark = {
      key,
      parts,
      summary: model.summaries.findIndex(({ start, end }) => start <= first && last <= end),
      places: [...new Set(runs.flat())],
      words: parts.map((part) => wordsOf(model, part)).join(" … "),
      starts: new Set(runs.map(([place]) => place)),
      links: new Set(runs.flatMap((run) => run.slice(0, -1))),
    };
    model.marks.set(key, mark);
  }
  return mark;
}

/** Places of the words of which a stretch, in code points, holds a character. @type {(model: Model, span: Span) => number[]} */
function wordsIn({ words }, [start, end]) {
  const first = countFirst(words.length, (place) => words[place].end <= start);
  const behind = countFirst(words.length, (place) => words[place].start < end);
  return Array.from({ length: Math.max(behind - first, 0) }, (_, place) => first + place);
}

/** @type {(model: Model, part: Span) => string} */
export function wordsOf({ content, toUnits }, [start, end]) {
  return content.slice(toUnits(start), toUnits(end)).replace(/\s+/g, " ").trim();
}

/** @type {(a: Contributor, b: Contributor) => number} */
const byText = (a, b) => a.parts[0][0] - b.parts[0][0] || (b.parts.at(-1)?.[1] ?? 0) - (a.parts.at(-1)?.[1] ?? 0)
  || (a.key < b.key ? -1 : 1);

const folded = (/** @type {Scu} */ scu) => scu.label.toLowerCase();
/** @type {(a: Scu, b: Scu) => number} */
const byWeight = (a, b) => b.weight - a.weight || Number(a.gone) - Number(b.gone)
  || (folded(a) < folded(b) ? -1 : Number(folded(a) > folded(b))) || (a.key < b.key ? -1 : 1);

/** @type {WeakMap<PyramidState, Pyramid>} */
const known = new WeakMap(); // states are never changed, so what follows from one is computed once

/** @type {(model: Model, state: PyramidState) => Pyramid} */
export function pyramidOf(model, state) {
  let pyramid = known.get(state);
  if (!pyramid) {
    pyramid = look(model, state);
    known.set(state, pyramid);
  }
  return pyramid;
}

/** @type {(model: Model, state: PyramidState) => Pyramid} */
function look(model, state) {
  const contributors = [...state.judgements].filter(([key]) => markOf(model, key).parts.length > 0).map(([key, value]) => ({
    ...markOf(model, key), outside: value.category === model.outside, scus: value.indices,
  })).sort(byText);
  /** @type {Table<string, Scu>} */
  const scus = new Table();
  /** @type {(key: string, more?: Partial<Scu>) => Scu} */
  const scu = (key, more = {}) => {
    let found = scus.get(key);
    if (!found) {
      // While the pyramid of a peer is not shown, nothing can be said to be gone from it.
      const gone = Boolean(model.peer && model.against);
      found = { key, label: "", comment: "", weight: 0, contributors: [], models: [], gone, ...more };
      scus.set(key, found);
    }
    return found;
  };
  for (const { key, label, comment, weight, contributors: models } of model.against?.scus ?? []) {
    scu(key, { label, comment, weight, models, gone: false });
  }
  for (const [key, said] of state.scus) {
    scu(key, said);
  }
  /** @type {Contributor[][]} */
  const of = model.words.map(() => []);
  for (const contributor of contributors) {
    contributor.scus.forEach((key) => scu(key).contributors.push(contributor));
    contributor.places.forEach((place) => of[place].push(contributor));
  }
  if (!model.peer) {
    for (const scu of scus.values()) {
      scu.weight = new Set(scu.contributors.map((each) => each.summary).filter((place) => place >= 0)).size;
    }
  }
  return {
    contributors, scus, of,
    byKey: new Table(contributors.map((contributor) => [contributor.key, contributor])),
    order: [...scus.values()].sort(byWeight),
    loose: contributors.filter((contributor) => contributor.scus.length === 0),
  };
}

/** What to call an SCU that may have no label. @type {(scu: Scu) => string} */
export const nameOf = (scu) => scu.label || scu.contributors[0]?.words || scu.models[0] || "without words";

/**
 * SCUs that hold the words of a query in label, comment, contributors or number.
 * @type {(scus: Scu[], query: string, numberOf: (key: string) => number) => Scu[]}
 */
export function filtered(scus, query, numberOf) {
  const wanted = query.trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) {
    return scus;
  }
  return scus.filter((scu) => {
    const all = [scu.label, scu.comment, ...scu.contributors.map((each) => each.words), ...scu.models].join(" ").toLowerCase();
    return wanted.every((word) => all.includes(word)) || (wanted.length === 1 && wanted[0] === String(numberOf(scu.key)));
  });
}
