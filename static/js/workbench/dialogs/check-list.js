// The dialog before submitting: what to look at, each with the way to it.
import { byId, element } from "../dom/element.js";
/** @import { CheckList } from "../types.js" */

const MOST = 50; // of one kind

/** @param {CheckList} list */
export function openCheckList({ summary, waiting, groups, empty, refused }) {
  const complete = groups.length === 0 && !empty;
  byId("checks-said").textContent = [
    summary, empty, complete ? "Everything is complete." : "", waiting > 0 && !refused ? "It can be submitted when everything is saved." : "",
  ].filter(Boolean).join(" ");
  byId("check-list").replaceChildren(...groups.flatMap(({ title, count, note, items }) => [
    element("h3", "", `${title}: ${count}`), ...(note ? [element("p", "muted small", note)] : []),
    element("ul", "workbench-items", items.slice(0, MOST).map((item) => item())),
    ...(items.length > MOST ? [element("p", "muted small", `and ${items.length - MOST} more`)] : []),
  ]));
  for (const [name, end] of [["submit-now", ""], ["submit-next", ", open next text"]]) {
    const submit = document.getElementById(name);
    if (!submit) continue;
    submit.textContent = `Submit${complete ? "" : " anyway"}${end}`;
    submit.classList.toggle("primary", complete);
  }
  const submits = document.getElementById("submits"); // not there in practice
  if (submits) {
    submits.hidden = refused;
  }
  byId("submit-not").classList.toggle("primary", !complete);
  byId("checks", HTMLDialogElement).showModal();
}
