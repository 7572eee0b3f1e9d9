import assert from "node:assert/strict";
import { test } from "node:test";
import { colourProblem, contrast, PALETTE } from "../../../static/js/scheme/view/fields.js";
import * as edits from "../../../static/js/scheme/edits.js";
import { begin, proceed, redo, undo } from "../../../static/js/scheme/history.js";
import { keyProblem, slug } from "../../../static/js/scheme/keys.js";
import { find, identityOf, leading, rowsOf } from "../../../static/js/scheme/questions.js";
import { addValues, mergeValues, relabelValue, removeValue } from "../../../static/js/scheme/values.js";

const level = (key) => ({ key, label: key, coded: true, coders_mark: false });
const category = (key) => ({
  key, label: key, help: "", colour: "", level: null, takes_index: false, takes_optional: false, singleton: false, retired: false,
});
const value = (key) => ({ key, label: key, help: "", colour: "", retired: false });
const attribute = (key, values = [], fields = {}) => ({
  key, label: key, help: "", of: "markable", relation: null, levels: [], kind: values.length ? "one" : "text", required: false,
  asked_if: null, primary_of: null, values: values.map(value), retired: false, ...fields,
});
const by = (question, ...values) => ({ question, values });
const SCHEME = {
  answers: "pointers",
  levels: [level("phrase")],
  categories: [category("old"), category("new")],
  relations: [],
  attributes: [attribute("gender", ["f", "m"]), attribute("why", [], { asked_if: by("gender", "f") }), attribute("number", ["sg", "pl"])],
};
const order = (scheme) => scheme.attributes.map(({ key }) => key).join(" ");
const POINTING = edits.setPointing(SCHEME, "old", { to_levels: ["phrase"] }).scheme;

test("keys are made from labels, and are theirs alone", () => {
  assert.equal(slug("  Part of — the Größe! "), "part-of-the-grosse");
  assert.equal(slug("指示"), "");
  const first = edits.add(SCHEME, "category", "Part of");
  assert.equal(first.key, "part-of");
  assert.equal(edits.add(first.scheme, "relation", "part of").key, "part-of-2");
  assert.equal(edits.add(SCHEME, "attribute", "category").key, "category-2");
  assert.equal(edits.add(SCHEME, "level", "指示").key, "level");
  assert.match(keyProblem("a b", []), /letters/);
  assert.match(keyProblem("old", ["old"]), /Another question/);
  assert.equal(keyProblem("old_1", ["old"]), "");
});

test("a key follows its label until it is in use, and all that names it follows", () => {
  const free = edits.relabel(SCHEME, "attribute", "gender", "Genus", false);
  assert.equal(free.key, "genus");
  assert.deepEqual(find(free.scheme, "attribute", "why").asked_if, by("genus", "f"));
  const fixed = edits.relabel(SCHEME, "attribute", "gender", "Genus", true);
  assert.equal(fixed.key, "gender");
  assert.equal(find(fixed.scheme, "attribute", "gender").label, "Genus");
  const renamed = relabelValue(SCHEME, "gender", "f", "female", false);
  assert.deepEqual(find(renamed.scheme, "attribute", "why").asked_if, by("gender", "female"));
});

test("the identity relation of a category has its key and label, and goes with it", () => {
  const { scheme, key } = edits.relabel(POINTING, "category", "old", "given", false);
  assert.equal(key, "given");
  assert.deepEqual([identityOf(scheme, "given").key, identityOf(scheme, "given").label], ["given", "given"]);
  assert.deepEqual(edits.remove(scheme, "category", "given").scheme.relations, []);
  assert.deepEqual(edits.setPointing(scheme, "given", null).scheme.relations, []);
  assert.deepEqual(rowsOf(scheme).relation, []);
});

