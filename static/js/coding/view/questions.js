// The questions after the category, at the side: values, fields, targets of relations.
import { byId, button, element, elements } from "../../workbench/dom/element.js";
import { listsOf } from "../../workbench/readings.js";
import { answerOf } from "../questions/questions.js";
import { colourLook } from "../state.js";
import { choiceButton, describe } from "./panel.js";
/** @import { Keyboard, Page, Question } from "../types.js" */

const MAX_DEPTH = 3;
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
  const control = elements(document, ".coding-question :is(button, input)").find(({ dataset }) => dataset.question === question
    && dataset.value === value && dataset.relation === relation && dataset.answer === answer && dataset.markable === markable);
  if (control instanceof HTMLInputElement && text !== undefined) {
    control.value = text;
  }
  control?.focus({ preventScroll: true });
}

/** @type {(page: Page, keyboard: Keyboard, question: Question, isActive: boolean, taken: (question: Question, value: string) => boolean) => HTMLElement} */
function questionElement(page, keyboard, question, isActive, taken) {
  const { key, label, help, depth, required, kind } = question;
  return element("fieldset", `coding-question${isActive ? " is-asked" : ""}`, [
    element("legend", "", [label, required ? element("span", "coding-required", " required") : ""]),
    help && isActive ? element("p", "muted small", help) : "",
    kind === "targets" ? targetsElement(page, question, isActive)
      : kind === "text" || kind === "number" ? fieldElement(page, question)
        : valuesElement(page, keyboard, question, isActive, taken),
  ], { dataset: { depth: String(Math.min(depth, MAX_DEPTH)), asks: key } });
}

/** @type {(page: Page, keyboard: Keyboard, question: Question, isActive: boolean, taken: (question: Question, value: string) => boolean) => HTMLElement} */
function valuesElement(page, keyboard, question, isActive, taken) {
  const chosen = [answerOf(page.judgements, page.chains, page.current ?? "", question) ?? []].flat().map(String);
  const offered = question.values.filter(({ key, retired }) => !retired || chosen.includes(key));
  return element("div", "coding-categories", offered.map(({ key, label, help, colour, retired }, place) => {
    const hasKey = isActive && !retired && !page.model.readOnly;
    const choice = choiceButton(keyboard, hasKey ? place : -1, colourLook(colour), {
      label, help, disabled: page.model.readOnly || taken(question, key), dataset: { question: question.key, value: key },
    });
    choice.ariaPressed = String(chosen.includes(key));
    return choice;
  }));
}

/** @type {(page: Page, question: Question) => HTMLElement} */
function fieldElement({ model, judgements, chains, current }, question) {
  const isNumber = question.kind === "number";
  return element("input", "", "", {
    type: "text", autocomplete: "off", inputMode: isNumber ? "decimal" : "text", dir: isNumber ? "ltr" : "auto",
    maxLength: model.constraints.max_text_length, defaultValue: String(answerOf(judgements, chains, current ?? "", question) ?? ""),
    disabled: model.readOnly, ariaLabel: question.label, dataset: { answer: question.key, markable: current ?? "" },
  });
}

/** The targets of a relation, and the button that lets letters choose them. @type {(page: Page, question: Question, isActive: boolean) => HTMLElement} */
function targetsElement({ model, judgements, current }, { key, label }, isActive) {
  /** @param {string} target */
  const chip = (target) => button("coding-target", describe(model, target).words, { dir: "auto", dataset: { goto: target } });
  const lists = listsOf(judgements.get(current ?? "")?.relations[key] ?? []);
  const targets = lists.flatMap((reading, place) => [
    place > 0 ? " or " : "", ...reading.flatMap((target, at) => [at > 0 ? " + " : "", chip(target)]), " ",
  ]);
  const words = isActive ? "Done" : "Choose targets";
  return element("p", "", [...targets, model.readOnly ? (lists.length > 0 ? "" : element("span", "muted", "none")) : button("button small", words, {
    ariaPressed: String(isActive), ariaLabel: `${words}: ${label}`, dataset: { relation: key },
  })]);
}
