// The questions after the category: one after another by key, and a relation whose targets the letters choose. Loaded where the scheme has some.
import { inside } from "../../workbench/dom/element.js";
import { judge, judgement } from "../../workbench/judgements.js";
import { chains } from "../chains/chains.js";
import { apply, isDecided, withMarks } from "../state.js";
import { describe, inWords } from "../view/panel.js";
import { paintQuestions } from "../view/questions.js";
import { answerAttribute, answerForEntity } from "./attribute-answers.js";
import { categoriesOn } from "./constraints.js";
import { entityAnswers, entityConflicts, keepEntityAnswers, lacksOfChain, withAttribute } from "./entity-answers.js";
import { answerOf, askedOf, CATEGORY, isAnswered, nextQuestion, questionsOf } from "./questions.js";
export { lacksOfChain };
/** @import { AttributeAnswer, EntityConflict, Frame, Further, Judgements, PickerOptions, Question } from "../types.js" */

/** Not a number where the words are none; a comma is a decimal point. @param {string} words */
const numberIn = (words) => Number(words.replace(",", "."));

/** @type {(frame: Frame, openPicker: (options: PickerOptions) => void) => Further} */
export function createFurther({ page, keyboard, pane, write, refresh, say, announceAgain, answerWith }, openPicker) {
  const questions = questionsOf(page.model);
  let asked = /** @type {Question[]} */ ([]);
  let here = /** @type {string | null} */ (null); // the markable that they are asked of
  let active = CATEGORY;
  let goesOn = false; // one is answering, not looking
  let written = ""; // the question whose field was left

  const activeQuestion = () => asked.find(({ key }) => key === active);
  /** @param {string | null} after */
  const next = (after) => (here === null ? null : nextQuestion(asked, page.model, page.judgements, chains(page.model, page.judgements), here, after));
  /** @param {Question} question */
  const answered = (question) => here !== null && isAnswered(page.judgements, chains(page.model, page.judgements), here, question);
  const hasCategories = () => here !== null && categoriesOn(page.model.constraints, page.model.byKey.at(here).level).length > 0;
  const first = () => (hasCategories() ? CATEGORY : asked[0]?.key ?? CATEGORY);

  /** Which questions are asked now, before the page is painted. */
  function settle() {
    const { model, judgements, current } = page;
    if (current === null || !model.byKey.has(current)) {
      asked = [];
      page.relation = null;
      return;
    }
    const moved = here !== current;
    here = current;
    asked = askedOf(questions, model, judgements, current);
    if (moved) {
      goesOn = !isDecided(model, model.byKey.at(current).level, judgements.get(current)) || lacksOfChain(model, judgements, current);
    }
    if (moved || (active !== CATEGORY && !activeQuestion())) {
      active = (goesOn ? next(null) : null) ?? first();
    }
    page.relation = activeQuestion()?.relation ?? null;
    page.asksEntity = asked.some(({ of }) => of === "entity");
    page.answersSaid = answersInWords();
    page.asks = questionInWords();
  }

  /** @type {(question: Question, answer: AttributeAnswer) => string} */
  const labelsOf = ({ values }, answer) => [answer].flat().map((value) => values.find(({ key }) => key === value)?.label ?? String(value)).join(", ");

  function answersInWords() {
    const value = judgement(page.judgements.get(here ?? ""));
    return asked.flatMap((question) => {
      if (question.kind === "targets") {
        const words = inWords(page.model, value.relations[question.key] ?? []).join(" or ");
        return words ? [`${question.label} to ${words}`] : [];
      }
      const answer = here === null ? undefined : answerOf(page.judgements, page.chains, here, question);
      return answer === undefined ? [] : [`${question.label} ${labelsOf(question, answer)}`];
    }).join(". ");
  }

  function questionInWords() {
    const question = activeQuestion();
    if (!question || page.model.readOnly) {
      return "";
    }
    if (question.kind === "targets") {
      return `${question.label}: letters choose its targets, ${keyboard.keyOf("release")} goes back`;
    }
    const values = question.values.filter(({ retired }) => !retired).slice(0, 10).map(({ label }, place) => `${keyboard.keyOf(`category-${place + 1}`)} ${label}`).join(", ");
    return `${question.label}: ${values || `a ${question.kind}`}`;
  }

  /** Make a question the one that keys answer. @param {string} key @param {boolean} [writes] into its field at once, where it has one */
  function ask(key, writes = false) {
    active = key;
    goesOn = true;
    refresh();
    if (writes) {
      focusField();
    }
    announceAgain();
  }

  /** What is written is written at once: the field of the question has the focus. @param {string} [words] */
  function focusField(words) {
    const field = document.querySelector(`.coding-question input[data-answer="${active}"]`);
    if (!(field instanceof HTMLInputElement) || field.disabled) {
      if (document.activeElement?.closest(".coding-question input")) {
        pane.focus({ preventScroll: true });
      }
      return;
    }
    field.focus({ preventScroll: true });
    if (words === undefined) {
      field.select();
    } else {
      field.value = words;
    }
  }

  /** After an answer: on to the next question, unless this one may take more. */
  function goOn() {
    goesOn = true;
    asked = here === null ? [] : askedOf(questions, page.model, page.judgements, here);
    const question = activeQuestion();
    const follows = next(active);
    const belongs = asked.find(({ key }) => key === follows)?.relation ?? null;
    if (follows !== null && (!question || (answered(question) && question.kind !== "several"
      && (question.kind !== "targets" || belongs === question.key)))) {
      active = follows;
    }
  }

  /** @type {(question: Question, value: string | number) => void} */
  function choose(question, value) {
    if (here === null || page.model.readOnly) {
      return;
    }
    active = question.key;
    if (question.of !== "entity") {
      answerWith(answerAttribute(page.model, page.judgements, here, question.key, value), here);
    } else {
      const judged = answerForEntity(page.model, page.judgements, page.chains, here, question.key, value);
      if ("refused" in judged) {
        say(judged.refused);
        return;
      }
      say("");
      write(judged.map(([key, value]) => judge(key, value)));
      goOn();
      refresh();
      announceAgain();
    }
    focusField();
  }

  /** @type {(question: Question, value: string) => boolean} the second choice is another one than the first */
  const isFirstChoice = ({ primary_of }, value) => primary_of !== null && page.judgements.get(here ?? "")?.attributes[primary_of] === value;

  /** A digit for the question; false: it chooses a category. @param {number} place */
  function digit(place) {
    const question = activeQuestion();
    if (!question) {
      return false;
    }
    const value = question.values[place];
    if (question.kind === "text" || question.kind === "number") {
      focusField(String((place + 1) % 10));
    } else if (question.kind === "targets") {
      say(`Choose a target of ${question.label} by its letter.`);
    } else if (value === undefined || value.retired) {
      say(`${question.label} has no value with this key.`);
    } else if (isFirstChoice(question, value.key)) {
      say(`${value.label} is the first choice already.`);
    } else {
      choose(question, value.key);
    }
    return true;
  }

  /** Go on within the markable; false: there is nothing more to ask. */
  function accept() {
    const question = activeQuestion();
    if (!goesOn || here === null) {
      return false;
    }
    const isField = question?.kind === "text" || question?.kind === "number";
    if (question && isField && written !== `${here} ${active}`) {
      written = `${here} ${active}`;
      focusField();
      return true;
    }
    if (question?.required && !answered(question)) {
      say(`${question.label} is missing.`);
      return true;
    }
    const follows = next(active);
    if (follows === null || follows === CATEGORY || follows === active) {
      return false;
    }
    ask(follows, true);
    return true;
  }

  /** Letters are for antecedents again; false: they are. */
  function leave() {
    if (page.relation === null) {
      return false;
    }
    active = first() === page.relation ? CATEGORY : first();
    refresh();
    say("Letters point to antecedents again.");
    announceAgain();
    return true;
  }

  /** @param {1 | -1} direction */
  function step(direction) {
    const all = [...(hasCategories() ? [CATEGORY] : []), ...asked.map(({ key }) => key)];
    ask(all[Math.min(Math.max(all.indexOf(active) + direction, 0), all.length - 1)] ?? CATEGORY);
  }

  function nextRelation() {
    const relations = asked.filter(({ kind }) => kind === "targets").map(({ key }) => key);
    if (relations.length === 0) {
      say("No relation is asked of this markable.");
      return;
    }
    ask(relations[(relations.indexOf(page.relation ?? "") + 1) % relations.length]);
  }

  /** What was written into a field. @param {HTMLInputElement} field */
  function commit(field) {
    const question = asked.find(({ key }) => key === field.dataset.answer);
    if (!question || field.dataset.markable !== here) {
      return;
    }
    const words = field.value.trim();
    const answer = question.kind === "number" && words !== "" ? numberIn(words) : words;
    if (Number.isNaN(answer)) {
      say(`${question.label} is a number.`);
    } else if (answer !== (answerOf(page.judgements, page.chains, here, question) ?? "")) {
      written = `${here} ${question.key}`;
      choose(question, answer);
    }
  }

  /** @type {Further["intercept"]} */
  function intercept(event, focus) {
    if (!(focus instanceof HTMLInputElement) || focus.dataset.answer === undefined || event.isComposing || !["Enter", "Escape"].includes(event.key)) {
      return false;
    }
    written = `${here} ${focus.dataset.answer}`;
    active = focus.dataset.answer;
    goesOn = true;
    if (event.key === "Escape") {
      focus.value = focus.defaultValue;
      pane.focus({ preventScroll: true });
      return true;
    }
    const before = active;
    commit(focus);
    if (active === before && !Number.isNaN(numberIn(focus.value))) {
      pane.focus({ preventScroll: true });
    }
    return true;
  }

  /** @param {HTMLElement} control a button of a question */
  function press({ dataset: { question: name, value, relation } }) {
    const question = asked.find(({ key }) => key === (name ?? relation));
    if (question && value !== undefined) {
      choose(question, value);
    } else if (question && page.relation === question.key) {
      leave();
    } else if (question) {
      ask(question.key);
    }
  }

  /** @type {Further["kept"]} */
  function kept(changes, copies) {
    const after = apply(page.model, page.judgements, changes);
    const touched = changes.flatMap(({ payload }) => ("markable" in payload ? [payload.markable] : []));
    return keepEntityAnswers(withMarks(page.model, after), page.judgements, after, touched, copies).map(([key, value]) => judge(key, value));
  }

  /** @param {EntityConflict} conflict */
  const signature = ({ attribute, answers }) => `${attribute} ${answers.map(([key]) => key).join(" ")}`;

  /** Ask what holds where a step has joined entities whose answers differ. @param {Judgements} before */
  function askConflicts(before) {
    const known = new Set(entityConflicts(page.model, before).map(signature));
    const conflict = entityConflicts(withMarks(page.model, page.judgements), page.judgements).find((conflict) => !known.has(signature(conflict)));
    const question = questions.find(({ key }) => key === conflict?.attribute);
    if (!conflict || !question) {
      return;
    }
    openPicker({
      title: `${question.label} of this chain: its members differ`,
      placeholder: "which answer holds",
      choices: (query) => conflict.answers.map(([member, answer]) => ({
        label: labelsOf(question, answer),
        hint: `“${describe(page.model, member).words}”`,
        run: () => {
          const members = entityAnswers(page.judgements, conflict.members, question.key);
          write(members.map(([key]) => judge(key, withAttribute(judgement(page.judgements.get(key)), question.key, answer))));
          refresh();
          say(`${question.label}: ${labelsOf(question, answer)}.`);
        },
      })).filter(({ label }) => label.toLowerCase().includes(query.trim().toLowerCase())),
    });
  }

  /** Values found by words, where there are more than keys; false: the letters have something to find. */
  function find() {
    const question = activeQuestion();
    if (!question || question.values.length === 0) {
      return false;
    }
    openPicker({
      title: question.label,
      placeholder: "words of a value",
      none: "No value has these words.",
      choices: (query) => question.values.filter(({ key, label, retired }) => !isFirstChoice(question, key) && !retired && label.toLowerCase().includes(query.trim().toLowerCase()))
        .map(({ key, label, help }) => ({ label, hint: help, run: () => choose(question, key) })),
    });
    return true;
  }

  inside(document, ".workbench-side").addEventListener("change", (event) => {
    if (event.target instanceof HTMLInputElement && event.target.dataset.answer !== undefined) {
      commit(event.target);
    }
  });

  return {
    settle, ask,
    paint: () => paintQuestions(page, keyboard, asked, active, isFirstChoice),
    goOn, digit, accept, leave, step, nextRelation, intercept, press, kept, askConflicts, find,
  };
}
