// A map whose values are asked for by keys that are known to be in it, and walking a list in a circle. Pure.

/** @template K, V @extends {Map<K, V>} */
export class Table extends Map {
  /** @param {K} key @returns {V} */
  at(key) {
    const value = this.get(key);
    if (value === undefined) {
      throw new RangeError(`There is no ${key}.`);
    }
    return value;
  }
}

/** The next or previous place of a list at which something holds, round the end; -1: at none. @type {(length: number, from: number, step: 1 | -1, holds: (place: number) => boolean) => number} */
export function nextPlace(length, from, step, holds) {
  for (let count = 1; count <= length; count += 1) {
    const start = from < 0 && step < 0 ? 0 : from;
    const at = (((start + step * count) % length) + length) % length;
    if (holds(at)) {
      return at;
    }
  }
  return -1;
}
