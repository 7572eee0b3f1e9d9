// The one way by which a page changes its state: changes become steps of operations, shown at once and sent behind.
import { addStep, applyChanges, invert, markRedone, markUndone, redoable, undoable } from "./history.js";
import { uuid } from "./saving/sync.js";
/** @import { Change, EditorOptions, WorkbenchModel } from "./types.js" */

const IDLE_THRESHOLD = 5 * 60; // seconds; a longer pause is no time at work, as on the server

/** @template {WorkbenchModel} M @template S @param {EditorOptions<M, S>} options */
export function createEditor({ page, machine, sync, unsent, version, say, tell, commit, refresh, fields, show }) {
  let last = /** @type {number | null} */ (null); // when something was written
  let reading = false;

  /** All changes of one call are one step. @param {Change[]} changes @param {string | null} undoes the step that this takes back @param {S} [after] */
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

  /** Take a step back, or do it again. @param {boolean} forward redo instead of undo */
  async function undo(forward) {
    commit();
    const next = () => (forward ? redoable(page.history) : undoable(page.history));
    if (next() === null && !page.history.whole && !(await readLog())) {
      return;
    }
    const step = next();
    if (step === null) {
      tell(forward ? "Nothing to redo." : "Nothing to undo.");
      return;
    }
    const changes = forward ? step.changes : step.inverse;
    const { id } = write(changes, forward ? step.undoneBy : step.id);
    page.history = forward ? markRedone(page.history) : markUndone(page.history, id);
    refresh();
    const done = forward ? "Redone" : "Undone";
    if (fields.some((field) => field === document.activeElement)) {
      tell(`${done}.`); // what is being written there is about what is selected
    } else {
      show(changes, done);
    }
  }

  /** The steps of earlier visits stand in the log, which the server keeps. */
  async function readLog() {
    if (reading) {
      return false;
    }
    reading = true;
    say("Loading your history…");
    try {
      const { fromLog, withUnsent } = await import("./saving/log.js");
      const log = withUnsent(await sync.log(0, version), unsent);
      page.history = fromLog(machine, page.model, log, page.history); // as the page is now, after the wait
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
