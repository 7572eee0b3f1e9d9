// What the actions do that both workbenches have, and how an action of the table is run.
import { byId } from "./dom/element.js";
import { readSize, SIZES, storeSize } from "./settings.js";
/** @import { CommandOptions, Handlers, Keyboard, PlacePicker } from "./types.js" */

export const UNREACHABLE = "This needs the server, which is not responding.";
const LONGEST_WAIT = 2000; // milliseconds for a part of the page

/**
 * Parts of the page that are seldom used are loaded when they are asked for; meanwhile keys wait for it.
 * A part that comes late opens nothing: the person is at something else by then.
 * @type {<T>(load: () => Promise<T>, frame: { keyboard: Keyboard, say: (words: string) => void }) => Promise<T | null>}
 */
export async function loadPart(load, { keyboard, say }) {
  try {
    const part = Promise.race([load(), new Promise((_, reject) => { setTimeout(reject, LONGEST_WAIT); })]);
    keyboard.suspend(part);
    return await part;
  } catch {
    say(UNREACHABLE);
    return null;
  }
}

/**
 * Load a part at the first call; where that fails, again at the next.
 * @type {<T>(load: () => Promise<T>) => () => Promise<T>}
 */
export function loadOnce(load) {
  /** @type {ReturnType<typeof load> | null} */
  let part = null;
  return () => {
    part ??= load();
    part.catch(() => {
      part = null;
    });
    return part;
  };
}

/** Load a part with the first sign of somebody, so that it is there when the network goes; else when it is back. @param {() => Promise<unknown>} load */
export function loadAhead(load) {
  const begin = () => load().catch(() => null);
  for (const kind of ["keydown", "pointermove", "pointerdown", "click"]) {
    document.addEventListener(kind, begin, { once: true });
  }
  window.addEventListener("online", begin);
}

/** Open or close a panel at the side, if the page has it. @param {string} id @returns {HTMLElement | null} the panel, if it is open now */
export function togglePanel(id) {
  const panel = document.getElementById(id);
  if (panel instanceof HTMLDetailsElement) {
    panel.open = !panel.open;
    return panel.open ? panel : null;
  }
  return null;
}

/** @template M @param {CommandOptions<M>} options */
export function createCommands({ actions, available, keyboard, place, search, idle, subject, version, say, undo, relabel, refresh }) {
  const loadPicker = loadOnce(async () => {
    const [{ createPicker }, places] = await Promise.all([import("./dialogs/picker.js"), search.load()]);
    return { dialog: createPicker(byId("picker", HTMLDialogElement)), places };
  });
  /** @type {PlacePicker} */
  const picker = {
    async open({ choices, ...options }) {
      const part = await loadPart(loadPicker, { keyboard, say });
      part?.dialog.open({ ...options, choices: (query) => choices(query, part.places) });
    },
  };
  loadAhead(loadPicker);
  const table = new Map(available.map((action) => [action.id, action]));
  /** @type {Handlers} */
  let handlers = {};
  /** @type {{open: () => void} | null} */
  let keyList = null;
  showSize(readSize());

  /** @param {string} size */
  function showSize(size) {
    document.documentElement.dataset.textSize = size;
  }

  /** @param {1 | -1} by */
  function resize(by) {
    const at = SIZES.indexOf(document.documentElement.dataset.textSize ?? "");
    const size = SIZES[Math.min(Math.max(at + by, 0), SIZES.length - 1)];
    showSize(size);
    storeSize(size);
    refresh();
  }

  async function palette() {
    (await loadPart(() => import("./dialogs/picker.js"), { keyboard, say }))?.openPalette(available, keyboard, picker, search.placeholder, run);
  }

  async function help() {
    const part = await loadPart(() => import("./keys/key-list.js"), { keyboard, say });
    keyList ??= part?.createKeyList(byId("help", HTMLDialogElement), { all: actions, shown: available, place, rightToLeft: keyboard.rightToLeft }, (choices) => {
      keyboard.rebind(choices);
      relabel();
      refresh();
    }) ?? null;
    keyList?.open();
  }

  /** @type {Handlers} */
  const common = {
    "undo": () => undo(false),
    "redo": () => undo(true),
    palette,
    help,
    "release": () => {
      keyboard.release();
      say("Press Tab to leave the text.");
    },
    "ask": async () => (await loadPart(async () => (await import("./dialogs/questions.js")).loadQuestions(subject(), version()), { keyboard, say }))?.(),
    "guidelines": () => togglePanel("guidelines"),
    "larger": () => resize(1),
    "smaller": () => resize(-1),
  };

  /** The handlers of the page's own actions, by their ids. @param {Handlers} own */
  function define(own) {
    handlers = { ...common, ...own };
    for (const id of table.keys()) {
      if (!(id in handlers)) {
        throw new Error(`The action ${id} of the table does nothing: commands.js has no handler for it.`);
      }
    }
  }

  /**
   * @param {string} id of an action
   * @returns {boolean} false: this text and scheme have no use for it
   */
  function run(id, further = false) {
    const action = table.get(id);
    if (action && (action.anywhere || !idle())) {
      handlers[id](further);
    }
    return action !== undefined;
  }

  return { define, run, picker, common };
}
