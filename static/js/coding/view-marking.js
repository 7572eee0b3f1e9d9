// Choosing words to mark: by selecting them, or by key, one word after the other.
import { addRemark, brokenBy } from "./answers.js";
import { headOf, joined, keyOfDraft, moveEdge, neighbour, snap, whyNot, withEdge, wordAt } from "./marks.js";
import { deed } from "./state.js";
import { highlight, revealWords, runOf } from "./view-runs.js";

/** Edges as the actions name them: which edge, which way, by what. */
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

const GIVEN = "This markable came with the text and stays as it is.";

/** @param {any} frame the page, its parts, and what main.js does with them */
export function createMarking({ page, pane, text, record, refresh, go, say, tell, commitNote }) {
  const bar = document.getElementById("marking-bar");
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
      tell(content);
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

  /** With the words that are selected, lest they be taken for new ones. */
  function finish() {
    document.getSelection().removeAllRanges();
    stop();
  }

  function selected() {
    const selection = document.getSelection();
    if (selection.rangeCount === 0 || selection.isCollapsed || !text.root.contains(selection.getRangeAt(0).commonAncestorContainer)) {
      return null;
    }
    const run = runOf(text, selection.getRangeAt(0));
    return run && snap(page.model, ...run);
  }

  function look() {
    const span = page.model.readOnly ? null : selected();
    if (span && (page.model.marking.length > 0 || page.current !== null)) {
      set(byKey && draft ? draft.parts.with(draft.at, span) : [span]);
    } else if (!byKey && draft && !bar.contains(document.activeElement)) {
      stop();
    }
  }

  document.addEventListener("selectionchange", () => {
    if (!waiting) {
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        look();
      });
    }
  });

  /** Words chosen by key: from the current markable on, or from the start of the text. */
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

  /** Words that were no markable become one. */
  function make() {
    const wanted = { ...draft, level: levels.value };
    const why = whyNot(page.model, wanted);
    if (why) {
      say(why);
      return;
    }
    const key = keyOfDraft(page.model, wanted);
    finish();
    record([deed(key, {})]);
    refresh();
    go(key, "Marked");
  }

  /** The current markable goes to other words, with its judgement and what points to it. */
  function move(wanted) {
    const key = keyOfDraft(page.model, wanted);
    const deeds = [{ kind: "move", payload: { markable: page.current, to: key } }];
    const why = !page.model.byKey.get(page.current).own ? GIVEN
      : key === page.current ? "It stands there already."
      : whyNot(page.model, wanted) ?? brokenBy(page.model, page.judgements, deeds[0]);
    if (why) {
      say(why);
      return;
    }
    commitNote();
    finish();
    record(deeds);
    page.current = key;
    refresh();
    go(key, "Moved");
  }

  function setHead() {
    const head = headOf(page.model, page.current, draft.parts);
    if (head === null) {
      say("The head is made of words of the markable.");
      return;
    }
    finish();
    const { judgement } = addRemark(page.judgements, page.current, { head });
    record(judgement === null ? [] : [deed(page.current, judgement)]);
    refresh();
    say("The head is set.");
  }

  function unmark() {
    const { own, words: content } = page.model.byKey.get(page.current);
    if (!own) {
      say(GIVEN);
      return;
    }
    commitNote();
    record([{ kind: "unmark", payload: { markable: page.current } }]);
    refresh();
    say(`“${content}” is no markable any more; undo brings it back.`);
  }

  const does = {
    make,
    change: () => move({ ...draft, level: page.model.byKey.get(page.current).level }),
    head: setHead,
    part: () => {
      byKey = true;
      document.getSelection().removeAllRanges();
      set([...draft.parts, neighbour(page.model, draft.parts.at(-1), 1)]);
    },
    fewer: () => (draft.parts.length > 1 ? set(draft.parts.slice(0, -1)) : finish()),
    stop: finish,
  };
  bar.addEventListener("click", (event) => {
    const name = event.target.closest("[data-mark]")?.dataset.mark;
    if (name && draft) {
      does[name]();
      pane.focus({ preventScroll: true });
    }
  });
  levels.addEventListener("change", () => show());

  const edges = Object.fromEntries(Object.entries(EDGES)
    .map(([id, how]) => [id, () => move(withEdge(page.model, page.current, ...how))]));
  return {
    /** Whether the keys move a draft now. */
    active: () => byKey,
    /** What the actions of the table do: with the words that are selected, else by key. */
    does: {
      ...edges,
      unmark,
      mark: () => {
        look();
        return draft ? make() : begin(false);
      },
      head: () => {
        look();
        return draft ? setHead() : begin(true);
      },
    },
    /**
     * @param {string} key as `combination` names it @param {string|undefined} id the action that has it
     * @returns {boolean} it was for the draft; any other key is the browser's
     */
    press(key, id) {
      const shift = (span) => set(draft.parts.with(draft.at, span), draft.at);
      const own = {
        "Enter": forHead ? does.head : does.make,
        "Shift+Enter": does.change,
        "Escape": does.stop,
        "Backspace": does.fewer,
        "+": does.part,
        "Shift+ArrowRight": () => shift(moveEdge(page.model, draft.parts[draft.at], "end", 1, "word")),
        "Shift+ArrowLeft": () => shift(moveEdge(page.model, draft.parts[draft.at], "end", -1, "word")),
        "ArrowDown": () => shift(line(1)),
        "ArrowUp": () => shift(line(-1)),
      }[key];
      if (own) {
        own();
      } else if (id in EDGES) {
        shift(moveEdge(page.model, draft.parts[draft.at], ...EDGES[id]));
      } else if (id === "next" || id === "previous") {
        shift(neighbour(page.model, draft.parts[draft.at], id === "next" ? 1 : -1));
      } else if (id === "head") {
        does.head();
      } else if (id === "mark") {
        does.make();
      } else {
        return false;
      }
      return true;
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
