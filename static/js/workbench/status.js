// How it stands: what is saved, the time at work, what is said to the eye, notices.
import { element } from "./element.js";

const byId = (id) => document.getElementById(id);

/** @param {string} text */
export function say(text) {
  byId("say").textContent = text;
}

/** @param {SaveState} state @param {string} text @param {number} waiting @param {number} undecided */
export function paintSaveState(state, text, waiting, undecided) {
  const place = byId("save-state");
  place.dataset.state = state;
  if (place.textContent !== text) {
    place.textContent = text;
  }
  byId("sign-in-again").hidden = state !== "signed-out";
  const button = byId("submit");
  if (button) {
    button.classList.toggle("primary", waiting === 0 && undecided === 0);
    byId("submit-note").textContent = undecided > 0 ? `${undecided} still undecided` : "everything decided";
    byId("submit-now").disabled = waiting > 0;
  }
}

/** @param {number} seconds */
export function paintTime(seconds) {
  const minutes = Math.round(seconds / 60);
  const text = minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  byId("time").textContent = minutes > 0 ? text : "";
}

/** A notice that stays until it is dismissed; the same words are not said twice. @param {string} text */
export function notify(text) {
  const place = byId("notices");
  if ([...place.querySelectorAll("p")].some((paragraph) => paragraph.textContent === text)) {
    return;
  }
  const notice = element("div", "notice error");
  notice.setAttribute("role", "alert");
  const dismiss = element("button", "button small plain", "Dismiss");
  dismiss.type = "button";
  dismiss.addEventListener("click", () => notice.remove());
  notice.append(element("p", "", text), dismiss);
  place.append(notice);
}
