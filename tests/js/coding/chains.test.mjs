import assert from "node:assert/strict";
import { test } from "node:test";
import { chains, look, emptyNumbers, renumber } from "../../../static/js/coding/chains/chains.js";
import { load } from "../../../static/js/coding/state.js";
import { marked, points, refers } from "./scenes.mjs";

const of = (text, judgements, more = {}) => {
  const loaded = load(marked(text, { judgements, ...more }));
  return { ...loaded, found: chains(loaded.model, loaded.judgements) };
};

test("a chain is what one arrives at by following pointers", () => {
  const { found } = of("[a] [b] [c] [d]", { p2: points("p1"), p3: points("p2") });
  assert.deepEqual(found.members.get("p1"), ["p1", "p2", "p3"]);
  assert.deepEqual(found.of.get("p4"), ["p4"]);
});

test("what points to two roots is in both chains, and so is what points to it", () => {
  const { found } = of("[a] [b] [c] [d]", { p3: points("p1", "p2"), p4: points("p3") });
  assert.deepEqual(found.of.get("p3"), ["p1", "p2"]);
  assert.deepEqual(found.of.get("p4"), ["p1", "p2"]);
});

test("two pointers into one chain are one root", () => {
  const { found } = of("[a] [b] [c]", { p2: points("p1"), p3: points("p1", "p2") });
  assert.deepEqual(found.of.get("p3"), ["p1"]);
});

test("a circle has its earliest member as root", () => {
  const { found } = of("[a] [b] [c]", { p1: points("p3"), p2: points("p1"), p3: points("p2") }, { scheme: "single" });
  assert.deepEqual(found.members.get("p1"), ["p1", "p2", "p3"]);
  assert.equal(found.members.size, 1);
});

test("a circle that something leads out of has the root outside", () => {
  const { found } = of("[a] [b] [c]", { p2: points("p3"), p3: points("p2", "p1") });
  assert.deepEqual(found.of.get("p2"), ["p1"]);
  assert.deepEqual(found.of.get("p3"), ["p1"]);
});

test("a turn may be the root of a chain", () => {
  const { found } = of("[a] b", { p1: { category: "segment", pointers: ["t"] } }, { turns: [["t", "turn", 0, 3]] });
  assert.deepEqual(found.members.get("t"), ["t", "p1"]);
});

test("a chain of ten thousand links does not exhaust the stack", () => {
  const count = 10000;
  const text = "[a] ".repeat(count);
  const judgements = {};
  for (let place = 1; place < count; place += 1) {
    judgements[`p${place}`] = points(`p${place + 1}`);
  }
  const { found } = of(text, judgements, { scheme: "single" });
  assert.equal(found.members.get(`p${count}`).length, count);
});

test("with indices an entity is an index, and a markable may be in two", () => {
  const { found } = of("[a] [b] [c]", { p1: refers("1"), p2: refers("1", "2"), p3: { category: "none" } }, { scheme: "indices" });
  assert.deepEqual(found.members.get("#1"), ["p1", "p2"]);
  assert.deepEqual(found.of.get("p2"), ["#1", "#2"]);
  assert.equal(found.of.has("p3"), false);
});

test("numbers come with the second member, in order of first appearance", () => {
  const { found } = of("[a] [b] [c] [d]", { p4: points("p1"), p3: points("p2") });
  const numbers = renumber(emptyNumbers(), found);
  assert.deepEqual([numbers.byChain.get("p1"), numbers.byChain.get("p2")], [1, 2]);
  assert.equal(renumber(emptyNumbers(), of("[a] [b]", {}).found).byMember.size, 0);
});

test("a chain made later gets the next number, wherever it stands", () => {
  const before = renumber(emptyNumbers(), of("[a] [b] [c] [d]", { p4: points("p3") }).found);
  const after = renumber(before, of("[a] [b] [c] [d]", { p4: points("p3"), p2: points("p1") }).found);
  assert.deepEqual([after.byChain.get("p3"), after.byChain.get("p1")], [1, 2]);
});

test("when the root moves the chain keeps the number that most of its members wore", () => {
  const before = renumber(emptyNumbers(), of("[a] [b] [c] [d]", { p3: points("p2"), p4: points("p3") }).found);
  const after = renumber(before, of("[a] [b] [c] [d]", { p2: points("p1"), p3: points("p2"), p4: points("p3") }).found);
  assert.deepEqual(after.byMember.get("p4"), [1]);
  assert.deepEqual(after.byMember.get("p1"), [1]);
});

test("when a chain is split the larger part keeps the number and the other gets a new one", () => {
  const joined = { p2: points("p1"), p3: points("p2"), p4: points("p3"), p5: points("p4") };
  const text = "[a] [b] [c] [d] [e]";
  const before = renumber(emptyNumbers(), of(text, joined).found);
  const after = renumber(before, of(text, { ...joined, p3: { category: "none" } }).found);
  assert.deepEqual([after.byMember.get("p5"), after.byMember.get("p1")], [[1], [2]]);
});

test("a chain that is taken apart and made again has its number back, and nobody had it meanwhile", () => {
  const text = "[a] [b] [c] [d]";
  const first = renumber(emptyNumbers(), of(text, { p2: points("p1") }).found);
  const second = renumber(first, of(text, { p4: points("p3") }).found);
  const third = renumber(second, of(text, { p2: points("p1"), p4: points("p3") }).found);
  assert.deepEqual([third.byChain.get("p1"), third.byChain.get("p3")], [1, 2]);
});

test("an entity wears its own index, one with a name the next free number", () => {
  const judgements = { p1: refers("7"), p2: refers("7"), p3: refers("engine"), p4: refers("engine") };
  const numbers = renumber(emptyNumbers(), of("[a] [b] [c] [d]", judgements, { scheme: "indices" }).found);
  assert.equal(numbers.byChain.get("#7"), 7);
  assert.equal(numbers.byChain.get("#engine"), 1);
});

test("thirty chains look different before one look comes back", () => {
  const looks = Array.from({ length: 30 }, (_, place) => JSON.stringify(look(place + 1)));
  assert.equal(new Set(looks).size, 30);
  assert.deepEqual(look(31), look(1));
});

test("the same judgements give the same chains without another look, and numbers stay", () => {
  const { model, judgements, found } = of("[a] [b] [c]", { p2: points("p1") });
  assert.equal(chains(model, judgements), found);
  assert.equal(chains(model, judgements, "p3"), found); // p3 has no answer to leave out
  assert.notEqual(chains(model, judgements, "p2"), found);
  const numbers = renumber(emptyNumbers(), found);
  assert.equal(renumber(numbers, found), numbers);
});

test("two texts do not share chains, even with the same judgements", () => {
  const one = of("[a] [b]", { p2: points("p1") });
  const other = of("[a] [b] [c]", {});
  assert.deepEqual([...chains(other.model, one.judgements).of.keys()], ["p1", "p2", "p3"]);
});

test("a pointer of a markable to itself is a chain of its own", () => {
  const { found } = of("[a] [b]", { p2: points("p2") }, { scheme: "single" });
  assert.deepEqual(found.of.get("p2"), ["p2"]);
});

test("thousands of markables in one chain, nearest first, are one chain", () => {
  const count = 3000;
  const judgements = Object.fromEntries(Array.from({ length: count - 1 }, (_, at) => [`p${at + 2}`, points(`p${at + 1}`)]));
  const { found } = of("[a] ".repeat(count).trim(), judgements);
  assert.equal(found.members.size, 1);
  assert.equal(found.members.get("p1").length, count);
});
