// The summaries as words: drawn once, then only the words that have changed are touched.
import { button, element } from "../../workbench/dom/element.js";
import { freeCounts, run } from "../text/words.js";
/** @import { Contributor, Direction, Model, Page, WordsView } from "../types.js" */

const HEAVIEST = 8; // tiers that have a look of their own
const A_MOMENT = 60; // milliseconds

/** The class of a weight. @param {number} weight */
export const tier = (weight) => `pyramid-weight-${Math.min(Math.max(weight, 0), HEAVIEST)}`;

/** The number of an SCU, in the colour of its weight. @type {(number: number, weight: number) => HTMLElement} */
export const badge = (number, weight) => element("span", `chain-badge ${tier(weight)}`, String(number));

/** @type {(root: HTMLElement, model: Model) => WordsView} */
export function buildWords(root, model) {
  const words = /** @type {HTMLElement[]} */ ([]);
  const gaps = /** @type {HTMLElement[]} */ ([]);
  const counts = /** @type {HTMLButtonElement[]} */ ([]);
  const { content, toUnits } = model;
  root.replaceChildren(...model.summaries.map((summary) => {
    const head = element("h2", "pyramid-summary-name", summary.name, { id: `summary-${summary.place}` });
    const count = button("pyramid-summary-free muted", "", { dataset: { free: String(summary.place) } });
    counts.push(count);
    let paragraph = element("div", "plain-line");
    const reading = element("div", "reading", paragraph);
    /** @type {(start: number, end: number, holder: HTMLElement) => void} */
    const plain = (start, end, holder) => {
      const [first, ...rest] = content.slice(start, end).split("\n");
      holder.append(first);
      for (const words of rest.filter((piece, place) => piece.trim() || place === rest.length - 1)) {
        paragraph = element("div", "plain-line", words);
        reading.append(paragraph);
      }
    };
    let at = toUnits(summary.start);
    const [from, to] = summary.words;
    for (let place = from; place >= 0 && place <= to; place += 1) {
      const [start, end] = [toUnits(model.words[place].start), toUnits(model.words[place].end)];
      if (place === from) {
        plain(at, start, paragraph);
      } else {
        const gap = element("span", "pyramid-gap", "", { dataset: { w: String(place - 1) } });
        gaps[place - 1] = gap;
        paragraph.append(gap);
        plain(at, start, gap);
      }
      words[place] = element("span", "pyramid-word", content.slice(start, end), { dataset: { w: String(place) } });
      paragraph.append(words[place]);
      at = end;
    }
    plain(at, toUnits(summary.end), paragraph);
    const section = element("section", "pyramid-summary", [element("header", "pyramid-summary-head", [head, count]), reading]);
    section.setAttribute("aria-labelledby", head.id);
    return section;
  }));
  return { root, words, gaps, counts, shown: [], shownGaps: [], badges: [], late: new Set(), painted: false, waiting: false };
}

