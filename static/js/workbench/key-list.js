// The list of keys: what each does, and how to give it another.
import { element } from "./element.js";
import { bindings, caps, choose, combination } from "./keys.js";
import { remembered, rememberKeys } from "./settings.js";

/**
 * @param {HTMLDialogElement} dialog
 * @param {{all: Action[], shown: Action[], place?: string}} table place: under which the choices are remembered
 * @param {(choices: Choices) => void} changed
 */
export function createKeyList(dialog, { all, shown, place }, changed) {
  const list = dialog.querySelector("#key-list");
  const said = dialog.querySelector("#key-said");
  let choices = remembered(all, place).keys;
  let listening = null; // the action that waits for its key

  function paint() {
    const bound = bindings(all, choices);
    let group = "";
    list.replaceChildren(...shown.flatMap((action) => {
      const row = element("tr");
      const name = element("th", "", action.label);
      name.scope = "row";
      const keys = element("td", "key-caps");
      bound.keys.get(action.id).forEach((key, place) => {
        keys.append(place > 0 ? ", " : "", ...caps(key).map((cap) => element("kbd", "", cap)));
      });
      const change = element("button", "link-button small", listening === action.id ? "Press a key…" : "Change");
      change.type = "button";
      change.dataset.action = action.id;
      change.setAttribute("aria-label", `Change the key of: ${action.label}`);
      const cell = element("td");
      cell.append(change);
      row.append(name, keys, cell);
      if (action.group === group) {
        return [row];
      }
      group = action.group;
      const head = element("tr", "key-group");
      const title = element("th", "", group);
      title.scope = "colgroup";
      title.colSpan = 3;
      head.append(title);
      return [head, row];
    }));
  }

  function take(next, words) {
    const focused = listening;
    choices = next;
    listening = null;
    rememberKeys(choices, place);
    changed(choices);
    paint();
    said.textContent = words;
    list.querySelector(`[data-action="${focused}"]`)?.focus();
  }

  list.addEventListener("click", (event) => {
    const id = event.target.closest("[data-action]")?.dataset.action;
    if (id) {
      listening = listening === id ? null : id;
      paint();
      said.textContent = listening ? "Press the new key, or Esc to leave it as it is." : "";
      list.querySelector(`[data-action="${id}"]`)?.focus();
    }
  });
  dialog.querySelector("#keys-reset").addEventListener("click", () => take({}, "All keys are as they were at first."));
  dialog.addEventListener("keydown", (event) => {
    const key = combination(event);
    if (listening === null || key === null) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (key === "Escape") {
      const id = listening;
      listening = null;
      paint();
      said.textContent = "";
      list.querySelector(`[data-action="${id}"]`)?.focus();
      return;
    }
    const result = choose(all, choices, listening, key);
    const lost = shown.find((action) => action.id === result.taken);
    take(result.choices, lost ? `“${lost.label}” has lost that key.` : "Changed.");
  }, true);
  dialog.addEventListener("close", () => {
    listening = null;
  });
  return { open: () => {
    said.textContent = "";
    paint();
    dialog.showModal();
  } };
}
