// Everything around the text: the panel at the side, progress, what is said to the ear.
import { look } from "./chains.js";
import { element } from "./element.js";
import { nameOf } from "./entities.js";
import { ariaKeys, caps } from "./keys.js";
import { categoryOf } from "./state.js";
import { badgeLabels } from "./view-text.js";

const FIRST = 24; // candidates shown before one asks for all
const AROUND = 20; // members of the chain shown before and after the current one

const byId = (id) => document.getElementById(id);

/** @param {Bindings} bound */
export function buildPanel(model, bound) {
  const empty = model.coded.length === 0;
  const marks = model.marking.length > 0;
  byId("no-markables").hidden = !empty || marks;
  byId("mark-first").hidden = !empty || !marks;
  byId("panel").hidden = empty;
  document.body.classList.toggle("is-read-only", model.readOnly);
  byId("categories").replaceChildren(...model.categories.map((category, place) => {
    const button = element("button", "choice");
    button.type = "button";
    button.dataset.category = category.key;
    button.disabled = model.readOnly;
    wear(button, bound.keys.get(`category-${place + 1}`) ?? []);
    button.append(element("span", "", category.label));
    return button;
  }));
  document.querySelectorAll("[data-do]").forEach((button) => {
    const keys = bound.keys.get(button.dataset.do) ?? [];
    const title = button.dataset.title ?? button.textContent.trim();
    button.title = keys.length > 0 ? `${title} (${caps(keys[0]).join("+")})` : title;
    if (keys.length > 0) {
      button.setAttribute("aria-keyshortcuts", keys.map(ariaKeys).join(" "));
    } else {
      button.removeAttribute("aria-keyshortcuts");
    }
  });
  document.querySelectorAll("[data-for]").forEach((one) => {
    one.hidden = !{ marks, chains: model.answers !== "categories", optional: model.categories.some((each) => each.takes_optional) }[one.dataset.for];
  });
  paintHints(model, bound, empty && !marks);
  byId("unsure").disabled = model.readOnly;
  byId("optional").disabled = model.readOnly;
  byId("note").readOnly = model.readOnly;
}

/** Show the first key of a control on it, and tell all of them. */
function wear(button, keys) {
  if (keys.length > 0) {
    button.setAttribute("aria-keyshortcuts", keys.map(ariaKeys).join(" "));
    button.append(element("kbd", "", caps(keys[0]).join("+")));
  }
}

function paintHints(model, bound, empty) {
  const chains = model.answers !== "categories";
  const reading = [["next-undecided", "next undecided"], ["next", "next"], ...(chains ? [["next-in-chain", "along the chain"]] : [])];
  const writing = [
    ["next-undecided", "next undecided"],
    ...(chains ? [["candidate-a", "to"], ["candidate-l", model.answers === "indices" ? "take the index, Shift adds one" : "point, Shift adds one"]] : []),
    ["accept", "accept"],
    ["undo", "undo"],
    ...(model.marking.length > 0 ? [["mark", "mark words"]] : []),
  ];
  const hints = [...(model.readOnly ? reading : writing), ["search", "search"], ["palette", "all actions"], ["release", "frees Tab"], ["help", "keys"]];
  byId("hints").replaceChildren(...(empty ? [] : hints.filter(([id]) => bound.keys.get(id)?.length > 0).map(([id, does]) => {
    const hint = element("span");
    hint.append(...caps(bound.keys.get(id)[0]).map((cap) => element("kbd", "", cap)), ` ${does}`);
    return hint;
  })));
}

/** What to call a markable in a list, and where it is. */
export function describe(model, key) {
  const markable = model.byKey.get(key);
  const block = model.blocks.find((one) => one.start <= markable.start && markable.start <= one.end);
  const where = block ? `${block.label} ${block.speaker}`.trim() : "";
  return { words: markable.words || markable.label || "∅", where };
}

/** @param {boolean} all whether to list every candidate */
export function paintPanel(page, all) {
  const { model, judgements, current } = page;
  const done = page.decided;
  const total = model.coded.length;
  byId("progress").max = Math.max(total, 1);
  byId("progress").value = done;
  byId("progress").classList.toggle("done", total > 0 && done === total);
  byId("progress-text").textContent = `${done} of ${total} decided`;
  if (current === null) {
    return;
  }
  const { words, where } = describe(model, current);
  const value = judgements.get(current);
  byId("words").textContent = words;
  byId("words").title = words;
  byId("position").textContent = `${model.coded.findIndex((one) => one.key === current) + 1} of ${total}`;
  byId("place").textContent = where;
  for (const button of byId("categories").children) {
    button.setAttribute("aria-pressed", String(button.dataset.category === value?.category));
  }
  keepingFocus(() => {
    paintCandidates(page, all);
    paintChain(page);
  });
  byId("unsure").checked = value?.unsure ?? false;
  byId("optional").checked = value?.optional ?? false;
  byId("own-tools").hidden = !model.byKey.get(current).own || model.marking.length === 0;
  const note = byId("note");
  if (document.activeElement !== note) {
    note.value = value?.note ?? "";
  }
  byId("undo").disabled = page.history.done.length === 0 && page.history.whole;
  byId("redo").disabled = page.history.undone.length === 0 && page.history.whole;
  byId("clear").disabled = !value;
}

