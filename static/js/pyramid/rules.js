// Which contributors go together: the refusals of annotations/pyramids.py, in words for the coder. Pure.

/**
 * Why some contributors cannot be as they are. What was wrong elsewhere before may stay.
 * @param {Seen} seen what would be @param {Set<string>} touched keys of contributors
 * @param {(scu: string) => string} name how an SCU is called
 * @returns {Refusal|null}
 */
export function refusal(model, seen, touched, name) {
  for (const key of touched) {
    const one = seen.byKey.get(key);
    const why = one && (across(model, one) ?? waits(model, one) ?? several(model, one, name)
      ?? doubled(model, seen, one, name) ?? unknown(model, one) ?? shared(model, seen, one, touched, name));
    if (why) {
      return why;
    }
  }
  return null;
}

function across(model, one) {
  return !model.peer && one.summary < 0
    ? { refused: "A contributor is made of the words of one summary; start another one in the next." } : null;
}

function waits(model, one) {
  return !model.peer && one.outside ? { refused: "What expresses no SCU of a pyramid is not marked." } : null;
}

function several(model, one, name) {
  return model.exclusive && one.scus.length > 1
    ? { refused: `“${one.words}” is in ${name(one.scus[0])} already; in this project words belong to one SCU.`, at: [one.key] } : null;
}

function doubled(model, seen, one, name) {
  if (model.peer || !model.oneContributor) {
    return null;
  }
  for (const scu of one.scus) {
    const other = seen.scus.get(scu).contributors.find((each) => each.key !== one.key && each.summary === one.summary);
    if (other) {
      const where = model.summaries[one.summary].name;
      return {
        refused: `${name(scu)} has a contributor in ${where} already: “${other.words}”. Select it and add a part to it instead.`,
        at: [other.key],
      };
    }
  }
  return null;
}

function unknown(model, one) {
  if (!model.against) { // it is not shown now; the server knows what was named before
    return null;
  }
  const known = new Set(model.against.scus.map((each) => each.key));
  return model.peer && one.scus.some((key) => !known.has(key)) ? { refused: "The pyramid has no such SCU any more." } : null;
}

function shared(model, seen, one, touched, name) {
  if (!model.exclusive) {
    return null;
  }
  const clash = (each) => each.key !== one.key
    && each.parts.some(([start, end]) => one.parts.some((part) => start < part[1] && part[0] < end));
  // Of two that are new together either may be told of; the one that was there says more.
  const [other] = seen.contributors.filter(clash).sort((first, second) => Number(touched.has(first.key)) - Number(touched.has(second.key)));
  if (!other) {
    return null;
  }
  const words = one.places.filter((place) => other.places.includes(place))
    .map((place) => model.words[place]).map(({ start, end }) => model.content.slice(model.toUnits(start), model.toUnits(end)));
  const holder = other.scus.length > 0 ? `in ${name(other.scus[0])}` : "marked";
  return {
    refused: `“${words.slice(0, 6).join(" ")}” ${words.length > 1 ? "are" : "is"} ${holder} already; in this project a word belongs to one SCU.`,
    at: [other.key],
  };
}
