// The coding page in the preview: it gets its state from the designer around it, and saves nothing.
import { byId } from "../workbench/dom/element.js";

if (window.parent === window) {
  await import("../coding/main.js");
} else {
  document.documentElement.classList.add("scheme-framed");
  document.addEventListener("click", ({ target }) => { // the frame shows no other page
    if (target instanceof Element) {
      target.closest("a[href]")?.setAttribute("target", "_blank");
    }
  });
  window.addEventListener("message", async ({ origin, source, data }) => {
    if (origin !== location.origin || source !== window.parent || data === null || typeof data !== "object") {
      return;
    }
    byId("coding-state").textContent = JSON.stringify(data);
    await import("../coding/main.js");
    window.parent.postMessage("sample-ready", location.origin);
  }, { once: true });
  window.parent.postMessage("sample-loaded", location.origin);
}
