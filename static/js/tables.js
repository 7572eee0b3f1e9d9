/* Copies a table as LaTeX or Markdown, or a paragraph; shows or hides a coder's chain in the text of an item. */

async function copied(button, text) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Could not copy";
  }
  setTimeout(() => (button.textContent = before), 2000);
}

document.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-copy]");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    const answer = await fetch(link.href);
    if (answer.ok) await copied(link, await answer.text());
    else location.assign(link.href);
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
