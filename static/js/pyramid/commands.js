// What each action does. The table of actions says which there are; keys, palette, buttons and drops all come here.
import { element } from "../coding/element.js";
import { matches } from "../coding/search.js";
import { remembered, rememberedLayout, rememberLayout, rememberSize, SIZES } from "../coding/settings.js";
import { createPicker } from "../coding/view-picker.js";
import { ACTIONS, actionsOf } from "./actions.js";
import * as edits from "./edits.js";
import { filtered, nameOf } from "./state.js";
import { lineBeside, tier } from "./view-words.js";
import { beside, extended, inSummary, nextFree, run } from "./words.js";

export const KEYS = "coindex-pyramid-keys"; // under which chosen keys are remembered

/** @param {any} frame the page, its parts, and what main.js does with them */
export function createCommands(frame) {
  const { page, view, pane, fields, carry, refresh, select, say, check } = frame;
  const { model } = page;
  const available = new Set(actionsOf(model).map((action) => action.id));
  const byId = (id) => document.getElementById(id);
  const picker = createPicker(byId("picker"));
  let keyList = null;
  const text = byId("text");
  document.documentElement.dataset.textSize = remembered(ACTIONS, KEYS).size;
  text.dataset.layout = rememberedLayout();

  // ---- words

  function goTo(place) {
    if (place !== null) {
      page.cursor = place;
      page.anchor = place;
      page.mouse = false;
      frame.walked();
    }
  }

  function extendTo(place) {
    page.cursor = place;
    page.mouse = false;
    frame.walked();
  }

  function free(direction) {
    const place = nextFree(model, page.seen, page.cursor, direction);
    if (place === null) {
      say("Every word is marked.");
    } else {
      goTo(place);
    }
  }

  /** The words of a contributor come into sight, and its SCU is the selected one. */
  function take(key, scu) {
    const one = page.seen.byKey.get(key);
    page.cursor = one.places.at(-1) ?? page.cursor;
    page.anchor = page.cursor;
    select(scu ?? (one.scus.includes(page.scu) ? page.scu : one.scus[0] ?? null), key);
  }

  /** The contributor of a word; of several the next, when it is asked for again. */
  function takeUp() {
    const all = page.seen.of[page.cursor] ?? [];
    if (all.length === 0) {
      say("This word is in no SCU.");
      return;
    }
    const ways = all.flatMap((one) => (one.scus.length > 0 ? one.scus.map((scu) => [one.key, scu]) : [[one.key, null]]));
    const at = ways.findIndex(([key, scu]) => key === page.contributor && scu === page.scu);
    const [key, scu] = ways[(at + 1) % ways.length];
    select(scu, key);
  }

  function walkScus(direction) {
    const shown = page.shown;
    if (shown.length === 0) {
      say("There is no SCU to go to.");
      return;
    }
    const at = shown.findIndex((one) => one.key === page.scu);
    const to = at < 0 ? (direction > 0 ? 0 : shown.length - 1) : (at + direction + shown.length) % shown.length;
    select(shown[to].key, null);
  }

  function walkContributors(direction) {
    const all = page.seen.scus.get(page.scu)?.contributors ?? (page.contributor ? page.seen.loose : []);
    if (all.length === 0) {
      say("Select an SCU that has contributors.");
      return;
    }
    const at = all.findIndex((one) => one.key === page.contributor);
    take(all[at < 0 ? (direction > 0 ? 0 : all.length - 1) : (at + direction + all.length) % all.length].key);
  }

  // ---- marking

  const words = () => run(page.anchor, page.cursor);
  const state = () => page.state;
  const withScu = (then) => (page.scu ? then(page.scu) : say("Select an SCU first: j and k walk them, f finds one."));
  const withOne = (then) => (page.contributor === null
    ? say("Select a contributor first: click its words, or press Enter on one of them.") : then(page.contributor));

  function newScu(selected = words()) {
    const fresh = edits.newKey(crypto);
    if (carry(edits.makeScu(model, state(), selected, fresh), "A new SCU. Give it a label.")) {
      write(fields.label);
    }
  }

  function contribute(scu, selected = words()) {
    carry(edits.contribute(model, state(), selected, scu), "Added.");
  }

  function takeOut() {
    const [first, last] = words();
    const holding = (one) => one.places.some((place) => first <= place && place <= last);
    const own = page.contributor !== null && holding(page.seen.byKey.get(page.contributor)) ? [page.contributor]
      : page.seen.contributors.filter(holding).map((one) => one.key);
    if (own.length === 1) {
      carry(edits.takeOut(model, state(), own[0], [first, last]), "Taken out.");
    } else {
      say(own.length === 0 ? "These words are in no contributor." : "These words are in several contributors: select one first.");
    }
  }

  function badge(scu) {
    return element("span", `chain-badge ${tier(scu.weight)}`, String(page.numberOf(scu.key)));
  }

  function pickScu({ title, none, except, preview, run: chosen }) {
    picker.open({
      title, none, placeholder: "words of its label or contributors, or its number",
      choices: (query) => filtered(page.seen.order.filter((one) => one.key !== except && !one.gone), query, page.numberOf).map((scu) => ({
        label: nameOf(scu), badge: badge(scu), hint: `weight ${scu.weight}`, preview: preview && (() => preview(scu)), run: () => chosen(scu),
      })),
    });
  }

  const wordsList = (all) => all.map((one) => {
    const words_ = element("span", "preview-member", one.words);
    words_.dir = "auto";
    return words_;
  });

  function move(key) {
    const one = page.seen.byKey.get(key);
    const from = one.scus.includes(page.scu) ? page.scu : one.scus[0] ?? "";
    pickScu({
      title: `Move “${one.words}” to …`, except: from, none: "No other SCU has these words.",
      preview: (scu) => {
        const why = check(edits.moveTo(model, state(), key, from, scu.key));
        return why ? [element("p", "say", why)] : wordsList([...scu.contributors, one]);
      },
      run: (scu) => carry(edits.moveTo(model, state(), key, from, scu.key), "Moved."),
    });
  }

  function merge(from) {
    const scu = page.seen.scus.get(from);
    pickScu({
      title: `Merge “${nameOf(scu)}” into …`, except: from, none: "No other SCU has these words.",
      preview: (into) => {
        const edit = edits.merge(model, state(), from, into.key);
        const why = check(edit);
        if (why) {
          return [element("p", "say", why)];
        }
        const merged = edits.after(model, state(), edit.deeds).scus.get(into.key);
        const size = `${merged.contributors.length} ${merged.contributors.length === 1 ? "contributor" : "contributors"}, weight ${merged.weight}`;
        return [element("h3", "", size), ...wordsList(merged.contributors)];
      },
      run: (into) => carry(edits.merge(model, state(), from, into.key), "Merged; undo takes them apart again."),
    });
  }

  function choose(key) {
    page.chosen = new Set(page.chosen);
    if (!page.chosen.delete(key)) {
      page.chosen.add(key);
    }
    refresh();
  }

  function split(scu) {
    const keys = page.chosen.size > 0 ? [...page.chosen] : [page.contributor].filter(Boolean);
    if (carry(edits.split(model, state(), scu, keys, edits.newKey(crypto)), "Split off; give it a label.")) {
      write(fields.label);
    }
  }

  function remove(key, scu) {
    const one = page.seen.byKey.get(key);
    const from = scu ?? (one.scus.includes(page.scu) ? page.scu : one.scus[0] ?? "");
    carry(edits.removeContributor(model, state(), key, from), `“${one.words}” is deleted; undo brings it back.`);
  }

  function write(field) {
    if (field.isConnected && field.checkVisibility()) {
      field.focus();
      field.select();
    }
  }

  async function takeTheirs() {
    (await fetched(() => import("./view-others.js")))?.pickTheirs({ page, picker, carry, state });
  }

  // ---- finding

  function found(query) {
    const wanted = query.trim();
    const scus = wanted ? filtered(page.seen.order, query, page.numberOf).slice(0, 20).map((scu) => ({
      label: nameOf(scu), badge: badge(scu), hint: `weight ${scu.weight}`, run: () => select(scu.key, null),
    })) : [];
    const spans = wanted.length > 1 ? matches(model.content, query).slice(0, 200) : [];
    const places = spans.flatMap(([start, end]) => {
      const first = model.words.findIndex((word) => model.toUnits(word.end) > start);
      const last = model.words.findLastIndex((word) => model.toUnits(word.start) < end);
      const summary = model.summaries[model.words[first]?.summary];
      if (first < 0 || last < first || !summary) {
        return [];
      }
      const context = [Math.max(first - 2, summary.words[0]), Math.min(last + 4, summary.words[1])];
      return [{ label: page.wordsOf(context), hint: summary.name, run: () => goTo(first) }];
    });
    return [...scus, ...places];
  }

  function palette() {
    const actions = actionsOf(model).filter(({ id }) => id !== "palette");
    picker.open({
      title: "All actions", placeholder: "an action, or words of the text or of an SCU",
      choices: (query) => {
        const wanted = query.trim().toLowerCase();
        return [...actions.filter(({ label, group }) => `${group} ${label}`.toLowerCase().includes(wanted))
          .map((action) => ({ label: action.label, keys: page.keysOf(action.id), run: () => act(action.id) })), ...found(query)];
      },
    });
  }

  // ---- the page

  function resize(by) {
    const size = SIZES[Math.min(Math.max(SIZES.indexOf(document.documentElement.dataset.textSize) + by, 0), SIZES.length - 1)];
    document.documentElement.dataset.textSize = size;
    rememberSize(size);
  }

  function layout() {
    text.dataset.layout = text.dataset.layout === "rows" ? "columns" : "rows";
    rememberLayout(text.dataset.layout);
    say(text.dataset.layout === "rows" ? "One below the other." : "Side by side.");
    refresh();
  }

  function guidelines() {
    const panel = byId("guidelines");
    if (panel) {
      panel.open = !panel.open;
    }
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
    "next-free": () => free(1),
    "previous-free": () => free(-1),
    "next-word": () => goTo(beside(model, page.cursor, 1)),
    "previous-word": () => goTo(beside(model, page.cursor, -1)),
    "line-down": () => goTo(lineBeside(view, model, page.cursor, 1)),
    "line-up": () => goTo(lineBeside(view, model, page.cursor, -1)),
    "first-word": () => goTo(extended(model, page.cursor, 0, 0)),
    "last-word": () => goTo(extended(model, page.cursor, model.words.length, 0)),
    "next-summary": () => goTo(inSummary(model, page.cursor, 1)),
    "previous-summary": () => goTo(inSummary(model, page.cursor, -1)),
    "next-scu": () => walkScus(1),
    "previous-scu": () => walkScus(-1),
    "next-contributor": () => walkContributors(1),
    "previous-contributor": () => walkContributors(-1),
    "take-up": takeUp,
    "search": () => picker.open({
      title: "Search", placeholder: "words of the text or of an SCU", choices: found, none: "Write words of the text or of an SCU.",
    }),
    "filter": () => {
      const field = byId("scu-filter");
      field.focus();
      field.select();
    },
    "extend-on": () => extendTo(extended(model, page.anchor, page.cursor, 1)),
    "extend-back": () => extendTo(extended(model, page.anchor, page.cursor, -1)),
    "extend-down": () => extendTo(extended(model, page.anchor, lineBeside(view, model, page.cursor, 1), 0)),
    "extend-up": () => extendTo(extended(model, page.anchor, lineBeside(view, model, page.cursor, -1), 0)),
    "new-scu": () => newScu(),
    "contribute": () => withScu((scu) => contribute(scu)),
    "outside": () => carry(edits.markOutside(model, state(), words()), "Marked as no SCU of the pyramid."),
    "part": () => withOne((key) => carry(edits.addPart(model, state(), key, words()), "A further part.")),
    "take-out": takeOut,
    "move": () => withOne(move),
    "delete": () => withOne((key) => remove(key)),
    "label": () => withScu(() => write(fields.label)),
    "comment": () => withScu(() => fields.comment.focus()),
    "merge": () => withScu(merge),
    "choose": () => withOne(choose),
    "split": () => withScu(split),
    "delete-scu": () => withScu((scu) => carry(edits.removeScu(model, state(), scu), "The SCU is deleted; undo brings it back.")),
    "take-theirs": takeTheirs,
    "undo": () => frame.retrace(false),
    "redo": () => frame.retrace(true),
    palette,
    "help": async () => {
      const part = await fetched(() => import("../coding/view-keys.js"));
      keyList ??= part?.createKeyList(byId("help"), { all: ACTIONS, shown: actionsOf(model), place: KEYS }, frame.chosen);
      keyList?.open();
    },
    "release": () => {
      page.anchor = page.cursor;
      page.clash = new Set();
      refresh();
      frame.release();
      say("Tab leaves the text now.");
    },
    guidelines,
    layout,
    "larger": () => resize(1),
    "smaller": () => resize(-1),
    "hand-in": async () => {
      frame.commitFields();
      (await fetched(() => import("./view-checks.js")))?.openCheckList(page, frame.waiting());
    },
  };

  /** @param {string} id of an action @returns {boolean} false: this page has no use for it */
  function act(id) {
    if (!available.has(id)) {
      return false;
    }
    const digit = /^scu-(\d)$/.exec(id)?.[1];
    if (model.words.length === 0 && !ANYWHERE.includes(id)) {
      return true;
    }
    if (digit) {
      const scu = page.shown[digit - 1];
      if (scu) {
        contribute(scu.key);
      } else {
        say(`The list has no SCU ${digit}.`);
      }
    } else {
      does[id]();
    }
    return true;
  }

  // ---- drops

  /** What a drop would do. @param {any} dragged @param {DOMStringMap} target */
  function dropped(dragged, { drop, scu }) {
    if (drop === "scu" && dragged.kind === "words") {
      return edits.contribute(model, state(), words(), scu);
    }
    if (drop === "scu" && dragged.kind === "contributor") {
      return edits.moveTo(model, state(), dragged.key, dragged.scu, scu);
    }
    if (drop === "scu" && dragged.kind === "scu" && !model.peer && dragged.scu !== scu) {
      return edits.merge(model, state(), dragged.scu, scu);
    }
    if (drop === "new" && dragged.kind === "words") {
      return edits.makeScu(model, state(), words(), "new");
    }
    if (drop === "new" && dragged.kind === "contributor" && dragged.scu) {
      return edits.split(model, state(), dragged.scu, [dragged.key], "new");
    }
    if (drop === "outside" && dragged.kind === "words") {
      return edits.markOutside(model, state(), words());
    }
    if (drop === "outside" && dragged.kind === "contributor") {
      return edits.toOutside(model, state(), dragged.key);
    }
    return { refused: "This does not go here." };
  }

  return {
    act, take, takeUp, remove, choose,
    why: (dragged, target) => check(dropped(dragged, target)),
    drop(dragged, target) {
      if (target.drop === "new" && dragged.kind === "words") {
        newScu();
      } else if (target.drop === "new" && dragged.kind === "contributor" && dragged.scu) {
        page.chosen = new Set([dragged.key]);
        split(dragged.scu);
      } else {
        // The list stays as it is under the hand: what was dropped onto does not unfold.
        const edit = dropped(dragged, target);
        const { scu, ...rest } = edit;
        carry(dragged.kind === "scu" && dragged.scu === page.scu ? edit : rest, "Done; undo takes it back.", false);
      }
    },
  };
}

const ANYWHERE = ["search", "filter", "palette", "help", "release", "guidelines", "layout", "larger", "smaller", "hand-in", "undo", "redo"];
