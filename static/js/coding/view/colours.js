// The colours of a scheme, whose classes `colourLook` names. Loaded where there are some.
import { colourLook } from "../state.js";

/** Give the colours their classes: darker or lighter for the theme. @param {string[]} colours as "#rrggbb" */
export function showColours(colours) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync([...new Set(colours)].map((colour) => `.${colourLook(colour)} { --of-category: light-dark(
    color-mix(in oklab, ${colour} 70%, black), color-mix(in oklab, ${colour} 70%, white)); }`).join("\n"));
  document.adoptedStyleSheets.push(sheet);
}
