// Runs of the text as ranges of the page: what is found or drafted.
import { bringIntoView } from "./text.js";
/** @import { Span, TextView } from "../types.js" */

/** @type {(view: TextView, root: HTMLElement) => { text: Text, at: number }[]} */
export function textNodes(view, root) {
  const found = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text instanceof Text; text = walker.nextNode()) {
    const at = view.starts.get(text);
    if (at !== undefined) {
      found.push({ text, at });
    }
  }
  return found;
}

/** A run of the text as ranges of the page, one in each block that it touches. @type {(view: TextView, start: number, end: number) => Range[]} */
export function rangesOf(view, start, end) {
  return view.rows.filter(({ block }) => block.start < end && block.end > start).flatMap(({ words }) => {
    const nodes = textNodes(view, words).filter(({ text, at }) => at + text.length > start && at < end);
    const [first, last] = [nodes[0], nodes.at(-1)];
    const range = document.createRange();
    if (!first || !last) {
      return [];
    }
    range.setStart(first.text, Math.max(0, start - first.at));
    range.setEnd(last.text, Math.min(last.text.length, end - last.at));
    return [range];
  });
}

/** Show runs of the text by a highlight of the style sheet, which leaves the page as it is. @type {(view: TextView, name: string, spans: Span[]) => void} */
export function highlight(view, name, spans) {
  if (!("highlights" in CSS)) {
    return; // the browser is too old to show them; all still works
  }
  if (spans.length === 0) {
    CSS.highlights.delete(name);
  } else {
    CSS.highlights.set(name, new Highlight(...spans.flatMap(([start, end]) => rangesOf(view, start, end))));
  }
}

/** Bring a run of the text into sight. @type {(pane: HTMLElement, view: TextView, span: Span) => void} */
export function revealWords(pane, view, [start, end]) {
  const [range] = rangesOf(view, start, end);
  if (range) {
    bringIntoView(pane, () => range.getBoundingClientRect());
  }
}

/** Spans of code points as the browser counts. @type {(model: { toUnits: (codePoint: number) => number }, spans: Span[]) => Span[]} */
export const inUnits = ({ toUnits }, spans) => spans.map(([start, end]) => [toUnits(start), toUnits(end)]);
