// One dialogue in which something is chosen by typing: all actions, where to go, which chain to merge with.
import { keyCaps } from "../dom/controls.js";
import { around, element, inside } from "../dom/element.js";
/** @import { Action, Choice, Keyboard, Picker, PlacePicker } from "../types.js" */

const MOST = 60;

/** @type {(dialog: HTMLDialogElement) => Picker} */
export function createPicker(dialog) {
  const input = inside(dialog, "input", HTMLInputElement);
  const list = inside(dialog, "[role=listbox]");
  const title = inside(dialog, "h2");
  const preview = inside(dialog, ".workbench-picker-preview");
  const empty = inside(dialog, ".workbench-picker-none");
  const tools = inside(dialog, ".workbench-picker-tools");
  /** @type {(query: string) => Choice[]} */
  let choices = () => [];
  let shown = /** @type {Choice[]} */ ([]);
  let at = 0;

  function paint() {
    shown = choices(input.value).slice(0, MOST);
    at = Math.min(at, Math.max(shown.length - 1, 0));
    list.replaceChildren(...shown.map(({ badge = "", label, hint, keys: [key] = [] }, place) => element("li", "workbench-picker-choice", [
      badge, element("span", "workbench-picker-label", label, { dir: "auto" }), hint ? element("span", "workbench-picker-hint", hint) : "",
      key ? element("span", "workbench-picker-keys", keyCaps(key)) : "",
    ], { role: "option", id: `choice-${place}`, dataset: { place: String(place) } })));
    empty.hidden = shown.length > 0;
    select(at);
  }

  /** @param {number} place */
  function select(place) {
    at = place;
    [...list.children].forEach((option, index) => { option.ariaSelected = String(index === at); });
    const option = list.children[at];
    if (option) {
      input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else {
      input.removeAttribute("aria-activedescendant");
    }
    const nodes = shown[at]?.preview?.() ?? [];
    preview.hidden = nodes.length === 0;
    tools.querySelectorAll("button").forEach((button) => {
      button.disabled = button.dataset.pick === "more" ? !shown[at]?.more : button.dataset.pick !== "cancel" && !shown[at];
    });
    preview.replaceChildren(...nodes);
  }

  /** @param {number} place @param {boolean} further @param {boolean} more what is behind the choice */
  function choose(place, further, more = false) {
    const choice = shown[place];
    if (choice && (!more || choice.more)) {
      dialog.close();
      if (more) {
        choice.more?.();
      } else {
        choice.run(further);
      }
    }
  }

  input.addEventListener("input", () => {
    at = 0;
    paint();
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.isComposing || around(event, "button")) {
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && shown.length > 0) {
      event.preventDefault();
      select((at + step + shown.length) % shown.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      event.stopPropagation(); // the dialogue closes, and this key is not for the text
      choose(at, event.shiftKey && !tools.hidden, (event.ctrlKey || event.metaKey) && !tools.hidden);
    }
  });
  list.addEventListener("click", (event) => {
    const option = around(event, "[data-place]");
    if (option) {
      choose(Number(option.dataset.place), event.shiftKey && !tools.hidden);
    }
  });
  list.addEventListener("mousemove", (event) => {
    const option = around(event, "[data-place]");
    if (option && Number(option.dataset.place) !== at) {
      select(Number(option.dataset.place));
    }
  });
  tools.addEventListener("click", (event) => {
    const name = around(event, "[data-pick]")?.dataset.pick;
    if (name === "cancel") {
      dialog.close();
    } else if (name) {
      choose(at, name === "further", name === "more");
    }
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) { // outside of it
      dialog.close();
    }
  });

  return {
    open(options) {
      choices = options.choices;
      title.textContent = options.title;
      input.placeholder = options.placeholder;
      input.ariaLabel = options.title;
      tools.hidden = !options.points;
      empty.textContent = options.none ?? "No matches.";
      input.value = "";
      at = 0;
      dialog.showModal();
      paint();
      input.focus();
    },
  };
}

/** The list of all actions, and of places where words are typed. @type {<M>(available: Action<M>[], keyboard: Keyboard, picker: PlacePicker, placeholder: string, run: (id: string) => void) => void} */
export function openPalette(available, keyboard, picker, placeholder, run) {
  const listed = available.filter(({ id }) => id !== "palette");
  picker.open({
    title: "All actions",
    placeholder,
    choices: (query, places) => {
      const wanted = query.trim().toLowerCase();
      const found = listed.filter(({ label, group }) => `${group} ${label}`.toLowerCase().includes(wanted));
      return [
        ...found.map(({ id, label }) => ({ label, keys: keyboard.keysOf(id), run: () => run(id) })),
        ...(wanted ? places(query) : []),
      ];
    },
  });
}
