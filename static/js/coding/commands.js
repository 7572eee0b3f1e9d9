// What each action of the coding page does: one handler for each line of actions.js.
import { createCommands, createPart, togglePanel } from "../workbench/commands.js";
import { byId, inside } from "../workbench/dom/element.js";
import { actionsOf, byUse } from "./actions.js";
import * as answers from "./answers.js";
import { LETTERS, relationOf } from "./targets/candidates.js";
import { categoriesOn } from "./questions/constraints.js";
import { announce, buildPanel, paintTogether } from "./view/panel.js";
import { step } from "./state.js";
/** @import { Direction, Feedback, Frame, Further, Handlers, Markable, Marking, Sync } from "./types.js" */

export const KEYS = "coindex-keys"; // under which chosen keys are stored

/**
 * Marking, questions and feedback are null where there are none.
 * @param {Frame} frame @param {Marking | null} marking @param {Further | null} questions @param {Feedback | null} feedback
 * @param {(markable: Markable) => boolean} undecided @param {(forward: boolean) => void} undo @param {Sync} sync
 */
export function createCodingCommands(frame, marking, questions, feedback, undecided, undo, sync) {
  const { page, record, refresh, go, say, answerWith } = frame;
  const available = actionsOf(page.model);
  const { define, run, picker, common } = createCommands({
    actions: byUse(page.model), available, frame, place: KEYS, sync, undo, commit: frame.commitNote,
    idle: () => page.current === null, subject: () => page.current, checks: () => import("./view/checks.js"),
    search: { placeholder: "an action, the number of a markable, or words of the text", load: async () => (await import("./targets/places.js")).createPlaces(frame) },
    relabel: () => buildPanel(page.model, frame.keyboard),
  });

  /** @type {(direction: Direction, condition?: (markable: Markable) => boolean) => string | null} */
  const walk = (direction, condition) => step(page.model.coded, page.current, direction, condition);

  /** @param {Direction} direction */
  function walkUndecided(direction) {
    const key = walk(direction, undecided);
    return key ? go(key) : say("Everything is decided.");
  }

  /** @param {Direction} direction */
  function walkChain(direction) {
    const own = page.chains.of.get(page.current ?? "") ?? [];
    go(walk(direction, (markable) => (page.chains.of.get(markable.key) ?? []).some((chain) => own.includes(chain))));
  }

  /** A handler that is given the current markable. @param {(key: string, further: boolean) => void} handler @returns {(further: boolean) => void} */
  const current = (handler) => (further) => {
    if (page.current !== null) {
      handler(page.current, further);
    }
  };

  /** @param {string} key */
  function accept(key) {
    if (questions?.accept()) {
      return;
    }
    const lack = answers.missing(page.model, page.judgements, key);
    if (lack) {
      say(lack);
      return;
    }
    if (!feedback?.compare(key)) {
      go(walk(1));
    }
  }

  const toggle = (/** @type {"unsure" | "optional"} */ flag) => current((key) => {
    answerWith(answers.addRemark(page.judgements, key, { [flag]: !page.judgements.get(key)?.[flag] }));
  });

  /** @param {string} key */
  function clear(key) {
    if (page.judgements.has(key)) {
      byId("note", HTMLTextAreaElement).value = "";
      record([{ kind: "clear", payload: { markable: key } }]);
      refresh();
      announce(page);
    }
  }

  /** @param {string} key */
  function together(key) {
    if (!page.together && !relationOf(page.model, page.judgements, key, page.relation)?.joint) {
      say("No targets are meant together here.");
      return;
    }
    page.together = !page.together;
    paintTogether(page);
    say(page.together ? "Together with: choose the other target." : "");
  }

  function release() {
    if (page.together) {
      page.together = false;
      paintTogether(page);
      say("The next letter stands alone.");
    } else if (!questions?.leave()) {
      common.release(false);
    }
  }

  // ---- tools

  let paintChains = () => {}; // the tools do
  /** @type {(pointedAt: string | null) => void} */
  let drawOverlays = () => {};
  const tools = createPart(async () => {
    const part = (await import("./tools.js")).createTools(frame, picker);
    ({ paintChains, drawOverlays } = part);
    paintChains();
    drawOverlays(null);
    return part;
  }, frame);
  byId("entities").addEventListener("toggle", () => tools.load().catch(() => null));

  const editChain = (/** @type {string} */ action) => tools.use((part) => part.editChain(action));

  // ---- finding

  /** What is typed before the search is loaded is searched for then. */
  function openSearch() {
    const bar = byId("search-bar");
    const input = inside(bar, "input", HTMLInputElement);
    bar.hidden = false;
    input.select();
    input.focus();
    tools.use(({ search }) => search());
  }

  function goTo() {
    picker.open({
      title: "Go to",
      placeholder: "number of a markable, label of a turn, or words",
      choices: (query, places) => places(query),
      none: "Type the number of a markable, the label of a turn, or words of a markable.",
    });
  }

  // ---- the page

  /** Show or hide a panel, and go into it. @param {string} id */
  function show(id) {
    const panel = togglePanel(id);
    const first = panel?.querySelector("input") ?? panel?.querySelector("[tabindex]");
    if (first instanceof HTMLElement) {
      first.focus();
    }
  }

  /** @type {Handlers} */
  const handlers = {
    ...marking?.handlers,
    "next-undecided": () => walkUndecided(1),
    "previous-undecided": () => walkUndecided(-1),
    "next": () => go(walk(1)),
    "previous": () => go(walk(-1)),
    "first": () => go(page.model.coded[0].key),
    "last": () => go(page.model.coded.at(-1)?.key ?? null),
    "next-in-chain": () => walkChain(1),
    "previous-in-chain": () => walkChain(-1),
    "search": openSearch,
    "go-to": goTo,
    "accept": current(accept),
    "compare": current((key) => feedback?.press(key)),
    "unsure": toggle("unsure"),
    "optional": toggle("optional"),
    "note": () => byId("note").focus(),
    "clear": current(clear),
    "merge": () => editChain("merge"),
    "split": () => editChain("split"),
    "rename": () => editChain("rename"),
    "find": () => questions?.find() || editChain("find"),
    "together": current(together),
    "next-question": current(() => questions?.step(1)),
    "previous-question": current(() => questions?.step(-1)),
    "relation": current(() => questions?.nextRelation()),
    release,
    "entities": () => show("entities"),
    "guidelines": () => show("guidelines"),
  };
  for (let place = 0; place < 10; place += 1) {
    handlers[`category-${place + 1}`] = current((key) => {
      const category = categoriesOn(page.model.constraints, page.model.byKey.at(key).level)[place];
      if (!questions?.digit(place) && category !== undefined) {
        answerWith(answers.chooseCategory(page.model, page.judgements, key, category));
      }
    });
  }
  for (const letter of LETTERS) {
    handlers[`candidate-${letter}`] = current((key, further) => {
      answerWith(answers.pressLetter(page.model, page.judgements, key, letter, answers.mannerOf(page, further), page.relation));
    });
  }
  define(handlers);

  return {
    run, picker, paintChains: () => paintChains(),
    drawOverlays: (/** @type {string | null} */ pointedAt) => drawOverlays(pointedAt),
  };
}
