/* Copies what an address answers (a link with data-copy), or the words or fields of an element (a button with
data-copy-text, which names it). */

import { around } from "./workbench/dom/element.js";

const labels = new WeakMap(); // button -> its own label
const status = document.createElement("div");
status.className = "sr-only";
status.setAttribute("role", "status");
document.body.append(status);

/** Without the clipboard, which browsers give to HTTPS alone, what is in a field is selected to be copied by key.
@param {HTMLElement} button @param {string | Promise<string>} text @param {HTMLElement | null} source */
async function copied(button, text, source = null) {
  if (!labels.has(button)) labels.set(button, button.textContent);
  try {
    await navigator.clipboard.writeText(await text);
    button.textContent = "Copied";
  } catch {
    if (source instanceof HTMLInputElement) source.select();
    button.textContent = source instanceof HTMLInputElement ? "Press Ctrl+C" : "Could not copy";
  }
  status.textContent = button.textContent;
  setTimeout(() => (button.textContent = labels.get(button)), 2000);
}

/** @param {string} address */
async function textOf(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer.text();
}

/** What an element says: the value of a field, a line for each field in it with the name of the field, or its words.
@param {HTMLElement} element */
function wordsOf(element) {
  if (element instanceof HTMLInputElement) return element.value;
  const fields = [...element.querySelectorAll("input")];
  if (!fields.length) return element.innerText.trim();
  return fields.map((field) => `${field.labels?.[0]?.textContent ?? ""}\t${field.value}`).join("\n");
}

document.addEventListener("click", async (event) => {
  const link = around(event, "[data-copy]");
  if (link instanceof HTMLAnchorElement && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    await copied(link, textOf(link.href));
    return;
  }
  const paragraph = around(event, "[data-copy-text]");
  if (paragraph) {
    /** @type {HTMLElement | null} */
    const source = document.querySelector(paragraph.dataset.copyText ?? "");
    await copied(paragraph, source ? wordsOf(source) : "", source);
  }
});
