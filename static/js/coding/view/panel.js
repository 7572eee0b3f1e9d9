// Everything around the text: the panel at the side, hints, what is said to the ear.
import { button, byId, element, elements } from "../../workbench/dom/element.js";
import { labelControls, paintHints, setShortcuts } from "../../workbench/dom/controls.js";
import { paintProgress, paintSteps } from "../../workbench/status.js";
import { listsOf } from "../../workbench/readings.js";
import { actionsOf, joins } from "../actions.js";
import { relationOf } from "../targets/candidates.js";
import { chainLook, nameOf } from "../chains/chains.js";
import { categoriesOn, identityOf } from "../questions/constraints.js";
import { categoryLook, categoryOf } from "../state.js";
import { badgeLabels } from "./text.js";
/** @import { Keyboard, Model, Page, Readings } from "../types.js" */
/** @import { Properties } from "../../workbench/types.js" */

const FIRST = 24; // candidates shown before one asks for all
const AROUND = 20; // members of the chain shown before and after the current one

/** @type {(model: Model, keyboard: Keyboard) => void} */
export function buildPanel(model, keyboard) {
  const empty = model.coded.length === 0;
  const marks = model.marking.length > 0;
  const chains = model.answers !== "categories";
  byId("no-markables").hidden = !empty || marks;
  byId("mark-first").hidden = !empty || !marks;
  byId("panel").hidden = empty;
  document.body.classList.toggle("is-read-only", model.readOnly);
  delete byId("categories").dataset.keys; // they are drawn with the next markable
  labelControls(keyboard, actionsOf(model), { chains, further: chains && !model.readOnly, optional: model.categories.some((each) => each.takes_optional) });
  paintHints(keyboard, empty && !marks ? [] : hints(model));
  byId("unsure", HTMLInputElement).disabled = model.readOnly;
  byId("optional", HTMLInputElement).disabled = model.readOnly;
  byId("note", HTMLTextAreaElement).readOnly = model.readOnly;
}

/** The categories that are offered on a level, and a retired one that is chosen. @type {(model: Model, level: string, chosen: string | null | undefined, keyboard: Keyboard) => void} */
function paintCategories(model, level, chosen, keyboard) {
  const list = byId("categories");
  const keys = categoriesOn(model.constraints, level);
  if (chosen && !keys.includes(chosen)) {
    keys.push(chosen);
  }
  if (list.dataset.keys === String(keys)) {
    return;
  }
  list.dataset.keys = String(keys);
  list.hidden = keys.length === 0;
  list.replaceChildren(...keys.map((key, place) => choiceButton(keyboard, place, categoryLook(model, key), {
    ...categoryOf(model, key), disabled: model.readOnly || model.constraints.categories[key]?.retired, dataset: { category: key },
  })));
}

/**
 * @param {Keyboard} keyboard @param {number} place of its digit, from 0 to 9; else it has none
 * @param {string} look @param {{ label?: string, help?: string, disabled: boolean, dataset: Record<string, string> }} of
 */
export function choiceButton(keyboard, place, look, { label = "", help = "", disabled, dataset }) {
  const action = `category-${place + 1}`;
  const cap = keyboard.keyOf(action);
  const choice = button(`coding-category ${look}`, [cap && element("kbd", "", cap), element("span", "", label)], { title: help, disabled, dataset });
  setShortcuts(choice, keyboard.keysOf(action));
  return choice;
}

/** Whether the next target is meant together with the last. @param {Page} page */
export function paintTogether({ model, judgements, current, relation, together }) {
  const control = byId("together");
  control.hidden = model.readOnly || current === null || !relationOf(model, judgements, current, relation)?.joint;
  control.ariaPressed = String(together);
}

/** @type {(model: Model) => [action: string, words: string][]} */
function hints(model) {
  const chains = model.answers !== "categories";
  return [
    ["next-undecided", "next undecided"],
    ...pairs(model.readOnly, ["next", "next"]),
    ...pairs(model.readOnly && chains, ["next-in-chain", "along the chain"]),
    ...pairs(!model.readOnly && chains, ["candidate-a", "to"],
      ["candidate-l", model.answers === "indices" ? "take the index, Shift adds one" : "point, Shift adds one"]),
    ...pairs(joins(model), ["together", "together with"]),
    ...pairs(!model.readOnly && model.relations.some((relation) => !relation.identity), ["relation", "relation"]),
    ...pairs(!model.readOnly, ["accept", "accept"], ["undo", "undo"]),
    ...pairs(!model.readOnly && model.marking.length > 0, ["mark", "mark words"]),
    ["search", "search"], ["palette", "all actions"], ["release", "frees Tab"], ["help", "keys"],
  ];
}

