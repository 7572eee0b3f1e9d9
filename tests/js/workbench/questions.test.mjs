import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseCategory, pointTo } from "../../../static/js/coding/answers.js";
import { split } from "../../../static/js/coding/chains/edits.js";
import { chains } from "../../../static/js/coding/chains/chains.js";
import { checkList } from "../../../static/js/coding/view/checks.js";
import { answerAttribute } from "../../../static/js/coding/questions/attribute-answers.js";
import { answerEntity, entityConflicts, keepEntityAnswers } from "../../../static/js/coding/questions/entity-answers.js";
import { categoriesOn } from "../../../static/js/coding/questions/constraints.js";
import { askedOf, CATEGORY, nextQuestion, questionsOf } from "../../../static/js/coding/questions/questions.js";
import { isDecided, load } from "../../../static/js/coding/state.js";
import { attribute, marked, points, relation, SCHEMES } from "../coding/scenes.mjs";

const when = (question, ...values) => ({ question, values });

const RICH = {
  categories: SCHEMES.pointers.categories.map((one) => (one.key === "phrase" ? { ...one, joint: true } : one)),
  relations: [relation("part", { asked_if: when("category", "none", "phrase"), joint: true, max_targets: 2 })],
  attributes: [
    attribute("gender", ["f", "m"], { of: "entity", required: true, asked_if: when("category", "phrase", "place") }),
    attribute("use", ["a", "b"], { asked_if: when("category", "place") }),
    attribute("kinds", ["x", "y", "z"], { kind: "several", asked_if: when("category", "place") }),
    attribute("why", [], { kind: "text", asked_if: when("use", "b"), required: true }),
    attribute("use-2", ["a", "b"], { primary_of: "use" }),
    attribute("how", ["p", "q"], { of: "relation", relation: "part", required: true }),
  ],
};
const open = (judgements, text = "[a] [b] [c] [d]") => load(marked(text, { scheme: RICH, judgements }));
const questions = questionsOf(open({}).model);

function asked({ model, judgements }, key) {
  return askedOf(questions, model, judgements, key);
}
const keysAsked = (scene, key) => asked(scene, key).map((one) => one.key);
const next = (scene, key, after) => nextQuestion(asked(scene, key), scene.model, scene.judgements, chains(scene.model, scene.judgements), key, after);

test("a question stands behind the one that leads to it, those of entities last", () => {
  assert.deepEqual(questions.map(({ key, depth }) => [key, depth]),
    [["part", 0], ["how", 1], ["use", 0], ["why", 1], ["use-2", 1], ["kinds", 0], ["gender", 0]]);
});

test("answers lead to questions, which are asked in their order", () => {
  const scene = (more) => open({ p1: { category: "place", attributes: more } });
  assert.deepEqual(keysAsked(open({}), "p1"), []);
  assert.deepEqual(keysAsked(scene({}), "p1"), ["use", "kinds", "gender"]);
  assert.deepEqual(keysAsked(scene({ use: "b" }), "p1"), ["use", "why", "use-2", "kinds", "gender"]);
  assert.deepEqual([next(open({}), "p1", null), next(scene({}), "p1", null), next(scene({ use: "b" }), "p1", "use")], [CATEGORY, "use", "why"]);
  assert.equal(next(scene({ use: "b", gender: "f" }), "p1", "gender"), "why"); // what is required is asked again
  assert.equal(next(scene({ use: "a", gender: "f" }), "p1", "gender"), null);
});

test("a relation is asked where letters are free, and chosen where the category points", () => {
  assert.equal(next(open({ p2: { category: "none" } }), "p2", CATEGORY), "part");
  const pointing = open({ p2: points("p1") });
  assert.deepEqual(keysAsked(pointing, "p2"), ["part", "gender"]);
  assert.equal(next(pointing, "p2", CATEGORY), "gender");
});

test("what is required is missing until it is answered, and an entity may wait", () => {
  const decided = (attributes) => isDecided(open({}).model, "phrase", open({ p1: { category: "place", attributes } }).judgements.get("p1"));
  assert.deepEqual([decided({}), decided({ use: "b" }), decided({ use: "b", why: "so" })], [true, false, true]);
});

test("a value chosen again is taken away, several are toggled in the order of the scheme", () => {
  const { model, judgements } = open({ p1: { category: "place", attributes: { use: "a", kinds: ["z"] } } });
  const answer = (...given) => answerAttribute(model, judgements, "p1", ...given).judgement.attributes;
  assert.deepEqual(answer("use", "b"), { use: "b", kinds: ["z"] });
  assert.deepEqual(answer("use", "a"), { kinds: ["z"] });
  assert.deepEqual(answer("kinds", "x").kinds, ["x", "z"]);
  assert.deepEqual(answer("kinds", "z"), { use: "a" });
});

test("a first choice takes the place of the second, and no second stays without a first", () => {
  const { model, judgements } = open({ p1: { category: "place", attributes: { use: "a", "use-2": "b" } } });
  for (const value of ["a", "b"]) { // taken away; the second taken for the first
    const { judgement: { attributes }, dropped } = answerAttribute(model, judgements, "p1", "use", value);
    assert.deepEqual([attributes["use-2"], dropped], [undefined, ["use-2"]], value);
  }
});

