// The fields of the forms: each shows what a function reads of the draft, and hands on what is entered.
import { button, element } from "../../workbench/dom/element.js";
import { colourProblem, PALETTE } from "../colours.js";

/** @typedef {{ key: string, label: string }} Named */
/**
 * @typedef {object} Frame what a form is built with
 * @property {HTMLElement} root
 * @property {(() => void)[]} updates show again what the draft says
 */

let count = 0;

/** @param {string} name */
function nextId(name) {
  count += 1;
  return `scheme-${name}-${count}`;
}

/**
 * @template {HTMLElement} C
 * @param {Frame} frame @param {C} control @param {string} label @param {string} path by which the focus is found again
 * @param {string} [help] @param {boolean} [below] the help stands below the control
 */
function labelled(frame, control, label, path, help = "", below = false) {
  const field = element("div", "field");
  const name = element("label", "", label);
  control.id = nextId("field");
  control.dataset.path = path;
  name.htmlFor = control.id;
  field.append(name, control);
  if (help) {
    const note = element("span", "help", help);
    note.id = `${control.id}-help`;
    control.setAttribute("aria-describedby", note.id);
    control[below ? "after" : "before"](note);
  }
  frame.root.append(field);
  return field;
}

/** Show a value in a control; the caret stays where the value is there already. @param {HTMLInputElement | HTMLTextAreaElement} control @param {string} value */
function fill(control, value) {
  if (control.value !== value) {
    control.value = value;
  }
}

/**
 * @param {Frame} frame @param {string} label @param {string} path
 * @param {{ get: () => string, set: (value: string) => string | void, help?: string, lines?: number, most?: number, fixed?: string }} options
 * set: returns why it is not taken; fixed: why it cannot be changed
 */
export function text(frame, label, path, { get, set, help = "", lines = 1, most = 100, fixed = "" }) {
  const control = lines > 1 ? element("textarea") : element("input");
  control.maxLength = most;
  if (control instanceof HTMLTextAreaElement) {
    control.rows = lines;
  } else {
    control.type = "text";
    control.autocomplete = "off";
  }
  const field = labelled(frame, control, label, path, fixed || help, fixed !== "");
  control.dir = "auto";
  control.readOnly = fixed !== "";
  const error = element("p", "errorlist");
  error.setAttribute("role", "alert");
  field.append(error);
  control.addEventListener("input", () => {
    const problem = set(control.value) ?? "";
    error.textContent = problem;
    control.setAttribute("aria-invalid", String(problem !== ""));
  });
  control.addEventListener("change", () => { // what is not taken does not stay
    if (error.textContent) {
      fill(control, get());
      error.textContent = "";
      control.setAttribute("aria-invalid", "false");
    }
  });
  frame.updates.push(() => {
    if (document.activeElement !== control || !error.textContent) {
      fill(control, get());
      error.textContent = "";
      control.setAttribute("aria-invalid", "false");
    }
  });
  return control;
}

/** @param {Frame} frame @param {string} label @param {string} path @param {{ get: () => boolean, set: (value: boolean) => void, help?: string }} options */
export function check(frame, label, path, { get, set, help = "" }) {
  const field = element("div", "field check");
  const control = element("input");
  control.type = "checkbox";
  control.id = nextId("field");
  control.dataset.path = path;
  const name = element("label", "", label);
  name.htmlFor = control.id;
  field.append(control, name);
  if (help) {
    const note = element("span", "help", help);
    note.id = `${control.id}-help`;
    control.setAttribute("aria-describedby", note.id);
    name.append(note);
  }
  control.addEventListener("change", () => set(control.checked));
  frame.updates.push(() => { control.checked = get(); });
  frame.root.append(field);
}

/** @param {Frame} frame @param {string} label @param {string} path @param {{ options: Named[], get: () => string, set: (value: string) => void, help?: string }} options */
export function choice(frame, label, path, { options, get, set, help = "" }) {
  const control = element("select");
  for (const { key, label: words } of options) {
    const option = element("option", "", words);
    option.value = key;
    control.append(option);
  }
  labelled(frame, control, label, path, help);
  control.addEventListener("change", () => set(control.value));
  frame.updates.push(() => { control.value = get(); });
}

