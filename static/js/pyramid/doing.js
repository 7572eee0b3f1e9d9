// Doing and taking back: edits become steps of operations, which are shown at once and sent behind.
import { inverse, redone, remember, undone } from "../coding/history.js";
import { createRetracing } from "../coding/retracing.js";
import { uuid } from "../coding/sync.js";
import * as edits from "./edits.js";
import { refusal } from "./rules.js";
import { apply, PYRAMID, see } from "./state.js";
import { reveal } from "./view-words.js";

const THOUGHT = 5 * 60; // seconds; a longer pause is no time at work, as on the server

/** @param {any} frame the page, its parts, and what main.js does with them; unsent: what an earlier visit could not send */
export function createDoing({ page, view, list, sync, unsent, refresh, select, say, tell }) {
  const { model } = page;
  let last = null; // when something was done
  const retracing = createRetracing({ page, sync, version: model.version, unsent, say, tell, machine: PYRAMID });

  /**
   * Do something: shown at once, sent behind. All deeds of one call are one step.
   * @param {Deed[]} deeds @param {string|null} undoes @param {PyramidState} after
   */
  function write(deeds, undoes = null, after = apply(model, page.state, deeds)) {
    const now = new Date();
    const operations = deeds.map((one) => ({ ...one, uuid: uuid(crypto), made_at: now.toISOString(), step: null, undoes }));
    const id = operations[0].uuid;
    if (operations.length > 1) {
      operations.forEach((one) => {
        one.step = id;
      });
    }
    page.state = after;
    sync.push(...operations);
    const gap = last === null ? 0 : (now - last) / 1000;
    page.seconds += gap <= THOUGHT ? gap : 0;
    last = now;
    return { id, uuids: operations.map((one) => one.uuid) };
  }

  /** Why an edit cannot be; null: it can. @param {Edit} edit @returns {string|null} */
  function check(edit) {
    return ("refused" in edit ? edit : fault(edit, apply(model, page.state, edit.deeds)))?.refused ?? null;
  }

  /** @param {{deeds: Deed[]}} edit @param {PyramidState} after what it would make @returns {Refusal|null} */
  function fault({ deeds }, after) {
    return model.readOnly ? { refused: "This coding is handed in and can only be read." }
      : refusal(model, see(model, after), edits.touchedBy(deeds), edits.called(page.seen, page.numberOf));
  }

  /**
   * Carry an edit out as one step, or say why not.
   * @param {Edit} edit @param {string} said @param {boolean} [reveals] the selected SCU comes into sight
   * @returns {boolean} it was done
   */
  function carry(edit, said, reveals = true) {
    commitFields();
    const after = "refused" in edit ? null : apply(model, page.state, edit.deeds);
    const why = after === null ? edit : fault(edit, after);
    if (why) {
      page.clash = new Set(why.at ?? []);
      refresh();
      tell(why.refused, true);
      const [first] = (why.at ?? []).flatMap((key) => page.seen.byKey.get(key)?.places ?? []);
      if (first !== undefined) {
        reveal(view, first);
      }
      return false;
    }
    if (edit.deeds.length > 0) {
      const back = inverse(model, page.state, edit.deeds, PYRAMID);
      const written = write(edit.deeds, null, after);
      if (back.length > 0) {
        page.history = remember(page.history, { ...written, deeds: edit.deeds, inverse: back, undoneBy: null });
      }
    }
    if (edit.scu !== undefined) {
      page.chosen = new Set();
      page.scu = edit.scu === "" ? null : edit.scu;
    }
    if (edit.contributor !== undefined) {
      page.contributor = edit.contributor;
    }
    page.clash = new Set();
    page.anchor = page.cursor;
    page.mouse = false;
    refresh();
    tell(said);
    if (reveals) {
      list.reveal(page.scu); // measures: all that changes the page has been done
    }
    return true;
  }

  /** @param {boolean} forward redo instead of undo */
  async function retrace(forward) {
    commitFields();
    const change = await retracing.next(forward);
    if (change === null) {
      return;
    }
    const deeds = forward ? change.deeds : change.inverse;
    const { id } = write(deeds, forward ? change.undoneBy : change.id);
    page.history = forward ? redone(page.history) : undone(page.history, id);
    refresh();
    const done = forward ? "Done again." : "Undone.";
    if (Object.values(list.fields).includes(document.activeElement)) {
      tell(done); // what is being written there is about the selected SCU
      return;
    }
    const touched = deeds.map(({ payload }) => payload.to ?? payload.markable ?? "").findLast((key) => page.seen.byKey.has(key)) ?? null;
    const said = deeds.map(({ payload }) => payload.scu).findLast((key) => page.seen.scus.has(key));
    select(page.seen.byKey.get(touched)?.scus[0] ?? said ?? page.scu, touched);
    tell(done);
  }

  /** What was written of the selected SCU. */
  function commitFields() {
    const { label, comment } = list.fields;
    const scu = label.dataset.scu;
    if (model.readOnly || model.peer || !page.seen.scus.has(scu) || (label.value === label.defaultValue && comment.value === comment.defaultValue)) {
      return;
    }
    const edit = edits.say(model, page.state, scu, { label: label.value.replace(/\s+/g, " ").trim(), comment: comment.value.trim() });
    label.defaultValue = label.value;
    comment.defaultValue = comment.value;
    if (edit.deeds.length > 0) {
      const back = inverse(model, page.state, edit.deeds, PYRAMID);
      page.history = remember(page.history, { ...write(edit.deeds), deeds: edit.deeds, inverse: back, undoneBy: null });
    }
  }

  return { write, check, carry, retrace, commitFields };
}
