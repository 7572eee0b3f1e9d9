// What would work in place of what was refused: a button after the words of the refusal. Loaded with the first refusal.
import { byId, button } from "../../workbench/dom/element.js";
import { judge } from "../../workbench/judgements.js";
import * as edits from "./edits.js";
import { apply, pyramidOf } from "../state.js";
/** @import { Changes, Contributor, Edit, Model, Page, PyramidEditor, PyramidState, Run } from "../types.js" */

/** @typedef {{ label: string, edit: Changes }} Offer */

/** One edit after the other, as one step. @type {(model: Model, state: PyramidState, first: Edit, then: (state: PyramidState) => Edit) => Edit} */
function both(model, state, first, then) {
  if ("refused" in first) {
    return first;
  }
  const second = then(apply(model, state, first.changes));
  return "refused" in second ? second : { ...second, changes: [...first.changes, ...second.changes] };
}

/** @type {(contributor: Contributor) => Run} */
const runOf = ({ places }) => [places[0], places[places.length - 1]];

/**
 * The words become a further part of the contributor that the SCU has in this summary already.
 * @type {(model: Model, state: PyramidState, contributor: Contributor, other: Contributor) => Edit}
 */
function joined(model, state, contributor, other) {
  const add = (/** @type {PyramidState} */ now) => edits.addPart(model, now, other.key, runOf(contributor));
  return state.judgements.has(contributor.key) ? both(model, state, edits.removeContributor(model, state, contributor.key, ""), add) : add(state);
}

/**
 * The words leave the contributors that hold them, then the edit is done.
 * @type {(model: Model, state: PyramidState, edit: Changes, contributor: Contributor, others: Contributor[]) => Edit}
 */
function freed(model, state, edit, contributor, [other, ...more]) {
  return other ? both(model, state, edits.takeOut(model, state, other.key, runOf(contributor)), (now) => freed(model, now, edit, contributor, more)) : edit;
}

/** The edit without the SCUs that its contributors were in before. @type {(state: PyramidState, edit: Changes) => Edit} */
function moved(state, edit) {
  return { ...edit, changes: edit.changes.map((change) => {
    const before = change.kind === "judge" ? state.judgements.get(change.payload.markable)?.indices ?? [] : [];
    return change.kind === "judge" && before.length > 0
      ? judge(change.payload.markable, { ...change.payload, indices: change.payload.indices?.filter((scu) => !before.includes(scu)) }) : change;
  }) };
}

/**
 * The first thing that would work, for words that stand together.
 * @type {(model: Model, state: PyramidState, edit: Changes, check: PyramidEditor["check"], called: (scu: string) => string) => Offer | null}
 */
export function offerFor(model, state, edit, check, called) {
  const now = pyramidOf(model, state);
  const { byKey } = edits.after(model, state, edit.changes);
  const touched = [...edits.touchedBy(edit.changes)].flatMap((key) => byKey.get(key) ?? []).filter((contributor) => contributor.parts.length === 1);
  /** @type {{ label: string, edit: Edit }[]} */
  const offers = touched.flatMap((contributor) => {
    const others = now.contributors.filter((other) => other.key !== contributor.key);
    const own = others.find((other) => contributor.summary === other.summary && other.scus.some((scu) => contributor.scus.includes(scu)));
    const holders = others.filter((other) => other.places.some((place) => contributor.places.includes(place)));
    const names = [...new Set(holders.map(({ scus, words }) => (scus.length > 0 ? called(scus[0]) : `“${words}”`)))];
    const before = state.judgements.get(contributor.key)?.indices ?? [];
    return [
      ...(model.exclusive && contributor.scus.length > 1 && before.length > 0
        ? [{ label: `Take the words from ${before.map(called).join(" and ")}`, edit: moved(state, edit) }] : []),
      ...(model.oneContributor && !model.peer && own ? [{ label: "Add as a further part", edit: joined(model, state, contributor, own) }] : []),
      ...(model.exclusive && holders.length > 0
        ? [{ label: `Take the words from ${names.join(" and ")}`, edit: freed(model, state, edit, contributor, holders) }] : []),
    ];
  });
  for (const { label, edit: offered } of offers) {
    if (!("refused" in offered) && check(offered) === null) {
      return { label, edit: offered };
    }
  }
  return null;
}

/** Show the offer, as long as the refusal is what was said last. @type {(page: Page, editor: Pick<PyramidEditor, "check" | "perform">, edit: Changes, refused: string) => void} */
export function showOffer(page, { check, perform }, edit, refused) {
  const place = byId("say");
  const offer = offerFor(page.model, page.state, edit, check, edits.called(page.pyramid, page.numberOf));
  if (offer === null || place.textContent !== refused) {
    return;
  }
  const tool = button("button small pyramid-offer", offer.label);
  tool.addEventListener("click", () => {
    perform(offer.edit, "Done. Undo reverts it.", false);
    byId("text-pane").focus({ preventScroll: true });
  });
  place.append(" ", tool);
  byId("announce").textContent = `${refused} There is a button: ${offer.label}.`;
}
