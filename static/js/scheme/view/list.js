// The list of questions, group by group: chosen, moved and indented by keys or by dragging.
import { around, button, element } from "../../workbench/dom/element.js";
import { add, moveBefore } from "../edits.js";
import { find, listOf, rowsOf } from "../questions.js";
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
const DEEPEST = 6;
/** Where the form stands below the list, as in scheme.css. */
const STACKED = "(max-width: 44rem)";

/** @param {HTMLElement} root @param {Designer} designer */
export function createList(root, designer) {
  /** @type {{ kind: Kind, key: string } | null} */
  let dragged = null;
  const answersPlace = element("div", "");
  /** @type {Map<Kind, HTMLElement>} */
  const lists = new Map();
  root.replaceChildren(answersPlace, ...GROUPS.map(([kind, title, adding, label]) => {
    const group = element("section", "scheme-group");
    const list = element("ul", "scheme-rows");
    list.dataset.kind = kind;
    lists.set(kind, list);
    const name = element("h3", "", title);
    name.id = `scheme-group-${kind}`;
    list.setAttribute("aria-labelledby", name.id);
    const adder = button("link-button small scheme-add", adding);
    adder.dataset.row = `add ${kind}`;
    adder.addEventListener("click", () => addQuestion(kind, label));
    group.append(name, list, adder);
    return group;
  }));

  /** @param {Row} row */
  function rowNode({ kind, key, label, depth, note }) {
    const item = element("li", `scheme-depth-${Math.min(depth, DEEPEST)}`);
    item.draggable = true;
    item.dataset.kind = kind;
    item.dataset.key = key;
    const place = designer.place();
    const row = button("scheme-row");
    row.dataset.row = `${kind} ${key}`;
    row.setAttribute("aria-current", String(place.kind === kind && place.key === key));
    row.setAttribute("aria-keyshortcuts", "Alt+ArrowUp Alt+ArrowDown Alt+ArrowRight Alt+ArrowLeft Delete");
    const retired = /** @type {{ retired?: boolean }} */ (find(designer.scheme(), kind, key))?.retired;
    const words = element("span", "scheme-row-label", label || key);
    words.dir = "auto";
    row.append(words);
    const notes = [retired ? "retired" : "", note].filter(Boolean).join(" · ");
    if (notes) {
      row.append(element("span", "scheme-row-note", notes));
    }
    const problems = problemsOf(designer, kind, key);
    if (problems.length > 0) {
      const sign = element("span", "scheme-row-problem", "!");
      sign.title = problems.join(" ");
      sign.setAttribute("role", "img");
      sign.setAttribute("aria-label", problems.length === 1 ? "1 problem" : `${problems.length} problems`);
      row.append(sign);
    }
    item.append(row);
    return item;
  }

  function paint() {
    const focused = document.activeElement instanceof HTMLElement && root.contains(document.activeElement)
      ? document.activeElement.dataset.row : undefined;
    const rows = rowsOf(designer.written().scheme);
    const answers = button("scheme-row");
    answers.dataset.row = "answers ";
    answers.setAttribute("aria-current", String(designer.place().kind === "answers"));
    answers.append(element("span", "scheme-row-label", "What goes together"), element("span", "scheme-row-note", {
      pointers: "pointers", indices: "indices", categories: "no chains",
    }[designer.scheme().answers]));
    replaceChanged(answersPlace, [answers]);
    for (const [kind, list] of lists) {
      replaceChanged(list, rows[kind].map(rowNode));
    }
    const place = designer.place();
    const again = focused === undefined ? null : rowOf(focused) ?? rowOf(`${place.kind} ${place.key}`);
    again?.focus();
  }

  /** @param {string} name @returns {HTMLElement | undefined} */
  function rowOf(name) {
    return /** @type {HTMLElement[]} */ ([...root.querySelectorAll("[data-row]")]).find((one) => one.dataset.row === name);
  }

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
    const all = /** @type {HTMLElement[]} */ ([...root.querySelectorAll(".scheme-row")]);
    const isQuestion = kind in { level: 1, category: 1, relation: 1, attribute: 1 };
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
    root.querySelectorAll(".is-dragged, .is-before, .is-behind").forEach((one) => one.classList.remove("is-dragged", "is-before", "is-behind"));
  });
  root.addEventListener("dragover", (event) => {
    const item = around(event, "li[data-key]");
    root.querySelectorAll(".is-before, .is-behind").forEach((one) => one.classList.remove("is-before", "is-behind"));
    if (dragged && item && item.dataset.kind === dragged.kind) {
      event.preventDefault();
      item.classList.add(isBehind(item, event) ? "is-behind" : "is-before");
    }
  });
  root.addEventListener("drop", (event) => {
    const item = around(event, "li[data-key]");
    if (dragged && item && item.dataset.kind === dragged.kind) {
      event.preventDefault();
      const { kind, key } = dragged;
      const target = isBehind(item, event) ? /** @type {HTMLElement | null} */ (item.nextElementSibling) : item;
      const rest = listOf(designer.scheme(), kind);
      const before = target?.dataset.key ?? null;
      designer.apply(moveBefore(designer.scheme(), kind, key, before), { said: `Moved to ${before === null ? "the end" : `before ${rest.find((one) => one.key === before)?.label}`}.`, place: { kind, key } });
    }
  });

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
