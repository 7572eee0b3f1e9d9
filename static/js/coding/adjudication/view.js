// How the cards of a text look: its markables and chains, and what each coder, the draft and gold say of them.
import { element } from "../../workbench/dom/element.js";
import { singlesOf } from "../../workbench/readings.js";
import { categoryOf, unmarked } from "../state.js";
import { chainBadge, describe } from "../view/panel.js";
import { CATEGORY, shortened, unitsInWords } from "../../workbench/adjudication/rows.js";
/** @import { Judgement, Page } from "../types.js" */
/** @import { CellContent, Queue, QueueAnswer, QueueCard, QueueRow, QueueView } from "../../workbench/adjudication/types.js" */

/** The words of a markable, be it in gold or not. @type {(page: Page, key: string) => string} */
const wordsOf = ({ model }, key) => (model.byKey.has(key) ? describe(model, key).words : unmarked(model, key)?.words ?? key);

/** @type {(page: Page, keys: string[]) => string} */
export const inWords = (page, keys) => unitsInWords(keys, (key) => wordsOf(page, key), ", ");

/** What a judgement says to a question, in words. @type {(page: Page, question: string, value: Partial<Judgement> | undefined) => string} */
function answerInWords(page, question, value) {
  const { model } = page;
  if (value === undefined) {
    return "–";
  }
  if (question === CATEGORY) {
    return categoryOf(model, value.category)?.label ?? "–";
  }
  if (question in model.constraints.relations) {
    return singlesOf(value.relations?.[question] ?? []).map((key) => wordsOf(page, key)).join(", ") || "–";
  }
  const given = value.attributes?.[question];
  const values = model.attributes.find(({ key }) => key === question)?.values ?? [];
  const label = (/** @type {string | number} */ value) => values.find(({ key }) => key === value)?.label ?? String(value);
  return given === undefined ? "–" : Array.isArray(given) ? given.map(label).join(", ") : label(given);
}

/**
 * What a coder says of the chain of a row: the number that it has in gold, else the words of another member, else the category.
 * @param {Page} page @param {QueueView} view @param {QueueRow} row @param {QueueAnswer | null} answer @param {Partial<Judgement>} [given]
 */
function answerNodes(page, { queue, places }, { units }, answer, given) {
  const label = categoryOf(page.model, given?.category ?? answer?.label)?.label;
  if (answer === null) {
    return [element("span", "muted", "–")];
  }
  if (answer.entities.length === 0) {
    return [element("span", "", label ?? "–")];
  }
  return answer.entities.map((entity) => {
    const number = page.numbers.byChain.get(places[entity] ?? "");
    const other = queue.entities[entity].find((key) => !units.includes(key));
    if (!number && other === undefined) {
      return element("span", "", label ?? "alone");
    }
    const badge = chainBadge(number ? String(number) : shortened(wordsOf(page, /** @type {string} */ (other))), number);
    badge.title = inWords(page, queue.entities[entity]);
    return badge;
  });
}

/** What gold says now. @param {Page} page @param {QueueCard} card @param {QueueRow} row */
export function goldNodes(page, card, { units }) {
  const question = card.question || CATEGORY;
  const value = page.judgements.get(units[0]);
  if (card.kind === "question") {
    return [element("span", "", answerInWords(page, question, value))];
  }
  const own = (page.chains.of.get(units[0]) ?? []).filter((chain) => (page.chains.members.get(chain) ?? []).length > 1 || value !== undefined);
  const numbers = own.flatMap((chain) => page.numbers.byChain.get(chain) ?? []);
  return numbers.length > 0 ? numbers.map((number) => chainBadge(String(number), number))
    : [element("span", value === undefined ? "muted" : "", answerInWords(page, CATEGORY, value))];
}

/** @type {(page: Page, view: QueueView, card: QueueCard, row: QueueRow, coder: number) => CellContent} */
export function coderCell(page, view, card, row, coder) {
  const given = view.queue.judgements[coder][row.units[0]];
  const nodes = card.kind === "question" ? [element("span", "", [answerInWords(page, card.question, given), others(page, view, card, row, coder)].filter(Boolean).join(", "))]
    : answerNodes(page, view, row, row.answers[coder], given);
  return { nodes, title: categoryOf(page.model, given?.category)?.label ?? "" };
}

/** Where categories are asked for, with which others a coder has a unit in a chain: that alone may be contested. @type {(page: Page, view: QueueView, card: QueueCard, row: QueueRow, coder: number) => string} */
function others(page, { queue }, { question }, { units, answers }, coder) {
  const keys = question !== CATEGORY ? [] : answers[coder]?.entities.flatMap((entity) => queue.entities[entity]) ?? [];
  const words = inWords(page, keys.filter((key) => !units.includes(key)));
  return words && `in a chain with ${words}`;
}

/** What a question is called. @type {(model: Page["model"], question: string) => string} */
export const labelOf = ({ constraints }, question) => (question === CATEGORY ? "Category"
  : constraints.attributes[question]?.label ?? constraints.relations[question]?.label ?? question);

/** What a card is about, in words. @type {(page: Page, queue: Queue, card: QueueCard) => string} */
export function titleOf({ model, ...page }, queue, card) {
  const whole = /** @type {Page} */ ({ model, ...page });
  switch (card.kind) {
    case "entity":
      return `Chain: ${inWords(whole, queue.entities[card.entity ?? 0])}`;
    case "unit":
      return "In no chain of the draft";
    case "question":
      return card.question === CATEGORY && model.answers !== "categories" ? "Category and chain" : labelOf(model, card.question);
    default:
      return "Spot check: everybody says the same";
  }
}
