// Around the words and the list: buttons and their keys, hints, progress, empty states.
import { labelControls, paintHints } from "../../workbench/dom/controls.js";
import { byId, element, inside } from "../../workbench/dom/element.js";
import { placeBar } from "../../workbench/dom/floating.js";
import { paintProgress } from "../../workbench/status.js";
import { actionsOf } from "../actions.js";
import { run } from "../text/words.js";
/** @import { Keyboard, Model, Page, WordsView } from "../types.js" */

/** @type {(model: Model, keyboard: Keyboard) => void} */
export function buildPanel(model, keyboard) {
  document.body.classList.toggle("is-read-only", model.readOnly);
  document.body.classList.toggle("is-peer", model.peer);
  labelControls(keyboard, actionsOf(model), { peer: model.peer, pyramid: !model.peer });
  paintKeys(model, keyboard);
}

/** The keys that are used most, under the text. @type {(model: Model, keyboard: Keyboard) => void} */
export function paintKeys(model, keyboard) {
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
const SCORING = [["extend-on", "select"], ["scu-1", "to the SCU with that number"], ["filter", "find SCU"], ["contribute", "to the SCU"], ["outside", "no SCU"],
  ["undo", "undo"]];

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

/** The words that are selected, with what can be done with them. @type {(page: Page, view: WordsView) => void} */
export function paintSelection(page, view) {
  const [first, last] = run(page.anchor, page.cursor);
  const bar = byId("selection-bar");
  bar.hidden = page.model.readOnly || !page.mouse || first === last;
  if (!bar.hidden) {
    inside(bar, ".workbench-bar-words").textContent = page.wordsOf([first, last]);
    inside(bar, "[data-do=contribute]", HTMLButtonElement).disabled = !page.scu;
    inside(bar, "[data-do=part]", HTMLButtonElement).disabled = page.contributor === null;
    placeBar(bar, view.words.slice(first, last + 1).flatMap((word) => [...word.getClientRects()]));
  }
}
