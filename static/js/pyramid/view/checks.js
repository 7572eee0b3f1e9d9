// What to look at before submitting, each with the way to it. Loaded when it is opened.
import { openCheckList } from "../../workbench/dialogs/check-list.js";
import { button, element } from "../../workbench/dom/element.js";
import { checkList, isRefused } from "../checks.js";
import { freeCounts } from "../text/words.js";
/** @import { Finding, Page } from "../types.js" */

/** @type {(page: Page, waiting: number) => void} waiting: operations that are not saved yet */
export function openChecks({ model, pyramid }, waiting) {
  const expressed = pyramid.order.filter((one) => !model.peer || one.contributors.length > 0).length;
  const free = model.words.length - pyramid.of.filter((all) => all.length > 0).length;
  openCheckList(
    `${expressed} SCUs, ${pyramid.contributors.length} contributors.`, waiting,
    checkList(model, pyramid, freeCounts(model, pyramid)).map(({ title, note, findings }) => ({
      title, note, count: findings.some((one) => one.free !== undefined) ? free : findings.length,
      items: findings.map((finding) => () => row(finding)),
    })),
    expressed ? "" : model.peer ? "No SCU is found in this summary." : "There are no SCUs: the pyramid would be empty.",
    isRefused(model, pyramid),
  );
}

/** @type {(finding: Finding) => HTMLElement} */
function row({ scu, contributor, free, text, hint = "" }) {
  const item = element("li");
  const entry = button("workbench-item");
  if (free !== undefined) {
    entry.dataset.free = String(free);
  } else if (contributor !== undefined) {
    entry.dataset.contributor = contributor;
    item.dataset.of = scu ?? "";
  } else {
    entry.dataset.goto = scu ?? "";
  }
  entry.append(element("span", "workbench-words", text), element("span", "workbench-place", hint));
  item.append(entry);
  return item;
}
