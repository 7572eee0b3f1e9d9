// The dialogs that change whole chains: merging, splitting, naming. Loaded with tools.js.
import { element } from "../../workbench/dom/element.js";
import { judge } from "../../workbench/judgements.js";
import { merge, rename, split } from "./edits.js";
import { nameOf } from "./chains.js";
import { entities, filtered } from "./entities.js";
import { chainBadge, describe } from "../view/panel.js";
/** @import { Entity, Frame, Picker, Plan, Refusal } from "../types.js" */

const SHOWN = 40; // members in a preview

/** @param {Frame} frame @param {Picker} picker */
export function createChainDialogs({ page, record, refresh, say, commitNote }, picker) {
  /** @type {(plan: Plan | Refusal, done: string, parts?: boolean) => void} */
  function carryOut(plan, done, parts = false) {
    if ("refused" in plan) {
      say(plan.refused);
      return;
    }
    record(plan.judged.map(([key, value]) => judge(key, value)), parts);
    refresh();
    say(done);
  }

  /** The chain that a command is about: the one that is named, or the first of the current markable. */
  function ownChains() {
    return (page.chains.of.get(page.current ?? "") ?? [])
      .filter((chain) => page.model.answers === "indices" || page.chains.members.at(chain).length > 1);
  }

  const badge = (/** @type {Entity} */ { number, chain }) => chainBadge(String(number ?? chain.slice(1)), number);

  /** @type {(members: string[], changed?: string[]) => HTMLElement[]} */
  function inWords(members, changed = []) {
    const sorted = [...members].sort((a, b) => page.model.byKey.at(a).order - page.model.byKey.at(b).order);
    return sorted.slice(0, SHOWN)
      .map((key) => element(changed.includes(key) ? "strong" : "span", "workbench-picker-words", describe(page.model, key).words, { dir: "auto" }))
      .concat(sorted.length > SHOWN ? [element("span", "muted", `and ${sorted.length - SHOWN} more`)] : []);
  }

  const sizeOf = (/** @type {string[]} */ { length }) => `${length} ${length === 1 ? "member" : "members"}`;

  /** What a plan would make, or why it cannot be. @type {(plan: Plan | Refusal, show: () => HTMLElement[]) => HTMLElement[]} */
  const preview = (plan, show) => ("refused" in plan ? [element("p", "workbench-message", plan.refused)] : show());

  /** @param {string | undefined} chain */
  function openMerge(chain = page.chains.of.get(page.current ?? "")?.[0]) {
    if (chain === undefined) {
      say("This markable is in no chain.");
      return;
    }
    commitNote();
    const members = page.chains.members.at(chain);
    const others = entities(page.model, page.judgements, page.numbers).filter((entity) => entity.chain !== chain);
    picker.open({
      title: `Merge “${nameOf(page.judgements, members) || describe(page.model, members[0]).words}” with …`,
      placeholder: "words, name or number of a chain",
      none: others.length === 0 ? "No other chain yet." : "No chain has these words.",
      choices: (query) => filtered(page.model, others, query).map((entity) => ({
        label: entity.name || entity.words,
        hint: sizeOf(entity.members),
        badge: badge(entity),
        preview: () => preview(merge(page.model, page.judgements, chain, entity.chain), () => {
          const all = [...new Set([...members, ...entity.members])];
          return [element("h3", "", `${all.length} members, one chain`), ...inWords(all, members)];
        }),
        run: () => carryOut(merge(page.model, page.judgements, chain, entity.chain), "Merged. Undo separates them again."),
      })),
    });
  }

  function openSplit() {
    commitNote();
    const current = page.current ?? "";
    const all = entities(page.model, page.judgements, page.numbers).filter(({ chain }) => ownChains().includes(chain));
    const choices = all.flatMap((entity) => {
      const from = page.model.byKey.at(current).order;
      const later = entity.members.filter((key) => page.model.byKey.at(key).order >= from);
      const plan = (following = false) => split(page.model, page.judgements, entity.chain, current, following);
      return [false, true].map((following) => ({
        label: following ? "This and following" : "Only this",
        hint: following ? sizeOf(later) : "1 member",
        badge: badge(entity),
        preview: () => preview(plan(following), () => {
          const apart = following ? later : [current];
          return [element("h3", "", "New chain"), ...inWords(apart), element("h3", "", "Remaining chain"),
            ...inWords(entity.members.filter((key) => !apart.includes(key)))];
        }),
        run: () => carryOut(plan(following), "Split. Undo joins them again.", true),
      }));
    });
    if (choices.length === 0) {
      say("No chain to split here.");
      return;
    }
    picker.open({
      title: `Split at “${describe(page.model, current).words}”`,
      placeholder: "only this, this and following",
      choices: (query) => choices.filter(({ label }) => label.toLowerCase().includes(query.trim().toLowerCase())),
    });
  }

  /** @param {string | undefined} chain */
  function openRename(chain = ownChains()[0]) {
    if (chain === undefined) {
      say("This markable is in no chain yet.");
      return;
    }
    commitNote();
    const members = page.chains.members.at(chain);
    const before = nameOf(page.judgements, members);
    picker.open({
      title: `Name of “${describe(page.model, members[0]).words}”`,
      placeholder: before || "name of the chain",
      choices: (query) => {
        const name = query.trim().slice(0, 200);
        /** @type {(label: string, words: string) => { label: string, run: () => void }} */
        const choice = (label, words) => ({
          label, run: () => carryOut(rename(page.model, page.judgements, members, words), words ? `Named ${words}.` : "Name deleted."),
        });
        return [...(name ? [choice(`Name it “${name}”`, name)] : []), ...(before && !name ? [choice(`Delete the name “${before}”`, "")] : [])];
      },
      none: "Type a name, then press Enter.",
    });
  }

  /** @type {Record<string, (chain?: string) => void>} */
  return { merge: openMerge, split: openSplit, rename: openRename };
}
