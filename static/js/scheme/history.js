// The drafts of a visit, for undo and redo. Pure.
/** @import { Draft } from "./types.js" */

const MOST = 200;

/** @typedef {{ past: Draft[], present: Draft, future: Draft[], tag: string | null }} Drafts tag: what the last step was about */

/** @type {(draft: Draft) => Drafts} */
export const begin = (present) => ({ past: [], present, future: [], tag: null });

/** Go on to another draft. Steps with the same tag, such as letters typed into one field, are one. @type {(drafts: Drafts, draft: Draft, tag?: string | null) => Drafts} */
export function proceed({ past, present, tag: before }, draft, tag = null) {
  const joins = tag !== null && tag === before && past.length > 0;
  return { past: joins ? past : [...past, present].slice(-MOST), present: draft, future: [], tag };
}

/** @type {(drafts: Drafts) => Drafts} */
export function undo({ past, present, future, tag }) {
  const before = past.at(-1);
  return before ? { past: past.slice(0, -1), present: before, future: [present, ...future], tag: null } : { past, present, future, tag };
}

/** @type {(drafts: Drafts) => Drafts} */
export function redo({ past, present, future, tag }) {
  const [next, ...rest] = future;
  return next ? { past: [...past, present], present: next, future: rest, tag: null } : { past, present, future, tag };
}
