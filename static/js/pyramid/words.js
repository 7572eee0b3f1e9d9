// Walking the words: which come next, which are free, which are selected. Pure.

/** Whether a word is in no contributor. @param {Seen} seen */
export const isFree = (seen, place) => seen.of[place].length === 0;

/** The next or previous place of a word within the words. @param {1|-1} step */
export function beside({ words }, place, step) {
  return Math.min(Math.max(place + step, 0), words.length - 1);
}

/** An end of a selection moved by a word; it stays in its summary. @param {number} anchor @param {number} place @param {1|-1} step */
export function extended(model, anchor, place, step) {
  const [first, last] = model.summaries[model.words[anchor].summary]?.words ?? [anchor, anchor];
  return Math.min(Math.max(place + step, first), last);
}

/** The next or previous stretch of free words: its first word, round the end; null: every word is in some SCU. @param {1|-1} step */
export function nextFree(model, seen, place, step) {
  const { length } = model.words;
  const begins = (at) => isFree(seen, at)
    && (at === 0 || !isFree(seen, at - 1) || model.words[at - 1].summary !== model.words[at].summary);
  for (let count = 1; count <= length; count += 1) {
    const at = (((place + step * count) % length) + length) % length;
    if (begins(at)) {
      return at;
    }
  }
  return null;
}

/** The first word of the next or previous summary, round the end. @param {1|-1} step */
export function inSummary(model, place, step) {
  const count = model.summaries.length;
  for (let away = 1; away <= count; away += 1) {
    const summary = model.summaries[(((model.words[place].summary + step * away) % count) + count) % count];
    if (summary.words[0] >= 0) {
      return summary.words[0];
    }
  }
  return place;
}

/** How many words of each summary are in no SCU. @param {Seen} seen @returns {number[]} */
export function freeCounts(model, seen) {
  const counts = model.summaries.map(() => 0);
  model.words.forEach(({ summary }, place) => {
    if (summary >= 0 && isFree(seen, place)) {
      counts[summary] += 1;
    }
  });
  return counts;
}

/** @param {number} one @param {number} other @returns {Run} */
export const run = (one, other) => [Math.min(one, other), Math.max(one, other)];
