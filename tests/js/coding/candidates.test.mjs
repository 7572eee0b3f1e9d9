import assert from "node:assert/strict";
import { test } from "node:test";
import { addRemark, chooseCategory, missing, offeredCandidates, pointTo, pressLetter } from "../../../static/js/coding/answers.js";
import { candidates, LETTERS } from "../../../static/js/coding/targets/candidates.js";
import { load } from "../../../static/js/coding/state.js";
import { marked, points, refers } from "./scenes.mjs";

const keys = (list) => list.map((candidate) => candidate.key);
const open = (text, options) => load(marked(text, options));
const turns = [["t1", "turn", 0, 6], ["t2", "turn", 7, 12]];
const withTurns = () => open("[aa] [bb] [cc] [dd]", { turns: [["t1", "turn", 0, 5], ["t2", "turn", 6, 11]] });

test("the nearest earlier markable is the first candidate, and nothing later is one", () => {
  const { model, judgements } = open("[one] [two] [three] [four] [five]");
  assert.deepEqual(keys(candidates(model, judgements, "p4")), ["p3", "p2", "p1"]);
});

test("the same words outrank a nearer markable, the same last word comes after them", () => {
  const { model, judgements } = open("[the ferry] [a big ferry] [x] [y] [z] [the ferry]");
  assert.deepEqual(keys(candidates(model, judgements, "p6")).slice(0, 3), ["p1", "p2", "p5"]);
});

test("case does not make words different", () => {
  const { model, judgements } = open("[It] [x] [y] [it]");
  assert.equal(candidates(model, judgements, "p4")[0].key, "p1");
});

test("the last mention of a chain comes forward and the mentions before it step back", () => {
  const { model, judgements } = open("[a] [b] [c] [d] [e] [f]", { judgements: { p3: points("p1"), p4: points("p3") } });
  assert.deepEqual(keys(candidates(model, judgements, "p6")), ["p4", "p5", "p2", "p3", "p1"]);
});

test("letters do not move while one is answering", () => {
  const text = "[a] [b] [c] [d]";
  const before = open(text);
  const after = open(text, { judgements: { p4: points("p1") } });
  assert.deepEqual(keys(candidates(before.model, before.judgements, "p4")), keys(candidates(after.model, after.judgements, "p4")));
});

test("at most nine candidates wear letters and the list holds the rest", () => {
  const { model, judgements } = open("[a] [b] [c] [d] [e] [f] [g] [h] [i] [j] [k] [l]");
  const found = candidates(model, judgements, "p12");
  assert.equal(found.length, 11);
  assert.deepEqual(found.map((candidate) => candidate.letter), [...LETTERS, null, null]);
});

test("a category that points to turns offers turns, one's own among them", () => {
  const { model, judgements } = open("[a] bcde [f] ghi", { turns, judgements: { p2: { category: "segment" } } });
  assert.deepEqual(keys(candidates(model, judgements, "p2")), ["t2", "t1"]);
});

test("a category that allows later targets offers them by nearness", () => {
  const { model, judgements } = open("[a] [b] [c] [d]", { scheme: "single" });
  assert.deepEqual(keys(candidates(model, judgements, "p2")), ["p1", "p3", "p4"]);
});

test("a letter on an undecided markable chooses the category and points", () => {
  const { model, judgements } = open("[a] [b]");
  assert.deepEqual(pressLetter(model, judgements, "p2", "a", "only").judgement.pointers, ["p1"]);
  assert.equal(pressLetter(model, judgements, "p2", "a", "only").judgement.category, "phrase");
});

test("a letter while the category takes no pointer goes over to the first that points there", () => {
  const { model, judgements } = open("[a] [b]", { judgements: { p2: { category: "place" } } });
  assert.deepEqual(candidates(model, judgements, "p2"), []);
  assert.deepEqual(keys(offeredCandidates(model, judgements, "p2")), ["p1"]);
  assert.equal(pressLetter(model, judgements, "p2", "a", "only").judgement.category, "phrase");
});

test("a letter replaces, with Shift it adds, and with Shift again it takes away", () => {
  const text = "[a] [b] [c]";
  const one = open(text, { judgements: { p3: points("p1") } });
  assert.deepEqual(pointTo(one.model, one.judgements, "p3", "p2", "only").judgement.pointers, ["p2"]);
  assert.deepEqual(pointTo(one.model, one.judgements, "p3", "p2", "or").judgement.pointers, ["p1", "p2"]);
  const two = open(text, { judgements: { p3: points("p1", "p2") } });
  assert.deepEqual(pointTo(two.model, two.judgements, "p3", "p1", "or").judgement.pointers, ["p2"]);
});

