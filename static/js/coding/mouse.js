// The mouse: in the text, and on the buttons of the panel.
import { pointTo, chooseCategory, takeIndex } from "./answers.js";

/**
 * @typedef {{answerWith: (answer: import("./answers.js").Answer) => void, clear: () => void, everything: () => void,
 *   go: (key: string) => void, perform: (action: import("./keys.js").Action) => void}} Deeds
 */

/**
 * @param {HTMLElement} pane
 * @param {import("./main.js").Page} page
 * @param {Deeds} deeds
 */
export function listenToMouse(pane, page, deeds) {
  pane.addEventListener("click", (event) => inText(event, page, deeds));
  document.querySelector(".side").addEventListener("click", (event) => {
    inPanel(event, page, deeds);
    // After a click the keys go on in the text, where Space accepts; detail is 0 when a button is worked by a key.
    if (event.detail > 0 && event.target.closest("button[data-category], button[data-target], button[data-goto], button[data-do], #unsure")) {
      pane.focus({ preventScroll: true });
    }
  });
}

/** @param {MouseEvent} event @param {import("./main.js").Page} page @param {Deeds} deeds */
function inText(event, page, { answerWith, go, perform }) {
  const letter = event.target.closest(".letter");
  if (letter) {
    perform({ type: "letter", letter: letter.dataset.letter, further: event.shiftKey });
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

/** @param {MouseEvent} event @param {import("./main.js").Page} page @param {Deeds} deeds */
function inPanel(event, page, { answerWith, clear, everything, go, perform }) {
  const button = event.target.closest("button");
  if (!button || page.current === null) {
    return;
  }
  const { model, judgements, current } = page;
  const { category, target, index, goto } = button.dataset;
  if (category) {
    answerWith(chooseCategory(model, judgements, current, category));
  } else if (index !== undefined) {
    answerWith(takeIndex(model, judgements, current, index, event.shiftKey));
  } else if (target) {
    answerWith(pointTo(model, judgements, current, target, event.shiftKey));
  } else if (goto && model.byKey.get(goto).coded) {
    go(goto);
  }
  switch (button.dataset.do) {
    case "undo":
    case "redo": return perform({ type: button.dataset.do });
    case "previous": return perform({ type: "neighbour", step: -1 });
    case "next": return perform({ type: "neighbour", step: 1 });
    case "clear": return clear();
    case "more": return everything();
  }
}
