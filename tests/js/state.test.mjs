import assert from "node:assert/strict";
import { test } from "node:test";
import {
  apply, emptyHistory, forget, isDecided, load, operation, rebase, redo, remember, sameJudgement, step, undo,
} from "../../static/js/coding/state.js";
import { marked, points, refers, scene } from "./scenes.mjs";

const judge = (uuid, markable, value) => operation(uuid, markable, value);

test("offsets count code points, so words behind an emoji are the right ones", () => {
  const { model } = load(scene("🎉🎉 the 🐟 swims", [["a", "phrase", 3, 8], ["b", "phrase", 9, 14]]));
  assert.deepEqual(model.markables.map((markable) => markable.words), ["the 🐟", "swims"]);
  assert.deepEqual(model.byKey.get("b").parts, [[12, 17]]);
});

test("text order puts what encloses first, so one's own turn counts as earlier", () => {
  const { model } = load(scene("it goes", [["it", "phrase", 0, 2], ["whole", "phrase", 0, 7], ["turn", "turn", 0, 7]]));
  assert.deepEqual(model.markables.map((markable) => markable.key), ["turn", "whole", "it"]);
});

test("a discontinuous markable has all its words, and the last of them as head", () => {
  const { model } = load(scene("look it up", [["a", "phrase", [8, 10], [0, 4]]]));
  assert.equal(model.byKey.get("a").words, "look … up");
  assert.equal(model.byKey.get("a").head, "up");
});

test("a pointing category is decided only with an antecedent", () => {
  const { model } = load(marked("[a] [b]"));
  assert.equal(isDecided(model, undefined), false);
  assert.equal(isDecided(model, { category: null, pointers: [], indices: [] }), false);
  assert.equal(isDecided(model, { category: "phrase", pointers: [], indices: [] }), false);
  assert.equal(isDecided(model, { category: "phrase", pointers: ["p1"], indices: [] }), true);
  assert.equal(isDecided(model, { category: "place", pointers: [], indices: [] }), true);
});

test("a category that takes an index is decided only with one", () => {
  const { model } = load(marked("[a]", { scheme: "indices" }));
  assert.equal(isDecided(model, { category: "refers", pointers: [], indices: [] }), false);
  assert.equal(isDecided(model, { category: "refers", pointers: [], indices: ["1"] }), true);
  assert.equal(isDecided(model, { category: "none", pointers: [], indices: [] }), true);
});

test("applying operations leaves the judgements it was given as they were", () => {
  const { judgements } = load(marked("[a] [b]", { judgements: { p2: points("p1") } }));
  const after = apply(judgements, [judge("1", "p1", { category: "none" }), judge("2", "p2", null)]);
  assert.deepEqual([...judgements.keys()], ["p2"]);
  assert.deepEqual([...after.keys()], ["p1"]);
  assert.equal(after.get("p1").category, "none");
});

test("an import in the log sets many judgements at once", () => {
  const after = apply(new Map(), [{ uuid: "1", kind: "import", payload: { judgements: [{ markable: "p1", ...refers("3") }] } }]);
  assert.deepEqual(after.get("p1").indices, ["3"]);
});

test("rebasing puts what others did under one's own unsent work", () => {
  const base = new Map();
  const missed = [judge("a", "p1", { category: "place" }), judge("b", "p2", { category: "place" })];
  const pending = [judge("c", "p2", { category: "none" })];
  const renewed = rebase(base, missed, pending);
  assert.equal(renewed.base.get("p2").category, "place");
  assert.equal(renewed.judgements.get("p1").category, "place");
  assert.equal(renewed.judgements.get("p2").category, "none");
});

test("undo gives back the changes last first, redo makes them again, and a new change ends redoing", () => {
  const change = (uuid) => ({ uuid, key: "p1", before: null, after: { category: uuid } });
  let history = remember(remember(emptyHistory(), change("one")), change("two"));
  const first = undo(history);
  const second = undo(first.history);
  assert.deepEqual([first.change.uuid, second.change.uuid, undo(second.history).change], ["two", "one", null]);
  const again = redo(second.history);
  assert.equal(again.change.uuid, "one");
  history = remember(again.history, change("three"));
  assert.equal(redo(history).change, null);
  assert.deepEqual(history.done.map((done) => done.uuid), ["one", "three"]);
});

test("a refused change can be neither undone nor redone", () => {
  const change = (uuid) => ({ uuid, key: "p1", before: null, after: null });
  const history = undo(remember(remember(emptyHistory(), change("kept")), change("refused"))).history;
  assert.equal(redo(forget(history, "refused")).change, null);
  assert.equal(undo(forget(history, "refused")).change.uuid, "kept");
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

test("a coding that is handed in can only be read", () => {
  assert.equal(load(marked("[a]", { status: "submitted" })).model.readOnly, true);
  assert.equal(load(marked("[a]")).model.readOnly, false);
});
