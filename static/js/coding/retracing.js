// Finds the step to take back or to do again; those of earlier visits stand in the log, which the server keeps.
import { fromLog, redoable, undoable } from "./history.js";

/**
 * @param {object} frame
 * @param {any} frame.page @param {{log: Function}} frame.sync @param {number} frame.version that of the page when it was opened
 * @param {Operation[]} frame.unsent what an earlier visit could not send @param {Function} frame.say @param {Function} frame.tell
 * @param {any} [frame.machine] what carries operations out, where it is not the coding page's
 */
export function createRetracing({ page, sync, version, unsent, say, tell, machine }) {
  let reading = false;

  /** @param {boolean} forward to be done again instead of taken back @returns {Promise<Step|null>} null: it has been said why */
  async function next(forward) {
    const at = () => (forward ? redoable(page.history) : undoable(page.history));
    if (at() === null && !page.history.whole && !(await readLog())) {
      return null;
    }
    if (at() === null) {
      tell(forward ? "There is nothing to do again." : "There is nothing to undo.");
    }
    return at();
  }

  async function readLog() {
    if (reading) {
      return false;
    }
    reading = true;
    say("Reading what you did before…");
    try {
      const log = await sync.log(0, version);
      const known = new Set(log.map((one) => one.uuid));
      page.history = fromLog(page.model, [...log, ...unsent.filter((one) => !known.has(one.uuid))], page.history, machine);
      say("");
      return true;
    } catch {
      tell("What you did before this page was opened is on the server, which does not answer now.");
      return false;
    } finally {
      reading = false;
    }
  }

  return { next };
}
