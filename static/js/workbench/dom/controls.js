// Buttons and hints that name the keys of their actions.
import { byId, element, elements } from "./element.js";
import { ariaKeys, caps } from "../keys/keys.js";
/** @import { Keyboard } from "../types.js" */

/** Tell the keys of a control to assistive technology. @param {Element} control @param {string[]} keys */
export function setShortcuts(control, keys) {
  control.ariaKeyShortcuts = keys.map(ariaKeys).join(" ") || null;
}

/** What stands on the keys of a combination. @param {string} key */
export const keyCaps = (key) => caps(key).map((cap) => element("kbd", "", cap));

/**
 * Show what this page uses, and say on the buttons of actions what they do and by which key.
 * @param {Keyboard} keyboard @param {{ id: string, label: string }[]} available actions
 * @param {Record<string, boolean>} uses by the words of data-for
 */
export function labelControls(keyboard, available, uses) {
  for (const control of elements(document, "[data-do]")) {
    const action = available.find(({ id }) => id === control.dataset.do);
    control.hidden = !action;
    if (action) {
      const key = keyboard.keyOf(action.id);
      control.title = key ? `${action.label} (${key})` : action.label;
      setShortcuts(control, keyboard.keysOf(action.id));
    }
  }
  for (const [name, used] of Object.entries(uses)) {
    elements(document, `[data-for="${name}"]`).forEach((node) => { node.hidden = !used; });
  }
}

/** The keys that are used most, under the text. @param {Keyboard} keyboard @param {[action: string, words: string][]} hints */
export function paintHints(keyboard, hints) {
  byId("hints").replaceChildren(...hints.flatMap(([action, words]) => keyboard.keysOf(action).slice(0, 1).map((key) => hint(key, words))));
}

/** @type {(key: string, words: string) => HTMLElement} */
export const hint = (key, words) => element("span", "", [...keyCaps(key), ` ${words}`]);
