// A bar of tools that stands at the words that are selected.

const GAP = 8; // pixels between the words and the bar, and from the edges

/**
 * Move a bar below some words, or above them: inside of what holds it, and over none of the words.
 * @type {(bar: HTMLElement, own: DOMRect[], all?: DOMRect[], gap?: number) => void} own: the words that it stands at; all: those that it must not cover
 */
export function placeBar(bar, own, all = own, gap = GAP) {
  const frame = bar.offsetParent?.getBoundingClientRect();
  if (!frame || own.length === 0) {
    return;
  }
  const [width, height] = [bar.offsetWidth, bar.offsetHeight];
  const lowest = Math.max(GAP, frame.height - height - GAP);
  /** @param {number} top */
  const free = (top) => top >= GAP && top <= lowest && !all.some((box) => box.top - frame.top < top + height && box.bottom - frame.top > top);
  const tops = [own, all].flatMap((boxes) => [
    Math.max(...boxes.map((box) => box.bottom)) - frame.top + gap, Math.min(...boxes.map((box) => box.top)) - frame.top - height - gap,
  ]);
  const middle = (own[0].left + own[0].right) / 2 - frame.left;
  const left = Math.max(GAP, Math.min(middle - width / 2, frame.width - width - GAP));
  bar.style.translate = `${Math.round(left)}px ${Math.round([...tops, lowest, GAP].find(free) ?? lowest)}px`;
}
