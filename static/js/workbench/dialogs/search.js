// Searching a text. Pure.
/** @import { Span } from "../types.js" */

const MOST = 5000;

/** Where the text has these words, in any case; any run of white space is as good as another. @type {(content: string, query: string) => Span[]} at most 5,000 */
export function findMatches(content, query) {
  const words = query.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    return [];
  }
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("\\s+");
  const found = /** @type {Span[]} */ ([]);
  for (const match of content.matchAll(new RegExp(pattern, "giu"))) {
    found.push([match.index, match.index + match[0].length]);
    if (found.length === MOST) {
      break;
    }
  }
  return found;
}
