// What to look at before submitting, each with the way to it. Loaded when it is opened.
import { openCheckList } from "../../workbench/dialogs/check-list.js";
import { button, element } from "../../workbench/dom/element.js";
import { freeCounts } from "../text/words.js";
/** @import { Finding, Model, Page, Pyramid, Scu } from "../types.js" */

/** @type {(page: Page, waiting: number) => void} waiting: operations that are not saved yet */
export function openChecks({ model, pyramid }, waiting) {
  const expressed = pyramid.order.filter((scu) => !model.peer || scu.contributors.length > 0).length;
  const free = model.words.length - pyramid.of.filter((all) => all.length > 0).length;
  openCheckList({
    summary: `${expressed} SCUs, ${pyramid.contributors.length} contributors.`, waiting,
    groups: checkList(model, pyramid, freeCounts(model, pyramid)).map(({ title, note, findings }) => ({
      title, note, count: findings.some((finding) => finding.free !== undefined) ? free : findings.length,
      items: findings.map((finding) => () => row(finding)),
    })),
    empty: expressed ? "" : model.peer ? "No SCU is found in this summary." : "There are no SCUs: the pyramid would be empty.",
    refused: isRefused(model, pyramid),
  });
}

/** @type {(finding: Finding) => HTMLElement} */
function row({ scu, contributor, free, text, hint = "" }) {
  const dataset = /** @type {Record<string, string>} */ (free !== undefined ? { free: String(free) }
    : contributor !== undefined ? { contributor } : { goto: scu ?? "" });
  const content = [element("span", "workbench-words", text), element("span", "workbench-place", hint)];
  return element("li", "", button("workbench-item", content, { dataset }), { dataset: { of: scu ?? "" } });
}

/** Whether the server would not take it: an agreed pyramid says of each contributor in which SCU it is. @type {(model: Model, pyramid: Pyramid) => boolean} */
export const isRefused = ({ kind }, { loose }) => kind === "agreed" && loose.length > 0;

/** @type {(model: Model, pyramid: Pyramid, freeCounts: number[]) => { title: string, note: string, findings: Finding[] }[]} */
export function checkList(model, pyramid, freeCounts) {
  const weights = (/** @type {Scu} */ scu) => `weight ${scu.weight}`;
  const words = (/** @type {Scu} */ scu) => scu.contributors[0]?.words ?? scu.models[0] ?? "";
  /** @type {{ title: string, note: string, findings: Finding[] }[]} */
  const list = model.peer ? [
    {
      title: "Marks whose SCU is no longer in the pyramid", note: "Move them to another SCU, or mark them as no SCU.",
      findings: pyramid.order.filter((scu) => scu.gone)
        .flatMap((scu) => scu.contributors.map((contributor) => ({ scu: scu.key, contributor: contributor.key, text: contributor.words }))),
    },
  ] : [
    {
      title: "SCUs without a label", note: "",
      findings: pyramid.order.filter((scu) => !scu.label).map((scu) => ({ scu: scu.key, text: words(scu) || "without words" })),
    },
    {
      title: "SCUs without contributors", note: "Their weight is 0.",
      findings: pyramid.order.filter((scu) => scu.contributors.length === 0).map((scu) => ({ scu: scu.key, text: scu.label })),
    },
    {
      title: "Contributors in no SCU", note: isRefused(model, pyramid) ? "Put each into an SCU, or remove it: else the pyramid cannot be submitted." : "",
      findings: pyramid.loose.map((contributor) => ({ contributor: contributor.key, text: contributor.words })),
    },
    {
      title: "SCUs of one summary only", note: "Allowed. Check whether another summary says the same.",
      findings: pyramid.order.filter((scu) => scu.weight === 1).map((scu) => ({ scu: scu.key, text: scu.label || words(scu), hint: weights(scu) })),
    },
  ];
  list.push({
    title: model.peer ? "Words that are not marked" : "Words in no SCU", note: "",
    findings: freeCounts.flatMap((count, place) => (count > 0
      ? [{ free: place, text: model.summaries[place].name, hint: `${count} ${count === 1 ? "word" : "words"}` }] : [])),
  });
  return list.filter(({ findings }) => findings.length > 0);
}
