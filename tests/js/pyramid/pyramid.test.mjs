import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { addStep, emptyHistory, invert, rebase } from "../../../static/js/workbench/history.js";
import { caps } from "../../../static/js/workbench/keys/keys.js";
import { ACTIONS, actionsOf } from "../../../static/js/pyramid/actions.js";
import { checkList } from "../../../static/js/pyramid/view/checks.js";
import * as edits from "../../../static/js/pyramid/edits/edits.js";
import { offerFor } from "../../../static/js/pyramid/edits/offers.js";
import { describeRelation, differences, missingScus, related, wordsOfScu } from "../../../static/js/pyramid/others.js";
import { refusal } from "../../../static/js/pyramid/edits/rules.js";
import { best, scores } from "../../../static/js/pyramid/view/scores.js";
import { apply, filtered, load, markOf, nameOf, PYRAMID, pyramidOf } from "../../../static/js/pyramid/state.js";
import { takeTheirs } from "../../../static/js/pyramid/others.js";
import { extendSelection, freeCounts, wordOfSummary, nextFree } from "../../../static/js/pyramid/text/words.js";
import { key, pyramid } from "./pyramid-scenes.mjs";

const TEXT = "The ferry sank at dawn.\nAt dawn a ferry went down.";
const SINKING = { sinking: ["ferry sank", "a ferry went down"], dawn: ["at dawn"] };
const name = (scu) => scu;

/** SCUs with the words of their contributors. */
const shape = (seen) => Object.fromEntries(seen.order.map((one) => [one.key, one.contributors.map((each) => each.words)]));
const done = (model, state, edit) => pyramidOf(model, apply(model, state, edit.changes));
const why = (model, state, edit) => refusal(model, edits.after(model, state, edit.changes), edits.touchedBy(edit.changes), name)?.refused ?? null;

test("words and contributors count code points, so words behind an emoji are the right ones", () => {
  const { model, state } = load(pyramid({ a: ["the 🐟"] }, { summaries: ["🎉🎉 the 🐟 swims", "yes"] }));
  assert.deepEqual(model.words.map(({ start, end }) => [start, end]), [[3, 6], [9, 14], [15, 18]]);
  assert.equal(pyramidOf(model, state).contributors[0].words, "the 🐟");
});

test("SCUs stand by weight, then by label; the weight counts summaries", () => {
  const { model, state } = load(pyramid({ b: ["at"], a: ["dawn"], ...SINKING, c: [] }, { rules: false }));
  assert.deepEqual(pyramidOf(model, state).order.map((one) => [one.key, one.weight]), [["sinking", 2], ["a", 1], ["b", 1], ["dawn", 1], ["c", 0]]);
});

test("an SCU is called by its label, else by its first words", () => {
  const { model, state } = load(pyramid(SINKING));
  state.scus.delete("sinking");
  const seen = pyramidOf(model, state);
  assert.equal(nameOf(seen.scus.get("sinking")), "ferry sank");
  assert.deepEqual(filtered(seen.order, "went ferry", () => 0).map((one) => one.key), ["sinking"]);
  assert.deepEqual(filtered(seen.order, "2", (scu) => (scu === "dawn" ? 2 : 1)).map((one) => one.key), ["dawn"]);
});

test("a new SCU has the words as its label, and a key of eight characters", () => {
  const { model, state } = load(pyramid());
  const fresh = edits.newKey(globalThis.crypto);
  assert.match(fresh, /^[0-9a-z]{8}$/);
  const seen = done(model, state, edits.makeScu(model, state, [1, 2], fresh));
  assert.deepEqual(shape(seen), { [fresh]: ["ferry sank"] });
  assert.equal(seen.scus.get(fresh).label, "ferry sank");
});

test("parts with words in between stay apart, and become one when the words come", () => {
  const { model, state } = load(pyramid({ a: ["The"] }));
  const first = edits.addPart(model, state, key(TEXT, "The"), [2, 2]);
  const apart = apply(model, state, first.changes);
  assert.deepEqual(shape(pyramidOf(model, apart)), { a: ["The … sank"] });
  assert.deepEqual(shape(done(model, apart, edits.addPart(model, apart, first.contributor, [1, 1]))), { a: ["The ferry sank"] });
  assert.match(edits.addPart(model, apart, first.contributor, [0, 0]).refused, /already/);
});

