// The scores of a peer beside its SCUs. Loaded where the project shows them.
import { byId, element } from "../../workbench/dom/element.js";
import { scores } from "../scores.js";
/** @import { Page, Score } from "../types.js" */

/** @param {number | null} value */
const figure = (value) => (value === null ? "–" : value.toFixed(3));
/** @param {number} value */
const number = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(1));

/** The scores of the peer, as they are now, where the project shows them. @type {(page: Page) => void} */
export function paintScores({ model, pyramid }) {
  const table = byId("scores", HTMLTableElement);
  table.hidden = !model.against?.scus.length;
  if (table.hidden || !model.against) {
    return;
  }
  const expressed = pyramid.order.filter((one) => one.contributors.length > 0).map((one) => one.key);
  const all = scores(model.against, expressed, pyramid.contributors.filter((one) => one.outside).length);
  /** @type {[string, Score][]} */
  const rows = [["Original", all.original], ["Modified", all.modified], ["Comprehensive", all.comprehensive]];
  table.tBodies[0].replaceChildren(...rows.map(([name, score]) => {
    const row = element("tr");
    const head = element("th", "", name);
    head.scope = "row";
    row.append(head, element("td", "pyramid-number pyramid-score", figure(score.value)), element("td", "pyramid-number", `${number(score.found)} of ${number(score.best)}`),
      element("td", "pyramid-number", number(score.n)));
    return row;
  }));
  table.title = `The whole pyramid weighs ${all.most}.`;
}
