// Types that both workbenches share. The browser does not load this file.
import type { DecidePayload, JudgePayload, LevelState, MarkableState } from "../api.js";

/** First and behind the last: UTF-16 units where nothing else is said. The server counts code points. */
export type Span = [number, number];

// ---- judgements, and what changes them

/** Targets each of which is an alternative; or lists of those that are meant together. */
export type Readings = string[] | string[][];

/** A value, several values, a text or a number. */
export type AttributeAnswer = string | string[] | number;

/** A whole judgement of a markable. */
export type Judgement = Required<Omit<JudgePayload, "markable">>;

/** By the key of the markable; never changed, only replaced. */
export type Judgements = Map<string, Judgement>;

export interface Description {
  label: string;
  comment: string;
}

export type RawLevel = LevelState;
export type RawMarkable = Pick<MarkableState, "key" | "level" | "parts"> & Partial<MarkableState>;
/** What holds of items of gold, each a markable and a question, and why; it changes no judgement. */
export type DecidedItems = DecidePayload;
type ImportedDescription = Partial<Description> & { scu: string };

/** What to do, before it is an operation with a uuid. */
export type Change =
  | { kind: "judge"; payload: JudgePayload }
  | { kind: "clear" | "unmark" | "check"; payload: { markable: string } }
  | { kind: "move"; payload: { markable: string; to: string } }
  | { kind: "describe"; payload: ImportedDescription }
  | { kind: "import"; payload: { judgements: JudgePayload[]; scus?: ImportedDescription[] } }
  | { kind: "draft"; payload: { judgements: JudgePayload[]; scus?: ImportedDescription[] } }
  | { kind: "decide"; payload: DecidedItems }
  | { kind: "correct"; payload: { edits: Edit[] } }
  | { kind: "merge"; payload: { changes: MergedAnswer[] } }
  | { kind: "submit" | "reopen"; payload: object };

/** The key of a markable, a question, and the answer to it before and after. */
type MergedAnswer = [string, string, string | string[], string | string[]];

/** Words of the text that were replaced; offsets of the text before, in code points. */
export interface Edit {
  start: number;
  end: number;
  old: string;
  new: string;
  /** those that take in what is inserted at their edges */
  segments: Span[];
}

/** A correction of the text, in the log. */
export interface Correction {
  sequence: number;
  edits: Edit[];
}

export type Operation = Change & {
  uuid: string;
  made_at?: string;
  /** the same for operations that are undone together */
  step?: string | null;
  /** the step that this one takes back */
  undoes?: string | null;
  /** the version of the coding on whose text it was made; not sent */
  seen?: number;
};

export type LoggedOperation = Operation & { sequence: number };

/** Keys of the markables that came with the text. */
export interface Given {
  given: Pick<Set<string>, "has">;
}

/** How changes are carried out on the state of a page, and taken back. */
export interface Machine<M, S> {
  empty: () => S;
  copy: (state: S) => S;
  /** changes the state */
  carryOut: (model: M, state: S, change: Change) => void;
  inverseOf: (model: M, state: S, change: Change) => Change[];
}

export interface Step {
  id: string;
  uuids: string[];
  changes: Change[];
  inverse: Change[];
  undoneBy: string | null;
}

export interface StepHistory {
  done: Step[];
  undone: Step[];
  /** nothing lies before it in the log */
  whole: boolean;
}

// ---- the page

export interface WorkbenchModel {
  user: string;
  direction: "ltr" | "rtl";
  readOnly: boolean;
  version: number;
  /** the version of the scheme that the page shows; pyramids have one for ever */
  scheme?: number;
  /** keys of the markables that came with the text */
  given: Pick<Set<string>, "has">;
}

/** What every page knows on which coders work: M is what the server gave, S what is changed. */
export interface WorkbenchPage<M extends WorkbenchModel, S> {
  model: M;
  /** what the server has, as far as this page knows */
  base: S;
  state: S;
  history: StepHistory;
  /** at work */
  seconds: number;
}

/** What the JSON of the page says on both. */
export interface RawState {
  user: string;
  text: { title: string; content: string; language: string; direction: "ltr" | "rtl"; segments?: RawSegment[] };
  scheme: { levels: RawLevel[] };
  markables: RawMarkable[];
  judgements?: Record<string, Partial<Judgement>>;
  coding: { status: string; version: number; seconds?: number };
}

/** Offsets in code points. */
export interface RawSegment {
  kind: string;
  start: number;
  end: number;
  label?: string;
  speaker?: string;
}

