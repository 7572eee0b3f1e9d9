// Written by scripts/api_types.py from the API's description. The browser does not load this file.

export interface JudgePayload {
  /** the key of a markable */
  markable: string;
  /** its key; null: none yet */
  category?: string | null;
  /** antecedents: alternatives, or lists of those that are meant together */
  pointers?: string[] | string[][];
  /** of entities, or of SCUs */
  indices?: string[];
  note?: string;
  /** what you call the chain that it is in */
  name?: string;
  /** your own MIN; empty: that of the markable */
  head?: [number, number][];
  unsure?: boolean;
  optional?: boolean;
  /** targets by the keys of relations besides identity */
  relations?: Record<string, string[] | string[][]>;
  /** by the keys of attributes: a value, a list of values, a text or a number */
  attributes?: Record<string, string | number | string[]>;
}

export interface DecidePayload {
  /** markables, each with a question: `category`, or the key of an attribute or relation */
  items: [string, string][];
  /** whose answer holds */
  source: "draft" | "coder" | "own";
  /** the last operations of those whose answer is taken: of coder */
  codings?: string[];
  /** why coders could disagree */
  reason?: "ambiguous" | "guideline" | "slip" | "scheme" | "";
  /** of the guidelines, by its heading */
  section?: string;
  note?: string;
}

export interface MarkableState {
  key: string;
  level: string;
  label: string;
  parts: [number, number][];
  /** the least words that stand for it (MIN); empty: all of it */
  head: [number, number][];
  /** You marked it; it did not come with the text. */
  own: boolean;
}

export interface LevelState {
  key: string;
  label: string;
  coded: boolean;
  /** Name a key of this level that is not there, and it is marked. */
  coders_mark: boolean;
}

export interface CategoryState {
  key: string;
  label: string;
  points_to: string | null;
  max_pointers: number | null;
  allow_later: boolean;
  takes_index: boolean;
  takes_optional: boolean;
  /** Where coders index: a markable with this answer is a singleton; else the answer is a value. */
  singleton: boolean;
  /** the only level that it is for; null: every coded level */
  level: string | null;
  help: string;
  colour: string;
  /** No longer offered; it stays where it was given. */
  retired: boolean;
}

export interface RelationState {
  key: string;
  label: string;
  help: string;
  /** none: every coded level */
  from_levels: string[];
  /** none: it is not offered */
  to_levels: string[];
  /** Its targets are the `pointers` of its category, and make chains. */
  identity: boolean;
  max_targets: number | null;
  /** Several targets may be meant together. */
  joint: boolean;
  later: boolean;
  asked_if: Condition | null;
  /** No longer offered; it stays where it was given. */
  retired: boolean;
}

export interface AttributeState {
  key: string;
  label: string;
  help: string;
  of: "markable" | "entity" | "relation";
  relation: string | null;
  /** none: every coded level */
  levels: string[];
  kind: "one" | "several" | "text" | "number";
  required: boolean;
  asked_if: Condition | null;
  /** the attribute to which it is a second choice */
  primary_of: string | null;
  values: AttributeValueState[];
  /** No longer offered; it stays where it was given. */
  retired: boolean;
}

export interface ComparedItem {
  markable: string;
  words: string;
  /** whether the gold says anything of it */
  is_judged: boolean;
  /** whether all answers are those of the gold */
  is_as_gold: boolean;
  /** the label of yours */
  category: string | null;
  gold_category: string | null;
  /** the words of each member of your chain */
  chain: string[];
  gold_chain: string[];
  /** to attributes and relations */
  answers: ComparedAnswer[];
  explanation: string;
  /** from 0 to 1 */
  score: number;
}

export interface SchemePreview {
  /** With one of them the scheme is refused. */
  problems: SchemeProblem[];
  /** What is merged or retired, and how often it was given. */
  effects: SchemeEffect[];
  /** Texts with answers that would not be allowed. */
  violations: SchemeViolation[];
  /** It differs from the present scheme. */
  changes: boolean;
  /** It differs in more than words and order. */
  asks_otherwise: boolean;
}

export interface Merge {
  /** `category`, or the key of an attribute */
  question: string;
  /** the value or category that is left out or retired */
  value: string;
  /** the one that its judgements get */
  into: string;
}

export interface QueueCoder {
  letter: string;
  /** null to whom sees letters only */
  name: string | null;
  /** its last operation that the draft rests on, as decisions name it */
  coding: string;
}

export interface SCUName {
  /** of an SCU that the draft has not, the key that it gets where it is taken */
  key: string;
  label: string;
}

export interface Condition {
  /** `category`, or the key of an attribute */
  question?: string;
  values?: string[];
  relation?: string;
}

export interface AttributeValueState {
  key: string;
  label: string;
  help: string;
  colour: string;
  /** No longer offered; it stays where it was given. */
  retired: boolean;
}

export interface ComparedAnswer {
  label: string;
  own: string;
  gold: string;
  is_equal: boolean;
}

export interface SchemeProblem {
  /** level, category, relation, attribute, answers or merge */
  kind: string;
  /** its key */
  question: string;
  /** where it is in the JSON, such as `attributes[2]` */
  path: string;
  message: string;
}

export interface SchemeEffect {
  kind: string;
  question: string;
  /** a sentence */
  change: string;
  judgements: number;
  texts: number;
  coders: number;
}

export interface SchemeViolation {
  kind: string;
  question: string;
  /** the address of a text */
  text: string;
  /** its title */
  title: string;
  judgements: number;
  coders: number;
}
