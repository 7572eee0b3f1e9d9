/* Copies a table as LaTeX or Markdown, or a paragraph; shows or hides a coder's chain in the text of an item; keeps
what is being typed into the controls. */

const labels = new WeakMap(); // button -> its own label
const told = document.createElement("div");
told.className = "sr-only";
told.setAttribute("role", "status");
document.body.append(told);

async function copied(button, text) {
  if (!labels.has(button)) labels.set(button, button.textContent);
  try {
    await navigator.clipboard.writeText(await text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Could not copy";
  }
  told.textContent = button.textContent;
  setTimeout(() => (button.textContent = labels.get(button)), 2000);
}

async function textOf(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer.text();
}

document.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-copy]");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    await copied(link, textOf(link.href));
    return;
  }
  const paragraph = event.target.closest("[data-copy-text]");
  if (paragraph) {
    await copied(paragraph, document.querySelector(paragraph.dataset.copyText).innerText.trim());
    return;
  }
  const coder = event.target.closest("[data-coder]");
  if (coder) {
    coder.setAttribute("aria-pressed", coder.getAttribute("aria-pressed") === "true" ? "false" : "true");
    overlay();
  }
});

/** Only the chains of the coders that are switched on are marked. */
function overlay() {
  const shown = new Set(
    [...document.querySelectorAll("[data-coder][aria-pressed=true]")].map((button) => button.dataset.coder),
  );
  for (const element of document.querySelectorAll("#overlay [data-of]")) {
    const of = element.dataset.of.split(" ").filter(Boolean);
    element.classList.toggle("is-off", of.length > 0 && !of.some((number) => shown.has(number)));
  }
}

// The answer to an earlier choice would put an empty field in place of the one that is written in. It is let go, and
// asked for again with what was written, or without where nothing was changed in the end.
document.addEventListener("input", (event) => {
  const form = event.target.matches("input[type=text]") ? event.target.closest("form[hx-get]") : null;
  if (form) window.htmx.trigger(form, "htmx:abort");
});
document.addEventListener("htmx:xhr:abort", (event) => (event.target.dataset.letGo = ""));
document.addEventListener("htmx:beforeRequest", (event) => delete event.target.dataset.letGo);
document.addEventListener("focusout", (event) => {
  const form = event.target.closest("form[data-let-go]");
  if (form) window.htmx.trigger(form, "submit");
});
