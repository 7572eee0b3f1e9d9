import assert from "node:assert/strict";
import { test } from "node:test";
import { checkList } from "../../../static/js/coding/view/checks.js";
import { load } from "../../../static/js/coding/state.js";
import { marked, points, refers } from "./scenes.mjs";

const found = (text, options) => {
  const { model, judgements } = load(marked(text, options));
  return Object.fromEntries(checkList(model, judgements).map(({ kind, findings }) => [kind, findings.map((one) => one.key)]));
};

test("what is not judged, and what lacks its antecedent or index, is listed apart", () => {
  assert.deepEqual(found("[a] [b] [c]", { judgements: { p1: { category: "none" }, p2: { category: "phrase" } } }), {
    undecided: ["p3"], incomplete: ["p2"],
  });
  assert.deepEqual(found("[a] [b]", { scheme: "indices", judgements: { p1: refers(), p2: refers("1") } }), { incomplete: ["p1"] });
});

test("a coding in which all is well has no list", () => {
  assert.deepEqual(found("[a] [b] [c]", { judgements: { p1: { category: "none" }, p2: points("p1"), p3: points("p1") } }), {});
});

test("pointers in a circle are found, and what only leads into it is not blamed", () => {
  const ident = (...pointers) => ({ category: "ident", pointers });
  const judgements = { p1: ident("p2"), p2: ident("p3"), p3: ident("p1"), p4: ident("p1") };
  assert.deepEqual(found("[a] [b] [c] [d]", { scheme: "single", judgements }), { circle: ["p1", "p2", "p3"] });
});

test("an ambiguity between members of one chain is none", () => {
  const none = { category: "none" };
  const one = { p1: none, p2: points("p1"), p3: points("p1", "p2") };
  assert.deepEqual(found("[a] [b] [c]", { judgements: one }), { "same-chain": ["p3"] });
  const two = { p1: none, p2: none, p3: points("p1", "p2") };
  assert.deepEqual(found("[a] [b] [c]", { judgements: two }), {});
});

test("words that point to words around them are listed, a turn around them is not", () => {
  const text = "[the man with [his] dog]";
  assert.deepEqual(found(text, { judgements: { p1: { category: "none" }, p2: points("p1") } }), { inside: ["p2"] });
  const turns = [["t1", "turn", 0, 20]];
  assert.deepEqual(found("[that] is so and more", { turns, judgements: { p1: { category: "segment", pointers: ["t1"] } } }), {});
});

test("what the coder was unsure of comes last, with the note", () => {
  const { model, judgements } = load(marked("[a] [b]", { judgements: { p1: { category: "none", unsure: true, note: "why?" } } }));
  const list = checkList(model, judgements);
  assert.deepEqual(list.map(({ kind }) => kind), ["undecided", "unsure"]);
  assert.equal(list[1].findings[0].text, "why?");
});
