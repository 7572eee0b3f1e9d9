// Parts of a text. Pure.
/** @import { Span } from "./types.js" */

/** @type {(end: number, start: number) => boolean} */
const touches = (end, start) => start <= end;

/** Parts in the order of the text; those that touch or overlap become one. @type {(parts: Span[], joins?: typeof touches) => Span[]} */
export function mergeParts(parts, joins = touches) {
  const result = /** @type {Span[]} */ ([]);
  for (const [start, end] of [...parts].sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const last = result.at(-1);
    if (last && joins(last[1], start)) {
      last[1] = Math.max(last[1], end);
    } else {
      result.push([start, end]);
    }
  }
  return result;
}
