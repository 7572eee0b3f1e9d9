// The coding page with the draft: a frame for each state of it, which takes the place of the one before when it is ready.
/** @import { Verdict } from "../types.js" */

/** After this time, in ms, a frame that is not ready is given up. */
const PATIENCE = 30_000;

/**
 * Frames come one after the other, and none is removed while its modules load: WebKit may hang where that happens.
 * @param {HTMLElement} root @param {string} address
 * @returns {(sample: Verdict["sample"]) => void} show a coding with the draft; null: leave what is shown
 */
export function createPreview(root, address) {
  /** @type {HTMLIFrameElement | null} */
  let coming = null;
  let since = 0;
  /** The state that was asked for last, and the one that a frame got last. */
  let wanted = "";
  let shown = "";

  function load() {
    coming?.remove();
    coming = document.createElement("iframe");
    coming.className = "scheme-sample is-coming";
    coming.title = "Coding page with this scheme";
    coming.src = address;
    since = performance.now();
    root.append(coming);
  }

  window.addEventListener("message", ({ origin, source, data }) => {
    if (origin !== location.origin || coming === null || source !== coming.contentWindow) {
      return;
    }
    if (data === "sample-loaded") {
      shown = wanted;
      coming.contentWindow?.postMessage(JSON.parse(shown), location.origin);
    } else if (data === "sample-ready") {
      for (const frame of [...root.querySelectorAll("iframe")]) {
        if (frame !== coming) {
          frame.remove();
        }
      }
      coming.classList.remove("is-coming");
      coming = null;
      if (wanted !== shown) {
        load();
      }
    }
  });

  return (sample) => {
    root.classList.toggle("is-old", sample === null);
    if (sample === null) {
      return;
    }
    wanted = JSON.stringify(sample);
    if (coming === null ? wanted !== shown : performance.now() - since > PATIENCE) {
      load();
    }
  };
}
