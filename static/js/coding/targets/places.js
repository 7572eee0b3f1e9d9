// Where words or numbers lead: to markables of the text. Loaded with the list of all actions.
import { findMatches } from "../../workbench/dialogs/search.js";
import { destinations, markableAt } from "./destinations.js";
import { describe } from "../view/panel.js";
/** @import { Frame, Places } from "../types.js" */

const MOST = 500;

/** @type {(frame: Frame) => Places} */
export function createPlaces({ page, go }) {
  return (query) => {
    const { model } = page;
    const matches = query.trim().length > 1 ? findMatches(model.content, query).slice(0, MOST) : [];
    const keys = new Set(matches.map((match) => markableAt(model, match)).filter((key) => key !== null));
    const numbered = destinations(model, query).map(({ label, key }) => ({ label, hint: "go to", run: () => go(key) }));
    return [...numbered, ...[...keys].map((key) => {
      const { words, where } = describe(model, key);
      return { label: words, hint: where, run: () => go(key) };
    })];
  };
}
