// Types of the coding page. The browser does not load this file.
import type { AttributeState, AttributeValueState, CategoryState, ComparedItem, RelationState } from "../api.js";
import type { Action, AttributeAnswer, Change, Judgement, Judgements, Keyboard, KeyHandlers, RawLevel, RawState, Span, WorkbenchModel, WorkbenchPage } from "../workbench/types.js";
import type { Table } from "../workbench/table.js";

export * from "../workbench/types.js";

// ---- what is coded

/** When a question is asked. */
export type Condition = { question: string; values: string[] } | { relation: string };
type Asked<Q> = Omit<Q, "asked_if"> & { asked_if: Condition | null };

export type Category = CategoryState;
export type Value = AttributeValueState;
export type RawRelation = Asked<RelationState>;
export type RawAttribute = Asked<AttributeState>;
export type RelationConstraints = Omit<RawRelation, "key" | "help">;
export type AttributeConstraints = Omit<RawAttribute, "key" | "help" | "primary_of" | "values"> & { values: string[]; retired_values: string[] };
/** A judgement that was compared, beside the gold. */
export type Comparison = ComparedItem;

/** The table of annotations/schemes/constraints.py. */
export interface Constraints {
  max_keys: number;
  max_text_length: number;
  max_number: number;
  categories: Record<string, { levels: string[]; identity: string | null; takes_index: boolean; retired: boolean }>;
  relations: Record<string, RelationConstraints>;
  attributes: Record<string, AttributeConstraints>;
}

export interface GivenAnswers {
  level: string;
  category: string | null;
  attributes: Record<string, AttributeAnswer>;
  /** those that are set */
  relations: Set<string>;
}

export interface Violation {
  /** the server's */
  code: string;
  message: string;
}


export interface RawScheme {
  answers: "pointers" | "indices" | "categories";
  levels: RawLevel[];
  categories: Category[];
  relations: RawRelation[];
  attributes: RawAttribute[];
  constraints: Constraints;
  scheme_version: number;
}

/** A question after the category: an attribute, or the targets of a relation. */
export interface Question {
  key: string;
  label: string;
  help: string;
  of: "markable" | "entity" | "relation";
  kind: "one" | "several" | "text" | "number" | "targets";
  /** itself, or that of which it asks */
  relation: string | null;
  required: boolean;
  asked_if: Condition | null;
  primary_of: string | null;
  values: Value[];
  retired: boolean;
  /** how many questions lead to it */
  depth: number;
}

/** Members of an entity that answer an attribute differently: one for each answer. */
export interface EntityConflict {
  attribute: string;
  members: string[];
  answers: [string, AttributeAnswer][];
}

/** How a target joins those that are there: instead of them, as an alternative, together with the last. */
export type Manner = "only" | "or" | "and";

export interface Markable {
  /** level and parts in code points: "phrase:10-14,20-25" */
  key: string;
  level: string;
  label: string;
  parts: Span[];
  start: number;
  end: number;
  coded: boolean;
  own: boolean;
  /** MIN as it came with the text, in code points */
  head: Span[];
  /** place in the text */
  order: number;
  words: string;
  lastWord: string;
}

/** A text and its scheme, before markables. */
export interface TextModel extends WorkbenchModel {
  given: Set<string>;
  content: string;
  toUnits: (codePoint: number) => number;
  toPoints: (unit: number) => number;
  language: string;
  blocks: Block[];
  /** where they begin */
  sentences: number[];
  answers: RawScheme["answers"];
  categories: Category[];
  relations: RawRelation[];
  attributes: RawAttribute[];
  constraints: Constraints;
  levels: Map<string, RawLevel>;
  /** levels of which coders mark their own */
  marking: RawLevel[];
  /** described by the server, by key */
  known: Map<string, Markable>;
  /** at work so far */
  seconds: number;
  /** one only tries: nothing is saved, and nobody asked */
  practice: boolean;
  gold: boolean;
  /** in training, where each judgement is compared with the gold; null: elsewhere */
  feedback: RawFeedback | null;
}