/** @type {(use: boolean, ...all: [string, string][]) => [string, string][]} */
const pairs = (use, ...all) => (use ? all : []);

/** What to call a markable in a list, and where it is. @type {(model: Model, key: string) => { words: string, where: string }} */
export function describe(model, key) {
  const markable = model.byKey.at(key);
  const block = model.blocks.find((block) => block.start <= markable.start && markable.start <= block.end);
  const where = block ? `${block.label} ${block.speaker}`.trim() : "";
  return { words: markable.words || markable.label || "∅", where };
}

/** What is pointed at, an entry for each reading. @type {(model: Model, readings: Readings, and?: string) => string[]} */
export function inWords(model, readings, and = " together with ") {
  return listsOf(readings).map((reading) => reading.map((key) => describe(model, key).words).join(and));
}

/** @type {(page: Page, all: boolean, keyboard: Keyboard) => void} */
export function paintPanel(page, all, keyboard) {
  const { model, judgements, current } = page;
  const done = page.decided;
  const total = model.coded.length;
  paintProgress(done, total, `${done} of ${total} decided`);
  byId("progress").classList.toggle("done", total > 0 && done === total);
  if (current === null) {
    return;
  }
  const { words, where } = describe(model, current);
  const value = judgements.get(current);
  byId("words").textContent = words;
  byId("words").title = words;
  byId("position").textContent = `${model.coded.findIndex((markable) => markable.key === current) + 1} of ${total}`;
  byId("place").textContent = where;
  const further = byId("further");
  further.dataset.key = further.dataset.key === current ? current : "";
  further.ariaPressed = String(further.dataset.key === current);
  paintCategories(model, model.byKey.at(current).level, value?.category, keyboard);
  byId("categories").querySelectorAll("button").forEach((choice) => {
    choice.ariaPressed = String(choice.dataset.category === value?.category);
  });
  const { help = "" } = categoryOf(model, value?.category) ?? {};
  byId("category-help").textContent = help;
  byId("category-help").hidden = help === "";
  paintTogether(page);
  keepingFocus(() => {
    paintCandidates(page, current, all, keyboard);
    paintChain(page, current);
  });
  byId("unsure", HTMLInputElement).checked = value?.unsure ?? false;
  byId("optional", HTMLInputElement).checked = value?.optional ?? false;
  byId("own-tools").hidden = !model.byKey.at(current).own || model.marking.length === 0;
  const note = byId("note", HTMLTextAreaElement);
  if (document.activeElement !== note) {
    note.value = value?.note ?? "";
  }
  paintSteps(page.history);
  byId("clear", HTMLButtonElement).disabled = !value;
}

/** The lists are written anew; who works them by keyboard stays on the same entry. @type {(paint: () => void) => void} */
function keepingFocus(paint) {
  const focused = document.activeElement?.closest(".workbench-side button");
  const { target, index, goto } = focused instanceof HTMLElement ? focused.dataset : {};
  paint();
  if (!focused?.id && (target || goto)) {
    elements(document, ".workbench-item").find(({ dataset }) => dataset.target === target && dataset.index === index && dataset.goto === goto)
      ?.focus({ preventScroll: true });
  }
}

/** @type {(page: Page, current: string, all: boolean, keyboard: Keyboard) => void} */
function paintCandidates(page, current, all, keyboard) {
  const { model, judgements, candidates } = page;
  const section = byId("candidates-section");
  const value = judgements.get(current);
  const { relation } = page;
  const category = categoryOf(model, value?.category);
  const linked = model.categories.filter((category) => category.takes_index || identityOf(model.constraints, category.key));
  section.hidden = !relation && (model.answers === "categories" || !linked.length);
  if (section.hidden) {
    return;
  }
  const byIndex = model.answers === "indices" && !relation;
  const readings = (byIndex ? value?.indices : relation ? value?.relations[relation] : value?.pointers) ?? [];
  const label = relation ? model.constraints.relations[relation].label : "";
  const lists = listsOf(readings);
  const joint = lists.some((reading) => reading.length > 1);
  byId("candidates-title").textContent = titleOf(lists, joint, byIndex ? ["Entity", "entities"] : label ? [`Targets of ${label}`, "targets"] : ["Antecedent", "antecedents"])
    + (byIndex && readings.length > 0 ? ` ${readings.join(", ")}` : "");
  section.classList.toggle("muted", !relation && !!category && !linked.includes(category));
  byId("readings").hidden = !joint;
  byId("readings").textContent = joint ? inWords(model, readings, " + ").join(" or ") : "";
  // What is chosen stays in sight, however far down it is.
  const shown = all ? candidates : candidates.filter((candidate, place) => place < FIRST || candidate.chosen);
  byId("candidates").replaceChildren(...shown.map((candidate) => {
    const { key, letter, index, chosen } = candidate;
    const action = `candidate-${letter}`;
    const entry = row(page, "workbench-item coding-candidate", key, letter && keyboard.keyOf(action), "", {
      disabled: model.readOnly, ariaPressed: String(chosen), dataset: { target: key, ...(index === null ? {} : { index }) },
    });
    setShortcuts(entry, letter === null ? [] : keyboard.keysOf(action));
    const labels = index !== null ? [{ text: index, number: page.numbers.byChain.get(`#${index}`) }]
      : badgeLabels(page.numbers.byMember.get(key) ?? []);
    entry.append(...labels.map(({ text, number }) => chainBadge(text, number)));
    return element("li", "", entry);
  }));
  const more = byId("more");
  more.hidden = shown.length === candidates.length;
  more.textContent = `Show all ${candidates.length}`;
  const none = byId("no-candidates");
  none.hidden = !!candidates.length;
  none.textContent = byIndex ? "No entities yet. Select the category to start one." : "No possible antecedent before this markable.";
}

