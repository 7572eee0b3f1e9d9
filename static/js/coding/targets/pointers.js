// What operations do to judgements that point at markables, as the server does it. Pure.
import * as shared from "../../workbench/judgements.js";
import { mapTargets, targetsOf } from "../../workbench/readings.js";
/** @import { Change, Given, Judgements, Machine } from "../types.js" */

/** @type {(judgements: Judgements, from: string, to: string | null) => void} */
function repoint(judgements, from, to) {
  for (const [key, value] of judgements) {
    if (targetsOf(value).includes(from)) {
      judgements.set(key, { ...value, ...mapTargets(value, (target) => (target === from ? to : target)) });
    }
  }
}

/** The targets that are marked because the judgement names them. @type {(model: Given, judgements: Judgements, change: Change & { kind: "judge" }) => string[]} */
function markedBy(model, judgements, { payload }) {
  return [...new Set(targetsOf(payload))].filter((key) => !model.given.has(key) && !judgements.has(key) && key !== payload.markable);
}

/** The judgements are changed. @type {Machine<Given, Judgements>["carryOut"]} */
function carryOut(model, judgements, change) {
  const { kind, payload } = change;
  const there = "markable" in payload && judgements.has(payload.markable);
  const marked = kind === "judge" ? markedBy(model, judgements, change) : [];
  shared.carryOut(model, judgements, change);
  marked.forEach((key) => judgements.set(key, shared.judgement()));
  if (kind === "unmark" || (kind === "move" && there)) {
    repoint(judgements, payload.markable, kind === "move" ? payload.to : null);
  }
}

/** What takes back a change, before it is carried out. @type {Machine<Given, Judgements>["inverseOf"]} */
function inverseOf(model, judgements, change) {
  const back = shared.inverseOf(model, judgements, change);
  if (change.kind === "judge") {
    return [...back, ...markedBy(model, judgements, change).map((key) => shared.restore(model, judgements, key))];
  }
  if (change.kind === "unmark" && back.length > 0) {
    const pointing = [...judgements].filter(([, value]) => targetsOf(value).includes(change.payload.markable));
    return [...back, ...pointing.map(([key]) => shared.restore(model, judgements, key))];
  }
  return back;
}

/** @type {Machine<Given, Judgements>} */
export const JUDGEMENTS = { empty: () => new Map(), copy: (judgements) => new Map(judgements), carryOut, inverseOf };
