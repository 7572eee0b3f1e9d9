// The agreed pyramid beside those of the coders: how each has the selected SCU, and what this pyramid lacks.
import { element } from "../coding/element.js";
import { called, newKey, takeTheirs } from "./edits.js";
import { inWords, lacking, related, wordsOfScu } from "./others.js";
import { markOf } from "./state.js";

const MOST = 60; // lacking SCUs that are listed

const nameOf = (model, scu) => scu.label || markOf(model, scu.contributors[0] ?? "").words;
const contributorsOf = (model, scu) => scu.contributors.map((key) => markOf(model, key).words);

/** The edit that makes an SCU of this pyramid what a coder has. @param {any} theirs @param {string|null} scu */
const taken = (model, state, theirs, scu) => takeTheirs(model, state, theirs, scu, newKey(crypto));

/** @param {any} frame the page and what main.js does */
export function createOthers({ page, carry, state }) {
  const { model } = page;
  const own = document.getElementById("scu-others");
  const panel = document.getElementById("others");
  const body = document.getElementById("others-body");
  const count = document.getElementById("others-count");
  panel.hidden = false;
  let painted = null;

  function theirs(coder, scu, into, does) {
    const box = element("div", "theirs");
    const line = element("p");
    const words = element("span", "words", nameOf(model, scu));
    words.dir = "auto";
    line.append(words);
    box.append(line);
    const list = element("ul", "model-words");
    list.append(...contributorsOf(model, scu).map((one) => element("li", "", one)));
    box.append(list);
    if (!model.readOnly) {
      const button = element("button", "link-button small", does);
      button.type = "button";
      button.setAttribute("aria-label", `${does}: ${nameOf(model, scu)}, ${coder}`);
      button.addEventListener("click", () => carry(taken(model, state(), scu, into), `Taken as ${coder} has it; undo takes it back.`));
      box.append(button);
    }
    return box;
  }

  return (now) => {
    const scu = now.seen.scus.get(now.scu);
    own.hidden = !scu;
    if (painted === now.seen && own.dataset.scu === (now.scu ?? "")) {
      return;
    }
    painted = now.seen;
    own.dataset.scu = now.scu ?? "";
    own.replaceChildren(...(scu ? model.others.flatMap(({ coder, scus }) => {
      const found = related(model, scus, wordsOfScu(scu));
      const boxes = found.length === 1 && found[0].relation === "same" ? [] : found.map((one) => theirs(coder, one.scu, scu.key, "Take theirs"));
      return [element("h3", "", `${coder}: ${inWords(found)}`), ...boxes];
    }) : []));
    const all = lacking(model, now.seen);
    count.textContent = all.length === 0 ? "nothing is lacking" : `${all.length} lacking here`;
    body.replaceChildren(...all.slice(0, MOST).flatMap(({ coder, scu: one }) => {
      const box = theirs(coder, one, null, "Take it over");
      box.prepend(element("p", "quiet", coder));
      return [box];
    }), ...(all.length > MOST ? [element("p", "quiet", `and ${all.length - MOST} more`)] : []));
  };
}

/** All SCUs of the coders, to choose one from; those of the selected SCU first. @param {any} frame */
export function pickTheirs({ page, picker, carry, state }) {
  const { model, seen } = page;
  const current = seen.scus.get(page.scu);
  const words = current ? wordsOfScu(current) : new Set();
  const all = model.others.flatMap(({ coder, scus }) => scus.map((scu) => ({
    coder, scu, near: related(model, [scu], words).length > 0,
  }))).sort((one, other) => Number(other.near) - Number(one.near));
  const name = current ? called(seen, page.numberOf)(current.key) : "";
  picker.open({
    title: "Take an SCU as another coder has it", placeholder: "words of a label or of contributors, or a coder",
    none: "No SCU of the coders has these words.",
    choices: (query) => all.filter(({ coder, scu }) => {
      const words = [coder, scu.label, ...contributorsOf(model, scu)].join(" ").toLowerCase();
      return query.trim().toLowerCase().split(/\s+/).every((word) => words.includes(word));
    }).map(({ coder, scu, near }) => ({
      label: nameOf(model, scu), hint: near ? `${coder}, for ${name}` : coder,
      preview: () => contributorsOf(model, scu).map((one) => element("span", "preview-member", one)),
      run: () => carry(taken(model, state(), scu, near ? page.scu : null), `Taken as ${coder} has it; undo takes it back.`),
    })),
  });
}
