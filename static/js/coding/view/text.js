// The text with its markables as DOM: built once, then only classes, badges and letters change.
import { chainLook, look } from "../chains/chains.js";
import { element } from "../../workbench/dom/element.js";
import { slices } from "../text/slices.js";
import { categoryLook, isDecided } from "../state.js";
/** @import { Block, Keyboard, Model, Page, Part, Row, Slice, Stretch, TextView } from "../types.js" */

const MAX_DEPTH = 6;
const MAX_SHIFT = 12;
const MAX_BADGES = 3;
// Blocks are drawn together in stretches of about so many lines; the style sheet knows the number too.
const LINES_A_STRETCH = 40;
const CHARACTERS_A_LINE = 68;
const SETTLING = 4; // frames
/** @type {Record<string, string>} */
const CLASSES = { turn: "turn", header: "text-header", paragraph: "paragraph" };
const SENTENCE = ""; // in the place of a markable's key: a sentence begins

/** @type {(root: HTMLElement, model: Model) => TextView} */
export function buildText(root, model) {
  /** @type {TextView} */
  const view = {
    root, spans: new Map(), margins: new Map(), stretches: [], rows: [], starts: new WeakMap(), shown: new Map(),
    badges: new Map(), lit: new Set(), ends: ends(model),
  };
  const turns = new Map(model.markables.filter((markable) => !markable.coded).map((markable) => [`${markable.start} ${markable.end}`, markable.key]));
  const fragment = document.createDocumentFragment();
  let lines = 0;
  let stretch = /** @type {Stretch | null} */ (null);
  let last = ""; // who spoke
  for (const block of model.blocks) {
    const row = element("div", CLASSES[block.kind] ?? "plain-line");
    let words = row;
    if (block.kind === "turn") {
      const label = element("span", "turn-label", block.label);
      const goesOn = block.label === "" && block.speaker === last;
      const speaker = element("span", "turn-speaker", goesOn ? "" : block.speaker, { title: block.speaker });
      last = block.speaker;
      words = element("div", "turn-text");
      row.append(label, speaker, words);
      const turn = turns.get(`${block.start} ${block.end}`);
      if (turn !== undefined) {
        label.dataset.turn = turn;
        speaker.dataset.turn = turn;
        view.margins.set(turn, label);
      }
    }
    view.rows.push({ block, words });
    if (stretch === null || lines >= LINES_A_STRETCH) {
      stretch = { element: element("div", "coding-stretch"), start: block.start, end: block.end };
      view.stretches.push(stretch);
      fragment.append(stretch.element);
      lines = 0;
    }
    lines += Math.ceil((block.end - block.start) / CHARACTERS_A_LINE);
    stretch.element.append(row);
    stretch.end = block.end;
  }
  drawRows(view, model, view.rows);
  root.replaceChildren(fragment);
  root.classList.toggle("has-names", model.blocks.some((block) => block.speaker.length > 2));
  return view;
}

/** @type {(view: TextView, model: Model, rows: Row[]) => void} */
function drawRows(view, model, rows) {
  const parts = model.markables
    .flatMap((markable) => markable.parts.map(([start, end]) => ({ key: markable.key, start, end, order: markable.order })))
    .concat(model.sentences.map((start) => ({ key: SENTENCE, start, end: start, order: -1 })))
    .sort((a, b) => a.start - b.start || Number(b.key === SENTENCE) - Number(a.key === SENTENCE)
      || b.end - a.end || a.order - b.order);
  const coded = (/** @type {string} */ key) => model.byKey.get(key)?.coded ?? false;
  const partsOf = sweep(parts);
  for (const { block, words } of rows) {
    let at = block.start;
    /** @type {(nodes: Slice["children"], parent: HTMLElement) => void} */
    const draw = (nodes, parent) => {
      for (const node of nodes) {
        if ("text" in node) {
          const text = document.createTextNode(node.text);
          view.starts.set(text, at);
          at += node.text.length;
          parent.append(text);
          continue;
        }
        if (node.key === SENTENCE) {
          parent.append(...(node.start > block.start ? [element("span", "sentence-start")] : []));
          continue;
        }
        const span = element("span", "markable", "", {
          role: coded(node.key) ? "link" : null,
          dataset: { key: node.key, depth: String(Math.min(node.depth, MAX_DEPTH)), ...(node.start === node.end ? { empty: "" } : {}) },
        });
        const spans = [...(view.spans.get(node.key) ?? []), span];
        const { words, label, parts } = model.byKey.at(node.key);
        if (spans.length > 1 || parts.length > 1 || !words) {
          spans.forEach((span) => { span.ariaLabel = words || label || "∅"; });
        }
        if (node.depth > 3) {
          view.root.classList.add("is-deep");
        }
        view.spans.set(node.key, spans);
        draw(node.children, span);
        parent.append(span);
      }
    };
    draw(slices(model.content, block, partsOf(block), coded), words);
  }
}