test("words are taken out of the middle, and a contributor without words is gone", () => {
  const { model, state } = load(pyramid({ a: ["The ferry sank"] }));
  const contributor = key(TEXT, "The ferry sank");
  assert.deepEqual(shape(done(model, state, edits.takeOut(model, state, contributor, [1, 1]))), { a: ["The … sank"] });
  assert.deepEqual(shape(done(model, state, edits.takeOut(model, state, contributor, [0, 2]))), { a: [] });
});

test("what breaks a rule is refused with the reason and where", () => {
  const { model, state } = load(pyramid(SINKING));
  assert.match(why(model, state, edits.makeScu(model, state, [2, 3], "x")), /“sank” is in sinking already/);
  assert.match(why(model, state, edits.contribute(model, state, [0, 0], "dawn")), /has a contributor in s1 already: “at dawn”/);
  assert.match(why(model, state, edits.contribute(model, state, [1, 2], "dawn")), /in sinking already/);
  assert.match(why(model, state, edits.addPart(model, state, key(TEXT, "at dawn"), [5, 5])), /words of one summary/);
  assert.match(why(model, state, edits.moveTo(model, state, key(TEXT, "at dawn"), "dawn", "sinking")), /add a part/);
  assert.equal(why(model, state, edits.contribute(model, state, [5, 6], "dawn")), null);
});

test("where the options lift the rules a word is in several SCUs", () => {
  const { model, state } = load(pyramid(SINKING, { rules: false }));
  const edit = edits.contribute(model, state, [1, 2], "dawn");
  assert.equal(why(model, state, edit), null);
  const seen = done(model, state, edit);
  assert.deepEqual(seen.byKey.get(key(TEXT, "ferry sank")).scus, ["sinking", "dawn"]);
  assert.deepEqual(shape(seen).dawn, ["ferry sank", "at dawn"]);
});

test("merging makes one contributor of two of a summary, as one step that is undone", () => {
  const { model, state } = load(pyramid(SINKING));
  const { changes } = edits.merge(model, state, "dawn", "sinking");
  const back = invert(PYRAMID, model, state, changes);
  const merged = apply(model, state, changes);
  assert.deepEqual(shape(pyramidOf(model, merged)), { sinking: ["ferry sank at dawn", "a ferry went down"] });
  assert.deepEqual(shape(pyramidOf(model, apply(model, merged, back))), shape(pyramidOf(model, state)));
  assert.equal(addStep(emptyHistory(), { id: "1", uuids: [], changes, inverse: back, undoneBy: null }).done.length, 1);
});

test("merging keeps contributors apart where a summary may say an SCU twice", () => {
  const { model, state } = load(pyramid(SINKING, { rules: false }));
  assert.deepEqual(shape(done(model, state, edits.merge(model, state, "dawn", "sinking"))), { sinking: ["ferry sank", "at dawn", "a ferry went down"] });
});

test("merging keeps both comments and takes a label where there is none", () => {
  const { model, state } = load(pyramid(SINKING));
  state.scus.set("dawn", { label: "dawn", comment: "early" });
  state.scus.set("sinking", { label: "", comment: "deep" });
  assert.deepEqual(apply(model, state, edits.merge(model, state, "dawn", "sinking").changes).scus.get("sinking"), { label: "dawn", comment: "deep\nearly" });
});

test("a refusal offers what would work, and nothing that would be refused, too", () => {
  const { model, state } = load(pyramid(SINKING));
  const check = (edit) => ("refused" in edit ? edit.refused : why(model, state, edit));
  const offer = (edit) => offerFor(model, state, edit, check, name);
  const part = offer(edits.contribute(model, state, [0, 0], "dawn"));
  assert.equal(part.label, "Add as a further part");
  assert.deepEqual(shape(done(model, state, part.edit)).dawn, ["The … at dawn"]);
  const moved = offer(edits.moveTo(model, state, key(TEXT, "at dawn"), "dawn", "sinking"));
  assert.equal(moved.label, "Add as a further part");
  assert.deepEqual(shape(done(model, state, moved.edit)), { sinking: ["ferry sank at dawn", "a ferry went down"], dawn: [] });
  const taken = offer(edits.makeScu(model, state, [2, 3], "x"));
  assert.equal(taken.label, "Take the words from sinking and dawn");
  assert.deepEqual(shape(done(model, state, taken.edit)), { sinking: ["ferry", "a ferry went down"], x: ["sank at"], dawn: ["dawn"] });
  const whole = offer(edits.makeScu(model, state, [3, 4], "x"));
  assert.equal(whole.label, "Take the words from dawn");
  assert.deepEqual(shape(done(model, state, whole.edit)), { sinking: ["ferry sank", "a ferry went down"], x: ["at dawn"], dawn: [] });
  assert.equal(offer(edits.makeScu(model, state, [4, 5], "x")), null); // words of two summaries
});

