// The chains of a text as things to work with: listed, found, called. Pure.
import { chains, nameOf } from "./chains.js";
/** @import { Entity, Judgements, Model, Numbers } from "../types.js" */

/**
 * The chains of the text in the order of their first members: from the second member on, entities with an index at once.
 * @type {(model: Model, judgements: Judgements, numbers: Numbers) => Entity[]}
 */
export function entities(model, judgements, numbers) {
  const listed = [...chains(model, judgements).members].filter(([chain, members]) => members.length > 1 || chain.startsWith("#"));
  const found = listed.map(([chain, members]) => ({
    chain, number: numbers.byChain.get(chain), name: nameOf(judgements, members), words: model.byKey.at(members[0]).words || "∅", members,
  }));
  const place = (/** @type {Entity} */ entity) => model.byKey.at(entity.members[0]).order;
  return found.sort((a, b) => place(a) - place(b));
}

/** The entities some of whose words, or whose name or number, hold the query. @type {(model: Model, list: Entity[], query: string) => Entity[]} */
export function filtered(model, list, query) {
  const wanted = query.trim().toLowerCase();
  return wanted === "" ? list : list.filter((entity) => String(entity.number) === wanted
    || entity.name.toLowerCase().includes(wanted)
    || entity.members.some((key) => model.byKey.at(key).words.toLowerCase().includes(wanted)));
}
