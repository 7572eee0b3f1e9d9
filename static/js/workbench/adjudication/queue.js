// The queue of an adjudicator: card after card what coders say otherwise, decided by keys or by mouse.
import { around, byId, closeDialog, inside } from "../dom/element.js";
import { onceAFrame } from "../dom/frames.js";
import { combination } from "../keys/keys.js";
import { countOpen, decisionOn, inParts, isAsked, isOpen, itemsOf, lackingAnswers, openRows, otherHoles, withoutHoles } from "./rows.js";
import { chainsOfEntities, decisionsOf, draftsSince, rowsByUnit } from "./steps.js";
import { paintTable, shownRows } from "./table.js";
/** @import { Change, DecidedItems, Decisions, Hole, Queue, QueueAnswer, QueueCard, QueueHost, QueuePanel, QueueRow, QueueView, Why } from "./types.js" */

const NOTHING = { open: 0, checks: 0 };
// Keys that go on as long as they are held down.
const MOVING = new Set(["ArrowDown", "ArrowUp", "n", "p"]);

/** @type {(count: number, noun: string) => string} */
const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** @type {(host: QueueHost, address: string) => QueuePanel} */
export function createQueuePanel(host, address) {
  const section = byId("queue");
  const table = inside(section, "table", HTMLTableElement);
  const fold = byId("queue-fold", HTMLButtonElement);
  const dialog = byId("why", HTMLDialogElement);
  const form = inside(dialog, "form", HTMLFormElement);
  const { readOnly } = host;
  let queue = /** @type {Queue | null} */ (null);
  let rows = /** @type {ReturnType<typeof rowsByUnit>} */ (new Map());
  let card = 0;
  let at = /** @type {QueueRow | null} */ (null);
  let unfolded = false;
  /** It asks for the layout of all that is painted till then. */
  const scrollToRow = onceAFrame(() => table.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" }));
  let next = /** @type {Why | null} */ (null); // said before the decision that it is about
  /** offered for the next @type {Why} */
  let last = { reason: "", section: "", note: "" };

  /** @param {Queue} known */
  const decided = (known) => withoutHoles(decisionsOf(known.steps, host.last(), host.movesDecide), host.holes());

  /** All that is derived of the judgements. @param {Queue} known @returns {QueueView} */
  function viewOf(known) {
    const decisions = decided(known);
    return { queue: known, decisions, places: host.placesOf(known, chainsOfEntities(known, rows, decisions, host.chainsOf)), readOnly };
  }

  async function load() {
    try {
      const answer = await fetch(address, { headers: { Accept: "application/json" } });
      if (!answer.ok) {
        throw new Error(String(answer.status));
      }
      queue = /** @type {Queue} */ (await answer.json());
    } catch {
      byId("queue-left").textContent = "The queue has not come: the server is not responding. The text can be decided without it; load the page again for the queue.";
      section.hidden = false;
      return;
    }
    rows = rowsByUnit(queue);
    byId("why-section").append(...queue.sections.map((title) => new Option(title, title)));
    section.hidden = queue.method === null && host.hides;
    section.querySelectorAll("[data-for=draft]").forEach((node) => node.toggleAttribute("hidden", queue?.method === null));
    const decisions = decided(queue);
    card = Math.max(queue.cards.findIndex((card) => openRows(decisions, card).length > 0), 0);
    at = firstRow(queue, decisions);
    const { open, checks } = countOpen(decisions, queue);
    if (open + checks > 0 && !readOnly && document.activeElement === document.body) {
      section.focus({ preventScroll: true });
      stand();
    } else {
      paint();
    }
  }

  /** The first open row of the card, else the first that is shown. @param {Queue} known @param {Decisions} decisions */
  function firstRow({ cards }, decisions) {
    const here = cards[card];
    return here ? openRows(decisions, here)[0] ?? shownRows(here, unfolded)[0] ?? null : null;
  }

  /** Stand in the text where the row stands. */
  function stand() {
    if (at === null) {
      host.refresh();
    } else {
      host.go(at.units.map(decided(/** @type {Queue} */ (queue)).called));
    }
  }

  function paint() {
    if (queue === null) {
      return;
    }
    const view = viewOf(queue);
    const { open, checks } = queue.method === null ? NOTHING : countOpen(view.decisions, queue);
    const left = open + otherHoles(view.decisions, queue, host.holes()).length;
    const here = queue.cards[card];
    const redrafted = draftsSince(host.last()) > 0;
    byId("queue-left").textContent = redrafted ? "It was drafted again: load the page again for the new queue."
      : queue.method === null ? "There is no draft of this gold: what coders say otherwise is not listed."
        : [left > 0 ? `${counted(left, "decision")} left` : queue.left_off > 0 ? "These cards are decided" : host.refusal?.() || "Nothing left to decide",
          checks > 0 ? `${counted(checks, "spot check")} left` : "", queue.left_off > 0 ? `${counted(queue.left_off, "further card")} after these` : ""].filter(Boolean).join(" · ");
    byId("queue-card").textContent = here ? `${card + 1} of ${queue.cards.length} · ${host.titleOf(queue, here)}` : "";
    const folded = here ? here.rows.length - here.rows.filter((row) => isAsked(here, row)).length : 0;
    fold.hidden = folded === 0;
    fold.textContent = unfolded ? "Hide what is agreed" : `Show ${folded} agreed`;
    table.hidden = here === undefined;
    if (here) {
      paintTable(host, view, table, here, at, unfolded);
      scrollToRow();
    }
  }

  // ---- decisions

  /** @param {QueueCard} here @param {QueueRow[]} wanted @param {DecidedItems["source"]} source @param {string[]} codings @returns {Change[]} */
  function decide(here, wanted, source, codings = []) {
    const why = next ?? { reason: "", section: "", note: "" };
    next = null;
    const said = Object.fromEntries(Object.entries(why).filter(([, words]) => words !== ""));
    const { called } = decided(/** @type {Queue} */ (queue));
    /** By the keys of today. @type {DecidedItems["items"]} */
    const all = wanted.flatMap((row) => itemsOf(here, row)).map(([unit, question]) => [called(unit), question]);
    return inParts(all).map((items) => ({
      kind: "decide", payload: { items, source, ...(codings.length > 0 ? { codings } : {}), ...said },
    }));
  }

  /** Write a step, and go on to what is open next, by which the page is painted. @param {Change[]} changes */
  function write(changes) {
    host.record(changes);
    goOn();
  }

  function goOn() {
    if (queue === null) {
      return;
    }
    const decisions = decided(queue);
    const { cards } = queue;
    const here = cards[card];
    const following = here.rows.slice(at === null ? 0 : here.rows.indexOf(at) + 1);
    const row = following.find((row) => isOpen(decisions, here, row)) ?? openRows(decisions, here)[0];
    if (row) {
      at = row;
    } else {
      const order = cards.map((_, place) => (card + 1 + place) % cards.length).filter((place) => openRows(decisions, cards[place]).length > 0);
      const [hole] = otherHoles(decisions, queue, host.holes());
      const open = order.find((place) => cards[place].kind !== "check") ?? (hole ? undefined : order[0]);
      if (open === undefined && hole) {
        host.go(hole.markables);
        host.say(`${unanswered(hole)}: answer it in the text.`);
        return;
      }
      if (open === undefined) {
        stand();
        host.say(queue.left_off > 0 ? "These cards are decided. Load the page again for the next." : host.refusal?.() || "Everything is decided. Check and submit to close it.");
        return;
      }
      card = open;
      unfolded = false;
      at = firstRow(queue, decisions);
    }
    stand();
  }

  /** @type {(hole: Hole) => string} */
  const unanswered = ({ markables: [key], question }) => `“${host.labelOf(question)}” has no answer for “${host.wordsOf([key])}”`;

  /** Why the draft of a row cannot be accepted. @param {Queue} known @param {QueueCard} here @param {QueueRow} row */
  function noAnswer({ method, judgements }, here, row) {
    if (here.kind === "check") {
      return `“${host.wordsOf(row.units)}” has no answer now: answer it in the text.`;
    }
    const isJudged = judgements.some((of) => row.units.some((unit) => unit in of));
    const why = method === "most" && isJudged ? "No majority" : "The draft has no answer";
    return `${why} for “${host.wordsOf(row.units)}”: take a coder’s answer, or give your own.`;
  }

  /** Accept the draft of rows that are open. @param {QueueRow[]} wanted @param {QueueCard} here */
  function accept(here, wanted) {
    if (queue === null) {
      return;
    }
    const known = queue;
    const isLacking = lackingAnswers(decided(known), here, host);
    const accepted = wanted.filter((row) => !isLacking(row));
    if (accepted.length === 0) {
      host.say(wanted.length > 0 ? noAnswer(known, here, wanted[0]) : "This card is decided.");
      if (wanted.length === 0) {
        goOn();
      }
      return;
    }
    write(decide(here, accepted, "draft"));
  }

  /** @param {QueueCard} here @param {QueueRow} row @param {number} coder */
  function takeCoder(here, row, coder) {
    const known = /** @type {Queue} */ (queue);
    if (coder >= known.coders.length) {
      host.say(`There are ${counted(known.coders.length, "coder")}.`);
      return;
    }
    takeFrom(here, row, row.answers[coder], known.judgements[coder], "coder", [known.coders[coder].coding]);
  }

  /** @param {QueueCard} here @param {QueueRow} row @param {QueueAnswer | null} answer @param {Queue["draft"]} given @param {DecidedItems["source"]} source @param {string[]} codings */
  function takeFrom(here, row, answer, given, source, codings = []) {
    const known = /** @type {Queue} */ (queue);
    const changes = host.take(viewOf(known), here, row, answer, given);
    if ("refused" in changes) {
      host.say(changes.refused);
      return;
    }
    at = row;
    write([...changes, ...decide(here, [row], source, codings)]);
  }

  function openWhy() {
    if (queue === null || at === null) {
      return;
    }
    const decision = decisionOn(decided(queue), queue.cards[card], at);
    const said = decision?.reason || decision?.section || decision?.note ? decision : next ?? last;
    inside(form, `[name=reason][value="${said.reason}"]`, HTMLInputElement).checked = true;
    byId("why-section", HTMLSelectElement).value = said.section;
    byId("why-note", HTMLTextAreaElement).value = decision?.note || next?.note || "";
    byId("why-about").textContent = decision === null ? "For the next decision." : "For the decision on this row.";
    dialog.showModal();
    inside(form, "[name=reason]:checked", HTMLInputElement).focus();
  }

  function sayWhy() {
    const fields = new FormData(form);
    const why = /** @type {Why} */ ({ reason: String(fields.get("reason") ?? ""), section: String(fields.get("section") ?? ""), note: String(fields.get("note") ?? "").trim() });
    last = { ...why, note: "" };
    dialog.close();
    section.focus({ preventScroll: true });
    if (queue === null || at === null) {
      return;
    }
    const here = queue.cards[card];
    const decision = decisionOn(decided(queue), here, at);
    next = why;
    if (decision === null) {
      host.say("Said with the next decision.");
      return;
    }
    host.record(decide(here, [at], decision.source, decision.codings));
    host.refresh();
  }

  // ---- moving

  /** @param {1 | -1} direction */
  function moveRow(direction) {
    const here = queue?.cards[card];
    if (here) {
      const shown = shownRows(here, unfolded);
      const place = at === null ? -1 : shown.indexOf(at);
      at = shown[Math.min(Math.max(place + direction, 0), shown.length - 1)] ?? null;
      stand();
    }
  }

  /** @param {1 | -1} direction */
  function moveCard(direction) {
    if (queue !== null && queue.cards.length > 0) {
      card = (card + direction + queue.cards.length) % queue.cards.length;
      unfolded = false;
      at = firstRow(queue, decided(queue));
      stand();
    }
  }

  /** What a key does, or a button with its name; null: nothing. @param {string} key @returns {(() => void) | null} */
  function actionOf(key) {
    /** @type {Record<string, () => void>} */
    const moves = {
      ArrowDown: () => moveRow(1), ArrowUp: () => moveRow(-1), n: () => moveCard(1), p: () => moveCard(-1),
      [host.toggle]: () => (section.contains(document.activeElement) ? host.pane : section).focus({ preventScroll: true }),
    };
    const here = queue?.cards[card];
    if (key in moves || !here || at === null || readOnly || queue === null) {
      return moves[key] ?? null;
    }
    const [known, row] = [queue, at];
    const open = () => openRows(decided(known), here);
    /** @type {Record<string, () => void>} */
    const decides = {
      Enter: () => accept(here, here.kind === "check" ? open().filter((entry) => entry === row) : open()),
      a: () => accept(here, open()),
      d: () => takeFrom(here, row, row.draft, known.draft, "draft"),
      0: () => takeFrom(here, row, null, {}, "own"),
      w: openWhy,
    };
    return decides[key] ?? (!/^[1-9]$/.test(key) ? null
      : here.kind === "check" ? () => host.say(`Everybody says the same: Enter accepts it, ${host.toggle} goes to the text, to answer otherwise.`)
        : () => takeCoder(here, row, Number(key) - 1));
  }

  /** @type {QueuePanel["press"]} */
  function press(event, focus) {
    if (event.isComposing || document.querySelector("dialog[open]") || focus.matches("textarea, select, input")) {
      return false;
    }
    const key = combination(event);
    const inside = section.contains(focus);
    if (key === null || (!inside && key !== host.toggle) || (key === "Enter" && focus.matches("button"))) {
      return false;
    }
    const action = actionOf(key);
    if (!event.repeat || MOVING.has(key)) { // a key that is held down decides once
      action?.();
    }
    return action !== null;
  }

  section.addEventListener("click", (event) => {
    const control = around(event, "[data-key], [data-take]");
    const line = around(event, "tr[data-row]");
    const here = queue?.cards[card];
    if (event.detail > 1 && !MOVING.has(control?.dataset.key ?? "")) {
      return; // the second click of two would be on what came after the first one
    }
    if (line && here) {
      at = here.rows[Number(line.dataset.row)];
    }
    if (control?.dataset.take !== undefined && here && at !== null) {
      takeCoder(here, at, Number(control.dataset.take));
    } else if (control?.dataset.key !== undefined) {
      actionOf(control.dataset.key)?.();
    } else if (line) {
      stand();
    }
    if (control?.dataset.key !== host.toggle && !dialog.open) {
      section.focus({ preventScroll: true });
    }
  });
  fold.addEventListener("click", () => {
    unfolded = !unfolded;
    paint();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    sayWhy();
  });
  dialog.addEventListener("click", (event) => {
    if (around(event, "[data-close]")) {
      closeDialog(event);
    }
  });
  load();
  return { press, paint };
}
