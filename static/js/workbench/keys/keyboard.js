// The keyboard of a page: which keys its actions have, and what becomes of a key that is pressed.
import { byId } from "../dom/element.js";
import { actionFor, bindings, caps, onKeyboard } from "./keys.js";
import { readKeys } from "../settings.js";
/** @import { Action, Keyboard } from "../types.js" */

/** @type {<M>(actions: Action<M>[], place: string, rightToLeft: boolean) => Keyboard} place: under which chosen keys are stored */
export function createKeyboard(actions, place, rightToLeft) {
  const pane = byId("text-pane");
  let bound = bindings(actions, readKeys(actions, place));
  let released = false;
  let loading = 0; // parts of the page on their way
  let held = /** @type {KeyboardEvent[]} */ ([]); // keys that were pressed meanwhile

  /** @param {string} action */
  const keysOf = (action) => (bound.keys.get(action) ?? []).map((key) => onKeyboard(key, rightToLeft));

  return {
    rightToLeft,
    keysOf,
    keyOf: (action) => caps(keysOf(action)[0] ?? "").join("+"),
    rebind: (choices) => {
      bound = bindings(actions, choices);
    },
    release: () => {
      released = true;
    },
    async suspend(work) {
      loading += 1;
      const here = await work.then(() => true, () => false); // whoever loads says what failed
      await new Promise((opened) => { setTimeout(opened); });
      loading -= 1;
      held = here ? held : []; // they were meant for what did not come
      if (loading === 0) {
        held.splice(0).forEach(pressAgain);
      }
    },
    listen({ intercept, override, run }) {
      pane.addEventListener("focusin", () => {
        released = false;
      });
      document.addEventListener("keydown", (event) => {
        const active = document.activeElement ?? document.body;
        // What is being written stays with its field; in a dialog that has just come it follows what is held.
        if (loading > 0 && (!isWritten(active) || (held.length > 0 && active.closest("dialog")))) {
          event.preventDefault();
          held.push(event);
          return;
        }
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

/** @param {Element | null} field @returns {field is HTMLInputElement | HTMLTextAreaElement} */
function isWritten(field) {
  return field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && field.selectionStart !== null);
}

/** Press a key that was held back where the focus is now; a character is written or deleted there. @param {KeyboardEvent} event */
function pressAgain(event) {
  const field = document.activeElement ?? document.body;
  const passed = field.dispatchEvent(new KeyboardEvent("keydown", event));
  const writes = event.key.length === 1 && !event.metaKey && (!event.ctrlKey || event.getModifierState("AltGraph"));
  if (!passed || !isWritten(field) || !(writes || event.key === "Backspace")) {
    return;
  }
  const [start, end] = [field.selectionStart ?? 0, field.selectionEnd ?? 0];
  const before = [...field.value.slice(0, start)].slice(0, -1).join("").length; // without the last character
  field.setRangeText(writes ? event.key : "", writes || start < end ? start : before, end, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
