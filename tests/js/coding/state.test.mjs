import assert from "node:assert/strict";
import { test } from "node:test";
import { apply, categoryLook, isDecided, load, step, withMarks } from "../../../static/js/coding/state.js";
import { rebase } from "../../../static/js/workbench/history.js";
import { judge, judgement, keyOf, partsOf, sameJudgement } from "../../../static/js/workbench/judgements.js";
import { JUDGEMENTS } from "../../../static/js/coding/targets/pointers.js";
import { marked, points, refers, scene } from "./scenes.mjs";

const operation = (uuid, markable, value) => ({
  uuid, ...(value === null ? { kind: "clear", payload: { markable } } : judge(markable, value)),
});

test("offsets count code points, so words behind an emoji are the right ones", () => {
  const { model } = load(scene("🎉🎉 the 🐟 swims", [["a", "phrase", 3, 8], ["b", "phrase", 9, 14]]));
  assert.deepEqual(model.markables.map((markable) => markable.words), ["the 🐟", "swims"]);
  assert.deepEqual(model.byKey.get("b").parts, [[12, 17]]);
});

test("text order puts what encloses first, so one's own turn counts as earlier", () => {
  const { model } = load(scene("it goes", [["it", "phrase", 0, 2], ["whole", "phrase", 0, 7], ["turn", "turn", 0, 7]]));
  assert.deepEqual(model.markables.map((markable) => markable.key), ["turn", "whole", "it"]);
});

test("a discontinuous markable has all its words, and the last of them to be known by", () => {
  const { model } = load(scene("look it up", [["a", "phrase", [8, 10], [0, 4]]]));
  assert.equal(model.byKey.get("a").words, "look … up");
  assert.equal(model.byKey.get("a").lastWord, "up");
});

test("eight categories have colours of their own, in their order; an unknown one has none", () => {
  const categories = [...Array(9).keys()].map((place) => ({ key: `c${place}` }));
  const looks = categories.map(({ key }) => categoryLook({ categories }, key));
  assert.equal(new Set(looks).size, 8);
  assert.equal(looks[8], looks[0]);
  assert.equal(categoryLook({ categories }, null), "");
});

test("a pointing category is decided only with an antecedent", () => {
  const { model } = load(marked("[a] [b]"));
  assert.equal(isDecided(model, "phrase", undefined), false);
  assert.equal(isDecided(model, "phrase", judgement({ category: null, pointers: [], indices: [] })), false);
  assert.equal(isDecided(model, "phrase", judgement({ category: "phrase", pointers: [], indices: [] })), false);
  assert.equal(isDecided(model, "phrase", judgement({ category: "phrase", pointers: ["p1"], indices: [] })), true);
  assert.equal(isDecided(model, "phrase", judgement({ category: "place", pointers: [], indices: [] })), true);
});

test("a category that takes an index is decided only with one", () => {
  const { model } = load(marked("[a]", { scheme: "indices" }));
  assert.equal(isDecided(model, "phrase", judgement({ category: "refers", pointers: [], indices: [] })), false);
  assert.equal(isDecided(model, "phrase", judgement({ category: "refers", pointers: [], indices: ["1"] })), true);
  assert.equal(isDecided(model, "phrase", judgement({ category: "none", pointers: [], indices: [] })), true);
});

test("applying operations leaves the judgements it was given as they were", () => {
  const { model, judgements } = load(marked("[a] [b]", { judgements: { p2: points("p1") } }));
  const after = apply(model, judgements, [operation("1", "p1", { category: "none" }), operation("2", "p2", null)]);
  assert.deepEqual([...judgements.keys()], ["p2"]);
  assert.deepEqual([...after.keys()], ["p1"]);
  assert.equal(after.get("p1").category, "none");
});

test("an import in the log sets many judgements at once", () => {
  const { model } = load(marked("[a]", { scheme: "indices" }));
  const after = apply(model, new Map(), [{ uuid: "1", kind: "import", payload: { judgements: [{ markable: "p1", ...refers("3") }] } }]);
  assert.deepEqual(after.get("p1").indices, ["3"]);
});

test("rebasing puts what others did under one's own unsent work", () => {
  const { model } = load(marked("[a] [b]"));
  const base = new Map();
  const missed = [operation("a", "p1", { category: "place" }), operation("b", "p2", { category: "place" })];
  const pending = [operation("c", "p2", { category: "none" })];
  const renewed = rebase(JUDGEMENTS, model, base, missed, pending);
  assert.equal(renewed.base.get("p2").category, "place");
  assert.equal(renewed.state.get("p1").category, "place");
  assert.equal(renewed.state.get("p2").category, "none");
});

