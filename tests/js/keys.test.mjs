import assert from "node:assert/strict";
import { test } from "node:test";
import { actionFor } from "../../static/js/coding/keys.js";

const IN_TEXT = { inField: false, onControl: false, inText: true, released: false, inDialog: false };
const press = (key, where = {}, more = {}) => actionFor({ key, ...more }, { ...IN_TEXT, ...where });
const shift = { shiftKey: true };

test("Tab and Shift+Tab go to the undecided markables while the focus is in the text", () => {
  assert.deepEqual(press("Tab"), { type: "undecided", step: 1 });
  assert.deepEqual(press("Tab", {}, shift), { type: "undecided", step: -1 });
});

test("Tab belongs to the browser outside the text and after Escape", () => {
  assert.equal(press("Tab", { inText: false }), null);
  assert.deepEqual(press("Escape"), { type: "release" });
  assert.equal(press("Tab", { released: true }), null);
});

test("the arrows go through all markables", () => {
  assert.deepEqual([press("ArrowRight").step, press("ArrowLeft").step], [1, -1]);
});

test("digits choose categories, also where the layout wants Shift for a digit", () => {
  assert.deepEqual(press("3"), { type: "category", place: 2 });
  assert.deepEqual(press("&", {}, { code: "Digit1" }), { type: "category", place: 0 });
  assert.deepEqual(press("1", {}, { code: "Digit1", ...shift }), { type: "category", place: 0 });
  assert.equal(press("0"), null);
});

test("the letters of the home row point, with Shift as a further antecedent", () => {
  assert.deepEqual(press("a"), { type: "letter", letter: "a", further: false });
  assert.deepEqual(press("L", {}, shift), { type: "letter", letter: "l", further: true });
});

test("Caps Lock is not Shift", () => {
  assert.deepEqual(press("S"), { type: "letter", letter: "s", further: false });
  assert.deepEqual(press("U"), { type: "undo" });
});

test("n and p follow the chain, u takes back and Shift+u makes again", () => {
  assert.deepEqual(press("n"), { type: "chain", step: 1 });
  assert.deepEqual(press("p"), { type: "chain", step: -1 });
  assert.deepEqual(press("u"), { type: "undo" });
  assert.deepEqual(press("U", {}, shift), { type: "redo" });
});

test("Space and Enter accept, but on a button they press the button", () => {
  assert.deepEqual(press(" "), { type: "accept" });
  assert.deepEqual(press("Enter"), { type: "accept" });
  assert.equal(press("Enter", { onControl: true }), null);
});

test("? shows the keys", () => {
  assert.deepEqual(press("?", {}, { ...shift, code: "Slash" }), { type: "help" });
});

test("all keys rest in a text field, in a dialogue, while composing and with Ctrl, Alt or Cmd", () => {
  assert.equal(press("a", { inField: true }), null);
  assert.equal(press("a", { inDialog: true }), null);
  assert.equal(press("a", {}, { isComposing: true }), null);
  for (const modifier of ["ctrlKey", "metaKey", "altKey"]) {
    assert.equal(press("a", {}, { [modifier]: true }), null);
  }
});

test("keys of functions that are not there do nothing", () => {
  for (const key of ["m", "x", "e", "/", "b", "F5"]) {
    assert.equal(press(key), null);
  }
});
