// Wires state, view, keys and sync. Every answer is shown at once; the server hears of it behind.
import { ACTIONS, actionsOf } from "./actions.js";
import * as answers from "./answers.js";
import { chains, noNumbers, renumber } from "./chains.js";
import { createCommands } from "./commands.js";
import { emptyHistory, forget, inverse, redone, remember, undone } from "./history.js";
import { actionFor, bindings, caps, combination } from "./keys.js";
import { listenToMouse } from "./mouse.js";
import { createRetracing } from "./retracing.js";
import { openSaving } from "./saving.js";
import { remembered, rememberedNumbers, rememberNumbers } from "./settings.js";
import { apply, categoryOf, deed, isDecided, load, rebase, step, withMarks } from "./state.js";
import { stateText, uuid } from "./sync.js";
import { createEntities } from "./view-entities.js";
import { paintArc, paintTicks } from "./view-overlays.js";
import { announce, buildPanel, describe, paintPanel } from "./view-panel.js";
import { highlight } from "./view-runs.js";
import { notify, paintSaveState, paintTime, say } from "./view-status.js";
import { buildText, lightUp, paintText, redrawText, reveal } from "./view-text.js";

const THOUGHT = 5 * 60; // seconds; a longer pause is no time at work, as on the server
const loaded = load(JSON.parse(document.getElementById("coding-state").textContent));
const url = document.getElementById("coding-main").dataset.operations;
const place = `${url} ${loaded.model.user}`;
const pane = document.getElementById("text-pane");
const note = document.getElementById("note");
const ticks = document.getElementById("ticks");
const arc = document.getElementById("arc");

let bound = bindings(ACTIONS, remembered(ACTIONS).keys);
let tabReleased = false;
let everyCandidate = false;
let framed = false;
let pointedAt = null; // the candidate that mouse or focus is on
let saving = { state: "saved", waiting: 0 };
let atWork = { seconds: loaded.model.seconds, last: null };

/** @type {Page} */
const page = {
  model: loaded.model,
  base: loaded.judgements,
  judgements: loaded.judgements,
  history: emptyHistory(loaded.model.version === 0),
  current: null,
  chains: { of: new Map(), members: new Map() },
  numbers: noNumbers(rememberedNumbers(place)),
  decided: 0,
  candidates: [],
  wants: false,
  keysOf: (action) => bound.keys.get(action),
  keyOf: (action) => caps(bound.keys.get(action)[0] ?? "").join("+"),
};
const { readOnly, version } = page.model;

const text = buildText(document.getElementById("text"), page.model);
buildPanel(page.model, bound);
// Pages on which nothing is marked do without this part. It is here before the server can answer: all below is done at once.
const marks = actionsOf(page.model).some(({ id }) => id === "mark" || id === "head");
const markingPart = marks ? await import("./view-marking.js") : null;
const { sync, durable, listen: listenToOthers } = await openSaving({
  url,
  place,
  version,
  hooks: {
    state: (state, waiting) => {
      saving = { state, waiting };
      showSaving();
    },
    acknowledged: (operations) => {
      page.base = apply(page.model, page.base, operations);
    },
    missed: (missed, pending) => {
      Object.assign(page, rebase(page.model, page.base, missed, pending));
      refresh();
    },
    refused: (culprit, why, pending) => {
      const key = culprit.payload.markable;
      const words = page.model.byKey.has(key) ? describe(page.model, key).words : key;
      page.judgements = apply(page.model, page.base, pending);
      page.history = forget(page.history, culprit.uuid);
      notify(`The answer to “${words}” was refused and taken back: ${why}`);
      refresh();
    },
  },
});
const unsent = await sync.start();
page.history.whole &&= unsent.length === 0;
const retracing = createRetracing({ page, sync, version, unsent, say, tell });
page.judgements = apply(page.model, page.base, unsent);
page.model = withMarks(page.model, page.judgements);
if (page.model !== loaded.model) {
  redrawText(text, loaded.model, page.model);
}
page.current = step(page.model.coded, null, 1, undecided) ?? page.model.coded[0]?.key ?? null;

