// Nodes of the page: made and found.

/**
 * A node with its class and words.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {string} [className] @param {string} [text]
 */
export function element(tag, className = "", text = "") {
  const node = document.createElement(tag);
  if (className) {
    node.className = className;
  }
  if (text) {
    node.textContent = text;
  }
  return node;
}

/** A button that sends no form. @param {string} className @param {string} [text] */
export function button(className, text) {
  const node = element("button", className, text);
  node.type = "button";
  return node;
}

/** @type {<T extends Element = HTMLElement>(id: string, type?: new () => T) => T} */
export function byId(id, type) {
  return checked(document.getElementById(id), `#${id}`, type);
}

/** @type {<T extends Element = HTMLElement>(root: ParentNode, selector: string, type?: new () => T) => T} */
export function inside(root, selector, type) {
  return checked(root.querySelector(selector), selector, type);
}

/** @type {<T extends Element = HTMLElement>(node: Element | null, name: string, type?: new () => T) => T} */
function checked(node, name, type = /** @type {any} */ (HTMLElement)) {
  if (!(node instanceof type)) {
    throw new TypeError(`The page has no ${name} of the class ${type.name}.`);
  }
  return node;
}

/** The nearest element around what an event is about. @type {(event: Event, selector: string) => HTMLElement | null} */
export function around({ target }, selector) {
  return target instanceof Element ? target.closest(selector) : null;
}

/** Close the dialog that an event is in. @type {(event: Event, but?: string) => void} but: not one that matches this */
export function closeDialog(event, but = "*:not(*)") {
  const dialog = around(event, "dialog");
  if (dialog instanceof HTMLDialogElement && !dialog.matches(but)) {
    dialog.close();
  }
}
