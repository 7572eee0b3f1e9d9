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

/** @param {Choices} choices */
export const rememberKeys = (choices) => store(KEYS, JSON.stringify(choices));

/** @param {string} size one of SIZES */
export const rememberSize = (size) => store(SIZE, size);
