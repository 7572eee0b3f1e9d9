/* Closes the menus of downloads; shows or hides a coder's chain in the text of an item; keeps what is being typed
into the controls. */

import { around, elements } from "./workbench/dom/element.js";

document.addEventListener("click", (event) => {
  const coder = around(event, "[data-coder]");
  if (coder) {
    coder.setAttribute("aria-pressed", coder.getAttribute("aria-pressed") === "true" ? "false" : "true");
    overlay();
  }
});

/** Menus of downloads close when something else is pressed, and with Escape, which leads back to their button. */
/** @type {() => HTMLDetailsElement | null} */
const openMenu = () => document.querySelector(".download[open]");
document.addEventListener("click", (event) => {
  const menu = openMenu();
  if (menu && around(event, ".download") !== menu) menu.open = false;
});
document.addEventListener("keydown", ({ key }) => {
  const menu = openMenu();
  if (!menu || key !== "Escape") return;
  menu.open = false;
  menu.querySelector("summary")?.focus();
});

/** Only the chains of the coders that are switched on are marked. */
function overlay() {
  const shown = new Set(elements(document, "[data-coder][aria-pressed=true]").map((button) => button.dataset.coder));
  for (const element of elements(document, "#overlay [data-of]")) {
    const of = (element.dataset.of ?? "").split(" ").filter(Boolean);
    element.classList.toggle("is-off", of.length > 0 && !of.some((number) => shown.has(number)));
  }
}

// The answer to an earlier choice would put an empty field in place of the one that is written in. It is let go, and
// asked for again with what was written, or without where nothing was changed in the end.
document.addEventListener("input", (event) => {
  const form = around(event, "input[type=text]")?.closest("form[hx-get]");
  if (form) window.htmx.trigger(form, "htmx:abort");
});
document.addEventListener("htmx:xhr:abort", ({ target }) => target instanceof Element && target.setAttribute("data-let-go", ""));
document.addEventListener("htmx:beforeRequest", ({ target }) => target instanceof Element && target.removeAttribute("data-let-go"));
document.addEventListener("focusout", (event) => {
  const form = around(event, "form[data-let-go]");
  if (form) window.htmx.trigger(form, "submit");
});

/* The text of an item opens at the item, which may stand far down in it. */
const pane = document.querySelector(".agreement-item-text");
const current = pane?.querySelector(".is-current");
if (pane && current) {
  const above = current.getBoundingClientRect().top - pane.getBoundingClientRect().top;
  pane.scrollTop = above - pane.clientHeight / 2;
}
