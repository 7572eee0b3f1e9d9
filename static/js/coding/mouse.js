// The mouse: in the text, and on the buttons of the panel.
import { chooseCategory, pointTo, takeIndex } from "./answers.js";

/** @param {Deeds} deeds */
export function listenToMouse(pane, page, deeds) {
  pane.addEventListener("click", (event) => inText(event, page, deeds));
  pane.addEventListener("mouseover", (event) => {
    const key = event.target.closest("[data-key], [data-turn]")?.dataset;
    deeds.light(chainOf(page, key?.key ?? key?.turn));
  });
  pane.addEventListener("mouseleave", () => deeds.light([]));
  const side = document.querySelector(".side");
  const pointed = (event) => {
    const entered = ["mouseover", "focusin"].includes(event.type);
    const { target, goto } = (entered && event.target.closest("[data-target], [data-goto]")?.dataset) || {};
    deeds.light(chainOf(page, target ?? goto));
    deeds.point(target ?? null);
  };
  for (const kind of ["mouseover", "focusin", "mouseleave", "focusout"]) {
    side.addEventListener(kind, pointed);
  }
  document.addEventListener("click", (event) => {
    const key = event.target.closest("[data-goto]")?.dataset.goto;
    const id = event.target.closest("[data-do]")?.dataset.do;
    if (key) {
      event.target.closest("dialog")?.close();
      deeds.go(key);
    } else if (id === "more") {
      deeds.everything();
    } else if (id) {
      deeds.run(id);
    }
  });
  side.addEventListener("click", (event) => {
    inPanel(event, page, deeds);
    // After a click the keys go on in the text, where Space accepts; detail is 0 when a button is worked by a key.
    if (event.detail > 0 && document.querySelector("dialog[open]") === null
      && event.target.closest("button[data-category], button[data-target], button[data-goto], button[data-do], #unsure, #optional")) {
      pane.focus({ preventScroll: true });
    }
  });
}

/** The members of the chains that a markable is in, where there are others. */
function chainOf(page, key) {
  const chains = page.chains.of.get(key) ?? [];
  return chains.map((chain) => page.chains.members.get(chain)).filter((members) => members.length > 1).flat();
}

/** @param {MouseEvent} event @param {Deeds} deeds */
function inText(event, page, { answerWith, go, run }) {
  const letter = event.target.closest(".letter");
  if (letter) {
    run(`candidate-${letter.dataset.letter}`, { further: event.shiftKey });
    return;
  }
  const around = []; // innermost first
  for (let span = event.target.closest("[data-key], [data-turn]"); span; span = span.parentElement?.closest("[data-key]")) {
    around.push(span.dataset.key ?? span.dataset.turn);
  }
  if (page.current === null || around.length === 0) {
    return;
  }
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    const tries = around.map((key) => pointTo(page.model, page.judgements, page.current, key, event.shiftKey));
    answerWith(tries.find((answer) => "judgement" in answer) ?? tries[0]);
    return;
  }
  const coded = around.find((key) => page.model.byKey.get(key).coded);
  if (coded && getSelection().isCollapsed) {
    go(coded);
  }
}

/** @param {MouseEvent} event @param {Deeds} deeds */
function inPanel(event, page, { answerWith }) {
  const button = event.target.closest("button");
  if (!button || page.current === null) {
    return;
  }
  const { model, judgements, current } = page;
  const { category, target, index } = button.dataset;
  if (category) {
    answerWith(chooseCategory(model, judgements, current, category));
  } else if (index !== undefined) {
    answerWith(takeIndex(model, judgements, current, index, event.shiftKey));
  } else if (target) {
    answerWith(pointTo(model, judgements, current, target, event.shiftKey));
  }
}
