// Code points and UTF-16 units. Pure.

/** How many places of a list something holds for: all up to one, and none after that. @type {(length: number, holds: (place: number) => boolean) => number} */
export function countFirst(length, holds) {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/**
 * The server counts code points, the browser UTF-16 units: one pass over the text gives the way there and back.
 * @type {(content: string) => { toUnits: (codePoint: number) => number, toPoints: (unit: number) => number }}
 */
export function offsets(content) {
  const astral = /** @type {number[]} */ ([]); // offsets, in code points, of the characters that take two units
  let at = 0;
  for (const character of content) {
    if (character.length === 2) {
      astral.push(at);
    }
    at += 1;
  }
  // How many of these characters begin before an offset, whose places in the list count `wide` units each.
  /** @type {(offset: number, wide: 0 | 1) => number} */
  const before = (offset, wide) => countFirst(astral.length, (place) => astral[place] + wide * place < offset);
  return {
    toUnits: (codePoint) => codePoint + before(codePoint, 0),
    toPoints: (unit) => unit - before(unit, 1),
  };
}
