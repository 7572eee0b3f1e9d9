// Wires the designer: the list, the form, the preview, and what the server says of the draft.
import { button, byId, element } from "../workbench/dom/element.js";
import { local, readJson, remove, write } from "../workbench/settings.js";
import { begin, proceed, redo, undo } from "./history.js";
import { find, whatIsSent } from "./questions.js";
import { createServer, REFUSED, Refusal } from "./server.js";
import { withoutBlankValues } from "./values.js";
import { createForm } from "./view/form.js";
import { focus } from "./view/fields.js";
import { paintFindings } from "./view/findings.js";
import { createList } from "./view/list.js";
import { createPreview } from "./view/preview.js";
/** @import { Designer, Draft, Place, SavingOptions, Start, StoredDraft, Verdict } from "./types.js" */

const PAUSE = 250; // milliseconds after the last change until the server is asked
const RETRY = 10 * 1000;
const SILENT = "The server is not responding. Your draft stays here; the preview follows when it answers.";

/** @type {Start} */
const start = JSON.parse(byId("scheme-start-state").textContent);
const { draft: draftAddress = "", sample = "", scheme: schemeAddress = "" } = byId("scheme-main").dataset;
const csrf = document.querySelector("meta[name='csrf-token']")?.getAttribute("content") ?? "";
const server = createServer({ draft: draftAddress, scheme: schemeAddress, csrf });
const formRoot = byId("scheme-form");
const message = byId("scheme-message");

/** Where this browser keeps the draft until it is saved: a reload, a crash or the end of a session loses nothing. */
const kept = `coindex-scheme 1 ${start.user} ${draftAddress}`;
const again = readDraft();
/** The version that the draft is a change of: of a draft that was kept, the one that was opened then. */
let version = again?.version ?? start.version;
let saved = again?.saved ?? whatIsSent(start.scheme);
let drafts = begin({ scheme: saved, merges: [] });
/** @type {Place} */
let place = { kind: "answers", key: "" };
/** @type {Verdict} */
let verdict = { problems: [], sample: null, changes: [], consequences: [], theirs: [] };
let judged = /** @type {Draft | null} */ (null); // Of the drafts, which the verdict is about.
/** @type {number | undefined} */
let timer;
let asked = 0;

/** @type {Designer} */
const designer = {
  scheme: () => drafts.present.scheme,
  draft: () => drafts.present,
  written: () => ({
    ...drafts.present, scheme: withoutBlankValues(drafts.present.scheme, (attribute, value) => designer.isSaved("attribute", attribute, value)),
  }),
  problems: () => verdict.problems,
  saved: () => saved,
  place: () => place,
  isSaved: (kind, key, value) => {
    const row = find(saved, kind, key);
    return row !== undefined && (value === undefined || ("values" in row && row.values.some((other) => other.key === value)));
  },
  isFixed: (kind, key, value) => (kind === "level" ? start.has_texts : start.assigned) && designer.isSaved(kind, key, value),
  apply: (edit, { tag, place: next, focus: path, said } = {}) => {
    if ("refused" in edit) {
      say(edit.refused);
      return edit.refused;
    }
    drafts = proceed(drafts, { ...drafts.present, scheme: edit.scheme }, tag ?? null);
    const moves = next !== undefined && (next.kind !== place.kind || path !== undefined || tag === undefined);
    place = next ?? place;
    show(tag !== undefined && !moves);
    say(said ?? "");
    if (path !== undefined) {
      focus(formRoot, path);
      const control = document.activeElement;
      if (control instanceof HTMLInputElement && path === "label") {
        control.select();
      }
    }
    return "";
  },
  replace: (draft, said) => {
    drafts = proceed(drafts, draft);
    showAll();
    say(said);
  },
  select: (next, moves = false) => {
    place = next;
    list.paint();
    form.build();
    if (moves) {
      focus(formRoot, "label");
    }
  },
  say,
};

const list = createList(byId("scheme-list"), designer);
const form = createForm(formRoot, designer);
const showSample = createPreview(byId("scheme-frames"), sample);
/** @type {SavingOptions} */
const savingOptions = {
  version: () => version,
  isAssigned: start.assigned,
  isBlind: start.assigned && !start.sees_work,
  changes: () => verdict.changes,
  saved: (scheme, now) => {
    saved = whatIsSent(scheme);
    version = now;
    drafts = begin({ scheme: saved, merges: [] });
    showAll();
  },
  theirs: (scheme, now, takes) => {
    saved = whatIsSent(scheme);
    version = now;
    if (takes) {
      drafts = proceed(drafts, { scheme: saved, merges: [] });
    }
    showAll();
  },
};
let saving = /** @type {{ open: () => void } | null} */ (null); // Loaded when it is asked for.
byId("scheme-start-list").append(...start.starts.map(({ label, description, scheme }) => element("li", "", button("scheme-start", [
  element("strong", "", label), element("span", "muted small", description),
], {
  onclick: () => {
    byId("scheme-starts", HTMLDialogElement).close();
    designer.replace({ scheme: whatIsSent(scheme), merges: [] }, `Started from ${label}. Undo brings the draft back.`);
  },
}))));
if (again) {
  designer.replace(again.draft, `Your draft of ${new Date(again.at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" })} is here again. Undo goes back to the saved scheme.`);
} else {
  showAll();
}
listen();

