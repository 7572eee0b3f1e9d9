// Wires state, view, keys and saving of the pyramid pages. Everything is shown at once; the server hears of it behind.
import { around, byId, closeDialog } from "../workbench/dom/element.js";
import { emptyHistory } from "../workbench/history.js";
import { createKeyboard } from "../workbench/keys/keyboard.js";
import { openSaving } from "../workbench/saving/saving.js";
import { paintSaveState, paintSteps, paintTime, say } from "../workbench/status.js";
import { ACTIONS } from "./actions.js";
import { createPyramidCommands, KEYS } from "./commands.js";
import { createPyramidEditor } from "./edits/editor.js";
import { called, partOf } from "./edits/edits.js";
import { listenToPointer } from "./text/pointer.js";
import { load, markOf, PYRAMID, pyramidOf, wordsOf } from "./state.js";
import { createList } from "./view/list.js";
import { buildPanel, paintSelection, paintStart } from "./view/panel.js";
import { buildWords, paintWords, reveal } from "./view/words.js";
import { nextFree, run } from "./text/words.js";
/** @import { Frame, Operation, Page, PyramidState } from "./types.js" */

const { model, state: loaded } = load(JSON.parse(byId("coding-state").textContent));
const { operations: url = "", coding = "", former, cards = "" } = byId("coding-main").dataset;
const place = `${url} ${model.user} ${coding}`;
const pane = byId("text-pane");
const filter = byId("scu-filter", HTMLInputElement);
const keyboard = createKeyboard(ACTIONS, KEYS, model.direction === "rtl");
const { numbers } = model;
let derivedFrom = /** @type {PyramidState | null} */ (null); // the state that page.pyramid is of

/** @type {Page} */
const page = {
  model,
  base: loaded,
  state: loaded,
  pyramid: pyramidOf(model, loaded),
  history: emptyHistory(model.version === 0),
  seconds: model.seconds,
  anchor: 0,
  cursor: 0,
  scu: null,
  contributor: null,
  chosen: new Set(),
  clash: new Set(),
  filter: "",
  shown: [],
  mouse: false,
  touched: null,
  numberOf(key) {
    const number = numbers.get(key) ?? Math.max(0, ...numbers.values()) + 1;
    numbers.set(key, number);
    return number;
  },
  wordsOf: ([first, last]) => (model.words[first] ? wordsOf(model, partOf(model, [first, last])) : ""),
};

const view = buildWords(byId("text"), model);
const list = createList(model);
buildPanel(model, keyboard);
// They are here before the server can answer: all below is done at once.
const scoresPart = model.peer && model.scoresShown ? await import("./view/scores.js") : null;
const queuePart = cards ? await import("./adjudication/queue.js") : null;
const machine = queuePart?.AGREED ?? PYRAMID;
const othersPart = model.others.length > 0 ? await import("./view/others.js") : null;
const { sync, status, start, listen: listenToOthers } = await openSaving({
  url, coding, former, place, page, machine, refresh, show: showSaving, describe, cleanUp,
  draft: () => editor.draft(),
});
const { unsent, left } = await start();
page.pyramid = pyramidOf(model, page.state);
(model.against?.scus ?? page.pyramid.order).forEach(({ key }) => page.numberOf(key));
page.cursor = Math.max(0, nextFree(model, page.pyramid, model.words.length - 1, 1) ?? 0);
page.anchor = page.cursor;

/** @type {Frame} */
const frame = { page, keyboard, view, list, machine, refresh, select, say: tell, walked };
const editor = createPyramidEditor(frame, sync, unsent, say);
const commands = createPyramidCommands(frame, editor, sync);
const pointer = listenToPointer(pane, page, {
  pick: () => {
    page.mouse = false;
    walked();
    if (page.pyramid.of[page.cursor]?.length > 0) {
      commands.takeUp();
    }
  },
  selected: () => {
    editor.commitFields();
    walked();
  },
  why: commands.why,
  drop: commands.drop,
});
const queue = queuePart?.createQueue(frame, editor, cards) ?? null;
const paintOthers = othersPart?.createOthers(page, editor);
page.scu = editor.takeUp(left);
refresh();
listen();

/** @param {Operation} operation */
function describe({ payload }) {
  const words = "markable" in payload ? markOf(model, payload.markable).words
    : "scu" in payload ? page.state.scus.get(payload.scu)?.label ?? "an SCU" : "an SCU";
  return `What was done with “${words}”`;
}

/** An SCU that was to be made of words that were refused does not stay behind empty. @param {Operation} operation */
function cleanUp({ kind, payload }) {
  const { scus } = pyramidOf(model, page.state);
  const made = kind === "judge" ? (payload.indices ?? []).filter((key) => !page.base.scus.has(key)) : [];
  made.filter((key) => scus.get(key)?.contributors.length === 0)
    .forEach((key) => editor.write([{ kind: "describe", payload: { scu: key, label: "", comment: "" } }]));
}

function refresh() {
  if (derivedFrom !== page.state) {
    page.pyramid = pyramidOf(model, page.state);
    derivedFrom = page.state;
    page.pyramid.order.forEach(({ key }) => page.numberOf(key));
    page.scu = page.pyramid.scus.has(page.scu ?? "") ? page.scu : null;
    page.contributor = page.pyramid.byKey.has(page.contributor ?? "") ? page.contributor : null;
    page.chosen = new Set([...page.chosen].filter((key) => page.pyramid.byKey.get(key)?.scus.includes(page.scu ?? "")));
    scoresPart?.paintScores(page);
    paintStart(page, keyboard);
    paintTime(page.seconds);
  }
  list.paint(page);
  paintWords(view, page);
  paintSelection(page, view);
  paintSteps(page.history);
  showSaving();
  paintOthers?.();
  queue?.paint();
}

