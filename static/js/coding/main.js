// Wires state, view, keys and saving of the coding page.
import { createEditor } from "../workbench/editor.js";
import { byId } from "../workbench/dom/element.js";
import { emptyHistory } from "../workbench/history.js";
import { judge, markableOf } from "../workbench/judgements.js";
import { createKeyboard } from "../workbench/keys/keyboard.js";
import { combination } from "../workbench/keys/keys.js";
import { openSaving } from "../workbench/saving/saving.js";
import { readNumbers, storeNumbers } from "../workbench/settings.js";
import { paintSaveState, paintTime, say } from "../workbench/status.js";
import { Table } from "../workbench/table.js";
import { showDraft } from "../workbench/saving/visits.js";
import { actionsOf, byUse } from "./actions.js";
import { addRemark, offeredCandidates } from "./answers.js";
import { chains, emptyNumbers, renumber } from "./chains/chains.js";
import { createCodingCommands, KEYS } from "./commands.js";
import { listenToMouse } from "./view/mouse.js";
import { JUDGEMENTS } from "./targets/pointers.js";
import { answersOf } from "./questions/constraints.js";
import { isDecided, load, step, withMarks } from "./state.js";
import { announce, buildPanel, describe, paintPanel } from "./view/panel.js";
import { highlight, inUnits } from "./view/runs.js";
import { buildText, lightUp, paintText, redrawText, reveal } from "./view/text.js";
/** @import { Answer, Feedback, Frame, Markable, Page } from "./types.js" */

const loaded = load(JSON.parse(byId("coding-state").textContent));
const { operations: url = "", coding = "", former, cards = "" } = byId("coding-main").dataset;
const place = `${url} ${loaded.model.user} ${coding}`;
const pane = byId("text-pane");
const note = byId("note", HTMLTextAreaElement);
const { readOnly, version, direction } = loaded.model;
const keyboard = createKeyboard(byUse(loaded.model), KEYS, direction === "rtl");

let listsAll = false; // every candidate
let feedback = /** @type {Feedback | null} */ (null);
/** @type {string | null} */
let painted = null; // the markable that is shown as the current one: no other is answered
let pointedAt = /** @type {string | null} */ (null); // the candidate that mouse or focus is on

/** @type {Page} */
const page = {
  model: loaded.model,
  base: loaded.judgements,
  state: loaded.judgements,
  get judgements() {
    return this.state;
  },
  history: emptyHistory(version === 0),
  seconds: loaded.model.seconds,
  current: null,
  chains: { of: new Map(), members: new Table() },
  numbers: emptyNumbers(readNumbers(place)),
  decided: 0,
  candidates: [],
  wants: false,
  relation: null,
  together: false,
  asksEntity: false,
  answersSaid: "",
  asks: "",
};

const text = buildText(byId("text"), page.model);
buildPanel(page.model, keyboard);
// It is here before the server can answer: all below is done at once.
const marks = actionsOf(page.model).some(({ group }) => group === "Mark");
const markingPart = marks ? await import("./view/marking.js") : null;
const { attributes, relations } = loaded.model;
const furtherPart = attributes.length > 0 || relations.some((relation) => !relation.identity) ? await import("./questions/further.js") : null;
const queuePart = loaded.model.gold ? await import("./adjudication/queue.js") : null;
const machine = queuePart?.GOLD ?? JUDGEMENTS;
const { sync, status, start, listen: listenToOthers } = await (loaded.model.practice ? (await import("../workbench/saving/practice.js")).openPractice : openSaving)({
  url, coding, former, place, page, machine, refresh, show: showSaving, draft,
  describe: (operation) => {
    const key = markableOf(operation) ?? "";
    return `${operation.kind === "check" ? "Comparing" : "The answer to"} “${page.model.byKey.has(key) ? describe(page.model, key).words : key}”`;
  },
});
const { unsent, left } = await start();
const feedbackPart = loaded.model.feedback ? await import("./view/feedback.js") : null;
const editor = createEditor({
  page, machine, sync, unsent, version, say, tell, commit: commitNote, refresh, fields: [note],
  show: (changes, done) => go(changes.map(markableOf).find((key) => key !== null && page.model.byKey.get(key)?.coded) ?? page.current, done),
});
page.model = withMarks(page.model, page.judgements);
if (page.model !== loaded.model) {
  redrawText(text, loaded.model, page.model);
}
page.current = takeUpDraft(left) ?? page.model.byKey.get(location.hash.slice(1))?.key ?? step(page.model.coded, null, 1, undecided) ?? page.model.coded[0]?.key ?? null;

