// The agreed pyramid beside those of the coders: how each has the selected SCU, and what this pyramid lacks.
import { button, byId, element } from "../../workbench/dom/element.js";
import { called, newKey } from "../edits/edits.js";
import { describeRelation, differences, missingScus, related, takeTheirs, wordsOfScu } from "../others.js";
import { markOf } from "../state.js";
/** @import { Edit, Frame, Model, OthersScu, Page, Picker, Pyramid, PyramidEditor } from "../types.js" */

const MOST = 60; // lacking SCUs that are listed

/** @type {(model: Model, scu: OthersScu) => string} */
const nameOf = (model, scu) => scu.label || markOf(model, scu.contributors[0] ?? "").words;
/** @type {(model: Model, scu: OthersScu) => string[]} */
const contributorsOf = (model, scu) => scu.contributors.map((key) => markOf(model, key).words);

/** The edit that makes an SCU of this pyramid, or a new one, what a coder has. @type {(page: Page, theirs: OthersScu, scu: string | null) => Edit} */
const taken = ({ model, state }, theirs, scu) => takeTheirs(model, state, theirs, scu, newKey(crypto));

/** @type {(page: Page, editor: PyramidEditor) => () => void} */
export function createOthers(page, { perform }) {
  const { model } = page;
  const own = byId("scu-others");
  const panel = byId("others");
  const body = byId("others-body");
  const count = byId("others-count");
  panel.hidden = false;
  let painted = /** @type {Pyramid | null} */ (null);

  /** @type {(coder: string, scu: OthersScu, into: string | null) => HTMLElement} */
  function theirs(coder, scu, into) {
    return element("div", "pyramid-other", [
      element("p", "", element("span", "workbench-words", nameOf(model, scu), { dir: "auto" })),
      element("ul", "pyramid-models", contributorsOf(model, scu).map((words) => element("li", "", words))),
      model.readOnly ? "" : button("link-button small", "Copy", {
        ariaLabel: `Copy: ${nameOf(model, scu)}, ${coder}`, onclick: () => perform(taken(page, scu, into), `Copied from ${coder}. Undo reverts it.`),
      }),
    ]);
  }

  return () => {
    const { pyramid } = page;
    const scu = pyramid.scus.get(page.scu ?? "");
    own.hidden = !scu;
    if (painted === pyramid && own.dataset.scu === (page.scu ?? "")) {
      return;
    }
    painted = pyramid;
    own.dataset.scu = page.scu ?? "";
    own.replaceChildren(...(scu ? model.others.flatMap(({ coder, scus }) => {
      const found = related(model, scus, wordsOfScu(scu));
      const boxes = found.length === 1 && found[0].relation === "same" ? [] : found.map((match) => theirs(coder, match.scu, scu.key));
      return [element("h3", "", `${coder}: ${describeRelation(found)}`), ...boxes];
    }) : []));
    const all = missingScus(model, pyramid);
    count.textContent = all.length === 0 ? "nothing is missing" : `${all.length} missing here`;
    body.replaceChildren(...all.slice(0, MOST).map(({ coder, scu: theirScu }) => {
      const box = theirs(coder, theirScu, null);
      box.prepend(element("p", "muted", coder));
      return box;
    }), ...(all.length > MOST ? [element("p", "muted", `and ${all.length - MOST} more`)] : []));
  };
}

/** The next SCU that some coder has otherwise; after the last the first. @type {(frame: Frame) => void} */
export function goToDifference({ page, select, say }) {
  const { model, pyramid } = page;
  const all = differences(model, pyramid);
  const missing = missingScus(model, pyramid).length;
  const left = missing > 0 ? ` SCUs of the coders that are missing here: ${missing}.` : "";
  if (all.length === 0) {
    byId("others", HTMLDetailsElement).open = missing > 0;
    say(`The coders have every SCU with the same words.${left}`);
    return;
  }
  const place = pyramid.order.findIndex((scu) => scu.key === page.scu);
  const next = all.find((scu) => pyramid.order.indexOf(scu) > place) ?? all[0];
  page.filter = "";
  byId("scu-filter", HTMLInputElement).value = "";
  select(next.key, null);
  say(`Difference ${all.indexOf(next) + 1} of ${all.length}.${all.indexOf(next) === all.length - 1 ? left : ""}`);
}

/** All SCUs of the coders, to choose one from; those of the selected SCU first. @type {(page: Page, editor: PyramidEditor, picker: Picker) => void} */
export function pickTheirs(page, { perform }, picker) {
  const { model, pyramid } = page;
  const current = pyramid.scus.get(page.scu ?? "");
  const words = current ? wordsOfScu(current) : /** @type {Set<number>} */ (new Set());
  const all = model.others.flatMap(({ coder, scus }) => scus.map((scu) => ({
    coder, scu, near: related(model, [scu], words).length > 0,
  }))).sort((a, b) => Number(b.near) - Number(a.near));
  const name = current ? called(pyramid, page.numberOf)(current.key) : "";
  picker.open({
    title: "Copy an SCU from another coder", placeholder: "words of a label or of contributors, or a coder",
    none: "No SCU of the coders has these words.",
    choices: (query) => all.filter(({ coder, scu }) => {
      const words = [coder, scu.label, ...contributorsOf(model, scu)].join(" ").toLowerCase();
      return query.trim().toLowerCase().split(/\s+/).every((word) => words.includes(word));
    }).map(({ coder, scu, near }) => ({
      label: nameOf(model, scu), hint: near ? `${coder}, for ${name}` : coder,
      preview: () => contributorsOf(model, scu).map((words) => element("span", "workbench-picker-words", words)),
      run: () => perform(taken(page, scu, near ? page.scu : null), `Copied from ${coder}. Undo reverts it.`),
    })),
  });
}
