import assert from "node:assert/strict";
import { test } from "node:test";
import { crossedBy, headOf, keyOfDraft, moveEdge, neighbour, repeatsOf, snap, draftError, wordAt } from "../../../static/js/coding/text/marks.js";
import { mergeParts } from "../../../static/js/workbench/parts.js";
import { destinations, markableAt } from "../../../static/js/coding/targets/places.js";
import { load } from "../../../static/js/coding/state.js";
import { findMatches } from "../../../static/js/workbench/dialogs/search.js";
import { marked, scene } from "./scenes.mjs";

const open = (content, language = "en", marks = []) => load(scene(content, marks, { marking: true, language })).model;
const words = (model, span) => model.content.slice(...span);
const find = (model, part) => [model.content.indexOf(part), model.content.indexOf(part) + part.length];

const FAMILY = "👨‍👩‍👧";
const FLAG = "🇫🇷";
const KOREAN = "\u1112\u1161\u11ab"; // one syllable of three letters
const DEVANAGARI = "क्षि";

for (const character of [FAMILY, FLAG, "e\u0301", KOREAN, DEVANAGARI, "👍🏽", "1️⃣"]) {
  test(`words never end inside a character: ${character}`, () => {
    const model = open(`before ${character} after`);
    const [from, to] = find(model, character);
    for (let start = from; start < to; start += 1) {
      for (let end = start + 1; end <= to; end += 1) {
        assert.deepEqual(snap(model, start, end), [from, to]);
      }
    }
  });

  test(`an edge moved by a character goes over all of it: ${character}`, () => {
    const model = open(`a${character}b c`);
    const whole = [0, 1 + character.length];
    assert.deepEqual(moveEdge(model, [0, 1], "end", 1, "character"), whole);
    assert.deepEqual(moveEdge(model, whole, "end", -1, "character"), [0, 1]);
    assert.deepEqual(moveEdge(model, whole, "start", 1, "character"), [1, whole[1]]);
  });
}

test("white space around words is not marked, and nothing but white space is nothing", () => {
  const model = open("a  red \n ball");
  assert.equal(words(model, snap(model, 1, 9)), "red");
  assert.equal(snap(model, 1, 3), null);
});

test("edges move by words, and a word at least stays", () => {
  const model = open("the big red ball");
  const big = find(model, "big");
  assert.equal(words(model, moveEdge(model, big, "end", 1, "word")), "big red");
  assert.equal(words(model, moveEdge(model, big, "start", -1, "word")), "the big");
  assert.equal(words(model, moveEdge(model, find(model, "big red"), "end", -1, "word")), "big");
  assert.equal(words(model, moveEdge(model, find(model, "big red"), "start", 1, "word")), "red");
  assert.deepEqual(moveEdge(model, big, "end", -1, "word"), big);
  assert.deepEqual(moveEdge(model, find(model, "the"), "start", -1, "word"), find(model, "the"));
  assert.deepEqual(moveEdge(model, find(model, "ball"), "end", 1, "word"), find(model, "ball"));
});

test("an edge moved by characters passes over white space", () => {
  const model = open("big red");
  assert.equal(words(model, moveEdge(model, [0, 3], "end", 1, "character")), "big r");
  assert.equal(words(model, moveEdge(model, [0, 5], "end", -1, "character")), "big");
  assert.equal(words(model, moveEdge(model, [2, 7], "start", 1, "character")), "red");
});

test("one goes from word to word, over signs and line breaks, and stays at the ends", () => {
  const model = open("Go, Ann!\nHe's here.");
  const walk = ["Ann", "He's", "here", "here"];
  let span = wordAt(model, 0);
  assert.equal(words(model, span), "Go");
  for (const word of walk) {
    span = neighbour(model, span, 1);
    assert.equal(words(model, span), word);
  }
  for (const word of ["He's", "Ann", "Go", "Go"]) {
    span = neighbour(model, span, -1);
    assert.equal(words(model, span), word);
  }
});

test("words are told in scripts without spaces, and from right to left", () => {
  const chinese = open("我喜欢北京的秋天", "zh");
  const first = wordAt(chinese, 0);
  assert.equal(words(chinese, first), "我");
  assert.ok(words(chinese, neighbour(chinese, first, 1)).length > 1);
  const hebrew = open("הילד ראה את הכלב", "he");
  assert.equal(words(hebrew, neighbour(hebrew, wordAt(hebrew, 0), 1)), "ראה");
  assert.equal(words(open("a b", "no such tag"), [0, 1]), "a");
});

test("words are found in the middle of a long line without looking at all of it", () => {
  const model = open("word ".repeat(100_000));
  const [start, end] = wordAt(model, 250_001);
  assert.equal(model.content.slice(start, end), "word");
  assert.deepEqual(neighbour(model, [start, end], 1), [start + 5, end + 5]);
});

test("parts come in the order of the text, and those that touch are one", () => {
  assert.deepEqual(mergeParts([[8, 9], [1, 3], [3, 5]]), [[1, 5], [8, 9]]);
  assert.deepEqual(mergeParts([[1, 9], [2, 3]]), [[1, 9]]);
});

test("the key of a draft counts code points", () => {
  const model = open("🎉 the 🐟 swims");
  const draft = { level: "phrase", parts: [find(model, "swims"), find(model, "🐟")], at: 0 };
  assert.equal(keyOfDraft(model, draft), "phrase:6-7,8-13");
});

