// Nodes of the page: made and found.

/** @import { Content, MakeElement, Properties } from "../types.js" */

/** A node with its class, what is in it, and other properties. @type {MakeElement} */
export function element(tag, className = "", content = "", { dataset, ...properties } = {}) {
  const node = document.createElement(tag);
  if (className) {
    node.className = className;
  }
  Object.assign(node, properties);
  Object.assign(node.dataset, dataset);
  node.append(...[content].flat().filter((item) => item !== ""));
  return node;
}

/** A button that sends no form. @type {(className: string, content?: Content, properties?: Properties<"button">) => HTMLButtonElement} */
export const button = (className, content, properties) => element("button", className, content, { type: "button", ...properties });

/** @type {<T extends Element = HTMLElement>(id: string, type?: new () => T) => T} */
export const byId = (id, type) => checked(document.getElementById(id), `#${id}`, type);

/** @type {<T extends Element = HTMLElement>(root: ParentNode, selector: string, type?: new () => T) => T} */
export const inside = (root, selector, type) => checked(root.querySelector(selector), selector, type);

/** @type {<T extends Element = HTMLElement>(node: Element | null, name: string, type?: new () => T) => T} */
function checked(node, name, type = /** @type {any} */ (HTMLElement)) {
  if (!(node instanceof type)) {
    throw new TypeError(`The page has no ${name} of the class ${type.name}.`);
  }
  return node;
}

/** @type {(root: ParentNode, selector: string) => HTMLElement[]} */
export const elements = (root, selector) => [...root.querySelectorAll(selector)].filter((node) => node instanceof HTMLElement);

/** The nearest element around what an event is about. @type {(event: Event, selector: string) => HTMLElement | null} */
export const around = ({ target }, selector) => (target instanceof Element ? target.closest(selector) : null);

/** Close the dialog that an event is in. @type {(event: Event, but?: string) => void} but: not one that matches this */
export function closeDialog(event, but = "*:not(*)") {
  const dialog = around(event, "dialog");
  if (dialog instanceof HTMLDialogElement && !dialog.matches(but)) {
    dialog.close();
  }
}
