// Around the words and the list: buttons and their keys, hints, scores, progress, empty states.
import { labelControls, paintHints } from "../../workbench/controls.js";
import { byId, element, inside } from "../../workbench/element.js";
import { paintProgress } from "../../workbench/status.js";
import { actionsOf } from "../actions.js";
import { scores } from "../scores.js";
import { run } from "../words.js";
/** @import { Keyboard, Model, Page, Score } from "../types.js" */

/** @type {(model: Model, keyboard: Keyboard) => void} */
export function buildPanel(model, keyboard) {
  document.body.classList.toggle("is-read-only", model.readOnly);
  document.body.classList.toggle("is-peer", model.peer);
  labelControls(keyboard, actionsOf(model), { peer: model.peer, pyramid: !model.peer });
  const hints = model.readOnly ? READING : model.peer ? SCORING : BUILDING;
  paintHints(keyboard, [...hints, ["palette", "all actions"], ["help", "keys"]]);
}

/** @typedef {[action: string, words: string][]} Hints */

/** @type {Hints} */
const READING = [["next-free", "next free words"], ["next-scu", "next SCU"], ["take-up", "SCU of the word"]];
/** @type {Hints} */
const BUILDING = [["next-free", "next free words"], ["extend-on", "select"], ["new-scu", "new SCU"], ["contribute", "to the SCU"],
  ["part", "further part"], ["next-scu", "next SCU"], ["undo", "undo"]];
/** @type {Hints} */
const SCORING = [["extend-on", "select"], ["scu-1", "SCU of the list"], ["filter", "find SCU"], ["contribute", "to the SCU"], ["outside", "no SCU"],
  ["undo", "undo"]];

/** @param {number | null} value */
const figure = (value) => (value === null ? "–" : value.toFixed(3));
/** @param {number} value */
const number = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(1));

/** The scores of the peer, as they are now, where the project shows them. @type {(page: Page) => void} */
export function paintScores({ model, pyramid }) {
  const table = byId("scores", HTMLTableElement);
  table.hidden = !model.scoresShown || !model.peer || !model.against?.scus.length;
  if (table.hidden || !model.against) {
    return;
  }
  const expressed = pyramid.order.filter((one) => one.contributors.length > 0).map((one) => one.key);
  const all = scores(model.against, expressed, pyramid.contributors.filter((one) => one.outside).length);
  /** @type {[string, Score][]} */
  const rows = [["Original", all.original], ["Modified", all.modified], ["Comprehensive", all.comprehensive]];
  table.tBodies[0].replaceChildren(...rows.map(([name, score]) => {
    const row = element("tr");
    const head = element("th", "", name);
    head.scope = "row";
    row.append(head, element("td", "pyramid-number pyramid-score", figure(score.value)), element("td", "pyramid-number", `${number(score.found)} of ${number(score.best)}`),
      element("td", "pyramid-number", number(score.n)));
    return row;
  }));
  table.title = `The whole pyramid weighs ${all.most}.`;
}

/** How far it is; what to do where there is nothing yet. @type {(page: Page, keyboard: Keyboard) => void} */
export function paintStart(page, keyboard) {
  const { model, pyramid } = page;
  const marked = pyramid.of.filter((all) => all.length > 0).length;
  paintProgress(marked, model.words.length, `${marked} of ${model.words.length} words ${model.peer ? "marked" : "in SCUs"}`);
  const empty = byId("no-scus");
  empty.hidden = pyramid.order.length > 0;
  if (!empty.hidden && empty.childElementCount === 0) {
    empty.append(
      element("h3", "", model.peer ? "No SCUs to find" : "No SCU yet"),
      element("p", "", model.peer ? "The pyramid of the model summaries comes first. Until then, words can be marked as no SCU."
        : `Read the summaries and look for what several of them say. Select the words in one, press ${keyboard.keyOf("new-scu")}, and give the SCU a label; `
          + `then select the words that say the same in another summary and press ${keyboard.keyOf("contribute")}.`),
    );
  }
}

/** The words that are selected, with what can be done with them. @type {(page: Page) => void} */
export function paintSelection(page) {
  const [first, last] = run(page.anchor, page.cursor);
  const bar = byId("selection-bar");
  bar.hidden = page.model.readOnly || !page.mouse || first === last;
  if (!bar.hidden) {
    inside(bar, ".workbench-bar-words").textContent = page.wordsOf([first, last]);
    inside(bar, "[data-do=contribute]", HTMLButtonElement).disabled = !page.scu;
    inside(bar, "[data-do=part]", HTMLButtonElement).disabled = page.contributor === null;
  }
}
