import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ACTIONS, actionsOf } from "../../../static/js/coding/actions.js";
import { choose } from "../../../static/js/workbench/keys/key-list.js";
import { actionFor, bindings, caps, combination, onKeyboard, storedChoices } from "../../../static/js/workbench/keys/keys.js";
import { load } from "../../../static/js/coding/state.js";
import { marked } from "../coding/scenes.mjs";

const IN_TEXT = { inField: false, onControl: false, inText: true, released: false, inDialog: false, rightToLeft: false };
const press = (key, where = {}, more = {}, choices = {}) => actionFor(bindings(ACTIONS, choices), { key, ...more }, { ...IN_TEXT, ...where });
const id = (...given) => press(...given)?.id ?? null;
const shift = { shiftKey: true };
const FREE = "ж"; // a key that no action will have

test("no two actions have the same key, but that what is meant together has that of larger text", () => {
  const keys = ACTIONS.flatMap((action) => (action.id === "together" ? [] : action.keys));
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(new Set(ACTIONS.map((action) => action.id)).size, ACTIONS.length);
});

test("Tab and Shift+Tab go to the undecided markables while the focus is in the text", () => {
  assert.equal(id("Tab"), "next-undecided");
  assert.equal(id("Tab", {}, shift), "previous-undecided");
});

test("Tab belongs to the browser outside the text and after Escape", () => {
  assert.equal(id("Tab", { inText: false }), null);
  assert.equal(id("Escape"), "release");
  assert.equal(id("Tab", { released: true }), null);
});

test("the arrows go through all markables, the other way round where one reads from right to left", () => {
  assert.deepEqual([id("ArrowRight"), id("ArrowLeft")], ["next", "previous"]);
  assert.deepEqual([id("ArrowRight", { rightToLeft: true }), id("ArrowLeft", { rightToLeft: true })], ["previous", "next"]);
  assert.equal(id("ArrowLeft", { rightToLeft: true }, { ctrlKey: true }), "end-on");
});

test("digits choose categories, also where the layout wants Shift for a digit", () => {
  assert.equal(id("3"), "category-3");
  assert.equal(id("&", {}, { code: "Digit1" }), "category-1");
  assert.equal(id("1", {}, { code: "Digit1", ...shift }), "category-1");
  assert.equal(id("0"), "category-10");
  assert.equal(id("à", {}, { code: "Digit0" }), "category-10");
});

test("the letters of the home row point, with Shift as a further antecedent", () => {
  assert.deepEqual(press("a"), { id: "candidate-a", further: false });
  assert.deepEqual(press("L", {}, shift), { id: "candidate-l", further: true });
});

test("Caps Lock is not Shift", () => {
  assert.deepEqual(press("S"), { id: "candidate-s", further: false });
  assert.equal(id("U"), "undo");
});

test("undo and redo have the keys of this page and those of every other program", () => {
  assert.deepEqual([id("u"), id("z", {}, { ctrlKey: true }), id("z", {}, { metaKey: true })], ["undo", "undo", "undo"]);
  assert.deepEqual([id("U", {}, shift), id("Z", {}, { ctrlKey: true, ...shift }), id("y", {}, { ctrlKey: true })], ["redo", "redo", "redo"]);
});

test("Space and Enter accept, but on a button they press the button", () => {
  assert.equal(id(" "), "accept");
  assert.equal(id("Enter"), "accept");
  assert.equal(id("Enter", { onControl: true }), null);
});

test("signs are told by what they are, whatever it takes to type them", () => {
  assert.equal(id("?", {}, { ...shift, code: "Slash" }), "help");
  assert.equal(id("/", {}, { ...shift, code: "Digit7" }), "category-7"); // a German keyboard has / on 7
  assert.equal(id("/", {}, { code: "Slash" }), "search");
});

test("all keys rest in a text field, in a dialogue and while composing", () => {
  assert.equal(id("a", { inField: true }), null);
  assert.equal(id("k", { inField: true }, { ctrlKey: true }), null);
  assert.equal(id("a", { inDialog: true }), null);
  assert.equal(id("a", {}, { isComposing: true }), null);
});

