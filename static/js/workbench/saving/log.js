// The steps of earlier visits, read from the log. Loaded with the log.
import { mapState, mapSteps } from "./corrections.js";
import { carryOutAll } from "../history.js";
/** @import { Machine, Operation, Step, StepHistory, WorkbenchModel, WorkbenchPage } from "../types.js" */

/**
 * The history of a page with the steps of earlier visits.
 * @template {WorkbenchModel} M @template S
 * @param {Machine<M, S>} machine @param {WorkbenchPage<M, S>} page @param {Promise<Operation[]>} log @param {Operation[]} unsent
 */
export async function readHistory(machine, page, log, unsent) {
  const operations = withUnsent(await log, unsent);
  return fromLog(machine, page.model, operations, page.history);
}

/** What an earlier visit could not send follows the log, unless it is in it. @type {(log: Operation[], unsent: Operation[]) => Operation[]} */
export function withUnsent(log, unsent) {
  const logged = new Set(log.map((one) => one.uuid));
  return [...log, ...unsent.filter((one) => !logged.has(one.uuid))];
}

/**
 * What earlier visits did, from the first operation of the log on; then what this visit has done since.
 * @type {<M extends WorkbenchModel, S>(machine: Machine<M, S>, model: M, log: Operation[], visit: StepHistory) => StepHistory}
 */
export function fromLog(machine, model, log, visit) {
  let state = machine.empty();
  /** @type {Step[]} */
  let steps = [];
  /** @type {Step[]} */
  let undone = [];
  for (const operations of grouped(log)) {
    const [{ uuid, step, undoes, kind, payload }] = operations;
    if (kind === "correct") {
      state = mapState(state, payload.edits);
      steps = mapSteps(model, steps, payload.edits);
      undone = mapSteps(model, undone, payload.edits);
      continue;
    }
    const id = step ?? uuid;
    const inverse = carryOutAll(machine, model, state, operations);
    const at = undoes ? steps.findLastIndex((one) => one.id === undoes) : -1;
    const from = undoes ? undone.findLastIndex((one) => one.undoneBy === undoes) : -1;
    if (at >= 0) {
      undone.push({ ...steps.splice(at, 1)[0], undoneBy: id });
    } else if (from >= 0) {
      steps.push({ ...undone.splice(from, 1)[0], undoneBy: null });
    } else if (kind === "import") {
      steps = [];
    } else if (inverse.length > 0) { // what submits, reopens or changes nothing is no step
      const changes = operations.map((one) => /** @type {Operation} */ ({ kind: one.kind, payload: one.payload }));
      steps.push({ id, uuids: operations.map((one) => one.uuid), changes, inverse, undoneBy: null });
      undone = [];
    }
  }
  const begun = visit.done.length + visit.undone.length > 0;
  return { done: [...steps, ...visit.done], undone: begun ? visit.undone : undone, whole: true };
}

/** Operations of one step follow each other in the log. @param {Operation[]} log */
function grouped(log) {
  /** @type {Operation[][]} */
  const groups = [];
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