/** To the eye and to the ear. @param {string} words */
function say(words) {
  message.textContent = words;
  byId("scheme-said").textContent = words;
}

/** @param {boolean} typing the form shows already what was written in it */
function show(typing) {
  list.paint();
  if (typing) {
    form.update();
  } else {
    form.build();
  }
  showState();
  ask();
}

function showAll() {
  if (place.kind !== "answers" && !find(drafts.present.scheme, place.kind, place.key)) {
    place = { kind: "answers", key: "" };
  }
  show(false);
}

function isChanged() {
  const { scheme, merges } = designer.written();
  return merges.length > 0 || JSON.stringify(scheme) !== JSON.stringify(saved);
}

function showState() {
  const changed = isChanged();
  byId("scheme-undo", HTMLButtonElement).disabled = drafts.past.length === 0;
  byId("scheme-redo", HTMLButtonElement).disabled = drafts.future.length === 0;
  const current = judged === drafts.present;
  const { length } = verdict.problems;
  const problems = length === 1 ? "1 problem" : `${length} problems`;
  byId("scheme-state").textContent = !changed ? "Saved" : length > 0 && current ? `Not saved · ${problems}` : "Not saved";
  byId("scheme-state").dataset.state = !changed ? "saved" : length > 0 && current ? "wrong" : "changed";
  byId("scheme-save", HTMLButtonElement).disabled = !changed || !current || length > 0;
}

/** Keep the draft, and ask the server what it says of it, after a pause. */
function ask() {
  clearTimeout(timer);
  timer = setTimeout(judge, judged === null ? 0 : PAUSE);
}

async function judge() {
  keep();
  const draft = drafts.present;
  asked += 1;
  const number = asked;
  try {
    const found = await server.judge(designer.written().scheme);
    if (number !== asked) {
      return; // the draft has changed meanwhile
    }
    verdict = found;
    judged = draft;
    if (message.textContent === SILENT) {
      say("");
    }
    showSample(verdict.sample);
    byId("scheme-preview-note").textContent = verdict.sample
      ? "The coding page with this draft. Try it: nothing is saved." : "As it was before the last changes: mend the problems below to see them.";
  } catch (error) {
    if (number === asked) {
      const refused = error instanceof Refusal && [401, 403, 404].includes(error.status);
      say(refused ? REFUSED : SILENT);
      timer = refused ? undefined : setTimeout(judge, RETRY);
    }
    return;
  }
  list.paint();
  form.update();
  paintFindings(byId("scheme-findings"), designer, verdict.consequences);
  showState();
}

function keep() {
  if (isChanged()) {
    write(local, kept, JSON.stringify({ draft: designer.written(), saved, version, at: Date.now() }));
  } else {
    remove(local, kept);
  }
}

/** @returns {StoredDraft | null} null also where it cannot be read */
function readDraft() {
  const found = /** @type {StoredDraft | null} */ (readJson(local, kept));
  try {
    return found && { ...found, draft: { scheme: whatIsSent(found.draft.scheme), merges: [...found.draft.merges] }, saved: whatIsSent(found.saved) };
  } catch {
    return null;
  }
}

/** @param {typeof undo} step @param {string} words */
function travel(step, words) {
  const before = drafts.present;
  drafts = step(drafts);
  showAll();
  say(before === drafts.present ? `Nothing to ${step === undo ? "undo" : "redo"}.` : words);
}

function listen() {
  byId("scheme-start").addEventListener("click", () => byId("scheme-starts", HTMLDialogElement).showModal());
  byId("scheme-undo").addEventListener("click", () => travel(undo, "Undone."));
  byId("scheme-redo").addEventListener("click", () => travel(redo, "Redone."));
  byId("scheme-save").addEventListener("click", async () => {
    try {
      const { createSaving } = await import("./view/saving.js");
      saving ??= createSaving(designer, server, savingOptions);
      saving.open();
    } catch {
      say("The server is not responding. Nothing is saved; your draft stays here.");
    }
  });
  document.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    const control = event.ctrlKey || event.metaKey;
    if (control && !event.altKey && (key === "z" || key === "y") && !document.querySelector("dialog[open]")) {
      event.preventDefault();
      const forward = key === "y" || event.shiftKey;
      travel(forward ? redo : undo, forward ? "Redone." : "Undone.");
    }
    if (control && key === "s") {
      event.preventDefault();
      byId("scheme-save").click();
    }
  });
  window.addEventListener("online", judge);
  window.addEventListener("pagehide", keep);
  window.addEventListener("beforeunload", (event) => {
    if (isChanged()) {
      event.preventDefault();
    }
  });
}