test("splitting leaves something behind", () => {
  const { model, state } = load(pyramid(SINKING));
  const all = pyramidOf(model, state).scus.get("sinking").contributors.map((one) => one.key);
  assert.match(edits.split(model, state, "sinking", all, "x").refused, /one must stay/);
  assert.match(edits.split(model, state, "sinking", [], "x").refused, /Select/);
  const seen = done(model, state, edits.split(model, state, "sinking", [all[1]], "x"));
  assert.deepEqual([shape(seen).sinking, shape(seen).x], [["ferry sank"], ["a ferry went down"]]);
});

test("an SCU is deleted with what is said of it; a contributor of two SCUs stays in the other", () => {
  const { model, state } = load(pyramid({ a: ["ferry sank"], b: ["ferry sank"] }, { rules: false }));
  assert.deepEqual(shape(done(model, state, edits.removeScu(model, state, "a"))), { b: ["ferry sank"] });
});

test("one's own unsent work comes after what was missed", () => {
  const { model, state } = load(pyramid());
  const missed = edits.makeScu(model, state, [1, 2], "theirs").changes;
  const pending = edits.makeScu(model, state, [5, 6], "mine").changes;
  const { base, state: now } = rebase(PYRAMID, model, state, missed, pending);
  assert.deepEqual([Object.keys(shape(pyramidOf(model, base))), Object.keys(shape(pyramidOf(model, now))).sort()], [["theirs"], ["mine", "theirs"]]);
});

test("an import fills judgements and what is said of SCUs", () => {
  const { model, state } = load(pyramid());
  const one = { markable: key(TEXT, "ferry sank"), category: "scu", indices: ["a"] };
  const seen = pyramidOf(model, apply(model, state, [{ kind: "import", payload: { judgements: [one], scus: [{ scu: "a", label: "A" }] } }]));
  assert.deepEqual([shape(seen), seen.order[0].label], [{ a: ["ferry sank"] }, "A"]);
});

test("free words are walked by stretches, round the end, and counted by summary", () => {
  const { model, state } = load(pyramid(SINKING));
  const seen = pyramidOf(model, state);
  assert.deepEqual(freeCounts(model, seen), [1, 2]);
  assert.deepEqual([nextFree(model, seen, 0, 1), nextFree(model, seen, 5, 1), nextFree(model, seen, 0, -1)], [5, 0, 5]);
  assert.deepEqual([extendSelection(model, 4, 4, 1), extendSelection(model, 4, 4, -1), wordOfSummary(model, 2, 1), wordOfSummary(model, 2, -1)], [4, 3, 5, 5]);
});

const AGAINST = {
  kind: "pyramid", handed_in: true, summaries: 4,
  scus: [["a", 4], ["b", 3], ["c", 2], ["d", 2], ["e", 2], ["f", 1]].map(([scu, weight]) => ({ key: scu, label: scu, comment: "", weight, contributors: [] })),
};

test("scores are those of the library: weight found over the best weight", () => {
  const { original, modified, comprehensive, most } = scores(AGAINST, ["a", "b", "a", "gone"], 1);
  assert.deepEqual([original.found, original.best, original.n, most], [7, 9, 3, 14]);
  assert.deepEqual([modified.best, modified.n, modified.value], [11, 4, 7 / 11]);
  assert.equal(comprehensive.value, 7 / 10);
  assert.deepEqual(scores({ ...AGAINST, scus: [] }, [], 2).comprehensive.value, null);
  assert.equal(best([1, 3, 2], 2), 5);
});