function showSaving() {
  const free = model.words.length - page.pyramid.of.filter((all) => all.length > 0).length;
  const words = `${free} ${free === 1 ? "word" : "words"} ${model.peer ? "not marked" : "in no SCU"}`;
  paintSaveState(status, page.pyramid.contributors.length > 0, free > 0 ? words : "every word is marked");
}

/** Say something to the eye and to the ear. @param {string} words */
function tell(words, refused = false) {
  say(words);
  byId("say").classList.toggle("is-refusal", refused);
  byId("announce").textContent = words;
}

/** After a step among the words: what is selected now, to the eye and to the ear. */
function walked() {
  say("");
  page.clash = new Set();
  refresh();
  const all = page.pyramid.of[page.cursor] ?? [];
  const inside = all.flatMap((contributor) => contributor.scus).map((key) => called(page.pyramid, page.numberOf)(key));
  const summary = model.summaries[model.words[page.cursor]?.summary]?.name ?? "";
  byId("announce").textContent = `${page.wordsOf(run(page.anchor, page.cursor))}. ${summary}. `
    + (inside.length > 0 ? inside.join(", ") : all.length > 0 ? "marked" : "in no SCU");
  reveal(view, page.cursor);
}

/** @param {string | null} scu @param {string | null} contributor */
function select(scu, contributor) {
  editor.commitFields();
  if (scu !== page.scu) {
    page.chosen = new Set();
  }
  page.scu = scu;
  page.contributor = contributor;
  page.clash = new Set();
  say("");
  refresh();
  const chosen = page.pyramid.scus.get(scu ?? "");
  byId("announce").textContent = chosen
    ? `${called(page.pyramid, page.numberOf)(chosen.key)}, weight ${chosen.weight}, contributors: ${chosen.contributors.length}` : "";
  list.reveal(scu);
  const target = page.pyramid.byKey.get(contributor ?? "") ?? chosen?.contributors[0];
  if (target) {
    reveal(view, target.places[0]);
  }
}

// ---- listening

/** Keys that mean something else while one drags or writes. @type {(event: KeyboardEvent, focus: Element) => boolean} */
function intercept(event, focus) {
  if (pointer.active() && event.key === "Escape") {
    pointer.stop();
    return true;
  }
  if (queue?.press(event, focus)) {
    return true;
  }
  const { label, comment } = list.fields;
  const leaves = event.key === "Escape" || (event.key === "Enter" && !event.shiftKey && focus !== comment);
  if ((focus === label || focus === comment || focus === filter) && leaves && !event.isComposing) {
    toText(focus, event.key);
    return true;
  }
  if (focus === filter && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    commands.run(event.key === "ArrowDown" ? "next-scu" : "previous-scu");
    return true;
  }
  return false;
}

/**
 * From a field back to the words. In the filter, Enter takes the SCU that was found; on a peer's page the words express it.
 * @param {Element} field @param {string} key
 */
function toText(field, key) {
  editor.commitFields();
  pane.focus({ preventScroll: true });
  const scu = page.shown.find((scu) => scu.key === page.scu) ?? page.shown.at(0);
  if (field === filter) {
    filter.value = "";
    page.filter = "";
  }
  if (field === filter && key === "Enter" && scu) {
    select(scu.key, null);
    if (model.peer) {
      commands.run("contribute");
    }
    return;
  }
  refresh();
}

/** What a click on an element with data-… of this name does. @type {Record<string, (value: string, of: string) => unknown>} */
const clicks = {
  do: (id) => commands.run(id),
  free: (summary) => {
    page.cursor = model.summaries[Number(summary)].words[0] - 1;
    commands.run("next-free");
  },
  contributor: (key, scu) => commands.take(key, scu || null),
  remove: (key, scu) => commands.remove(key, scu),
  choose: (key) => commands.choose(key),
  goto: (scu) => select(scu, null),
};

/** @param {MouseEvent} event */
function onClick(event) {
  const head = around(event, ".pyramid-scu-head");
  const name = Object.keys(clicks).find((each) => around(event, `[data-${each}]`));
  if (head) {
    const scu = around(event, "[data-scu]")?.dataset.scu ?? null;
    select(page.scu === scu ? null : scu, null);
  } else if (name) {
    closeDialog(event, "#help");
    clicks[name](around(event, `[data-${name}]`)?.dataset[name] ?? "", around(event, "[data-of]")?.dataset.of ?? "");
  }
  // After a click the keys go on in the text; detail is 0 when a button is worked by a key.
  const done = head || (name && name !== "choose");
  if (done && event.detail > 0 && !document.querySelector("dialog[open]") && !document.activeElement?.matches("textarea, input")) {
    pane.focus({ preventScroll: true });
  }
}

function listen() {
  keyboard.listen({ intercept, override: commands.goOnTyping, run: commands.run });
  document.addEventListener("pointerdown", commands.takeTyped, { capture: true });
  document.addEventListener("click", onClick);
  filter.addEventListener("input", () => {
    page.filter = filter.value;
    refresh();
  });
  for (const field of Object.values(list.fields)) {
    field.addEventListener("change", () => {
      editor.commitFields();
      refresh();
    });
  }
  pane.addEventListener("scroll", () => requestAnimationFrame(() => paintSelection(page, view)), { passive: true });
  listenToOthers();
}