test("a bound on antecedents is kept", () => {
  const { model, judgements } = open("[a] [b] [c]", { scheme: "single", judgements: { p3: { category: "ident", pointers: ["p1"] } } });
  assert.match(pointTo(model, judgements, "p3", "p2", "or").refused, /at most 1 antecedent/);
  assert.deepEqual(pointTo(model, judgements, "p3", "p2", "only").judgement.pointers, ["p2"]);
});

test("what is not legal is refused in words", () => {
  const { model, judgements } = open("[a] [b]");
  assert.match(pointTo(model, judgements, "p1", "p2", "only").refused, /later/);
  assert.match(pointTo(model, judgements, "p1", "p1", "only").refused, /itself/);
  assert.match(pressLetter(model, judgements, "p1", "a", "only").refused, /No candidate/);
});

test("a change of category keeps the pointers that are still legal", () => {
  const { model, judgements } = withTurns();
  judgements.set("p3", { category: "phrase", pointers: ["p1"], indices: [], note: "n", unsure: true, optional: false });
  const segment = chooseCategory(model, judgements, "p3", "segment").judgement;
  assert.deepEqual([segment.category, segment.pointers, segment.note, segment.unsure], ["segment", [], "n", true]);
  assert.equal(chooseCategory(model, judgements, "p3", "phrase").judgement, null);
});

test("pointing to a turn goes over to the category for turns", () => {
  const { model, judgements } = withTurns();
  assert.equal(pointTo(model, judgements, "p4", "t1", "only").judgement.category, "segment");
});

test("the key of the index category begins an entity with the next free number", () => {
  const { model, judgements } = open("[a] [b] [c]", { scheme: "indices", judgements: { p1: refers("1"), p2: refers("3") } });
  assert.deepEqual(chooseCategory(model, judgements, "p3", "refers").judgement.indices, ["2"]);
  assert.equal(chooseCategory(model, judgements, "p1", "refers").judgement, null);
});

test("each entity is one candidate, shown by its latest mention before the markable", () => {
  const { model, judgements } = open("[a] [b] [c] [d] [e]", {
    scheme: "indices",
    judgements: { p1: refers("1"), p2: refers("2"), p3: refers("1"), p5: refers("1") },
  });
  const found = candidates(model, judgements, "p4");
  assert.deepEqual(found.map(({ key, index }) => [key, index]), [["p3", "1"], ["p2", "2"]]);
  assert.deepEqual(pressLetter(model, judgements, "p4", "s", "only").judgement.indices, ["2"]);
});

test("a markable may carry two indices, and none takes them away", () => {
  const { model, judgements } = open("[a] [b] [c]", { scheme: "indices", judgements: { p1: refers("1"), p2: refers("2"), p3: refers("1") } });
  const letter = candidates(model, judgements, "p3").find((candidate) => candidate.index === "2").letter;
  assert.deepEqual(pressLetter(model, judgements, "p3", letter, "or").judgement.indices, ["1", "2"]);
  assert.deepEqual(chooseCategory(model, judgements, "p3", "none").judgement.indices, []);
});

test("where coders only choose categories there is nothing to point to", () => {
  const { model, judgements } = open("[a] [b]", { scheme: "categories" });
  assert.deepEqual(offeredCandidates(model, judgements, "p2"), []);
  assert.equal(chooseCategory(model, judgements, "p2", "person").judgement.category, "person");
});

test("a remark keeps the answer, and the same remark is no change", () => {
  const { judgements } = open("[a] [b]", { judgements: { p2: points("p1") } });
  assert.deepEqual(addRemark(judgements, "p2", { unsure: true }).judgement.pointers, ["p1"]);
  assert.equal(addRemark(judgements, "p2", { unsure: false }).judgement, null);
});

test("it is said what an answer still lacks", () => {
  const { model, judgements } = open("[a] [b]", { judgements: { p2: { category: "phrase" } } });
  assert.match(missing(model, judgements, "p1"), /category/);
  assert.match(missing(model, judgements, "p2"), /antecedent/);
  judgements.set("p2", points("p1"));
  assert.equal(missing(model, judgements, "p2"), null);
});
