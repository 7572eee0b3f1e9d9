// Whether a colour can be seen on the pages, which are light or dark. Pure.
import { contrast as ofLuminances, luminance } from "../contrast.js";

/** What `--surface` of tokens.css is in the light and in the dark. */
const PAGES = { light: "#ffffff", dark: "#1c1f23" };
/** What WCAG 2 asks of what is no text (1.4.11). */
const LEAST = 3;
/** To choose from: seen on both pages, and told apart by those who are blind to red and green. */
export const PALETTE = ["#3f7fc4", "#c4622d", "#1f9d62", "#c23b8e", "#8a63d2", "#9a7b16", "#2b93a8", "#b0656a"];

/** @param {string} colour as "#rrggbb" */
const lightOf = (colour) => luminance([1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)));

/** @type {(one: string, other: string) => number} */
export const contrast = (one, other) => ofLuminances(lightOf(one), lightOf(other));

/** What is to be minded of a colour; "": nothing. @type {(colour: string) => string} */
export function colourProblem(colour) {
  const bad = colour ? Object.entries(PAGES).filter(([, page]) => contrast(colour, page) < LEAST).map(([name]) => name) : [];
  return bad.length > 0 ? `Hard to see on ${bad.join(" and ")} pages.` : "";
}
