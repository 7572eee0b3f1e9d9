// The queue of the gold of a text, and what is remembered of gold for it.
import { createQueuePanel } from "../../workbench/adjudication/queue.js";
import { entryAfter } from "../../workbench/adjudication/steps.js";
import { judgement, markableOf } from "../../workbench/judgements.js";
import { JUDGEMENTS } from "../targets/pointers.js";
import { CATEGORY } from "../../workbench/adjudication/rows.js";
import { holesOf, isUnanswered } from "../questions/holes.js";
import { apply, unmarked, withMarks } from "../state.js";
import { highlight, revealWords } from "../view/runs.js";
import { refusal } from "../view/checks.js";
import { take, takeAnswer } from "./moves.js";
import { coderCell, goldNodes, inWords, labelOf, titleOf } from "./view.js";
/** @import { Frame, Given, Judgement, Judgements, Machine } from "../types.js" */
/** @import { GoldEntry, QueuePanel } from "../../workbench/adjudication/types.js" */

/** Judgements with what has happened to them since the page was opened. @extends {Map<string, Judgement>} */
class GoldJudgements extends Map {
  /** @type {GoldEntry | null} */
  last = null;
}

/** @param {Judgements} judgements @returns {GoldJudgements} */
function copy(judgements) {
  const result = new GoldJudgements(judgements);
  result.last = lastOf(judgements);
  return result;
}

/** As for any coding; what is an operation is remembered. @type {Machine<Given, Judgements>["carryOut"]} */
function carryOut(model, judgements, change) {
  const key = markableOf(change) ?? "";
  const before = judgement(judgements.get(key));
  JUDGEMENTS.carryOut(model, judgements, change);
  if (judgements instanceof GoldJudgements) {
    judgements.last = entryAfter(change, judgements.last, changedQuestions(before, judgement(judgements.get(key))));
  }
}

/** The questions to which two judgements have different answers. @type {(before: Judgement, after: Judgement) => string[]} */
function changedQuestions(before, after) {
  const answersTo = (/** @type {Judgement} */ { category, pointers, indices, attributes, relations }) => /** @type {Record<string, unknown>} */ (
    { [CATEGORY]: [category, pointers, indices], ...attributes, ...relations });
  const [said, says] = [answersTo(before), answersTo(after)];
  return Object.keys({ ...said, ...says }).filter((question) => JSON.stringify(said[question]) !== JSON.stringify(says[question]));
}

/** @type {Machine<Given, Judgements>} */
export const GOLD = { ...JUDGEMENTS, empty: () => new GoldJudgements(), copy, carryOut };

/** What happened to judgements since the page was opened. @param {Judgements} judgements @returns {GoldEntry | null} */
const lastOf = (judgements) => (judgements instanceof GoldJudgements ? judgements.last : null);

/** @type {(frame: Frame, address: string) => QueuePanel} */
export function createQueue({ page, pane, text, go, refresh, say, record }, address) {
  return createQueuePanel({
    readOnly: page.model.readOnly,
    pane,
    toggle: "z",
    column: "Gold",
    hides: false,
    movesDecide: false,
    last: () => lastOf(page.judgements),
    placesOf: (_, voted) => voted,
    holes: () => holesOf(page.model, page.judgements),
    refusal: () => refusal(page.model, page.judgements),
    isUnanswered: (key, question) => isUnanswered(page.model, page.judgements, key, question),
    labelOf: (question) => labelOf(page.model, question),
    chainsOf: (unit) => page.chains.of.get(unit) ?? [],
    go(units) {
      const unit = units.find((key) => page.model.byKey.get(key)?.coded);
      if (unit === undefined) {
        refresh();
      } else {
        go(unit);
      }
      const words = units.filter((key) => !page.model.byKey.has(key)).flatMap((key) => unmarked(page.model, key)?.parts ?? []);
      highlight(text, "asked", words); // whether gold is to have them is what is asked
      if (unit === undefined && words.length > 0) {
        revealWords(pane, text, words[0]);
      }
    },
    refresh, say,
    record(changes) {
      record(changes);
      if (changes.some(({ kind, payload }) => kind === "unmark" || ("markable" in payload && !page.model.byKey.has(payload.markable)))) {
        refresh(); // other markables are there now
      }
    },
    take({ queue, places }, card, { units }, answer, given) {
      const changes = card.kind === "question" ? takeAnswer(page.model, page.judgements, units[0], card.question, given[units[0]])
        : take(page.model, page.judgements, queue, places, units, answer, given);
      if ("refused" in changes) {
        return changes;
      }
      const after = apply(page.model, page.judgements, changes);
      const question = card.question || CATEGORY;
      const hole = holesOf(withMarks(page.model, after), after)
        .find((row) => row.question === question && row.markables.some((key) => units.includes(key)));
      const absent = given[units[0]]?.pointers?.flat().find((target) => !page.model.byKey.has(target));
      return hole === undefined ? changes
        : absent !== undefined && question === CATEGORY ? { refused: `This answer points to “${inWords(page, [absent])}”, which gold does not have: take that first, or give your own.` }
        : { refused: `“${inWords(page, hole.markables.slice(0, 1))}” needs an answer to “${labelOf(page.model, question)}”: take one, or give your own.` };
    },
    titleOf: (queue, card) => titleOf(page, queue, card),
    wordsOf: (units) => inWords(page, units),
    coderCell: (view, card, row, coder) => coderCell(page, view, card, row, coder),
    goldCell: (_, card, row) => goldNodes(page, card, row),
  }, address);
}
