// Choosing words to mark: by selecting them, or by key, one word after the other.
import { judge } from "../../workbench/judgements.js";
import { mergeParts } from "../../workbench/parts.js";
import { addRemark } from "../answers.js";
import { brokenBy, crossedBy, headOf, keyOfDraft, moveEdge, neighbour, repeatsOf, snap, draftError, withEdge, wordAt } from "../text/marks.js";
import { around, byId, inside } from "../../workbench/dom/element.js";
import { onceAFrame } from "../../workbench/dom/frames.js";
import { placeBar } from "../../workbench/dom/floating.js";
import { highlight, inUnits, rangesOf, revealWords, textNodes } from "./runs.js";
/** @import { Direction, Draft, Edge, Frame, Marking, Span, TextView, Unit } from "../types.js" */

/** Edges as the actions name them: which edge, which way, by what. @type {Record<string, [Edge, Direction, Unit]>} */
const EDGES = {
  "end-on": ["end", 1, "word"],
  "end-back": ["end", -1, "word"],
  "start-on": ["start", 1, "word"],
  "start-back": ["start", -1, "word"],
  "end-on-character": ["end", 1, "character"],
  "end-back-character": ["end", -1, "character"],
  "start-on-character": ["start", 1, "character"],
  "start-back-character": ["start", -1, "character"],
};

const GAP_OF_TOUCH = 32; // pixels between the words and the bar: the handles of the selection are there
const MAX_CROSSED = 3; // that a warning names

const GIVEN = "This markable came with the text and cannot be changed.";

