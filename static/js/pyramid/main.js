// Wires state, view, keys and sync of the pyramid pages. Everything is shown at once; the server hears of it behind.
import { emptyHistory, forget } from "../coding/history.js";
import { actionFor, bindings, caps } from "../coding/keys.js";
import { openSaving } from "../coding/saving.js";
import { remembered, rememberedNumbers, rememberNumbers } from "../coding/settings.js";
import { stateText } from "../coding/sync.js";
import { notify, paintSaveState, paintTime, say } from "../coding/view-status.js";
import { ACTIONS } from "./actions.js";
import { createCommands, KEYS } from "./commands.js";
import { createDoing } from "./doing.js";
import { called, partOf } from "./edits.js";
import { listenToPointer } from "./pointer.js";
import { apply, load, markOf, rebase, see, wordsOf } from "./state.js";
import { buildPanel, paintProgress, paintScores, paintSelection } from "./view-panel.js";
import { createList } from "./view-list.js";
import { buildWords, paintWords, reveal } from "./view-words.js";
import { nextFree, run } from "./words.js";

const loaded = load(JSON.parse(document.getElementById("coding-state").textContent));
const { model } = loaded;
const url = document.getElementById("coding-main").dataset.operations;
const place = `${url} ${model.user}`;
const pane = document.getElementById("text-pane");
const filter = document.getElementById("scu-filter");

let bound = bindings(ACTIONS, remembered(ACTIONS, KEYS).keys);
let tabReleased = false;
let saving = { state: "saved", waiting: 0 };
let seenOf = null; // the state that page.seen is of
const numbers = new Map(model.peer ? [] : rememberedNumbers(place));

const page = {
  model,
  base: loaded.state,
  state: loaded.state,
  seen: see(model, loaded.state),
  history: emptyHistory(model.version === 0),
  /** words: the selection is from anchor to cursor */
  anchor: 0,
  cursor: 0,
  /** keys of the selected SCU and contributor */
  scu: null,
  contributor: null,
  chosen: new Set(),
  clash: new Set(),
  filter: "",
  /** SCUs that the filter leaves */
  shown: [],
  /** at work */
  seconds: model.seconds,
  mouse: false,
  touched: null,
  /** SCUs keep the number under which they were first seen. @param {string} key */
  numberOf(key) {
    if (!numbers.has(key)) {
      numbers.set(key, Math.max(0, ...numbers.values()) + 1);
    }
    return numbers.get(key);
  },
  wordsOf: ([first, last]) => (model.words[first] ? wordsOf(model, partOf(model, [first, last])) : ""),
  keysOf: (action) => bound.keys.get(action),
  keyOf: (action) => caps(bound.keys.get(action)[0] ?? "").join("+"),
};

const view = buildWords(document.getElementById("text"), model);
const list = createList(model);
buildPanel(model, bound);
const { sync, durable, listen: listenToOthers } = await openSaving({
  url,
  place,
  version: model.version,
  hooks: {
    state: (state, waiting) => {
      saving = { state, waiting };
      showSaving();
    },
    acknowledged: (operations) => {
      page.base = apply(model, page.base, operations);
    },
    missed: (missed, pending) => {
      Object.assign(page, rebase(model, page.base, missed, pending));
      refresh();
    },
    refused: (culprit, why, pending) => {
      const { markable, scu } = culprit.payload;
      const words = markable ? markOf(model, markable).words : page.state.scus.get(scu)?.label ?? "an SCU";
      page.state = apply(model, page.base, pending);
      page.history = forget(page.history, culprit.uuid);
      // An SCU that was to be made of these words does not stay behind empty.
      const { scus } = see(model, page.state);
      (culprit.payload.indices ?? []).filter((key) => !page.base.scus.has(key) && scus.get(key)?.contributors.length === 0)
        .forEach((key) => doing.write([{ kind: "describe", payload: { scu: key, label: "", comment: "" } }]));
      notify(`What was done with “${words}” was refused and taken back: ${why}`);
      refresh();
    },
  },
});
const unsent = await sync.start();
page.history.whole &&= unsent.length === 0;
page.state = apply(model, page.base, unsent);
page.seen = see(model, page.state);
(model.against?.scus ?? page.seen.order).forEach(({ key }) => page.numberOf(key));
page.cursor = Math.max(0, nextFree(model, page.seen, model.words.length - 1, 1) ?? 0);
page.anchor = page.cursor;

