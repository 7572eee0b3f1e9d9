// Types of the scheme designer. The browser does not load this file.
import type { AttributeState, AttributeValueState, CategoryState, LevelState, Merge, RelationState, SchemePreview, SchemeProblem } from "../api.js";

/** When a question is asked. */
export type Condition = { question: string; values: string[] } | { relation: string };
type Asked<Q> = Omit<Q, "asked_if"> & { asked_if: Condition | null };

export type Level = LevelState;
export type Category = Omit<CategoryState, "points_to" | "max_pointers" | "allow_later">;
export type Relation = Asked<RelationState>;
export type Value = AttributeValueState;
export type Attribute = Asked<AttributeState>;
export type Problem = Omit<SchemeProblem, "path">;
/** What a change would do. */
export type Effects = SchemePreview;

/** What coders are asked: the JSON that the server reads and writes. Never changed, only replaced. */
export interface Scheme {
  answers: "pointers" | "indices" | "categories";
  levels: Level[];
  categories: Category[];
  relations: Relation[];
  attributes: Attribute[];
}

export interface Questions {
  level: Level;
  category: Category;
  relation: Relation;
  attribute: Attribute;
}

export type Kind = keyof Questions;

/** A question, or what is asked of all: the way in which identity is given. */
export type Place = { kind: Kind; key: string } | { kind: "answers"; key: "" };

/** What a step of editing makes: another scheme, with the key that the question has in it, or why not. */
export type Edit = { scheme: Scheme; key: string } | { refused: string };

/** A line of the list of questions. */
export interface Row {
  key: string;
  label: string;
  depth: number;
  /** what is asked, and when */
  note: string;
}

/** What is edited, and undone in one step. */
export interface Draft {
  scheme: Scheme;
  merges: Merge[];
}

/** A draft in the browser's store. */
export interface StoredDraft {
  draft: Draft;
  /** the scheme that it is a draft of, and its version */
  saved: Scheme;
  version: string;
  /** milliseconds since 1970 */
  at: number;
}

/** What follows from a scheme, in words. */
export interface Consequence {
  topic: string;
  name: string;
  /** null: neither; to be minded */
  allowed: boolean | null;
  why: string;
}

/** What the server says of a draft. */
export interface Verdict {
  problems: Problem[];
  /** null: there is nothing that could be shown */
  sample: object | null;
  changes: string[];
  consequences: Consequence[];
  /** how the saved scheme differs from the one that was opened */
  theirs: string[];
}

/** What the page starts from. */
export interface Start {
  /** the scheme as it is saved */
  scheme: Scheme;
  version: string;
  /** who edits it */
  user: string;
  /** there may be answers: keys that they refer to stay */
  assigned: boolean;
  /** who edits it sees all work, and may change what is asked once there may be answers */
  sees_work: boolean;
  /** there are markables: keys of levels stay */
  has_texts: boolean;
  starts: { key: string; label: string; description: string; scheme: Scheme }[];
}

/** What the parts of the page know, and do. */
export interface Designer {
  scheme: () => Scheme;
  draft: () => Draft;
  /** the draft without the values in which nothing is written yet: what the server gets */
  written: () => Draft;
  problems: () => Problem[];
  /** the scheme as it is saved */
  saved: () => Scheme;
  place: () => Place;
  /** whether it is in the scheme as it is saved: its key does not follow its label */
  isSaved: (kind: Kind, key: string, value?: string) => boolean;
  /** whether answers may refer to a question or value by this key, which then stays */
  isFixed: (kind: Kind, key: string, value?: string) => boolean;
  /** Go on to another draft; tag: what is written, letter by letter, is one step. Return why not. */
  apply: (edit: Edit, options?: { tag?: string; place?: Place; focus?: string; said?: string }) => string;
  replace: (draft: Draft, said: string) => void;
  select: (place: Place, focus?: boolean) => void;
  say: (words: string) => void;
}


export type Named = { key: string; label: string };

/** What a form is built with. */
export interface Frame<Q extends object = object> {
  root: HTMLElement;
  /** show again what the draft says */
  updates: (() => void)[];
  /** before the paths of its fields */
  prefix: string;
  /** the question or value that is edited, as it is now */
  one: () => Q;
  /** set some of its fields; tag: what is written, letter by letter, is one step */
  set: (fields: object, tag?: string) => void;
}

export interface SavingOptions {
  /** that the draft is a change of */
  version: () => string;
  /** coders may have begun */
  isAssigned: boolean;
  /** others change what coders are asked */
  isBlind: boolean;
  changes: () => string[];
  /** it is the scheme now */
  saved: (scheme: Scheme, version: string) => void;
  /** somebody else's is, and takes the place of the draft or not */
  theirs: (scheme: Scheme, version: string, takes: boolean) => void;
}
