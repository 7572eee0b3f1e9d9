// What is loaded when one begins to work: the list of chains, the dialogs that change them and find antecedents, what lies
// over the text, the search bar.
import { byId } from "../workbench/dom/element.js";
import { createAntecedents } from "./targets/antecedents.js";
import { createChainDialogs } from "./chains/dialogs.js";
import { createEntities } from "./view/entities.js";
import { createOverlays } from "./view/overlays.js";
import { createSearch } from "./view/search.js";
import { lightUp } from "./view/text.js";
/** @import { Frame, Picker, Tools } from "./types.js" */

/** @type {(frame: Frame, picker: Picker) => Tools} */
export function createTools(frame, picker) {
  /** @type {Record<string, (chain?: string) => void>} */
  const dialogs = { ...createChainDialogs(frame, picker), find: createAntecedents(frame, picker) };
  /** @type {Tools["editChain"]} */
  const editChain = (action, chain) => dialogs[action](chain);
  const entities = createEntities(byId("entities", HTMLDetailsElement), { edit: editChain, light: (keys) => lightUp(frame.text, keys) });
  const search = createSearch(byId("search-bar"), frame);
  return { editChain, paintChains: () => entities.paint(frame.page), drawOverlays: createOverlays(frame), search };
}
