// What each action does. The table of actions says which there are; keys, palette, buttons and drops all come here.
import { createCommands, createPart, loadPart } from "../workbench/commands.js";
import { byId } from "../workbench/dom/element.js";
import { combination } from "../workbench/keys/keys.js";
import { local, read, write as store } from "../workbench/settings.js";
import { nextPlace } from "../workbench/table.js";
import { ACTIONS, actionsOf } from "./actions.js";
import * as edits from "./edits/edits.js";
import { buildPanel } from "./view/panel.js";
import { lineBeside } from "./view/words.js";
import { extendSelection, neighbourWord, nextFree, run, wordOfSummary } from "./text/words.js";
/** @import { Contributor, Direction, Dragged, Edit, Frame, Handlers, PyramidEditor, Sync } from "./types.js" */

export const KEYS = "coindex-pyramid-keys"; // under which chosen keys are stored
const LAYOUT = "coindex-summaries"; // under which is stored how the summaries stand

/** The one beside that of a key, in a circle. @type {<T extends { key: string }>(all: T[], key: string | null, direction: Direction) => T | undefined} */
const besideOf = (all, key, direction) => all[nextPlace(all.length, all.findIndex((item) => item.key === key), direction, () => true)];

/** @param {Frame} frame @param {PyramidEditor} editor @param {Sync} sync */
export function createPyramidCommands(frame, editor, sync) {
  const { page, keyboard, view, list: { fields }, refresh, select, say } = frame;
  const { perform, check } = editor;
  const { model } = page;
  const text = byId("text");
  const { define, run: runAction, picker } = createCommands({
    actions: ACTIONS, available: actionsOf(model), frame, place: KEYS, sync, undo: editor.undo, commit: editor.commitFields,
    idle: () => model.words.length === 0, subject: () => page.contributor, checks: () => import("./view/checks.js"),
    search: {
      placeholder: "an action, or words of the text or of an SCU",
      load: async () => (await import("./dialogs.js")).createPlaces(frame, goTo),
    },
    relabel: () => buildPanel(model, keyboard),
  });
  text.dataset.layout = read(local, LAYOUT) === "rows" ? "rows" : "columns";

  const dialogs = createPart(async () => (await import("./dialogs.js")).createDialogs(frame, editor, picker, homeOf), frame);

  // ---- words

  /** @param {number | null} place */
  function goTo(place) {
    if (place !== null) {
      page.anchor = place;
      extendTo(place);
    }
  }

  /** @param {number} place */
  function extendTo(place) {
    page.cursor = place;
    page.mouse = false;
    frame.walked();
  }

  /** @param {Direction} direction */
  function free(direction) {
    const place = nextFree(model, page.pyramid, page.cursor, direction);
    return place === null ? say("Every word is marked.") : goTo(place);
  }

  /** The words of a contributor come into sight, and its SCU is the selected one. @type {(key: string, scu?: string | null) => void} */
  function take(key, scu) {
    const contributor = page.pyramid.byKey.at(key);
    page.cursor = contributor.places.at(-1) ?? page.cursor;
    page.anchor = page.cursor;
    select(scu ?? homeOf(contributor) ?? null, key);
  }

  /** The SCU that a contributor is looked at in: the selected one, or the first. @param {Contributor} contributor */
  const homeOf = (contributor) => (page.scu !== null && contributor.scus.includes(page.scu) ? page.scu : contributor.scus.at(0));

  /** The contributor of a word; of several the next, when it is asked for again. */
  function takeUp() {
    const all = page.pyramid.of[page.cursor] ?? [];
    if (all.length === 0) {
      return say("This word is in no SCU.");
    }
    /** @type {[key: string, scu: string | null][]} */
    const ways = all.flatMap((contributor) => (contributor.scus.length > 0 ? contributor.scus : [null]).map((scu) => /** @type {[string, string | null]} */ ([contributor.key, scu])));
    const at = ways.findIndex(([key, scu]) => key === page.contributor && scu === page.scu);
    const [key, scu] = ways[(at + 1) % ways.length];
    return select(scu, key);
  }

  /** @param {Direction} direction */
  function walkScus(direction) {
    const to = besideOf(page.shown, page.scu, direction);
    return to ? select(to.key, null) : say("No SCU to go to.");
  }

  /** @param {Direction} direction */
  function walkContributors(direction) {
    const all = page.pyramid.scus.get(page.scu ?? "")?.contributors ?? (page.contributor ? page.pyramid.loose : []);
    const to = besideOf(all, page.contributor, direction);
    return to ? take(to.key) : say("Select an SCU that has contributors.");
  }

  // ---- marking

  const words = () => run(page.anchor, page.cursor);
  const state = () => page.state;
  /** @param {(scu: string) => unknown} then */
  const withScu = (then) => (page.scu ? then(page.scu) : say("Select an SCU first: j and k move through the list, f filters it."));
  const withOne = (/** @type {(contributor: string) => unknown} */ then) => (page.contributor === null
    ? say("Select a contributor first: click its words, or press Enter on one of them.") : then(page.contributor));

  function newScu() {
    if (perform(edits.makeScu(model, state(), words(), edits.newKey(crypto)), "SCU created. Enter a label.")) {
      write(fields.label);
    }
  }

  const contribute = (/** @type {string} */ scu) => perform(edits.contribute(model, state(), words(), scu), "Added.");

  let typed = ""; // digits of the number of an SCU, as long as longer numbers begin with them

  /** @param {number} digit */
  function typeDigit(digit) {
    typed += digit;
    const numbers = page.pyramid.order.map(({ key }) => String(page.numberOf(key)));
    if (numbers.some((number) => number.length > typed.length && number.startsWith(typed))) {
      say(numbers.includes(typed) ? `SCU ${typed}: press Enter, or the next digit of its number.` : `SCU ${typed}…: press the next digit.`);
    } else {
      takeTyped();
    }
  }

  /** Add the words to the SCU whose number is typed. */
  function takeTyped() {
    const scu = typed && page.pyramid.order.find(({ key }) => String(page.numberOf(key)) === typed);
    if (scu) {
      contribute(scu.key);
    } else if (typed) {
      say(`There is no SCU ${typed}.`);
    }
    typed = "";
  }

  /** What a key does while a number is typed; null: what it always does. @type {(event: KeyboardEvent, inText: boolean, action: string | undefined) => boolean | null} */
  function goOnTyping(event, _, action) {
    if (!typed || action?.startsWith("scu-") || combination(event) === null) {
      return null;
    }
    if (event.key === "Escape" || event.key === "Backspace") {
      typed = "";
      say("");
      return true;
    }
    takeTyped();
    return event.key === "Enter" ? true : null;
  }

  function takeOut() {
    const [first, last] = words();
    const holding = (/** @type {Contributor} */ contributor) => contributor.places.some((place) => first <= place && place <= last);
    const own = page.contributor !== null && holding(page.pyramid.byKey.at(page.contributor)) ? [page.contributor]
      : page.pyramid.contributors.filter(holding).map((contributor) => contributor.key);
    if (own.length === 1) {
      perform(edits.takeOut(model, state(), own[0], words()), "Removed.");
    } else {
      say(own.length === 0 ? "These words are in no contributor." : "These words are in several contributors: select one first.");
    }
  }

  /** Choose a contributor for splitting, or not. @param {string} key */
  function choose(key) {
    page.chosen = new Set(page.chosen);
    if (!page.chosen.delete(key)) {
      page.chosen.add(key);
    }
    refresh();
  }

  /** @param {string} scu */
  function split(scu) {
    const keys = page.chosen.size > 0 || page.contributor === null ? [...page.chosen] : [page.contributor];
    if (perform(edits.split(model, state(), scu, keys, edits.newKey(crypto)), "Split. Enter a label.")) {
      write(fields.label);
    }
  }

  /** @type {(key: string, scu?: string) => void} */
  function remove(key, scu) {
    const contributor = page.pyramid.byKey.at(key);
    const from = scu ?? homeOf(contributor) ?? "";
    perform(edits.removeContributor(model, state(), key, from), `“${contributor.words}” deleted. Undo restores it.`);
  }

  /** @param {HTMLTextAreaElement | HTMLInputElement} field */
  function write(field) {
    if (field.isConnected && field.checkVisibility()) {
      field.focus();
      field.select();
    }
  }

  const loadOthers = () => loadPart(() => import("./view/others.js"), frame);

  // ---- the page

  function layout() {
    const rows = text.dataset.layout !== "rows";
    const name = rows ? "rows" : "columns";
    text.dataset.layout = name;
    store(local, LAYOUT, name);
    say(rows ? "Stacked." : "Side by side.");
    refresh();
  }

  /** @type {Handlers} */
  const handlers = {
    "next-free": () => free(1),
    "previous-free": () => free(-1),
    "next-word": () => goTo(neighbourWord(model, page.cursor, 1)),
    "previous-word": () => goTo(neighbourWord(model, page.cursor, -1)),
    "line-down": () => goTo(lineBeside(view, model, page.cursor, 1)),
    "line-up": () => goTo(lineBeside(view, model, page.cursor, -1)),
    "first-word": () => goTo(extendSelection(model, page.cursor, 0, 0)),
    "last-word": () => goTo(extendSelection(model, page.cursor, model.words.length, 0)),
    "next-summary": () => goTo(wordOfSummary(model, page.cursor, 1)),
    "previous-summary": () => goTo(wordOfSummary(model, page.cursor, -1)),
    "next-scu": () => walkScus(1),
    "previous-scu": () => walkScus(-1),
    "next-contributor": () => walkContributors(1),
    "previous-contributor": () => walkContributors(-1),
    "take-up": takeUp,
    "search": () => picker.open({
      title: "Search", placeholder: "words of the text or of an SCU", choices: (query, places) => places(query), none: "Type words of the text or of an SCU.",
    }),
    "filter": () => {
      const field = byId("scu-filter", HTMLInputElement);
      field.focus();
      field.select();
    },
    "extend-on": () => extendTo(extendSelection(model, page.anchor, page.cursor, 1)),
    "extend-back": () => extendTo(extendSelection(model, page.anchor, page.cursor, -1)),
    "extend-down": () => extendTo(extendSelection(model, page.anchor, lineBeside(view, model, page.cursor, 1), 0)),
    "extend-up": () => extendTo(extendSelection(model, page.anchor, lineBeside(view, model, page.cursor, -1), 0)),
    "new-scu": newScu,
    "contribute": () => withScu(contribute),
    "outside": () => perform(edits.toOutside(model, state(), edits.keyOfRun(model, words())), "Marked as no SCU of the pyramid."),
    "part": () => withOne((key) => perform(edits.addPart(model, state(), key, words()), "Part added.")),
    "take-out": takeOut,
    "move": () => withOne((key) => dialogs.use(({ move }) => move(key))),
    "delete": () => withOne(remove),
    "label": () => withScu(() => write(fields.label)),
    "comment": () => withScu(() => fields.comment.focus()),
    "merge": () => withScu((scu) => dialogs.use(({ merge }) => merge(scu))),
    "choose": () => withOne(choose),
    "split": () => withScu(split),
    "delete-scu": () => withScu((scu) => perform(edits.removeScu(model, state(), scu), "SCU deleted. Undo restores it.")),
    "take-theirs": async () => (await loadOthers())?.pickTheirs(page, editor, picker),
    "next-difference": async () => (await loadOthers())?.goToDifference(frame),
    "release": () => {
      page.anchor = page.cursor;
      page.clash = new Set();
      refresh();
      keyboard.release();
      say("Press Tab to leave the text.");
    },
    layout,
  };
  for (let digit = 0; model.peer && digit <= 9; digit += 1) {
    handlers[`scu-${digit}`] = () => typeDigit(digit);
  }
  define(handlers);

  // ---- drops

  /** @type {(dragged: Dragged, target: DOMStringMap) => Edit} */
  function dropped(dragged, { drop, scu = "" }) {
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
      return edits.toOutside(model, state(), edits.keyOfRun(model, words()));
    }
    if (drop === "outside" && dragged.kind === "contributor") {
      return edits.toOutside(model, state(), dragged.key);
    }
    return { refused: "This cannot be dropped here." };
  }

  return {
    run: runAction, take, takeUp, remove, choose, goOnTyping, takeTyped,
    /** @type {(dragged: Dragged, target: DOMStringMap) => string | null} */
    why: (dragged, target) => check(dropped(dragged, target)),
    /** @type {(dragged: Dragged, target: DOMStringMap) => void} */
    drop(dragged, target) {
      if (target.drop === "new" && dragged.kind === "words") {
        newScu();
      } else if (target.drop === "new" && dragged.kind === "contributor" && dragged.scu) {
        page.chosen = new Set([dragged.key]);
        split(dragged.scu);
      } else {
        // The list stays as it is under the hand: what was dropped onto does not unfold.
        const edit = dropped(dragged, target);
        const folded = "refused" in edit || (dragged.kind === "scu" && dragged.scu === page.scu) ? edit : { ...edit, scu: undefined };
        perform(folded, "Done. Undo reverts it.", false);
      }
    },
  };
}
