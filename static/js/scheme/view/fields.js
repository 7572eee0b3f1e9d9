// The fields of the forms: each shows what the draft says, and hands on what is entered.
import { contrast as ofLuminances, luminance } from "../../contrast.js";
import { button, element, elements } from "../../workbench/dom/element.js";
/** @import { Frame, Named } from "../types.js" */

/** What `--surface` of tokens.css is in the light and in the dark. */
const PAGES = { light: "#ffffff", dark: "#1c1f23" };
/** What WCAG 2 asks of what is no text (1.4.11). */
const LEAST = 3;
/** To choose from: seen on both pages, and told apart by those who are blind to red and green. */
export const PALETTE = ["#3f7fc4", "#c4622d", "#1f9d62", "#c23b8e", "#8a63d2", "#9a7b16", "#2b93a8", "#b0656a"];

/** @param {string} colour as "#rrggbb" */
const lightOf = (colour) => luminance([1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)));

/** @type {(a: string, b: string) => number} */
export const contrast = (a, b) => ofLuminances(lightOf(a), lightOf(b));

/** What is to be minded of a colour; "": nothing. @type {(colour: string) => string} */
export function colourProblem(colour) {
  const bad = colour ? Object.entries(PAGES).filter(([, page]) => contrast(colour, page) < LEAST).map(([name]) => name) : [];
  return bad.length > 0 ? `Hard to see on ${bad.join(" and ")} pages.` : "";
}

let count = 0;

/** What a field is of where nothing else is said: the value that its path names. @type {(frame: Frame, path: string) => { get: () => any, set: (value: any) => any }} */
const ofPath = ({ one, set }, path) => ({ get: () => /** @type {any} */ (one())[path], set: (value) => set({ [path]: value }) });

/** Name a control, by which the focus is found again; return its help, if there is some. @type {(frame: Frame, control: HTMLElement, path: string, help: string) => HTMLElement[]} */
function identify(frame, control, path, help) {
  count += 1;
  control.id = `scheme-field-${count}`;
  control.dataset.path = frame.prefix + path;
  if (!help) {
    return [];
  }
  control.setAttribute("aria-describedby", `${control.id}-help`);
  return [element("span", "help", help, { id: `${control.id}-help` })];
}

/** @type {(frame: Frame, control: HTMLElement, label: string, path: string, help?: string, below?: boolean) => HTMLElement} below: the help stands below the control */
function labelled(frame, control, label, path, help = "", below = false) {
  const note = identify(frame, control, path, help);
  const name = element("label", "", label, { htmlFor: control.id });
  const field = element("div", "field", below ? [name, control, ...note] : [name, ...note, control]);
  frame.root.append(field);
  return field;
}

