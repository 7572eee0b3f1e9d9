// What a draft may start from.
import { button, byId, element } from "../../workbench/dom/element.js";
import { whatIsSent } from "../questions.js";
/** @import { Designer, Start } from "../types.js" */

/** @param {Start["starts"]} starts @param {Designer} designer */
export function createStarts(starts, designer) {
  const dialog = byId("scheme-starts", HTMLDialogElement);
  byId("scheme-start-list").append(...starts.map(({ label, description, scheme }) => {
    const item = element("li");
    const choose = button("scheme-start");
    choose.append(element("strong", "", label), element("span", "muted small", description));
    choose.addEventListener("click", () => {
      dialog.close();
      designer.replace({ scheme: whatIsSent(scheme), merges: [] }, `Started from ${label}. Undo brings the draft back.`);
    });
    item.append(choose);
    return item;
  }));
  byId("scheme-start").addEventListener("click", () => dialog.showModal());
}
