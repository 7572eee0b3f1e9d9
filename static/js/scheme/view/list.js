// The list of questions, group by group: chosen, moved and indented by keys or by dragging.
import { around, button, element, elements } from "../../workbench/dom/element.js";
import { add, moveBefore } from "../edits.js";
import { find, rowsOf } from "../questions.js";
import { carryOut, problemsOf } from "./form.js";
/** @import { Designer, Kind, Row } from "../types.js" */

/** @type {[Kind, string, string, string][]} */
const GROUPS = [
  ["level", "Levels", "Add a level", "New level"],
  ["category", "Categories", "Add a category", "New category"],
  ["relation", "Relations", "Add a relation", "New relation"],
  ["attribute", "Attributes", "Add an attribute", "New attribute"],
];
/** @type {Record<string, string>} */
const KEYS = { ArrowUp: "up", ArrowDown: "down", ArrowRight: "indent", ArrowLeft: "outdent" };
const MAX_DEPTH = 6;
/** Where the form stands below the list, as in scheme.css. */
const STACKED = "(max-width: 44rem)";

/** @param {HTMLElement} root @param {Designer} designer */
export function createList(root, designer) {
  let dragged = /** @type {{ kind: Kind, key: string } | null} */ (null);
  const answersPlace = element("div");
  /** @type {Map<Kind, HTMLElement>} */
  const lists = new Map(GROUPS.map(([kind]) => [kind, element("ul", "scheme-rows", "", { dataset: { kind } })]));
  root.replaceChildren(answersPlace, ...GROUPS.map(([kind, title, adding, label]) => {
    const list = /** @type {HTMLElement} */ (lists.get(kind));
    const name = element("h3", "", title, { id: `scheme-group-${kind}` });
    list.setAttribute("aria-labelledby", name.id);
    return element("section", "scheme-group", [
      name, list, button("link-button small scheme-add", adding, { onclick: () => addQuestion(kind, label), dataset: { row: `add ${kind}` } }),
    ]);
  }));

  /** @type {(name: string, current: boolean, content: (string | HTMLElement)[]) => HTMLElement} */
  const rowButton = (name, current, content) => button("scheme-row", content, { ariaCurrent: String(current), dataset: { row: name } });

  /** @param {Kind} kind @param {Row} row */
  function rowNode(kind, { key, label, depth, note }) {
    const place = designer.place();
    const retired = /** @type {{ retired?: boolean }} */ (find(designer.scheme(), kind, key))?.retired;
    const notes = [retired ? "retired" : "", note].filter(Boolean).join(" · ");
    const problems = problemsOf(designer, kind, key);
    const row = rowButton(`${kind} ${key}`, place.kind === kind && place.key === key, [
      element("span", "scheme-row-label", label || key, { dir: "auto" }),
      notes && element("span", "scheme-row-note", notes),
      problems.length > 0 ? element("span", "scheme-row-problem", "!", {
        title: problems.join(" "), role: "img", ariaLabel: problems.length === 1 ? "1 problem" : `${problems.length} problems`,
      }) : "",
    ]);
    row.ariaKeyShortcuts = "Alt+ArrowUp Alt+ArrowDown Alt+ArrowRight Alt+ArrowLeft Delete";
    return element("li", `scheme-depth-${Math.min(depth, MAX_DEPTH)}`, row, { draggable: true, dataset: { kind, key } });
  }

  function paint() {
    const focused = document.activeElement instanceof HTMLElement && root.contains(document.activeElement)
      ? document.activeElement.dataset.row : undefined;
    const rows = rowsOf(designer.written().scheme);
    replaceChanged(answersPlace, [rowButton("answers ", designer.place().kind === "answers", [
      element("span", "scheme-row-label", "What goes together"),
      element("span", "scheme-row-note", { pointers: "pointers", indices: "indices", categories: "no chains" }[designer.scheme().answers]),
    ])]);
    for (const [kind, list] of lists) {
      replaceChanged(list, rows[kind].map((row) => rowNode(kind, row)));
    }
    const place = designer.place();
    const again = focused === undefined ? null : rowOf(focused) ?? rowOf(`${place.kind} ${place.key}`);
    again?.focus();
  }

  const rowOf = (/** @type {string} */ name) => elements(root, "[data-row]").find((node) => node.dataset.row === name);

  /** @param {Kind} kind @param {string} label */
  function addQuestion(kind, label) {
    const place = designer.place();
    const edit = add(designer.scheme(), kind, label, place.kind === kind ? place.key : undefined);
    if ("scheme" in edit) {
      designer.apply(edit, { place: { kind, key: edit.key }, focus: "label", said: `${label}: added.` });
    }
  }

  root.addEventListener("click", (event) => {
    const row = around(event, ".scheme-row");
    const [kind, key] = (row?.dataset.row ?? "").split(" ");
    if (row && kind !== "add") {
      designer.select(/** @type {any} */ ({ kind, key }));
      if (window.matchMedia(STACKED).matches) {
        document.getElementById("scheme-form-title")?.scrollIntoView();
      }
    }
  });

  root.addEventListener("keydown", (event) => {
    const row = around(event, ".scheme-row");
    if (!row) {
      return;
    }
    const [kind, key] = /** @type {[Kind, string]} */ ((row.dataset.row ?? "").split(" "));
    const all = elements(root, ".scheme-row");
    const isQuestion = lists.has(kind);
    if (event.altKey && !event.ctrlKey && !event.metaKey && event.key in KEYS) {
      event.preventDefault();
      if (isQuestion) {
        designer.select({ kind, key });
        carryOut(designer, KEYS[event.key], { kind, key });
      }
    } else if (event.key === "Delete" && isQuestion) {
      event.preventDefault();
      designer.select({ kind, key });
      carryOut(designer, "remove", { kind, key });
    } else if (!event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault();
      all[all.indexOf(row) + (event.key === "ArrowUp" ? -1 : 1)]?.focus();
    }
  });

  root.addEventListener("dragstart", (event) => {
    const item = around(event, "li[data-key]");
    if (item && event.dataTransfer) {
      dragged = { kind: /** @type {Kind} */ (item.dataset.kind), key: item.dataset.key ?? "" };
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", dragged.key);
      item.classList.add("is-dragged");
    }
  });
  root.addEventListener("dragend", () => {
    dragged = null;
    clear("is-dragged", "is-before", "is-behind");
  });
  root.addEventListener("dragover", (event) => {
    clear("is-before", "is-behind");
    const item = targetOf(event);
    item?.classList.add(isBehind(item, event) ? "is-behind" : "is-before");
  });
  root.addEventListener("drop", (event) => {
    const item = targetOf(event);
    if (dragged && item) {
      const { kind, key } = dragged;
      const target = isBehind(item, event) ? /** @type {HTMLElement | null} */ (item.nextElementSibling) : item;
      const before = target?.dataset.key ?? null;
      const words = before === null ? "the end" : `before ${find(designer.scheme(), kind, before)?.label}`;
      designer.apply(moveBefore(designer.scheme(), kind, key, before), { said: `Moved to ${words}.`, place: { kind, key } });
    }
  });

  /** The line that something may be dropped at, which is said to the browser. @param {DragEvent} event */
  function targetOf(event) {
    const item = around(event, "li[data-key]");
    const fits = item && item.dataset.kind === dragged?.kind;
    if (fits) {
      event.preventDefault();
    }
    return fits ? item : null;
  }

  /** @param {...string} looks */
  function clear(...looks) {
    root.querySelectorAll(looks.map((look) => `.${look}`).join()).forEach((node) => node.classList.remove(...looks));
  }

  return { paint };
}

/** Keep what is equal: what is replaced between the press and the release of a button gets no click. @param {HTMLElement} parent @param {HTMLElement[]} nodes */
function replaceChanged(parent, nodes) {
  const shown = [...parent.children];
  nodes.forEach((node, place) => {
    if (!shown[place]) {
      parent.append(node);
    } else if (!shown[place].isEqualNode(node)) {
      shown[place].replaceWith(node);
    }
  });
  shown.slice(nodes.length).forEach((node) => node.remove());
}

/** Whether the pointer is on the lower half. @param {HTMLElement} item @param {DragEvent} event */
function isBehind(item, { clientY }) {
  const { top, height } = item.getBoundingClientRect();
  return clientY > top + height / 2;
}
