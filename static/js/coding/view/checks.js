// What to look at before a coding is submitted, each with the way to it.
import { openCheckList } from "../../workbench/dialogs/check-list.js";
import { listsOf } from "../../workbench/readings.js";
import { chains } from "../chains/chains.js";
import { answersOf, identityOf } from "../questions/constraints.js";
import { entityConflicts, missingRequired } from "../questions/entity-answers.js";
import { holesAt } from "../questions/holes.js";
import { categoryOf } from "../state.js";
import { memberItem } from "./panel.js";
/** @import { Finding, Judgements, Markable, Model, Page } from "../types.js" */

const TITLES = {
  required: "Required answers missing",
  undecided: "Undecided",
  incomplete: "Incomplete answers",
  entity: "Answers about one chain",
  circle: "Circular pointers",
  "same-chain": "Ambiguous between members of one chain",
  inside: "Antecedent overlaps the markable",
  unsure: "Marked as unsure",
};

/** In the order of what weighs most. @type {(model: Model, judgements: Judgements) => { kind: string, title: string, findings: Finding[] }[]} */
export function checkList(model, judgements) {
  const found = [
    ...requiredFindings(model, judgements), ...model.coded.flatMap(({ key }) => findings(model, judgements, key)), ...entityFindings(model, judgements),
  ];
  return Object.entries(TITLES)
    .map(([kind, title]) => ({ kind, title, findings: found.filter((finding) => finding.kind === kind) }))
    .filter(({ findings: some }) => some.length > 0);
}

/** @type {(model: Model, judgements: Judgements, key: string) => Finding[]} */
function findings(model, judgements, key) {
  const { value, want } = answersOf(model, judgements, key);
  const { constraints } = model;
  const category = categoryOf(model, value.category);
  const isHole = model.gold && want !== null && holesAt(model, judgements, key).length > 0; // gold is not closed with one
  if (want === "category" || (!category && Object.keys(value.attributes).length === 0)) {
    return [isHole ? { kind: "required", key, text: "undecided" } : { kind: "undecided", key, text: "" }];
  }
  const { of } = value.pointers.length > 1 ? chains(model, judgements, key) : { of: new Map() };
  const names = listsOf(value.pointers).map((reading) => reading.flatMap((target) => of.get(target) ?? []).sort().join(" "));
  const from = model.byKey.at(key);
  const held = value.pointers.flat().flatMap((target) => model.byKey.get(target) ?? [])
    .filter((to) => to.level === from.level && holds(to, from) !== holds(from, to));
  /** @type {[found: unknown, kind: Finding["kind"], text: string][]} */
  const all = [
    [want !== null, isHole ? "required" : "incomplete", `${category?.label} without ${want === "index" ? "index" : "antecedent"}`],
    [identityOf(constraints, value.category)?.later && inCircle(judgements, key), "circle", "its antecedents lead back to it"],
    [names.length > 1 && new Set(names).size < names.length, "same-chain", "two of its antecedents are in the same chain"],
    [held.length > 0, "inside", `antecedent: ${held[0]?.words}`],
    [value.unsure, "unsure", value.note || "no note"],
  ];
  return all.filter(([found]) => found).map(([, kind, text]) => ({ kind, key, text }));
}

/** @type {(a: Markable, b: Markable) => boolean} */
const holds = (a, b) => a.start <= b.start && a.end >= b.end;

/** Whether pointers lead from a markable back to it. @type {(judgements: Judgements, key: string) => boolean} */
function inCircle(judgements, key) {
  const seen = new Set();
  const open = [key];
  while (open.length > 0) {
    for (const next of (judgements.get(open.pop() ?? "")?.pointers ?? []).flat()) {
      if (next === key) {
        return true;
      }
      if (!seen.has(next)) {
        seen.add(next);
        open.push(next);
      }
    }
  }
  return false;
}

/** @type {(model: Model, judgements: Judgements) => Finding[]} */
function requiredFindings(model, judgements) {
  return missingRequired(model, judgements).map(({ attribute, key, ofChain }) => {
    const { label } = model.constraints.attributes[attribute];
    return { kind: "required", key, question: attribute, text: ofChain ? `${label} of its chain is missing` : `${label} is missing` };
  });
}

/** What differs within entities. @type {(model: Model, judgements: Judgements) => Finding[]} */
function entityFindings(model, judgements) {
  return entityConflicts(model, judgements).map(({ attribute, answers: [[key]] }) => (
    { kind: "entity", key, text: `its members differ in ${model.constraints.attributes[attribute].label}` }
  ));
}

/** Why the server would not take it, beside required answers; "" where it would. @type {(model: Model, judgements: Judgements) => string} */
export function refusal(model, judgements) {
  const isEmpty = ![...judgements.values()].some(({ category, attributes }) => category !== null || Object.keys(attributes).length > 0);
  const mayBeEmpty = [...model.levels.values()].some(({ coders_mark: marks }) => marks); // nothing may be what there is
  return !model.gold || !isEmpty || mayBeEmpty ? ""
    : model.coded.length > 0 ? "Nothing is decided yet: coders would be compared with nothing."
      : "This text has no markables: there is nothing to decide, and it has no gold to submit or export.";
}

// Where required answers are missing, under the first title, which is theirs, and under the next.
const NOTES = ["Answer these first: without them the text cannot be submitted.", "What follows may stay as it is."];

/** @type {(page: Page, waiting: number) => void} waiting: operations that are not saved yet */
export function openChecks(page, waiting) {
  const { model, judgements, decided } = page;
  const list = checkList(model, judgements);
  const isMissing = list[0]?.kind === "required";
  const refused = refusal(model, judgements);
  openCheckList({
    summary: model.coded.length > 0 ? `${decided} of ${model.coded.length} decided.` : "", waiting,
    groups: list.map(({ title, findings }, place) => ({
      title, count: findings.length, note: isMissing ? NOTES[place] : "",
      items: findings.map(({ key, text, question }) => () => memberItem(page, key, text, question)),
    })),
    empty: refused || (model.coded.length ? "" : nothing(model)), refused: isMissing || refused !== "",
  });
}

/** @param {Page["model"]} model of a text in which nothing is marked */
function nothing({ marking }) {
  return marking.length > 0 ? "Nothing is marked: submitted so, it counts as a text in which you found nothing to mark." : "This text has no markables: the coding would be empty.";
}
