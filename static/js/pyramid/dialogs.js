// The dialogs in which an SCU is chosen, to move a contributor there or to merge with, and the places that words lead to. Loaded
// with the list of all actions.
import { findMatches } from "../workbench/dialogs/search.js";
import { element } from "../workbench/dom/element.js";
import * as edits from "./edits/edits.js";
import { filtered, nameOf } from "./state.js";
import { badge } from "./view/words.js";
/** @import { Contributor, Frame, Picker, Places, PyramidEditor, Run, Scu } from "./types.js" */

const MAX_SCUS = 20;
const MAX_MATCHES = 200;
const BEFORE = 2; // words of the text around a match that are shown
const AFTER = 3;

/** @type {(frame: Frame, editor: PyramidEditor, picker: Picker, homeOf: (contributor: Contributor) => string | undefined) => { move: (contributor: string) => void, merge: (scu: string) => void }} */
export function createDialogs({ page }, { perform, check }, picker, homeOf) {
  const { model } = page;

  /** @type {(title: string, except: string, run: (scu: Scu) => void, preview: (scu: Scu) => Node[]) => void} */
  function pickScu(title, except, choose, preview) {
    picker.open({
      title, none: "No other SCU has these words.", placeholder: "words of its label or contributors, or its number",
      choices: (query) => filtered(page.pyramid.order.filter((scu) => scu.key !== except && !scu.gone), query, page.numberOf).map((scu) => ({
        label: nameOf(scu), badge: badge(page.numberOf(scu.key), scu.weight), hint: `weight ${scu.weight}`, preview: () => preview(scu), run: () => choose(scu),
      })),
    });
  }

  /** @param {Contributor[]} all */
  const wordsList = (all) => all.map((contributor) => element("span", "workbench-picker-words", contributor.words, { dir: "auto" }));

  /** @param {string} key */
  function move(key) {
    const contributor = page.pyramid.byKey.at(key);
    const from = homeOf(contributor) ?? "";
    pickScu(`Move “${contributor.words}” to …`, from, (scu) => perform(edits.moveTo(model, page.state, key, from, scu.key), "Moved."), (scu) => {
      const why = check(edits.moveTo(model, page.state, key, from, scu.key));
      return why ? [element("p", "workbench-message", why)] : wordsList([...scu.contributors, contributor]);
    });
  }

  /** @param {string} from */
  function merge(from) {
    const edit = (/** @type {Scu} */ into) => edits.merge(model, page.state, from, into.key);
    const title = `Merge “${nameOf(page.pyramid.scus.at(from))}” into …`;
    pickScu(title, from, (into) => perform(edit(into), "Merged. Undo separates them again."), (into) => {
      const planned = edit(into);
      const why = check(planned);
      if (why !== null || "refused" in planned) {
        return [element("p", "workbench-message", why ?? "")];
      }
      const { contributors, weight } = edits.after(model, page.state, planned.changes).scus.at(into.key);
      const size = `${contributors.length} ${contributors.length === 1 ? "contributor" : "contributors"}, weight ${weight}`;
      return [element("h3", "", size), ...wordsList(contributors)];
    });
  }

  return { move, merge };
}

/** Where words lead: to SCUs and to words of the text. @type {(frame: Frame, goTo: (place: number) => void) => Places} */
export function createPlaces({ page, select }, goTo) {
  const { model } = page;
  return (query) => {
    const wanted = query.trim();
    const scus = wanted ? filtered(page.pyramid.order, query, page.numberOf).slice(0, MAX_SCUS).map((scu) => ({
      label: nameOf(scu), badge: badge(page.numberOf(scu.key), scu.weight), hint: `weight ${scu.weight}`, run: () => select(scu.key, null),
    })) : [];
    const matches = wanted.length > 1 ? findMatches(model.content, query).slice(0, MAX_MATCHES) : [];
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