const frame = { page, pane, text, record, refresh, go, say: tell, tell: (words) => announce(page, words, true), commitNote, undecided };
const marking = markingPart?.createMarking(frame) ?? null;
const commands = createCommands({
  ...frame, marking, retrace, answerWith,
  chosen: (choices) => {
    bound = bindings(ACTIONS, choices);
    buildPanel(page.model, bound);
    refresh();
  },
  release: () => {
    tabReleased = true;
  },
  stateOf: () => saving,
});
const entities = createEntities(document.getElementById("entities"), {
  light: (keys) => lightUp(text, keys),
  rename: (chain) => commands.rename(chain),
  merge: (chain) => commands.merge(chain),
});
refresh();
listen();

function undecided(markable) {
  return !isDecided(page.model, page.judgements.get(markable.key));
}

function refresh() {
  const model = withMarks(page.model, page.judgements);
  if (model !== page.model) {
    redrawText(text, page.model, model);
    if (!model.byKey.has(page.current)) {
      const start = page.model.byKey.get(page.current)?.start ?? 0;
      page.current = (model.coded.find((one) => one.start >= start) ?? model.coded.at(-1))?.key ?? null;
      note.value = page.judgements.get(page.current)?.note ?? ""; // what stood there was about words that are gone
    }
    page.model = model;
    buildPanel(model, bound);
  }
  page.chains = chains(model, page.judgements);
  page.numbers = renumber(page.numbers, page.chains);
  page.decided = model.coded.filter((markable) => !undecided(markable)).length;
  page.candidates = [];
  page.wants = false;
  if (page.current !== null) {
    const value = page.judgements.get(page.current);
    const category = categoryOf(model, value?.category);
    page.candidates = answers.offer(model, page.judgements, page.current);
    page.wants = !readOnly && !isDecided(model, value)
      && (!category || Boolean(category.points_to) || category.takes_index);
  }
  paintText(text, page);
  paintPanel(page, everyCandidate);
  paintTime(atWork.seconds);
  showHead();
  entities.paint(page);
  drawOverlays();
  showSaving();
}

function showHead() {
  const markable = page.model.byKey.get(page.current);
  const own = page.judgements.get(page.current)?.head ?? [];
  const head = own.length > 0 ? own : markable?.head ?? [];
  highlight(text, "head", head.map((part) => part.map(page.model.toUnits)));
}

/** Measuring makes the browser lay out the page: once a frame, after the key has been answered. */
function drawOverlays() {
  if (!framed) {
    framed = true;
    requestAnimationFrame(() => {
      framed = false;
      paintTicks(ticks, pane, text, page);
      drawArc();
    });
  }
}

/** The pointer in focus: to the candidate that mouse or focus is on if it is chosen, else to the nearest antecedent. */
function drawArc() {
  const targets = (page.judgements.get(page.current)?.pointers ?? []).filter((key) => page.model.byKey.has(key));
  const order = (key) => Math.abs(page.model.byKey.get(key).order - page.model.byKey.get(page.current).order);
  const [nearest] = [...targets].sort((one, other) => order(one) - order(other));
  paintArc(arc, pane, text, page.current, targets.includes(pointedAt) ? pointedAt : nearest ?? null);
}

function showSaving() {
  paintSaveState(saving.state, stateText(saving.state, saving.waiting, durable), saving.waiting,
    page.model.coded.length - page.decided);
}

/** Say something to the eye and to the ear. */
function tell(words) {
  say(words);
  announce(page, words);
}

/** @param {string|null} key */
function go(key, prefix = "") {
  if (key === null) {
    return;
  }
  commitNote();
  page.current = key;
  everyCandidate = false;
  pointedAt = null;
  say("");
  refresh();
  reveal(pane, text, key);
  announce(page, prefix);
}

/** To a markable that may be a turn, which is not judged. */
function goOrShow(key) {
  if (page.model.byKey.get(key).coded) {
    go(key);
  } else {
    reveal(pane, text, key);
  }
}

/**
 * Do something: shown at once, sent behind. All deeds of one call are one step.
 * @param {Deed[]} deeds @param {string|null} undoes the step that this takes back
 */
function write(deeds, undoes = null) {
  const now = new Date();
  const operations = deeds.map((one) => ({ ...one, uuid: uuid(crypto), made_at: now.toISOString(), step: null, undoes }));
  const id = operations[0].uuid;
  if (operations.length > 1) {
    operations.forEach((one) => {
      one.step = id;
    });
  }
  page.judgements = apply(page.model, page.judgements, operations);
  sync.push(...operations);
  const gap = atWork.last === null ? 0 : (now - atWork.last) / 1000;
  atWork = { seconds: atWork.seconds + (gap <= THOUGHT ? gap : 0), last: now };
  return { id, uuids: operations.map((one) => one.uuid) };
}

