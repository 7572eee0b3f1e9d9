// The SCUs at the side: the heaviest first, the selected one unfolded. Only rows that have changed are drawn again.
import { element } from "../coding/element.js";
import { filtered, nameOf } from "./state.js";
import { tier } from "./view-words.js";

const byId = (id) => document.getElementById(id);
const NUMBERED = 9; // rows that wear a digit on the page of a peer

export function createList(model) {
  const list = byId("scus");
  const detail = byId("scu-detail");
  const rows = new Map();
  // Kept: a row that the filter leaves out takes the detail along, out of the page.
  const fields = { label: byId("scu-label"), comment: byId("scu-comment") };
  const [title, own, models] = ["contributors-title", "contributors", "scu-models"].map(byId);
  const [moveOne, splitOne] = ["move-one", "split-one"].map(byId);
  list.after(detail);

  function row(page, scu, digit) {
    const label = nameOf(scu);
    const chosen = scu.key === page.scu;
    const summaries = model.summaries.map(({ place }) => (scu.contributors.some((one) => one.summary === place) ? "●" : "○")).join("");
    const marks = model.peer && scu.contributors.length > 0 ? `×${scu.contributors.length}` : "";
    const number = page.numberOf(scu.key);
    const shown = [label, Boolean(scu.label), chosen, summaries, marks, number, scu.weight, digit, scu.gone, Boolean(scu.comment)].join("|");
    const known = rows.get(scu.key);
    if (known?.shown === shown) {
      return known.item;
    }
    const item = known?.item ?? element("li", "scu");
    item.dataset.scu = scu.key;
    item.dataset.drop = "scu";
    item.className = `scu ${tier(scu.weight)}${chosen ? " is-selected" : ""}${marks ? " is-expressed" : ""}${scu.gone ? " is-gone" : ""}`;
    const head = element("button", "scu-head");
    head.type = "button";
    head.setAttribute("aria-expanded", String(chosen));
    head.dataset.drag = "scu";
    head.append(element("span", `chain-badge ${tier(scu.weight)}`, String(number)));
    const words = element("span", `words${scu.label || model.peer ? "" : " is-unlabelled"}`, label);
    words.dir = "auto";
    head.append(words);
    if (scu.comment) {
      head.append(note("✎", "has a comment"));
    }
    if (marks) {
      head.append(note(marks, `expressed ${scu.contributors.length} times`));
    }
    if (!model.peer) {
      const dots = element("span", "dots", summaries);
      dots.setAttribute("aria-hidden", "true");
      head.append(dots);
    }
    const weight = element("span", "weight", scu.gone ? "gone" : String(scu.weight));
    weight.title = scu.gone ? "The pyramid has this SCU no more" : `Weight ${scu.weight}`;
    weight.setAttribute("aria-label", weight.title);
    weight.setAttribute("role", "img");
    head.append(weight);
    if (digit) {
      head.append(element("kbd", "", String(digit)));
    }
    if (known) {
      known.item.firstElementChild.replaceWith(head);
    } else {
      item.append(head);
    }
    rows.set(scu.key, { item, shown });
    return item;
  }

  function note(words, title) {
    const one = element("span", "scu-note", words);
    one.title = title;
    return one;
  }

  /** Rows in their order; nothing is moved that stands where it should. */
  function order(items) {
    const focused = detail.contains(document.activeElement) ? document.activeElement : null;
    const wanted = new Set(items);
    [...list.children].filter((item) => !wanted.has(item)).forEach((item) => item.remove());
    items.forEach((item, place) => {
      const here = list.children[place];
      if (here !== item && here?.nextElementSibling === item) {
        here.remove(); // it stands further down from now on; all others stay where they are
      } else if (here !== item) {
        list.insertBefore(item, here ?? null);
      }
    });
    if (focused && focused !== document.activeElement) {
      focused.focus({ preventScroll: true });
    }
  }

  let painted = "";
  function paintDetail(page) {
    const scu = page.seen.scus.get(page.scu);
    detail.hidden = !scu;
    if (!scu) {
      painted = "";
      return;
    }
    const home = rows.get(scu.key)?.item;
    if (home && detail.parentElement !== home) {
      home.append(detail);
    }
    const shown = JSON.stringify([
      scu.key, page.contributor, [...page.chosen], scu.contributors.map((one) => [one.key, one.scus]), model.peer, page.numberOf(scu.key),
    ]);
    if (shown !== painted) {
      painted = shown;
      title.textContent = model.peer
        ? (scu.contributors.length > 0 ? "In this summary" : "Not expressed in this summary yet") : `Contributors: ${scu.contributors.length}`;
      own.replaceChildren(...scu.contributors.map((one) => chip(page, one, scu.key)));
      models.querySelector("ul").replaceChildren(...scu.models.map((words) => element("li", "", words)));
      models.hidden = !model.peer || scu.models.length === 0;
      moveOne.disabled = page.contributor === null;
      splitOne.disabled = scu.contributors.length < 2;
    }
    paintField(fields.label, scu.label, scu.key);
    paintField(fields.comment, scu.comment, scu.key);
  }

  /** What is being written is not overwritten. */
  function paintField(field, value, scu) {
    if (field.dataset.scu !== scu || (document.activeElement !== field && field.defaultValue !== value)) {
      field.value = value;
      field.defaultValue = value;
      field.dataset.scu = scu;
    }
    field.readOnly = model.readOnly;
  }

  function chip(page, one, scu) {
    const item = element("li", `contributor${one.key === page.contributor ? " is-own" : ""}`);
    item.dataset.drag = "contributor";
    item.dataset.key = one.key;
    item.dataset.of = scu;
    if (!model.peer && scu && !model.readOnly) {
      const box = element("input");
      box.type = "checkbox";
      box.checked = page.chosen.has(one.key);
      box.dataset.choose = one.key;
      box.title = "Choose for splitting";
      box.setAttribute("aria-label", `Choose for splitting: ${one.words}`);
      item.append(box);
    }
    const button = element("button", "contributor-words");
    button.type = "button";
    button.dataset.contributor = one.key;
    button.setAttribute("aria-pressed", String(one.key === page.contributor));
    const words = element("span", "words", one.words);
    words.dir = "auto";
    button.append(words);
    if (!model.peer) {
      button.append(element("span", "where", model.summaries[one.summary]?.name ?? "across summaries"));
    }
    const also = one.scus.filter((key) => key !== scu);
    if (also.length > 0) {
      button.append(element("span", "where", `also in ${also.map((key) => page.numberOf(key)).join(", ")}`));
    }
    item.append(button);
    if (!model.readOnly) {
      const remove = element("button", "button plain small icon", "×");
      remove.type = "button";
      remove.dataset.remove = one.key;
      remove.setAttribute("aria-label", `Delete the contributor ${one.words}`);
      remove.title = "Delete the contributor";
      item.append(remove);
    }
    return item;
  }

  function paintLoose(page) {
    byId("loose-section").hidden = page.seen.loose.length === 0;
    byId("loose-title").textContent = model.peer ? `In no SCU of the pyramid: ${page.seen.loose.length}` : `Marked, in no SCU: ${page.seen.loose.length}`;
    byId("loose").replaceChildren(...page.seen.loose.map((one) => chip(page, one, "")));
  }

  return {
    fields,
    paint(page) {
      const { seen } = page;
      const shown = filtered(seen.order, page.filter, page.numberOf);
      page.shown = shown;
      for (const key of rows.keys()) {
        if (!seen.scus.has(key)) {
          rows.get(key).item.contains(detail) && list.after(detail);
          rows.delete(key);
        }
      }
      order(shown.map((scu, place) => row(page, scu, model.peer && place < NUMBERED && !model.readOnly ? place + 1 : 0)));
      byId("scu-count").textContent = shown.length === seen.order.length ? String(seen.order.length) : `${shown.length} of ${seen.order.length}`;
      byId("scus-none").hidden = shown.length > 0 || seen.order.length === 0;
      paintDetail(page);
      paintLoose(page);
      return shown;
    },
    reveal: (key) => rows.get(key)?.item.firstElementChild.scrollIntoView({ block: "nearest" }),
  };
}
