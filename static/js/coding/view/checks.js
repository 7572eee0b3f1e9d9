// What to look at before submitting, each with the way to it. Loaded when it is opened.
import { openCheckList } from "../../workbench/dialogs/check-list.js";
import { checkList } from "../checks.js";
import { memberItem } from "./panel.js";
/** @import { Page } from "../types.js" */

/** @type {(page: Page, waiting: number) => void} waiting: operations that are not saved yet */
export function openChecks(page, waiting) {
  const { model, judgements, decided } = page;
  openCheckList(`${decided} of ${model.coded.length} decided.`, waiting, checkList(model, judgements).map(({ title, findings }) => ({
    title, count: findings.length, items: findings.map(({ key, text }) => () => memberItem(page, key, text)),
  })), model.coded.length ? "" : "Nothing is marked: the coding would be empty.");
}