/** Draw anew the blocks in which markables have come or gone. @type {(view: TextView, before: Model, model: Model) => void} */
export function redrawText(view, before, model) {
  const changed = [...before.markables.filter((markable) => !model.byKey.has(markable.key)),
    ...model.markables.filter((markable) => !before.byKey.has(markable.key))];
  const rows = view.rows.filter(({ block }) => changed
    .some((markable) => markable.parts.some(([start, end]) => start < block.end && end > block.start)));
  for (const { block, words } of rows) {
    const inside = [before, model].flatMap((version) => version.markables
      .filter(({ start, end }) => start <= block.end && end >= block.start).map(({ key }) => key));
    for (const key of inside) {
      view.spans.set(key, (view.spans.get(key) ?? []).filter((span) => !words.contains(span)));
      view.shown.delete(key);
      view.badges.delete(key);
    }
    words.replaceChildren();
  }
  drawRows(view, model, rows);
  for (const { key } of model.markables) {
    view.spans.get(key)?.sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  }
  view.ends = ends(model);
}

/** The parts that a block may hold, for blocks in text order: looking through all parts for each would be slow. @type {<T extends Part>(parts: T[]) => (block: Block) => Part[]} */
function sweep(parts) {
  let next = 0;
  let open = /** @type {Part[]} */ ([]);
  return (block) => {
    open = open.filter((part) => part.end >= block.start);
    while (next < parts.length && parts[next].start <= block.end) {
      open.push(parts[next]);
      next += 1;
    }
    return open;
  };
}

/** Markables by where they end, the inner ones first: their badges stand side by side. @type {(model: Model) => string[][]} */
function ends(model) {
  return [...Map.groupBy(model.markables.toReversed(), ({ end }) => end).values()].map((group) => group.map(({ key }) => key));
}

/** @type {(view: TextView, page: Page, keyboard: Keyboard) => void} */
export function paintText(view, page, keyboard) {
  const { model, judgements, current, numbers } = page;
  const own = new Set(page.chains.of.get(current ?? ""));
  const { pointers = [], relations = {} } = judgements.get(current ?? "") ?? {};
  const antecedents = new Set(pointers.flat());
  const together = new Set(pointers.filter((reading) => typeof reading !== "string" && reading.length > 1).flat());
  const related = new Set(Object.values(relations).flatMap((readings) => readings.flat()));
  for (const markable of model.markables) {
    const { key } = markable;
    const its = numbers.byMember.get(key) ?? [];
    const isMember = its.length > 0 && page.chains.of.get(key)?.some((chain) => own.has(chain));
    const shown = [
      markable.coded ? "" : "is-target", view.margins.has(key) ? "in-margin" : "", categoryLook(model, judgements.get(key)?.category),
      its.length > 0 ? `chain-${look(its[0]).colour} line-${look(its[0]).line}` : "",
      its.length > 1 ? "is-ambiguous" : "",
      markable.coded && !isDecided(model, markable.level, judgements.get(key)) ? "is-undecided" : "",
      key === current ? "is-current" : antecedents.has(key) ? `is-antecedent${together.has(key) ? " is-together" : ""}` : isMember ? "is-member" : "",
      related.has(key) ? "is-related" : "",
      view.lit.has(key) ? "is-lit" : "",
    ].filter(Boolean).join(" ");
    if (view.shown.get(key) !== shown) {
      view.shown.set(key, shown);
      for (const span of view.spans.get(key) ?? []) {
        span.className = `markable depth-${span.dataset.depth} ${shown}${"empty" in span.dataset ? " is-empty" : ""}`;
        span.ariaCurrent = key === current ? "true" : null;
      }
    }
  }
  paintBadges(view, page);
  paintLetters(view, page, keyboard);
}

/** The class of what is moved aside for what stands there. @type {(at: number, most: number) => string} */
const shiftLook = (at, most) => (at > 0 ? ` shift-${Math.min(at, most)}` : "");

