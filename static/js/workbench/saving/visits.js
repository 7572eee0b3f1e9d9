// What a visit leaves to the next one, stored when the page goes away: nothing slower would end.
import { local, readJson, remove, write } from "../settings.js";
import { notify } from "../status.js";
/** @import { Visit } from "../types.js" */

/** @param {string} place address of the coding and name of the user */
const name = (place) => `coindex visit ${place}`;

/** @type {(place: string) => Visit} */
const readVisit = (place) => ({ version: 0, operations: [], draft: null, .../** @type {object | null} */ (readJson(local, name(place))) });

/** Another tab may have left one as well. @type {(place: string, visit: Visit) => void} */
export function storeVisit(place, { version, operations, draft }) {
  const other = readVisit(place);
  write(local, name(place), JSON.stringify({
    version: Math.max(version, other.version),
    operations: [...other.operations, ...operations],
    draft: draft ?? other.draft,
  }));
}

/** Return what was left and forget it. @param {string} place */
export function takeVisit(place) {
  const visit = readVisit(place);
  remove(local, name(place));
  return visit;
}

/** Forget what a page stored that goes on after all. @type {(place: string, own: Visit) => void} */
export function forgetVisit(place, own) {
  const { version, operations, draft } = takeVisit(place);
  const others = operations.filter(({ uuid }) => !own.operations.some((operation) => operation.uuid === uuid));
  const same = JSON.stringify(draft) === JSON.stringify(own.draft);
  storeVisit(place, { version, operations: others, draft: same ? null : draft });
}

/** Show a draft that is not taken up. @param {string} words */
export function showDraft(words) {
  notify(`You left the page with this draft, and its markable or SCU has changed since: ${words}`);
}