export interface RawFeedback {
  /** where the server answers with what was compared */
  address: string;
  items: Comparison[];
}

export interface Feedback {
  /** compare a judgement with the gold; false: it was compared, or something is still to answer */
  compare: (key: string) => boolean;
  /** the same, with the reason where nothing is compared */
  press: (key: string) => void;
  /** ask for what is waited for, once all is saved */
  settle: () => void;
  paint: () => void;
}

export interface Model extends TextModel {
  markables: Markable[];
  coded: Markable[];
  byKey: Table<string, Markable>;
  /** keys of the coder's own */
  own: Set<string>;
}

/** What the JSON of the page says. */
export interface RawCoding extends RawState {
  practice?: boolean;
  gold?: boolean;
  feedback?: RawFeedback;
  scheme: RawScheme;
}

// ---- what is made of it

/** A chain is named by the key of its root, or "#4" for the entity with index "4". */
export interface Chains {
  of: Map<string, string[]>;
  members: Table<string, string[]>;
}

export interface Numbers {
  byChain: Map<string, number>;
  byMember: Map<string, number[]>;
  next: number;
  /** the chains that they were given to */
  of: Chains | null;
}

export interface Candidate {
  key: string;
  index: string | null;
  chosen: boolean;
  letter: string | null;
}

export interface Refusal {
  refused: string;
}

/** null: nothing changes */
export type Answer = {
  judgement: Judgement | null;
  /** keys of questions that are no longer asked, with their answers */
  dropped?: string[];
} | Refusal;

export interface Entity {
  chain: string;
  number: number | undefined;
  name: string;
  words: string;
  members: string[];
}

/** What would be judged how, and what that makes. */
export interface Plan {
  judged: [string, Judgement][];
  after: Judgements;
}

/** a required answer that is missing: of a markable, or of the chain that it is in */
export interface RequiredAnswer {
  attribute: string;
  key: string;
  ofChain: boolean;
}

export interface Finding {
  kind: "required" | "undecided" | "incomplete" | "circle" | "same-chain" | "inside" | "entity" | "unsure";
  key: string;
  text: string;
  /** the one to which the answer is missing, where there are several */
  question?: string;
}

export type Edge = "start" | "end";
export type Unit = "word" | "character";
export type Direction = 1 | -1;

/** Words that may become a markable. */
export interface Draft {
  level: string;
  parts: Span[];
  /** the part that is being moved */
  at: number;
}

/** Where else the words of a draft stand. */
export interface Repeats {
  /** of the markables that they can be, at most a hundred */
  keys: string[];
  /** how many are marked */
  marked: number;
  /** how many would cross a markable */
  crossing: number;
  /** how many more there are */
  rest: number;
}

// ---- what is drawn

export interface Block {
  kind: string;
  start: number;
  end: number;
  label: string;
  speaker: string;
}

/** A run of words of one markable. */
export interface Part {
  key: string;
  start: number;
  end: number;
}

export interface Slice extends Part {
  children: (Slice | { text: string })[];
  depth: number;
  /** where it ends that was cut */
  whole?: number;
}

export interface Row {
  block: Block;
  /** what the block is drawn as */
  words: HTMLElement;
}

export interface Stretch {
  element: HTMLElement;
  start: number;
  end: number;
}

export interface TextView {
  root: HTMLElement;
  spans: Map<string, HTMLElement[]>;
  margins: Map<string, HTMLElement>;
  /** some blocks, one after the other */
  stretches: Stretch[];
  rows: Row[];
  /** where in the text a text node begins */
  starts: WeakMap<Text, number>;
  shown: Map<string, string>;
  badges: Map<string, string>;
  /** members of the chain that the mouse is on */
  lit: Set<string>;
  ends: string[][];
}

