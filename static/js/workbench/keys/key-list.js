// The list of keys: what each does, and how to give it another. Loaded when it is opened.
import { keyCaps } from "../dom/controls.js";
import { around, button, element, inside } from "../dom/element.js";
import { bindings, combination, onKeyboard } from "./keys.js";
import { local, readKeys, write } from "../settings.js";
/** @import { Action, Choices, KeyListOptions } from "../types.js" */

/** @template M @param {HTMLDialogElement} dialog @param {KeyListOptions<M>} options */
export function createKeyList(dialog, { all, shown, place, rightToLeft, changed }) {
  const list = inside(dialog, "#key-list");
  const status = inside(dialog, "#key-said");
  let choices = readKeys(all, place);
  let listening = /** @type {string | null} */ (null); // the action that waits for its key

  function paint() {
    const bound = bindings(all, choices);
    let group = "";
    list.replaceChildren(...shown.flatMap((action) => {
      const keys = (bound.keys.get(action.id) ?? []).flatMap((key, index) => [index > 0 ? ", " : "", ...keyCaps(onKeyboard(key, rightToLeft))]);
      const change = button("link-button small", listening === action.id ? "Press a key…" : "Change", {
        ariaLabel: `Change the key of: ${action.label}`, dataset: { action: action.id },
      });
      const row = element("tr", "", [
        element("th", "", action.label, { scope: "row" }), element("td", "workbench-key-caps", keys), element("td", "", change),
      ]);
      if (action.group === group) {
        return [row];
      }
      group = action.group;
      return [element("tr", "workbench-key-group", element("th", "", group, { scope: "colgroup", colSpan: 3 })), row];
    }));
  }

  /** Draw the list again with something said of it, and the focus on an action. @param {string} words @param {string | null} action */
  function show(words, action) {
    paint();
    status.textContent = words;
    const focused = list.querySelector(`[data-action="${action}"]`);
    if (focused instanceof HTMLElement) {
      focused.focus();
    }
  }

  /** @param {Choices} next @param {string} words */
  function store(next, words) {
    const action = listening;
    choices = next;
    listening = null;
    write(local, place, JSON.stringify(choices));
    changed(choices);
    show(words, action);
  }

  list.addEventListener("click", (event) => {
    const id = around(event, "[data-action]")?.dataset.action;
    if (id) {
      listening = listening === id ? null : id;
      show(listening ? "Press the new key, or Esc to keep the old one." : "", id);
    }
  });
  inside(dialog, "#keys-reset").addEventListener("click", () => store({}, "All keys reset."));
  dialog.addEventListener("keydown", (event) => {
    const key = combination(event, rightToLeft);
    if (listening === null || key === null) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (key === "Escape") {
      const id = listening;
      listening = null;
      show("", id);
      return;
    }
    const result = choose(all, choices, listening, key);
    const lost = shown.find((action) => action.id === result.taken);
    store(result.choices, lost ? `“${lost.label}” no longer has that key.` : "Changed.");
  }, true);
  dialog.addEventListener("close", () => {
    listening = null;
  });
  return { open: () => {
    status.textContent = "";
    paint();
    dialog.showModal();
  } };
}

/**
 * Give an action one key instead of those it has. Who had that key before has it no more.
 * @type {<M>(actions: Action<M>[], choices: Choices, id: string, key: string) => { choices: Choices, taken: string | null }}
 * taken: the action that lost the key
 */
export function choose(actions, choices, id, key) {
  const now = bindings(actions, choices);
  const before = now.of.get(key) ?? null;
  const taken = before === id ? null : before;
  const result = { ...choices, [id]: [key] };
  if (taken !== null) {
    result[taken] = (now.keys.get(taken) ?? []).filter((name) => name !== key);
  }
  return { choices: result, taken };
}
