// Types of the queue of gold and of agreed pyramids. The browser does not load this file.
import type { QueueCoder, SCUName } from "../../api.js";
import type { Change, DecidedItems, Judgement } from "../types.js";

export * from "../types.js";

/** What a coder or the draft says of a unit: its entities, by their places in the queue, or a label. */
export interface QueueAnswer {
  entities: number[];
  label: string | null;
  /** of a pyramid: contributors with some of the words, where none has just these, each with the place of its SCU */
  units: [string, number][];
}

export interface QueueRow {
  /** keys of markables that no coder separates */
  units: string[];
  /** of each coder, in their order; null: not marked */
  answers: (QueueAnswer | null)[];
  draft: QueueAnswer | null;
  contested: boolean;
  /** the draft has them in another entity than that of the card */
  elsewhere: boolean;
  /** the draft has no answer to accept */
  undecided: boolean;
}

/** A question without an answer, and where one may be given: at a markable, or at any of these of a chain. */
export interface Hole {
  markables: string[];
  question: string;
}

export interface QueueCard {
  kind: "entity" | "unit" | "question" | "check";
  entity: number | null;
  question: string;
  disagreement: number;
  rows: QueueRow[];
}

/** Why something cannot be done. */
export interface Refusal {
  refused: string;
}

/** Operations that are undone together: what they decide, by name, or all that is asked of a markable. */
export interface DecidingStep {
  step: string;
  undoes: string | null;
  decides: DecidedItems[];
  markables: string[];
  /** markable and question: what was decided of these before holds no longer */
  replaces: [string, string][];
}

/** What the server answers. */
export interface Queue {
  version: number;
  /** null: there is no draft, and nothing to decide */
  method: string | null;
  coders: QueueCoder[];
  entities: string[][];
  /** how many of them are the draft's; the others are of coders alone */
  drafted: number;
  /** of a pyramid: which SCU each entity is */
  scus: SCUName[];
  cards: QueueCard[];
  /** of each coder by key, without what says nothing */
  judgements: Record<string, Partial<Judgement>>[];
  draft: Record<string, Partial<Judgement>>;
  /** markable, question, decided when it was asked for */
  contested: [string, string, boolean][];
  steps: DecidingStep[];
  sample: number;
  left_off: number;
  sections: string[];
}

/** What the page knows of an operation that may decide something; the one before it, and so on. */
export interface GoldEntry {
  change: Change;
  step: string;
  undoes: string | null;
  /** the questions on its markable to which the answers are others now */
  replaces: string[];
  before: GoldEntry | null;
}

/** What decides an item: a decision, or an answer without one. */
export interface ItemDecision {
  source: DecidedItems["source"];
  codings: string[];
  reason: NonNullable<DecidedItems["reason"]>;
  section: string;
  note: string;
}

/** What is decided, by markable and then by question; "": all that is asked of it. */
export interface Decisions {
  /** the key of today of a unit of the queue, whose words may have been moved since it came */
  called: (key: string) => string;
  of: (key: string, question: string) => ItemDecision | null;
}

/** Where gold has the entities of the queue: its chains by the places of entities, null where it has none. */
export type EntityChains = (string | null)[];

/** What has been said of the last decision, which is offered for the next. */
export interface Why {
  reason: NonNullable<DecidedItems["reason"]>;
  section: string;
  note: string;
}

/** All that is derived of what is decided so far. */
export interface QueueView {
  queue: Queue;
  decisions: Decisions;
  places: EntityChains;
  readOnly: boolean;
}

/** What coders or gold say in a cell; the title has more of it. */
export interface CellContent {
  nodes: HTMLElement[];
  title: string;
}

/** What a page of texts or of pyramids does for its queue. */
export interface QueueHost {
  readOnly: boolean;
  pane: HTMLElement;
  /** the key that goes to the text and back */
  toggle: string;
  /** the head of the last column */
  column: string;
  /** without a draft there is nothing to see */
  hides: boolean;
  /** to move a unit decides it */
  movesDecide: boolean;
  last: () => GoldEntry | null;
  /** the chains or SCUs in which gold has a unit */
  chainsOf: (unit: string) => string[];
  /** where gold has the entities, given in which of its chains or SCUs most of what was put there is */
  placesOf: (queue: Queue, voted: EntityChains) => EntityChains;
  /** what gold lacks */
  holes: () => Hole[];
  /** why the server would not take it, beside holes; "": it would */
  refusal?: () => string;
  /** whether a question is asked of a unit, by its key of today, and has no answer */
  isUnanswered: (key: string, question: string) => boolean;
  labelOf: (question: string) => string;
  /** stand where one of these units stands */
  go: (units: string[]) => void;
  refresh: () => void;
  say: (words: string) => void;
  record: (changes: Change[]) => void;
  /** the changes by which the units of a row have an answer; null: none */
  take: (view: QueueView, card: QueueCard, row: QueueRow, answer: QueueAnswer | null, given: Queue["draft"]) => Change[] | Refusal;
  titleOf: (queue: Queue, card: QueueCard) => string;
  wordsOf: (units: string[]) => string;
  coderCell: (view: QueueView, card: QueueCard, row: QueueRow, coder: number) => CellContent;
  goldCell: (view: QueueView, card: QueueCard, row: QueueRow) => HTMLElement[];
}

/** The queue on the page. */
export interface QueuePanel {
  /** whether a key was for the queue */
  press: (event: KeyboardEvent, focus: Element) => boolean;
  paint: () => void;
}
