import assert from "node:assert/strict";
import { test } from "node:test";
import { take } from "../../../static/js/coding/adjudication/moves.js";
import { inParts } from "../../../static/js/workbench/adjudication/rows.js";
import { chains } from "../../../static/js/coding/chains/chains.js";
import { apply, load, withMarks } from "../../../static/js/coding/state.js";
import { marked, points, refers } from "./scenes.mjs";

const NEW = { category: "none" };

/** The chains of some judgements as sets of markables, sorted. */
function partition(model, judgements) {
  const { members } = chains(withMarks(model, judgements), judgements);
  return [...members].map(([, keys]) => keys.filter((key) => judgements.has(key)).sort().join(" ")).filter(Boolean).sort();
}

/** Gold after a row has taken an answer. `entities` are those of the queue, `places` the chains of gold that they are. */
function taken({ text = "[a] [b] [c] [d] [e] [f]", gold, given, entities, places, units, answer, scheme = "pointers" }) {
  const { model, judgements } = load(marked(text, { judgements: gold, scheme }));
  const changes = take(model, judgements, { entities }, places, units, answer, given);
  assert.ok(!("refused" in changes), changes.refused);
  const after = apply(model, judgements, changes);
  return { model, judgements, after, chains: partition(model, after), changes };
}

const FOUR = { p1: NEW, p2: points("p1"), p3: points("p2"), p4: NEW, p5: points("p4"), p6: NEW };
const entity = (...entities) => ({ entities, label: null });

test("a unit comes into the chain where the coder has it, and what pointed to it points on", () => {
  const { after, chains: found } = taken({
    gold: FOUR, units: ["p2"], answer: entity(1), entities: [["p1", "p3"], ["p2", "p4", "p5"]], places: ["p1", "p4"],
    given: { p2: { category: "none" }, p4: points("p2"), p5: points("p4") },
  });
  assert.deepEqual(found, ["p1 p3", "p2 p4 p5", "p6"]);
  assert.deepEqual(after.get("p3").pointers, ["p1"]);
});

test("the coder's own antecedent is taken where gold has it in that chain, else the nearest one before", () => {
  const options = { gold: FOUR, units: ["p6"], answer: entity(0), entities: [["p1", "p2", "p3", "p6"]], places: ["p1"] };
  assert.deepEqual(taken({ ...options, given: { p6: points("p1") } }).after.get("p6").pointers, ["p1"]);
  assert.deepEqual(taken({ ...options, given: { p6: points("p5") } }).after.get("p6").pointers, ["p3"]);
});

test("where the first of a chain leaves, the next one begins it as it did", () => {
  const { after, chains: found } = taken({
    gold: FOUR, units: ["p1"], answer: entity(1), entities: [["p2", "p3"], ["p1"]], places: ["p1", null], given: { p1: NEW },
  });
  assert.deepEqual(found, ["p1", "p2 p3", "p4 p5", "p6"]);
  assert.deepEqual([after.get("p2").category, after.get("p2").pointers], ["none", []]);
});

test("a row of several begins a chain that gold does not have, as the coder begins it", () => {
  const { after, chains: found } = taken({
    gold: FOUR, units: ["p3", "p5"], answer: entity(2), entities: [["p1", "p2"], ["p4"], ["p1", "p3", "p5"]], places: ["p1", "p4", null],
    given: { p1: { category: "place" }, p3: points("p1"), p5: points("p3") },
  });
  assert.deepEqual(found, ["p1 p2", "p3 p5", "p4", "p6"]);
  assert.deepEqual([after.get("p3").category, after.get("p3").pointers, after.get("p5").pointers], ["place", [], ["p3"]]);
});

test("what the coder did not judge is not judged, and one's own mark goes", () => {
  const { changes, chains: found } = taken({ gold: FOUR, units: ["p2"], answer: null, entities: [["p1", "p3"]], places: ["p1"], given: {} });
  assert.deepEqual(found, ["p1 p3", "p4 p5", "p6"]);
  assert.deepEqual(changes.at(-1), { kind: "clear", payload: { markable: "p2" } });
});

test("gold keeps its note, and takes none", () => {
  const gold = { ...FOUR, p6: { category: "none", note: "mine" } };
  const { after } = taken({ gold, units: ["p6"], answer: { entities: [], label: "place" }, entities: [], places: [], given: { p6: { category: "place", note: "theirs", unsure: true } } });
  assert.deepEqual([after.get("p6").category, after.get("p6").note, after.get("p6").unsure], ["place", "mine", false]);
});

