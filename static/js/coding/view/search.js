// The search bar over the text. Matches are shown without touching the page. Loaded with tools.js.
import { around, inside } from "../../workbench/dom/element.js";
import { findMatches } from "../../workbench/dialogs/search.js";
import { markableAt } from "../targets/places.js";
import { highlight, revealWords } from "./runs.js";
/** @import { Frame, Span } from "../types.js" */

/** @type {(bar: HTMLElement, frame: Frame) => () => void} what it gives searches for what the bar says */
export function createSearch(bar, { page, pane, text, go }) {
  const input = inside(bar, "input", HTMLInputElement);
  const count = inside(bar, ".coding-search-count");
  let found = /** @type {Span[]} */ ([]);
  let at = -1;

  function show() {
    highlight(text, "match", found.slice(Math.max(0, at - 200), at + 200));
    highlight(text, "match-now", at >= 0 ? [found[at]] : []);
    count.textContent = input.value.trim() === "" ? "" : found.length === 0 ? "not in the text" : `${at + 1} of ${found.length}`;
    if (at >= 0) {
      revealWords(pane, text, found[at]);
    }
  }

  function find() {
    found = findMatches(page.model.content, input.value);
    // From the current markable on, as a reader would.
    const from = page.model.byKey.get(page.current ?? "")?.start ?? 0;
    at = found.length === 0 ? -1 : Math.max(0, found.findIndex(([start]) => start >= from));
    show();
  }

  /** @param {1 | -1} by */
  function step(by) {
    if (found.length > 0) {
      at = (at + by + found.length) % found.length;
      show();
    }
  }

  function close() {
    const key = at >= 0 ? markableAt(page.model, found[at]) : null;
    bar.hidden = true;
    found = [];
    at = -1;
    show();
    pane.focus({ preventScroll: true });
    if (key !== null) {
      go(key);
    }
  }

  input.addEventListener("input", find);
  bar.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.preventDefault();
      close();
    } else if (event.key === "Enter" && event.target === input && !event.isComposing) {
      event.preventDefault();
      step(event.shiftKey ? -1 : 1);
    }
  });
  bar.addEventListener("click", (event) => {
    const name = around(event, "[data-search]")?.dataset.search;
    if (name === "close") {
      close();
    } else if (name) {
      step(name === "next" ? 1 : -1);
    }
  });

  if (!bar.hidden) {
    find(); // for what was typed while this was on its way
  }
  return find;
}
