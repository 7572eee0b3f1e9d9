// What this browser stores of a coder's choices: keys, the size of the text, numbers of chains.
import { storedChoices } from "./keys/keys.js";
/** @import { Action, Choices } from "./types.js" */

const SIZE = "coindex-text-size";
export const SIZES = ["small", "medium", "large", "larger", "largest"];

export const local = () => localStorage;
const session = () => sessionStorage;

/** Null also where storage is blocked. @type {(store: () => Storage, place: string) => string | null} */
export function read(store, place) {
  try {
    return store().getItem(place);
  } catch {
    return null;
  }
}

/** Null also where something else is stored. @type {(store: () => Storage, place: string) => unknown} */
export function readJson(store, place) {
  try {
    return JSON.parse(read(store, place) ?? "null");
  } catch {
    return null;
  }
}

/** What cannot be stored lasts as long as the page. @type {(store: () => Storage, place: string, value: string) => void} */
export function write(store, place, value) {
  try {
    store().setItem(place, value);
  } catch {
    // storage is blocked or full
  }
}

/** @type {(store: () => Storage, place: string) => void} */
export function remove(store, place) {
  try {
    store().removeItem(place);
  } catch {
    // storage is blocked
  }
}

/** @type {<M>(actions: Action<M>[], place: string) => Choices} place: of the keys of a page */
export const readKeys = (actions, place) => storedChoices(actions, readJson(local, place));

export function readSize() {
  const size = read(local, SIZE);
  return size !== null && SIZES.includes(size) ? size : "medium";
}

/** @param {string} size one of SIZES */
export const storeSize = (size) => write(local, SIZE, size);

/** The numbers that chains have in this window. @param {string} place address of the coding @returns {Map<string, number>} */
export function readNumbers(place) {
  const stored = readJson(session, place);
  return new Map(Array.isArray(stored) ? stored.filter((row) => Array.isArray(row)
    && typeof row[0] === "string" && Number.isInteger(row[1]) && row[1] > 0) : []);
}

/** Without them chains are numbered anew when the page is loaded again. @type {(place: string, numbers: Map<string, number>) => void} */
export const storeNumbers = (place, numbers) => write(session, place, JSON.stringify([...numbers]));
