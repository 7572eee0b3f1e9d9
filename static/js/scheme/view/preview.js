// The coding page with the draft: a frame for each state of it, which takes the place of the one before when it is ready.
/** @import { Verdict } from "../types.js" */

/**
 * @param {HTMLElement} root @param {string} address
 * @returns {(sample: Verdict["sample"]) => void} show a coding with the draft; null: leave what is shown
 */
export function createPreview(root, address) {
  /** @type {HTMLIFrameElement | null} */
  let coming = null;
  let shown = "";
  /** @type {Verdict["sample"]} */
  let state = null;

  window.addEventListener("message", ({ origin, source, data }) => {
    if (origin !== location.origin || coming === null || source !== coming.contentWindow) {
      return;
    }
    if (data === "sample-loaded") {
      coming.contentWindow?.postMessage(state, location.origin);
    } else if (data === "sample-ready") {
      for (const frame of [...root.querySelectorAll("iframe")]) {
        if (frame !== coming) {
          frame.remove();
        }
      }
      coming.classList.remove("is-coming");
      coming = null;
    }
  });

  return (sample) => {
    const text = JSON.stringify(sample);
    root.classList.toggle("is-old", sample === null);
    if (sample === null || text === shown) {
      return;
    }
    shown = text;
    state = sample;
    coming?.remove();
    coming = document.createElement("iframe");
    coming.className = "scheme-sample is-coming";
    coming.title = "Coding page with this scheme";
    coming.src = address;
    root.append(coming);
  };
}
