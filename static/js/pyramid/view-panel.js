// Around the words and the list: buttons and their keys, hints, scores, progress, empty states.
import { element } from "../coding/element.js";
import { ariaKeys, caps } from "../coding/keys.js";
import { scores } from "./scores.js";
import { run } from "./words.js";

const byId = (id) => document.getElementById(id);

/** @param {PyramidModel} model @param {Bindings} bound */
export function buildPanel(model, bound) {
  document.body.classList.toggle("is-read-only", model.readOnly);
  document.body.classList.toggle("is-peer", model.peer);
  document.querySelectorAll("[data-for]").forEach((one) => {
    one.hidden = (one.dataset.for === "peer") !== model.peer;
  });
  document.querySelectorAll("[data-do]").forEach((button) => {
    const keys = bound.keys.get(button.dataset.do) ?? [];
    const title = button.dataset.title ?? button.textContent.trim();
    button.dataset.title = title;
    button.title = keys.length > 0 ? `${title} (${caps(keys[0]).join("+")})` : title;
    if (keys.length > 0) {
      button.setAttribute("aria-keyshortcuts", keys.map(ariaKeys).join(" "));
    } else {
      button.removeAttribute("aria-keyshortcuts");
    }
  });
  const reading = [["next-free", "next free words"], ["next-scu", "next SCU"], ["take-up", "SCU of the word"]];
  const building = [["next-free", "next free words"], ["extend-on", "select"], ["new-scu", "new SCU"], ["contribute", "to the SCU"],
    ["part", "further part"], ["next-scu", "next SCU"], ["undo", "undo"]];
  const scoring = [["extend-on", "select"], ["scu-1", "SCU of the list"], ["filter", "find SCU"], ["contribute", "to the SCU"], ["outside", "no SCU"],
    ["undo", "undo"]];
  const hints = [...(model.readOnly ? reading : model.peer ? scoring : building), ["palette", "all actions"], ["help", "keys"]];
  byId("hints").replaceChildren(...hints.filter(([id]) => bound.keys.get(id)?.length > 0).map(([id, does]) => {
    const hint = element("span");
    hint.append(...caps(bound.keys.get(id)[0]).map((cap) => element("kbd", "", cap)), ` ${does}`);
    return hint;
  }));
}

const figure = (value) => (value === null ? "–" : value.toFixed(4));
const number = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(1));

/** The scores of the peer, as they are now. */
export function paintScores({ model, seen }) {
  const table = byId("scores");
  table.hidden = !model.peer || !model.against?.scus.length;
  if (table.hidden) {
    return;
  }
  const expressed = seen.order.filter((one) => one.contributors.length > 0).map((one) => one.key);
  const all = scores(model.against, expressed, seen.contributors.filter((one) => one.outside).length);
  const rows = [["Original", all.original], ["Modified", all.modified], ["Comprehensive", all.comprehensive]];
  table.tBodies[0].replaceChildren(...rows.map(([name, score]) => {
    const row = element("tr");
    const head = element("th", "", name);
    head.scope = "row";
    row.append(head, element("td", "number score", figure(score.value)), element("td", "number", `${number(score.found)} of ${number(score.best)}`),
      element("td", "number", number(score.n)));
    return row;
  }));
  table.title = `The whole pyramid weighs ${all.most}.`;
}

/** How far it is; what to do where there is nothing yet. */
export function paintProgress(page) {
  const { model, seen } = page;
  const marked = seen.of.filter((all) => all.length > 0).length;
  byId("progress").max = Math.max(model.words.length, 1);
  byId("progress").value = marked;
  byId("progress-text").textContent = `${marked} of ${model.words.length} words ${model.peer ? "marked" : "in SCUs"}`;
  const empty = byId("no-scus");
  empty.hidden = seen.order.length > 0;
  if (!empty.hidden && empty.childElementCount === 0) {
    empty.append(
      element("h3", "", model.peer ? "There is no SCU to look for" : "No SCU yet"),
      element("p", "", model.peer ? "The pyramid of the model summaries comes first. Words can be marked as no SCU of it until then."
        : `Read the summaries and look for what several of them say. Select the words in one, press ${page.keyOf("new-scu")}, and give the SCU a label; `
          + `then select the words that say the same in another summary and press ${page.keyOf("contribute")}.`),
    );
  }
}

/** The words that are selected, with what can be done with them. */
export function paintSelection(page) {
  const [first, last] = run(page.anchor, page.cursor);
  const bar = byId("selection-bar");
  bar.hidden = page.model.readOnly || !page.mouse || first === last;
  if (!bar.hidden) {
    bar.querySelector(".marking-words").textContent = page.wordsOf([first, last]);
    bar.querySelector("[data-do=contribute]").disabled = !page.scu;
    bar.querySelector("[data-do=part]").disabled = page.contributor === null;
  }
}
