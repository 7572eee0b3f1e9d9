// The draft that this browser keeps until it is saved: a reload, a crash or the end of a session loses nothing.
import { local, readJson, remove, write } from "../workbench/settings.js";
import { whatIsSent } from "./questions.js";
/** @import { Draft, StoredDraft, Scheme } from "./types.js" */

/** @param {string} address of the draft, which names the project @param {string} user whose it is */
export function createDraftStorage(address, user) {
  const place = `coindex-scheme 1 ${user} ${address}`;

  /** @returns {StoredDraft | null} null also where it cannot be read */
  function load() {
    const found = /** @type {StoredDraft | null} */ (readJson(local, place));
    try {
      return found && { ...found, draft: { scheme: whatIsSent(found.draft.scheme), merges: [...found.draft.merges] }, saved: whatIsSent(found.saved) };
    } catch {
      return null;
    }
  }

  return {
    load,
    /** @param {Draft} draft @param {Scheme} saved what it is a draft of @param {string} version of that */
    store: (draft, saved, version) => write(local, place, JSON.stringify({ draft, saved, version, at: Date.now() })),
    forget: () => remove(local, place),
  };
}
