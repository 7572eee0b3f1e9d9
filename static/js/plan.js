// The page Assignments: the preview, which htmx loads, follows the form, and cells of the matrix are changed by click or keyboard.

const form = /** @type {HTMLFormElement} */ (document.getElementById("plan-form"));
const result = /** @type {HTMLElement} */ (document.getElementById("plan-result"));
const status = /** @type {HTMLElement} */ (document.getElementById("plan-status"));
const changes = /** @type {HTMLInputElement} */ (form.elements.namedItem("changes"));
// Which designs a field is for.
const DESIGNS = { k: ["k", "share", "blocks"], share: ["share"], blocks: ["blocks"] };

function showFields() {
  const design = new FormData(form).get("design");
  for (const [name, designs] of Object.entries(DESIGNS)) {
    const field = form.querySelector(`[data-field="${name}"]`);
    if (field instanceof HTMLElement) {
      field.hidden = !designs.includes(String(design));
    }
  }
}

/** @param {HTMLInputElement} cell */
const placeOf = (cell) => ({ text: cell.closest("tr")?.dataset.text ?? "", coder: cell.dataset.coder ?? "" });

/** Change a cell of a plan that is not carried out yet. @param {HTMLInputElement} cell */
function changePlan(cell) {
  const { text, coder } = placeOf(cell);
  const parts = new Set(changes.value.split(";").filter(Boolean));
  const opposite = `${cell.checked ? "-" : "+"}${text}/${coder}`;
  if (!parts.delete(opposite)) {
    parts.add(`${cell.checked ? "+" : "-"}${text}/${coder}`);
  }
  changes.value = [...parts].join(";");
  window.htmx.trigger(form, "replan");
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

/** Go from a cell to the next in a direction that may be changed. @param {KeyboardEvent} event */
function move(event) {
  const [down, right] = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key] ?? [0, 0];
  const td = event.target instanceof HTMLInputElement && event.target.type === "checkbox" ? event.target.closest("td") : null;
  const row = td?.closest("tr");
  const rows = td?.closest("tbody")?.rows;
  let [y, x] = [row?.sectionRowIndex ?? 0, td?.cellIndex ?? 0];
  let target;
  do {
    [y, x] = [y + down, x + right];
    target = rows?.[y]?.cells[x]?.querySelector("input");
  } while (target?.disabled);
  if (target && (down || right)) {
    event.preventDefault();
    target.focus();
  }
}

result.addEventListener("htmx:configRequest", (event) => {
  const { formData } = /** @type {CustomEvent} */ (event).detail;
  for (const [name, value] of [...formData]) {
    if (value === "") {
      formData.delete(name); // the address stays short
    }
  }
});
result.addEventListener("htmx:beforeRequest", () => { result.ariaBusy = "true"; });
result.addEventListener("htmx:afterRequest", (event) => {
  const { successful, pathInfo } = /** @type {CustomEvent} */ (event).detail;
  result.ariaBusy = null;
  if (successful) {
    history.replaceState(null, "", pathInfo.finalRequestPath);
  }
});
for (const problem of ["htmx:sendError", "htmx:responseError"]) {
  result.addEventListener(problem, () => {
    status.textContent = "The preview could not be loaded. Check the connection, and change something again.";
  });
}
result.addEventListener("htmx:afterSwap", () => {
  document.querySelector(".plan-changes")?.remove();
  status.textContent = result.querySelector("#plan-summary, .notice")?.textContent ?? "";
});
// What finds coders is no part of the plan.
for (const kind of ["input", "change"]) {
  document.getElementById("plan-find")?.addEventListener(kind, (event) => event.stopPropagation());
}
form.addEventListener("change", (event) => {
  // Another plan is another one to change by hand.
  if (event.target !== changes) {
    changes.value = "";
  }
  showFields();
});
result.addEventListener("change", (event) => {
  const cell = event.target;
  if (cell instanceof HTMLInputElement && cell.dataset.coder) {
    const address = cell.closest("table")?.dataset.edits;
    if (address) {
      assign(cell, address);
    } else {
      changePlan(cell);
    }
  }
});
result.addEventListener("keydown", move);
// The preview follows by itself; the button stays what Enter in a field presses, so that this applies nothing.
const previewButton = document.getElementById("plan-preview-button");
if (previewButton) {
  previewButton.hidden = true;
}
showFields();
