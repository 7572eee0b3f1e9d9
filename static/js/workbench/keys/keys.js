// From a key to an action, by the keys of a table of actions or those that the coder has chosen. Pure.
/** @import { Action, Bindings, Choices, Focus, KeyPress, Pressed } from "../types.js" */

const MODIFIERS = ["Control", "Shift", "Alt", "Meta", "AltGraph", "CapsLock", "Dead", "Process", "Unidentified"];
/** @type {Record<string, string>} */
const MIRRORED = { ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft" };
/** @type {Record<string, string>} */
const CAPS = { ArrowRight: "→", ArrowLeft: "←", Escape: "Esc", Backspace: "⌫", Delete: "Del" };

/** Of two actions with one key the first has it. @type {<M>(actions: Action<M>[], choices?: Choices) => Bindings} */
export function bindings(actions, choices = {}) {
  const of = new Map();
  const keys = new Map();
  for (const action of actions) {
    const own = (choices[action.id] ?? action.keys).filter((key) => !of.has(key));
    keys.set(action.id, own);
    own.forEach((key) => of.set(key, action.id));
  }
  return { of, keys };
}

/** Choices from where they were stored: what is not well-formed is as if it was not there. @type {<M>(actions: Action<M>[], stored: unknown) => Choices} */
export function storedChoices(actions, stored) {
  const known = new Set(actions.map((action) => action.id));
  /** @param {[string, unknown]} entry */
  const good = (entry) => known.has(entry[0]) && Array.isArray(entry[1]) && entry[1].every((key) => typeof key === "string");
  return stored !== null && typeof stored === "object" ? Object.fromEntries(Object.entries(stored).filter(good)) : {};
}

/**
 * The name of a key with what is held down: "a", "Shift+u", "Ctrl+k", "Alt+ArrowLeft", "?". Shift is not told of
 * digits and signs, which many keyboards have only with it; Cmd counts as Ctrl. In a text from right to left the
 * arrows change places, so that the key on the side to which one reads goes on.
 * @type {(event: KeyPress, rightToLeft?: boolean) => string | null} null: only a modifier
 */
export function combination(event, rightToLeft = false) {
  let key = (rightToLeft && MIRRORED[event.key]) || event.key;
  if (MODIFIERS.includes(key)) {
    return null;
  }
  const digit = /^[a-z?]$/i.test(key) ? null : /^[0-9]$/.exec(key) ?? /(?<=^Digit)[0-9]$/.exec(event.code ?? "");
  if (digit) {
    [key] = digit;
  } else if (key === " ") {
    key = "Space";
  } else if (key.length === 1) {
    key = key.toLowerCase();
  }
  const tellsShift = key.length > 1 || /\p{L}/u.test(key);
  return [
    event.ctrlKey || event.metaKey ? "Ctrl+" : "", event.altKey ? "Alt+" : "", event.shiftKey && tellsShift ? "Shift+" : "", key,
  ].join("");
}

/** @type {(bound: Bindings, event: KeyPress, focus: Focus) => Pressed | null} null: the browser may have the key */
export function actionFor(bound, event, focus) {
  const key = event.isComposing || focus.inField || focus.inDialog ? null : combination(event, focus.rightToLeft);
  if (key === null || (key.endsWith("Tab") && (!focus.inText || focus.released)) || (key === "Escape" && !focus.inText)
    || ((key === "Space" || key === "Enter") && focus.onControl)) {
    return null;
  }
  const id = bound.of.get(key);
  if (id !== undefined) {
    return { id, further: false };
  }
  const unshifted = key.startsWith("Shift+") ? bound.of.get(key.slice(6)) : undefined;
  return unshifted?.startsWith("candidate-") ? { id: unshifted, further: true } : null;
}

/** The keys to press for a combination: in a text from right to left the other arrow. @type {(key: string, rightToLeft: boolean) => string} */
export const onKeyboard = (key, rightToLeft) => (rightToLeft ? key.replace(/Arrow(Left|Right)$/, (arrow) => MIRRORED[arrow]) : key);

/** What stands on the keys of a combination. @param {string} key */
export const caps = (key) => key.split(/\+(?=.)/).map((cap) => CAPS[cap] ?? cap);

/** As aria-keyshortcuts wants it. @param {string} key */
export const ariaKeys = (key) => key.replace("Ctrl+", "Control+");
