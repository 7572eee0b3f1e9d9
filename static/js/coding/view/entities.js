// The chains of the text as a list: found, named, merged, gone through.
import { around, button, element, elements, inside } from "../../workbench/dom/element.js";
import { onceAFrame } from "../../workbench/dom/frames.js";
import { entities, filtered } from "../chains/entities.js";
import { chainBadge, memberItem } from "./panel.js";
/** @import { Entity, Page } from "../types.js" */

/** The chain that a part of the list is about. @param {Element} node */
function chainOf(node) {
  const row = node.closest("[data-chain]");
  return (row instanceof HTMLElement && row.dataset.chain) || "";
}

const FIRST = 100; // chains shown before one filters
const MEMBERS = 60; // members shown of an open chain

/**
 * @type {(panel: HTMLDetailsElement, handlers: { light: (keys: string[]) => void, edit: (action: string, chain: string) => void }) =>
 * { paint: (page: Page) => void }}
 */
export function createEntities(panel, handlers) {
  const list = inside(panel, "ol");
  const filter = inside(panel, "input", HTMLInputElement);
  const count = inside(panel, ".coding-chain-count");
  const none = inside(panel, ".coding-chain-none");
  const more = inside(panel, ".coding-chain-more");
  const opened = new Set(); // chains whose members are shown
  let page = /** @type {Page | null} */ (null);
  let drawn = /** @type {unknown[]} */ ([]); // what the list was last made from
  const drawSoon = onceAFrame(() => setTimeout(draw)); // after the key has been answered: the list may be long

  function draw() {
    if (page === null || !panel.open) {
      return;
    }
    const now = page;
    const own = page.chains.of.get(page.current ?? "") ?? [];
    const signature = [page.judgements, page.numbers, page.model, filter.value, own.join(" "), page.current];
    if (signature.every((part, place) => part === drawn[place])) {
      return;
    }
    drawn = signature;
    const all = entities(page.model, page.judgements, page.numbers);
    const found = filtered(page.model, all, filter.value);
    const shown = found.filter((entity, place) => place < FIRST || own.includes(entity.chain));
    count.textContent = String(all.length);
    none.hidden = found.length > 0;
    none.textContent = all.length === 0 ? "No chains yet. A chain needs two members." : "No chain has these words.";
    more.hidden = shown.length === found.length;
    more.textContent = `${found.length - shown.length} more: filter to find them`;
    const active = document.activeElement instanceof HTMLElement && list.contains(document.activeElement) ? document.activeElement : null;
    const chain = active && chainOf(active);
    const name = active?.dataset.entity ?? active?.dataset.goto;
    list.replaceChildren(...shown.map((entity) => row(now, entity, own.includes(entity.chain))));
    if (chain) {
      elements(list, "button, summary").find((node) => chainOf(node) === chain && (node.dataset.entity ?? node.dataset.goto) === name)
        ?.focus({ preventScroll: true });
    }
  }

  /** @type {(page: Page, entity: Entity, current: boolean) => HTMLElement} */
  function row(page, entity, current) {
    const { chain, number, name, words, members } = entity;
    const summary = element("summary", "", [
      chainBadge(String(number ?? chain.slice(1)), number),
      element("span", "workbench-words", name || words, { dir: "auto", title: name ? `${name}: ${words}` : words }),
      element("span", "workbench-place", String(members.length), { ariaLabel: `${members.length} members` }),
    ], { dataset: { entity: "summary" } });
    const open = opened.has(chain);
    const details = element("details", "", [summary, ...(open ? contents(page, entity) : [])], { open });
    details.addEventListener("toggle", () => {
      if (details.open) {
        opened.add(chain);
      } else {
        opened.delete(chain);
      }
      if (details.open && details.children.length === 1) {
        details.append(...contents(page, entity));
      }
    });
    return element("li", `coding-chain${current ? " is-current" : ""}`, details, { dataset: { chain } });
  }

  /** @type {(page: Page, entity: Entity) => HTMLElement[]} */
  function contents(page, { members }) {
    const tools = page.model.readOnly ? [] : [["rename", "Name…"], ["merge", "Merge with…"]];
    const rest = members.length - MEMBERS;
    return [
      element("p", "coding-chain-tools", tools.map(([name, label]) => button("link-button small", label, { dataset: { entity: name } }))),
      element("ul", "workbench-items", members.slice(0, MEMBERS).map((key) => memberItem(page, key))),
      ...(rest > 0 ? [element("p", "muted small", `and ${rest} more`)] : []),
    ];
  }

  filter.addEventListener("input", draw);
  panel.addEventListener("toggle", draw);
  list.addEventListener("click", (event) => {
    const tool = around(event, "button[data-entity]");
    if (tool) {
      handlers.edit(tool.dataset.entity ?? "", chainOf(tool));
    }
  });
  /** @param {Event} event */
  const members = (event) => (event.target instanceof HTMLElement && page?.chains.members.get(chainOf(event.target))) || [];
  list.addEventListener("mouseover", (event) => handlers.light(members(event)));
  list.addEventListener("mouseleave", () => handlers.light([]));
  list.addEventListener("focusin", (event) => handlers.light(members(event)));
  list.addEventListener("focusout", () => handlers.light([]));

  return {
    paint(now) {
      page = now;
      if (panel.open) {
        drawSoon();
      }
    },
  };
}
