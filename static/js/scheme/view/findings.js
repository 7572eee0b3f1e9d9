// What is wrong with the draft, and what follows from it, beside the preview.
import { button, element } from "../../workbench/dom/element.js";
import { find, labelOf } from "../questions.js";
import { KIND_NAMES } from "./form.js";
/** @import { Consequence, Designer, Kind, Problem } from "../types.js" */

/** Open topics stay open when the draft changes. @type {Set<string>} */
const open = new Set();

/** @param {HTMLElement} root @param {Designer} designer @param {Consequence[]} consequences */
export function paintFindings(root, designer, consequences) {
  const problems = designer.problems();
  const nodes = [];
  if (problems.length > 0) {
    nodes.push(element("h3", "", problems.length === 1 ? "1 problem" : `${problems.length} problems`));
    const list = element("ul", "scheme-problems");
    list.append(...problems.map((problem) => problemNode(designer, problem)));
    nodes.push(list);
  }
  nodes.push(...consequences.filter((one) => one.allowed === null).map(({ name }) => {
    const note = element("div", "notice warning");
    note.append(element("p", "", name));
    return note;
  }));
  /** @type {Map<string, Consequence[]>} */
  const topics = new Map();
  for (const one of consequences.filter(({ allowed }) => allowed !== null)) {
    topics.set(one.topic, [...topics.get(one.topic) ?? [], one]);
  }
  for (const [topic, all] of topics) {
    nodes.push(topicNode(topic, all));
  }
  root.replaceChildren(...nodes);
}

/** @param {Designer} designer @param {Problem} problem */
function problemNode(designer, { kind, question, message }) {
  const item = element("li");
  const asked = kind in KIND_NAMES ? find(designer.scheme(), /** @type {Kind} */ (kind), question) : undefined;
  if (asked) {
    const link = button("link-button", `${KIND_NAMES[/** @type {Kind} */ (kind)]} ${labelOf(asked, question)}`);
    link.addEventListener("click", () => designer.select({ kind: /** @type {Kind} */ (kind), key: question }, true));
    item.append(link, ": ");
  }
  item.append(element("span", "", message));
  return item;
}

/** @param {string} topic @param {Consequence[]} all */
function topicNode(topic, all) {
  const panel = element("details", "scheme-topic");
  const summary = element("summary", "", topic);
  const allowed = all.filter((one) => one.allowed).length;
  summary.append(element("span", "muted small", ` ${allowed} of ${all.length}`));
  const list = element("ul", "scheme-consequences");
  for (const { name, allowed: yes, why } of [...all].sort((one, other) => Number(other.allowed) - Number(one.allowed))) {
    const item = element("li", yes ? "" : "muted");
    item.append(element("span", "scheme-yes", yes ? "✓ " : "– "), element("span", "sr-only", yes ? "yes: " : "no: "), element("strong", "", name));
    if (why) {
      item.append(element("span", "small", ` ${why}`));
    }
    list.append(item);
  }
  panel.open = open.has(topic);
  panel.addEventListener("toggle", () => open[panel.open ? "add" : "delete"](topic));
  panel.append(summary, list);
  return panel;
}
