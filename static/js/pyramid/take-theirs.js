// Taking over what a coder has, in an agreed pyramid. Pure. Loaded where there are coders to take from.
import { draft } from "./edits/edits.js";
import { markOf, pyramidOf } from "./state.js";
/** @import { Contributor, Edit, Model, PyramidState } from "./types.js" */

/**
 * An SCU as another coder has it, in an agreed pyramid. Words of its contributors are taken from the SCUs that have them.
 * @type {(model: Model, state: PyramidState, theirs: { label: string, contributors: string[] }, scu: string | null, fresh: string) => Edit}
 */
export function takeTheirs(model, state, theirs, scu, fresh) {
  const { changes, add, take, describe, value } = draft(model, state);
  const target = scu ?? fresh;
  const pyramid = pyramidOf(model, state);
  pyramid.scus.get(target)?.contributors.forEach(({ key }) => {
    if (!theirs.contributors.includes(key)) {
      take(key, target);
    }
  });
  if (model.exclusive) {
    for (const key of theirs.contributors) {
      const { parts } = markOf(model, key);
      /** @param {Contributor} one */
      const clash = (one) => one.key !== key && one.parts.some(([start, end]) => parts.some((part) => start < part[1] && part[0] < end));
      for (const one of pyramid.contributors.filter((each) => clash(each) && !each.scus.includes(target))) {
        one.scus.filter((each) => value(one.key).indices.includes(each)).forEach((each) => take(one.key, each));
      }
      value(key).indices.filter((each) => each !== target).forEach((each) => take(key, each));
    }
  }
  theirs.contributors.filter((key) => !value(key).indices.includes(target)).forEach((key) => add(key, target));
  if (scu === null) {
    describe(target, { label: theirs.label || markOf(model, theirs.contributors[0] ?? "").words });
  }
  return { changes, scu: target, contributor: null };
}
