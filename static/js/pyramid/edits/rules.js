// Which contributors go together: the refusals of annotations/coding/pyramids/pyramid_rules.py, in words for the coder.
// Pure.
/** @import { Contributor, Model, Pyramid, Refusal } from "../types.js" */

/**
 * Why some contributors cannot be as they are. What was wrong elsewhere before may stay.
 * @type {(model: Model, pyramid: Pyramid, touched: Set<string>, name: (scu: string) => string) => Refusal | null}
 */
export function refusal(model, pyramid, touched, name) {
  for (const key of touched) {
    const contributor = pyramid.byKey.get(key);
    const why = contributor && (alone(model, contributor, name) ?? doubled(model, pyramid, contributor, name) ?? unknown(model, contributor)
      ?? shared(model, pyramid, contributor, touched, name));
    if (why) {
      return why;
    }
  }
  return null;
}

/** What is wrong with it whatever else is there. @type {(model: Model, contributor: Contributor, name: (scu: string) => string) => Refusal | null} */
function alone({ peer, exclusive }, { key, summary, outside, scus, words }, name) {
  if (!peer && summary < 0) {
    return { refused: "A contributor is made of the words of one summary; start another one in the next." };
  }
  if (!peer && outside) {
    return { refused: "Words that express no SCU are not marked in a pyramid." };
  }
  if (exclusive && scus.length > 1) {
    return { refused: `“${words}” is in ${name(scus[0])} already; in this project words belong to one SCU.`, at: [key] };
  }
  return null;
}

/** @type {(model: Model, pyramid: Pyramid, contributor: Contributor, name: (scu: string) => string) => Refusal | null} */
function doubled(model, pyramid, contributor, name) {
  if (model.peer || !model.oneContributor) {
    return null;
  }
  for (const scu of contributor.scus) {
    const other = pyramid.scus.at(scu).contributors.find((each) => each.key !== contributor.key && each.summary === contributor.summary);
    if (other) {
      const where = model.summaries[contributor.summary].name;
      return {
        refused: `${name(scu)} has a contributor in ${where} already: “${other.words}”. Select it and add a part to it instead.`,
        at: [other.key],
      };
    }
  }
  return null;
}

/** @type {(model: Model, contributor: Contributor) => Refusal | null} */
function unknown({ peer, against }, { scus }) {
  if (!peer || !against) { // it is not shown now; the server knows what was named before
    return null;
  }
  const known = new Set(against.scus.map(({ key }) => key));
  return scus.some((scu) => !known.has(scu)) ? { refused: "This SCU is no longer in the pyramid." } : null;
}

/** @type {(model: Model, pyramid: Pyramid, contributor: Contributor, touched: Set<string>, name: (scu: string) => string) => Refusal | null} */
function shared(model, pyramid, contributor, touched, name) {
  if (!model.exclusive) {
    return null;
  }
  const clash = (/** @type {Contributor} */ each) => each.key !== contributor.key
    && each.parts.some(([start, end]) => contributor.parts.some((part) => start < part[1] && part[0] < end));
  // Of two that are new together either may be told of; the one that was there says more.
  const [other] = pyramid.contributors.filter(clash).sort((first, second) => Number(touched.has(first.key)) - Number(touched.has(second.key)));
  if (!other) {
    return null;
  }
  const words = contributor.places.filter((place) => other.places.includes(place))
    .map((place) => model.words[place]).map(({ start, end }) => model.content.slice(model.toUnits(start), model.toUnits(end)));
  const holder = other.scus.length > 0 ? `in ${name(other.scus[0])}` : "marked";
  return {
    refused: `“${words.slice(0, 6).join(" ")}” ${words.length > 1 ? "are" : "is"} ${holder} already; in this project a word belongs to one SCU.`,
    at: [other.key],
  };
}
