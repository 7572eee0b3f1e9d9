// What somebody was typing when the page went away. It is stored at once, and the next visit takes it up as an answer.
import { local, readJson, remove, write } from "./settings.js";
import { notify } from "./status.js";

const PREFIX = "coindex draft";

/** @type {(place: string, draft: object) => void} place: address of the coding and name of the user */
export const storeDraft = (place, draft) => write(local, `${PREFIX} ${place}`, JSON.stringify(draft));

/** Return the draft and forget it; null where there is none. @type {(place: string) => Record<string, unknown> | null} */
export function takeDraft(place) {
  const draft = readJson(local, `${PREFIX} ${place}`);
  remove(local, `${PREFIX} ${place}`);
  return typeof draft === "object" && draft !== null ? /** @type {Record<string, unknown>} */ (draft) : null;
}

/** Show a draft that cannot be taken up. @param {string} words */
export function showDraft(words) {
  notify(`You left the page with this draft, and its markable or SCU has changed since: ${words}`);
}

/** Forget a draft where it is the one that is stored: another tab may have stored its own. @type {(place: string, draft: object | null) => void} */
export function forgetDraft(place, draft) {
  if (JSON.stringify(readJson(local, `${PREFIX} ${place}`)) === JSON.stringify(draft)) {
    remove(local, `${PREFIX} ${place}`);
  }
}
