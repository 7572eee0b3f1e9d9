// Where words lead: to SCUs and to words of the text. Loaded with the list of all actions.
import { findMatches } from "../../workbench/dialogs/search.js";
import { filtered, nameOf } from "../state.js";
import { badge } from "../view/words.js";
/** @import { Frame, Places, Run } from "../types.js" */

const MOST_SCUS = 20;
const MOST_MATCHES = 200;
const BEFORE = 2; // words of the text around a match that are shown
const AFTER = 3;

/** @type {(frame: Frame, goTo: (place: number) => void) => Places} */
export function createPlaces({ page, select }, goTo) {
  const { model } = page;
  return (query) => {
    const wanted = query.trim();
    const scus = wanted ? filtered(page.pyramid.order, query, page.numberOf).slice(0, MOST_SCUS).map((scu) => ({
      label: nameOf(scu), badge: badge(page.numberOf(scu.key), scu.weight), hint: `weight ${scu.weight}`, run: () => select(scu.key, null),
    })) : [];
    const matches = wanted.length > 1 ? findMatches(model.content, query).slice(0, MOST_MATCHES) : [];
    return [...scus, ...matches.flatMap(([start, end]) => {
      const first = model.words.findIndex((word) => model.toUnits(word.end) > start);
      const last = model.words.findLastIndex((word) => model.toUnits(word.start) < end);
      const summary = model.summaries[model.words[first]?.summary];
      if (first < 0 || last < first || !summary) {
        return [];
      }
      /** @type {Run} */
      const context = [Math.max(first - BEFORE, summary.words[0]), Math.min(last + AFTER + 1, summary.words[1])];
      return [{ label: page.wordsOf(context), hint: summary.name, run: () => goTo(first) }];
    })];
  };
}
