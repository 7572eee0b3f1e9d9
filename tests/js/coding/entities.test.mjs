import assert from "node:assert/strict";
import { test } from "node:test";
import { chains, emptyNumbers, nameOf, renumber } from "../../../static/js/coding/chains/chains.js";
import { isLegal } from "../../../static/js/coding/targets/candidates.js";
import { merge, rename, split } from "../../../static/js/coding/chains/edits.js";
import { entities, filtered } from "../../../static/js/coding/chains/entities.js";
import { identityOf } from "../../../static/js/coding/questions/constraints.js";
import { load } from "../../../static/js/coding/state.js";
import { marked, points, refers } from "./scenes.mjs";

const SIX = "[Ann] [Bob] [she] [he] [her] [him]";
// Ann she her; Bob he him
const TWO = { p3: points("p1"), p5: points("p3"), p4: points("p2"), p6: points("p4") };
const open = (text, options) => load(marked(text, options));
const sets = (model, judgements) => [...chains(model, judgements).members.values()].filter((one) => one.length > 1)
  .map((one) => one.join(" ")).sort();
const listed = ({ model, judgements }) => entities(model, judgements, renumber(emptyNumbers(), chains(model, judgements)));

test("chains are listed from the second member on, in the order of the text", () => {
  const scene = open(SIX, { judgements: { ...TWO, p1: { category: "none" } } });
  assert.deepEqual(listed(scene).map((one) => [one.number, one.words, one.members.length]), [[1, "Ann", 3], [2, "Bob", 3]]);
  assert.deepEqual(listed(open(SIX)), []);
});

test("an entity with an index is listed from its first member on", () => {
  const scene = open("[a] [b]", { scheme: "indices", judgements: { p1: refers("7") } });
  assert.deepEqual(listed(scene).map((one) => [one.chain, one.members]), [["#7", ["p1"]]]);
});

test("the list is filtered by words of any member, by name and by number", () => {
  const scene = open(SIX, { judgements: { ...TWO, p2: { category: "none", name: "Robert" } } });
  const found = (query) => filtered(scene.model, listed(scene), query).map((one) => one.words);
  assert.deepEqual(found("HER"), ["Ann"]);
  assert.deepEqual(found("rob"), ["Bob"]);
  assert.deepEqual(found("2"), ["Bob"]);
  assert.deepEqual(found(" "), ["Ann", "Bob"]);
  assert.deepEqual(found("zebra"), []);
});

test("a name stays with the chain when it grows, and goes with a second naming", () => {
  const { model, judgements } = open(SIX, { judgements: TWO });
  const named = rename(model, judgements, ["p1", "p3", "p5"], " Annabel ");
  assert.equal(nameOf(named.after, ["p1", "p3", "p5"]), "Annabel");
  const again = rename(model, named.after, ["p1", "p3", "p5"], "A.");
  assert.equal(nameOf(again.after, ["p3", "p1", "p5"]), "A.");
  assert.equal(again.judged.length, 1);
  assert.equal(nameOf(rename(model, again.after, ["p1", "p3", "p5"], "").after, ["p1", "p3", "p5"]), "");
});

test("naming touches no other member, and a chain of turns alone has no place for a name", () => {
  const { model, judgements } = open(SIX, { judgements: TWO });
  assert.deepEqual(rename(model, judgements, ["p1", "p3"], "A").judged.map(([key]) => key), ["p1"]);
  const turns = open("[aa] [bb]", { turns: [["t1", "turn", 0, 2], ["t2", "turn", 3, 5]] });
  assert.ok("refused" in rename(turns.model, turns.judgements, ["t1", "t2"], "A"));
});

test("merging puts all members of two chains into one by one pointer", () => {
  const { model, judgements } = open(SIX, { judgements: TWO });
  const plan = merge(model, judgements, "p2", "p1");
  assert.deepEqual(sets(model, plan.after), ["p1 p2 p3 p4 p5 p6"]);
  assert.deepEqual(plan.judged.map(([key, value]) => [key, value.pointers]), [["p2", ["p1"]]]);
});

test("merging a single markable into a chain keeps what was noted", () => {
  const { model, judgements } = open(SIX, { judgements: { p3: points("p1"), p4: { category: "none", note: "hm" } } });
  const [[key, value]] = merge(model, judgements, "p4", "p1").judged;
  assert.deepEqual([key, value.category, value.pointers, value.note], ["p4", "phrase", ["p3"], "hm"]);
});

test("merging entities gives them one index", () => {
  const { model, judgements } = open("[a] [b] [c]", { scheme: "indices", judgements: { p1: refers("1"), p2: refers("2"), p3: refers("1", "2") } });
  const { after } = merge(model, judgements, "#2", "#1");
  assert.deepEqual(["p1", "p2", "p3"].map((key) => after.get(key).indices), [["2"], ["2"], ["2"]]);
});

test("a chain is not merged with itself, nor where no pointer is legal", () => {
  const { model, judgements } = open(SIX, { judgements: TWO });
  assert.ok("refused" in merge(model, judgements, "p1", "p1"));
  const turns = [["t1", "turn", 0, 5], ["t2", "turn", 6, 11]];
  const scene = open("[aa] [bb] [cc] [dd]", {
    turns, judgements: { p2: { category: "segment", pointers: ["t1"] }, p4: { category: "segment", pointers: ["t2"] } },
  });
  assert.ok("refused" in merge(scene.model, scene.judgements, "t1", "t2"));
});

