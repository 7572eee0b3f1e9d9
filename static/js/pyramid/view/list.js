// The SCUs at the side: the heaviest first, the selected one unfolded. Only rows that have changed are drawn again.
import { button, byId, element, inside } from "../../workbench/dom/element.js";
import { filtered, nameOf } from "../state.js";
import { badge, tier } from "./words.js";
/** @import { Contributor, ListView, Model, Page, Scu } from "../types.js" */

/** @type {(model: Model) => ListView} */
export function createList(model) {
  const list = byId("scus");
  const detail = byId("scu-detail");
  const rows = /** @type {Map<string, { item: HTMLElement, shown: string }>} */ (new Map());
  // Kept: a row that the filter leaves out takes the detail along, out of the page.
  const fields = { label: byId("scu-label", HTMLTextAreaElement), comment: byId("scu-comment", HTMLTextAreaElement) };
  const [title, own, models] = [byId("contributors-title"), byId("contributors"), byId("scu-models")];
  const [moveOne, splitOne] = [byId("move-one", HTMLButtonElement), byId("split-one", HTMLButtonElement)];
  list.after(detail);

  /** @type {(page: Page, scu: Scu) => HTMLElement} */
  function row(page, scu) {
    const label = nameOf(scu);
    const chosen = scu.key === page.scu;
    const summaries = model.summaries.map(({ place }) => (scu.contributors.some((contributor) => contributor.summary === place) ? "●" : "○")).join("");
    const marks = model.peer && scu.contributors.length > 0 ? `×${scu.contributors.length}` : "";
    const number = page.numberOf(scu.key);
    const shown = [label, Boolean(scu.label), chosen, summaries, marks, number, scu.weight, scu.gone, Boolean(scu.comment)].join("|");
    const known = rows.get(scu.key);
    if (known?.shown === shown) {
      return known.item;
    }
    const title = scu.gone ? "This SCU is no longer in the pyramid" : `Weight ${scu.weight}`;
    const head = button("pyramid-scu-head", [
      // On the page of a peer the number is the key to press.
      model.peer && !model.readOnly ? element("kbd", "", String(number)) : badge(number, scu.weight),
      element("span", `workbench-words${scu.label || model.peer ? "" : " is-unlabelled"}`, label, { dir: "auto" }),
      scu.comment && element("span", "pyramid-scu-note", "✎", { title: "has a comment" }),
      marks && element("span", "pyramid-scu-note", marks, { title: `expressed ${scu.contributors.length} times` }),
      model.peer ? "" : element("span", "pyramid-dots", summaries, { ariaHidden: "true" }),
      element("span", "pyramid-weight", scu.gone ? "gone" : model.peer ? "●".repeat(scu.weight) : String(scu.weight), {
        title, ariaLabel: title, role: "img",
      }),
    ], { ariaExpanded: String(chosen), dataset: { drag: "scu" } });
    const item = known?.item ?? element("li", "", head, { dataset: { scu: scu.key, drop: "scu" } });
    item.className = `pyramid-scu ${tier(scu.weight)}${chosen ? " is-selected" : ""}${marks ? " is-expressed" : ""}${scu.gone ? " is-deleted" : ""}`;
    known?.item.firstElementChild?.replaceWith(head);
    rows.set(scu.key, { item, shown });
    return item;
  }

  /** Rows in their order; nothing is moved that stands where it should. @type {(items: HTMLElement[]) => void} */
  function order(items) {
    const active = document.activeElement;
    const focused = active instanceof HTMLElement && detail.contains(active) ? active : null;
    const wanted = new Set(items);
    [...list.children].filter((item) => !(item instanceof HTMLElement && wanted.has(item))).forEach((item) => item.remove());
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
  /** @type {(page: Page) => void} */
  function paintDetail(page) {
    const scu = page.pyramid.scus.get(page.scu ?? "");
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
      scu.key, page.contributor, [...page.chosen], scu.contributors.map((contributor) => [contributor.key, contributor.scus]), model.peer, page.numberOf(scu.key),
    ]);
    if (shown !== painted) {
      painted = shown;
      title.textContent = model.peer
        ? (scu.contributors.length > 0 ? "In this summary" : "Not expressed in this summary yet") : `Contributors: ${scu.contributors.length}`;
      own.replaceChildren(...scu.contributors.map((contributor) => chip(page, contributor, scu.key)));
      inside(models, "ul").replaceChildren(...scu.models.map((words) => element("li", "", words)));
      models.hidden = !model.peer || scu.models.length === 0;
      moveOne.disabled = page.contributor === null;
      splitOne.disabled = scu.contributors.length < 2;
    }
    paintField(fields.label, scu.label, scu.key);
    paintField(fields.comment, scu.comment, scu.key);
  }

  /** What is being written is not overwritten. @type {(field: HTMLTextAreaElement, value: string, scu: string) => void} */
  function paintField(field, value, scu) {
    if (field.dataset.scu !== scu || (document.activeElement !== field && field.defaultValue !== value)) {
      field.value = value;
      field.defaultValue = value;
      field.dataset.scu = scu;
    }
    field.readOnly = model.readOnly;
  }

  /** @type {(page: Page, contributor: Contributor, scu: string) => HTMLElement} */
  function chip(page, contributor, scu) {
    const { key, words, summary, scus } = contributor;
    const isOwn = key === page.contributor;
    const also = scus.filter((other) => other !== scu);
    return element("li", `pyramid-contributor${isOwn ? " is-own" : ""}`, [
      model.peer || !scu || model.readOnly ? "" : element("input", "", "", {
        type: "checkbox", checked: page.chosen.has(key),
        title: "Select for splitting", ariaLabel: `Select for splitting: ${words}`, dataset: { choose: key },
      }),
      button("pyramid-contributor-words", [
        element("span", "workbench-words", words, { dir: "auto" }),
        model.peer ? "" : element("span", "workbench-place", model.summaries[summary]?.name ?? "across summaries"),
        also.length > 0 ? element("span", "workbench-place", `also in ${also.map((other) => page.numberOf(other)).join(", ")}`) : "",
      ], { ariaPressed: String(isOwn), dataset: { contributor: key } }),
      model.readOnly ? "" : button("button plain small icon", "×", {
        title: "Delete the contributor", ariaLabel: `Delete the contributor ${words}`, dataset: { remove: key },
      }),
    ], { dataset: { drag: "contributor", key, of: scu } });
  }

  /** @type {(page: Page) => void} */
  function paintLoose(page) {
    byId("loose-section").hidden = page.pyramid.loose.length === 0;
    byId("loose-title").textContent = model.peer ? `In no SCU of the pyramid: ${page.pyramid.loose.length}` : `Marked, in no SCU: ${page.pyramid.loose.length}`;
    byId("loose").replaceChildren(...page.pyramid.loose.map((contributor) => chip(page, contributor, "")));
  }

  return {
    fields,
    paint(page) {
      const { pyramid } = page;
      const shown = filtered(pyramid.order, page.filter, page.numberOf);
      page.shown = shown;
      for (const [key, { item }] of rows) {
        if (!pyramid.scus.has(key)) {
          if (item.contains(detail)) {
            list.after(detail);
          }
          rows.delete(key);
        }
      }
      order(shown.map((scu) => row(page, scu)));
      byId("scu-count").textContent = shown.length === pyramid.order.length ? String(pyramid.order.length) : `${shown.length} of ${pyramid.order.length}`;
      byId("scus-none").hidden = shown.length > 0 || pyramid.order.length === 0;
      paintDetail(page);
      paintLoose(page);
    },
    reveal: (key) => rows.get(key ?? "")?.item.firstElementChild?.scrollIntoView({ block: "nearest" }),
  };
}