/** @type {(view: WordsView, page: Page) => void} */
export function paintWords(view, page) {
  const { model, pyramid, scu, contributor, clash } = page;
  const [first, last] = run(page.anchor, page.cursor);
  const lookOf = (/** @type {Contributor} */ item) => {
    const weight = Math.max(0, ...item.scus.map((key) => pyramid.scus.get(key)?.weight ?? 0));
    return [
      tier(weight), item.scus.length === 0 ? "is-loose" : "", scu !== null && item.scus.includes(scu) ? "is-lit" : "",
      item.key === contributor ? "is-own" : "", clash.has(item.key) ? "is-clash" : "",
    ].filter(Boolean).join(" ");
  };
  const looks = new Map(pyramid.contributors.map((contributor) => [contributor.key, lookOf(contributor)]));
  // Of several contributors that hold a word, that which is looked at decides how it looks.
  /** @type {(all: Contributor[]) => Contributor} */
  const chief = (all) => (all.length === 1 ? all[0]
    : all.find((item) => item.key === contributor) ?? all.find((item) => scu !== null && item.scus.includes(scu)) ?? all[0]);
  /** @param {Contributor[]} all */
  const several = (all) => (all.length === 1 ? all[0].scus.length : new Set(all.flatMap((contributor) => contributor.scus)).size) > 1;
  /** @param {Contributor} contributor */
  const badgeOf = (contributor) => (contributor.scus.length > 0 ? contributor.scus.map((key) => page.numberOf(key)) : ["–"]).join("·");
  model.words.forEach((_, place) => {
    const all = pyramid.of[place];
    const selected = first <= place && place <= last;
    const here = `${selected ? " is-selected" : ""}${place === page.cursor ? " is-cursor" : ""}`;
    const shared = all.length > 0 && several(all) ? " is-shared" : "";
    const look = all.length === 0 ? `pyramid-word is-free${here}` : `pyramid-word pyramid-in-scu ${looks.get(chief(all).key) ?? ""}${shared}${here}`;
    const starting = all.filter((contributor) => contributor.starts.has(place));
    const badge = starting.length > 0 ? starting.map(badgeOf).join("·") : "";
    if (view.shown[place] !== look) {
      view.shown[place] = look;
      view.words[place].className = look;
    }
    if (view.badges[place] !== badge) {
      view.badges[place] = badge;
      view.late.add(place);
    }
    if (view.gaps[place]) {
      const linked = all.filter((contributor) => contributor.links.has(place));
      const scu = linked.length > 0 ? ` pyramid-in-scu ${looks.get(chief(linked).key)}${shared}` : "";
      const gap = `pyramid-gap${scu}${selected && place < last ? " is-selected" : ""}`;
      if (view.shownGaps[place] !== gap) {
        view.shownGaps[place] = gap;
        view.gaps[place].className = gap;
      }
    }
  });
  paintBadges(view);
  freeCounts(model, pyramid).forEach((count, place) => {
    const words = count === 0 ? "all words marked" : `${count} ${count === 1 ? "word" : "words"} ${model.peer ? "not marked" : "in no SCU"}`;
    if (view.counts[place].textContent !== words) {
      view.counts[place].textContent = words;
      view.counts[place].disabled = count === 0;
    }
  });
}

/**
 * Other numbers over words lay out whole paragraphs. They follow a moment later, so that what was done is seen at once;
 * only the first are there with the words.
 * @type {(view: WordsView) => void}
 */
function paintBadges(view) {
  const paint = () => {
    view.late.forEach((place) => {
      if (view.badges[place]) {
        view.words[place].dataset.badge = view.badges[place];
      } else {
        delete view.words[place].dataset.badge;
      }
    });
    view.late.clear();
  };
  if (!view.painted) {
    view.painted = true;
    paint();
  } else if (view.late.size > 0 && !view.waiting) {
    view.waiting = true;
    setTimeout(() => {
      view.waiting = false;
      paint();
    }, A_MOMENT);
  }
}

/** Bring a word into sight. @type {(view: WordsView, place: number) => void} */
export function reveal(view, place) {
  view.words[place]?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** The word above or below in its summary, as the lines are drawn. @type {(view: WordsView, model: Model, place: number, step: Direction) => number} */
export function lineBeside(view, model, place, step) {
  const [first, last] = model.summaries[model.words[place].summary].words;
  const here = view.words[place].getClientRects()[0];
  const middle = (here.left + here.right) / 2;
  let best = /** @type {{ at: number, distance: number } | null} */ (null);
  let line = /** @type {number | null} */ (null);
  for (let at = place + step; at >= first && at <= last; at += step) {
    const box = view.words[at].getClientRects()[0];
    const away = step * (box.top - here.top) > here.height / 2;
    if (away && line !== null && Math.abs(box.top - line) > here.height / 2) {
      break; // the line after that
    }
    if (away) {
      line ??= box.top;
      const distance = Math.abs((box.left + box.right) / 2 - middle);
      if (best === null || distance < best.distance) {
        best = { at, distance };
      }
    }
  }
  return best?.at ?? (step > 0 ? last : first);
}
