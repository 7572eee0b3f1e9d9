// Saving: what it would do first, then the change, and what to do where somebody else was faster.
import { byId, element } from "../../workbench/dom/element.js";
import { CATEGORY, find, labelOf, whatIsSent } from "../questions.js";
import { REFUSED, Refusal } from "../server.js";
import { KIND_NAMES } from "./form.js";
/** @import { createServer } from "../server.js" */
/** @import { Designer, Effects, Kind, SavingOptions, Scheme } from "../types.js" */

const SILENT = "The server is not responding. Nothing is saved; your draft stays here.";
const LOST = "The server is not responding. It is not known whether the draft was saved; it stays here: save it again.";
const BLIND = "The project has texts: what coders are asked is changed by managers who see their work, since the numbers tell of it. "
  + "You can change words and order.";
const MOST = 20;

/** @type {(count: number, singular: string, several?: string) => string} */
const counted = (count, singular, several = `${singular}s`) => `${count} ${count === 1 ? singular : several}`;

/** @param {Designer} designer @param {ReturnType<typeof createServer>} server @param {SavingOptions} options */
export function createSaving(designer, server, { version, isAssigned, isBlind, changes, saved, theirs }) {
  const dialog = byId("scheme-saving", HTMLDialogElement);
  const conflict = byId("scheme-conflict", HTMLDialogElement);
  const confirm = byId("scheme-confirm", HTMLButtonElement);
  const place = byId("scheme-effects");
  let newer = /** @type {{ scheme: Scheme, version: string } | null} */ (null);

  /** @param {string} kind @param {string} question */
  function nameOf(kind, question) {
    if (!(kind in KIND_NAMES) || question === CATEGORY) {
      return "";
    }
    const known = /** @type {Kind} */ (kind);
    const row = kind === "answers" ? undefined : find(designer.scheme(), known, question) ?? find(designer.saved(), known, question);
    return `${KIND_NAMES[known]} ${labelOf(row, question)}: `;
  }

  /** @param {string} title @param {string[]} items @param {string} [className] */
  function section(title, items, className = "") {
    const rest = items.length > MOST ? [element("li", "muted", `and ${items.length - MOST} more`)] : [];
    const list = element("ul", className, [...items.slice(0, MOST).map((words) => element("li", "", words)), ...rest]);
    return items.length > 0 ? [element("h3", "", title), list] : [];
  }

  /** The attributes that are required, and were not before. */
  function requiredAnew() {
    const wasRequired = (/** @type {string} */ key) => find(designer.saved(), "attribute", key)?.required ?? false;
    return designer.written().scheme.attributes.filter((attribute) => attribute.required && !attribute.retired && !wasRequired(attribute.key)).map((attribute) => labelOf(attribute, attribute.key));
  }

  /** @param {Effects} found */
  function showEffects({ problems, effects, violations, asks_otherwise: otherwise }) {
    const touched = effects.filter(({ judgements }) => judgements > 0);
    const nodes = [
      ...section("It cannot be saved so", problems.map(({ kind, question, path, message }) => (nameOf(kind, question) || (path && `${path}: `)) + message), "scheme-problems"),
      ...section("Texts with such answers", violations.map((row) => `${row.title}: ${counted(row.judgements, "judgement")} of ${counted(row.coders, "coder")} (${nameOf(row.kind, row.question).replace(/: $/, "")})`)),
      ...section("Changes", changes()),
      ...section("To complete", isAssigned ? requiredAnew().map((label) => `Attribute ${label} is required: it is missing in all that was judged before, where it is asked. Submitted texts stay submitted, and are listed.`) : []),
      ...section("Answers that it concerns", touched.map((row) => `${nameOf(row.kind, row.question)}${row.change} ${counted(row.judgements, "judgement")} in ${counted(row.texts, "text")} of ${counted(row.coders, "coder")}.`)),
    ];
    if (problems.length === 0) {
      nodes.push(element("p", "muted", otherwise
        ? `${touched.length > 0 ? "All other answers stay as they are." : "No answer changes."} If coders have begun, this makes a new version of the scheme.`
        : "No existing answer changes."));
    }
    place.replaceChildren(...nodes);
    confirm.disabled = problems.length > 0;
  }

  async function open() {
    place.replaceChildren(element("p", "muted", "Counting what it concerns…"));
    confirm.disabled = true;
    dialog.showModal();
    try {
      showEffects(await server.preview(designer.written()));
    } catch (error) {
      fail(error);
    }
  }

  /** @param {unknown} error @param {string} [silent] where there was no answer */
  function fail(error, silent = SILENT) {
    const status = error instanceof Refusal ? error.status : 0;
    const words = status === 403 && isBlind ? BLIND
      : status === 401 || status === 403 ? REFUSED
        : error instanceof Refusal ? error.message : silent;
    place.replaceChildren(element("p", "errorlist", words, { role: "alert" }));
    confirm.disabled = true;
  }

  async function save() {
    confirm.disabled = true;
    const draft = designer.written();
    try {
      const { body, version: now } = await server.save(draft, version());
      settleAs(body, now);
    } catch (error) {
      if (error instanceof Refusal && error.status === 412) {
        await meet();
      } else if (error instanceof Refusal && Array.isArray(error.body?.problems)) {
        showEffects({ effects: [], violations: [], asks_otherwise: true, changes: true, ...error.body });
      } else {
        fail(error, LOST);
      }
    }
  }

  /** @param {any} body @param {string} now */
  function settleAs(body, now) {
    dialog.close();
    saved(body, now);
    designer.say("Saved. Coders see the change when they open a text.");
  }

  /** Somebody else has saved meanwhile, or this draft was, and the answer got lost. */
  async function meet() {
    try {
      const { body, version: now } = await server.read();
      if (JSON.stringify(whatIsSent(body)) === JSON.stringify(designer.written().scheme)) {
        settleAs(body, now);
        return;
      }
      newer = { scheme: whatIsSent(body), version: now };
      const { theirs: sentences } = await server.judge(designer.written().scheme, designer.saved());
      byId("scheme-theirs").replaceChildren(...(sentences.length > 0 ? sentences : ["No question changed."]).map((words) => element("li", "", words)));
      dialog.close();
      conflict.showModal();
    } catch (error) {
      fail(error);
    }
  }

  /** @param {boolean} takes */
  function settle(takes) {
    if (newer) {
      theirs(newer.scheme, newer.version, takes);
      designer.say(takes ? "This is their scheme. Undo brings your draft back." : "Your draft stays. Saving it replaces theirs.");
    }
    conflict.close();
  }

  confirm.addEventListener("click", save);
  byId("scheme-keep-mine").addEventListener("click", () => settle(false));
  byId("scheme-take-theirs").addEventListener("click", () => settle(true));
  return { open };
}
