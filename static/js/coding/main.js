// Wires state, view, keys and sync. Every answer is shown at once; the server hears of it behind.
import * as answers from "./answers.js";
import { chains, noNumbers, renumber } from "./chains.js";
import { actionFor } from "./keys.js";
import { listenToMouse } from "./mouse.js";
import { openOutbox } from "./outbox.js";
import {
  apply, categoryOf, emptyHistory, forget, isDecided, load, operation, rebase, redo, remember, sameJudgement, step, undo,
} from "./state.js";
import { createSync, stateText, uuid } from "./sync.js";
import { announce, buildPanel, describe, notify, paintPanel, paintSaveState, say } from "./view-panel.js";
import { buildText, paintText, paintTicks, reveal } from "./view-text.js";

/**
 * @typedef {{model: import("./state.js").Model, base: import("./state.js").Judgements,
 *   judgements: import("./state.js").Judgements, history: import("./state.js").History, current: string|null,
 *   chains: import("./chains.js").Chains, numbers: import("./chains.js").Numbers, decided: number,
 *   candidates: import("./candidates.js").Candidate[], wants: boolean}} Page
 */

const loaded = load(JSON.parse(document.getElementById("coding-state").textContent));
const { model } = loaded;
const url = document.getElementById("coding-main").dataset.operations;
const pane = document.getElementById("text-pane");
const help = document.getElementById("help");
const note = document.getElementById("note");
const ticks = document.getElementById("ticks");

/** @type {Page} */
const page = {
  model,
  base: loaded.judgements,
  judgements: loaded.judgements,
  history: emptyHistory(),
  current: null,
  chains: { of: new Map(), members: new Map() },
  numbers: noNumbers(),
  decided: 0,
  candidates: [],
  wants: false,
};
let tabReleased = false;
let everyCandidate = false;
let ticksWaiting = false;
let saving = { state: "saved", waiting: 0 };

const text = buildText(document.getElementById("text"), model);
buildPanel(model);
const outbox = await openOutbox(`${url} ${model.user}`);
const sync = createSync({
  url,
  csrf: document.querySelector('meta[name="csrf-token"]').content,
  version: model.version,
  outbox,
  fetch: window.fetch.bind(window),
  timers: { setTimeout: window.setTimeout.bind(window), clearTimeout: window.clearTimeout.bind(window) },
  random: Math.random,
  hooks: {
    state: (state, waiting) => {
      saving = { state, waiting };
      showSaving();
    },
    acknowledged: (operations) => {
      page.base = apply(page.base, operations);
    },
    missed: (missed, pending) => {
      Object.assign(page, rebase(page.base, missed, pending));
      refresh();
    },
    refused: (culprit, problem, pending) => {
      const why = problem.detail ?? problem.title ?? "no reason given";
      if (culprit === null) {
        notify(`The server does not take answers now: ${why} ${pending.length} kept in this browser.`);
        return;
      }
      const key = culprit.payload.markable;
      const words = model.byKey.has(key) ? describe(model, key).words : key;
      page.judgements = apply(page.base, pending);
      page.history = forget(page.history, culprit.uuid);
      notify(`The answer to “${words}” was refused and taken back: ${why}`);
      refresh();
    },
    forgetful: () => notify("This browser cannot keep answers. Do not close the tab before all is saved."),
  },
});
page.judgements = apply(page.base, await sync.start());
page.current = step(model.coded, null, 1, undecided) ?? model.coded[0]?.key ?? null;
refresh();
listen();

function undecided(markable) {
  return !isDecided(model, page.judgements.get(markable.key));
}

function refresh() {
  page.chains = chains(model, page.judgements);
  page.numbers = renumber(page.numbers, page.chains);
  page.decided = model.coded.filter((markable) => !undecided(markable)).length;
  if (page.current !== null) {
    const value = page.judgements.get(page.current);
    const category = categoryOf(model, value?.category);
    page.candidates = answers.offer(model, page.judgements, page.current);
    page.wants = !model.readOnly && !isDecided(model, value)
      && (!category || Boolean(category.points_to) || category.takes_index);
  }
  paintText(text, page);
  paintPanel(page, everyCandidate);
  drawTicks();
  showSaving();
}

/** Measuring makes the browser lay out the page: once a frame, after the key has been answered. */
function drawTicks() {
  if (!ticksWaiting) {
    ticksWaiting = true;
    requestAnimationFrame(() => {
      ticksWaiting = false;
      paintTicks(ticks, pane, text, page);
    });
  }
}

function showSaving() {
  const undecidedCount = model.coded.length - page.decided;
  paintSaveState(saving.state, stateText(saving.state, saving.waiting, outbox.durable), saving.waiting, undecidedCount);
}

/** @param {string|null} key */
function go(key, prefix = "") {
  if (key === null) {
    return;
  }
  commitNote();
  page.current = key;
  everyCandidate = false;
  say("");
  refresh();
  reveal(pane, text, key);
  announce(page, prefix);
}

