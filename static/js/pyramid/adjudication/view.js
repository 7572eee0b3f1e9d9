// How the cards of an agreed pyramid look: its contributors, and in which SCU each coder and the pyramid have their words.
import { shortened, unitsInWords } from "../../workbench/adjudication/rows.js";
import { element } from "../../workbench/dom/element.js";
import { relationOf } from "../others.js";
import { markOf, nameOf } from "../state.js";
import { badge } from "../view/words.js";
/** @import { Contributor, Page } from "../types.js" */
/** @import { CellContent, Queue, QueueCard, QueueRow, QueueView } from "../../workbench/adjudication/types.js" */

/** @type {(page: Page, units: string[]) => string} */
export const wordsOfUnits = ({ model }, units) => unitsInWords(units, (key) => markOf(model, key).words, "; ");

/** What is said of other words than those of a unit. @type {(page: Page, unit: string, keys: string[]) => string} */
function relationTo({ model }, unit, keys) {
  const relation = relationOf(new Set(markOf(model, unit).places), new Set(keys.flatMap((key) => markOf(model, key).places)));
  return { same: keys.length > 1 ? "in parts" : "", fewer: "fewer words", more: "more words", overlap: "other words" }[relation];
}

/** The SCUs of some contributors, and how their words differ. @type {(page: Page, scus: HTMLElement[], unit: string, keys: string[]) => HTMLElement[]} */
function withRelation(page, scus, unit, keys) {
  const relation = keys.length > 0 ? relationTo(page, unit, keys) : "";
  if (!relation) {
    return scus;
  }
  const note = element("span", "muted", ` ${relation}`);
  note.title = wordsOfUnits(page, keys);
  return [...scus, note];
}

/** The number that an SCU has in the pyramid, or its name where it is not there. @type {(page: Page, queue: Queue, entity: number, place: string | null) => HTMLElement} */
function scuBadge(page, queue, entity, place) {
  const scu = page.pyramid.scus.get(place ?? "");
  const label = queue.scus[entity].label || wordsOfUnits(page, queue.entities[entity].slice(0, 1));
  const node = scu ? badge(page.numberOf(scu.key), scu.weight) : element("span", "", shortened(label));
  node.title = scu ? nameOf(scu) : label;
  return node;
}

/** @type {(page: Page, view: QueueView, row: QueueRow, coder: number) => CellContent} */
export function coderCell(page, { queue, places }, { units: [unit], answers }, coder) {
  const answer = answers[coder];
  if (answer === null) {
    return { nodes: [element("span", "muted", "–")], title: "" };
  }
  const scus = answer.entities.map((entity) => scuBadge(page, queue, entity, places[entity]));
  return { nodes: withRelation(page, scus, unit, answer.units.map(([key]) => key)), title: "" };
}

/** The contributors that the pyramid has of the words of a unit: those of just these, else of some. @type {(page: Page, unit: string) => Contributor[]} */
export function contributorsAt({ model, pyramid }, unit) {
  const same = pyramid.byKey.get(unit);
  return same ? [same] : [...new Set(markOf(model, unit).places.flatMap((place) => pyramid.of[place] ?? []))];
}

/** @type {(page: Page, view: QueueView, row: QueueRow) => HTMLElement[]} */
export function agreedCell(page, { decisions }, { units: [unit] }) {
  const same = page.pyramid.byKey.get(decisions.called(unit));
  const found = same ? [same] : contributorsAt(page, unit);
  const keys = [...new Set(found.flatMap((contributor) => contributor.scus))];
  if (keys.length === 0) {
    return [element("span", "muted", "–")];
  }
  const scus = keys.map((key) => {
    const scu = page.pyramid.scus.at(key);
    const node = badge(page.numberOf(key), scu.weight);
    node.title = nameOf(scu);
    return node;
  });
  return withRelation(page, scus, unit, found.filter((contributor) => contributor.key !== unit).map((contributor) => contributor.key));
}

/** What a card is about, in words. @type {(page: Page, queue: Queue, card: QueueCard) => string} */
export function titleOf(page, queue, card) {
  switch (card.kind) {
    case "entity": {
      const { key, label } = queue.scus[card.entity ?? 0];
      return `SCU: ${page.pyramid.scus.get(key)?.label || label || wordsOfUnits(page, queue.entities[card.entity ?? 0])}`;
    }
    case "unit":
      return "In no SCU of the draft";
    default:
      return "Spot check: everybody says the same";
  }
}
