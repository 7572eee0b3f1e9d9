// A map whose values are asked for by keys that are known to be in it. Pure.

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
