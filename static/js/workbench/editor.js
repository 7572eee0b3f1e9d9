// The one way by which a page changes its state: changes become steps of operations, shown at once and sent behind.
import { addStep, applyChanges, invert, markRedone, markUndone, redoable, undoable } from "./history.js";
import { uuid } from "./saving/sync.js";
/** @import { Change, EditorOptions, WorkbenchModel } from "./types.js" */

const IDLE_THRESHOLD = 5 * 60; // seconds; a longer pause is no time at work, as on the server

/** @template {WorkbenchModel} M @template S @param {EditorOptions<M, S>} options */
export function createEditor({ page, machine, sync, unsent, version, say, tell }) {
  /** @type {number | null} */
  let last = null; // when something was written
  let reading = false;

  /**
   * All changes of one call are one step.
   * @param {Change[]} changes @param {string | null} undoes the step that this takes back
   * @param {S} [after]
   */
  function write(changes, undoes = null, after) {
    const now = new Date();
    const uuids = changes.map(() => uuid(crypto));
    const [id] = uuids;
    const step = changes.length > 1 ? id : null;
    const operations = changes.map((change, place) => ({ ...change, uuid: uuids[place], made_at: now.toISOString(), step, undoes }));
    page.state = after ?? applyChanges(machine, page.model, page.state, operations);
    sync.push(...operations);
    const gap = last === null ? 0 : (now.getTime() - last) / 1000;
    page.seconds += gap <= IDLE_THRESHOLD ? gap : 0;
    last = now.getTime();
    return { id, uuids };
  }

  /** Write a step that can be undone. @param {Change[]} changes @param {S} [after] */
  function record(changes, after) {
    if (page.model.readOnly || changes.length === 0) {
      return;
    }
    const inverse = invert(machine, page.model, page.state, changes);
    const written = write(changes, null, after);
    if (inverse.length > 0) {
      page.history = addStep(page.history, { ...written, changes, inverse, undoneBy: null });
    }
  }

  /**
   * Take a step back, or do it again.
   * @param {boolean} forward redo instead of undo
   * @returns {Promise<Change[] | null>} what was written; null: there is no such step, which has been said
   */
  async function undo(forward) {
    const next = () => (forward ? redoable(page.history) : undoable(page.history));
    if (next() === null && !page.history.whole && !(await readLog())) {
      return null;
    }
    const step = next();
    if (step === null) {
      tell(forward ? "Nothing to redo." : "Nothing to undo.");
      return null;
    }
    const changes = forward ? step.changes : step.inverse;
    const { id } = write(changes, forward ? step.undoneBy : step.id);
    page.history = forward ? markRedone(page.history) : markUndone(page.history, id);
    return changes;
  }

  /** The steps of earlier visits stand in the log, which the server keeps. */
  async function readLog() {
    if (reading) {
      return false;
    }
    reading = true;
    say("Loading your history…");
    try {
      const { readHistory } = await import("./saving/log.js");
      page.history = await readHistory(machine, page, sync.log(0, version), unsent);
      say("");
      return true;
    } catch {
      tell("Your earlier actions are on the server, which is not responding.");
      return false;
    } finally {
      reading = false;
    }
  }

  return { write, record, undo };
}