test("only this: the others stay together, and it has to be judged again", () => {
  const { model, judgements } = open(SIX, { judgements: TWO });
  const plan = split(model, judgements, "p1", "p3", false);
  assert.deepEqual(sets(model, plan.after), ["p1 p5", "p2 p4 p6"]);
  assert.deepEqual([plan.after.get("p3").category, plan.after.get("p3").pointers], [null, []]);
});

test("this and following: a chain of their own", () => {
  const { model, judgements } = open("[a] [b] [c] [d]", { judgements: { p2: points("p1"), p3: points("p1"), p4: points("p1") } });
  const { after } = split(model, judgements, "p1", "p3", true);
  assert.deepEqual(sets(model, after), ["p1 p2", "p3 p4"]);
});

test("only the first: the rest is a chain without it", () => {
  const { model, judgements } = open("[a] [b] [c]", { judgements: { p2: points("p1"), p3: points("p1") } });
  assert.deepEqual(sets(model, split(model, judgements, "p1", "p1", false).after), ["p2 p3"]);
  assert.ok("refused" in split(model, judgements, "p1", "p1", true));
});

test("an ambiguous markable leaves the chain that is split and stays in the other", () => {
  const { model, judgements } = open(SIX, { judgements: { ...TWO, p6: points("p4", "p5") } });
  const { after } = split(model, judgements, "p1", "p6", false);
  assert.deepEqual(after.get("p6").pointers, ["p4"]);
});

test("splitting entities gives a new index to what leaves", () => {
  const { model, judgements } = open("[a] [b] [c]", { scheme: "indices", judgements: { p1: refers("1"), p2: refers("1", "2"), p3: refers("1") } });
  assert.deepEqual(split(model, judgements, "#1", "p2", true).after.get("p2").indices, ["3", "2"]);
  assert.deepEqual(split(model, judgements, "#1", "p2", false).after.get("p3").indices, ["1"]);
});

// Any chains: laws of merging and splitting

function random(seed) {
  let state = seed;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
}

function anyScene(draw, scheme) {
  const size = 4 + draw(9);
  const judgements = {};
  for (let place = 2; place <= size; place += 1) {
    if (draw(4) > 0) {
      const later = scheme === "single" && draw(4) === 0;
      const target = later ? 1 + draw(size) : 1 + draw(place - 1);
      if (target !== place) {
        judgements[`p${place}`] = { category: scheme === "single" ? "ident" : "phrase", pointers: [`p${target}`] };
      }
    }
  }
  return open(Array.from({ length: size }, (_, place) => `[w${place}]`).join(" "), { scheme, judgements });
}

const legal = (model, judgements) => [...judgements].every(([key, value]) => value.pointers
  .every((target) => isLegal(model, key, identityOf(model.constraints, value.category), target)));

for (const scheme of ["pointers", "single"]) {
  test(`merging any two chains joins their members and touches no other chain (${scheme})`, () => {
    const draw = random(7);
    for (let round = 0; round < 400; round += 1) {
      const { model, judgements } = anyScene(draw, scheme);
      const { members } = chains(model, judgements);
      const names = [...members.keys()];
      const [one, other] = [names[draw(names.length)], names[draw(names.length)]];
      const plan = merge(model, judgements, one, other);
      if (one === other) {
        assert.ok("refused" in plan);
        continue;
      }
      const after = [...chains(model, plan.after).members.values()].map((list) => [...list].sort().join(" ")).sort();
      const expected = names.filter((name) => name !== one && name !== other).map((name) => [...members.get(name)].sort().join(" "));
      expected.push([...members.get(one), ...members.get(other)].sort().join(" "));
      assert.deepEqual(after, expected.sort());
      assert.ok(legal(model, plan.after));
    }
  });

  test(`splitting any chain parts its members as asked and touches no other chain (${scheme})`, () => {
    const draw = random(11);
    let done = 0;
    for (let round = 0; round < 600; round += 1) {
      const { model, judgements } = anyScene(draw, scheme);
      const { members } = chains(model, judgements);
      const many = [...members.keys()].filter((name) => members.get(name).length > 1);
      if (many.length === 0) {
        continue;
      }
      const chain = many[draw(many.length)];
      const list = members.get(chain);
      const key = list[draw(list.length)];
      const following = draw(2) === 1;
      const plan = split(model, judgements, chain, key, following);
      const leaves = (one) => (following ? model.byKey.get(one).order >= model.byKey.get(key).order : one === key);
      const [apart, rest] = [list.filter(leaves), list.filter((one) => !leaves(one))];
      if ("refused" in plan) {
        assert.equal(rest.length, 0, `${scheme}: ${JSON.stringify([...judgements])} ${chain} ${key} ${following}: ${plan.refused}`);
        continue;
      }
      done += 1;
      const after = [...chains(model, plan.after).members.values()].map((one) => [...one].sort().join(" ")).sort();
      const others = [...members].filter(([name]) => name !== chain).map(([, one]) => [...one].sort().join(" "));
      assert.deepEqual(after, [...others, [...apart].sort().join(" "), [...rest].sort().join(" ")].sort());
      assert.ok(legal(model, plan.after));
    }
    assert.ok(done > 200);
  });
}

test("a member that another window has deleted meanwhile is neither named nor split off", () => {
  const { model, judgements } = open(SIX, { judgements: TWO });
  assert.deepEqual(rename(model, judgements, ["gone", "p3"], "Ann").judged.map(([key]) => key), ["p3"]);
  assert.deepEqual(rename(model, judgements, ["gone"], "Ann"), { refused: "A chain without a judged member cannot be named." });
  assert.deepEqual(split(model, judgements, "p1", "gone", true), { refused: "Nothing to split." });
});
