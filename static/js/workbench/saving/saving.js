// Saving, on every page on which coders work: the outbox, the server, other windows, and what comes back.
import { applyChanges, rebase, removeStep } from "../history.js";
import { openOutbox } from "./outbox.js";
import { dismiss, notify } from "../status.js";
import { createSync } from "./sync.js";
import { forgetVisit, storeVisit, takeVisit } from "./visits.js";
/** @import { Operation, SaveState, SavingOptions, Visit, WorkbenchModel } from "../types.js" */

const NOT_TAKEN = "not saved"; // the notice while the server takes no answers
const REFUSED = "refused";

/** @template {WorkbenchModel} M @template S @param {SavingOptions<M, S>} options */
export async function openSaving({ url, coding, former, place, page, machine, show, refresh, describe, draft, cleanUp }) {
  if (former) {
    storeVisit(place, takeVisit(former));
  }
  const visit = takeVisit(place);
  if (visit.version > page.model.version) { // made by the server before it had the last answers
    storeVisit(place, { ...visit, version: 0 });
    location.reload();
    await new Promise(() => {});
  }
  const keep = () => storeVisit(place, visit); // until it is taken up
  window.addEventListener("pagehide", keep);
  let outbox = await openOutbox(place, former);
  const changes = document.getElementById("changes");
  if (changes) {
    const { renewedOutbox } = await import("./corrections.js");
    outbox = renewedOutbox(outbox, visit, JSON.parse(changes.textContent), page.model, notify);
  }
  const windows = new BroadcastChannel(`coindex ${place}`);
  const status = { state: /** @type {SaveState} */ ("saved"), waiting: 0, durable: outbox.durable };
  const token = document.querySelector('meta[name="csrf-token"]');
  let read = true; // whether one worked on after a refusal
  let own = /** @type {Visit | null} */ (null); // what was stored when the page went away
  /** @param {S} state @param {Operation[]} operations */
  const apply = (state, operations) => applyChanges(machine, page.model, state, operations);
  const sync = createSync({
    url,
    coding,
    user: page.model.user,
    // That of the session is another one than the page came with, where somebody has signed in since.
    csrf: () => document.cookie.match(/(?:^|; )(?:coindex_)?csrftoken=([^;]+)/)?.[1] ?? (token instanceof HTMLMetaElement ? token.content : ""),
    version: page.model.version,
    scheme: page.model.scheme,
    outbox,
    fetch: window.fetch.bind(window),
    timers: { setTimeout: window.setTimeout.bind(window), clearTimeout: window.clearTimeout.bind(window) },
    random: Math.random,
    hooks: {
      state: (state, waiting) => {
        Object.assign(status, { state, waiting });
        if (waiting === 0) {
          dismiss(NOT_TAKEN);
        }
        if (state === "saved" && read) {
          dismiss(REFUSED);
        }
        show();
      },
      acknowledged: (operations) => {
        page.base = apply(page.base, operations);
        windows.postMessage("saved");
      },
      missed: (missed, pending) => {
        Object.assign(page, rebase(machine, page.model, page.base, missed, pending));
        refresh();
      },
      outdated: loadAgain,
      refused: (culprit, problem, pending) => {
        const why = problem.detail ?? problem.title ?? "no reason given";
        if (culprit === null) {
          notify(`The server is not accepting answers: ${why} ${pending.length} kept in this browser.`, NOT_TAKEN);
          return;
        }
        const what = describe(culprit);
        read = false;
        page.state = apply(page.base, pending);
        page.history = removeStep(page.history, culprit.uuid);
        cleanUp?.(culprit);
        notify(`${dismiss(REFUSED).slice(-999)} ${what} was refused and undone: ${why}`, REFUSED);
        refresh();
      },
      storageFailed: () => notify("This browser cannot store answers. Keep this tab open until everything is saved."),
    },
  });

  /** What an earlier visit could not send goes out. Call once, before anything is written. */
  async function start() {
    const unsent = await sync.start(visit.operations);
    page.history.whole &&= unsent.length === 0;
    page.state = apply(page.base, unsent);
    return { unsent, left: visit.draft ?? {} };
  }

  /** Hear of other windows and of the network. Call once the page can show what comes. */
  function listen() {
    window.removeEventListener("pagehide", keep);
    windows.addEventListener("message", () => sync.check());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") {
        sync.check();
      }
    });
    window.addEventListener("online", () => sync.flush());
    for (const name of ["keydown", "pointerdown"]) {
      document.addEventListener(name, () => { read = true; }, true);
    }
    window.addEventListener("pagehide", () => {
      const seen = sync.version();
      const written = draft();
      own = { version: seen, operations: outbox.unstored(), draft: written && { ...written, seen } };
      storeVisit(place, own);
    });
    window.addEventListener("pageshow", (event) => {
      if (event.persisted && own) { // with what was being typed; the rest may be old
        forgetVisit(place, own);
        sync.check();
      }
    });
    window.addEventListener("beforeunload", (event) => {
      if (!outbox.durable && sync.waiting() > 0) {
        event.preventDefault();
      }
    });
  }

  return { sync, status, start, listen };
}

/** Load the page again; what is being written in a dialog is finished first. */
function loadAgain() {
  const written = Array.from(document.querySelectorAll("textarea")).find((field) => field.value.trim() && field.closest("dialog[open]"));
  if (written) {
    written.closest("dialog")?.addEventListener("close", () => location.reload(), { once: true });
  } else {
    location.reload();
  }
}
