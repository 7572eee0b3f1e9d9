// The questions after the category, at the side: values, fields, targets of relations.
import { byId, button, element } from "../../workbench/dom/element.js";
import { listsOf } from "../../workbench/readings.js";
import { answerOf } from "../questions/questions.js";
import { colourLook } from "../state.js";
import { choiceButton, describe } from "./panel.js";
/** @import { Keyboard, Page, Question } from "../types.js" */

const DEEPEST = 3;
let painted = ""; // what the panel shows
let shown = ""; // the question of a markable that is in sight

/**
 * @param {Page} page @param {Keyboard} keyboard @param {Question[]} asked @param {string} active the question that keys answer
 * @param {(question: Question, value: string) => boolean} taken by the first choice
 */
export function paintQuestions(page, keyboard, asked, active, taken) {
  const { current, judgements, model } = page;
  byId("categories").classList.toggle("is-asked", !asked.some(({ key }) => key === active));
  paintRelation(page, keyboard);
  const answers = asked.map((question) => (question.kind === "targets" ? judgements.get(current ?? "")?.relations[question.key]
    : answerOf(judgements, page.chains, current ?? "", question)) ?? null);
  const signature = JSON.stringify([current, active, asked.map(({ key }) => key), answers, keyboard.keysOf("category-1"), model.readOnly]);
  if (signature === painted) {
    return;
  }
  painted = signature;
  const focused = document.activeElement;
  const place = focused instanceof HTMLElement && focused.closest(".coding-question")
    ? { ...focused.dataset, text: focused instanceof HTMLInputElement ? focused.value : "" } : null;
  for (const [id, entity] of /** @type {[string, boolean][]} */ ([["further-questions", false], ["entity-questions", true]])) {
    byId(id).replaceChildren(...asked.filter(({ of }) => (of === "entity") === entity)
      .map((question) => questionElement(page, keyboard, question, question.key === active, taken)));
    byId(id).hidden = byId(id).children.length === 0;
  }
  if (place) {
    refocus(place);
  }
  const now = `${current} ${active}`;
  if (shown !== now && shown.startsWith(`${current} `)) {
    document.querySelector(".coding-question.is-asked")?.scrollIntoView({ block: "nearest" });
  }
  shown = now;
}

/** Whose targets the letters choose. @param {Page} page @param {Keyboard} keyboard */
function paintRelation({ model, relation }, keyboard) {
  const means = byId("letters-mean");
  means.hidden = relation === null || model.readOnly;
  means.textContent = relation === null ? "" : `Letters choose targets of ${model.constraints.relations[relation].label}. ${keyboard.keyOf("release")} goes back.`;
  byId("candidates-section").classList.toggle("is-relation", relation !== null);
}

/** @param {DOMStringMap} place where the focus was, before all was painted anew */
function refocus({ question, value, relation, answer, markable, text }) {
  /** @type {NodeListOf<HTMLElement>} */
  const controls = document.querySelectorAll(".coding-question button, .coding-question input");
  const control = [...controls].find(({ dataset }) => dataset.question === question && dataset.value === value
    && dataset.relation === relation && dataset.answer === answer && dataset.markable === markable);
  if (control instanceof HTMLInputElement && text !== undefined) {
    control.value = text;
  }
  control?.focus({ preventScroll: true });
}

/** @type {(page: Page, keyboard: Keyboard, question: Question, isActive: boolean, taken: (question: Question, value: string) => boolean) => HTMLElement} */
function questionElement(page, keyboard, question, isActive, taken) {
  const { key, label, help, depth, required, kind } = question;
  const group = element("fieldset", `coding-question${isActive ? " is-asked" : ""}`);
  group.dataset.depth = String(Math.min(depth, DEEPEST));
  group.dataset.asks = key;
  const legend = element("legend", "", label);
  legend.append(required ? element("span", "coding-required", " required") : "");
  group.append(legend);
  if (help && isActive) {
    group.append(element("p", "muted small", help));
  }
  group.append(kind === "targets" ? targetsElement(page, question, isActive)
    : kind === "text" || kind === "number" ? fieldElement(page, question)
      : valuesElement(page, keyboard, question, isActive, taken));
  return group;
}

/** @type {(page: Page, keyboard: Keyboard, question: Question, isActive: boolean, taken: (question: Question, value: string) => boolean) => HTMLElement} */
function valuesElement(page, keyboard, question, isActive, taken) {
  const list = element("div", "coding-categories");
  const chosen = [answerOf(page.judgements, page.chains, page.current ?? "", question) ?? []].flat().map(String);
  list.append(...question.values.filter(({ key, retired }) => !retired || chosen.includes(key)).map(({ key, label, help, colour, retired }, place) => {
    const hasKey = isActive && !retired && !page.model.readOnly;
    const choice = choiceButton(keyboard, hasKey ? place : -1, colourLook(colour), { label, help });
    choice.dataset.question = question.key;
    choice.dataset.value = key;
    choice.disabled = page.model.readOnly || taken(question, key);
    choice.setAttribute("aria-pressed", String(chosen.includes(key)));
    return choice;
  }));
  return list;
}

/** @type {(page: Page, question: Question) => HTMLElement} */
function fieldElement(page, { key, label, kind, ...question }) {
  const field = element("input");
  const answer = answerOf(page.judgements, page.chains, page.current ?? "", { key, label, kind, ...question });
  field.type = "text";
  field.autocomplete = "off";
  field.inputMode = kind === "number" ? "decimal" : "text";
  field.dir = kind === "number" ? "ltr" : "auto";
  field.maxLength = page.model.constraints.max_text_length;
  field.defaultValue = String(answer ?? "");
  field.disabled = page.model.readOnly;
  field.dataset.answer = key;
  field.dataset.markable = page.current ?? "";
  field.setAttribute("aria-label", label);
  return field;
}

/** The targets of a relation, and the button that lets letters choose them. @type {(page: Page, question: Question, isActive: boolean) => HTMLElement} */
function targetsElement({ model, judgements, current }, { key, label }, isActive) {
  const line = element("p");
  listsOf(judgements.get(current ?? "")?.relations[key] ?? []).forEach((reading, place) => {
    line.append(place > 0 ? " or " : "");
    reading.forEach((target, at) => {
      const chip = button("coding-target");
      chip.dataset.goto = target;
      chip.dir = "auto";
      chip.textContent = describe(model, target).words;
      line.append(at > 0 ? " + " : "", chip);
    });
    line.append(" ");
  });
  if (!model.readOnly) {
    const choice = button("button small", isActive ? "Done" : "Choose targets");
    choice.dataset.relation = key;
    choice.setAttribute("aria-pressed", String(isActive));
    choice.setAttribute("aria-label", `${isActive ? "Done" : "Choose targets"}: ${label}`);
    line.append(choice);
  } else if (line.childElementCount === 0) {
    line.append(element("span", "muted", "none"));
  }
  return line;
}