export interface EditorOptions<M extends WorkbenchModel, S> {
  page: WorkbenchPage<M, S>;
  machine: Machine<M, S>;
  sync: Sync;
  /** what an earlier visit could not send */
  unsent: Operation[];
  /** that of the page when it was opened */
  version: number;
  say: (words: string) => void;
  /** say it to the ear, too */
  tell: (words: string) => void;
  /** record what is being written */
  commit: () => void;
  refresh: () => void;
  /** in which something is written about what is selected */
  fields: HTMLElement[];
  /** go to what was undone or redone, which is said */
  show: (changes: Change[], done: string) => void;
}

/** By the id of an action what it does. */
export type Handlers = Record<string, (further: boolean) => void>;

export interface CommandOptions<M, P> {
  /** all that the table has */
  actions: Action<M>[];
  /** those that this page has a use for */
  available: Action<M>[];
  frame: { page: P; keyboard: Keyboard; say: (words: string) => void; refresh: () => void };
  /** under which chosen keys are stored */
  place: string;
  /** what the list of all actions finds besides */
  search: { placeholder: string; load: () => Promise<Places> };
  /** whether there is nothing to work on */
  idle: () => boolean;
  /** the key of the markable that a question is about; null: the text */
  subject: () => string | null;
  /** record what is being written */
  commit: () => void;
  /** what to look at before submitting */
  checks: () => Promise<{ openChecks: (page: P, waiting: number) => void }>;
  sync: Sync;
  undo: (forward: boolean) => void;
  /** show other keys */
  relabel: () => void;
}

// ---- keys

/** What can be done on a page whose model is M. */
export interface Action<M> {
  id: string;
  label: string;
  /** as `combination` in keys.js names them; an action without keys can be given some */
  keys: string[];
  group: string;
  /** also where the text has nothing to work on */
  anywhere?: boolean;
  /** whether this text and scheme have a use for it; without it, always */
  when?: (model: M) => boolean;
}

export interface KeyListOptions<M> {
  all: Action<M>[];
  shown: Action<M>[];
  /** under which the choices are stored */
  place: string;
  rightToLeft: boolean;
  changed: (choices: Choices) => void;
}

/** Keys by action, where they are not those of the table. */
export type Choices = Record<string, string[]>;

export interface Bindings {
  of: Map<string, string>;
  keys: Map<string, string[]>;
}

/** What `combination` needs of a keydown. */
export interface KeyPress {
  key: string;
  code?: string;
  shiftKey?: boolean;
  ctrlKey?: boolean;
  metaKey?: boolean;
  altKey?: boolean;
  isComposing?: boolean;
}

/** Where the focus is: in a text field; on a button or link; in the text or nowhere; whether Escape freed Tab. */
export interface Focus {
  inField: boolean;
  onControl: boolean;
  inText: boolean;
  released: boolean;
  inDialog: boolean;
  rightToLeft: boolean;
}

export interface Pressed {
  id: string;
  /** with Shift: as a further antecedent */
  further: boolean;
}

export interface Keyboard {
  /** whether the arrows have changed places */
  rightToLeft: boolean;
  /** as they are pressed */
  keysOf: (action: string) => string[];
  /** its first key, as it stands on the keyboard; "": it has none */
  keyOf: (action: string) => string;
  rebind: (choices: Choices) => void;
  /** let Tab leave the text, until the text has the focus again */
  release: () => void;
  /** hold keys back until this is done: they are meant for what will be there, and forgotten where it fails */
  suspend: (work: Promise<unknown>) => void;
  listen: (handlers: KeyHandlers) => void;
}

export interface KeyHandlers {
  /** whether the page has taken a key before any action, where `focus` is */
  intercept: (event: KeyboardEvent, focus: Element) => boolean;
  /** whether a mode of the page takes it instead of the action; null: there is no such mode now */
  override?: (event: KeyboardEvent, inText: boolean, action: string | undefined) => boolean | null;
  run: (action: string, further: boolean) => boolean;
}

// ---- dialogs

export interface Choice {
  label: string;
  hint?: string;
  keys?: string[];
  badge?: HTMLElement;
  /** further: chosen with Shift */
  run: (further: boolean) => void;
  /** what is behind the choice */
  more?: () => void;
  preview?: () => (Node | string)[];
}

export interface PickerOptions {
  title: string;
  placeholder: string;
  choices: (query: string) => Choice[];
  /** what to say where there is no choice */
  none?: string;
  /** whether a choice is pointed to, with Shift as a further one */
  points?: boolean;
}

export interface Picker {
  open: (options: PickerOptions) => void;
}

/** Where words or numbers lead. */
export type Places = (query: string) => Choice[];

/** The same dialogue for a page, whose choices may be places besides. */
export interface PlacePicker {
  open: (options: Omit<PickerOptions, "choices"> & { choices: (query: string, places: Places) => Choice[] }) => void;
}

export interface CheckGroup {
  title: string;
  count: number;
  note?: string;
  /** entries of the list, made for those that are shown */
  items: (() => HTMLElement)[];
}

