// Choosing words to mark: by selecting them, or by key, one word after the other.
import { joined, moveEdge, neighbour, snap, whyNot, wordAt } from "./marks.js";
import { highlight, revealWords, runOf } from "./view-text.js";

/** Edges as the actions name them: which edge, which way, by what. */
export const EDGES = {
  "end-on": ["end", 1, "word"],
  "end-back": ["end", -1, "word"],
  "start-on": ["start", 1, "word"],
  "start-back": ["start", -1, "word"],
  "end-on-character": ["end", 1, "character"],
  "end-back-character": ["end", -1, "character"],
  "start-on-character": ["start", 1, "character"],
  "start-back-character": ["start", -1, "character"],
};

/**
 * @param {HTMLElement} bar @param {HTMLElement} pane @param {TextView} text
 * @param {Page} page
 * @param {{mark: (draft: Draft) => boolean, change: (draft: Draft) => boolean,
 *   head: (parts: [number, number][]) => boolean, announce: (words: string) => void}} deeds true: it is done
 */
export function createMarking(bar, pane, text, page, deeds) {
  const words = bar.querySelector(".marking-words");
  const levels = bar.querySelector("select");
  const button = (name) => bar.querySelector(`[data-mark=${name}]`);
  let draft = null;
  let byKey = false; // the keys move the draft
  let forHead = false;
  let waiting = false;

  levels.replaceChildren(...page.model.marking.map((level) => new Option(level.label, level.key)));
  bar.querySelector("label").hidden = page.model.marking.length < 2;

  function show(said = true) {
    bar.hidden = draft === null;
    pane.classList.toggle("is-marking", byKey);
    highlight(text, "draft", draft?.parts ?? []);
    if (draft === null) {
      return;
    }
    const content = joined(draft.parts).map(([start, end]) => page.model.content.slice(start, end)).join(" … ");
    words.textContent = content;
    const why = whyNot(page.model, { ...draft, level: levels.value });
    button("make").hidden = forHead || page.model.marking.length === 0;
    button("make").disabled = why !== null;
    button("make").title = why ?? "";
    button("change").hidden = forHead || !page.model.byKey.get(page.current)?.own;
    button("part").hidden = page.model.marking.length === 0 && !forHead;
    button("head").hidden = page.current === null;
    if (said) {
      deeds.announce(content);
    }
  }

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

  function selected() {
    const selection = document.getSelection();
    if (selection.rangeCount === 0 || selection.isCollapsed || !text.root.contains(selection.getRangeAt(0).commonAncestorContainer)) {
      return null;
    }
    const run = runOf(text, selection.getRangeAt(0));
    return run && snap(page.model, ...run);
  }

  document.addEventListener("selectionchange", () => {
    if (page.model.readOnly || waiting) {
      return;
    }
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      const span = selected();
      if (span && (page.model.marking.length > 0 || page.current !== null)) {
        set(byKey && draft ? draft.parts.with(draft.at, span) : [span]);
      } else if (!byKey && draft && !bar.contains(document.activeElement)) {
        stop();
      }
    });
  });

  /** Words chosen by key: from the current markable on, or from the top of what is seen. */
  function begin(head) {
    byKey = true;
    forHead = head;
    const current = page.model.byKey.get(page.current);
    if (head) {
      const own = page.judgements.get(page.current)?.head ?? [];
      const before = (own.length > 0 ? own : current.head).map(([start, end]) => [page.model.toUnits(start), page.model.toUnits(end)]);
      const last = current.parts.at(-1);
      set(before.length > 0 ? before : [neighbour(page.model, [last[1], last[1]], -1)]);
    } else {
      const span = current ? [...current.parts] : [wordAt(page.model, 0)].filter(Boolean);
      if (span.length > 0) {
        set(span);
      } else {
        stop();
      }
    }
  }

  const finish = (done) => {
    if (done) {
      document.getSelection().removeAllRanges();
      stop();
    }
  };
  const does = {
    make: () => finish(deeds.mark({ ...draft, level: levels.value })),
    change: () => finish(deeds.change({ ...draft, level: page.model.byKey.get(page.current).level })),
    head: () => finish(deeds.head(draft.parts)),
    part: () => {
      byKey = true;
      document.getSelection().removeAllRanges();
      set([...draft.parts, neighbour(page.model, draft.parts.at(-1), 1)]);
    },
    fewer: () => (draft.parts.length > 1 ? set(draft.parts.slice(0, -1)) : stop()),
    stop: () => {
      document.getSelection().removeAllRanges();
      stop();
    },
  };
  bar.addEventListener("click", (event) => {
    const name = event.target.closest("[data-mark]")?.dataset.mark;
    if (name && draft) {
      does[name]();
      pane.focus({ preventScroll: true });
    }
  });
  levels.addEventListener("change", () => show());

  return {
    /** Whether the keys move a draft now. */
    active: () => byKey,
    /** `e`: mark what is selected, or choose by key. */
    mark: () => (draft ? does.make() : begin(false)),
    /** `i`: the head, from what is selected or by key. */
    head: () => (draft ? does.head() : begin(true)),
    /** @param {string} key as `combination` names it @param {string|undefined} id the action that has it @returns {boolean} it was for the draft */
    press(key, id) {
      const move = (span) => set(draft.parts.with(draft.at, span), draft.at);
      const own = {
        "Enter": forHead ? does.head : does.make,
        "Shift+Enter": does.change,
        "Escape": does.stop,
        "Backspace": does.fewer,
        "+": does.part,
        "Shift+ArrowRight": () => move(moveEdge(page.model, draft.parts[draft.at], "end", 1, "word")),
        "Shift+ArrowLeft": () => move(moveEdge(page.model, draft.parts[draft.at], "end", -1, "word")),
        "ArrowDown": () => move(line(1)),
        "ArrowUp": () => move(line(-1)),
      }[key];
      if (own) {
        own();
      } else if (id in EDGES) {
        move(moveEdge(page.model, draft.parts[draft.at], ...EDGES[id]));
      } else if (id === "next" || id === "previous") {
        move(neighbour(page.model, draft.parts[draft.at], id === "next" ? 1 : -1));
      } else if (id === "head") {
        does.head();
      } else if (id === "mark") {
        does.make();
      }
      return !["Tab", "Shift+Tab"].includes(key);
    },
  };

  /** The first word of the next or previous block. */
  function line(step) {
    const [start] = draft.parts[draft.at];
    const { blocks } = page.model;
    const here = blocks.findLastIndex((block) => block.start <= start);
    const block = blocks[Math.min(Math.max(here + step, 0), blocks.length - 1)];
    return wordAt(page.model, block.start) ?? draft.parts[draft.at];
  }
}
