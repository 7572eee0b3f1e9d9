// One dialogue in which something is chosen by typing: all actions, where to go, which chain to merge with.
import { element } from "./element.js";
import { caps } from "./keys.js";

const MOST = 60;

/**
 * @param {HTMLDialogElement} dialog
 * @returns {{open: (options: {title: string, placeholder: string, choices: (query: string) => Choice[], none?: string}) => void}}
 */
export function createPicker(dialog) {
  const input = dialog.querySelector("input");
  const list = dialog.querySelector("[role=listbox]");
  const title = dialog.querySelector("h2");
  const preview = dialog.querySelector(".picker-preview");
  const empty = dialog.querySelector(".picker-none");
  let choices = () => [];
  let shown = [];
  let at = 0;

  function paint() {
    shown = choices(input.value).slice(0, MOST);
    at = Math.min(at, Math.max(shown.length - 1, 0));
    list.replaceChildren(...shown.map((choice, place) => {
      const option = element("li", "picker-choice");
      option.setAttribute("role", "option");
      option.id = `choice-${place}`;
      option.dataset.place = String(place);
      const label = element("span", "picker-label", choice.label);
      label.dir = "auto";
      option.append(...(choice.badge ? [choice.badge] : []), label);
      if (choice.hint) {
        option.append(element("span", "picker-hint", choice.hint));
      }
      (choice.keys ?? []).slice(0, 1).forEach((key) => {
        const keys = element("span", "picker-keys");
        keys.append(...caps(key).map((cap) => element("kbd", "", cap)));
        option.append(keys);
      });
      return option;
    }));
    empty.hidden = shown.length > 0;
    select(at);
  }

  function select(place) {
    at = place;
    [...list.children].forEach((option, index) => option.setAttribute("aria-selected", String(index === at)));
    const option = list.children[at];
    if (option) {
      input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else {
      input.removeAttribute("aria-activedescendant");
    }
    const seen = shown[at]?.preview?.() ?? [];
    preview.hidden = seen.length === 0;
    preview.replaceChildren(...seen);
  }

  function take(place) {
    const choice = shown[place];
    if (choice) {
      dialog.close();
      choice.run();
    }
  }

  input.addEventListener("input", () => {
    at = 0;
    paint();
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.isComposing) {
      return;
    }
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps && shown.length > 0) {
      event.preventDefault();
      select((at + steps[event.key] + shown.length) % shown.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      event.stopPropagation(); // the dialogue closes, and this key is not for the text
      take(at);
    }
  });
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[data-place]");
    if (option) {
      take(Number(option.dataset.place));
    }
  });
  list.addEventListener("mousemove", (event) => {
    const option = event.target.closest("[data-place]");
    if (option && Number(option.dataset.place) !== at) {
      select(Number(option.dataset.place));
    }
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) {
      dialog.close(); // outside of it
    }
  });

  return {
    open(options) {
      choices = options.choices;
      title.textContent = options.title;
      input.placeholder = options.placeholder;
      input.setAttribute("aria-label", options.title);
      empty.textContent = options.none ?? "Nothing answers to that.";
      input.value = "";
      at = 0;
      dialog.showModal();
      paint();
      input.focus();
    },
  };
}