test("what is marked already, or has too many parts, cannot be marked", () => {
  const model = open("a b c", "en", [["phrase:0-1", "phrase", 0, 1]]);
  assert.match(draftError(model, { level: "phrase", parts: [[0, 1]], at: 0 }), /already/);
  assert.equal(draftError(model, { level: "phrase", parts: [[0, 3]], at: 0 }), null);
  const many = Array.from({ length: 21 }, (_, place) => [2 * place, 2 * place + 1]);
  assert.match(draftError(open("a ".repeat(50)), { level: "phrase", parts: many, at: 0 }), /20 parts/);
});

test("a head is made of words of its markable", () => {
  const model = open("🎉 the red ball", "en", [["p1", "phrase", 2, 14]]);
  assert.deepEqual(headOf(model, "p1", [find(model, "ball")]), [[10, 14]]);
  assert.equal(headOf(model, "p1", [[0, 5]]), null);
});

test("searching is in any case, over line breaks, and takes signs as they are", () => {
  assert.deepEqual(findMatches("The Red\n ball. the red ball", "the red"), [[0, 7], [15, 22]]);
  assert.deepEqual(findMatches("a.b a*b (x) [y] c:\\d/e", "a.b"), [[0, 3]]);
  assert.deepEqual(findMatches("a (x) [y] \\ / ^ $ | ? + { }", "[y] \\ / ^ $ | ? + { }").length, 1);
  assert.deepEqual(findMatches("abc", " "), []);
});

test("a match leads to the smallest markable around it, else to one that it touches", () => {
  const { model } = load(marked("[the man with [a dog]] and [more]"));
  assert.equal(markableAt(model, findMatches(model.content, "dog")[0]), "p2");
  assert.equal(markableAt(model, findMatches(model.content, "man")[0]), "p1");
  assert.equal(markableAt(model, findMatches(model.content, "and more")[0]), "p3");
  assert.equal(markableAt(model, findMatches(model.content, "and")[0]), null);
});

test("one goes to a markable by its number and to a turn by its label", () => {
  const segments = [{ kind: "turn", start: 0, end: 3, label: "1", speaker: "A" }, { kind: "turn", start: 4, end: 7, label: "2.1", speaker: "B" }];
  const { model } = load(marked("[a] [b]", { segments: [] }));
  assert.deepEqual(destinations(model, "2").map((one) => one.key), ["p2"]);
  assert.deepEqual(destinations(model, "3"), []);
  assert.deepEqual(destinations(model, ""), []);
  const turns = load(scene("one two", [["p1", "phrase", 4, 7]], { segments })).model;
  assert.deepEqual(destinations(turns, "2.1").map((one) => one.key), ["p1"]);
});

test("words cross a markable that they share words with, unless the one contains the other", () => {
  const model = open("the big red ball lay", "en", [["a", "phrase", 4, 16], ["b", "phrase", [0, 3], [12, 16]]]);
  /** @param {...string} parts */
  const crossed = (...parts) => crossedBy(model.coded, parts.map((part) => find(model, part))).map((one) => one.key);
  assert.deepEqual(crossed("red"), []);
  assert.deepEqual(crossed("the big red ball lay"), []);
  assert.deepEqual(crossed("red ball lay"), ["b", "a"]);
  assert.deepEqual(crossed("big red ball"), ["b"]);
  assert.deepEqual(crossed("lay"), []);
  assert.deepEqual(crossed("the", "ball"), ["a"]);
});

test("the same words are found everywhere: whole, in the same letters, over line breaks", () => {
  const model = open("New York, new york, New\nYorkers, New\n York. Old New York here", "en", [["phrase:0-8", "phrase", 0, 8], ["x", "phrase", 46, 53]]);
  const { keys, ...counts } = repeatsOf(model, { level: "phrase", parts: [[0, 8]], at: 0 });
  assert.deepEqual(counts, { marked: 1, crossing: 1, rest: 0 });
  assert.deepEqual(keys, ["phrase:33-42"]);
  assert.deepEqual(repeatsOf(model, { level: "phrase", parts: [[0, 3], [10, 13]], at: 0 }).keys, []);
});

test("where no spaces are written words are found inside of a line, and no character is cut", () => {
  assert.equal(repeatsOf(open("北京的北京人", "zh"), { level: "phrase", parts: [[0, 2]], at: 0 }).keys.length, 2);
  assert.equal(repeatsOf(open(`e e${"\u0301"} e`), { level: "phrase", parts: [[0, 1]], at: 0 }).keys.length, 2);
});

test("of words between spaces no character is looked up, which takes long where a text has many of them", () => {
  const { segment } = Intl.Segmenter.prototype;
  let asked = 0;
  Intl.Segmenter.prototype.segment = function counted(...text) {
    asked += 1;
    return segment.apply(this, text);
  };
  try {
    assert.equal(repeatsOf(open("the cat, the dog. "), { level: "phrase", parts: [[0, 3]], at: 0 }).keys.length, 2);
    assert.equal(asked, 0);
    repeatsOf(open(`the${FAMILY} the`), { level: "phrase", parts: [[0, 3]], at: 0 });
    assert.ok(asked > 0);
  } finally {
    Intl.Segmenter.prototype.segment = segment;
  }
});

test("no more is marked at once than one request carries", () => {
  const { keys, rest } = repeatsOf(open("a ".repeat(130)), { level: "phrase", parts: [[0, 1]], at: 0 });
  assert.deepEqual([keys.length, rest], [100, 30]);
});
