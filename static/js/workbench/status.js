// How it stands: what is saved, the time at work, what is said to the eye, notices.
import { button, byId, element, elements } from "./dom/element.js";
import { stateText } from "./saving/sync.js";
/** @import { SaveState, StepHistory } from "./types.js" */

/** @param {string} text */
export function say(text) {
  byId("say").textContent = text;
}

/** @param {{state: SaveState, waiting: number, durable: boolean}} status @param {boolean} complete @param {string} remaining what is left to do, in words */
export function paintSaveState({ state, waiting, durable }, complete, remaining) {
  const place = byId("save-state");
  const text = stateText(state, waiting, durable);
  place.dataset.state = state;
  if (place.textContent !== text) {
    place.textContent = text;
  }
  byId("sign-in-again").hidden = state !== "signed-out";
  const submit = document.getElementById("submit");
  if (submit instanceof HTMLButtonElement) {
    submit.disabled = false; // from now on somebody hears it
    submit.classList.toggle("primary", waiting === 0 && complete);
    byId("submit-note").textContent = remaining;
    byId("submits", HTMLFieldSetElement).disabled = waiting > 0;
  }
}

/** @param {number} done @param {number} total @param {string} text */
export function paintProgress(done, total, text) {
  const progress = byId("progress", HTMLProgressElement);
  progress.max = Math.max(total, 1);
  progress.value = done;
  byId("progress-text").textContent = text;
}

/** Where not all is read, there may be something to undo. @param {StepHistory} history */
export function paintSteps({ done, undone, whole }) {
  byId("undo", HTMLButtonElement).disabled = done.length === 0 && whole;
  byId("redo", HTMLButtonElement).disabled = undone.length === 0;
}

/** @param {number} seconds */
export function paintTime(seconds) {
  const minutes = Math.round(seconds / 60);
  const text = minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  byId("time").textContent = minutes > 0 ? text : "";
}

/** A notice that stays until it is dismissed, one of a kind, with the words said last. @param {string} text @param {string} kind */
export function notify(text, kind = text) {
  const place = byId("notices");
  dismiss(kind);
  const close = button("button small plain", "Dismiss", { onclick: () => notice.remove() });
  /** @type {HTMLElement} */
  const notice = element("div", "notice error", [element("p", "", text), close], { role: "alert", dataset: { kind } });
  place.append(notice);
}

/** Return what it said. @param {string} kind of notice that is true no more */
export function dismiss(kind) {
  const notice = elements(byId("notices"), ".notice").find((node) => node.dataset.kind === kind);
  notice?.remove();
  return notice?.firstChild?.textContent ?? "";
}
