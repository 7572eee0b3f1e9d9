// Another key for an action: with the list of keys, which is loaded when it is opened. Pure.
import { bindings } from "./keys.js";
/** @import { Action, Choices } from "../types.js" */

/**
 * Give an action one key instead of those it has. Who had that key before has it no more.
 * @type {<M>(actions: Action<M>[], choices: Choices, id: string, key: string) => { choices: Choices, taken: string | null }}
 * taken: the action that lost the key
 */
export function choose(actions, choices, id, key) {
  const now = bindings(actions, choices);
  const before = now.of.get(key) ?? null;
  const taken = before === id ? null : before;
  const result = { ...choices, [id]: [key] };
  if (taken !== null) {
    result[taken] = (now.keys.get(taken) ?? []).filter((one) => one !== key);
  }
  return { choices: result, taken };
}
