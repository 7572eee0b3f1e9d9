// Text, offsets and the spans that markables are drawn as. Pure: no DOM.
/** @import { Block, Part, Slice } from "../types.js" */

/**
 * The rows and paragraphs of a text, covering every character that is not white space between two of them.
 * Turns win over paragraphs, because they carry labels; sentences run on inside what holds them. Words in neither are
 * a block for each line, so that a change lays out one line and not the whole text.
 * @type {(content: string, segments: Block[]) => Block[]}
 */
export function blocks(content, segments) {
  const said = (/** @type {Block} */ segment) => segment.kind === "sentence" && segment.speaker !== "";
  const main = segments.some((segment) => segment.kind === "turn") ? "turn" : segments.some(said) ? "sentence" : "paragraph";
  const wanted = segments
    .filter((segment) => segment.kind === main || segment.kind === "header")
    // Sentences that somebody says are drawn as turns.
    .map((segment) => (segment.kind === "sentence" ? { ...segment, kind: "turn" } : segment))
    .sort((a, b) => a.start - b.start || b.end - a.end);
  const result = /** @type {Block[]} */ ([]);
  let at = 0;
  const fill = (/** @type {number} */ end) => {
    const lines = /[^\n]*\S[^\n]*/g;
    lines.lastIndex = at;
    for (let line = lines.exec(content); line !== null && line.index < end; line = lines.exec(content)) {
      const words = content.slice(line.index, Math.min(line.index + line[0].length, end));
      const indent = line.index === 0 || content[line.index - 1] === "\n" ? 0 : words.length - words.trimStart().length;
      const [start, stop] = [line.index + indent, line.index + words.trimEnd().length];
      if (start < stop) {
        // a line before an empty one ends a paragraph
        const kind = /^\s*?\n[^\S\n]*\n/.test(content.slice(stop, stop + 100)) ? "paragraph" : "rest";
        result.push({ kind, start, end: stop, label: "", speaker: "" });
      }
    }
  };
  for (const segment of wanted) {
    if (segment.start < at) {
      continue;
    }
    fill(segment.start);
    result.push(segment);
    at = segment.end;
  }
  fill(content.length);
  return result;
}

/**
 * Nested spans for the part of a text between two offsets. A span that crosses an open one is cut where that one
 * ends and goes on behind it.
 * @type {(content: string, range: { start: number, end: number }, parts: Part[], counts?: (key: string) => boolean) => Slice["children"]}
 */
export function slices(content, range, parts, counts = () => true) {
  const inside = parts
    .filter((part) => part.start === part.end
      ? part.start >= range.start && part.start <= range.end
      : part.start < range.end && part.end > range.start)
    .map((part) => ({ key: part.key, start: Math.max(part.start, range.start), end: Math.min(part.end, range.end) }));
  /** @type {Slice} */
  const root = { key: "", start: range.start, end: range.end, children: [], depth: 0 };
  let open = [root];
  let at = range.start;

  const write = (/** @type {number} */ end) => {
    if (end > at) {
      open[open.length - 1].children.push({ text: content.slice(at, end) });
      at = end;
    }
  };
  /** @type {(key: string, start: number, end: number) => void} */
  const begin = (key, start, end) => {
    /** @type {Slice} */
    const span = { key, start, end, children: [], depth: 1 };
    open[open.length - 1].children.push(span);
    open.push(span);
  };
  const closeUntil = (/** @type {number} */ limit) => {
    for (;;) {
      const ends = open.slice(1).map((span) => span.end);
      const next = Math.min(...ends);
      if (ends.length === 0 || next > limit) {
        return;
      }
      write(next);
      const lowest = open.findIndex((span, index) => index > 0 && span.end === next);
      const cut = open.slice(lowest).filter((span) => span.end > next);
      for (const span of cut) {
        span.whole = span.end;
        span.end = next;
      }
      open = open.slice(0, lowest);
      for (const span of cut) {
        begin(span.key, next, span.whole ?? span.end);
        delete span.whole;
      }
    }
  };

  for (const part of inside) {
    closeUntil(part.start);
    write(part.start);
    begin(part.key, part.start, part.end);
  }
  closeUntil(range.end);
  write(range.end);
  measure(root, counts);
  return root.children;
}

/** Depth: one more than the deepest underline inside. @type {(span: Slice, counts: (key: string) => boolean) => number} */
function measure(span, counts) {
  const deepest = Math.max(0, ...span.children.map((child) => ("key" in child ? measure(child, counts) : 0)));
  span.depth = counts(span.key) ? deepest + 1 : deepest;
  return span.depth;
}