/** @param {string} key @param {import("./state.js").Judgement|null} value */
function write(key, value) {
  const change = operation(uuid(crypto), key, value);
  page.judgements = apply(page.judgements, [change]);
  sync.push({ ...change, made_at: new Date().toISOString() });
  return change.uuid;
}

/** @param {import("./answers.js").Answer} answer */
function answerWith(answer) {
  if (model.readOnly || page.current === null) {
    return;
  }
  if ("refused" in answer) {
    say(answer.refused);
    announce(page, answer.refused);
    return;
  }
  say("");
  if (answer.judgement !== null) {
    record(page.current, answer.judgement);
  }
  refresh();
  announce(page);
}

function record(key, value) {
  const before = page.judgements.get(key) ?? null;
  page.history = remember(page.history, { uuid: write(key, value), key, before, after: value });
}

function retrace(direction) {
  if (model.readOnly) {
    return;
  }
  commitNote();
  const { change, history } = direction(page.history);
  if (change === null) {
    return;
  }
  page.history = history;
  const value = direction === undo ? change.before : change.after;
  if (!sameJudgement(page.judgements.get(change.key), value)) {
    write(change.key, value);
  }
  go(change.key, direction === undo ? "Undone" : "Done again");
}

function accept() {
  const lacking = page.current === null || model.readOnly ? null : answers.missing(model, page.judgements, page.current);
  if (lacking) {
    say(lacking);
    announce(page, lacking);
  } else {
    go(step(model.coded, page.current, 1));
  }
}

function nextUndecided(direction) {
  const key = step(model.coded, page.current, direction, undecided);
  if (key === null) {
    say("Everything is decided.");
    announce(page, "Everything is decided.");
  } else {
    go(key);
  }
}

function alongChain(direction) {
  const own = page.chains.of.get(page.current) ?? [];
  const inChain = (markable) => (page.chains.of.get(markable.key) ?? []).some((chain) => own.includes(chain));
  go(step(model.coded, page.current, direction, inChain));
}

function commitNote() {
  if (page.current !== null && !model.readOnly) {
    const { judgement } = answers.addRemark(page.judgements, page.current, { note: note.value });
    if (judgement !== null && note.value !== (page.judgements.get(page.current)?.note ?? "")) {
      record(page.current, judgement);
    }
  }
}

function clear() {
  if (page.judgements.has(page.current)) {
    note.value = "";
    record(page.current, null);
    refresh();
    announce(page);
  }
}

function everything() {
  everyCandidate = true;
  refresh();
}

/** @param {import("./keys.js").Action} action */
function perform(action) {
  switch (action.type) {
    case "undecided": return nextUndecided(action.step);
    case "neighbour": return go(step(model.coded, page.current, action.step));
    case "chain": return alongChain(action.step);
    case "accept": return accept();
    case "undo": return retrace(undo);
    case "redo": return retrace(redo);
    case "help": return help.showModal();
    case "release":
      tabReleased = true;
      return say("Tab leaves the text now.");
    case "letter": return page.current === null ? undefined
      : answerWith(answers.pressLetter(model, page.judgements, page.current, action.letter, action.further));
    case "category": {
      const category = model.categories[action.place];
      return category && page.current !== null
        ? answerWith(answers.chooseCategory(model, page.judgements, page.current, category.key))
        : undefined;
    }
  }
}

function listen() {
  document.addEventListener("keydown", (event) => {
    const focus = document.activeElement ?? document.body;
    const action = actionFor(event, {
      inField: focus.matches("textarea, select, [contenteditable], input:not([type=checkbox], [type=button], [type=submit])"),
      onControl: focus.matches("a, button, summary, input"),
      inText: focus === document.body || pane.contains(focus),
      inDialog: help.open,
      released: tabReleased,
    });
    if (action !== null && model.coded.length > 0) {
      event.preventDefault();
      perform(action);
    }
  });
  pane.addEventListener("focusin", () => {
    tabReleased = false;
  });
  listenToMouse(pane, page, { answerWith, clear, everything, go, perform });
  document.querySelectorAll("[data-do=help]").forEach((button) => button.addEventListener("click", () => help.showModal()));
  note.addEventListener("change", () => {
    commitNote();
    refresh();
  });
  document.getElementById("unsure").addEventListener("change", (event) => {
    answerWith(answers.addRemark(page.judgements, page.current, { unsure: event.target.checked }));
  });
  window.addEventListener("online", () => sync.flush());
  window.addEventListener("beforeunload", (event) => {
    if (!outbox.durable && sync.waiting() > 0) {
      event.preventDefault();
    }
  });
  window.addEventListener("resize", drawTicks);
  const guidelines = document.getElementById("guidelines");
  if (guidelines && matchMedia("(max-width: 64rem)").matches) {
    guidelines.open = false;
  }
}