/** @type {Frame} */
const frame = {
  page, keyboard, pane, text, record, write: editor.record, refresh, go, say: tell, announce: (words) => announce(page, words, true),
  announceAgain: () => announce(page), commitNote, answerWith,
};
const marking = markingPart?.createMarking(frame) ?? null;
const further = furtherPart?.createFurther(frame, (options) => commands.picker.open(options)) ?? null;
feedback = feedbackPart?.createFeedback(frame, coding, sync) ?? null;
const queue = queuePart?.createQueue(frame, cards) ?? null;
const commands = createCodingCommands(frame, marking, further, feedback, undecided, editor.undo, sync);
const colours = [...loaded.model.categories, ...attributes.flatMap(({ values }) => values)].map(({ colour }) => colour).filter(Boolean);
if (colours.length > 0) {
  import("./view/colours.js").then(({ showColours }) => showColours(colours), () => null); // they are not needed to work
}
refresh();
listen();

/** @param {Markable} markable */
function undecided(markable) {
  const { model, judgements } = page;
  return !isDecided(model, markable.level, judgements.get(markable.key)) || furtherPart?.lacksOfChain(model, judgements, markable.key) === true;
}

/** Write a step that can be undone, with what it has to change besides. @type {Frame["record"]} */
function record(changes, copies = false) {
  const before = page.judgements;
  editor.record([...changes, ...(further?.kept(changes, copies) ?? [])]);
  further?.askConflicts(before);
}

function refresh() {
  const model = withMarks(page.model, page.judgements);
  if (model !== page.model) {
    redrawText(text, page.model, model);
    if (!model.byKey.has(page.current ?? "")) {
      const start = page.model.byKey.get(page.current ?? "")?.start ?? 0;
      page.current = (model.coded.find((markable) => markable.start >= start) ?? model.coded.at(-1))?.key ?? null;
      note.value = page.judgements.get(page.current ?? "")?.note ?? ""; // what stood there was about words that are gone
    }
    page.model = model;
    buildPanel(model, keyboard);
  }
  page.chains = chains(model, page.judgements);
  page.numbers = renumber(page.numbers, page.chains);
  page.decided = model.coded.filter((markable) => !undecided(markable)).length;
  page.candidates = [];
  page.wants = false;
  further?.settle();
  if (page.current !== null) {
    page.candidates = offeredCandidates(model, page.judgements, page.current, page.relation);
    page.wants = !readOnly && (page.relation !== null || answersOf(model, page.judgements, page.current).want !== null);
  }
  painted = page.model.byKey.has(page.current ?? "") ? page.current : null;
  paintText(text, page, keyboard);
  paintPanel(page, listsAll, keyboard);
  further?.paint();
  feedback?.paint();
  queue?.paint();
  paintTime(page.seconds);
  const { head: own = [] } = page.judgements.get(page.current ?? "") ?? {};
  highlight(text, "head", inUnits(page.model, own.length > 0 ? own : page.model.byKey.get(page.current ?? "")?.head ?? []));
  commands.paintChains();
  commands.drawOverlays(pointedAt);
  showSaving();
}

function showSaving() {
  feedback?.settle();
  const { length } = page.model.coded;
  const left = length - page.decided;
  const lacks = left > 0 ? `${left} still undecided` : length > 0 ? "" : "nothing is marked";
  paintSaveState(status, !lacks, lacks || "all decided");
}

/** Say something to the eye and to the ear. @param {string} words */
function tell(words) {
  say(words);
  announce(page, words);
}