/** @type {(view: TextView, page: Page) => void} */
function paintBadges(view, { numbers, judgements }) {
  for (const group of view.ends) {
    let shift = 0;
    for (const key of group) {
      const inMargin = view.margins.has(key);
      const labels = badgeLabels(numbers.byMember.get(key) ?? []);
      if (judgements.get(key)?.unsure) {
        labels.push({ text: "?", number: null });
      }
      let at = inMargin ? 0 : shift;
      const signature = `${at}:${labels.map((label) => label.text).join(",")}`;
      const fresh = (view.badges.get(key) ?? "0:") !== signature && (labels.length > 0 || view.badges.has(key));
      const place = view.margins.get(key) ?? view.spans.get(key)?.at(-1);
      if (fresh && place) {
        place.querySelectorAll(":scope > .badge").forEach((badge) => badge.remove());
      }
      for (const { text, number } of labels) {
        if (fresh && place) {
          place.append(element("sup", `badge${chainLook(number)}${shiftLook(at, MAX_SHIFT)}`, text));
        }
        at += text.length;
      }
      view.badges.set(key, signature);
      if (!inMargin) {
        shift = at;
      }
    }
  }
}

/** The numbers to show; of many the first, and how many more there are. @type {(numbers: number[]) => { text: string, number: number | null }[]} */
export function badgeLabels(numbers) {
  const shown = numbers.length > MAX_BADGES ? numbers.slice(0, MAX_BADGES - 1) : numbers;
  const labels = shown.map((number) => ({ text: String(number), number }));
  return shown.length < numbers.length ? [...labels, { text: `+${numbers.length - shown.length}`, number: null }] : labels;
}

/** Light up the members of the chains that the mouse or a list entry is on, and nothing else. @type {(view: TextView, keys: Iterable<string>) => void} */
export function lightUp(view, keys) {
  const lit = new Set(keys);
  for (const key of new Set([...view.lit, ...lit])) {
    view.spans.get(key)?.forEach((span) => span.classList.toggle("is-lit", lit.has(key)));
    view.margins.get(key)?.classList.toggle("is-lit", lit.has(key));
  }
  view.lit = lit;
}

/** Letters stand in the text only while the current markable still wants a target. @type {(view: TextView, page: Page, keyboard: Keyboard) => void} */
function paintLetters(view, { model, candidates, wants }, keyboard) {
  view.root.querySelectorAll(".letter").forEach((letter) => letter.remove());
  if (!wants) {
    return;
  }
  const taken = /** @type {Map<number | string, number>} */ (new Map());
  for (const { key, letter } of candidates) {
    if (letter === null) {
      break;
    }
    const margin = view.margins.get(key);
    const place = margin ?? view.spans.get(key)?.[0];
    if (!place) {
      continue;
    }
    const start = margin ? key : model.byKey.at(key).start;
    const shift = taken.get(start) ?? 0;
    taken.set(start, shift + 1);
    const cap = keyboard.keyOf(`candidate-${letter}`);
    place.prepend(element("span", `letter${shiftLook(shift, 3)}`, cap, { role: "img", ariaLabel: `key ${cap}`, dataset: { letter } }));
  }
}

/**
 * Keep the current markable away from the edges, and jump instead of gliding: the eye must not wait. What comes into
 * sight is laid out only then and may push the markable away again, so that a jump is looked at again.
 * @type {(pane: HTMLElement, view: TextView, key: string, frames?: number) => void}
 */
export function reveal(pane, view, key, frames = SETTLING) {
  const span = view.spans.get(key)?.[0] ?? view.margins.get(key);
  if (span?.isConnected) {
    bringIntoView(pane, () => span.getBoundingClientRect(), frames);
  }
}

let lastJump = 0; // only the last jump is looked at again

function nextJump() {
  lastJump += 1;
  return lastJump;
}

/** Bring what has this box now into sight. @type {(pane: HTMLElement, box: () => DOMRect, frames?: number, own?: number) => void} */
export function bringIntoView(pane, box, frames = SETTLING, own = nextJump()) {
  const frame = pane.getBoundingClientRect();
  const { top, bottom } = box();
  const margin = frame.height / 6;
  if (top < frame.top + margin || bottom > frame.bottom - margin) {
    const before = pane.scrollTop;
    pane.scrollTop += top - frame.top - frame.height / 3;
    if (frames > 0 && pane.scrollTop !== before) {
      requestAnimationFrame(() => {
        if (lastJump === own) {
          bringIntoView(pane, box, frames - 1, own);
        }
      });
    }
  }
}
