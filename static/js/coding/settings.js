// What this browser remembers of a coder's choices: keys, and the size of the text.
import { storedChoices } from "./keys.js";

const KEYS = "coindex-keys";
const SIZE = "coindex-text-size";
export const SIZES = ["small", "medium", "large", "larger", "largest"];

/** @returns {{keys: Choices, size: string}} */
export function remembered() {
  try {
    const size = localStorage.getItem(SIZE);
    return { keys: storedChoices(JSON.parse(localStorage.getItem(KEYS))), size: SIZES.includes(size) ? size : "medium" };
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

/** @param {Choices} choices */
export const rememberKeys = (choices) => store(KEYS, JSON.stringify(choices));

/** @param {string} size one of SIZES */
export const rememberSize = (size) => store(SIZE, size);
