// The mouse: words are selected, and dragged onto SCUs; contributors and SCUs are dragged onto each other.
import { extended, run } from "./words.js";

const FAR = 5; // pixels that make a drag of a press
const EDGE = 40; // pixels from the edge of the list in which it scrolls along
const STEP = 12;

/**
 * @param {HTMLElement} pane @param {any} page
 * @param {object} deeds what to do
 * @param {(place: number) => void} deeds.pick a word was clicked
 * @param {() => void} deeds.selected the selection has changed
 * @param {(dragged: Dragged, target: DOMStringMap) => string|null} deeds.why not; null: it can be dropped there
 * @param {(dragged: Dragged, target: DOMStringMap) => void} deeds.drop
 */
export function listenToPointer(pane, page, deeds) {
  const list = document.getElementById("scus");
  const side = document.querySelector(".side");
  const ghost = document.getElementById("drag-ghost");
  let pressed = null; // { x, y, place, dragged }
  let dragging = null; // { dragged, over, why }

  const placeAt = (target) => {
    const found = target?.closest?.("[data-w]")?.dataset.w;
    return found === undefined ? null : Number(found);
  };

  function draggedFrom(target) {
    if (page.model.readOnly || target.closest("input, textarea, [data-remove]")) {
      return null;
    }
    const source = target.closest("[data-drag]");
    if (!source) {
      return null;
    }
    return source.dataset.drag === "scu"
      ? { kind: "scu", scu: source.closest("[data-scu]").dataset.scu, words: source.querySelector(".words").textContent }
      : { kind: "contributor", key: source.dataset.key, scu: source.dataset.of, words: source.querySelector(".words").textContent };
  }

  function down(event) {
    if (event.button !== 0 || event.pointerType === "touch") {
      return; // a finger scrolls, and taps come as clicks
    }
    const place = pane.contains(event.target) ? placeAt(event.target) : null;
    if (place !== null) {
      const [first, last] = run(page.anchor, page.cursor);
      const held = !page.model.readOnly && first <= place && place <= last && !event.shiftKey;
      const words = { kind: "words", words: page.wordsOf([first, last]) };
      pressed = { x: event.clientX, y: event.clientY, place, dragged: held ? words : null, moved: false };
      if (!held) {
        if (event.shiftKey) {
          page.cursor = extendedTo(place);
        } else {
          page.anchor = place;
          page.cursor = place;
        }
        page.mouse = true;
        deeds.selected();
      }
      return;
    }
    const dragged = draggedFrom(event.target);
    pressed = dragged && { x: event.clientX, y: event.clientY, place: null, dragged, moved: false };
  }

  /** A selection stays in its summary. */
  function extendedTo(place) {
    return extended(page.model, page.anchor, place, 0);
  }

  function move(event) {
    if (!pressed) {
      return;
    }
    if (!pressed.moved && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < FAR) {
      return;
    }
    if (!pressed.moved && pressed.dragged) {
      begin(pressed.dragged);
    }
    pressed.moved = true;
    if (dragging) {
      follow(event);
      return;
    }
    const place = pane.contains(event.target) ? placeAt(event.target) : null;
    const to = place === null ? page.cursor : extendedTo(place);
    if (to !== page.cursor) {
      page.cursor = to;
      deeds.selected();
    }
  }

  function begin(dragged) {
    ghost.textContent = dragged.words;
    ghost.hidden = false;
    dragging = { dragged, over: null, why: null };
  }

  function follow(event) {
    ghost.style.translate = `min(${event.clientX + 12}px, calc(100vw - 100% - 8px)) ${event.clientY + 12}px`;
    const { top, bottom } = side.getBoundingClientRect();
    if (event.clientX > list.getBoundingClientRect().left) {
      side.scrollTop += event.clientY < top + EDGE ? -STEP : event.clientY > bottom - EDGE ? STEP : 0;
    }
    const target = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-drop]") ?? null;
    if (target !== dragging.over) {
      dragging.over?.classList.remove("is-over", "is-refused");
      dragging.over = target;
      dragging.why = target ? deeds.why(dragging.dragged, target.dataset) : null;
      target?.classList.add(dragging.why === null ? "is-over" : "is-refused");
      ghost.classList.toggle("is-refused", dragging.why !== null);
      ghost.dataset.why = dragging.why ?? "";
    }
  }

  function end() {
    ghost.hidden = true;
    dragging?.over?.classList.remove("is-over", "is-refused");
    dragging = null;
    pressed = null;
  }

  function up(event) {
    if (!pressed) {
      return;
    }
    const { moved, place } = pressed;
    const done = dragging;
    end();
    if (done) {
      // The press ends on another element than it began on, or on the same: either way it is no click.
      const swallow = (click) => click.stopPropagation();
      window.addEventListener("click", swallow, { capture: true });
      setTimeout(() => window.removeEventListener("click", swallow, { capture: true }));
      if (done.over) {
        deeds.drop(done.dragged, done.over.dataset);
      }
    } else if (!moved && place !== null && !event.shiftKey) {
      page.anchor = place;
      page.cursor = place;
      deeds.pick(place);
    } else if (moved) {
      deeds.selected();
    }
  }

  document.addEventListener("pointerdown", down);
  document.addEventListener("pointermove", move);
  document.addEventListener("pointerup", up);
  document.addEventListener("pointercancel", end);
  pane.addEventListener("click", (event) => {
    const place = placeAt(event.target);
    if (event.pointerType === "touch" && place !== null) {
      // A tap on a word begins, a tap on another of the summary ends a selection.
      const going = page.touched === page.cursor && page.anchor === page.cursor && place !== page.cursor;
      page.cursor = going ? extendedTo(place) : place;
      page.anchor = going ? page.anchor : place;
      page.touched = going ? null : place;
      page.mouse = true;
      if (going) {
        deeds.selected();
      } else {
        deeds.pick(place);
      }
    }
  });
  return { active: () => dragging !== null, stop: end };
}