test("a question moves with those that it leads to, and never before what it is asked by", () => {
  assert.equal(order(edits.move(SCHEME, "attribute", "gender", 1).scheme), "number gender why");
  assert.equal(order(edits.move(SCHEME, "attribute", "number", -1).scheme), "number gender why");
  assert.match(edits.move(SCHEME, "attribute", "why", -1).refused, /asked by the answer to gender/);
  assert.match(edits.move(SCHEME, "attribute", "gender", -1).refused, /first/);
  assert.match(edits.move(SCHEME, "attribute", "number", 1).refused, /last/);
  assert.equal(order(edits.moveBefore(SCHEME, "attribute", "number", "why").scheme), "gender number why");
});

test("to indent asks by the answer above, to outdent one answer earlier", () => {
  const inner = edits.indent(SCHEME, "attribute", "number").scheme;
  assert.deepEqual(find(inner, "attribute", "number").asked_if, by("gender", "f"));
  assert.equal(rowsOf(inner).attribute[2].note, "one of 2 · if gender is f");
  const first = edits.indent(SCHEME, "attribute", "gender").scheme;
  assert.deepEqual(find(first, "attribute", "gender").asked_if, by("category", "old"));
  assert.deepEqual(rowsOf(first).attribute.map(({ depth }) => depth), [1, 2, 0]);
  const out = edits.outdent(first, "attribute", "why").scheme;
  assert.deepEqual(find(out, "attribute", "why").asked_if, by("category", "old"));
  assert.match(edits.outdent(SCHEME, "attribute", "number").refused, /always/);
  assert.match(edits.indent(SCHEME, "level", "phrase").refused, /depend on nothing/);
});

test("what asked by a question that is deleted is asked where that was", () => {
  const { scheme } = edits.remove(SCHEME, "attribute", "gender");
  assert.equal(find(scheme, "attribute", "why").asked_if, null);
  const fewer = removeValue(SCHEME, "gender", "f").scheme;
  assert.equal(find(fewer, "attribute", "why").asked_if, null);
  assert.match(edits.setKind(SCHEME, "gender", "text").refused, /why depends on its values/);
});

test("only what comes before can lead to a question, and nothing leads to itself", () => {
  assert.deepEqual(leading(SCHEME, "attribute", "number").map(({ key }) => key), ["category", "gender"]);
  const { scheme } = edits.add(edits.change(SCHEME, "attribute", "gender", { asked_if: { relation: "part" } }).scheme, "relation", "part");
  assert.deepEqual(leading(scheme, "relation", "part").map(({ key }) => key), ["category", "number"]);
});

test("a value that is merged goes, and what it led to is asked by the other", () => {
  const { scheme, merges } = mergeValues({ scheme: SCHEME, merges: [] }, "gender", "f", "m");
  assert.deepEqual(merges, [{ question: "gender", value: "f", into: "m" }]);
  assert.deepEqual(find(scheme, "attribute", "gender").values.map(({ key }) => key), ["m"]);
  assert.deepEqual(find(scheme, "attribute", "why").asked_if, by("gender", "m"));
  const more = addValues(scheme, "gender", ["n"]).scheme;
  assert.deepEqual(mergeValues({ scheme: more, merges }, "gender", "m", "n").merges, [
    { question: "gender", value: "f", into: "n" }, { question: "gender", value: "m", into: "n" },
  ]);
});

test("letters typed into one field are undone in one step", () => {
  const drafts = ["a", "ab", "abc"].reduce((all, label) => proceed(all, { label }, "label"), begin({ label: "" }));
  assert.deepEqual(undo(drafts).present, { label: "" });
  assert.deepEqual(redo(undo(drafts)).present, { label: "abc" });
  const other = proceed(drafts, { label: "x" }, "key");
  assert.deepEqual(undo(other).present, { label: "abc" });
  assert.deepEqual(undo(begin({ label: "" })).present, { label: "" });
});

test("a colour that cannot be seen is called so, and those to choose from can", () => {
  assert.equal(Math.round(contrast("#000000", "#ffffff")), 21);
  assert.equal(colourProblem("#ffff00"), "Hard to see on light pages.");
  assert.equal(colourProblem("#000080"), "Hard to see on dark pages.");
  assert.deepEqual(PALETTE.map(colourProblem), PALETTE.map(() => ""));
});
