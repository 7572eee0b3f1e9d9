import assert from "node:assert/strict";
import { test } from "node:test";
import { blocks, slices } from "../../../static/js/coding/text/slices.js";
import { offsets } from "../../../static/js/workbench/offsets.js";

const draw = (nodes) => nodes.map((node) => ("text" in node ? node.text : `[${node.key}${draw(node.children)}]`)).join("");
const depths = (nodes, found = {}) => {
  for (const node of nodes.filter((one) => "key" in one)) {
    found[node.key] = node.depth;
    depths(node.children, found);
  }
  return found;
};
const part = (key, start, end) => ({ key, start, end });
const whole = (content) => ({ start: 0, end: content.length });

test("a text without astral characters needs no conversion of offsets", () => {
  assert.equal(offsets("plain").toUnits(4), 4);
});

test("every character beyond the basic plane moves later offsets by one", () => {
  const { toUnits } = offsets("a🎉b🐟c");
  assert.deepEqual([0, 1, 2, 3, 4, 5].map(toUnits), [0, 1, 3, 4, 6, 7]);
});

test("nested markables become nested spans, deeper ones lower down", () => {
  const nodes = slices("abcdef", whole("abcdef"), [part("X", 0, 6), part("Y", 1, 5), part("Z", 2, 3)]);
  assert.equal(draw(nodes), "[Xa[Yb[Zc]de]f]");
  assert.deepEqual(depths(nodes), { X: 3, Y: 2, Z: 1 });
});

test("of two that cross, the later is cut where the earlier ends", () => {
  const nodes = slices("abcdef", whole("abcdef"), [part("X", 0, 4), part("Y", 2, 6)]);
  assert.equal(draw(nodes), "[Xab[Ycd]][Yef]");
});

test("three that cross keep their order when they are opened again", () => {
  const nodes = slices("abcdefgh", whole("abcdefgh"), [part("X", 0, 4), part("Y", 1, 6), part("Z", 2, 8)]);
  assert.equal(draw(nodes), "[Xa[Yb[Zcd]]][Y[Zef]][Zgh]");
});

test("a part that goes over the edge of a row is cut there", () => {
  assert.equal(draw(slices("ab\ncd", { start: 0, end: 2 }, [part("X", 1, 4)])), "a[Xb]");
  assert.equal(draw(slices("ab\ncd", { start: 3, end: 5 }, [part("X", 1, 4)])), "[Xc]d");
});

test("a markable without words still has a span", () => {
  assert.equal(draw(slices("ab", whole("ab"), [part("X", 1, 1)])), "a[X]b");
});

test("what has no underline takes no depth", () => {
  const nodes = slices("abc", whole("abc"), [part("turn", 0, 3), part("X", 0, 1)], (key) => key !== "turn");
  assert.deepEqual(depths(nodes), { turn: 1, X: 1 });
});

test("slices give back every character once", () => {
  const content = "the quick brown fox";
  const parts = [part("A", 0, 12), part("B", 0, 9), part("C", 4, 19), part("D", 8, 14), part("E", 8, 10)];
  assert.equal(draw(slices(content, whole(content), parts)).replace(/\[[A-E]|\]/g, ""), content);
});

test("a text without segments has a block for each line, and an empty line ends a paragraph", () => {
  const found = blocks("one\n  two \n \nthree\n", []).map(({ kind, start, end }) => [kind, start, end]);
  assert.deepEqual(found, [["rest", 0, 3], ["paragraph", 4, 9], ["rest", 13, 18]]);
});

test("words behind a turn on the same line begin without its space", () => {
  const turn = { kind: "turn", start: 0, end: 2, label: "", speaker: "" };
  assert.deepEqual(blocks("ab  (laughs)", [turn]).map(({ start, end }) => [start, end]), [[0, 2], [4, 12]]);
});

test("a text of white space has no block", () => {
  assert.deepEqual(blocks(" \n\n ", []), []);
});

test("words between the turns are not lost, white space between them is", () => {
  const segment = (start, end) => ({ kind: "turn", start, end, label: "", speaker: "" });
  const found = blocks("ab\n\n(laughs)\ncd", [segment(0, 2), segment(13, 15)]);
  assert.deepEqual(found.map(({ kind, start, end }) => [kind, start, end]), [["turn", 0, 2], ["rest", 4, 12], ["turn", 13, 15]]);
});

test("paragraphs give way to the turns in them", () => {
  const found = blocks("abcd", [
    { kind: "paragraph", start: 0, end: 4, label: "", speaker: "" }, { kind: "turn", start: 0, end: 2, label: "1", speaker: "M" },
    { kind: "turn", start: 2, end: 4, label: "2", speaker: "S" },
  ]);
  assert.deepEqual(found.map((block) => block.label), ["1", "2"]);
});

test("sentences that somebody says are rows like turns, those without a speaker run on", () => {
  const sentence = (start, end, speaker) => ({ kind: "sentence", start, end, label: "", speaker });
  const said = blocks("Go now.\nI will.", [sentence(0, 7, "Ann"), sentence(8, 15, "Bob")]);
  assert.deepEqual(said.map(({ kind, speaker }) => [kind, speaker]), [["turn", "Ann"], ["turn", "Bob"]]);
  const plain = blocks("Go now. I will.", [sentence(0, 7, ""), sentence(8, 15, "")]);
  assert.deepEqual(plain.map(({ kind, start, end }) => [kind, start, end]), [["rest", 0, 15]]);
});
