// What each action does. The table of actions says which there are; keys, palette and buttons all come here.
import { ACTIONS, actionsOf } from "./actions.js";
import * as answers from "./answers.js";
import { element } from "./element.js";
import { entities, filtered, merge, nameOf, rename, split } from "./entities.js";
import { destinations, markableAt, matches } from "./search.js";
import { remembered, rememberSize, SIZES } from "./settings.js";
import { deed, step } from "./state.js";
import { announce, chainBadge, describe } from "./view-panel.js";
import { createPicker } from "./view-picker.js";
import { createSearch } from "./view-search.js";

/** @param {any} frame the page, its parts, and what main.js does with them */
export function createCommands(frame) {
  const { page, pane, text, marking, record, refresh, go, say, answerWith } = frame;
  const available = new Set(actionsOf(page.model).map((action) => action.id));
  const byId = (id) => document.getElementById(id);
  const picker = createPicker(byId("picker"));
  let keyList = null;
  const search = createSearch(byId("search-bar"), pane, text, page, go);
  setSize(remembered(ACTIONS).size);

  function nextUndecided(direction) {
    const key = step(page.model.coded, page.current, direction, frame.undecided);
    if (key === null) {
      say("Everything is decided.");
    } else {
      go(key);
    }
  }

  function alongChain(direction) {
    const own = page.chains.of.get(page.current) ?? [];
    const inChain = (one) => (page.chains.of.get(one.key) ?? []).some((chain) => own.includes(chain));
    go(step(page.model.coded, page.current, direction, inChain));
  }

  function accept() {
    const lacking = answers.missing(page.model, page.judgements, page.current);
    if (lacking) {
      say(lacking);
    } else {
      go(step(page.model.coded, page.current, 1));
    }
  }

  function toggle(flag) {
    answerWith(answers.addRemark(page.judgements, page.current, { [flag]: !page.judgements.get(page.current)?.[flag] }));
  }

  function clear() {
    if (page.judgements.has(page.current)) {
      byId("note").value = "";
      record([{ kind: "clear", payload: { markable: page.current } }]);
      refresh();
      announce(page);
    }
  }

  // ---- chains

  /** @param {Plan} plan @param {string} done */
  function carryOut(plan, done) {
    if ("refused" in plan) {
      say(plan.refused);
      return;
    }
    record(plan.changes.map(([key, value]) => deed(key, value)));
    refresh();
    say(done);
  }

  function ownChains() {
    return (page.chains.of.get(page.current) ?? [])
      .filter((chain) => page.model.answers === "indices" || page.chains.members.get(chain).length > 1);
  }

  function badge(entity) {
    return chainBadge(String(entity.number ?? entity.chain.slice(1)), entity.number);
  }

  function inWords(members, changed = []) {
    const sorted = [...members].sort((one, other) => page.model.byKey.get(one).order - page.model.byKey.get(other).order);
    return sorted.slice(0, 40).map((key) => {
      const words = element(changed.includes(key) ? "strong" : "span", "preview-member", describe(page.model, key).words);
      words.dir = "auto";
      return words;
    }).concat(sorted.length > 40 ? [element("span", "quiet", `and ${sorted.length - 40} more`)] : []);
  }

  function describeSize(members) {
    return `${members.length} ${members.length === 1 ? "member" : "members"}`;
  }

  function mergeWith(chain = page.chains.of.get(page.current)?.[0]) {
    if (chain === undefined) {
      say("This one is in no chain.");
      return;
    }
    frame.commitNote();
    const members = page.chains.members.get(chain);
    const others = entities(page.model, page.judgements, page.numbers).filter((entity) => entity.chain !== chain);
    picker.open({
      title: `Merge “${nameOf(page.judgements, members) || describe(page.model, members[0]).words}” with …`,
      placeholder: "words, name or number of a chain",
      none: others.length === 0 ? "There is no other chain yet." : "No chain has these words.",
      choices: (query) => filtered(page.model, others, query).map((entity) => ({
        label: entity.name || entity.words,
        hint: describeSize(entity.members),
        badge: badge(entity),
        preview: () => {
          const plan = merge(page.model, page.judgements, chain, entity.chain);
          const all = [...new Set([...members, ...entity.members])];
          return "refused" in plan ? [element("p", "say", plan.refused)]
            : [element("h3", "", `${all.length} members, one chain`), ...inWords(all, members)];
        },
        run: () => carryOut(merge(page.model, page.judgements, chain, entity.chain), "Merged; undo takes them apart again."),
      })),
    });
  }

  function splitHere() {
    frame.commitNote();
    const all = entities(page.model, page.judgements, page.numbers);
    const choices = ownChains().flatMap((chain) => {
      const entity = all.find((one) => one.chain === chain);
      const from = page.model.byKey.get(page.current).order;
      const later = entity.members.filter((key) => page.model.byKey.get(key).order >= from);
      return [[false, "Only this"], [true, "This and following"]].map(([following, label]) => ({
        label,
        hint: following ? describeSize(later) : "1 member",
        badge: badge(entity),
        preview: () => {
          const plan = split(page.model, page.judgements, chain, page.current, following);
          const apart = following ? later : [page.current];
          return "refused" in plan ? [element("p", "say", plan.refused)]
            : [element("h3", "", "Apart from now on"), ...inWords(apart), element("h3", "", "What stays"),
              ...inWords(entity.members.filter((key) => !apart.includes(key)))];
        },
        run: () => carryOut(split(page.model, page.judgements, chain, page.current, following), "Split; undo puts them together again."),
      }));
    });
    if (choices.length === 0) {
      say("There is no chain here to split.");
      return;
    }
    picker.open({
      title: `Split at “${describe(page.model, page.current).words}”`,
      placeholder: "only this, this and following",
      choices: (query) => choices.filter(({ label }) => label.toLowerCase().includes(query.trim().toLowerCase())),
    });
  }

  function renameChain(chain = ownChains()[0]) {
    if (chain === undefined) {
      say("This one is in no chain yet.");
      return;
    }
    frame.commitNote();
    const members = page.chains.members.get(chain);
    const before = nameOf(page.judgements, members);
    picker.open({
      title: `A name for “${describe(page.model, members[0]).words}”`,
      placeholder: before || "name of the chain",
      choices: (query) => {
        const name = query.trim().slice(0, 200);
        const choice = (label, words) => ({
          label, run: () => carryOut(rename(page.model, page.judgements, members, words), words ? `Named ${words}.` : "The name is gone."),
        });
        return [...(name ? [choice(`Call it “${name}”`, name)] : []), ...(before && !name ? [choice(`Take the name “${before}” away`, "")] : [])];
      },
      none: "Write a name, then press Enter.",
    });
  }

  // ---- finding

  function palette() {
    const actions = actionsOf(page.model).filter(({ id }) => id !== "palette");
    picker.open({
      title: "All actions",
      placeholder: "an action, the number of a markable, or words of the text",
      choices: (query) => {
        const wanted = query.trim().toLowerCase();
        const found = actions.filter(({ label, group }) => `${group} ${label}`.toLowerCase().includes(wanted))
          .map((action) => ({ label: action.label, keys: page.keysOf(action.id), run: () => run(action.id) }));
        return [...found, ...(wanted ? places(query) : [])];
      },
    });
  }

  /** Where words or numbers lead. */
  function places(query) {
    const seen = new Set();
    const inText = query.trim().length > 1 ? matches(page.model.content, query).slice(0, 500) : [];
    const words = inText.flatMap((match) => {
      const key = markableAt(page.model, match);
      if (key === null || seen.has(key)) {
        return [];
      }
      seen.add(key);
      const { words: label, where } = describe(page.model, key);
      return [{ label, hint: where, run: () => go(key) }];
    });
    const numbered = destinations(page.model, query).map(({ label, key }) => ({ label, hint: "go to", run: () => go(key) }));
    return [...numbered, ...words];
  }

  function goTo() {
    picker.open({
      title: "Go to",
      placeholder: "number of a markable, label of a turn, or words",
      choices: places,
      none: "Write the number of a markable, the label of a turn, or words of a markable.",
    });
  }

  // ---- the page

  function setSize(size) {
    document.documentElement.dataset.textSize = size;
  }

  function resize(by) {
    const at = SIZES.indexOf(document.documentElement.dataset.textSize);
    const size = SIZES[Math.min(Math.max(at + by, 0), SIZES.length - 1)];
    setSize(size);
    rememberSize(size);
    refresh();
  }

  function show(id) {
    const panel = byId(id);
    if (panel) {
      panel.open = !panel.open;
      if (panel.open) {
        (panel.querySelector("input") ?? panel.querySelector("[tabindex]"))?.focus();
      }
    }
  }

  async function handIn() {
    frame.commitNote();
    const part = await fetched(() => import("./view-checks.js"));
    part?.openCheckList(page, frame.stateOf().waiting);
  }

  async function keys() {
    const part = await fetched(() => import("./view-keys.js"));
    keyList ??= part?.createKeyList(byId("help"), { all: ACTIONS, shown: actionsOf(page.model) }, frame.chosen);
    keyList?.open();
  }

  /** Parts of the page that are seldom used are loaded when they are asked for. */
  async function fetched(load) {
    try {
      return await load();
    } catch {
      say("This needs the server, which does not answer now.");
      return null;
    }
  }

  const does = {
    "next-undecided": () => nextUndecided(1),
    "previous-undecided": () => nextUndecided(-1),
    "next": () => go(step(page.model.coded, page.current, 1)),
    "previous": () => go(step(page.model.coded, page.current, -1)),
    "first": () => go(page.model.coded[0].key),
    "last": () => go(page.model.coded.at(-1).key),
    "next-in-chain": () => alongChain(1),
    "previous-in-chain": () => alongChain(-1),
    "search": search.open,
    "go-to": goTo,
    accept,
    "unsure": () => toggle("unsure"),
    "optional": () => toggle("optional"),
    "note": () => byId("note").focus(),
    clear,
    "undo": () => frame.retrace(false),
    "redo": () => frame.retrace(true),
    "merge": () => mergeWith(),
    "split": splitHere,
    "rename": () => renameChain(),
    "entities": () => show("entities"),
    palette,
    "help": keys,
    "release": () => {
      frame.release();
      say("Tab leaves the text now.");
    },
    "guidelines": () => show("guidelines"),
    "larger": () => resize(1),
    "smaller": () => resize(-1),
    "hand-in": handIn,
  };
  const ANYWHERE = ["undo", "redo", "search", "entities", "mark", "palette", "help", "release", "guidelines", "larger", "smaller", "hand-in"];

  /**
   * @param {string} id of an action @param {{further?: boolean}} [how]
   * @returns {boolean} false: this text and scheme have no use for it
   */
  function run(id, { further = false } = {}) {
    if (!available.has(id)) {
      return false;
    }
    if (page.current === null && !ANYWHERE.includes(id)) {
      return true;
    }
    const category = /^category-(\d+)$/.exec(id);
    const candidate = /^candidate-(.)$/.exec(id);
    if (category) {
      answerWith(answers.chooseCategory(page.model, page.judgements, page.current, page.model.categories[category[1] - 1].key));
    } else if (candidate) {
      answerWith(answers.pressLetter(page.model, page.judgements, page.current, candidate[1], further));
    } else {
      (does[id] ?? marking.does[id])();
    }
    return true;
  }

  return { run, rename: renameChain, merge: mergeWith };
}