test("with Ctrl, Alt or Cmd a letter is not the letter", () => {
  for (const modifier of ["ctrlKey", "metaKey", "altKey"]) {
    assert.equal(id("a", {}, { [modifier]: true }), null);
  }
  assert.equal(id("k", {}, { ctrlKey: true }), "palette");
});

test("modifiers alone and unknown keys do nothing", () => {
  for (const key of ["Shift", "Control", "Alt", "Meta", "Dead", FREE, "F5"]) {
    assert.equal(id(key), null);
  }
});

test("an action takes the key that it is given, and who had it has it no more", () => {
  const first = choose(ACTIONS, {}, "accept", "n");
  assert.equal(first.taken, "next-in-chain");
  assert.equal(id("n", {}, {}, first.choices), "accept");
  assert.equal(id("Enter", {}, {}, first.choices), null);
  const second = choose(ACTIONS, first.choices, "next-in-chain", FREE);
  assert.equal(second.taken, null);
  assert.equal(id(FREE, {}, {}, second.choices), "next-in-chain");
});

test("the key of an action that has several is taken alone", () => {
  const { choices } = choose(ACTIONS, {}, "entities", "Ctrl+z");
  assert.equal(id("u", {}, {}, choices), "undo");
  assert.equal(id("z", {}, { ctrlKey: true }, choices), "entities");
});

test("a candidate with another key keeps its Shift", () => {
  const { choices } = choose(ACTIONS, {}, "candidate-a", FREE);
  assert.deepEqual(press(FREE.toUpperCase(), {}, shift, choices), { id: "candidate-a", further: true });
});

test("giving an action the key it has changes nothing", () => {
  const { choices, taken } = choose(ACTIONS, {}, "search", "/");
  assert.equal(taken, null);
  assert.deepEqual(bindings(ACTIONS, choices), bindings(ACTIONS));
});

test("what is stored and makes no sense is passed over", () => {
  assert.deepEqual(storedChoices(ACTIONS, { undo: ["z"], ghost: ["a"], redo: "x", accept: [3] }), { undo: ["z"] });
  for (const nonsense of [null, 3, "x", undefined]) {
    assert.deepEqual(storedChoices(ACTIONS, nonsense), {});
  }
});

test("keys are written as they stand on the keyboard", () => {
  assert.deepEqual(caps("Ctrl+Shift+ArrowRight"), ["Ctrl", "Shift", "→"]);
  assert.deepEqual([caps("+"), caps("Ctrl++")], [["+"], ["Ctrl", "+"]]);
  assert.equal(combination({ key: "+", shiftKey: true }), "+");
});

test("a scheme shows the actions that it has a use for", () => {
  const ids = (options) => actionsOf(load(marked("[a]", options)).model).map((action) => action.id);
  assert.ok(ids({}).includes("merge"));
  assert.ok(!ids({ scheme: "categories" }).includes("merge"));
  assert.ok(!ids({ scheme: "categories" }).includes("category-3"));
  assert.ok(!ids({}).includes("mark"));
  assert.ok(ids({ marking: true }).includes("mark"));
  assert.deepEqual(ids({ status: "submitted", marking: true }).filter((one) => ["undo", "mark", "merge", "accept"].includes(one)), []);
});

test("the table of keys in the documentation is that of the page", () => {
  const docs = readFileSync(new URL("../../../docs/coding.md", import.meta.url), "utf8");
  const listed = ACTIONS.filter((action) => !/^(category|candidate)-/.test(action.id));
  const rows = listed.map(({ keys, label }) => `| ${keys.map((key) => caps(key).join("+")).join(", ") || "–"} | ${label} |`);
  assert.deepEqual(docs.slice(docs.indexOf("|---|---|") + 10).trim().split("\n"), rows);
});

test("what is said of the arrows is what is pressed where one reads from right to left", () => {
  assert.deepEqual(["ArrowRight", "Ctrl+Shift+ArrowLeft", "ArrowUp", "n"].map((key) => onKeyboard(key, true)),
    ["ArrowLeft", "Ctrl+Shift+ArrowRight", "ArrowUp", "n"]);
  assert.equal(onKeyboard("Alt+ArrowLeft", false), "Alt+ArrowLeft");
});
