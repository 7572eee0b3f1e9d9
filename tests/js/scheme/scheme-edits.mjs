// Random steps of the designer: reads {schemes, seed, steps} and writes what becomes of each, for test_design_edits.py.
import { readFileSync } from "node:fs";
import * as edits from "../../../static/js/scheme/edits.js";
import { CATEGORY, LISTED, listOf, whatIsSent } from "../../../static/js/scheme/questions.js";
import * as values from "../../../static/js/scheme/values.js";

const { schemes, seed, steps } = JSON.parse(readFileSync(0, "utf8"));
let state = seed;

/** A small generator of its own (mulberry32), so that a failure can be repeated. */
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
const pick = (list) => list[Math.floor(random() * list.length)];
const KINDS = ["level", "category", "relation", "attribute"];
const LABELS = ["part of", "Größe", "gender", "category", "  ", "ø", "part-of", "x".repeat(70)];

function anyStep(scheme) {
  const kind = pick(KINDS);
  const key = pick(listOf(scheme, kind))?.key;
  const attribute = pick(scheme.attributes.filter((one) => LISTED.includes(one.kind)))?.key;
  const value = pick(scheme.attributes.find((one) => one.key === attribute)?.values ?? [])?.key;
  const onQuestion = key === undefined ? [] : [
    () => edits.relabel(scheme, kind, key, pick(LABELS), random() < 0.5),
    () => edits.move(scheme, kind, key, pick([1, -1])),
    () => edits.moveBefore(scheme, kind, key, pick([null, ...listOf(scheme, kind).map((one) => one.key)])),
    () => edits.indent(scheme, kind, key),
    () => edits.outdent(scheme, kind, key),
    ...(kind === "level" && scheme.levels.length < 2 ? [] : [() => edits.remove(scheme, kind, key)]),
    ...(kind === "category" ? [() => edits.setPointing(scheme, key, pick([null, { joint: true }, { max_targets: 1 }]))] : []),
  ];
  const onValue = attribute === undefined ? [] : [
    () => values.addValues(scheme, attribute, [pick(LABELS), pick(LABELS)]),
    () => edits.setKind(scheme, attribute, pick(["one", "several", "text", "number"])),
    ...(value === undefined ? [] : [
      () => values.relabelValue(scheme, attribute, value, pick(LABELS), random() < 0.5),
      () => values.removeValue(scheme, attribute, value),
      () => values.moveValue(scheme, attribute, value, pick([1, -1])),
    ]),
  ];
  return pick([() => edits.add(scheme, kind, pick(LABELS), key), ...onQuestion, ...onValue])();
}

function anyMerge(draft) {
  const question = pick([CATEGORY, ...draft.scheme.attributes.filter((one) => LISTED.includes(one.kind)).map(({ key }) => key)]);
  const all = question === CATEGORY ? draft.scheme.categories : draft.scheme.attributes.find(({ key }) => key === question).values;
  const [from, into] = [pick(all)?.key, pick(all)?.key];
  return from === undefined || from === into ? draft : values.mergeValues(draft, question, from, into);
}

console.log(JSON.stringify(schemes.map((before) => {
  let draft = { scheme: whatIsSent(before), merges: [] };
  let done = 0;
  for (let step = 0; step < steps; step += 1) {
    const edit = anyStep(draft.scheme);
    if ("scheme" in edit) {
      draft = { ...draft, scheme: edit.scheme };
      done += 1;
    }
    if (random() < 0.05) {
      draft = anyMerge(draft);
    }
  }
  return { ...draft, done };
})));
