import assert from "node:assert/strict";
import { test } from "node:test";
import { apply, load } from "../../../static/js/coding/state.js";
import {
  emptyHistory, removeStep, invert, redoable, markRedone, addStep, undoable, markUndone,
} from "../../../static/js/workbench/history.js";
import { JUDGEMENTS } from "../../../static/js/coding/targets/pointers.js";
import { judge, sameJudgement } from "../../../static/js/workbench/judgements.js";
import { mapChange } from "../../../static/js/workbench/saving/corrections.js";
import { fromLog } from "../../../static/js/workbench/saving/log.js";
import { marked, points } from "../coding/scenes.mjs";

const OWN = "phrase:2-3";
const open = (judgements = {}) => load(marked("[a] b [c] d", { marking: true, judgements }));
const unmark = (markable) => ({ kind: "unmark", payload: { markable } });
const clear = (markable) => ({ kind: "clear", payload: { markable } });
const move = (markable, to) => ({ kind: "move", payload: { markable, to } });

const CASES = {
  "a first answer": [{}, [judge("p1", { category: "none" })]],
  "a second answer": [{ p1: { category: "place", note: "hm" } }, [judge("p1", { category: "none" })]],
  "clearing": [{ p1: { category: "place" } }, [clear("p1")]],
  "clearing nothing": [{}, [clear("p1")]],
  "a new mark": [{}, [judge(OWN, {})]],
  "a mark that comes by pointing": [{}, [judge("p2", points(OWN, "p1"))]],
  "clearing a mark": [{ [OWN]: { category: "none" } }, [clear(OWN)]],
  "unmarking": [{ [OWN]: { category: "none", name: "B" }, p2: points(OWN), p1: points(OWN, "p2") }, [unmark(OWN)]],
  "unmarking nothing": [{}, [unmark(OWN)]],
  "moving": [{ [OWN]: { category: "none", head: [[2, 3]] }, p2: points(OWN) }, [move(OWN, "phrase:2-5")]],
  "moving away from the head": [{ "phrase:2-5": { category: "none", head: [[4, 5]] } }, [move("phrase:2-5", OWN)]],
  "several in one step": [
    { p1: { category: "place" } },
    [judge(OWN, {}), move(OWN, "phrase:2-5"), judge("p2", points("phrase:2-5")), unmark("phrase:2-5"), clear("p1"), judge("p1", { category: "none" })],
  ],
};

const same = (one, other) => {
  assert.deepEqual([...one.keys()].sort(), [...other.keys()].sort());
  for (const [key, value] of one) {
    assert.ok(sameJudgement(value, other.get(key)), `${key}: ${JSON.stringify(value)} is not ${JSON.stringify(other.get(key))}`);
  }
};

for (const [name, [before, changes]] of Object.entries(CASES)) {
  test(`taking back gives what was there before: ${name}`, () => {
    const { model, judgements } = open(before);
    const back = invert(JUDGEMENTS, model, judgements, changes);
    same(apply(model, apply(model, judgements, changes), back), judgements);
  });
}

const step = (id, more = {}) => ({ id, uuids: [id], changes: [], inverse: [], undoneBy: null, ...more });

test("undo gives back the steps last first, redo makes them again, and a new step ends redoing", () => {
  let history = addStep(addStep(emptyHistory(), step("one")), step("two"));
  assert.equal(undoable(history).id, "two");
  history = markUndone(history, "back-two");
  history = markUndone(history, "back-one");
  assert.equal(undoable(history), null);
  assert.equal(redoable(history).undoneBy, "back-one");
  history = markRedone(history);
  assert.deepEqual([undoable(history).id, redoable(history).id], ["one", "two"]);
  history = addStep(history, step("three"));
  assert.equal(redoable(history), null);
  assert.deepEqual(history.done.map((one) => one.id), ["one", "three"]);
});

test("a step some of which was refused can be neither undone nor redone", () => {
  const history = markUndone(addStep(addStep(emptyHistory(), step("kept")), step("two", { uuids: ["two", "refused"] })), "x");
  assert.equal(redoable(removeStep(history, "refused")), null);
  assert.equal(undoable(removeStep(history, "refused")).id, "kept");
});

const logged = (uuid, one, more = {}) => ({ uuid, step: null, undoes: null, ...one, ...more });