/** All that the page knows at a moment. */
export interface Page extends WorkbenchPage<Model, Judgements> {
  /** the state of this page */
  readonly judgements: Judgements;
  current: string | null;
  chains: Chains;
  numbers: Numbers;
  decided: number;
  candidates: Candidate[];
  /** the current markable still wants a target */
  wants: boolean;
  /** the relation to whose targets the letters point; null: identity */
  relation: string | null;
  /** the next target is meant together with the last */
  together: boolean;
  /** an attribute of the entity is asked */
  asksEntity: boolean;
  /** what is answered to questions after the category, in words */
  answersSaid: string;
  /** which of them keys answer now, in words */
  asks: string;
}

/** The questions after the category. */
export interface Further {
  /** find out which are asked, before the page is painted */
  settle: () => void;
  paint: () => void;
  /** to the next, after an answer */
  goOn: () => void;
  /** false: it is the category's */
  digit: (place: number) => boolean;
  /** false: nothing more is asked */
  accept: () => boolean;
  /** let letters point to antecedents again; false: they do */
  leave: () => boolean;
  step: (direction: Direction) => void;
  nextRelation: () => void;
  intercept: KeyHandlers["intercept"];
  /** a button of a question */
  press: (control: HTMLElement) => void;
  /** what a step has to change besides, so that entities keep their answers */
  kept: (changes: Change[], copies: boolean) => Change[];
  askConflicts: (before: Judgements) => void;
  /** list the values of the question; false: it has none */
  find: () => boolean;
  /** make a question the one that keys answer */
  ask: (question: string) => void;
}

/** The page, its parts, and what main.js does with them. */
export interface Frame {
  page: Page;
  keyboard: Keyboard;
  pane: HTMLElement;
  text: TextView;
  /** write a step that can be undone, with what it has to change besides; copies: it parts a chain */
  record: (changes: Change[], copies?: boolean) => void;
  /** the same, as it is */
  write: (changes: Change[]) => void;
  refresh: () => void;
  go: (key: string | null, prefix?: string) => void;
  /** to the eye and to the ear */
  say: (words: string) => void;
  /** to the ear alone */
  announce: (words: string) => void;
  /** the current markable with its answers */
  announceAgain: () => void;
  commitNote: () => void;
  /** key: of the markable that it is for, where that may be another one than the current by now */
  answerWith: (answer: Answer, key?: string | null) => void;
}

export interface MouseHandlers {
  /** a button of a question after the category */
  press: (control: HTMLElement) => void;
  answerWith: (answer: Answer) => void;
  /** to a markable that may be a turn, which is not judged */
  go: (key: string, question?: string) => void;
  run: (action: string, further?: boolean) => void;
  /** list every candidate */
  listAll: () => void;
  /** light up these members of chains */
  light: (keys: string[]) => void;
  /** the candidate that mouse or focus is on */
  point: (key: string | null) => void;
}

export interface Marking {
  /** whether the keys move a draft now */
  active: () => boolean;
  /** what the actions of the table do: with the words that are selected, else by key */
  handlers: Record<string, () => void>;
  /** whether a key, as `combination` names it, or the action that has it, was for the draft; any other key is the browser's */
  press: (key: string, action: string | undefined) => boolean;
}

export type CodingAction = Action<Model>;

/** An entity that may be pointed to: its mentions that are candidates, in the order of the text. */
export interface Mentions {
  /** null: the scheme points */
  index: string | null;
  newest: string;
  keys: string[];
}

/** What is loaded when one begins to work: the list of chains, the dialogs that change them, what lies over the text, the search bar. */
export interface Tools {
  /** merge, split or rename a chain, that of the current markable where none is named; find: point by words */
  editChain: (action: string, chain?: string) => void;
  paintChains: () => void;
  /** ticks and arc, in the next frame; to the candidate that mouse or focus is on */
  drawOverlays: (pointedAt: string | null) => void;
  /** search for what the search bar says, once it is shown */
  search: () => void;
}
