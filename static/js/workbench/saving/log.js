// The steps of earlier visits, read from the log. Loaded with the log.
import { mapKey, mapState, mapSteps } from "./corrections.js";
import { carryOutAll } from "../history.js";
/** @import { Edit, Machine, Operation, Step, StepHistory, WorkbenchModel } from "../types.js" */

/** What an earlier visit could not send follows the log, unless it is in it. @type {(log: Operation[], unsent: Operation[]) => Operation[]} */
export function withUnsent(log, unsent) {
  const logged = new Set(log.map((entry) => entry.uuid));
  return [...log, ...unsent.filter((entry) => !logged.has(entry.uuid))];
}

/**
 * What earlier visits did, from the first operation of the log on; then what this visit has done since.
 * @type {<M extends WorkbenchModel, S>(machine: Machine<M, S>, model: M, log: Operation[], visit: StepHistory) => StepHistory}
 */
export function fromLog(machine, model, log, visit) {
  let state = machine.empty();
  let steps = /** @type {Step[]} */ ([]);
  let undone = /** @type {Step[]} */ ([]);
  const corrections = log.flatMap((entry) => (entry.kind === "correct" ? [entry.payload.edits] : []));
  let then = modelBefore(model, corrections);
  for (const operations of grouped(log)) {
    const [{ uuid, step, undoes, kind, payload }] = operations;
    if (kind === "correct") {
      state = mapState(state, payload.edits);
      steps = mapSteps(steps, payload.edits);
      undone = mapSteps(undone, payload.edits);
      corrections.shift();
      then = modelBefore(model, corrections);
      continue;
    }
    const id = step ?? uuid;
    const inverse = carryOutAll(machine, then, state, operations);
    const at = undoes ? steps.findLastIndex((step) => step.id === undoes) : -1;
    const from = undoes ? undone.findLastIndex((step) => step.undoneBy === undoes) : -1;
    if (at >= 0) {
      undone.push({ ...steps.splice(at, 1)[0], undoneBy: id });
    } else if (from >= 0) {
      steps.push({ ...undone.splice(from, 1)[0], undoneBy: null });
    } else if (kind === "import" || kind === "draft" || kind === "merge") { // what was before is no answer any more
      steps = [];
      undone = [];
    } else if (inverse.length > 0) { // what submits, reopens or changes nothing is no step
      const changes = operations.map((operation) => /** @type {Operation} */ ({ kind: operation.kind, payload: operation.payload }));
      steps.push({ id, uuids: operations.map((operation) => operation.uuid), changes, inverse, undoneBy: null });
      undone = [];
    }
  }
  const begun = visit.done.length + visit.undone.length > 0;
  return { done: [...steps, ...visit.done], undone: begun ? visit.undone : undone, whole: true };
}

/**
 * The model as it was before some corrections: then the markables that came with the text had other keys.
 * @type {<M extends WorkbenchModel>(model: M, corrections: Edit[][]) => M}
 */
function modelBefore(model, corrections) {
  const later = [...corrections];
  /** @param {string} key */
  const has = (key) => model.given.has(later.reduce((now, edits) => mapKey(now, edits) ?? "", key));
  return later.length > 0 ? { ...model, given: { has } } : model;
}

/** Operations of one step follow each other in the log. @param {Operation[]} log */
function grouped(log) {
  const groups = /** @type {Operation[][]} */ ([]);
  for (const operation of log) {
    const last = groups.at(-1);
    if (operation.step && last?.[0].step === operation.step) {
      last.push(operation);
    } else {
      groups.push([operation]);
    }
  }
  return groups;
}
