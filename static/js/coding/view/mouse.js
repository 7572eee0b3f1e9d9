// The mouse: in the text, and on the buttons of the panel.
import { around, byId, closeDialog, inside } from "../../workbench/dom/element.js";
import { chooseCategory, mannerOf, pointTo, takeIndex } from "../answers.js";
/** @import { Manner, MouseHandlers, Page } from "../types.js" */

/** @type {(pane: HTMLElement, page: Page, handlers: MouseHandlers) => void} */
export function listenToMouse(pane, page, handlers) {
  pane.addEventListener("click", (event) => inText(event, page, handlers));
  pane.addEventListener("mousedown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.shiftKey) {
      event.preventDefault(); // a further antecedent is no selection of text
    }
  });
  pane.addEventListener("mouseover", (event) => {
    const { key, turn } = around(event, "[data-key], [data-turn]")?.dataset ?? {};
    handlers.light(chainOf(page, key ?? turn));
  });
  pane.addEventListener("mouseleave", () => handlers.light([]));
  const side = inside(document, ".workbench-side");
  const pointed = (/** @type {Event} */ event) => {
    const entered = ["mouseover", "focusin"].includes(event.type);
    const { target, goto } = (entered && around(event, "[data-target], [data-goto]")?.dataset) || {};
    handlers.light(chainOf(page, target ?? goto));
    handlers.point(target ?? null);
  };
  for (const kind of ["mouseover", "focusin", "mouseleave", "focusout"]) {
    side.addEventListener(kind, pointed);
  }
  document.addEventListener("mousedown", (event) => {
    if (around(event, "[data-do]") && inQueue()) {
      event.preventDefault();
    }
  });
  document.addEventListener("click", (event) => {
    const { goto: key, asks } = around(event, "[data-goto]")?.dataset ?? {};
    const id = around(event, "[data-do]")?.dataset.do;
    if (key) {
      closeDialog(event);
      handlers.go(key, asks);
      if (around(event, "dialog")) {
        pane.focus({ preventScroll: true });
      }
    } else if (id) {
      handlers.run(id);
    } else if (around(event, "#more")) {
      handlers.listAll();
    }
  });
  side.addEventListener("click", (event) => {
    inPanel(event, page, handlers);
    // After a click the keys go on in the text, where Space accepts; detail is 0 when a button is worked by a key.
    if (event.detail > 0 && !inQueue() && document.querySelector("dialog[open]") === null
      && around(event, "button[data-category], button[data-value], button[data-relation], button[data-target], button[data-goto], button[data-do], #more, #unsure, #optional")) {
      pane.focus({ preventScroll: true });
    }
  });
}

/** The queue has the keys. */
const inQueue = () => Boolean(document.activeElement?.closest("#queue"));

/** Whether a further antecedent is meant: by Shift, or without a keyboard by the button that is pressed for this markable. @type {(event: MouseEvent, page: Page) => boolean} */
const adds = (event, page) => event.shiftKey || byId("further").dataset.key === page.current;

/** @type {(event: MouseEvent, page: Page) => Manner} */
const manner = (event, page) => mannerOf(page, adds(event, page));

/** The members of the chains that a markable is in, where there are others. @type {(page: Page, key: string | undefined) => string[]} */
function chainOf(page, key) {
  const chains = page.chains.of.get(key ?? "") ?? [];
  return chains.map((chain) => page.chains.members.at(chain)).filter((members) => members.length > 1).flat();
}

/** @type {(span: HTMLElement) => HTMLElement | null} */
const outer = (span) => span.parentElement?.closest("[data-key]") ?? null;

/** @type {(event: MouseEvent, page: Page, handlers: MouseHandlers) => void} */
function inText(event, page, { answerWith, go, run }) {
  const letter = around(event, ".letter");
  if (letter) {
    run(`candidate-${letter.dataset.letter}`, adds(event, page));
    return;
  }
  const keys = []; // innermost first
  for (let span = around(event, "[data-key], [data-turn]"); span; span = outer(span)) {
    keys.push(span.dataset.key ?? span.dataset.turn ?? "");
  }
  const { current } = page;
  if (current === null || keys.length === 0) {
    return;
  }
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    const tries = keys.map((key) => pointTo(page.model, page.judgements, current, key, manner(event, page), page.relation));
    answerWith(tries.find((answer) => "judgement" in answer) ?? tries[0]);
    return;
  }
  const coded = keys.find((key) => page.model.byKey.at(key).coded);
  if (coded && getSelection()?.isCollapsed) {
    go(coded);
  }
}

/** @type {(event: MouseEvent, page: Page, handlers: MouseHandlers) => void} */
function inPanel(event, page, { answerWith, press }) {
  const button = around(event, "button");
  if (!button || page.current === null) {
    return;
  }
  const { model, judgements, current } = page;
  const { category, target, index } = button.dataset;
  if (button.id === "further") {
    button.dataset.key = button.dataset.key === current ? "" : current;
    button.ariaPressed = String(button.dataset.key === current);
  } else if (button.dataset.value !== undefined || button.dataset.relation !== undefined) {
    press(button);
  } else if (category) {
    answerWith(chooseCategory(model, judgements, current, category));
  } else if (index !== undefined) {
    answerWith(takeIndex(model, judgements, current, index, adds(event, page)));
  } else if (target) {
    answerWith(pointTo(model, judgements, current, target, manner(event, page), page.relation));
  }
}