/** What to look at before submitting. */
export interface CheckList {
  summary: string;
  /** operations that are not saved yet */
  waiting: number;
  groups: CheckGroup[];
  /** what to say where nothing is in it; "" where something is */
  empty: string;
  /** the server would refuse it: nothing is offered that submits */
  refused: boolean;
}

// ---- saving

export interface Outbox {
  durable: boolean;
  /** what would be lost if the page went away now */
  unstored: () => Operation[];
  all: () => Promise<Operation[]>;
  add: (...operations: Operation[]) => Promise<void>;
  remove: (uuids: string[]) => Promise<void>;
}

/** What answers that are no longer offered have become, by question. */
export type Merges = Record<string, Record<string, string>>;

/** What a page leaves to the next one of the same coding. */
export interface Visit {
  /** of the server, as far as the page knew */
  version: number;
  /** that the outbox had not stored yet */
  operations: Operation[];
  /** what was being typed */
  draft: Record<string, unknown> | null;
}

export type SaveState = "saved" | "saving" | "waiting" | "busy" | "merged" | "refused" | "signed-out";

export interface Problem {
  title?: string;
  detail?: string;
  code?: string;
  /** the place in the request of the operation that is wrong */
  operation?: number | null;
  /** of the scheme by which it was judged */
  scheme_version?: number;
}

/** What the server answers, as far as it is one of its own answers. */
export interface ServerAnswer extends Problem {
  version?: number;
  /** operations that this page does not know */
  missed?: LoggedOperation[];
  /** of the log */
  results?: LoggedOperation[];
}

/** What became of operations that were sent. stale: the server has others before them, and took none. */
export type Outcome =
  | { kind: "signed-out" }
  | { kind: "again"; seconds?: number }
  | { kind: "problem"; problem: Problem; halt: boolean }
  | { kind: "version"; version: number; missed: LoggedOperation[] | null; stale: boolean };

export interface Timers {
  setTimeout: (run: () => void, milliseconds: number) => number;
  clearTimeout: (timer: number) => void;
}

export interface SavingOptions<M extends WorkbenchModel, S> {
  /** of the operations */
  url: string;
  /** the name of the coding among those of the text */
  coding: string;
  /** where it waited before texts had several codings, if this is the only one */
  former: string | undefined;
  /** whose outbox and windows these are */
  place: string;
  page: WorkbenchPage<M, S>;
  machine: Machine<M, S>;
  /** show how saving stands now */
  show: () => void;
  refresh: () => void;
  /** what was refused, in words; it is not taken back yet */
  describe: (operation: Operation) => string;
  /** what is being typed and no answer yet; null: nothing */
  draft: () => Visit["draft"];
  /** after a refusal */
  cleanUp?: (operation: Operation) => void;
}

export interface SyncOptions {
  url: string;
  /** which coding of the text the page was opened with, whatever is assigned since */
  coding: string;
  /** whose page it is: the server answers nobody else who has signed in meanwhile */
  user: string;
  /** the token of the session as it is now */
  csrf: () => string;
  version: number;
  scheme?: number;
  outbox: Outbox;
  hooks: SyncHooks;
  fetch: typeof globalThis.fetch;
  timers: Timers;
  random: () => number;
}

export interface SyncHooks {
  state: (state: SaveState, waiting: number) => void;
  acknowledged: (operations: Operation[]) => void;
  missed: (missed: Operation[], pending: Operation[]) => void;
  /** the text was corrected, or answers merged: nothing more is sent from this page, which is to be loaded anew */
  outdated: () => void;
  /** an operation was dropped; null: none was */
  refused: (operation: Operation | null, problem: Problem, pending: Operation[]) => void;
  /** the outbox no longer takes anything: what is unsent would be lost with the page */
  storageFailed: () => void;
}

export interface Sync {
  start: (unstored?: Operation[]) => Promise<Operation[]>;
  push: (...operations: Operation[]) => void;
  flush: () => void;
  check: () => Promise<void>;
  log: (since: number, until: number) => Promise<LoggedOperation[]>;
  waiting: () => number;
  version: () => number;
}

/** A part of the page that is loaded when somebody begins to work. */
export interface LoadedPart<T> {
  load: () => Promise<T>;
  /** Do something with it: at once, or as soon as it is there. */
  use: (work: (part: T) => void) => Promise<void>;
}

/** Words and nodes of an element; "" is none. */
export type Content = string | Node | (string | Node)[];

/** Of an element, with its data-…. */
export type Properties<T extends keyof HTMLElementTagNameMap> = Partial<Omit<HTMLElementTagNameMap[T], "dataset">> & {
  dataset?: Record<string, string>;
};

export type MakeElement = <T extends keyof HTMLElementTagNameMap>(
  tag: T, className?: string, content?: Content, properties?: Properties<T>,
) => HTMLElementTagNameMap[T];
