import assert from "node:assert/strict";
import { test } from "node:test";
import { mapKey, mergeAnswers, renewedOutbox } from "../../../static/js/workbench/saving/corrections.js";
import { emptyHistory } from "../../../static/js/workbench/history.js";
import { JUDGEMENTS } from "../../../static/js/coding/targets/pointers.js";
import { fromLog } from "../../../static/js/workbench/saving/log.js";
import { memoryOutbox } from "../../../static/js/workbench/saving/outbox.js";

/** @param {number} start @param {string} old @param {string} words */
const edit = (start, old, words, segments = []) => ({ start, end: start + Array.from(old).length, old, new: words, segments });
const model = { given: new Set(["p:14-16"]), version: 9 };

test("a key follows its words", () => {
  const edits = [edit(0, "teh", "the"), edit(4, "𝄞 cat", "𝄞 cats"), edit(12, "", "so ")];
  for (const [before, after] of Object.entries({
    "p:0-3": "p:0-3", "p:4-9": "p:4-10", "p:4-5": "p:4-5", "p:0-9": "p:0-10", "p:12-14": "p:16-18", "p:9-12": "p:10-13", "p:0-3,9-14": "p:0-3,10-18",
  })) {
    assert.equal(mapKey(before, edits), after, before);
  }
  assert.equal(mapKey("p:0-1,2-5", [edit(1, "x", "")]), "p:0-4"); // parts that touch are one
  assert.equal(mapKey("p:0-4", [edit(4, "", " so", [[0, 4]])]), "p:0-7"); // a segment takes in what is said at its end
  assert.equal(mapKey("p:2-4", [edit(0, "a cat", "it")]), null);
});

test("what is unsent is renewed once by each correction after it, and what has no words left is dropped and told", async () => {
  const notices = [];
  const inner = memoryOutbox();
  const judge = (uuid, markable, seen) => ({ uuid, seen, kind: "judge", payload: { markable, pointers: [], head: [] } });
  await inner.add(judge("a", "p:4-6", 3), judge("b", "p:4-6", 7), judge("c", "p:0-1", 3), judge("d", "p:8-9"));
  const visit = { version: 3, operations: [judge("e", "p:4-6", 7)], draft: { markable: "p:4-6", note: "?", seen: 3 } };
  const corrections = [{ sequence: 5, edits: [edit(0, "ab", "")] }, { sequence: 8, edits: [edit(0, "", "xyz")] }];
  const outbox = renewedOutbox(inner, visit, { corrections, merges: {} }, model, (words) => notices.push(words));
  const operations = await outbox.all();
  assert.deepEqual(operations.map(({ uuid, payload, seen }) => [uuid, payload.markable, seen]),
    [["a", "p:5-7", 9], ["b", "p:7-9", 9], ["d", "p:9-10", 9]]);
  assert.deepEqual(visit.operations.map(({ payload }) => payload.markable), ["p:7-9"]);
  assert.equal(visit.draft.markable, "p:5-7");
  assert.deepEqual(notices, ["The text was corrected, and the words of an answer that was not yet saved are gone."]);
  assert.deepEqual((await inner.all()).map(({ uuid }) => uuid), ["a", "b", "d"]);
});

test("what is unsent has the answers that others have become", () => {
  const merges = { category: { new: "old" }, kinds: { b: "a" } };
  const before = { markable: "p:0-1", category: "new", pointers: [], attributes: { kinds: ["a", "b", "c"], one: "constructor", count: 3 } };
  assert.deepEqual(mergeAnswers({ kind: "judge", payload: before }, merges).payload,
    { ...before, category: "old", attributes: { ...before.attributes, kinds: ["a", "c"] } });
  const clear = { kind: "clear", payload: { markable: "p:0-1" } };
  assert.equal(mergeAnswers(clear, merges), clear);
  assert.equal(mergeAnswers({ kind: "judge", payload: { ...before, category: null } }, merges).payload.category, null);
});

test("before a correction other keys are those of the markables that came with the text", () => {
  const log = [
    { uuid: "1", kind: "judge", payload: { markable: "p:14-16", category: "none" } }, // one's own, which moves to 16-18
    { uuid: "2", kind: "judge", payload: { markable: "p:12-14", category: "none", pointers: ["p:10-11"] } },
    { uuid: "3", kind: "correct", payload: { edits: [edit(0, "", "xy")] } },
    { uuid: "4", kind: "judge", payload: { markable: "p:14-16", category: "place" } },
  ];
  const { done } = fromLog(JUDGEMENTS, model, log, emptyHistory(false));
  assert.deepEqual(done.map(({ inverse }) => inverse.map(({ kind, payload }) => [kind, payload.markable])), [
    [["unmark", "p:16-18"]],
    [["clear", "p:14-16"], ["unmark", "p:12-13"]],
    [["judge", "p:14-16"]],
  ]);
});