test("with indices a unit takes that of the entity, or a free one", () => {
  const gold = { p1: refers("1"), p2: refers("1"), p3: refers("2") };
  const options = { scheme: "indices", gold, units: ["p2"], entities: [["p1"], ["p2", "p3"], ["p2"]], places: ["#1", "#2", null], given: { p2: refers("7") } };
  assert.deepEqual(taken({ ...options, answer: entity(1) }).after.get("p2").indices, ["2"]);
  assert.deepEqual(taken({ ...options, answer: entity(2) }).after.get("p2").indices, ["3"]);
  assert.deepEqual(taken({ ...options, answer: entity(1, 2) }).after.get("p2").indices, ["2", "3"]);
});

/** A random coding of places with pointers to earlier ones. */
function coding(random, length) {
  const judgements = {};
  for (let place = 1; place <= length; place += 1) {
    judgements[`p${place}`] = place > 1 && random() < 0.65 ? points(`p${1 + Math.floor(random() * (place - 1))}`) : NEW;
  }
  return judgements;
}

test("after any answer of any coder gold is as before, with just the units of the row where the coder has them", () => {
  let seed = 1;
  const random = () => {
    seed = (seed * 48271) % 2147483647;
    return seed / 2147483647;
  };
  for (let run = 0; run < 300; run += 1) {
    const length = 3 + Math.floor(random() * 7);
    const text = "[x] ".repeat(length);
    const [gold, given] = [coding(random, length), coding(random, length)];
    const { model, judgements } = load(marked(text, { judgements: gold }));
    const theirs = chains(model, load(marked(text, { judgements: given })).judgements);
    const ours = chains(model, judgements);
    const units = [`p${1 + Math.floor(random() * length)}`];
    const [chain] = theirs.of.get(units[0]);
    // the coder's chain is an entity that gold has as one of its own chains, or does not have
    const others = ours.members.size > 0 && random() < 0.7 ? [...ours.members][Math.floor(random() * ours.members.size)] : null;
    const places = [others?.[1].some((key) => key !== units[0]) ? others[0] : null];
    const changes = take(model, judgements, { entities: [theirs.members.get(chain)] }, places, units, entity(0), given);
    assert.ok(!("refused" in changes), changes.refused);
    const expected = [...ours.members].map(([name, keys]) => [...keys.filter((key) => key !== units[0]), ...(name === places[0] ? units : [])])
      .concat(places[0] === null ? [units] : []).filter((keys) => keys.length > 0).map((keys) => keys.sort().join(" ")).sort();
    assert.deepEqual(partition(model, apply(model, judgements, changes)), expected, JSON.stringify({ gold, given, units, places }));
  }
});

test("what leaves a chain at once leaves the rest of it together, however the two point at each other", () => {
  const { after, chains: found } = taken({
    gold: { p1: NEW, p2: points("p1"), p3: points("p2"), p4: points("p3"), p5: points("p4"), p6: points("p5") },
    units: ["p1", "p3", "p5"], answer: entity(1), entities: [["p2", "p4", "p6"], ["p1", "p3", "p5"]], places: ["p1", null],
    given: { p1: { category: "place" }, p3: points("p1"), p5: points("p3") },
  });
  assert.deepEqual(found, ["p1 p3 p5", "p2 p4 p6"]);
  assert.deepEqual([after.get("p2").category, after.get("p2").pointers, after.get("p1").category], ["none", [], "place"]);
});

/** Times that the judgements of a chain are read while half of it, and then all of it, is put where a coder has it. */
function readings(members) {
  const keys = Array.from({ length: members }, (_, place) => `p${place + 1}`);
  const gold = Object.fromEntries(keys.map((key, place) => [key, place === 0 ? NEW : points(keys[place - 1])]));
  const { model, judgements } = load(marked(keys.map((key) => `[${key}]`).join(" "), { judgements: gold }));
  const half = keys.slice(members / 2);
  let read = 0;
  const counting = new Proxy(Object.fromEntries(half.map((key) => [key, key === half[0] ? NEW : gold[key]])), {
    get: (of, key) => { read += 1; return of[key]; },
  });
  const before = Map.prototype.get;
  Map.prototype.get = function get(key) { read += 1; return before.call(this, key); };
  try {
    const changes = take(model, judgements, { entities: [keys, half] }, ["p1", null], half, entity(1), counting);
    assert.equal(changes.length, 1);
  } finally {
    Map.prototype.get = before;
  }
  return read;
}

test("a row of four times as many units takes not much more than four times as long", () => {
  assert.ok(readings(800) < 6 * readings(200), `${readings(200)} and ${readings(800)}`);
});

test("a decision on a long row is of as many operations as it needs", () => {
  const items = Array.from({ length: 1201 }, (_, place) => [`p${place}`, "category"]);
  assert.deepEqual(inParts(items).map(({ length }) => length), [500, 500, 201]);
  assert.deepEqual(inParts(items).flat(), items);
  assert.deepEqual(inParts([]), []);
});
