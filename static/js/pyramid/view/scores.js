// The scores of a peer beside its SCUs, as agreement/measures/pyramids.py has them (Nenkova & Passonneau 2004). Loaded where
// the project shows them.
import { byId, element } from "../../workbench/dom/element.js";
/** @import { Against, Page, Score, Scores } from "../types.js" */

const figure = (/** @type {number | null} */ value) => (value === null ? "–" : value.toFixed(3));
const number = (/** @type {number} */ value) => (Number.isInteger(value) ? String(value) : value.toFixed(1));

/** The scores of the peer, as they are now, where the project shows them. @type {(page: Page) => void} */
export function paintScores({ model, pyramid }) {
  const table = byId("scores", HTMLTableElement);
  table.hidden = !model.against?.scus.length;
  if (table.hidden || !model.against) {
    return;
  }
  const expressed = pyramid.order.filter((scu) => scu.contributors.length > 0).map((scu) => scu.key);
  const all = scores(model.against, expressed, pyramid.contributors.filter((contributor) => contributor.outside).length);
  /** @type {[string, Score][]} */
  const rows = [["Original", all.original], ["Modified", all.modified], ["Comprehensive", all.comprehensive]];
  table.tBodies[0].replaceChildren(...rows.map(([name, { value, found, best, n }]) => element("tr", "", [
    element("th", "", name, { scope: "row" }), element("td", "pyramid-number pyramid-score", figure(value)),
    element("td", "pyramid-number", `${number(found)} of ${number(best)}`), element("td", "pyramid-number", number(n)),
  ])));
  table.title = `The whole pyramid weighs ${all.most}.`;
}

/** The largest weight that n SCUs of a pyramid can have. @type {(weights: number[], n: number) => number} */
export function best(weights, n) {
  const heaviest = [...weights].sort((a, b) => b - a);
  return heaviest.slice(0, n).reduce((sum, weight) => sum + weight, 0);
}

/**
 * Original: as many SCUs as the peer has; modified: the mean number of the model summaries, halves rounded up;
 * comprehensive: their harmonic mean. A value is null where no SCU could be found. expressed: keys of SCUs; outside: content
 * units in no SCU.
 * @type {(against: Against, expressed: Iterable<string>, outside: number) => Scores}
 */
export function scores({ scus, summaries }, expressed, outside) {
  const weights = new Map(scus.map((scu) => [scu.key, scu.weight]));
  const own = [...new Set(expressed)].filter((key) => weights.has(key));
  const found = own.reduce((sum, key) => sum + (weights.get(key) ?? 0), 0);
  const most = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  /** @type {(n: number) => Score} */
  const score = (n) => {
    const most = best([...weights.values()], n);
    return { value: most > 0 ? found / most : null, found, best: most, n };
  };
  const original = score(own.length + outside);
  const modified = score(summaries > 0 ? Math.floor(most / summaries + 0.5) : 0);
  const middle = (original.best + modified.best) / 2;
  const value = original.value === null || modified.value === null ? null : found / middle;
  return { original, modified, comprehensive: { value, found, best: middle, n: (original.n + modified.n) / 2 }, most };
}
