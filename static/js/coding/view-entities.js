// The chains of the text as a list: found, named, merged, gone through.
import { element } from "./element.js";
import { entities, filtered } from "./entities.js";
import { chainBadge, memberItem } from "./view-panel.js";

const FIRST = 100; // chains shown before one filters
const MEMBERS = 60; // members shown of an open chain

/**
 * @param {HTMLDetailsElement} panel
 * @param {{light: (keys: string[]) => void, rename: (chain: string) => void, merge: (chain: string) => void}} deeds
 */
export function createEntities(panel, deeds) {
  const list = panel.querySelector("ol");
  const filter = panel.querySelector("input");
  const count = panel.querySelector(".entity-count");
  const none = panel.querySelector(".entity-none");
  const more = panel.querySelector(".entity-more");
  const opened = new Set(); // chains whose members are shown
  let page = null;
  let drawn = null; // what the list was last made from
  let waiting = false;

  function draw() {
    const own = page.chains.of.get(page.current) ?? [];
    const signature = [page.judgements, page.numbers, page.model, filter.value, own.join(" "), page.current];
    if (!panel.open || (drawn && signature.every((one, place) => one === drawn[place]))) {
      return;
    }
    drawn = signature;
    const all = entities(page.model, page.judgements, page.numbers);
    const found = filtered(page.model, all, filter.value);
    const shown = found.filter((entity, place) => place < FIRST || own.includes(entity.chain));
    count.textContent = String(all.length);
    none.hidden = found.length > 0;
    none.textContent = all.length === 0 ? "No chain yet: they appear here from the second member on." : "No chain has these words.";
    more.hidden = shown.length === found.length;
    more.textContent = `${found.length - shown.length} more: filter to find them`;
    const focused = document.activeElement?.closest("#entities [data-chain]")?.dataset;
    const which = document.activeElement?.dataset?.entity ?? document.activeElement?.dataset?.goto;
    list.replaceChildren(...shown.map((entity) => row(entity, own.includes(entity.chain))));
    if (focused) {
      const item = [...list.children].find((one) => one.dataset.chain === focused.chain);
      [...item?.querySelectorAll("button, summary") ?? []]
        .find((one) => (one.dataset.entity ?? one.dataset.goto) === which)?.focus({ preventScroll: true });
    }
  }

  function row(entity, current) {
    const item = element("li", current ? "entity is-current-entity" : "entity");
    item.dataset.chain = entity.chain;
    const details = element("details");
    details.open = opened.has(entity.chain);
    const summary = element("summary");
    summary.dataset.entity = "summary";
    const words = element("span", "words", entity.name || entity.words);
    words.dir = "auto";
    words.title = entity.name ? `${entity.name}: ${entity.words}` : entity.words;
    const size = element("span", "where", String(entity.members.length));
    size.setAttribute("aria-label", `${entity.members.length} members`);
    summary.append(chainBadge(String(entity.number ?? entity.chain.slice(1)), entity.number), words, size);
    details.append(summary);
    details.addEventListener("toggle", () => {
      if (details.open) {
        opened.add(entity.chain);
      } else {
        opened.delete(entity.chain);
      }
      if (details.open && details.children.length === 1) {
        details.append(...inside(entity));
      }
    });
    if (details.open) {
      details.append(...inside(entity));
    }
    item.append(details);
    return item;
  }

  function inside(entity) {
    const tools = element("p", "entity-tools");
    for (const [name, label] of page.model.readOnly ? [] : [["rename", "Name…"], ["merge", "Merge with…"]]) {
      const button = element("button", "link-button small", label);
      button.type = "button";
      button.dataset.entity = name;
      tools.append(button);
    }
    const members = element("ul", "members");
    members.append(...entity.members.slice(0, MEMBERS).map((key) => memberItem(page, key)));
    const rest = entity.members.length - MEMBERS;
    return [tools, members, ...(rest > 0 ? [element("p", "quiet small", `and ${rest} more`)] : [])];
  }

  filter.addEventListener("input", draw);
  panel.addEventListener("toggle", draw);
  list.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-entity]");
    if (button) {
      deeds[button.dataset.entity](button.closest("[data-chain]").dataset.chain);
    }
  });
  const members = (event) => page?.chains.members.get(event.target.closest("[data-chain]")?.dataset.chain) ?? [];
  list.addEventListener("mouseover", (event) => deeds.light(members(event)));
  list.addEventListener("mouseleave", () => deeds.light([]));
  list.addEventListener("focusin", (event) => deeds.light(members(event)));
  list.addEventListener("focusout", () => deeds.light([]));

  return {
    /** After the key has been answered: the list may be long. @param {Page} now */
    paint(now) {
      page = now;
      if (panel.open && !waiting) {
        waiting = true;
        requestAnimationFrame(() => setTimeout(() => {
          waiting = false;
          draw();
        }));
      }
    },
  };
}
