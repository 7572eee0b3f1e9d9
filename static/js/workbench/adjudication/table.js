// How a card of the queue looks: its rows, with what each coder, the draft and gold say.
import { button, element } from "../dom/element.js";
import { decisionOn, isAsked } from "./rows.js";
/** @import { QueueCard, QueueHost, QueueRow, QueueView } from "./types.js" */

const REASONS = { "": "", ambiguous: "ambiguous text", guideline: "guideline gap", slip: "slip", scheme: "scheme" };

/** @param {QueueHost} host @param {QueueView} view @param {QueueCard} card @param {QueueRow} row @param {number} coder */
function coderCell(host, view, card, row, coder) {
  const { nodes, title } = host.coderCell(view, card, row, coder);
  const { letter } = view.queue.coders[coder];
  return element("td", "", view.readOnly || card.kind === "check" ? nodes : button("queue-answer", nodes, {
    ariaLabel: `Take ${letter}: ${[nodes.map((node) => node.textContent).join(", "), title].filter(Boolean).join(", ")}`,
    title: [title, ...nodes.map((node) => node.title)].filter(Boolean).join(": "),
    dataset: { take: String(coder) },
  }));
}

/** What gold says now, and what decided it. @param {QueueHost} host @param {QueueView} view @param {QueueCard} card @param {QueueRow} row */
function goldCell(host, view, card, row) {
  const decision = decisionOn(view.decisions, card, row);
  const said = element("span", "queue-decision", isAsked(card, row) ? "open" : "agreed");
  if (decision !== null) {
    const letters = view.queue.coders.filter(({ coding }) => decision.codings.includes(coding)).map(({ letter }) => letter);
    said.textContent = [`✓ ${decision.source === "coder" ? letters.join(", ") : decision.source}`, REASONS[decision.reason]].filter(Boolean).join(": ");
    said.title = [decision.section, decision.note].filter(Boolean).join(": ");
  }
  return element("td", "", [...host.goldCell(view, card, row), " ", said]);
}

/** The rows of a card as they are shown: those that nobody contests only where one asks for them. @type {(card: QueueCard, unfolded: boolean) => QueueRow[]} */
export const shownRows = (card, unfolded) => (unfolded ? card.rows : card.rows.filter((row) => isAsked(card, row)));

/** @type {(host: QueueHost, view: QueueView, table: HTMLTableElement, card: QueueCard, at: QueueRow | null, unfolded: boolean) => void} */
export function paintTable(host, view, table, card, at, unfolded) {
  const { queue } = view;
  const named = (/** @type {string} */ label, title = "") => element("th", "", label, { scope: "col", title });
  const head = element("tr", "", [named("Words"), ...queue.coders.map(({ letter, name }) => named(letter, name ?? "")), named(host.column)]);
  const rows = shownRows(card, unfolded).map((row) => element("tr", row === at ? "is-current" : "", [
    element("th", "queue-words", host.wordsOf(row.units), { scope: "row", dir: "auto" }),
    ...queue.coders.map((_, coder) => coderCell(host, view, card, row, coder)), goldCell(host, view, card, row),
  ], { ariaCurrent: row === at ? "true" : null, dataset: { row: String(card.rows.indexOf(row)) } }));
  table.replaceChildren(element("thead", "", head), element("tbody", "", rows));
}
