// Doing and taking back: edits of the pyramid are checked, written as steps, and shown.
import { showDraft } from "../../workbench/saving/visits.js";
import { createEditor } from "../../workbench/editor.js";
import { markableOf } from "../../workbench/judgements.js";
import * as edits from "./edits.js";
import { refusal } from "./rules.js";
import { apply, PYRAMID, pyramidOf } from "../state.js";
import { reveal } from "../view/words.js";
/** @import { Changes, Frame, Operation, PyramidEditor, PyramidState, Refusal, Sync } from "../types.js" */

/** @type {(frame: Frame, sync: Sync, unsent: Operation[], sayOnly: (words: string) => void) => PyramidEditor} sayOnly: to the eye */
export function createPyramidEditor({ page, view, list, refresh, select, say, machine }, sync, unsent, sayOnly) {
  const { model } = page;
  const editor = createEditor({
    page, machine, sync, unsent, version: model.version, say: sayOnly, tell: say, commit: commitFields, refresh, fields: Object.values(list.fields),
    show(changes, done) {
      const touched = changes.map((change) => markableOf(change) ?? "").findLast((key) => page.pyramid.byKey.has(key)) ?? null;
      const scu = changes.flatMap((change) => (change.kind === "describe" ? change.payload.scu : [])).findLast((key) => page.pyramid.scus.has(key));
      select(page.pyramid.byKey.get(touched ?? "")?.scus[0] ?? scu ?? page.scu, touched);
      say(`${done}.`);
    },
  });

  /** Why what an edit would make cannot be. @type {(edit: Changes, after: PyramidState) => Refusal | null} */
  function fault({ changes }, after) {
    return model.readOnly ? { refused: "This coding is submitted and can only be read." }
      : refusal(model, pyramidOf(model, after), edits.touchedBy(changes), edits.called(page.pyramid, page.numberOf));
  }

  /** @type {PyramidEditor["check"]} */
  const check = (edit) => ("refused" in edit ? edit : fault(edit, apply(model, page.state, edit.changes)))?.refused ?? null;

  /** @type {(refused: Refusal, edit?: Changes) => boolean} edit: what would have been done */
  function refuse({ refused, at = [] }, edit) {
    page.clash = new Set(at);
    refresh();
    say(refused, true);
    if (edit) {
      import("./offers.js").then((part) => part.showOffer(page, { check, perform }, edit, refused), () => null); // without it the words alone stand there
    }
    const [first] = at.flatMap((key) => page.pyramid.byKey.get(key)?.places ?? []);
    if (first !== undefined) {
      reveal(view, first);
    }
    return false;
  }

  /** @type {PyramidEditor["perform"]} */
  function perform(edit, message, reveals = true) {
    commitFields();
    if ("refused" in edit) {
      return refuse(edit);
    }
    const after = apply(model, page.state, edit.changes);
    const why = fault(edit, after);
    if (why) {
      return refuse(why, edit);
    }
    editor.record(edit.changes, machine === PYRAMID ? after : undefined);
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
    say(message);
    if (reveals) {
      list.reveal(page.scu); // measures: all that changes the page has been done
    }
    return true;
  }

  /** @type {PyramidEditor["draft"]} */
  function draft() {
    const { label, comment } = list.fields;
    const scu = label.dataset.scu ?? "";
    const same = label.value === label.defaultValue && comment.value === comment.defaultValue;
    return same || model.readOnly || model.peer || !page.pyramid.scus.has(scu) ? null
      : { scu, label: label.value, comment: comment.value, before: described(scu) };
  }

  /** @type {(written: { scu: string, label: string, comment: string }) => void} */
  function describe({ scu, label, comment }) {
    const said = { label: label.replace(/\s+/g, " ").trim(), comment: comment.trim() };
    editor.record(edits.say(model, page.state, scu, said).changes);
  }

  /** What is recorded of an SCU. @param {string} scu */
  function described(scu) {
    const { label = "", comment = "" } = page.pyramid.scus.get(scu) ?? {};
    return JSON.stringify([label, comment]);
  }

  /** @type {PyramidEditor["takeUp"]} */
  function takeUp({ scu, label, comment, before }) {
    if (model.readOnly || typeof scu !== "string" || typeof label !== "string" || typeof comment !== "string") {
      return null;
    }
    if (!page.pyramid.scus.has(scu) || before !== described(scu)) {
      showDraft(`${label} ${comment}`);
      return null;
    }
    describe({ scu, label, comment });
    return scu;
  }

  /** @type {PyramidEditor["commitFields"]} */
  function commitFields() {
    const written = draft();
    if (written !== null) {
      const { label, comment } = list.fields;
      label.defaultValue = label.value;
      comment.defaultValue = comment.value;
      describe(written);
    }
  }

  return { write: editor.write, check, perform, undo: editor.undo, commitFields, draft, takeUp };
}
