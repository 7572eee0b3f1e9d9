// What lies over the text: ticks where a chain lives, and one thin arc to the antecedent in focus, never more.
import { byId, inside } from "../../workbench/dom/element.js";
import { onceAFrame } from "../../workbench/dom/frames.js";
import { countFirst } from "../../workbench/offsets.js";
import { look } from "../chains/chains.js";
/** @import { Frame, Markable, Page, TextView, Tools } from "../types.js" */

/** @type {(frame: Frame) => Tools["drawOverlays"]} */
export function createOverlays({ page, pane, text }) {
  const ticks = byId("ticks", SVGElement);
  const arc = byId("arc", SVGElement);
  let pointedAt = /** @type {string | null} */ (null); // the candidate that mouse or focus is on

  /** The pointer in focus: to the candidate that mouse or focus is on if it is chosen, else to the nearest antecedent. */
  function drawArc() {
    const { byKey } = page.model;
    const current = byKey.get(page.current ?? "");
    const targets = (current && page.judgements.get(current.key)?.pointers)?.flat().flatMap((key) => byKey.get(key) ?? []) ?? [];
    const distance = (/** @type {Markable} */ markable) => Math.abs(markable.order - (current?.order ?? 0));
    const [nearest] = [...targets].sort((a, b) => distance(a) - distance(b));
    const target = targets.find(({ key }) => key === pointedAt) ?? nearest;
    paintArc(arc, pane, text, page.current, target?.key ?? null);
  }

  /** Measuring makes the browser lay out the page: once a frame, after the key has been answered. */
  const draw = onceAFrame(() => {
    paintTicks(ticks, pane, text, page);
    drawArc();
  });

  pane.addEventListener("scroll", () => requestAnimationFrame(drawArc), { passive: true });
  window.addEventListener("resize", draw);
  return (pointed) => {
    pointedAt = pointed;
    draw();
  };
}

/** @type {(svg: SVGElement, pane: HTMLElement, view: TextView, from: string | null, to: string | null) => void} */
function paintArc(svg, pane, view, from, to) {
  const path = inside(svg, "path", SVGPathElement);
  const [start, end] = [from ?? "", to ?? ""].map((key) => view.spans.get(key)?.[0] ?? view.margins.get(key));
  if (!start || !end) {
    path.setAttribute("d", "");
    return;
  }
  const frame = pane.getBoundingClientRect();
  const box = start.getClientRects()[0];
  if (!box || box.bottom < frame.top || box.top > frame.bottom) {
    path.setAttribute("d", "");
    return;
  }
  const [x, y] = [box.left - frame.left + Math.min(box.width / 2, 12), box.top - frame.top];
  path.setAttribute("d", arc(x, y, goal(start, end, frame, x, y)));
}

/**
 * Where the arc ends: at the words, on the side that is nearer, or beyond the edge of the window.
 * @type {(start: HTMLElement, end: HTMLElement, frame: DOMRect, x: number, y: number) => [number, number]}
 */
function goal(start, end, frame, x, y) {
  const after = start.compareDocumentPosition(end) & Node.DOCUMENT_POSITION_FOLLOWING;
  // Words far away have no place yet; asking for it would lay them out.
  const drawn = end.checkVisibility({ contentVisibilityAuto: true });
  const boxes = drawn ? end.getClientRects() : [];
  const box = after ? boxes[0] : boxes[boxes.length - 1];
  if (!box || box.bottom < frame.top || box.top > frame.bottom) {
    return [x, after ? frame.height + 20 : -20];
  }
  const top = box.top - frame.top;
  const bottom = box.bottom - frame.top;
  return [box.left - frame.left + Math.min(box.width / 2, 12), bottom <= y ? bottom : top];
}

/** Over the line where both stand in one, else through the gap between the lines. @type {(x: number, y: number, to: [number, number]) => string} */
function arc(x, y, [toX, toY]) {
  if (Math.abs(toY - y) < 2) {
    const height = Math.min(22, 10 + Math.abs(toX - x) / 20);
    return `M${x} ${y}C${x} ${y - height} ${toX} ${toY - height} ${toX} ${toY}`;
  }
  const lift = toY < y ? -8 : 8;
  return `M${x} ${y}C${x} ${y + lift} ${toX} ${toY - lift} ${toX} ${toY}`;
}

/**
 * Where the members of the current chain lie in the whole text. Stretches far away are not laid out inside: a member is
 * as far down its stretch as it is into its words.
 * @type {(svg: SVGElement, pane: HTMLElement, view: TextView, page: Page) => void}
 */
function paintTicks(svg, pane, view, page) {
  const current = page.current ?? "";
  const [chain] = page.chains.of.get(current) ?? [];
  const members = page.chains.members.get(chain) ?? [];
  const [number] = page.numbers.byMember.get(current) ?? [];
  const places = new Set();
  if (members.length > 1) {
    const top = pane.getBoundingClientRect().top - pane.scrollTop;
    for (const key of members) {
      const { start } = page.model.byKey.at(key);
      const stretch = view.stretches[countFirst(view.stretches.length, (place) => view.stretches[place].start <= start) - 1];
      if (stretch) {
        const box = stretch.element.getBoundingClientRect();
        const into = Math.min(Math.max((start - stretch.start) / Math.max(stretch.end - stretch.start, 1), 0), 1);
        places.add(Math.round(((box.top + into * box.height - top) / pane.scrollHeight) * 1000));
      }
    }
  }
  svg.setAttribute("class", `coding-ticks chain-${look(number ?? 1).colour}`);
  inside(svg, "path", SVGPathElement).setAttribute("d", [...places].map((y) => `M0 ${y}h8v4h-8z`).join(""));
}
