// How a card of the queue looks: its rows, with what each coder, the draft and gold say.
import { button, element } from "../dom/element.js";
import { decisionOn, isAsked } from "./rows.js";
/** @import { QueueCard, QueueHost, QueueRow, QueueView } from "./types.js" */

const REASONS = { "": "", ambiguous: "ambiguous text", guideline: "guideline gap", slip: "slip", scheme: "scheme" };

/** @param {QueueHost} host @param {QueueView} view @param {QueueCard} card @param {QueueRow} row @param {number} coder */
function coderCell(host, view, card, row, coder) {
  const { nodes, title } = host.coderCell(view, card, row, coder);
  const cell = element("td");
  const { letter } = view.queue.coders[coder];
  if (view.readOnly || card.kind === "check") {
    cell.append(...nodes);
    return cell;
  }
  const take = button("queue-answer");
  take.dataset.take = String(coder);
  take.append(...nodes);
  take.setAttribute("aria-label", `Take ${letter}: ${[nodes.map((one) => one.textContent).join(", "), title].filter(Boolean).join(", ")}`);
  take.title = [title, ...nodes.map((one) => one.title)].filter(Boolean).join(": ");
  cell.append(take);
  return cell;
}

/** What gold says now, and what decided it. @param {QueueHost} host @param {QueueView} view @param {QueueCard} card @param {QueueRow} row */
function goldCell(host, view, card, row) {
  const decision = decisionOn(view.decisions, card, row);
  const cell = element("td");
  const said = element("span", "queue-decision", isAsked(card, row) ? "open" : "agreed");
  if (decision !== null) {
    const letters = view.queue.coders.filter(({ coding }) => decision.codings.includes(coding)).map(({ letter }) => letter);
    said.textContent = [`✓ ${decision.source === "coder" ? letters.join(", ") : decision.source}`, REASONS[decision.reason]].filter(Boolean).join(": ");
    said.title = [decision.section, decision.note].filter(Boolean).join(": ");
  }
  cell.append(...host.goldCell(view, card, row), " ", said);
  return cell;
}

/** The rows of a card as they are shown: those that nobody contests only where one asks for them. @type {(card: QueueCard, unfolded: boolean) => QueueRow[]} */
export const shownRows = (card, unfolded) => (unfolded ? card.rows : card.rows.filter((row) => isAsked(card, row)));

/** @type {(host: QueueHost, view: QueueView, table: HTMLTableElement, card: QueueCard, at: QueueRow | null, unfolded: boolean) => void} */
export function paintTable(host, view, table, card, at, unfolded) {
  const { queue } = view;
  const head = element("tr");
  const named = (/** @type {string} */ label, title = "") => {
    const cell = element("th", "", label);
    cell.scope = "col";
    cell.title = title;
    return cell;
  };
  head.append(named("Words"), ...queue.coders.map(({ letter, name }) => named(letter, name ?? "")), named(host.column));
  const rows = shownRows(card, unfolded).map((row) => {
    const line = element("tr", row === at ? "is-current" : "");
    line.dataset.row = String(card.rows.indexOf(row));
    const words = element("th", "queue-words", host.wordsOf(row.units));
    words.scope = "row";
    words.dir = "auto";
    line.append(words, ...queue.coders.map((_, coder) => coderCell(host, view, card, row, coder)), goldCell(host, view, card, row));
    if (row === at) {
      line.setAttribute("aria-current", "true");
    }
    return line;
  });
  const body = element("tbody");
  body.append(...rows);
  const heading = element("thead");
  heading.append(head);
  table.replaceChildren(heading, body);
}
