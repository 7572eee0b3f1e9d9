// Training with the gold after each judgement: what is compared is said to the server, which answers with the gold.
import { element, byId } from "../../workbench/dom/element.js";
import { uuid } from "../../workbench/saving/sync.js";
import { missing } from "../answers.js";
import { isDecided } from "../state.js";
/** @import { Comparison, Feedback, Frame, RawFeedback, Sync } from "../types.js" */

/** @param {Frame} frame @param {string} coding its token @param {Sync} sync @returns {Feedback} */
export function createFeedback({ page, say, announce, refresh, commitNote }, coding, sync) {
  const { address, items } = /** @type {RawFeedback} */ (page.model.feedback);
  /** @type {Map<string, Comparison>} */
  let compared = new Map(items.map((item) => [item.markable, item]));
  const asked = /** @type {Set<string>} */ (new Set()); // the server has not answered for these
  let asking = false;

  /** Compare the judgement of a markable, unless it was. @param {string} key @returns {boolean} whether it is compared now */
  function compare(key) {
    commitNote();
    const value = page.judgements.get(key);
    if (compared.has(key) || page.model.readOnly || !isDecided(page.model, page.model.byKey.at(key).level, value)) {
      return false;
    }
    if (!asked.has(key)) {
      asked.add(key);
      sync.push({ kind: "check", payload: { markable: key }, uuid: uuid(crypto), made_at: new Date().toISOString() });
      say("Comparing…");
      refresh();
    }
    return true;
  }

  /** Say why, where nothing is compared. @param {string} key */
  function press(key) {
    if (!compare(key)) {
      say(missing(page.model, page.judgements, key) || "This is compared already.");
    }
  }

  /** Ask for the gold once all is saved. */
  async function settle() {
    if (asked.size === 0 || asking || sync.waiting() > 0) {
      return;
    }
    asking = true;
    try {
      const response = await fetch(address, {
        credentials: "same-origin", redirect: "manual",
        headers: { Accept: "application/json", "X-Coding": coding, "X-Coder": encodeURIComponent(page.model.user) },
      });
      if (response.status !== 200) {
        throw new Error(`the server answered ${response.status}`);
      }
      const answer = /** @type {RawFeedback} */ (await response.json());
      compared = new Map(answer.items.map((item) => [item.markable, item]));
      const { current } = page;
      const item = current !== null && asked.has(current) ? compared.get(current) : undefined;
      asked.clear();
      refresh();
      if (item) {
        say("");
        announce(wordsOf(item));
      }
    } catch {
      asked.clear();
      refresh();
      say("The gold could not be loaded. Compare again.");
    } finally {
      asking = false;
    }
  }

  function paint() {
    const { current } = page;
    const item = current === null ? undefined : compared.get(current);
    const section = byId("feedback");
    section.hidden = current === null;
    byId("compare").hidden = item !== undefined || page.model.readOnly;
    byId("compared").replaceChildren(...(item ? describe(item) : []));
  }

  return { compare, press, settle, paint };
}

/** @param {Comparison} item @returns {HTMLElement[]} */
function describe(item) {
  return [
    element("p", "", element("span", item.is_as_gold ? "chip good" : "chip warn", verdictOf(item))),
    ...goldOf(item).map((words) => element("p", "", words, { dir: "auto" })),
    ...(item.explanation ? [element("p", "coding-explanation", item.explanation)] : []),
    element("p", "muted small", "Your first answer counts, also where you change it now."),
  ];
}

/** @param {Comparison} item */
const verdictOf = (item) => (!item.is_judged ? "not in the gold" : item.is_as_gold ? "as the gold" : "different");

/** What the gold says, where the answer is another one. @param {Comparison} item */
function goldOf({ is_judged: isJudged, is_as_gold: isAsGold, gold_category: category, gold_chain: chain, answers }) {
  if (!isJudged || isAsGold) {
    return [];
  }
  const links = chain.length > 1 ? `: ${chain.join(", ")}` : "";
  return [
    ...(category === null ? [] : [`Gold: ${category}${links}`]),
    ...answers.map((answer) => `${answer.label}: ${answer.gold || "nothing"}`),
  ];
}

/** @param {Comparison} item */
const wordsOf = (item) => [verdictOf(item), ...goldOf(item), item.explanation].filter(Boolean).join(". ");