test("of a peer all SCUs of the pyramid are listed, and marks whose SCU has gone", () => {
  const { model, state } = load(pyramid({ a: ["ferry"], lost: ["dawn"] }, { kind: "peer", against: AGAINST }));
  state.scus.clear();
  const seen = pyramidOf(model, state);
  assert.deepEqual(seen.order.filter((one) => one.gone).map((one) => one.key), ["lost"]);
  assert.equal(seen.order[0].weight, 4);
  assert.match(why(model, state, edits.contribute(model, state, [0, 0], "lost")), /no longer in the pyramid/);
  assert.equal(done(model, state, edits.toOutside(model, state, edits.keyOfRun(model, [0, 0]))).loose[0].outside, true);
  assert.deepEqual(checkList(model, seen, freeCounts(model, seen)).map(({ title }) => title),
    ["Marks whose SCU is no longer in the pyramid", "Words that are not marked"]);
});

test("what to look at before submitting is listed", () => {
  const { model, state } = load(pyramid({ ...SINKING, empty: [] }));
  state.scus.delete("dawn");
  const seen = pyramidOf(model, state);
  assert.deepEqual(checkList(model, seen, freeCounts(model, seen)).map(({ title, findings }) => [title, findings.length]), [
    ["SCUs without a label", 1], ["SCUs without contributors", 1], ["SCUs of one summary only", 1], ["Words in no SCU", 2],
  ]);
});

test("how the coders have an SCU is told, and theirs is taken as one step", () => {
  const theirs = (label, ...words) => ({ key: label, label, contributors: words.map((one) => key(TEXT, one)) });
  const others = [
    { coder: "ann", scus: [theirs("s", "ferry sank", "a ferry went down"), theirs("d", "dawn")] },
    { coder: "bob", scus: [theirs("whole", "The ferry sank at dawn"), theirs("down", "went down")] },
  ];
  const { model, state } = load(pyramid({ sinking: ["ferry sank", "a ferry went down"] }, { kind: "agreed", others }));
  const seen = pyramidOf(model, state);
  const words = wordsOfScu(seen.scus.get("sinking"));
  assert.deepEqual(model.others.map(({ scus }) => describeRelation(related(model, scus, words))), ["the same words", "split over 2 SCUs"]);
  assert.deepEqual(missingScus(model, seen).map(({ coder, scu }) => [coder, scu.label]), [["ann", "d"]]);
  assert.deepEqual(differences(model, seen).map((one) => one.key), ["sinking"]);
  const alike = load(pyramid({ sinking: ["ferry sank", "a ferry went down"] }, { kind: "agreed", others: others.slice(0, 1) }));
  assert.deepEqual(differences(alike.model, pyramidOf(alike.model, alike.state)), []);
  const edit = takeTheirs(model, state, others[1].scus[0], "sinking", "x");
  assert.equal(why(model, state, edit), null);
  assert.deepEqual(shape(done(model, state, edit)), { sinking: ["The ferry sank at dawn"] });
  const fresh = takeTheirs(model, state, others[0].scus[1], null, "x");
  assert.deepEqual(shape(done(model, state, fresh)).x, ["dawn"]);
  const stolen = takeTheirs(model, state, others[1].scus[1], null, "y");
  assert.equal(why(model, state, stolen), null);
  assert.deepEqual(shape(done(model, state, stolen)), { sinking: ["ferry sank"], y: ["went down"] });
});

test("every key does one thing on a page", () => {
  for (const kind of ["pyramid", "peer"]) {
    const keys = actionsOf(load(pyramid({}, { kind })).model).flatMap((one) => one.keys);
    assert.deepEqual(keys.filter((one, place) => keys.indexOf(one) !== place), []);
  }
});

test("a summary's marks are told by their keys alone", () => {
  const { model } = load(pyramid());
  assert.equal(markOf(model, key(TEXT, "dawn.\nAt")).summary, -1);
  assert.deepEqual(markOf(model, "nonsense").places, []);
});

test("the keys in the document are those of the table", () => {
  const docs = readFileSync(new URL("../../../docs/pyramids.md", import.meta.url), "utf8");
  const rows = new Map([...docs.matchAll(/^\| ((?:`[^`]+`(?:, )?)+|) \| (.+) \|$/gm)].map(([, keys, does]) => [does, keys]));
  for (const { label, keys } of ACTIONS.filter((action) => !/^scu-[02-9]$/.test(action.id))) {
    const first = label.replace("number 1…", "number 1… (2, … 9, 0)");
    assert.equal(rows.get(first), keys.map((one) => `\`${caps(one).join("+")}\``).join(", "), label);
  }
});
