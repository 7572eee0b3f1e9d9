// What every page on which coders work needs in a browser to save: the outbox, the server, one's other windows.
import { openOutbox } from "./outbox.js";
import { createSync } from "./sync.js";
import { notify } from "./view-status.js";

/**
 * The hooks are those of `createSync`, but `refused` is called with the reason in words, and only where one operation is.
 * @param {object} options
 * @param {string} options.url @param {string} options.place whose outbox and windows these are @param {number} options.version
 * @param {{state: Function, acknowledged: Function, missed: Function, refused: Function}} options.hooks
 */
export async function openSaving({ url, place, version, hooks }) {
  const outbox = await openOutbox(place);
  const windows = new BroadcastChannel(`coindex ${place}`);
  const sync = createSync({
    url,
    csrf: document.querySelector('meta[name="csrf-token"]').content,
    version,
    outbox,
    fetch: window.fetch.bind(window),
    timers: { setTimeout: window.setTimeout.bind(window), clearTimeout: window.clearTimeout.bind(window) },
    random: Math.random,
    hooks: {
      ...hooks,
      acknowledged: (operations) => {
        hooks.acknowledged(operations);
        windows.postMessage("saved");
      },
      refused: (culprit, problem, pending) => {
        const why = problem.detail ?? problem.title ?? "no reason given";
        if (culprit === null) {
          notify(`The server does not take answers now: ${why} ${pending.length} kept in this browser.`);
        } else {
          hooks.refused(culprit, why, pending);
        }
      },
      forgetful: () => notify("This browser cannot keep answers. Do not close the tab before all is saved."),
    },
  });

  /** Hear of other windows and of the network. Call once the page can show what comes. */
  function listen() {
    windows.addEventListener("message", () => sync.check());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") {
        sync.check();
      }
    });
    window.addEventListener("online", () => sync.flush());
    window.addEventListener("beforeunload", (event) => {
      if (!outbox.durable && sync.waiting() > 0) {
        event.preventDefault();
      }
    });
  }

  return { sync, durable: outbox.durable, listen };
}
