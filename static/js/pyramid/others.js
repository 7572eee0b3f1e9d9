// How the coders have an SCU of the agreed pyramid, and taking over what they have. Pure.
import { draft } from "./edits/edits.js";
import { markOf, pyramidOf } from "./state.js";
/** @import { Contributor, Edit, Model, OthersScu, Pyramid, PyramidState, RelatedScu, Scu } from "./types.js" */

/**
 * "same": the same words; "more", "fewer": they contain the others or are part of them; "overlap": each has words that the other lacks.
 * @type {(words: Set<number>, theirs: Set<number>) => RelatedScu["relation"]}
 */
export function relationOf(words, theirs) {
  const isMore = [...words].every((place) => theirs.has(place));
  return [...theirs].every((place) => words.has(place)) ? (isMore ? "same" : "fewer") : isMore ? "more" : "overlap";
}

/** SCUs of a coder that share words with an SCU, each with how it has them, the largest share first. @type {(model: Model, scus: OthersScu[], words: Set<number>) => RelatedScu[]} */
export function related(model, scus, words) {
  return scus.map((scu) => {
    const theirs = wordsOf(model, scu);
    return { scu, shared: [...theirs].filter((place) => words.has(place)).length, relation: relationOf(words, theirs) };
  }).filter(({ shared }) => shared > 0).sort((a, b) => b.shared - a.shared);
}

/** Places of the words of an SCU. @type {(model: Model, scu: OthersScu) => Set<number>} */
export const wordsOf = (model, { contributors }) => new Set(contributors.flatMap((key) => markOf(model, key).places));

/** Places of the words of an SCU of this pyramid. @type {(scu: Scu) => Set<number>} */
export const wordsOfScu = (scu) => new Set(scu.contributors.flatMap((contributor) => contributor.places));

/** SCUs of this pyramid that some coder has otherwise, or not at all, in their order. @type {(model: Model, pyramid: Pyramid) => Scu[]} */
export function differences(model, pyramid) {
  return pyramid.order.filter((scu) => {
    const words = wordsOfScu(scu);
    return model.others.some(({ scus }) => {
      const found = related(model, scus, words);
      return found.length !== 1 || found[0].relation !== "same";
    });
  });
}

/** In words, what a coder has of an SCU. @type {(found: RelatedScu[]) => string} */
export function describeRelation(found) {
  if (found.length === 0) {
    return "no such SCU";
  }
  if (found.length > 1) {
    return `split over ${found.length} SCUs`;
  }
  return { same: "the same words", more: "more words", fewer: "fewer words", overlap: "some of the words, and others" }[found[0].relation];
}

/** SCUs of the coders that share no words with any SCU of this pyramid. @type {(model: Model, pyramid: Pyramid) => { coder: string, scu: OthersScu }[]} */
export function missingScus(model, pyramid) {
  const marked = new Set(pyramid.contributors.filter((contributor) => contributor.scus.length > 0).flatMap((contributor) => contributor.places));
  return model.others.flatMap(({ coder, scus }) => scus
    .filter((scu) => scu.contributors.length > 0 && ![...wordsOf(model, scu)].some((place) => marked.has(place)))
    .map((scu) => ({ coder, scu })));
}

/**
 * An SCU as another coder has it, in an agreed pyramid. Words of its contributors are taken from the SCUs that have them.
 * @type {(model: Model, state: PyramidState, theirs: { label: string, contributors: string[] }, scu: string | null, fresh: string) => Edit}
 */
export function takeTheirs(model, state, theirs, scu, fresh) {
  const { changes, add, take, describe, value } = draft(model, state);
  const target = scu ?? fresh;
  const pyramid = pyramidOf(model, state);
  pyramid.scus.get(target)?.contributors.forEach(({ key }) => {
    if (!theirs.contributors.includes(key)) {
      take(key, target);
    }
  });
  if (model.exclusive) {
    for (const key of theirs.contributors) {
      const { parts } = markOf(model, key);
      /** @param {Contributor} contributor */
      const clash = (contributor) => contributor.key !== key && contributor.parts.some(([start, end]) => parts.some((part) => start < part[1] && part[0] < end));
      for (const contributor of pyramid.contributors.filter((each) => clash(each) && !each.scus.includes(target))) {
        contributor.scus.filter((each) => value(contributor.key).indices.includes(each)).forEach((each) => take(contributor.key, each));
      }
      value(key).indices.filter((each) => each !== target).forEach((each) => take(key, each));
    }
  }
  theirs.contributors.filter((key) => !value(key).indices.includes(target)).forEach((key) => add(key, target));
  if (scu === null) {
    describe(target, { label: theirs.label || markOf(model, theirs.contributors[0] ?? "").words });
  }
  return { changes, scu: target, contributor: null };
}