/** @type {(frame: Frame) => Marking} */
export function createMarking({ page, keyboard, pane, text, record, refresh, go, say, announce, commitNote }) {
  const bar = byId("marking-bar");
  const words = inside(bar, ".workbench-bar-words");
  const warning = inside(bar, ".coding-crossing");
  const levels = inside(bar, "select", HTMLSelectElement);
  const button = (/** @type {string} */ name) => inside(bar, `[data-mark=${name}]`, HTMLButtonElement);
  let draft = /** @type {Draft | null} */ (null);
  let byKey = false; // the keys move the draft
  let forHead = false;
  let selecting = false; // the mouse is down in the text
  let touched = false; // the words are selected with a finger

  /** The draft, where there is one for certain. */
  function chosen() {
    if (draft === null) {
      throw new Error("No words selected.");
    }
    return draft;
  }

  levels.replaceChildren(...page.model.marking.map((level) => new Option(level.label, level.key)));
  inside(bar, "label").hidden = page.model.marking.length < 2;

  /** The current markable. */
  const current = () => page.model.byKey.get(page.current ?? "");

  function show() {
    bar.hidden = draft === null;
    pane.classList.toggle("is-marking", byKey);
    highlight(text, "draft", draft?.parts ?? []);
    if (draft === null) {
      return;
    }
    const content = mergeParts(draft.parts).map(([start, end]) => page.model.content.slice(start, end)).join(" … ");
    words.textContent = content;
    const wanted = { ...draft, level: levels.value };
    const error = draftError(page.model, wanted);
    const crossing = forHead || error ? "" : crossingOf(draft.parts);
    warning.textContent = crossing;
    warning.hidden = crossing === "";
    const count = forHead ? 0 : repeatsOf(page.model, wanted).keys.length;
    button("all").hidden = page.model.marking.length === 0 || count < (error ? 1 : 2);
    button("all").title = `Mark the same words everywhere in the text (${keyboard.keyOf("mark-all")})`;
    button("all").textContent = `Mark all ${count}`;
    button("make").hidden = forHead || page.model.marking.length === 0;
    button("make").disabled = error !== null;
    button("make").title = error ?? "";
    button("change").hidden = forHead || !current()?.own;
    button("part").hidden = page.model.marking.length === 0 && !forHead;
    button("head").hidden = page.current === null;
    button("head").title = keyboard.keyOf("head");
    announce(crossing ? `${content}. ${crossing}` : content);
    place();
  }

  /** What words would cross, in a sentence; "" where they nest. @param {Span[]} parts @param {string} [but] key of a markable */
  function crossingOf(parts, but) {
    const crossed = crossedBy(page.model.coded, parts).filter(({ key }) => key !== but).map((markable) => `“${markable.words}”`);
    return crossed.length === 0 ? "" : `Crosses ${crossed.slice(0, MAX_CROSSED).join(", ")}${crossed.length > MAX_CROSSED ? " and others" : ""}.`;
  }

  /** The bar stands at the words that are being chosen. */
  function place() {
    if (draft !== null) {
      /** @param {Span} span */
      const boxesOf = ([start, end]) => rangesOf(text, start, end).flatMap((range) => [...range.getClientRects()]);
      placeBar(bar, boxesOf(draft.parts[draft.at]), draft.parts.flatMap(boxesOf), touched ? GAP_OF_TOUCH : undefined);
    }
  }

  /** @type {(parts: Span[], at?: number) => void} */
  function set(parts, at = parts.length - 1) {
    draft = { level: levels.value, parts, at };
    if (byKey) {
      revealWords(pane, text, parts[at]);
    }
    show();
  }

  function stop() {
    draft = null;
    byKey = false;
    forHead = false;
    show();
  }

  /** With the words that are selected, lest they be taken for new ones. */
  function finish() {
    document.getSelection()?.removeAllRanges();
    stop();
  }

  function selected() {
    const selection = document.getSelection();
    const range = selection && selection.rangeCount > 0 && !selection.isCollapsed ? selection.getRangeAt(0) : null;
    if (!range || !text.root.contains(range.commonAncestorContainer)) {
      return null;
    }
    const run = runOf(text, range);
    return run && snap(page.model, ...run);
  }

  function look() {
    if (selecting) {
      return; // the bar would stand in the way of the mouse
    }
    const span = page.model.readOnly ? null : selected();
    if (span && (page.model.marking.length > 0 || page.current !== null)) {
      set(byKey && draft ? draft.parts.with(draft.at, span) : [span]);
    } else if (!byKey && draft && !bar.contains(document.activeElement)) {
      stop();
    }
  }

  const lookSoon = onceAFrame(look);
  document.addEventListener("selectionchange", lookSoon);
  pane.addEventListener("pointerdown", (event) => {
    selecting = event.pointerType === "mouse";
    touched = !selecting;
  });
  for (const end of ["pointerup", "pointercancel"]) {
    document.addEventListener(end, () => {
      selecting = false;
      lookSoon();
    });
  }
  pane.addEventListener("dblclick", (event) => {
    look();
    if (draft && page.model.marking.length > 0 && !byKey && !event.ctrlKey && !event.metaKey
      && draftError(page.model, { ...draft, level: levels.value }) === null) {
      make();
    }
  });
  pane.addEventListener("scroll", () => requestAnimationFrame(place), { passive: true });
  window.addEventListener("resize", place);

  /** Words chosen by key: from the current markable on, or from the start of the text. @type {(head: boolean) => void} */
  function begin(head) {
    byKey = true;
    forHead = head;
    const markable = current();
    if (head && markable) {
      const own = page.judgements.get(markable.key)?.head ?? [];
      const before = inUnits(page.model, own.length > 0 ? own : markable.head);
      const end = markable.parts[markable.parts.length - 1][1];
      set(before.length > 0 ? before : [neighbour(page.model, [end, end], -1)]);
    } else {
      const first = markable ? null : wordAt(page.model, 0);
      const parts = markable?.parts ?? (first ? [first] : []);
      if (parts.length > 0) {
        set(parts);
      } else {
        stop();
      }
    }
  }

  /** Words that were no markable become one. */
  function make() {
    const wanted = { ...chosen(), level: levels.value };
    const error = draftError(page.model, wanted);
    if (error) {
      say(error);
      return;
    }
    const key = keyOfDraft(page.model, wanted);
    const crossing = crossingOf(wanted.parts);
    finish();
    record([judge(key, {})]);
    refresh();
    go(key, "Marked");
    if (crossing) {
      say(`Marked. ${crossing} Undo removes it.`);
    }
  }

  /** The words, and the same ones everywhere else, become markables: one step. */
  function makeAll() {
    const markable = current();
    const wanted = draft ? { ...draft, level: levels.value }
      : markable && { level: page.model.marking.some((level) => level.key === markable.level) ? markable.level : levels.value, parts: markable.parts, at: 0 };
    if (!wanted) {
      say("Select the words first.");
      return;
    }
    const { keys, marked, crossing, rest } = repeatsOf(page.model, wanted);
    const content = wanted.parts.map(([start, end]) => page.model.content.slice(start, end)).join(" … ").replace(/\s+/g, " ");
    const left = [
      marked > 0 ? `${marked} ${marked === 1 ? "was" : "were"} marked before.` : "",
      crossing > 0 ? `${crossing} left out: ${crossing === 1 ? "it crosses" : "they cross"} another markable.` : "",
      rest > 0 ? `${rest} more are left: do it again.` : "",
    ];
    if (keys.length === 0) {
      say(wanted.parts.length > 1 ? "Only words that stand together are found elsewhere." : [`There is no other “${content}” to mark.`, ...left].filter(Boolean).join(" "));
      return;
    }
    commitNote();
    finish();
    record(keys.map((key) => judge(key, {})));
    refresh();
    go(keys.includes(page.current ?? "") ? page.current : keys[0]);
    const times = keys.length === 1 ? "once" : `${keys.length} times`;
    say([`Marked “${content}” ${times}. Undo removes all of them.`, ...left].filter(Boolean).join(" "));
  }

  /** The current markable goes to other words, with its judgement and what points to it. @type {(wanted: Draft) => void} */
  function move(wanted) {
    const markable = current();
    if (!markable) {
      return;
    }
    const key = keyOfDraft(page.model, wanted);
    const error = !markable.own ? GIVEN
      : key === markable.key ? "It is already there."
        : draftError(page.model, wanted) ?? brokenBy(page.model, page.judgements, markable.key, key);
    if (error) {
      say(error);
      return;
    }
    const crossing = crossingOf(wanted.parts, markable.key);
    commitNote();
    finish();
    record([{ kind: "move", payload: { markable: markable.key, to: key } }]);
    page.current = key;
    refresh();
    go(key, "Moved");
    if (crossing) {
      say(`Moved. ${crossing}`);
    }
  }

  function setHead() {
    const { key } = page.model.byKey.at(page.current ?? "");
    const head = headOf(page.model, key, chosen().parts);
    if (head === null) {
      say("The head must be words of the markable.");
      return;
    }
    finish();
    const answer = addRemark(page.judgements, key, { head });
    record("judgement" in answer && answer.judgement ? [judge(key, answer.judgement)] : []);
    refresh();
    say("Head set.");
  }

  function unmark() {
    const { key, own, words: content } = page.model.byKey.at(page.current ?? "");
    if (!own) {
      say(GIVEN);
      return;
    }
    commitNote();
    record([{ kind: "unmark", payload: { markable: key } }]);
    refresh();
    say(`Markable “${content}” deleted. Undo restores it.`);
  }

  /** What the buttons of the bar do. @type {Record<string, () => void>} */
  const tools = {
    make,
    all: makeAll,
    change: () => move({ ...chosen(), level: page.model.byKey.at(page.current ?? "").level }),
    head: setHead,
    part: () => {
      byKey = true;
      document.getSelection()?.removeAllRanges();
      const { parts } = chosen();
      set([...parts, neighbour(page.model, parts[parts.length - 1], 1)]);
    },
    fewer: () => (chosen().parts.length > 1 ? set(chosen().parts.slice(0, -1)) : finish()),
    stop: finish,
  };
  bar.addEventListener("click", (event) => {
    const name = around(event, "[data-mark]")?.dataset.mark;
    if (name && draft) {
      tools[name]();
      pane.focus({ preventScroll: true });
    }
  });
  levels.addEventListener("change", () => show());

  return {
    active: () => byKey,
    handlers: {
      ...Object.fromEntries(Object.entries(EDGES).map(([id, how]) => [id, () => move(withEdge(page.model, page.current ?? "", ...how))])),
      unmark,
      mark: () => {
        look();
        return draft ? make() : begin(false);
      },
      "mark-all": () => {
        look();
        makeAll();
      },
      head: () => {
        look();
        return draft ? setHead() : begin(true);
      },
    },
    press(key, id) {
      const { parts, at } = chosen();
      const shift = (/** @type {Span} */ span) => set(parts.with(at, span), at);
      /** @type {Record<string, () => void>} */
      const keys = {
        "Enter": forHead ? tools.head : tools.make,
        "Shift+Enter": tools.change,
        "Escape": tools.stop,
        "Backspace": tools.fewer,
        "+": tools.part,
        "Shift+ArrowRight": () => shift(moveEdge(page.model, parts[at], "end", 1, "word")),
        "Shift+ArrowLeft": () => shift(moveEdge(page.model, parts[at], "end", -1, "word")),
        "ArrowDown": () => shift(line(parts[at], 1)),
        "ArrowUp": () => shift(line(parts[at], -1)),
      };
      /** @type {Record<string, () => void>} */
      const actions = {
        "next": () => shift(neighbour(page.model, parts[at], 1)),
        "previous": () => shift(neighbour(page.model, parts[at], -1)),
        "head": tools.head,
        "mark": tools.make,
        "mark-all": tools.all,
      };
      const run = keys[key] ?? (id && id in EDGES ? () => shift(moveEdge(page.model, parts[at], ...EDGES[id])) : actions[id ?? ""]);
      run?.();
      return run !== undefined;
    },
  };

  /** The first word of the next or previous block. @type {(span: Span, step: Direction) => Span} */
  function line(span, step) {
    const [start] = span;
    const { blocks } = page.model;
    const here = blocks.findLastIndex((block) => block.start <= start);
    const block = blocks[Math.min(Math.max(here + step, 0), blocks.length - 1)];
    return wordAt(page.model, block.start) ?? span;
  }
}

/** The run of the text that a range of the page covers; badges and margins are no words. @type {(view: TextView, range: Range) => Span | null} */
function runOf(view, range) {
  let run = /** @type {Span | null} */ (null);
  for (const { words } of view.rows.filter((row) => range.intersectsNode(row.words))) {
    for (const { text, at } of textNodes(view, words)) {
      if (range.intersectsNode(text)) {
        const start = at + (text === range.startContainer ? range.startOffset : 0);
        const end = at + (text === range.endContainer ? range.endOffset : text.length);
        if (start < end) {
          run = [run ? run[0] : start, end];
        }
      }
    }
  }
  return run;
}
