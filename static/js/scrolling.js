// Marks tables that are wider or higher than their place: a shadow at each side where one is cut (data-cut, data-below),
// and a stop for the keyboard.

const SELECTOR = ".table-scroll";

/** @param {HTMLElement} box */
function mark(box) {
  const hidden = box.scrollWidth - box.clientWidth;
  const from = Math.abs(box.scrollLeft); // negative in texts from right to left
  const cut = hidden < 2 ? "" : from < 1 ? "end" : from < hidden - 1 ? "both" : "start";
  const isHigher = box.scrollHeight > box.clientHeight + 1;
  box.toggleAttribute("data-below", isHigher && box.scrollTop + box.clientHeight < box.scrollHeight - 1);
  if (cut) {
    box.dataset.cut = cut;
  } else {
    delete box.dataset.cut;
  }
  if (cut || isHigher) {
    box.tabIndex = 0;
    box.role = "region";
    box.ariaLabel ??= box.querySelector("caption")?.textContent.trim() ?? "";
  } else {
    box.removeAttribute("tabindex");
  }
}

const sizes = new ResizeObserver((entries) => {
  for (const box of new Set(entries.map(({ target }) => target.closest(SELECTOR)))) {
    if (box instanceof HTMLElement) mark(box);
  }
});

/** @param {Event} event */
function scrolled({ target }) {
  if (target instanceof HTMLElement) mark(target);
}

/** @param {Element} root */
function watch(root) {
  for (const box of [root, ...root.querySelectorAll(SELECTOR)]) {
    if (!box.matches(SELECTOR)) continue;
    sizes.observe(box);
    if (box.firstElementChild) sizes.observe(box.firstElementChild);
    box.addEventListener("scroll", scrolled, { passive: true });
  }
}

watch(document.body);
// What htmx puts into the page.
document.addEventListener("htmx:load", ({ target }) => target instanceof Element && watch(target));
