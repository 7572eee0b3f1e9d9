// The words of the coding page as types, for readers and editors. The browser does not load this file.
// Parameters called model, judgements, chains, history, page and view are of the type of that name (view: TextView),
// key and target are keys of markables, chain is that of a chain: comments do not say it again.

/** UTF-16 offsets into the text. The server counts code points: `toUnits` and `toPoints` of the model convert. */
type Span = [number, number];

// ---- what is coded

interface Judgement {
  category: string | null;
  pointers: string[];
  indices: string[];
  note: string;
  /** of the chain that the markable is in */
  name: string;
  /** the coder's own MIN, in code points */
  head: [number, number][];
  unsure: boolean;
  optional: boolean;
}

/** by the key of the markable; never changed, only replaced */
type Judgements = Map<string, Judgement>;

interface Category {
  key: string;
  label: string;
  points_to: string | null;
  max_pointers: number | null;
  allow_later: boolean;
  takes_index: boolean;
  takes_optional: boolean;
}

interface Level {
  key: string;
  label: string;
  coded: boolean;
  coders_mark: boolean;
}

interface Markable {
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
  head: [number, number][];
  /** place in the text */
  order: number;
  words: string;
  lastWord: string;
}

interface Model {
  project: { slug: string; title: string };
  user: string;
  title: string;
  content: string;
  toUnits: (codePoint: number) => number;
  toPoints: (unit: number) => number;
  language: string;
  direction: "ltr" | "rtl";
  blocks: Block[];
  /** where they begin */
  sentences: number[];
  answers: "pointers" | "indices" | "categories";
  categories: Category[];
  levels: Map<string, Level>;
  /** levels of which coders mark their own */
  marking: Level[];
  markables: Markable[];
  coded: Markable[];
  byKey: Map<string, Markable>;
  /** described by the server, by key */
  known: Map<string, Markable>;
  /** keys of the markables that came with the text */
  given: Set<string>;
  /** keys of the coder's own */
  own: Set<string> | null;
  readOnly: boolean;
  version: number;
  /** at work so far */
  seconds: number;
}

/** What to do, before it has a uuid. Kinds: judge, clear, unmark, move; from the log import, submit, reopen, too. */
interface Deed {
  kind: string;
  payload: any;
}

interface Operation extends Deed {
  uuid: string;
  /** the same for operations that are undone together */
  step?: string | null;
  /** the step that this one takes back */
  undoes?: string | null;
}

// ---- what is made of it

/** A chain is named by the key of its root, or "#4" for the entity with index "4". */
interface Chains {
  of: Map<string, string[]>;
  members: Map<string, string[]>;
}

interface Numbers {
  byChain: Map<string, number>;
  byMember: Map<string, number[]>;
  next: number;
  /** the chains that they were given to */
  of: Chains | null;
}

interface Candidate {
  key: string;
  index: string | null;
  chosen: boolean;
  letter: string | null;
}

type Answer = { judgement: Judgement | null } | { refused: string };

interface Entity {
  chain: string;
  number: number | undefined;
  name: string;
  words: string;
  members: string[];
}

type Plan = { changes: [string, Judgement][]; after: Judgements } | { refused: string };

interface Finding {
  kind: "undecided" | "incomplete" | "circle" | "same-chain" | "inside" | "unsure";
  key: string;
  text: string;
}

interface Step {
  id: string;
  uuids: string[];
  deeds: Deed[];
  inverse: Deed[];
  undoneBy: string | null;
}

interface History {
  done: Step[];
  undone: Step[];
  /** nothing lies before it in the log */
  whole: boolean;
}

/** What deeds change, and how they are taken back. */
interface Machine {
  empty: () => any;
  copy: (state: any) => any;
  /** changes the state */
  carryOut: (model: any, state: any, deed: Deed) => void;
  inverseOf: (model: any, state: any, deed: Deed) => Deed[];
}

interface Draft {
  level: string;
  parts: Span[];
  /** the part that is being moved */
  at: number;
}

// ---- keys

interface Action {
  id: string;
  label: string;
  /** as `combination` in keys.js names them; an action without keys can be given some */
  keys: string[];
  group: string;
  when?: (model: Model) => boolean;
}

/** keys by action, where they are not those of the table */
type Choices = Record<string, string[]>;

interface Bindings {
  of: Map<string, string>;
  keys: Map<string, string[]>;
}

/** Where the focus is: in a text field; on a button or link; in the text or nowhere; whether Escape freed Tab. */
interface Where {
  inField: boolean;
  onControl: boolean;
  inText: boolean;
  released: boolean;
  inDialog: boolean;
  rightToLeft: boolean;
}

interface Pressed {
  id: string;
  further: boolean;
}

// ---- saving

interface Outbox {
  durable: boolean;
  all: () => Promise<Operation[]>;
  add: (...operations: Operation[]) => Promise<void>;
  remove: (uuids: string[]) => Promise<void>;
}

type SaveState = "saved" | "saving" | "waiting" | "merged" | "refused" | "signed-out";

interface Problem {
  title?: string;
  detail?: string;
  code?: string;
  operation?: number | null;
}

interface Hooks {
  state: (state: SaveState, waiting: number) => void;
  acknowledged: (operations: Operation[]) => void;
  missed: (missed: Operation[], pending: Operation[]) => void;
  /** null: nothing was dropped */
  refused: (operation: Operation | null, problem: Problem, pending: Operation[]) => void;
  /** the outbox no longer takes anything: what is unsent would be lost with the page */
  forgetful: () => void;
}

// ---- what is drawn

interface Block {
  kind: string;
  start: number;
  end: number;
  label: string;
  speaker: string;
}

/** a run of words of one markable */
interface Part {
  key: string;
  start: number;
  end: number;
}

interface Slice extends Part {
  children: (Slice | { text: string })[];
  depth: number;
}

interface TextView {
  root: HTMLElement;
  spans: Map<string, HTMLElement[]>;
  margins: Map<string, HTMLElement>;
  /** some blocks, one after the other */
  stretches: { element: HTMLElement; start: number; end: number }[];
  /** what a block is drawn as */
  rows: { block: Block; words: HTMLElement }[];
  /** where in the text a text node begins */
  starts: WeakMap<Text, number>;
  shown: Map<string, string>;
  badges: Map<string, string>;
  /** members of the chain that the mouse is on */
  lit: Set<string>;
  ends: string[][];
}

interface Choice {
  label: string;
  hint?: string;
  keys?: string[];
  badge?: HTMLElement;
  run: () => void;
  preview?: () => (Node | string)[];
}

/** All that the page knows at a moment. */
interface Page {
  model: Model;
  /** what the server has, as far as this page knows */
  base: Judgements;
  judgements: Judgements;
  history: History;
  current: string | null;
  chains: Chains;
  numbers: Numbers;
  decided: number;
  candidates: Candidate[];
  /** the current markable still wants a target */
  wants: boolean;
  keysOf: (action: string) => string[];
  /** its first key, as it stands on the keyboard */
  keyOf: (action: string) => string;
}
