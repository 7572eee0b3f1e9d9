// What to look at before handing in, each with the way to it.
import { checkList } from "./checks.js";
import { element } from "./element.js";
import { memberItem } from "./view-panel.js";

const MOST = 50; // of one kind
const byId = (id) => document.getElementById(id);

/** @param {number} waiting operations that are not saved yet */
export function openCheckList(page, waiting) {
  const list = checkList(page.model, page.judgements);
  const { model } = page;
  const said = [`${page.decided} of ${model.coded.length} decided.`];
  if (list.length === 0) {
    said.push("Nothing is left to look at.");
  }
  if (waiting > 0) {
    said.push("It can be handed in when everything is saved.");
  }
  byId("checks-said").textContent = said.join(" ");
  byId("check-list").replaceChildren(...list.flatMap(({ title, findings }) => {
    const items = element("ul", "members");
    items.append(...findings.slice(0, MOST).map(({ key, text }) => memberItem(page, key, text)));
    const rest = findings.length - MOST;
    return [
      element("h3", "", `${title}: ${findings.length}`), items, ...(rest > 0 ? [element("p", "quiet small", `and ${rest} more`)] : []),
    ];
  }));
  byId("submit-now").textContent = list.length > 0 ? "Hand in all the same" : "Hand in";
  byId("submit-now").classList.toggle("primary", list.length === 0);
  byId("submit-not").classList.toggle("primary", list.length > 0);
  byId("checks").showModal();
}