/** A number from 1 on, or nothing. @param {Frame} frame @param {string} label @param {string} path @param {{ get: () => number | null, set: (value: number | null) => void, help?: string }} options */
export function amount(frame, label, path, { get, set, help = "" }) {
  const control = element("input", "scheme-amount");
  control.type = "number";
  control.min = "1";
  control.max = "50";
  control.inputMode = "numeric";
  labelled(frame, control, label, path, help);
  control.addEventListener("input", () => {
    const number = Number.parseInt(control.value, 10);
    if (control.value === "" || number >= 1) {
      set(control.value === "" ? null : number);
    }
  });
  frame.updates.push(() => {
    if (document.activeElement !== control) {
      fill(control, get()?.toString() ?? "");
    }
  });
}

/**
 * Several of some options, in their order.
 * @param {Frame} frame @param {string} legend @param {string} path
 * @param {{ options: Named[], get: () => string[], set: (keys: string[]) => void, help?: string, all?: boolean }} options all: offer to tick all or none
 */
export function several(frame, legend, path, { options, get, set, help = "", all = false }) {
  const field = element("fieldset", "field");
  field.append(element("legend", "", legend));
  if (help) {
    field.append(element("span", "help", help));
  }
  if (all && options.length > 4) {
    const tools = element("p", "actions");
    const every = button("button small", "All");
    every.addEventListener("click", () => set(options.map(({ key }) => key)));
    const first = button("button small", "Only the first");
    first.addEventListener("click", () => set([options[0].key]));
    tools.append(every, first);
    field.append(tools);
  }
  const list = element("ul", "scheme-options");
  for (const { key, label } of options) {
    const item = element("li");
    const name = element("label");
    const box = element("input");
    box.type = "checkbox";
    box.dataset.path = `${path}.${key}`;
    name.append(box, element("span", "", label || key));
    item.append(name);
    list.append(item);
    box.addEventListener("change", () => {
      const chosen = new Set(get());
      chosen[box.checked ? "add" : "delete"](key);
      set(options.map((one) => one.key).filter((one) => chosen.has(one)));
    });
    frame.updates.push(() => { box.checked = get().includes(key); });
  }
  field.append(list);
  frame.root.append(field);
}

/** @param {Frame} frame @param {string} label @param {string} path @param {{ get: () => string, set: (value: string) => void }} options */
export function colour(frame, label, path, { get, set }) {
  const field = element("fieldset", "field");
  field.append(element("legend", "", label));
  const row = element("div", "scheme-colours");
  /** @type {HTMLButtonElement[]} */
  const swatches = [];
  for (const [number, hex] of [["none", ""], ...PALETTE.map((one, at) => [`${at + 1}`, one])]) {
    const swatch = button("scheme-swatch", hex ? "" : "none");
    swatch.dataset.path = `${path}.${number}`;
    swatch.style.setProperty("--of-swatch", hex || "transparent");
    if (hex) {
      swatch.setAttribute("aria-label", `colour ${number}, ${hex}`);
    }
    swatch.addEventListener("click", () => set(hex));
    frame.updates.push(() => swatch.setAttribute("aria-pressed", String(get() === hex)));
    swatches.push(swatch);
  }
  const own = element("input", "scheme-own-colour");
  own.type = "color";
  own.dataset.path = `${path}.own`;
  own.setAttribute("aria-label", "another colour");
  own.title = "Another colour";
  own.addEventListener("input", () => set(own.value));
  const note = element("p", "help");
  frame.updates.push(() => {
    const value = get();
    fill(own, value || PALETTE[0]);
    own.classList.toggle("is-chosen", value !== "" && !PALETTE.includes(value));
    note.textContent = colourProblem(value);
  });
  row.append(...swatches, own);
  field.append(row, note);
  frame.root.append(field);
}

/** Give the focus to the control of a path. @param {HTMLElement} root @param {string} path */
export function focus(root, path) {
  const control = [...root.querySelectorAll("[data-path]")].find((one) => one instanceof HTMLElement && one.dataset.path === path);
  if (control instanceof HTMLElement) {
    control.focus();
  }
}