/** @param {Deed[]} deeds */
function record(deeds) {
  if (readOnly || deeds.length === 0) {
    return;
  }
  const back = inverse(page.model, page.judgements, deeds);
  const written = write(deeds);
  if (back.length > 0) {
    page.history = remember(page.history, { ...written, deeds, inverse: back, undoneBy: null });
  }
}

/** @param {Answer} answer */
function answerWith(answer) {
  if (readOnly || page.current === null) {
    return;
  }
  if ("refused" in answer) {
    tell(answer.refused);
    return;
  }
  say("");
  if (answer.judgement !== null) {
    record([deed(page.current, answer.judgement)]);
  }
  refresh();
  announce(page);
}

/** @param {boolean} forward redo instead of undo */
async function retrace(forward) {
  commitNote();
  const change = await retracing.next(forward);
  if (change === null) {
    return;
  }
  const { id } = write(forward ? change.deeds : change.inverse, forward ? change.undoneBy : change.id);
  page.history = forward ? redone(page.history) : undone(page.history, id);
  const before = page.current;
  refresh();
  if (document.activeElement === note) {
    tell(forward ? "Done again" : "Undone"); // what is being written there is about the current one
    return;
  }
  const touched = (forward ? change.deeds : change.inverse).map(({ payload }) => payload.to ?? payload.markable)
    .find((key) => page.model.byKey.get(key)?.coded);
  go(touched ?? before, forward ? "Done again" : "Undone");
}

function commitNote() {
  if (page.current !== null && !readOnly) {
    const { judgement } = answers.addRemark(page.judgements, page.current, { note: note.value });
    if (judgement !== null && note.value !== (page.judgements.get(page.current)?.note ?? "")) {
      record([deed(page.current, judgement)]);
    }
  }
}

function onKey(event) {
  const active = document.activeElement ?? document.body;
  const focus = active.closest("dialog:not([open])") ? document.body : active; // a dialogue just closed keeps it for a frame
  const inField = focus.matches("textarea, select, [contenteditable], input:not([type=checkbox], [type=button], [type=submit])");
  if (focus === note && event.key === "Escape") {
    event.preventDefault();
    pane.focus({ preventScroll: true });
    return;
  }
  const dialog = document.querySelector("dialog[open]");
  if (dialog && event.key === "Escape") {
    event.preventDefault(); // the browser would close it a moment later, and take the next key for the dialogue's
    dialog.close();
    return;
  }
  const rightToLeft = page.model.direction === "rtl";
  const inText = focus === document.body || pane.contains(focus);
  const pressed = actionFor(bound, event, {
    inField, inText, rightToLeft, onControl: focus.matches("a, button, summary, input"),
    inDialog: dialog !== null, released: tabReleased,
  });
  if (marking?.active() && inText && !event.isComposing) {
    const key = combination(event, rightToLeft);
    if (key !== null && marking.press(key, pressed?.id)) {
      event.preventDefault();
    }
    return;
  }
  if (pressed !== null && commands.run(pressed.id, { further: pressed.further })) {
    event.preventDefault();
  }
}

function listen() {
  document.addEventListener("keydown", onKey);
  pane.addEventListener("focusin", () => {
    tabReleased = false;
  });
  pane.addEventListener("scroll", () => requestAnimationFrame(drawArc), { passive: true });
  listenToMouse(pane, page, {
    answerWith, go: goOrShow, run: commands.run,
    everything: () => {
      everyCandidate = true;
      refresh();
    },
    light: (keys) => lightUp(text, keys),
    point: (key) => {
      pointedAt = key;
      drawOverlays();
    },
  });
  note.addEventListener("change", () => {
    commitNote();
    refresh();
  });
  for (const flag of ["unsure", "optional"]) {
    document.getElementById(flag).addEventListener("change", (event) => {
      answerWith(answers.addRemark(page.judgements, page.current, { [flag]: event.target.checked }));
    });
  }
  listenToOthers();
  window.addEventListener("pagehide", () => rememberNumbers(place, page.numbers));
  window.addEventListener("resize", drawOverlays);
  if (matchMedia("(max-width: 64rem)").matches) {
    document.querySelectorAll(".left details").forEach((panel) => {
      panel.open = false;
    });
  }
}
