// Antecedents found by words: one line for each entity, its other mentions one step behind. Loaded with tools.js.
import { element } from "../../workbench/dom/element.js";
import { mannerOf, pointTo, takeIndex } from "../answers.js";
import { chains } from "../chains/chains.js";
import { chainBadge, describe } from "../view/panel.js";
/** @import { Candidate, Chains, Frame, Judgements, Mentions, Model, Picker } from "../types.js" */

const SHOWN = 40; // mentions in a preview

/**
 * The candidates as entities, in the order of their best candidate; each stands for its newest mention before the current
 * markable. The answer being given is left out, so that a further antecedent finds the same entities.
 * @type {(model: Model, judgements: Judgements, key: string, candidates: Candidate[]) => Mentions[]}
 */
export function candidateEntities(model, judgements, key, candidates) {
  const current = chains(model, judgements, key);
  const from = model.byKey.at(key).order;
  const found = /** @type {Map<string, Mentions>} */ (new Map());
  for (const candidate of candidates) {
    for (const chain of chainsOf(current, candidate)) {
      const entity = found.get(chain) ?? { index: candidate.index, newest: candidate.key, keys: [] };
      entity.keys.push(...(candidate.index === null ? [candidate.key] : current.members.at(chain)));
      found.set(chain, entity);
    }
  }
  for (const entity of found.values()) {
    entity.keys.sort((a, b) => model.byKey.at(a).order - model.byKey.at(b).order);
    entity.newest = entity.keys.findLast((key) => model.byKey.at(key).order < from) ?? entity.keys[0];
  }
  return [...found.values()];
}

/** @type {(current: Chains, candidate: Candidate) => string[]} */
function chainsOf(current, { key, index }) {
  const own = index === null ? current.of.get(key) ?? [] : [`#${index}`];
  return own.length > 0 ? own : [key];
}

/** Those of whose mentions one has all the words that are typed, in any order. @type {(model: Model, list: Mentions[], query: string) => Mentions[]} */
export function withWords(model, list, query) {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  return list.filter(({ index, keys }) => (index !== null && index === query.trim()) || keys.some((key) => {
    const { words, where } = describe(model, key);
    const text = `${words} ${where}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  }));
}

/** @type {(frame: Frame, picker: Picker) => () => void} */
export function createAntecedents({ page, say, answerWith, commitNote }, picker) {
  /** @type {(title: string, current: string, list: Mentions[]) => void} */
  function open(title, current, list) {
    const { model } = page;
    picker.open({
      title,
      placeholder: "words of a mention",
      none: "No candidate has these words.",
      points: true,
      choices: (query) => withWords(model, list, query).map(({ index, newest, keys }) => {
        const { words, where } = describe(model, newest);
        const [number] = index === null ? page.numbers.byMember.get(newest) ?? [] : [page.numbers.byChain.get(`#${index}`)];
        const named = index ?? (number === undefined ? null : String(number));
        return {
          label: words,
          hint: [where, keys.length > 1 ? `${keys.length} mentions` : ""].filter(Boolean).join(" · "),
          ...(named === null ? {} : { badge: chainBadge(named, number) }),
          run: (/** @type {boolean} */ further) => answerWith(index === null
            ? pointTo(page.model, page.judgements, current, newest, mannerOf(page, further), page.relation)
            : takeIndex(page.model, page.judgements, current, index, further), current),
          ...(index === null && keys.length > 1 ? {
            more: () => open(`Mentions of “${words}”`, current, keys.toReversed().map((key) => ({ index: null, newest: key, keys: [key] }))),
          } : {}),
          preview: () => (keys.length > 1 ? keys.slice(-SHOWN) : [])
            .map((key) => element("span", "workbench-picker-words", describe(model, key).words, { dir: "auto" })),
        };
      }),
    });
  }

  return () => {
    const { model, current } = page;
    if (current === null) {
      return;
    }
    commitNote();
    if (page.candidates.length === 0) {
      say("No candidate for this markable.");
      return;
    }
    open(`Point from “${describe(model, current).words}” to …`, current, candidateEntities(model, page.judgements, current, page.candidates));
  };
}
