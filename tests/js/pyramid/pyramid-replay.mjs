// What the pyramid page makes of a log: reads {state, log, tries} and writes what test_page_and_server.py compares.
import { readFileSync } from "node:fs";
import { emptyHistory } from "../../../static/js/workbench/history.js";
import { mapState } from "../../../static/js/workbench/saving/corrections.js";
import { fromLog } from "../../../static/js/workbench/saving/log.js";
import { after, touchedBy } from "../../../static/js/pyramid/edits/edits.js";
import { refusal } from "../../../static/js/pyramid/edits/rules.js";
import { apply, load, PYRAMID } from "../../../static/js/pyramid/state.js";

const plain = ({ judgements, scus }) => ({ judgements: Object.fromEntries(judgements), scus: Object.fromEntries(scus) });

const { state: raw, log, tries } = JSON.parse(readFileSync(0, "utf8"));
const { model, state } = load(raw);
const end = log.reduce((now, one) => (one.kind === "correct" ? mapState(now, one.payload.edits) : apply(model, now, [one])), state);
const { done } = fromLog(PYRAMID, model, log, emptyHistory(false));
const undone = done.reduceRight((now, step) => apply(model, now, step.inverse), end);
// Each operation that was tried, on what the server had then: whether the page would have refused it.
let now = state;
const refused = tries.map(({ kind, payload, taken }) => {
  const changes = [{ kind, payload }];
  const why = refusal(model, after(model, now, changes), touchedBy(changes), (key) => key);
  now = taken ? apply(model, now, changes) : now;
  return why !== null;
});
console.log(JSON.stringify({ ...plain(end), undone: plain(undone), refused }));
