// Types of the pyramid pages. The browser does not load this file.
import type { Action, Change, Description, Judgement, Judgements, Keyboard, Machine, RawState, Span, WorkbenchModel, WorkbenchPage } from "../workbench/types.js";
import type { GoldEntry } from "../workbench/adjudication/types.js";
import type { Table } from "../workbench/table.js";

export * from "../workbench/types.js";

/** Words by their places in the text, first and last. */
export type Run = [number, number];

/** One of the model summaries, or the peer summary; words: its first and last. */
export interface Summary {
  place: number;
  name: string;
  /** code points */
  start: number;
  end: number;
  words: Run;
}

export interface Word {
  /** code points */
  start: number;
  end: number;
  /** place of the summary */
  summary: number;
}

export interface Model extends WorkbenchModel {
  kind: Kind;
  peer: boolean;
  title: string;
  docset: string;
  content: string;
  toUnits: (codePoint: number) => number;
  language: string;
  summaries: Summary[];
  words: Word[];
  oneContributor: boolean;
  exclusive: boolean;
  scoresShown: boolean;
  /** of contributors */
  level: string;
  /** keys of categories: expresses SCUs; expresses none of the pyramid */
  scu: string;
  outside: string;
  /** the pyramid that a peer is held against; null: there is none yet, or this is no peer */
  against: Against | null;
  others: Other[];
  /** of SCUs, by their keys: a new one has the next */
  numbers: Map<string, number>;
  /** what is known of contributors, by their keys */
  marks: Map<string, Mark>;
  /** at work so far */
  seconds: number;
}

export interface Against {
  kind: string;
  handed_in: boolean;
  summaries: number;
  scus: AgainstScu[];
}

export interface AgainstScu extends OthersScu {
  comment: string;
  weight: number;
}

/** Of an agreed pyramid: what a coder has. */
export interface Other {
  coder: string;
  scus: OthersScu[];
}

/** Of a peer, contributors are their words; else their keys. */
export interface OthersScu {
  key: string;
  label: string;
  contributors: string[];
}

/** What the JSON of the page says. */
export interface RawPyramid extends RawState {
  scheme: { levels: RawState["scheme"]["levels"]; categories: { key: string; takes_index: boolean }[] };
  pyramid: {
    kind: Kind;
    docset: string;
    one_contributor: boolean;
    words_exclusive: boolean;
    scores_shown: boolean;
    words: Span[];
    scus: Record<string, Description>;
    against: Against | null;
    others?: Other[];
    numbers: Record<string, number>;
  };
}

/** What the key of a contributor says. */
export interface Mark {
  key: string;
  /** code points */
  parts: Span[];
  /** place of the summary that holds all parts; -1: none does */
  summary: number;
  /** places of the words of which it holds a character */
  places: number[];
  /** its words as a reader sees them */
  words: string;
  /** first words of its parts */
  starts: Set<number>;
  /** words whose next word is in the same part */
  links: Set<number>;
}

export interface Contributor extends Mark {
  /** expresses no SCU of the pyramid */
  outside: boolean;
  /** keys of its SCUs */
  scus: string[];
}

/** The raw data: judgements by keys of contributors, and what is said of SCUs by their keys; never changed, only replaced. */
export interface PyramidState {
  judgements: Judgements;
  scus: Map<string, Description>;
  /** of an agreed pyramid: what has happened to it since the page was opened */
  last?: GoldEntry | null;
}

export interface Scu {
  key: string;
  label: string;
  comment: string;
  /** summaries that contribute; of a peer's SCU as the pyramid has it */
  weight: number;
  contributors: Contributor[];
  /** of a peer: what its contributors in the pyramid say */
  models: string[];
  /** of a peer: it is in the pyramid no more */
  gone: boolean;
}

/** All that follows from a state. */
export interface Pyramid {
  contributors: Contributor[];
  byKey: Table<string, Contributor>;
  scus: Table<string, Scu>;
  /** the heaviest first, then by label */
  order: Scu[];
  /** contributors without an SCU: of a peer "no SCU" */
  loose: Contributor[];
  /** by the place of a word */
  of: Contributor[][];
}

/** What a command would do, or why it cannot. at: words that are in the way. */
export type Edit = Changes | Refusal;

/** scu, contributor: what is selected afterwards; "": no SCU of the pyramid. */
export interface Changes {
  changes: Change[];
  scu?: string | null;
  contributor?: string | null;
}

export interface Refusal {
  refused: string;
  at?: string[];
}

