// Puts the panel of an info button below the button, or above it where there is no room, also when the page moves; the
// browser opens and closes it. Several buttons may open one panel.

let pressed = /** @type {Element | null} */ (null);

function place() {
  /** @type {HTMLElement | null} */
  const panel = document.querySelector(".info-panel:popover-open");
  if (!panel || !pressed) return;
  const button = pressed.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const { clientWidth, clientHeight } = document.documentElement;
  const below = button.bottom + height <= clientHeight || button.top < height;
  panel.style.top = `${below ? button.bottom : button.top - height}px`;
  panel.style.left = `${Math.max(0, Math.min(button.left, clientWidth - width))}px`;
}

document.addEventListener("click", ({ target }) => {
  if (target instanceof Element) pressed = target.closest(".info-button") ?? pressed;
}, true);
document.addEventListener("toggle", place, true);
document.addEventListener("scroll", place, { capture: true, passive: true });
new ResizeObserver(place).observe(document.body);