test("what an earlier visit did can be undone after a reload, as it can be in the visit", () => {
  const { model } = open();
  const log = [
    logged("1", judge("p1", { category: "none" })),
    logged("2", judge("p2", points("p1")), { step: "2" }),
    logged("3", judge("p1", { category: "place" }), { step: "2" }),
  ];
  const history = fromLog(JUDGEMENTS, model, log, emptyHistory(false));
  assert.deepEqual(history.done.map((one) => [one.id, one.uuids]), [["1", ["1"]], ["2", ["2", "3"]]]);
  const all = apply(model, new Map(), log);
  const once = apply(model, all, undoable(history).inverse);
  same(once, apply(model, new Map(), log.slice(0, 1)));
  same(apply(model, once, history.done[0].inverse), new Map());
});

test("what was undone before the reload can be done again, and undone once more", () => {
  const { model } = open();
  const log = [
    logged("1", judge("p1", { category: "none" })),
    logged("2", judge("p2", { category: "none" })),
    logged("3", clear("p2"), { undoes: "2" }),
    logged("4", clear("p1"), { undoes: "1" }),
    logged("5", judge("p1", { category: "none" }), { undoes: "4" }),
  ];
  const history = fromLog(JUDGEMENTS, model, log, emptyHistory(false));
  assert.deepEqual(history.done.map((one) => one.id), ["1"]);
  assert.deepEqual(history.undone.map((one) => [one.id, one.undoneBy]), [["2", "3"]]);
});

test("a new step in the log ends redoing, and an import cannot be undone", () => {
  const { model } = open();
  const log = [
    logged("0", { kind: "import", payload: { judgements: [{ markable: "p1", category: "none" }] } }),
    logged("1", judge("p1", { category: "place" })),
    logged("2", judge("p1", { category: "none" }), { undoes: "1" }),
    logged("s", { kind: "submit", payload: {} }),
    logged("r", { kind: "reopen", payload: {} }),
    logged("3", judge("p2", { category: "none" })),
  ];
  const history = fromLog(JUDGEMENTS, model, log, emptyHistory(false));
  assert.deepEqual([history.done.map((one) => one.id), history.undone, history.whole], [["3"], [], true]);
});

test("a step that changed nothing is no step", () => {
  const { model } = open();
  assert.deepEqual(fromLog(JUDGEMENTS, model, [logged("1", unmark(OWN))], emptyHistory(false)).done, []);
});

test("steps of the visit lie on top of those of the log", () => {
  const { model } = open();
  const log = [logged("1", judge("p1", { category: "none" })), logged("2", clear("p1"), { undoes: "1" })];
  assert.deepEqual(fromLog(JUDGEMENTS, model, log, emptyHistory(false)).undone.map((one) => one.id), ["1"]);
  const visit = markUndone(addStep(emptyHistory(false), step("now")), "back");
  const history = fromLog(JUDGEMENTS, model, log, visit);
  assert.deepEqual([history.done, history.undone.map((one) => one.id)], [[], ["now"]]);
});

test("a long log is read in one pass", () => {
  const { model } = open();
  const log = Array.from({ length: 20_000 }, (_, place) => logged(String(place), judge("p1", { category: "none", note: String(place) })));
  assert.equal(fromLog(JUDGEMENTS, model, log, emptyHistory(false)).done.length, 20_000);
});

test("a decision on gold is taken back and made again with the judgements that carry it, and goes with corrections", () => {
  const { model, judgements } = open({});
  const decide = (key) => ({ kind: "decide", payload: { items: [[key, "category"]], source: "draft", reason: "slip" } });
  const log = [{ uuid: "one", ...decide("p1") }, { uuid: "two", step: "s", ...judge(OWN, { category: "none" }) }, { uuid: "three", step: "s", ...decide(OWN) }];
  same(apply(model, judgements, [decide("p1")]), judgements);
  const [alone, both] = fromLog(JUDGEMENTS, model, log, emptyHistory(false)).done;
  assert.deepEqual([alone.changes, alone.inverse], [[decide("p1")], [decide("p1")]]);
  assert.deepEqual(both.inverse, [decide(OWN), unmark(OWN)]);
  assert.deepEqual(mapChange(decide(OWN), [{ start: 0, end: 0, old: "", new: "so ", segments: [] }]), decide("phrase:5-6"));
  assert.equal(mapChange(decide(OWN), [{ start: 0, end: 3, old: "abc", new: "", segments: [] }]), null);
});

test("a draft that is made again has all judgements", () => {
  const { model, judgements } = open({ [OWN]: { category: "none" } });
  same(apply(model, judgements, [{ kind: "draft", payload: { judgements: [{ markable: "phrase:3-4", category: "none" }] } }]),
    apply(model, open({}).judgements, [judge("phrase:3-4", { category: "none" })]));
});
