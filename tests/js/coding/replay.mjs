// What the page makes of a log: reads {state, log} and writes {judgements, undone, back, holes} for test_page_and_server.py.
import { readFileSync } from "node:fs";
import { emptyHistory } from "../../../static/js/workbench/history.js";
import { mapState } from "../../../static/js/workbench/saving/corrections.js";
import { fromLog } from "../../../static/js/workbench/saving/log.js";
import { JUDGEMENTS } from "../../../static/js/coding/targets/pointers.js";
import { holesOf } from "../../../static/js/coding/questions/holes.js";
import { apply, load, withMarks } from "../../../static/js/coding/state.js";

const { state, log } = JSON.parse(readFileSync(0, "utf8"));
const { model, judgements } = load(state);
const after = log.reduce((now, one) => (one.kind === "correct" ? mapState(now, one.payload.edits) : apply(model, now, [one])), judgements);
const { done } = fromLog(JUDGEMENTS, model, log, emptyHistory(false));
const undone = done.reduceRight((now, step) => apply(model, now, step.inverse), after);
console.log(JSON.stringify({
  holes: holesOf(withMarks(model, after), after).map(({ markables, question }) => [markables, question]),
  judgements: Object.fromEntries(after), undone: Object.fromEntries(undone), back: done.reverse().map((step) => step.inverse),
}));
