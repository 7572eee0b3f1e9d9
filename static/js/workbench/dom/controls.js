// Buttons and hints that name the keys of their actions.
import { byId, element } from "./element.js";
import { ariaKeys, caps } from "../keys/keys.js";
/** @import { Keyboard } from "../types.js" */

/** Tell the keys of a control to assistive technology. @param {Element} control @param {string[]} keys */
export function setShortcuts(control, keys) {
  if (keys.length > 0) {
    control.setAttribute("aria-keyshortcuts", keys.map(ariaKeys).join(" "));
  } else {
    control.removeAttribute("aria-keyshortcuts");
  }
}

/** What stands on the keys of a combination. @param {string} key */
export function keyCaps(key) {
  return caps(key).map((cap) => element("kbd", "", cap));
}

/**
 * Show what this page uses, and say on the buttons of actions what they do and by which key.
 * @param {Keyboard} keyboard @param {{ id: string, label: string }[]} available actions
 * @param {Record<string, boolean>} uses by the words of data-for
 */
export function labelControls(keyboard, available, uses) {
  for (const control of document.querySelectorAll("[data-do]")) {
    if (control instanceof HTMLElement) {
      const action = available.find(({ id }) => id === control.dataset.do);
      control.hidden = !action;
      if (action) {
        const key = keyboard.keyOf(action.id);
        control.title = key ? `${action.label} (${key})` : action.label;
        setShortcuts(control, keyboard.keysOf(action.id));
      }
    }
  }
  for (const one of document.querySelectorAll("[data-for]")) {
    if (one instanceof HTMLElement && Object.hasOwn(uses, one.dataset.for ?? "")) {
      one.hidden = !uses[one.dataset.for ?? ""];
    }
  }
}

/** The keys that are used most, under the text. @param {Keyboard} keyboard @param {[action: string, words: string][]} hints */
export function paintHints(keyboard, hints) {
  byId("hints").replaceChildren(...hints.flatMap(([action, words]) => keyboard.keysOf(action).slice(0, 1).map((key) => {
    const hint = element("span");
    hint.append(...keyCaps(key), ` ${words}`);
    return hint;
  })));
}