/** @type {(frame: Frame, legend: string, help?: string) => HTMLFieldSetElement} */
export function group(frame, legend, help = "") {
  const field = element("fieldset", "field", [element("legend", "", legend), help && element("span", "help", help)]);
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
 * @param {{ set?: (value: string) => string | void, help?: string, lines?: number, most?: number, fixed?: string }} [options]
 * set: returns why it is not taken; fixed: why it cannot be changed
 */
export function text(frame, label, path, { set, help = "", lines = 1, most = 100, fixed = "" } = {}) {
  const { get } = ofPath(frame, path);
  const take = set ?? ((value) => { frame.set({ [path]: value }, path); });
  const control = lines > 1 ? element("textarea", "", "", { rows: lines }) : element("input", "", "", { type: "text", autocomplete: "off" });
  Object.assign(control, { maxLength: most, dir: "auto", readOnly: fixed !== "" });
  const error = element("p", "errorlist", "", { role: "alert" });
  labelled(frame, control, label, path, fixed || help, fixed !== "").append(error);
  const say = (/** @type {string} */ problem) => {
    error.textContent = problem;
    control.ariaInvalid = String(problem !== "");
  };
  const show = () => {
    fill(control, get());
    say("");
  };
  control.addEventListener("input", () => say(take(control.value) ?? ""));
  control.addEventListener("change", () => error.textContent && show()); // what is not taken does not stay
  frame.updates.push(() => {
    if (document.activeElement !== control || !error.textContent) {
      show();
    }
  });
}

/** @param {Frame} frame @param {string} label @param {string} path @param {{ get?: () => boolean, set?: (value: boolean) => void, help?: string }} [options] */
export function check(frame, label, path, { help = "", ...options } = {}) {
  const { get, set } = { ...ofPath(frame, path), ...options };
  const control = element("input", "", "", { type: "checkbox" });
  const note = identify(frame, control, path, help);
  frame.root.append(element("div", "field check", [control, element("label", "", [label, ...note], { htmlFor: control.id })]));
  control.addEventListener("change", () => set(control.checked));
  frame.updates.push(() => { control.checked = get(); });
}

/** One of some options. @param {Frame} frame @param {string} label @param {string} path @param {Named[]} options @param {{ get?: () => string, set?: (value: string) => void, help?: string }} [more] */
export function choice(frame, label, path, options, { help = "", ...more } = {}) {
  const own = ofPath(frame, path);
  const { get, set } = { get: () => own.get() ?? "", set: (/** @type {string} */ key) => own.set(key || null), ...more };
  const control = element("select", "", options.map((option) => new Option(option.label, option.key)));
  labelled(frame, control, label, path, help);
  control.addEventListener("change", () => set(control.value));
  frame.updates.push(() => { control.value = get(); });
}

/** A number from 1 on, or nothing. @type {(frame: Frame, label: string, path: string, help: string) => void} */
export function amount(frame, label, path, help) {
  const { get, set } = ofPath(frame, path);
  const control = element("input", "scheme-amount", "", { type: "number", min: "1", max: "50", inputMode: "numeric" });
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

/** Several of some options, in their order. @param {Frame} frame @param {string} legend @param {string} path @param {Named[]} options @param {{ get?: () => string[], set?: (keys: string[]) => void, help?: string, all?: boolean }} [more] all: offer to tick all or none */
export function several(frame, legend, path, options, { help = "", all = false, ...more } = {}) {
  const { get, set } = { ...ofPath(frame, path), ...more };
  const field = group(frame, legend, help);
  if (all && options.length > 4) {
    const every = button("button small", "All", { onclick: () => set(options.map(({ key }) => key)) });
    const first = button("button small", "Only the first", { onclick: () => set([options[0].key]) });
    field.append(element("p", "actions", [every, first]));
  }
  field.append(element("ul", "scheme-options", options.map(({ key, label }) => {
    const box = element("input", "", "", { type: "checkbox", dataset: { path: `${frame.prefix}${path}.${key}` } });
    box.addEventListener("change", () => {
      const chosen = new Set(get());
      chosen[box.checked ? "add" : "delete"](key);
      set(options.map((option) => option.key).filter((key) => chosen.has(key)));
    });
    frame.updates.push(() => { box.checked = get().includes(key); });
    return element("li", "", element("label", "", [box, element("span", "", label || key)]));
  })));
}

/** @type {(frame: Frame) => void} */
export function colour(frame) {
  const { get, set } = ofPath(frame, "colour");
  const swatches = [["none", ""], ...PALETTE.map((hex, at) => [`${at + 1}`, hex])].map(([number, hex]) => {
    const swatch = button("scheme-swatch", hex ? "" : "none", { onclick: () => set(hex), dataset: { path: `${frame.prefix}colour.${number}` } });
    swatch.style.setProperty("--of-swatch", hex || "transparent");
    swatch.ariaLabel = hex ? `colour ${number}, ${hex}` : null;
    frame.updates.push(() => { swatch.ariaPressed = String(get() === hex); });
    return swatch;
  });
  const own = element("input", "scheme-own-colour", "", {
    type: "color", ariaLabel: "another colour", title: "Another colour",
    oninput: () => set(own.value), dataset: { path: `${frame.prefix}colour.own` },
  });
  const note = element("p", "help");
  frame.updates.push(() => {
    const value = get();
    fill(own, value || PALETTE[0]);
    own.classList.toggle("is-chosen", value !== "" && !PALETTE.includes(value));
    note.textContent = colourProblem(value);
  });
  group(frame, "Colour").append(element("div", "scheme-colours", [...swatches, own]), note);
}

/** A button that does something with what is edited. @type {(frame: Frame, path: string, label: string, run: () => void, title?: string, className?: string) => HTMLButtonElement} */
export const tool = (frame, path, label, run, title = "", className = "small") => button(
  `button ${className}`, label, { title, onclick: run, dataset: { path: frame.prefix + path } },
);

/** Give the focus to the control of a path. @param {HTMLElement} root @param {string} path */
export function focus(root, path) {
  elements(root, "[data-path]").find((node) => node.dataset.path === path)?.focus();
}