/** The lists are written anew; who works them by keyboard stays on the same entry. */
function keepingFocus(paint) {
  const { id, dataset } = document.activeElement?.closest(".side button") ?? { dataset: {} };
  paint();
  const { target, index, goto } = dataset;
  if (!id && (target || goto)) {
    [...document.querySelectorAll(".candidate, .member")]
      .find((one) => one.dataset.target === target && one.dataset.index === index && one.dataset.goto === goto)
      ?.focus({ preventScroll: true });
  }
}

function paintCandidates(page, all) {
  const { model, judgements, current, candidates } = page;
  const section = byId("candidates-section");
  const category = categoryOf(model, judgements.get(current)?.category);
  section.hidden = model.answers === "categories";
  if (section.hidden) {
    return;
  }
  const own = judgements.get(current)?.indices.join(", ") ?? "";
  const given = judgements.get(current)?.[model.answers === "indices" ? "indices" : "pointers"].length ?? 0;
  const noun = model.answers === "indices" ? ["Entity", "entities"] : ["Antecedent", "antecedents"];
  byId("candidates-title").textContent = given > 1 ? `Ambiguous: ${given} ${noun[1]} ${own}`.trim() : `${noun[0]} ${own}`.trim();
  section.classList.toggle("quiet", Boolean(category) && !category.points_to && !category.takes_index);
  // What is chosen stays in sight, however far down it is.
  const shown = all ? candidates : candidates.filter((candidate, place) => place < FIRST || candidate.chosen);
  byId("candidates").replaceChildren(...shown.map((candidate) => {
    const button = row(page, "candidate", candidate.key, candidate.letter && page.keyOf(`candidate-${candidate.letter}`));
    button.dataset.target = candidate.key;
    button.disabled = model.readOnly;
    button.setAttribute("aria-pressed", String(candidate.chosen));
    if (candidate.index !== null) {
      button.dataset.index = candidate.index;
    }
    if (candidate.letter !== null) {
      button.setAttribute("aria-keyshortcuts", page.keysOf(`candidate-${candidate.letter}`).map(ariaKeys).join(" "));
    }
    const labels = candidate.index !== null
      ? [{ text: candidate.index, number: page.numbers.byChain.get(`#${candidate.index}`) }]
      : badgeLabels(page.numbers.byMember.get(candidate.key) ?? []);
    button.append(...labels.map(({ text, number }) => chainBadge(text, number)));
    const item = element("li");
    item.append(button);
    return item;
  }));
  const more = byId("more");
  more.hidden = shown.length === candidates.length;
  more.textContent = `Show all ${candidates.length}`;
  const none = byId("no-candidates");
  none.hidden = candidates.length > 0;
  none.textContent = model.answers === "indices"
    ? "No entity yet. Begin one with the category."
    : "Nothing before this one can be pointed to.";
}

function paintChain(page) {
  const { model, current, numbers } = page;
  const chains = (page.chains.of.get(current) ?? []).filter((chain) => page.chains.members.get(chain).length > 1);
  byId("chain-section").hidden = chains.length === 0;
  const members = [...new Set(chains.flatMap((chain) => page.chains.members.get(chain)))]
    .sort((one, other) => model.byKey.get(one).order - model.byKey.get(other).order);
  const names = (numbers.byMember.get(current) ?? []).join(", ");
  const called = chains.map((chain) => nameOf(page.judgements, page.chains.members.get(chain))).filter(Boolean).join(", ");
  byId("chain-title").textContent = `${chains.length > 1 ? "Chains" : "Chain"} ${names}: ${members.length} members`;
  byId("chain-name").textContent = called;
  byId("chain-name").hidden = called === "";
  const first = Math.max(0, members.indexOf(current) - AROUND);
  byId("members").replaceChildren(...members.slice(first, first + 2 * AROUND).map((key) => memberItem(page, key)));
}

/** A list entry that leads to a markable. @param {string} [hint] what else to say of it */
export function memberItem(page, key, hint = "") {
  const button = row(page, "member", key, undefined, hint);
  button.dataset.goto = key;
  if (key === page.current) {
    button.setAttribute("aria-current", "true");
  }
  const item = element("li");
  item.append(button);
  return item;
}

function row({ model }, className, key, letter, hint = "") {
  const { words, where } = describe(model, key);
  const button = element("button", className);
  button.type = "button";
  if (letter !== undefined) {
    button.append(letter === null ? element("span", "no-key") : element("kbd", "", letter));
  }
  const text = element("span", "words", words);
  text.lang = model.language;
  text.dir = model.direction;
  text.title = words;
  button.append(text, element("span", "where", [hint, where].filter(Boolean).join(" · ")));
  return button;
}

/** @param {string} text @param {number|null|undefined} number of the chain */
export function chainBadge(text, number) {
  return element("span", `chain-badge${number === undefined || number === null ? "" : ` chain-${look(number).colour}`}`, text);
}

/**
 * @param {string} [prefix] what just happened, before what is now
 * @param {boolean} [alone] nothing after it
 */
export function announce(page, prefix = "", alone = false) {
  const { model, judgements, current } = page;
  if (current === null || alone) {
    byId("announce").textContent = prefix;
    return;
  }
  const value = judgements.get(current);
  const category = categoryOf(model, value?.category);
  const to = model.answers === "indices"
    ? (value?.indices ?? []).map((index) => `entity ${index}`)
    : (value?.pointers ?? []).map((key) => describe(model, key).words);
  byId("announce").textContent = [
    prefix,
    `${describe(model, current).words}, ${byId("position").textContent}`,
    category ? [category.label, ...to].join(", ") : "undecided",
    to.length > 1 ? "ambiguous" : "",
    value?.unsure ? "unsure" : "",
  ].filter(Boolean).join(". ");
}
