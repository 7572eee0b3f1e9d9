// Undo and redo, without limit: steps of this visit, and from the log those of earlier ones. Pure.
import { carryOut } from "./state.js";

/** What deeds change: judgements on the coding page; other pages hand in a machine of their own. @type {Machine} */
const CODING = { empty: () => new Map(), copy: (judgements) => new Map(judgements), carryOut, inverseOf };

/** @param {boolean} whole @returns {History} */
export function emptyHistory(whole = true) {
  return { done: [], undone: [], whole };
}

/**
 * What takes deeds back, in the order in which to do it.
 * @param {any} before judgements, or the state of the machine @param {Deed[]} deeds @param {Machine} [machine] @returns {Deed[]}
 */
export function inverse(model, before, deeds, machine = CODING) {
  return done(machine, model, machine.copy(before), deeds);
}

/** Carry deeds out on a state, which is changed. @returns {Deed[]} what takes them back */
function done(machine, model, state, deeds) {
  const back = [];
  for (const deed of deeds) {
    back.unshift(...machine.inverseOf(model, state, deed));
    machine.carryOut(model, state, deed);
  }
  return back;
}

/** What takes back a deed on judgements, before it is done. @param {Deed} deed @returns {Deed[]} */
export function inverseOf(model, judgements, { kind, payload }) {
  const key = payload.markable;
  const again = (one) => ({ kind: "judge", payload: { markable: one, ...judgements.get(one) } });
  const gone = (one) => ({ kind: model.given.has(one) ? "clear" : "unmark", payload: { markable: one } });
  const back = judgements.has(key) ? again(key) : gone(key);
  switch (kind) {
    case "judge": {
      const marked = (payload.pointers ?? []).filter((one) => !model.given.has(one) && !judgements.has(one));
      return [back, ...marked.map(gone)];
    }
    case "clear":
      return [back];
    case "unmark": {
      const pointing = [...judgements].filter(([, value]) => value.pointers.includes(key)).map(([one]) => one);
      return judgements.has(key) ? [back, ...pointing.map(again)] : [];
    }
    case "move":
      return judgements.has(key)
        ? [{ kind: "move", payload: { markable: payload.to, to: key } }, again(key)]
        : [];
    default:
      return [];
  }
}

/** @param {Step} step @returns {History} */
export function remember(history, step) {
  return { ...history, done: [...history.done, step], undone: [] };
}

/** @returns {Step|null} */
export function undoable(history) {
  return history.done.at(-1) ?? null;
}

/** @returns {Step|null} */
export function redoable(history) {
  return history.undone.at(-1) ?? null;
}

/** @param {string} by id of the step that took the last one back @returns {History} */
export function undone(history, by) {
  const step = undoable(history);
  return { ...history, done: history.done.slice(0, -1), undone: [...history.undone, { ...step, undoneBy: by }] };
}

/** @returns {History} */
export function redone(history) {
  const step = redoable(history);
  return { ...history, done: [...history.done, { ...step, undoneBy: null }], undone: history.undone.slice(0, -1) };
}

/** A refused step never happened: undoing it would only write the same answer again. */
export function forget(history, uuid) {
  const keep = (step) => !step.uuids.includes(uuid);
  return { ...history, done: history.done.filter(keep), undone: history.undone.filter(keep) };
}

/**
 * What an earlier visit did, from the log; then what this visit has done since.
 * @param {Operation[]} log from the first operation on @param {History} visit @param {Machine} [machine]
 * @returns {History}
 */
export function fromLog(model, log, visit, machine = CODING) {
  const state = machine.empty();
  let steps = [];
  let undone = [];
  for (const operations of grouped(log)) {
    const [{ uuid, step, undoes, kind }] = operations;
    const id = step ?? uuid;
    const back = done(machine, model, state, operations);
    const at = undoes ? steps.findLastIndex((one) => one.id === undoes) : -1;
    const from = undoes ? undone.findLastIndex((one) => one.undoneBy === undoes) : -1;
    if (at >= 0) {
      undone.push({ ...steps.splice(at, 1)[0], undoneBy: id });
    } else if (from >= 0) {
      steps.push({ ...undone.splice(from, 1)[0], undoneBy: null });
    } else if (kind === "import") {
      steps = [];
    } else if (back.length > 0) { // what hands in, gives back or changes nothing is no step
      const deeds = operations.map((operation) => ({ kind: operation.kind, payload: operation.payload }));
      steps.push({ id, uuids: operations.map((one) => one.uuid), deeds, inverse: back, undoneBy: null });
      undone = [];
    }
  }
  const begun = visit.done.length + visit.undone.length > 0;
  return { done: [...steps, ...visit.done], undone: begun ? visit.undone : undone, whole: true };
}

/** Operations of one step follow each other in the log. */
function grouped(log) {
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
