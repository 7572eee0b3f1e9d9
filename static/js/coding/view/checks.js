// What to look at before submitting, each with the way to it. Loaded when it is opened.
import { openCheckList } from "../../workbench/dialogs/check-list.js";
import { checkList, refusal } from "../checks.js";
import { memberItem } from "./panel.js";
/** @import { Page } from "../types.js" */

// Where required answers are missing, under the first title, which is theirs, and under the next.
const NOTES = ["Answer these first: without them the text cannot be submitted.", "What follows may stay as it is."];

/** @type {(page: Page, waiting: number) => void} waiting: operations that are not saved yet */
export function openChecks(page, waiting) {
  const { model, judgements, decided } = page;
  const list = checkList(model, judgements);
  const isMissing = list[0]?.kind === "required";
  const refused = refusal(model, judgements);
  openCheckList(model.coded.length > 0 ? `${decided} of ${model.coded.length} decided.` : "", waiting, list.map(({ title, findings }, place) => ({
    title, count: findings.length, note: isMissing ? NOTES[place] : "",
    items: findings.map(({ key, text, question }) => () => memberItem(page, key, text, question)),
  })), refused || (model.coded.length ? "" : nothing(model)), isMissing || refused !== "");
}

/** @param {Page["model"]} model of a text in which nothing is marked */
function nothing({ marking }) {
  return marking.length > 0 ? "Nothing is marked: submitted so, it counts as a text in which you found nothing to mark." : "This text has no markables: the coding would be empty.";
}
