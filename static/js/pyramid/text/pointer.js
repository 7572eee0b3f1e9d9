// The mouse: words are selected, and dragged onto SCUs; contributors and SCUs are dragged onto each other.
import { around, byId, inside } from "../../workbench/dom/element.js";
import { extendSelection, run } from "./words.js";
/** @import { Dragged, Page, PointerHandlers } from "../types.js" */

const FAR = 5; // pixels that make a drag of a press
const EDGE = 40; // pixels from the edge of the list in which it scrolls along
const STEP = 12;

/** @type {(pane: HTMLElement, page: Page, handlers: PointerHandlers) => { active: () => boolean, stop: () => void }} */
export function listenToPointer(pane, page, handlers) {
  const list = byId("scus");
  const side = inside(document, ".workbench-side");
  const ghost = byId("drag-ghost");
  /** @type {{ x: number, y: number, place: number | null, dragged: Dragged | null, moved: boolean } | null} */
  let pressed = null;
  let dragging = /** @type {{ dragged: Dragged, over: HTMLElement | null, why: string | null } | null} */ (null);
  /** @type {string | null} */
  let selected = null; // the words that were selected with the mouse: the current word alone is not held by it

  /** The place of the word that an event is about, if it is one of the text. @param {Event} event */
  const placeAt = (event) => {
    const word = around(event, "[data-w]");
    return word && pane.contains(word) ? Number(word.dataset.w) : null;
  };

  /** @type {(event: Event) => Dragged | null} */
  function draggedFrom(event) {
    const source = around(event, "[data-drag]");
    if (!source || page.model.readOnly || around(event, "input, textarea, [data-remove]")) {
      return null;
    }
    const words = inside(source, ".workbench-words").textContent;
    const { key = "", of: scu = "", drag } = source.dataset;
    return drag === "scu" ? { kind: "scu", scu: around(event, "[data-scu]")?.dataset.scu ?? "", words } : { kind: "contributor", key, scu, words };
  }

  /** @param {PointerEvent} event */
  function down(event) {
    if (event.button !== 0 || event.pointerType === "touch") {
      return; // a finger scrolls, and taps come as clicks
    }
    const place = placeAt(event);
    if (place !== null) {
      const [first, last] = run(page.anchor, page.cursor);
      const isSelected = first < last || selected === `${first}-${last}`;
      const held = !page.model.readOnly && isSelected && first <= place && place <= last && !event.shiftKey;
      /** @type {Dragged} */
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
        handlers.selected();
      }
      return;
    }
    const dragged = draggedFrom(event);
    pressed = dragged && { x: event.clientX, y: event.clientY, place: null, dragged, moved: false };
  }

  /** A selection stays in its summary. @param {number} place */
  const extendedTo = (place) => extendSelection(page.model, page.anchor, place, 0);

  /** @param {PointerEvent} event */
  function move(event) {
    if (!pressed || (!pressed.moved && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < FAR)) {
      return;
    }
    if (!pressed.moved && pressed.dragged) {
      begin(pressed.dragged);
    }
    pressed.moved = true;
    if (dragging) {
      follow(event, dragging);
      return;
    }
    const place = placeAt(event);
    const to = place === null ? page.cursor : extendedTo(place);
    if (to !== page.cursor) {
      page.cursor = to;
      handlers.selected();
    }
  }

  /** @param {Dragged} dragged */
  function begin(dragged) {
    ghost.textContent = dragged.words;
    ghost.hidden = false;
    dragging = { dragged, over: null, why: null };
  }

  /** @param {PointerEvent} event @param {NonNullable<typeof dragging>} drag */
  function follow(event, drag) {
    ghost.style.translate = `min(${event.clientX + 12}px, calc(100vw - 100% - 8px)) ${event.clientY + 12}px`;
    const { top, bottom } = side.getBoundingClientRect();
    if (event.clientX > list.getBoundingClientRect().left) {
      side.scrollTop += event.clientY < top + EDGE ? -STEP : event.clientY > bottom - EDGE ? STEP : 0;
    }
    const target = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-drop]") ?? null;
    if (target !== drag.over) {
      drag.over?.classList.remove("is-over", "is-refused");
      drag.over = target instanceof HTMLElement ? target : null;
      drag.why = drag.over && handlers.why(drag.dragged, drag.over.dataset);
      drag.over?.classList.add(drag.why === null ? "is-over" : "is-refused");
      ghost.classList.toggle("is-refused", drag.why !== null);
      ghost.dataset.why = drag.why ?? "";
    }
  }

  function end() {
    ghost.hidden = true;
    dragging?.over?.classList.remove("is-over", "is-refused");
    dragging = null;
    pressed = null;
  }

  /** @param {PointerEvent} event */
  function up(event) {
    if (!pressed) {
      return;
    }
    const { moved, place } = pressed;
    const done = dragging;
    end();
    if (!done && place !== null) {
      selected = run(moved ? page.anchor : place, moved ? page.cursor : place).join("-");
    }
    if (done) {
      // The press ends on another element than it began on, or on the same: either way it is no click.
      const swallow = (/** @type {Event} */ click) => click.stopPropagation();
      window.addEventListener("click", swallow, { capture: true });
      setTimeout(() => window.removeEventListener("click", swallow, { capture: true }));
      if (done.over) {
        handlers.drop(done.dragged, done.over.dataset);
      }
    } else if (!moved && place !== null && !event.shiftKey) {
      page.anchor = place;
      page.cursor = place;
      handlers.pick();
    } else if (moved) {
      handlers.selected();
    }
  }

  document.addEventListener("pointerdown", down);
  document.addEventListener("pointermove", move);
  document.addEventListener("pointerup", up);
  document.addEventListener("pointercancel", end);
  document.addEventListener("selectstart", (event) => {
    if (pressed) {
      event.preventDefault(); // words are selected here, and no text of the page
    }
  });
  pane.addEventListener("click", (event) => {
    const place = placeAt(event);
    if (event instanceof PointerEvent && event.pointerType === "touch" && place !== null) {
      // A tap on a word begins, a tap on another of the summary ends a selection.
      const going = page.touched === page.cursor && page.anchor === page.cursor && place !== page.cursor;
      page.cursor = going ? extendedTo(place) : place;
      page.anchor = going ? page.anchor : place;
      page.touched = going ? null : place;
      page.mouse = true;
      if (going) {
        handlers.selected();
      } else {
        handlers.pick();
      }
    }
  });
  return { active: () => dragging !== null, stop: end };
}
