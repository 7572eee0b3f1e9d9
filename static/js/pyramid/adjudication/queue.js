// The queue of an agreed pyramid, and what is remembered of the pyramid for it.
import { createQueuePanel } from "../../workbench/adjudication/queue.js";
import { CATEGORY } from "../../workbench/adjudication/rows.js";
import { entryAfter } from "../../workbench/adjudication/steps.js";
import { hint } from "../../workbench/dom/controls.js";
import { byId, element } from "../../workbench/dom/element.js";
import { markOf, PYRAMID } from "../state.js";
import { paintKeys } from "../view/panel.js";
import { reveal } from "../view/words.js";
import { take } from "./moves.js";
import { agreedCell, coderCell, contributorsAt, titleOf, wordsOfUnits } from "./view.js";
/** @import { Frame, Machine, Model, PyramidEditor, PyramidState } from "../types.js" */
/** @import { QueuePanel } from "../../workbench/adjudication/types.js" */

/** As any pyramid; what is an operation is remembered. @type {Machine<Model, PyramidState>} */
export const AGREED = {
  ...PYRAMID,
  copy: (state) => ({ ...PYRAMID.copy(state), last: state.last ?? null }),
  carryOut(model, state, change) {
    PYRAMID.carryOut(model, state, change);
    state.last = entryAfter(change, state.last ?? null);
  },
};

const TOGGLE = "q";
const KEYS = [["Enter", "accept"], ["1", "coder A’s answer"], ["d", "draft"], ["0", "none"], ["w", "why"], ["n", "next card"], ["p", "previous card"]];

/** Say under the text which side has the keys: in the queue they mean other things. @param {Frame} frame */
function nameKeys({ page: { model }, keyboard }) {
  const hints = byId("hints");
  const inQueue = byId("queue").contains(document.activeElement);
  if (inQueue) {
    hints.replaceChildren(...KEYS.map(([key, words]) => hint(key, words)));
  } else {
    paintKeys(model, keyboard);
  }
  hints.prepend(element("strong", "", inQueue ? "Queue" : "Summaries"), hint(TOGGLE, inQueue ? "to the summaries" : "to the queue"));
}

/** @type {(frame: Frame, editor: PyramidEditor, address: string) => QueuePanel} */
export function createQueue(frame, editor, address) {
  const { page, view, refresh, select, say } = frame;
  const { model } = page;
  ["focusin", "focusout"].forEach((kind) => document.addEventListener(kind, () => nameKeys(frame)));
  nameKeys(frame);
  return createQueuePanel({
    readOnly: model.readOnly,
    pane: byId("text-pane"),
    toggle: TOGGLE,
    column: "Agreed",
    hides: true,
    movesDecide: true,
    last: () => page.state.last ?? null,
    holes: () => page.pyramid.loose.map(({ key }) => ({ markables: [key], question: CATEGORY })),
    isUnanswered: (key) => (page.pyramid.byKey.get(key)?.scus.length ?? 0) === 0,
    labelOf: () => "SCU",
    chainsOf: (unit) => page.pyramid.byKey.get(unit)?.scus ?? [],
    placesOf: ({ scus }, voted) => scus.map(({ key }, entity) => (
      (page.pyramid.scus.get(key)?.contributors.length ?? 0) > 0 ? key : voted[entity] ?? key)),
    go([unit]) {
      const { places } = markOf(model, unit);
      page.anchor = places[0] ?? page.anchor;
      page.cursor = page.anchor;
      const [contributor] = contributorsAt(page, unit);
      const side = byId("queue").closest(".workbench-side");
      const top = side?.scrollTop ?? 0;
      select(contributor?.scus[0] ?? null, contributor?.key ?? null);
      side?.scrollTo({ top }); // the queue stays in sight, not the list of SCUs
      reveal(view, page.cursor);
    },
    refresh, say,
    record: (changes) => {
      editor.perform({ changes }, "", false);
      refresh();
    },
    take(known, _, row, answer) {
      const changes = take(model, page.state, known, row, answer);
      const refused = editor.check({ changes });
      return refused === null ? changes : { refused };
    },
    titleOf: (queue, card) => titleOf(page, queue, card),
    wordsOf: (units) => wordsOfUnits(page, units),
    coderCell: (known, _, row, coder) => coderCell(page, known, row, coder),
    goldCell: (known, _, row) => agreedCell(page, known, row),
  }, address);
}
