// What this browser stores, where it may.

export const local = () => localStorage;
export const session = () => sessionStorage;

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
