// In place of saving where one only tries: nothing is sent, and nothing is stored.
/** @import { Operation, SaveState, Sync } from "../types.js" */

/** @param {{ show: () => void, page: { model: { version: number } } }} options */
export async function openPractice({ page }) {
  /** @type {Sync} */
  const sync = {
    start: async () => [],
    push: () => {},
    flush: () => {},
    check: async () => {},
    log: async () => [],
    waiting: () => 0,
    version: () => page.model.version,
  };
  const status = { state: /** @type {SaveState} */ ("saved"), waiting: 0, durable: true };
  /** @type {{ unsent: Operation[], left: Record<string, unknown> }} */
  const begun = { unsent: [], left: {} };
  return { sync, status, start: async () => begun, listen: () => {} };
}