test("stepping goes round the end and passes over what does not answer", () => {
  const { model } = load(marked("[a] [b] [c]"));
  const notB = (markable) => markable.key !== "p2";
  assert.equal(step(model.coded, "p3", 1), "p1");
  assert.equal(step(model.coded, "p1", -1), "p3");
  assert.equal(step(model.coded, "p1", 1, notB), "p3");
  assert.equal(step(model.coded, null, 1), "p1");
  assert.equal(step(model.coded, null, -1), "p3");
  assert.equal(step(model.coded, "p1", 1, () => false), null);
  assert.equal(step([], null, 1), null);
});

test("judgements are the same whatever they leave unsaid", () => {
  assert.ok(sameJudgement({ category: "none" }, { category: "none", pointers: [], unsure: false, note: "" }));
  assert.ok(!sameJudgement({ category: "none" }, null));
});

test("a coding that is submitted can only be read", () => {
  assert.equal(load(marked("[a]", { status: "submitted" })).model.readOnly, true);
  assert.equal(load(marked("[a]")).model.readOnly, false);
});

test("offsets go there and back in a text with wide characters", () => {
  const { model } = load(scene("a🎉b🐟🐟c", []));
  for (const [point, unit] of [[0, 0], [1, 1], [2, 3], [3, 4], [4, 6], [5, 8], [6, 9]]) {
    assert.equal(model.toUnits(point), unit);
    assert.equal(model.toPoints(unit), point);
  }
});

test("a key says where its markable is, and what is none says nothing", () => {
  assert.deepEqual(partsOf(keyOf("phrase", [[1, 2], [5, 9]])), { level: "phrase", parts: [[1, 2], [5, 9]] });
  assert.equal(partsOf("p1"), null);
  assert.equal(partsOf("phrase:1-"), null);
});

test("one's own markables are those that have a judgement and did not come with the text", () => {
  const { model, judgements } = load(marked("[a] b 🐟 c", { marking: true }));
  const more = apply(model, judgements, [operation("1", "phrase:2-3", {}), operation("2", "phrase:4-7", { pointers: ["phrase:2-3"], category: "phrase" })]);
  const after = withMarks(model, more);
  assert.deepEqual(after.markables.map((one) => [one.words, one.own, one.order]), [["a", false, 0], ["b", true, 1], ["🐟 c", true, 2]]);
  assert.equal(withMarks(after, more), after);
  assert.deepEqual(withMarks(after, judgements).markables.map((one) => one.words), ["a"]);
});

test("what is pointed to is marked, as on the server", () => {
  const { model, judgements } = load(marked("[a] b", { marking: true }));
  const after = apply(model, judgements, [operation("1", "p1", points("phrase:2-3"))]);
  assert.deepEqual([...after.keys()].sort(), ["p1", "phrase:2-3"]);
});

test("clearing leaves one's own markable, unmarking takes it and the pointers to it", () => {
  const { model } = load(marked("[a] b", { marking: true }));
  const own = "phrase:2-3";
  const before = apply(model, new Map(), [operation("1", own, { category: "none" }), operation("2", "p1", points(own))]);
  assert.equal(apply(model, before, [operation("3", own, null)]).get(own).category, null);
  const gone = apply(model, before, [{ uuid: "4", kind: "unmark", payload: { markable: own } }]);
  assert.deepEqual([gone.has(own), gone.get("p1").pointers], [false, []]);
});

test("moving takes judgement, pointers and what fits of the head along", () => {
  const { model } = load(marked("[a] bb cc", { marking: true }));
  const value = { category: "none", note: "hm", head: [[2, 4], [5, 7]] };
  const before = apply(model, new Map(), [operation("1", "phrase:2-7", value), operation("2", "p1", points("phrase:2-7"))]);
  const after = apply(model, before, [{ uuid: "3", kind: "move", payload: { markable: "phrase:2-7", to: "phrase:2-4" } }]);
  assert.deepEqual(after.get("p1").pointers, ["phrase:2-4"]);
  assert.deepEqual([after.get("phrase:2-4").note, after.get("phrase:2-4").head, after.has("phrase:2-7")], ["hm", [[2, 4]], false]);
});
