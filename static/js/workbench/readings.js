// Readings: a list of targets has an alternative each; in a list of lists those of one list are meant together. Pure.
/** @import { Judgement, Readings } from "./types.js" */

/** As lists. @type {(readings: Readings) => string[][]} */
export const listsOf = (readings) => readings.map((reading) => (typeof reading === "string" ? [reading] : reading));

/** The targets that a reading has for itself. @type {(readings: Readings) => string[]} */
export const singlesOf = (readings) => readings.flatMap((reading) => (typeof reading === "string" ? [reading] : reading.length === 1 ? reading : []));

/** Without empty ones and doubles: a list of targets where no two are meant together. @type {(lists: string[][]) => Readings} */
export function readingsOf(lists) {
  const found = new Map(lists.filter((list) => list.length > 0).map((list) => [[...list].sort().join(" "), list]));
  const kept = [...found.values()];
  return kept.every((list) => list.length === 1) ? kept.flat() : kept;
}

/** The targets of all relations, as often as they are named. @type {(value: Partial<Judgement>) => string[]} */
export const targetsOf = ({ pointers = [], relations = {} }) => [pointers, ...Object.values(relations)].flatMap((readings) => readings.flat());

/** What a judgement points at when its targets have other keys; those that have none are not pointed at. @type {(value: Partial<Judgement>, newKey: (key: string) => string | null) => Pick<Judgement, "pointers" | "relations">} */
export function mapTargets({ pointers = [], relations = {} }, newKey) {
  /** @param {Readings} readings */
  const mapped = (readings) => readingsOf(listsOf(readings).map((list) => list.flatMap((key) => newKey(key) ?? [])));
  const kept = Object.entries(relations).map(([key, readings]) => /** @type {[string, Readings]} */ ([key, mapped(readings)]));
  return { pointers: mapped(pointers), relations: Object.fromEntries(kept.filter(([, readings]) => readings.length > 0)) };
}
