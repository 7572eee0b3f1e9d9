// The dialog in which a coder asks the managers, and reads what they answered. Loaded when it is opened.
import { observeReading } from "../../reading.js";
import { around, byId } from "../dom/element.js";

const dialog = byId("questions", HTMLDialogElement);
const body = byId("questions-body");

dialog.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || "read" in form.dataset) {
    return;
  }
  event.preventDefault();
  const buttons = form.querySelectorAll("button");
  buttons.forEach((button) => button.toggleAttribute("disabled", true));
  try {
    show(await load(form.action, { method: "POST", body: new FormData(form) }));
  } catch {
    buttons.forEach((button) => button.toggleAttribute("disabled", false));
    say("Not sent: the server is not responding. Your question stays here.");
  }
});
dialog.addEventListener("click", (event) => {
  if (around(event, "[data-close]")) {
    dialog.close();
  }
});

/** @param {string} words */
function say(words) {
  byId("questions-say").textContent = words;
}

/** The body that the server renders; errors of the form are in it, too. @type {(address: string, options?: RequestInit) => Promise<string>} */
async function load(address, options = {}) {
  const reply = await fetch(address, options);
  if (reply.redirected || (!reply.ok && reply.status !== 400)) {
    throw new Error(`${reply.status}`);
  }
  return reply.text();
}

/** @param {string} html */
function show(html) {
  body.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
  say("");
  observeReading(body);
  const field = body.querySelector("textarea");
  field?.focus();
}

/** What opens the dialog. @param {string | null} markable the key of the one to ask about, in the text of this version @param {number} version */
export async function loadQuestions(markable, version) {
  const html = await load(`${dialog.dataset.address}?${new URLSearchParams({ markable: markable ?? "", seen: String(version) })}`);
  return () => {
    dialog.showModal();
    show(html);
  };
}