const doing = createDoing({ page, view, list, sync, unsent, refresh, select, say, tell });
const { carry, check, commitFields } = doing;
const commands = createCommands({
  page, view, pane, fields: list.fields, carry, check, refresh, select, retrace: doing.retrace, walked, commitFields, say: tell,
  chosen: (choices) => {
    bound = bindings(ACTIONS, choices);
    buildPanel(model, bound);
    refresh();
  },
  release: () => {
    tabReleased = true;
  },
  waiting: () => saving.waiting,
});
const pointer = listenToPointer(pane, page, {
  pick: () => {
    page.mouse = false;
    walked();
    if (page.seen.of[page.cursor]?.length > 0) {
      commands.takeUp();
    }
  },
  selected: () => {
    commitFields();
    walked();
  },
  why: commands.why,
  drop: commands.drop,
});
const paintOthers = model.others.length > 0
  ? (await import("./view-others.js")).createOthers({ page, carry, select, state: () => page.state }) : null;
refresh();
listen();

function refresh() {
  if (seenOf !== page.state) {
    page.seen = see(model, page.state);
    seenOf = page.state;
    page.seen.order.forEach(({ key }) => page.numberOf(key));
    page.scu = page.seen.scus.has(page.scu) ? page.scu : null;
    page.contributor = page.seen.byKey.has(page.contributor) ? page.contributor : null;
    page.chosen = new Set([...page.chosen].filter((key) => page.seen.byKey.get(key)?.scus.includes(page.scu)));
    paintScores(page);
    paintProgress(page);
    paintTime(page.seconds);
  }
  list.paint(page);
  paintWords(view, page);
  paintSelection(page);
  showSaving();
  paintOthers?.(page);
}

function showSaving() {
  const free = model.words.length - page.seen.of.filter((all) => all.length > 0).length;
  paintSaveState(saving.state, stateText(saving.state, saving.waiting, durable), saving.waiting, Number(page.seen.contributors.length === 0));
  const note = document.getElementById("submit-note");
  if (note) {
    note.textContent = free > 0 ? `${free} ${free === 1 ? "word" : "words"} ${model.peer ? "not marked" : "in no SCU"}` : "every word is marked";
  }
}

/** Say something to the eye and to the ear. */
function tell(words, refused = false) {
  say(words);
  document.getElementById("say").classList.toggle("is-refusal", refused);
  document.getElementById("announce").textContent = words;
}

/** After a step among the words: what is selected now, to the eye and to the ear. */
function walked() {
  say("");
  page.clash = new Set();
  refresh();
  const all = page.seen.of[page.cursor] ?? [];
  const inside = all.flatMap((one) => one.scus).map((key) => called(page.seen, page.numberOf)(key));
  const summary = model.summaries[model.words[page.cursor]?.summary]?.name ?? "";
  document.getElementById("announce").textContent = `${page.wordsOf(run(page.anchor, page.cursor))}. ${summary}. `
    + (inside.length > 0 ? inside.join(", ") : all.length > 0 ? "marked" : "in no SCU");
  reveal(view, page.cursor);
}

/** @param {string|null} scu @param {string|null} contributor */
function select(scu, contributor) {
  commitFields();
  if (scu !== page.scu) {
    page.chosen = new Set();
  }
  page.scu = scu;
  page.contributor = contributor;
  page.clash = new Set();
  say("");
  refresh();
  const chosen = page.seen.scus.get(scu);
  document.getElementById("announce").textContent = chosen
    ? `${called(page.seen, page.numberOf)(scu)}, weight ${chosen.weight}, contributors: ${chosen.contributors.length}` : "";
  list.reveal(scu);
  const one = page.seen.byKey.get(contributor) ?? chosen?.contributors[0];
  if (one) {
    reveal(view, one.places[0]);
  }
}

