// The coding page with the draft: a frame for each state of it, which takes the place of the one before when it is ready.
/** @import { Verdict } from "../types.js" */

/** After so many ms a frame that is not ready gives way to that of the next edit. */
const TIMEOUT = 30_000;

/**
 * Frames come one after the other. None is removed while it loads, but after the time above: WebKit may hang then.
 * @param {HTMLElement} root @param {string} address
 * @returns {(sample: Verdict["sample"]) => void} show a coding with the draft; null: leave what is shown
 */
export function createPreview(root, address) {
  let coming = /** @type {HTMLIFrameElement | null} */ (null);
  let start = 0;
  /** The state of the last edit, and that of the last frame, as JSON. */
  let latest = "";
  let current = "";

  function load() {
    coming?.remove();
    coming = document.createElement("iframe");
    coming.className = "scheme-sample is-coming";
    coming.title = "Coding page with this scheme";
    coming.src = address;
    start = performance.now();
    root.append(coming);
  }

  window.addEventListener("message", ({ origin, source, data }) => {
    if (origin !== location.origin || coming === null || source !== coming.contentWindow) {
      return;
    }
    if (data === "sample-loaded") {
      current = latest;
      coming.contentWindow?.postMessage(JSON.parse(current), location.origin);
    } else if (data === "sample-ready") {
      for (const frame of [...root.querySelectorAll("iframe")]) {
        if (frame !== coming) {
          frame.remove();
        }
      }
      coming.classList.remove("is-coming");
      coming = null;
      if (latest !== current) {
        load();
      }
    }
  });

  return (sample) => {
    root.classList.toggle("is-old", sample === null);
    if (sample === null) {
      return;
    }
    latest = JSON.stringify(sample);
    if (coming === null ? latest !== current : performance.now() - start > TIMEOUT) {
      load();
    }
  };
}
