// Undo and redo, without limit: the steps of this visit; those of earlier ones come from the log. Pure.
/** @import { Change, Machine, Step, StepHistory } from "./types.js" */

/** @type {(whole?: boolean) => StepHistory} */
export const emptyHistory = (whole = true) => ({ done: [], undone: [], whole });

/** The state after some changes; the one before is left as it was. @type {<M, S>(machine: Machine<M, S>, model: M, state: S, changes: Change[]) => S} */
export function applyChanges(machine, model, state, changes) {
  const result = machine.copy(state);
  changes.forEach((change) => machine.carryOut(model, result, change));
  return result;
}

/**
 * What others did first, then what is not yet saved here: one's own unsent work is never lost.
 * @type {<M, S>(machine: Machine<M, S>, model: M, base: S, missed: Change[], pending: Change[]) => { base: S, state: S }}
 * base: what the server had, as far as this page knew
 */
export function rebase(machine, model, base, missed, pending) {
  const renewed = applyChanges(machine, model, base, missed);
  return { base: renewed, state: applyChanges(machine, model, renewed, pending) };
}

/** What takes changes back, in the order in which to do it. @type {<M, S>(machine: Machine<M, S>, model: M, before: S, changes: Change[]) => Change[]} */
export const invert = (machine, model, before, changes) => carryOutAll(machine, model, machine.copy(before), changes);

/** Carry changes out on a state, which is changed; return what takes them back. @type {<M, S>(machine: Machine<M, S>, model: M, state: S, changes: Change[]) => Change[]} */
export function carryOutAll(machine, model, state, changes) {
  const back = /** @type {Change[]} */ ([]);
  for (const change of changes) {
    back.unshift(...machine.inverseOf(model, state, change));
    machine.carryOut(model, state, change);
  }
  return back;
}

/** @type {(history: StepHistory, step: Step) => StepHistory} */
export const addStep = (history, step) => ({ ...history, done: [...history.done, step], undone: [] });

export const undoable = (/** @type {StepHistory} */ history) => history.done.at(-1) ?? null;

export const redoable = (/** @type {StepHistory} */ history) => history.undone.at(-1) ?? null;

/** @type {(history: StepHistory, by: string) => StepHistory} by: id of the step that took the last one back */
export function markUndone(history, by) {
  const undone = history.done.slice(-1).map((step) => ({ ...step, undoneBy: by }));
  return { ...history, done: history.done.slice(0, -1), undone: [...history.undone, ...undone] };
}

/** @type {(history: StepHistory) => StepHistory} */
export function markRedone(history) {
  const redone = history.undone.slice(-1).map((step) => ({ ...step, undoneBy: null }));
  return { ...history, done: [...history.done, ...redone], undone: history.undone.slice(0, -1) };
}

/** A refused step never happened: undoing it would only write the same answer again. @type {(history: StepHistory, uuid: string) => StepHistory} */
export function removeStep(history, uuid) {
  const keep = (/** @type {Step} */ step) => !step.uuids.includes(uuid);
  return { ...history, done: history.done.filter(keep), undone: history.undone.filter(keep) };
}