// ---- listening

function onKey(event) {
  const active = document.activeElement ?? document.body;
  const focus = active.closest("dialog:not([open])") ? document.body : active; // a dialogue just closed keeps it for a frame
  if (pointer.active() && event.key === "Escape") {
    event.preventDefault();
    pointer.stop();
    return;
  }
  const leaves = event.key === "Escape" || (event.key === "Enter" && !event.shiftKey && focus !== list.fields.comment);
  if ([list.fields.label, list.fields.comment, filter].includes(focus) && leaves && !event.isComposing) {
    event.preventDefault();
    toText(focus, event.key);
    return;
  }
  if (focus === filter && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    commands.act(event.key === "ArrowDown" ? "next-scu" : "previous-scu");
    return;
  }
  const dialog = document.querySelector("dialog[open]");
  if (dialog && event.key === "Escape") {
    event.preventDefault(); // the browser would close it a moment later, and take the next key for the dialogue's
    dialog.close();
    return;
  }
  const pressed = actionFor(bound, event, {
    inField: focus.matches("textarea, select, [contenteditable], input:not([type=checkbox], [type=button], [type=submit])"),
    inText: focus === document.body || pane.contains(focus),
    rightToLeft: model.direction === "rtl",
    onControl: focus.matches("a, button, summary, input"),
    inDialog: dialog !== null, released: tabReleased,
  });
  if (pressed !== null && commands.act(pressed.id)) {
    event.preventDefault();
  }
}

/** From a field back to the words. In the filter, Enter takes the SCU that was found; on a peer's page the words express it. */
function toText(field, key) {
  commitFields();
  pane.focus({ preventScroll: true });
  if (field === filter && key === "Enter" && page.shown.length > 0) {
    const scu = page.shown.find((one) => one.key === page.scu) ?? page.shown[0];
    field.value = "";
    page.filter = "";
    select(scu.key, null);
    if (model.peer) {
      commands.act("contribute");
    }
    return;
  }
  if (field === filter) {
    field.value = "";
    page.filter = "";
  }
  refresh();
}

const clicks = {
  do: (id) => commands.act(id),
  free: (summary) => {
    page.cursor = model.summaries[summary].words[0] - 1;
    commands.act("next-free");
  },
  contributor: (key, one) => commands.take(key, one.closest("[data-of]").dataset.of || null),
  remove: (key, one) => commands.remove(key, one.closest("[data-of]").dataset.of),
  choose: (key) => commands.choose(key),
  goto: (scu) => select(scu, null),
};

function onClick(event) {
  const head = event.target.closest(".scu-head");
  const name = Object.keys(clicks).find((each) => event.target.closest(`[data-${each}]`));
  if (head) {
    const { scu } = head.parentElement.dataset;
    select(page.scu === scu ? null : scu, null);
  } else if (name) {
    const one = event.target.closest(`[data-${name}]`);
    one.closest("dialog:not(#help)")?.close();
    clicks[name](one.dataset[name], one);
  }
  // After a click the keys go on in the text; detail is 0 when a button is worked by a key.
  const done = head || (name && name !== "choose");
  if (done && event.detail > 0 && !document.querySelector("dialog[open]") && !document.activeElement?.matches("textarea, input")) {
    pane.focus({ preventScroll: true });
  }
}

function listen() {
  document.addEventListener("keydown", onKey);
  document.addEventListener("click", onClick);
  pane.addEventListener("focusin", () => {
    tabReleased = false;
  });
  filter.addEventListener("input", () => {
    page.filter = filter.value;
    refresh();
  });
  for (const field of Object.values(list.fields)) {
    field.addEventListener("change", () => {
      commitFields();
      refresh();
    });
  }
  listenToOthers();
  window.addEventListener("pagehide", () => rememberNumbers(place, { byChain: numbers }));
}
