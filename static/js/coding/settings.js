// What this browser remembers of a coder's choices: keys, the size of the text, how summaries stand.
import { storedChoices } from "./keys.js";

const KEYS = "coindex-keys";
const SIZE = "coindex-text-size";
const LAYOUT = "coindex-summaries";
export const SIZES = ["small", "medium", "large", "larger", "largest"];

/** @param {Action[]} actions @param {string} [place] of the keys @returns {{keys: Choices, size: string}} */
export function remembered(actions, place = KEYS) {
  try {
    const size = localStorage.getItem(SIZE);
    return { keys: storedChoices(actions, JSON.parse(localStorage.getItem(place))), size: SIZES.includes(size) ? size : "medium" };
  } catch {
    return { keys: {}, size: "medium" }; // storage is blocked, or holds something else
  }
}

function store(place, value) {
  try {
    localStorage.setItem(place, value);
  } catch {
    // The choice then lasts as long as the page.
  }
}

/** The numbers that chains wear in this window. @param {string} place address of the coding @returns {[string, number][]} */
export function rememberedNumbers(place) {
  try {
    const stored = JSON.parse(sessionStorage.getItem(place)) ?? [];
    return stored.filter(([chain, number]) => typeof chain === "string" && Number.isInteger(number) && number > 0);
  } catch {
    return []; // storage is blocked, or holds something else
  }
}

/** @param {string} place @param {Numbers} numbers */
export function rememberNumbers(place, numbers) {
  try {
    sessionStorage.setItem(place, JSON.stringify([...numbers.byChain]));
  } catch {
    // Chains are then numbered anew when the page is loaded again.
  }
}

/** @param {Choices} choices @param {string} [place] */
export const rememberKeys = (choices, place = KEYS) => store(place, JSON.stringify(choices));

/** @param {string} size one of SIZES */
export const rememberSize = (size) => store(SIZE, size);

/** @returns {"columns"|"rows"} how the summaries of a pyramid stand */
export function rememberedLayout() {
  try {
    return localStorage.getItem(LAYOUT) === "rows" ? "rows" : "columns";
  } catch {
    return "columns"; // storage is blocked
  }
}

/** @param {"columns"|"rows"} layout */
export const rememberLayout = (layout) => store(LAYOUT, layout);
