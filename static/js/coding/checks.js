// What to look at before a coding is handed in. Pure.
import { chains } from "./chains.js";
import { categoryOf } from "./state.js";

const TITLES = {
  undecided: "Undecided",
  incomplete: "Without what the category asks for",
  circle: "Pointing in a circle",
  "same-chain": "Ambiguous, but between members of one chain",
  inside: "Pointing at words that hold it, or that it holds",
  unsure: "Marked as unsure",
};

/** @returns {{kind: Finding["kind"], title: string, findings: Finding[]}[]} in the order of what weighs most */
export function checkList(model, judgements) {
  const found = model.coded.flatMap(({ key }) => findings(model, judgements, key));
  return Object.entries(TITLES)
    .map(([kind, title]) => ({ kind, title, findings: found.filter((finding) => finding.kind === kind) }))
    .filter(({ findings: some }) => some.length > 0);
}

function findings(model, judgements, key) {
  const value = judgements.get(key);
  const category = categoryOf(model, value?.category);
  if (!category) {
    return [{ kind: "undecided", key, text: "" }];
  }
  const found = [];
  if (category.points_to && value.pointers.length === 0) {
    found.push({ kind: "incomplete", key, text: `${category.label} without antecedent` });
  }
  if (category.takes_index && value.indices.length === 0) {
    found.push({ kind: "incomplete", key, text: `${category.label} without index` });
  }
  if (category.allow_later && inCircle(judgements, key)) {
    found.push({ kind: "circle", key, text: "following its antecedents leads back to it" });
  }
  if (value.pointers.length > 1) {
    const { of } = chains(model, judgements, key);
    const names = value.pointers.map((target) => (of.get(target) ?? []).join(" "));
    if (new Set(names).size < names.length) {
      found.push({ kind: "same-chain", key, text: "two of its antecedents are in the same chain" });
    }
  }
  const from = model.byKey.get(key);
  const held = value.pointers.map((target) => model.byKey.get(target))
    .filter((to) => to && to.level === from.level && holds(to, from) !== holds(from, to));
  if (held.length > 0) {
    found.push({ kind: "inside", key, text: `antecedent: ${held[0].words}` });
  }
  if (value.unsure) {
    found.push({ kind: "unsure", key, text: value.note || "no note" });
  }
  return found;
}

function holds(one, other) {
  return one.start <= other.start && one.end >= other.end;
}

/** Whether pointers lead from a markable back to it. */
function inCircle(judgements, key) {
  const seen = new Set();
  const open = [key];
  while (open.length > 0) {
    for (const next of judgements.get(open.pop())?.pointers ?? []) {
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