/** A state to work on, which remembers what was done. */
export interface EditDraft {
  changes: Change[];
  value: (key: string) => Judgement;
  has: (key: string) => boolean;
  add: (key: string, scu: string) => void;
  take: (key: string, scu: string) => void;
  judge: (key: string, more: Partial<Judgement>) => void;
  move: (key: string, to: string) => void;
  unmark: (key: string) => void;
  describe: (scu: string, said: Partial<Description>) => void;
  said: (scu: string) => Description;
}

export interface Score {
  value: number | null;
  found: number;
  best: number;
  n: number;
}

export interface Scores {
  original: Score;
  modified: Score;
  comprehensive: Score;
  /** the weight of the whole pyramid */
  most: number;
}

/** One thing to look at before submitting: an SCU, a contributor, or the free words of a summary. */
export interface Finding {
  scu?: string;
  contributor?: string;
  free?: number;
  text: string;
  hint?: string;
}

/** How a coder's SCU lies to one of this pyramid. */
export interface RelatedScu {
  scu: OthersScu;
  shared: number;
  relation: "same" | "more" | "fewer" | "overlap";
}

// ---- the page

/** All that the page knows at a moment. */
export interface Page extends WorkbenchPage<Model, PyramidState> {
  pyramid: Pyramid;
  /** words: the selection is from anchor to cursor */
  anchor: number;
  cursor: number;
  /** keys of the selected SCU and contributor */
  scu: string | null;
  contributor: string | null;
  /** contributors chosen for splitting */
  chosen: Set<string>;
  /** contributors in the way of what was refused last */
  clash: Set<string>;
  filter: string;
  /** SCUs that the filter leaves */
  shown: Scu[];
  /** the selection was made by mouse or touch */
  mouse: boolean;
  /** the word that was tapped last, where a tap on another ends a selection */
  touched: number | null;
  /** SCUs keep the number under which they were first seen */
  numberOf: (scu: string) => number;
  wordsOf: (run: Run) => string;
}

export interface WordsView {
  root: HTMLElement;
  words: HTMLElement[];
  gaps: HTMLElement[];
  counts: HTMLButtonElement[];
  shown: string[];
  shownGaps: string[];
  badges: string[];
  /** places of words whose badges follow a moment later */
  late: Set<number>;
  painted: boolean;
  waiting: boolean;
}

export interface Fields {
  label: HTMLTextAreaElement;
  comment: HTMLTextAreaElement;
}

export interface ListView {
  fields: Fields;
  paint: (page: Page) => void;
  reveal: (scu: string | null) => void;
}

/** The page, its parts, and what main.js does with them. */
export interface Frame {
  page: Page;
  keyboard: Keyboard;
  view: WordsView;
  list: ListView;
  machine: Machine<Model, PyramidState>;
  refresh: () => void;
  select: (scu: string | null, contributor: string | null) => void;
  /** to the eye and to the ear */
  say: (words: string, refused?: boolean) => void;
  /** after a step among the words */
  walked: () => void;
}

export interface PyramidEditor {
  /** write without a step that can be undone */
  write: (changes: Change[]) => void;
  /** why an edit cannot be; null: it can */
  check: (edit: Edit) => string | null;
  /** carry an edit out as one step, or say why not; whether it was done. reveals: the selected SCU comes into sight */
  perform: (edit: Edit, message: string, reveals?: boolean) => boolean;
  undo: (forward: boolean) => Promise<void>;
  /** what was written of the selected SCU */
  commitFields: () => void;
  /** what is being written of the selected SCU and not recorded yet */
  draft: () => { scu: string; label: string; comment: string; before: string } | null;
  /** record what was being written when the page went away; the SCU, or null */
  takeUp: (draft: Record<string, unknown>) => string | null;
}

export type Dragged =
  | { kind: "words"; words: string }
  | { kind: "contributor"; words: string; key: string; scu: string }
  | { kind: "scu"; words: string; scu: string };

export interface PointerHandlers {
  /** a word was clicked */
  pick: () => void;
  /** the selection has changed */
  selected: () => void;
  /** why it cannot be dropped there; null: it can */
  why: (dragged: Dragged, target: DOMStringMap) => string | null;
  drop: (dragged: Dragged, target: DOMStringMap) => void;
}

export type Kind = "pyramid" | "agreed" | "peer" | "peer-agreed";
export type Direction = 1 | -1;
export type PyramidAction = Action<Model>;
