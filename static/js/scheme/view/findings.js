// What is wrong with the draft, and what follows from it, beside the preview.
import { button, element } from "../../workbench/dom/element.js";
import { find, labelOf } from "../questions.js";
import { KIND_NAMES } from "./form.js";
/** @import { Consequence, Designer, Kind, Problem } from "../types.js" */

const open = /** @type {Set<string>} */ (new Set()); // Open topics stay open when the draft changes.

/** @param {HTMLElement} root @param {Designer} designer @param {Consequence[]} consequences */
export function paintFindings(root, designer, consequences) {
  const problems = designer.problems();
  const topics = Map.groupBy(consequences.filter(({ allowed }) => allowed !== null), ({ topic }) => topic);
  root.replaceChildren(
    ...(problems.length > 0 ? [
      element("h3", "", problems.length === 1 ? "1 problem" : `${problems.length} problems`),
      element("ul", "scheme-problems", problems.map((problem) => problemNode(designer, problem))),
    ] : []),
    ...consequences.filter((row) => row.allowed === null).map(({ name }) => element("div", "notice warning", element("p", "", name))),
    ...[...topics].map(([topic, all]) => topicNode(topic, all)),
  );
}

/** @param {Designer} designer @param {Problem} problem */
function problemNode(designer, { kind, question, message }) {
  const known = /** @type {Kind} */ (kind);
  const asked = kind in KIND_NAMES ? find(designer.scheme(), known, question) : undefined;
  return element("li", "", [...(asked ? [button("link-button", `${KIND_NAMES[known]} ${labelOf(asked, question)}`, {
    onclick: () => designer.select({ kind: known, key: question }, true),
  }), ": "] : []), element("span", "", message)]);
}

/** @param {string} topic @param {Consequence[]} all */
function topicNode(topic, all) {
  const sorted = all.toSorted((a, b) => Number(b.allowed) - Number(a.allowed));
  const list = element("ul", "scheme-consequences", sorted.map(({ name, allowed, why }) => element("li", allowed ? "" : "muted", [
    element("span", "scheme-yes", allowed ? "✓ " : "– "), element("span", "sr-only", allowed ? "yes: " : "no: "), element("strong", "", name),
    why && element("span", "small", ` ${why}`),
  ])));
  const summary = element("summary", "", [topic, element("span", "muted small", ` ${all.filter((row) => row.allowed).length} of ${all.length}`)]);
  const panel = element("details", "scheme-topic", [summary, list], { open: open.has(topic) });
  panel.addEventListener("toggle", () => {
    if (panel.open) {
      open.add(topic);
    } else {
      open.delete(topic);
    }
  });
  return panel;
}
