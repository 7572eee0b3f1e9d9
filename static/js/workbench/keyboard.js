// The keyboard of a page: which keys its actions have, and what becomes of a key that is pressed.
import { byId } from "./element.js";
import { actionFor, bindings, caps } from "./keys.js";
import { readKeys } from "./settings.js";
/** @import { Action, Keyboard } from "./types.js" */

/**
 * @template M
 * @param {Action<M>[]} actions @param {string} place under which chosen keys are stored
 * @param {boolean} rightToLeft
 * @returns {Keyboard}
 */
export function createKeyboard(actions, place, rightToLeft) {
  const pane = byId("text-pane");
  let bound = bindings(actions, readKeys(actions, place));
  let released = false;
  let suspended = false;

  return {
    keysOf: (action) => bound.keys.get(action) ?? [],
    keyOf: (action) => caps(bound.keys.get(action)?.[0] ?? "").join("+"),
    rebind: (choices) => {
      bound = bindings(actions, choices);
    },
    release: () => {
      released = true;
    },
    async suspend(work) {
      suspended = true;
      await work.catch(() => null); // whoever loads says so
      suspended = false;
    },
    listen({ intercept, override, run }) {
      pane.addEventListener("focusin", () => {
        released = false;
      });
      document.addEventListener("keydown", (event) => {
        if (suspended) {
          event.preventDefault();
          return;
        }
        const active = document.activeElement ?? document.body;
        const focus = active.closest("dialog:not([open])") ? document.body : active; // a dialogue just closed keeps it for a frame
        if (intercept(event, focus)) {
          event.preventDefault();
          return;
        }
        const dialog = document.querySelector("dialog[open]");
        if (dialog instanceof HTMLDialogElement && event.key === "Escape") {
          event.preventDefault(); // the browser would close it a moment later, and take the next key for the dialogue's
          dialog.close();
          return;
        }
        const inText = focus === document.body || pane.contains(focus);
        const pressed = actionFor(bound, event, {
          inField: focus.matches("textarea, select, [contenteditable], input:not([type=checkbox], [type=button], [type=submit])"),
          inText, rightToLeft, released, inDialog: dialog !== null, onControl: focus.matches("a, button, summary, input"),
        });
        const taken = override?.(event, inText, pressed?.id) ?? (pressed !== null && run(pressed.id, pressed.further));
        if (taken) {
          event.preventDefault();
        }
      });
    },
  };
}
