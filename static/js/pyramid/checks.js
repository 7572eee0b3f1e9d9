// What to look at before submitting. Pure.
/** @import { Finding, Model, Pyramid, Scu } from "./types.js" */

/** Whether the server would not take it: an agreed pyramid says of each contributor in which SCU it is. @type {(model: Model, pyramid: Pyramid) => boolean} */
export const isRefused = ({ kind }, { loose }) => kind === "agreed" && loose.length > 0;

/** @type {(model: Model, pyramid: Pyramid, freeCounts: number[]) => { title: string, note: string, findings: Finding[] }[]} */
export function checkList(model, pyramid, freeCounts) {
  /** @param {Scu} one */
  const weights = (one) => `weight ${one.weight}`;
  /** @param {Scu} one */
  const words = (one) => one.contributors[0]?.words ?? one.models[0] ?? "";
  /** @type {{ title: string, note: string, findings: Finding[] }[]} */
  const list = model.peer ? [
    {
      title: "Marks whose SCU is no longer in the pyramid", note: "Move them to another SCU, or mark them as no SCU.",
      findings: pyramid.order.filter((one) => one.gone)
        .flatMap((scu) => scu.contributors.map((one) => ({ scu: scu.key, contributor: one.key, text: one.words }))),
    },
  ] : [
    {
      title: "SCUs without a label", note: "",
      findings: pyramid.order.filter((one) => !one.label).map((one) => ({ scu: one.key, text: words(one) || "without words" })),
    },
    {
      title: "SCUs without contributors", note: "Their weight is 0.",
      findings: pyramid.order.filter((one) => one.contributors.length === 0).map((one) => ({ scu: one.key, text: one.label })),
    },
    {
      title: "Contributors in no SCU", note: isRefused(model, pyramid) ? "Put each into an SCU, or remove it: else the pyramid cannot be submitted." : "",
      findings: pyramid.loose.map((one) => ({ contributor: one.key, text: one.words })),
    },
    {
      title: "SCUs of one summary only", note: "Allowed. Check whether another summary says the same.",
      findings: pyramid.order.filter((one) => one.weight === 1).map((one) => ({ scu: one.key, text: one.label || words(one), hint: weights(one) })),
    },
  ];
  list.push({
    title: model.peer ? "Words that are not marked" : "Words in no SCU", note: "",
    findings: freeCounts.flatMap((count, place) => (count > 0
      ? [{ free: place, text: model.summaries[place].name, hint: `${count} ${count === 1 ? "word" : "words"}` }] : [])),
  });
  return list.filter(({ findings }) => findings.length > 0);
}
