// What to look at before handing in, each with the way to it.
import { element } from "../coding/element.js";
import { checkList } from "./checks.js";
import { freeCounts } from "./words.js";

const MOST = 50; // of one kind
const byId = (id) => document.getElementById(id);

/** @param {number} waiting operations that are not saved yet */
export function openCheckList(page, waiting) {
  const { model, seen } = page;
  const list = checkList(model, seen, freeCounts(model, seen));
  const said = [`${seen.order.filter((one) => !model.peer || one.contributors.length > 0).length} SCUs, ${seen.contributors.length} contributors.`];
  if (list.length === 0) {
    said.push("Nothing is left to look at.");
  }
  if (waiting > 0) {
    said.push("It can be handed in when everything is saved.");
  }
  byId("checks-said").textContent = said.join(" ");
  byId("check-list").replaceChildren(...list.flatMap(({ title, note, findings }) => {
    const free = model.words.length - seen.of.filter((all) => all.length > 0).length;
    const count = findings.some((one) => one.free !== undefined) ? free : findings.length;
    const items = element("ul", "members");
    items.append(...findings.slice(0, MOST).map((finding) => row(finding)));
    const rest = findings.length - MOST;
    return [
      element("h3", "", `${title}: ${count}`), ...(note ? [element("p", "quiet small", note)] : []), items,
      ...(rest > 0 ? [element("p", "quiet small", `and ${rest} more`)] : []),
    ];
  }));
  byId("submit-now").textContent = list.length > 0 ? "Hand in all the same" : "Hand in";
  byId("submit-now").classList.toggle("primary", list.length === 0);
  byId("submit-not").classList.toggle("primary", list.length > 0);
  byId("checks").showModal();
}

function row({ scu, contributor, free, text, hint = "" }) {
  const item = element("li");
  const button = element("button", "member");
  button.type = "button";
  if (free !== undefined) {
    button.dataset.free = String(free);
  } else if (contributor !== undefined) {
    button.dataset.contributor = contributor;
    item.dataset.of = scu ?? "";
  } else {
    button.dataset.goto = scu;
  }
  button.append(element("span", "words", text), element("span", "where", hint));
  item.append(button);
  return item;
}
