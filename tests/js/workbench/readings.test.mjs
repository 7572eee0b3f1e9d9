import assert from "node:assert/strict";
import { test } from "node:test";
import { addRemark } from "../../../static/js/coding/answers.js";
import { chains } from "../../../static/js/coding/chains/chains.js";
import { load } from "../../../static/js/coding/state.js";
import { judge } from "../../../static/js/workbench/judgements.js";
import { mapTargets, readingsOf, singlesOf, targetsOf } from "../../../static/js/workbench/readings.js";
import { mapChange } from "../../../static/js/workbench/saving/corrections.js";
import { marked, points } from "../coding/scenes.mjs";

test("a list of targets has alternatives, a list of lists what is meant together", () => {
  assert.deepEqual(readingsOf([["a"], ["b"]]), ["a", "b"]);
  assert.deepEqual(readingsOf([["a", "b"], ["c"], [], ["b", "a"]]), [["b", "a"], ["c"]]);
  assert.deepEqual(singlesOf([["a", "b"], ["c"]]), ["c"]);
  assert.deepEqual(targetsOf({ pointers: [["a", "b"]], relations: { part: ["c"] } }), ["a", "b", "c"]);
});

test("targets move in all relations, and readings that become equal are one", () => {
  const value = { pointers: [["a", "b"], ["a", "c"]], relations: { part: ["c", "d"], whole: ["d"] } };
  const to = { a: "a", b: "x", c: "x", d: null };
  assert.deepEqual(mapTargets(value, (key) => to[key]), { pointers: [["a", "x"]], relations: { part: ["x"] } });
});

test("a remark leaves relations, attributes and readings as they are", () => {
  const said = { category: "phrase", pointers: [["p1", "p2"]], relations: { part: ["p1"] }, attributes: { gender: "f", kinds: ["a"], count: 0 } };
  const { judgements } = load(marked("[a] [b] [c]", { judgements: { p3: said } }));
  const { pointers, relations, attributes } = addRemark(judgements, "p3", { note: "?" }).judgement;
  assert.deepEqual({ category: "phrase", pointers, relations, attributes }, said);
});

test("what says nothing is not sent", () => {
  const { relations, attributes } = judge("a", { relations: { part: [] }, attributes: { gloss: "", kinds: [], count: 0 } }).payload;
  assert.deepEqual({ relations, attributes }, { relations: {}, attributes: { count: 0 } });
});

test("a correction moves the targets of relations, and drops an answer one of whose targets is gone", () => {
  const edits = [{ start: 0, end: 2, old: "ab", new: "", segments: [] }];
  const sent = (target) => mapChange({ kind: "judge", payload: { markable: "p:6-8", relations: { part: [["p:3-4", target]] } } }, edits);
  assert.deepEqual(sent("p:4-5").payload.relations, { part: [["p:1-2", "p:2-3"]] });
  assert.equal(sent("p:0-1"), null);
});

test("who stands for several together begins a chain of their own", () => {
  const { model, judgements } = load(marked("[D] [E] [F] [G]", { judgements: { p3: points(["p1", "p2"]), p4: points("p3") } }));
  const found = chains(model, judgements);
  assert.deepEqual(Object.fromEntries(found.of), { p1: ["p1"], p2: ["p2"], p3: ["p3"], p4: ["p3"] });
  const or = chains(model, new Map([...judgements, ["p3", { ...judgements.get("p3"), pointers: [["p1", "p2"], ["p1"]] }]]));
  assert.deepEqual(or.of.get("p4"), ["p1", "p3"]);
});
