import assert from "node:assert/strict";
import { test } from "node:test";
import { candidateEntities, withWords } from "../../../static/js/coding/targets/antecedents.js";
import { candidates } from "../../../static/js/coding/targets/candidates.js";
import { load } from "../../../static/js/coding/state.js";
import { marked, points } from "./scenes.mjs";

/** @param {string} text @param {object} options @param {string} key */
function entities(text, options, key) {
  const { model, judgements } = load(marked(text, options));
  return { model, found: candidateEntities(model, judgements, key, candidates(model, judgements, key)) };
}

const CHAINS = { judgements: { p3: points("p1"), p4: points("p2"), p5: points("p3") } };

test("each chain is one entity, which stands for its newest mention before the current markable", () => {
  const { found } = entities("[Ann] [Bob] [She] [him] [the woman] [x]", CHAINS, "p6");
  assert.deepEqual(found.map(({ newest }) => newest).sort(), ["p4", "p5"]);
  assert.deepEqual(found.find(({ newest }) => newest === "p5")?.keys, ["p1", "p3", "p5"]);
});

test("what is in no chain is an entity of one mention", () => {
  const { found } = entities("[a] [b] [c]", {}, "p3");
  assert.deepEqual(found.map(({ keys }) => keys), [["p2"], ["p1"]]);
});

test("words of any mention find the entity, in any order and case", () => {
  const { model, found } = entities("[Ann] [Bob] [She] [him] [the woman] [x]", CHAINS, "p6");
  assert.deepEqual(withWords(model, found, "WOMAN the").map(({ newest }) => newest), ["p5"]);
  assert.deepEqual(withWords(model, found, "ann").map(({ newest }) => newest), ["p5"]);
  assert.deepEqual(withWords(model, found, "ann bob"), []);
  assert.equal(withWords(model, found, " ").length, 2);
});
