// The page Assignments: the preview follows the form, and cells of the matrix are changed by click or keyboard.

const PATIENCE = 300; // milliseconds
const form = /** @type {HTMLFormElement} */ (document.getElementById("plan-form"));
const preview = /** @type {HTMLElement} */ (document.getElementById("plan-preview"));
const status = /** @type {HTMLElement} */ (document.getElementById("plan-status"));
const changes = /** @type {HTMLInputElement} */ (form.elements.namedItem("changes"));
// Which designs a field is for.
const DESIGNS = { k: ["k", "share", "blocks"], share: ["share"], blocks: ["blocks"] };

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** @type {AbortController | undefined} */
let request;

/** The form as the address says it. */
function query() {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (name !== "csrfmiddlewaretoken" && typeof value === "string" && value !== "") {
      fields.append(name, value);
    }
  }
  return fields;
}

function showFields() {
  const design = new FormData(form).get("design");
  for (const [name, designs] of Object.entries(DESIGNS)) {
    const field = form.querySelector(`[data-field="${name}"]`);
    if (field instanceof HTMLElement) {
      field.hidden = !designs.includes(String(design));
    }
  }
}

/** @param {number} wait milliseconds */
function refresh(wait) {
  clearTimeout(timer);
  timer = setTimeout(load, wait);
}

async function load() {
  request?.abort();
  request = new AbortController();
  const fields = query();
  const result = preview.parentElement;
  result?.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(`?${fields}&part=preview`, { signal: request.signal });
    const html = await answer.text();
    if (!answer.ok) {
      throw new Error(answer.statusText);
    }
    const place = focusedCell();
    preview.innerHTML = html;
    focusCell(place);
    history.replaceState(null, "", `?${fields}`);
    document.querySelector(".plan-changes")?.remove();
    status.textContent = preview.querySelector("#plan-summary, .notice")?.textContent ?? "";
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError")) {
      status.textContent = "The preview could not be loaded. Check the connection, and change something again.";
    }
    return;
  }
  result?.removeAttribute("aria-busy");
}

/** @returns {{ text: string, coder: string } | null} */
function focusedCell() {
  const cell = document.activeElement;
  return cell instanceof HTMLInputElement && preview.contains(cell) ? placeOf(cell) : null;
}

/** @param {{ text: string, coder: string } | null} place */
function focusCell(place) {
  for (const cell of place ? preview.querySelectorAll("input") : []) {
    const found = placeOf(cell);
    if (found.text === place?.text && found.coder === place.coder) {
      cell.focus();
    }
  }
}

/** @param {HTMLInputElement} cell */
function placeOf(cell) {
  return { text: cell.closest("tr")?.dataset.text ?? "", coder: cell.dataset.coder ?? "" };
}

/** Change a cell of a plan that is not carried out yet. @param {HTMLInputElement} cell */
function changePlan(cell) {
  const { text, coder } = placeOf(cell);
  const parts = new Set(changes.value.split(";").filter(Boolean));
  const opposite = `${cell.checked ? "-" : "+"}${text}/${coder}`;
  if (!parts.delete(opposite)) {
    parts.add(`${cell.checked ? "+" : "-"}${text}/${coder}`);
  }
  changes.value = [...parts].join(";");
  refresh(0);
}

/** Assign or unassign at once. @param {HTMLInputElement} cell @param {string} address */
async function assign(cell, address) {
  const { text, coder } = placeOf(cell);
  const body = new FormData(form);
  const sent = new FormData();
  sent.set("csrfmiddlewaretoken", String(body.get("csrfmiddlewaretoken")));
  sent.set("text", text);
  sent.set("coder", coder);
  sent.set("on", cell.checked ? "1" : "0");
  cell.disabled = true;
  let problem = "";
  try {
    const answer = await fetch(address, { method: "POST", body: sent });
    if (!answer.ok) {
      problem = answer.headers.get("Content-Type")?.startsWith("application/json")
        ? (await answer.json()).error
        : "This was not saved. Load the page again.";
    }
  } catch {
    problem = "This was not saved: there is no connection.";
  }
  cell.disabled = false;
  if (problem) {
    cell.checked = !cell.checked;
  } else {
    count(cell);
  }
  cell.focus();
  say(problem || `${text}: ${cell.checked ? "assigned to" : "unassigned from"} ${coder}.`, problem !== "");
}

/** @param {string} message @param {boolean} isProblem */
function say(message, isProblem) {
  status.textContent = message;
  status.classList.toggle("sr-only", !isProblem);
  status.classList.toggle("notice", isProblem);
  status.classList.toggle("error", isProblem);
}

/** Correct the totals of a row and column. @param {HTMLInputElement} cell */
function count(cell) {
  const step = cell.checked ? 1 : -1;
  const row = cell.closest("tr");
  const td = cell.closest("td");
  const table = cell.closest("table");
  if (!row || !td || !table) {
    return;
  }
  td.className = cell.checked ? "plan-cell plan-assigned" : "plan-cell";
  const work = Number(row.cells[1]?.textContent);
  const [texts, works] = table.tFoot?.rows ?? [];
  for (const [element, amount] of /** @type {[HTMLTableCellElement | undefined, number][]} */ ([
    [row.cells[row.cells.length - 1], step],
    [texts?.cells[td.cellIndex], step],
    [works?.cells[td.cellIndex], step * work],
  ])) {
    if (element) {
      element.textContent = String(Number(element.textContent) + amount);
    }
  }
}

/** @param {KeyboardEvent} event */
function move(event) {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  const cell = event.target;
  if (!step || !(cell instanceof HTMLInputElement) || cell.type !== "checkbox") {
    return;
  }
  const row = cell.closest("tr");
  const body = cell.closest("tbody");
  const column = cell.closest("td")?.cellIndex ?? 0;
  let [down, right] = step;
  let target;
  do {
    target = body?.rows[(row?.sectionRowIndex ?? 0) + (down ?? 0)]?.cells[column + (right ?? 0)]?.querySelector("input");
    down = (down ?? 0) + (step[0] ?? 0);
    right = (right ?? 0) + (step[1] ?? 0);
  } while (target?.disabled);
  if (target) {
    event.preventDefault();
    target.focus();
  }
}

// What finds coders is no part of the plan.
const find = document.getElementById("plan-find");
form.addEventListener("input", (event) => {
  if (event.target !== find) {
    refresh(PATIENCE);
  }
});
form.addEventListener("change", (event) => {
  // Another plan is another one to change by hand.
  if (event.target !== changes && event.target !== find) {
    changes.value = "";
  }
  showFields();
});
preview.addEventListener("change", (event) => {
  const cell = event.target;
  if (cell instanceof HTMLInputElement) {
    const address = cell.closest("table")?.dataset.edits;
    if (address) {
      assign(cell, address);
    } else {
      changePlan(cell);
    }
  }
});
preview.addEventListener("keydown", move);
// The preview follows by itself; the button stays what Enter in a field presses, so that this applies nothing.
const previewButton = document.getElementById("plan-preview-button");
if (previewButton) {
  previewButton.hidden = true;
}
showFields();