/** @type {(lists: string[][], joint: boolean, noun: string[]) => string} */
function titleOf(lists, joint, [singular, several]) {
  return lists.length > 1 ? `Ambiguous: ${lists.length} ${joint ? "readings" : several}` : joint ? `Together: ${lists[0].length} ${several}` : singular;
}

/** @type {(page: Page, current: string) => void} */
function paintChain(page, current) {
  const { model, numbers } = page;
  const chains = (page.chains.of.get(current) ?? []).filter((chain) => page.chains.members.at(chain).length > 1);
  byId("chain-section").hidden = chains.length === 0 && !page.asksEntity;
  const members = [...new Set(chains.flatMap((chain) => page.chains.members.at(chain)))]
    .sort((a, b) => model.byKey.at(a).order - model.byKey.at(b).order);
  const names = (numbers.byMember.get(current) ?? []).join(", ");
  const called = chains.map((chain) => nameOf(page.judgements, page.chains.members.at(chain))).filter(Boolean).join(", ");
  byId("chain-title").textContent = chains.length === 0 ? "Entity" : `${chains.length > 1 ? "Chains" : "Chain"} ${names}: ${members.length} members`;
  byId("chain-name").textContent = called;
  byId("chain-name").hidden = called === "";
  const first = Math.max(0, members.indexOf(current) - AROUND);
  byId("members").replaceChildren(...members.slice(first, first + 2 * AROUND).map((key) => memberItem(page, key)));
}

/** A list entry that leads to a markable. @type {(page: Page, key: string, hint?: string, question?: string) => HTMLElement} */
export function memberItem(page, key, hint = "", question = "") {
  return element("li", "", row(page, "workbench-item", key, undefined, hint, {
    ariaCurrent: key === page.current ? "true" : null, dataset: { goto: key, asks: question },
  }));
}

/** @type {(page: Page, className: string, key: string, letter: string | null | undefined, hint: string, properties: Properties<"button">) => HTMLButtonElement} */
function row({ model }, className, key, letter, hint, properties) {
  const { words, where } = describe(model, key);
  return button(className, [
    letter === undefined ? "" : letter === null ? element("span", "coding-no-key") : element("kbd", "", letter),
    element("span", "workbench-words", words, { lang: model.language, dir: model.direction, title: words }),
    element("span", "workbench-place", [hint, where].filter(Boolean).join(" · ")),
  ], properties);
}

/** @type {(text: string, number: number | null | undefined) => HTMLElement} */
export const chainBadge = (text, number) => element("span", `chain-badge${chainLook(number)}`, text);

/** @type {(page: Page, prefix?: string, alone?: boolean) => void} */
export function announce(page, prefix = "", alone = false) {
  const { model, judgements, current } = page;
  if (current === null || alone) {
    byId("announce").textContent = prefix;
    return;
  }
  const value = judgements.get(current);
  const category = categoryOf(model, value?.category);
  const to = model.answers === "indices"
    ? (value?.indices ?? []).map((index) => `entity ${index}`)
    : inWords(model, value?.pointers ?? []);
  byId("announce").textContent = [
    prefix,
    `${describe(model, current).words}, ${byId("position").textContent}`,
    category ? [category.label, ...to].join(", ") : page.answersSaid ? "" : "undecided",
    to.length > 1 ? "ambiguous" : "",
    page.answersSaid,
    value?.unsure ? "unsure" : "",
    page.asks,
    page.wants ? [...document.querySelectorAll("#candidates kbd")].map((key) => `${key.textContent} ${key.nextSibling?.textContent}`).join(", ") : "",
  ].filter(Boolean).join(". ");
}