test("answers to what is no longer asked are dropped, however deep, and named", () => {
  const { model, judgements } = open({ p2: { category: "none", relations: { part: ["p1"] }, attributes: { how: "p" } } });
  const { judgement, dropped } = chooseCategory(model, judgements, "p2", "place");
  assert.deepEqual([judgement.relations, judgement.attributes, dropped], [{}, {}, ["part", "how"]]);
  assert.deepEqual(chooseCategory(model, judgements, "p2", "phrase").judgement.relations, { part: ["p1"] });
});

test("targets stand alone, as alternatives or together, for identity and for other relations", () => {
  const { model, judgements } = open({ p4: points("p1") });
  const to = (manner, name, target = "p2") => pointTo(model, judgements, "p4", target, manner, name);
  assert.deepEqual(["only", "or", "and"].map((manner) => to(manner, null).judgement.pointers), [["p2"], ["p1", "p2"], [["p1", "p2"]]]);
  assert.deepEqual(to("and", "part").judgement.relations, { part: ["p2"] });
  const set = open({ p4: { category: "phrase", pointers: [["p1", "p2"], ["p3"]], relations: { part: ["p1", "p2"] } } });
  const again = (manner, target, name = null) => pointTo(set.model, set.judgements, "p4", target, manner, name);
  assert.deepEqual(again("and", "p1").judgement.pointers, [["p1", "p2"], ["p3", "p1"]]);
  assert.deepEqual(again("or", "p3").judgement.pointers, [["p1", "p2"]]);
  assert.deepEqual(again("and", "p3").judgement.pointers, [["p1", "p2"]]);
  assert.match(again("or", "p3", "part").refused, /at most 2 targets/);
});

test("an entity is asked once, and its answer stands with one member", () => {
  const scene = open({ p1: { category: "place", attributes: { gender: "f" } }, p2: points("p1"), p3: points("p2") });
  assert.equal(next(scene, "p3", CATEGORY), null);
  const members = ["p1", "p2", "p3"];
  assert.deepEqual(answerEntity(scene.judgements, members, "p3", "gender", "m").map(([key, { attributes }]) => [key, attributes]), [["p1", { gender: "m" }]]);
  const free = open({ p1: { category: "place" }, p2: points("p1") });
  assert.deepEqual(answerEntity(free.judgements, ["p1", "p2"], "p2", "gender", "m").map(([key]) => key), ["p2"]);
});

test("who may be of several entities is asked where one of them has no answer", () => {
  const gender = (more) => next(open({ p1: { category: "place", attributes: { use: "a", kinds: ["x"], gender: "f" } }, p2: { category: "place", attributes: more }, p3: points("p1", "p2") }), "p3", CATEGORY);
  assert.deepEqual([gender({}), gender({ gender: "m" })], ["gender", null]);
});

test("a split gives both halves the answer; who goes to another chain leaves it behind", () => {
  const { model, judgements } = open({ p1: { category: "place", attributes: { gender: "f" } }, p2: points("p1"), p3: points("p2"), p4: { category: "place" } });
  const { after, judged } = split(model, judgements, "p1", "p2", true);
  const halves = new Map([...after, ["p2", { ...after.get("p2"), category: "place" }]]);
  const kept = (state, touched, copies) => keepEntityAnswers(model, judgements, state, touched, copies).map(([key, { attributes }]) => [key, attributes]);
  assert.deepEqual(kept(halves, judged.map(([key]) => key), true), [["p2", { gender: "f" }]]);
  const left = chooseCategory(model, judgements, "p3", "place").judgement;
  assert.deepEqual(kept(new Map([...judgements, ["p3", left]]), ["p3"], false), []); // what was said of others is not said of it
  const gone = { ...judgements.get("p1"), category: "none", attributes: {} };
  assert.deepEqual(kept(new Map([...judgements, ["p1", gone]]), ["p1"], false), [["p2", { gender: "f" }]]); // its first member is not asked any more
});

test("members that differ are found, and so is a chain that lacks what it has to have", () => {
  const { model, judgements } = open({
    p1: { category: "place", attributes: { gender: "f" } }, p2: { ...points("p1"), attributes: { gender: "m" } }, p3: { category: "place" }, p4: { category: "none" },
  });
  assert.deepEqual(entityConflicts(model, judgements).map(({ attribute: one, answers }) => [one, answers]), [["gender", [["p1", "f"], ["p2", "m"]]]]);
  const found = (kind) => checkList(model, judgements).filter((one) => one.kind === kind).flatMap(({ findings }) => findings.map(({ key, text }) => [key, text]));
  assert.deepEqual(found("entity"), [["p1", "its members differ in gender"]]);
  assert.deepEqual(found("required"), [["p3", "gender of its chain is missing"]]);
});

test("what is retired is not offered and not missed, and stays where it was given", () => {
  const retired = { ...RICH, categories: RICH.categories.map((one) => ({ ...one, retired: one.key === "place" })), attributes: RICH.attributes.map((one) => ({ ...one, retired: one.key === "why" || one.key === "kinds" })) };
  const value = { category: "place", attributes: { use: "b", kinds: ["x"] } };
  const { model, judgements } = load(marked("[a]", { scheme: retired, judgements: { p1: value } }));
  assert.deepEqual(categoriesOn(model.constraints, "phrase"), ["phrase", "segment", "none"]);
  assert.deepEqual(askedOf(questionsOf(model), model, judgements, "p1").map(({ key }) => key), ["use", "use-2", "kinds", "gender"]);
  assert.equal(isDecided(model, "phrase", judgements.get("p1")), true);
});
