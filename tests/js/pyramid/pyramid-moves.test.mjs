import assert from "node:assert/strict";
import { test } from "node:test";
import { take } from "../../../static/js/pyramid/adjudication/moves.js";
import { refusal } from "../../../static/js/pyramid/edits/rules.js";
import { touchedBy } from "../../../static/js/pyramid/edits/edits.js";
import { apply, load, PYRAMID, pyramidOf } from "../../../static/js/pyramid/state.js";
import { decisionsOf } from "../../../static/js/workbench/adjudication/steps.js";
import { invert } from "../../../static/js/workbench/history.js";
import { key, pyramid } from "./pyramid-scenes.mjs";

const TEXT = "The ferry sank at dawn.\nAt dawn a ferry went down.";
const at = (...words) => key(TEXT, ...words);
const DRAFT = { sinking: ["ferry sank", "ferry went down"], dawn: ["at dawn"] };

/**
 * The words of the contributors of each SCU after a row has taken an answer. `scus` are those of the queue, of which the
 * draft has the first `drafted`; `rows` units of other rows.
 */
function taken({ agreed = DRAFT, rules = true, scus = ["sinking", "dawn"], drafted = 2, units, answer, answers = [answer], rows = [], steps = [] }) {
  const { model, state } = load(pyramid(agreed, { rules }));
  const entities = scus.map((scu) => (DRAFT[scu] ?? []).map((words) => at(words)));
  const queue = { entities, drafted, scus: scus.map((name) => ({ key: name, label: name })), cards: [{ rows: [{ units }, ...rows.map((unit) => ({ units: [unit] }))] }] };
  const view = { queue, places: scus, decisions: decisionsOf(steps, null) };
  const changes = take(model, state, view, { units, answers }, answer);
  const after = apply(model, state, changes);
  const shape = Object.fromEntries(pyramidOf(model, after).order.map((one) => [one.key, one.contributors.map(({ words }) => words)]));
  return { shape, changes, model, state, after };
}

const answer = (entities, units = []) => ({ entities, label: null, units });

test("the words of a unit go into the SCU where the coder has them", () => {
  assert.deepEqual(taken({ units: [at("ferry went down")], answer: answer([1]) }).shape, {
    dawn: ["at dawn", "ferry went down"], sinking: ["ferry sank"],
  });
});

test("where the coder has other words there, these take the place of the unit", () => {
  const { shape } = taken({ units: [at("ferry went down")], answer: answer([0], [[at("went down"), 0]]) });
  assert.deepEqual(shape, { sinking: ["ferry sank", "went down"], dawn: ["at dawn"] });
});

test("a coder who has a unit in two SCUs is followed in both", () => {
  const { shape } = taken({
    agreed: { ...DRAFT, dawn: ["dawn"] }, units: [at("ferry went down")], answer: answer([0, 1], [[at("went"), 1], [at("down"), 0]]),
  });
  assert.deepEqual([shape.sinking, shape.dawn], [["ferry sank", "down"], ["dawn", "went"]]);
});

test("other contributors keep the rest of their words where words belong to one SCU", () => {
  const wider = at("ferry sank at");
  const { shape, changes } = taken({ units: [at("ferry sank")], answer: answer([0], [[wider, 0]]) });
  assert.deepEqual(shape, { sinking: ["ferry sank at", "ferry went down"], dawn: ["dawn"] });
  assert.ok(changes.some(({ kind, payload }) => kind === "move" && payload.markable === at("at dawn") && payload.to === at("dawn")));
});

test("where words may be in several SCUs, other contributors stay as they are", () => {
  const { shape } = taken({ rules: false, units: [at("ferry sank")], answer: answer([0], [[at("ferry sank at"), 0]]) });
  assert.deepEqual(shape.dawn, ["at dawn"]);
});

test("what was taken of another coder before gives way, but not what has a row of its own", () => {
  const other = at("sank at dawn");
  const agreed = { sinking: ["ferry sank", "sank at dawn"] };
  const options = { agreed, rules: false, scus: ["sinking"], drafted: 1, units: [at("ferry sank")], answer: answer([0]), answers: [answer([0]), answer([0], [[other, 0]])] };
  assert.deepEqual(taken(options).shape.sinking, ["ferry sank"]);
  assert.deepEqual(taken({ ...options, rows: [other] }).shape.sinking, ["ferry sank", "sank at dawn"]);
});

test("an SCU that the draft lacks is made with the coder's label", () => {
  const { shape, after } = taken({ scus: ["sinking", "dawn", "boats"], units: [at("At")], answer: answer([2]) });
  assert.deepEqual(shape.boats, ["At"]);
  assert.equal(after.scus.get("boats").label, "boats");
});

test("without an answer the unit is no contributor, and an SCU without any is gone unless it was commented on", () => {
  const { shape, after } = taken({ units: [at("at dawn")], answer: null });
  assert.deepEqual(shape, { sinking: ["ferry sank", "ferry went down"] });
  assert.equal(after.scus.has("dawn"), false);
});

test("what was moved on the page is the unit still: the draft's words come back", () => {
  const steps = [];
  const { model, state } = load(pyramid({ ...DRAFT, sinking: ["ferry sank", "a ferry went down"] }));
  const [from, to] = [at("ferry went down"), at("a ferry went down")];
  const last = { change: { kind: "move", payload: { markable: from, to } }, step: "s", undoes: null, before: null };
  const decisions = decisionsOf(steps, last, true);
  assert.equal(decisions.called(from), to);
  assert.equal(decisions.of(from, "category").source, "own");
  assert.equal(decisionsOf(steps, last).of(from, "category"), null); // of a text, where a moved markable stays what it is
  const queue = { entities: [[from]], drafted: 1, scus: [{ key: "sinking", label: "sinking" }], cards: [] };
  const changes = take(model, state, { queue, places: ["sinking"], decisions }, { units: [from], answers: [] }, answer([0]));
  const words = pyramidOf(model, apply(model, state, changes)).scus.at("sinking").contributors.map((one) => one.words);
  assert.deepEqual(words, ["ferry sank", "ferry went down"]);
});

test("the names of units follow moves there and back", () => {
  const move = (markable, to, before, undoes = null) => ({ change: { kind: "move", payload: { markable, to } }, step: `${markable} ${to}`, undoes, before });
  const there = move("a", "b", null);
  assert.equal(decisionsOf([], move("b", "c", there)).called("a"), "c");
  const back = move("b", "a", there, there.step);
  assert.equal(decisionsOf([], back, true).called("a"), "a");
  assert.equal(decisionsOf([], back, true).of("a", "category"), null);
});

test("whatever is taken is taken back", () => {
  const { model, state, changes } = taken({ units: [at("ferry sank")], answer: answer([1], [[at("ferry sank at"), 1]]) });
  const undone = apply(model, apply(model, state, changes), invert(PYRAMID, model, state, changes));
  assert.deepEqual([...undone.judgements].sort(), [...state.judgements].sort());
  assert.deepEqual([...undone.scus].sort(), [...state.scus].sort());
});

test("a second contributor of a summary is refused in words", () => {
  const { model, after, changes } = taken({ units: [at("At")], answer: answer([0]) });
  const why = refusal(model, pyramidOf(model, after), touchedBy(changes), (scu) => scu);
  assert.match(why.refused, /has a contributor in s2 already/);
});
