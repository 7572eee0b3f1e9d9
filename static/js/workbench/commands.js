// What the actions do that both workbenches have, and how an action of the table is run.
import { byId } from "./dom/element.js";
import { readSize, SIZES, storeSize } from "./settings.js";
/** @import { CommandOptions, Handlers, Keyboard, LoadedPart, PlacePicker } from "./types.js" */

const UNREACHABLE = "This needs the server, which is not responding.";
const MAX_WAIT = 2000; // milliseconds for a part of the page
const A_WHILE = 5000; // after which they come by themselves

/**
 * Parts of the page that are seldom used are loaded when they are asked for; meanwhile keys wait for it.
 * A part that comes late opens nothing: the person is at something else by then.
 * @type {<T>(load: () => Promise<T>, frame: { keyboard: Keyboard, say: (words: string) => void }) => Promise<T | null>}
 */
export async function loadPart(load, { keyboard, say }) {
  try {
    const part = Promise.race([load(), new Promise((_, reject) => { setTimeout(reject, MAX_WAIT); })]);
    keyboard.suspend(part);
    return await part;
  } catch {
    say(UNREACHABLE);
    return null;
  }
}

/**
 * A part that comes with the first sign of somebody, or after a while, so that it is there when the network goes; else when
 * it is back. What is done with it sooner waits for it.
 * @template T @param {() => Promise<T>} load @param {Parameters<typeof loadPart>[1]} frame @returns {LoadedPart<T>}
 */
export function createPart(load, frame) {
  let coming = /** @type {Promise<T> | null} */ (null);
  let part = /** @type {T | null} */ (null);
  const get = () => {
    const found = coming ?? load();
    coming = found;
    found.then((loaded) => { part = loaded; }, () => { coming = null; });
    return found;
  };
  const begin = () => get().catch(() => null);
  for (const kind of ["keydown", "pointermove", "pointerdown", "click"]) {
    document.addEventListener(kind, begin, { once: true });
  }
  window.addEventListener("online", begin);
  setTimeout(begin, A_WHILE);
  return {
    load: get,
    async use(work) {
      const here = part ?? await loadPart(get, frame);
      if (here) {
        work(here);
      }
    },
  };
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

/** @template M, P @param {CommandOptions<M, P>} options */
export function createCommands({ actions, available, frame, place, search, idle, subject, commit, checks, sync, undo, relabel }) {
  const { keyboard, say, refresh } = frame;
  const pickerPart = createPart(async () => {
    const [{ createPicker, openPalette }, places] = await Promise.all([import("./dialogs/picker.js"), search.load()]);
    return { dialog: createPicker(byId("picker", HTMLDialogElement)), openPalette, places };
  }, frame);
  /** @type {PlacePicker} */
  const picker = {
    open: ({ choices, ...options }) => pickerPart.use(({ dialog, places }) => {
      dialog.open({ ...options, choices: (query) => choices(query, places) });
    }),
  };
  const table = new Map(available.map((action) => [action.id, action]));
  let handlers = /** @type {Handlers} */ ({});
  let keyList = /** @type {{open: () => void} | null} */ (null);
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

  async function help() {
    const part = await loadPart(() => import("./keys/key-list.js"), frame);
    keyList ??= part?.createKeyList(byId("help", HTMLDialogElement), {
      all: actions, shown: available, place, rightToLeft: keyboard.rightToLeft,
      changed(choices) {
        keyboard.rebind(choices);
        relabel();
        refresh();
      },
    }) ?? null;
    keyList?.open();
  }

  /** @type {Handlers} */
  const common = {
    "undo": () => undo(false),
    "redo": () => undo(true),
    "palette": () => pickerPart.use(({ openPalette }) => openPalette(available, keyboard, picker, search.placeholder, run)),
    help,
    "release": () => {
      keyboard.release();
      say("Press Tab to leave the text.");
    },
    "ask": async () => (await loadPart(async () => (await import("./dialogs/questions.js")).loadQuestions(subject(), sync.version()), frame))?.(),
    "hand-in": async () => {
      commit();
      (await loadPart(checks, frame))?.openChecks(frame.page, sync.waiting());
    },
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

  /** @param {string} id of an action @returns {boolean} false: this text and scheme have no use for it */
  function run(id, further = false) {
    const action = table.get(id);
    if (action && (action.anywhere || !idle())) {
      handlers[id](further);
    }
    return action !== undefined;
  }

  return { define, run, picker, common };
}