/** @param {string | null} key */
function go(key, prefix = "") {
  if (key === null) {
    return;
  }
  commitNote();
  page.current = key;
  listsAll = false;
  pointedAt = null;
  page.together = false;
  say("");
  refresh();
  reveal(pane, text, key);
  announce(page, prefix);
}

/** @param {Answer} answer @param {string | null} key of the markable that it is for */
function answerWith(answer, key = page.current) {
  if (readOnly || page.current === null) {
    return;
  }
  if (page.current !== painted || page.current !== key) {
    refresh();
    tell("The markable was deleted. This is the current one.");
    return;
  }
  if ("refused" in answer) {
    tell(answer.refused);
    return;
  }
  const dropped = answer.dropped?.map((name) => page.model.constraints.attributes[name]?.label ?? page.model.constraints.relations[name].label) ?? [];
  const lost = dropped.length > 0 ? `No longer asked, and taken away: ${dropped.join(", ")}.` : "";
  say(lost);
  page.together = false;
  if (answer.judgement !== null) {
    record([judge(page.current, answer.judgement)]);
  }
  further?.goOn();
  refresh();
  announce(page, lost);
}

function commitNote() {
  if (page.current !== null) {
    recordNote(page.current, note.value);
  }
}

/** @type {(key: string, words: string) => void} */
function recordNote(key, words) {
  const answer = addRemark(page.judgements, key, { note: words });
  if (!readOnly && "judgement" in answer && answer.judgement !== null && words !== (page.judgements.get(key)?.note ?? "")) {
    editor.record([judge(key, answer.judgement)]);
  }
}

/** The note being written, where it is not recorded yet. */
function draft() {
  const before = page.judgements.get(page.current ?? "")?.note ?? "";
  return readOnly || page.current === null || note.value === before ? null : { markable: page.current, note: note.value, before };
}

/** Record the note being written when the page went away; return its markable, or null. @param {Record<string, unknown>} draft */
function takeUpDraft({ markable, note: words, before }) {
  if (readOnly || typeof markable !== "string" || typeof words !== "string") {
    return null;
  }
  if (!page.model.byKey.get(markable)?.coded || before !== (page.judgements.get(markable)?.note ?? "")) {
    showDraft(words);
    return null;
  }
  recordNote(markable, words);
  return markable;
}

function listen() {
  keyboard.listen({
    intercept: (event, focus) => {
      const leaves = focus === note && event.key === "Escape";
      if (leaves) {
        pane.focus({ preventScroll: true });
      }
      return leaves || Boolean(further?.intercept(event, focus) || queue?.press(event, focus));
    },
    override: (event, inText, action) => {
      if (!marking?.active() || !inText || event.isComposing) {
        return null;
      }
      const key = combination(event, direction === "rtl");
      return key !== null && marking.press(key, action);
    },
    run: commands.run,
  });
  listenToMouse(pane, page, {
    answerWith,
    press: (control) => further?.press(control),
    run: commands.run,
    go: (key, question) => {
      if (page.model.byKey.at(key).coded) {
        go(key);
        if (question) {
          further?.ask(question);
        }
      } else {
        reveal(pane, text, key);
      }
    },
    listAll: () => {
      listsAll = true;
      refresh();
    },
    light: (keys) => lightUp(text, keys),
    point: (key) => {
      pointedAt = key;
      commands.drawOverlays(key);
    },
  });
  note.addEventListener("change", () => {
    commitNote();
    refresh();
  });
  for (const flag of ["unsure", "optional"]) {
    const box = byId(flag, HTMLInputElement);
    box.addEventListener("change", () => page.current !== null
      && answerWith(addRemark(page.judgements, page.current, { [flag]: box.checked })));
  }
  listenToOthers();
  window.addEventListener("pagehide", () => storeNumbers(place, page.numbers.byChain));
  if (matchMedia("(max-width: 64rem)").matches) {
    document.querySelectorAll(".workbench-panels details").forEach((panel) => panel.removeAttribute("open"));
  }
}
