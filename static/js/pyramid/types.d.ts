// The words of the pyramid pages as types, for readers and editors; those of ../coding/types.d.ts go along.
// Parameters called model, state, seen and page are of the type of that name: comments do not say it again.

/** words by their places in the text, first and last */
type Run = [number, number];

/** of the model summaries one, or the peer summary; words: its first and last */
interface Summary {
  place: number;
  name: string;
  /** code points */
  start: number;
  end: number;
  words: Run;
}

interface Word {
  /** code points */
  start: number;
  end: number;
  /** place of the summary */
  summary: number;
}

interface PyramidModel {
  kind: "pyramid" | "agreed" | "peer" | "peer-agreed";
  peer: boolean;
  user: string;
  title: string;
  docset: string;
  content: string;
  toUnits: (codePoint: number) => number;
  language: string;
  direction: "ltr" | "rtl";
  summaries: Summary[];
  words: Word[];
  oneContributor: boolean;
  exclusive: boolean;
  /** of contributors */
  level: string;
  /** keys of categories: expresses SCUs; expresses none of the pyramid */
  scu: string;
  outside: string;
  /** the pyramid that a peer is held against; null: there is none yet, or this is no peer */
  against: Against | null;
  others: Other[];
  /** none: all contributors are the coder's own */
  given: Set<string>;
  /** what is known of contributors, by their keys */
  marks: Map<string, Mark>;
  readOnly: boolean;
  version: number;
  seconds: number;
}

interface Against {
  kind: string;
  handed_in: boolean;
  summaries: number;
  scus: { key: string; label: string; comment: string; weight: number; contributors: string[] }[];
}

/** Of an agreed pyramid: what a coder has. */
interface Other {
  coder: string;
  scus: { key: string; label: string; contributors: string[] }[];
}

/** What the key of a contributor says. */
interface Mark {
  key: string;
  /** code points */
  parts: [number, number][];
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

interface Contributor extends Mark {
  /** expresses no SCU of the pyramid */
  outside: boolean;
  /** keys of its SCUs */
  scus: string[];
}

/** The raw data: judgements by keys of contributors, and what is said of SCUs by their keys. */
interface PyramidState {
  judgements: Judgements;
  scus: Map<string, { label: string; comment: string }>;
}

interface Scu {
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

/** All that is seen of a state. */
interface Seen {
  contributors: Contributor[];
  byKey: Map<string, Contributor>;
  scus: Map<string, Scu>;
  /** the heaviest first, then by label */
  order: Scu[];
  /** contributors without an SCU: of a peer "no SCU" */
  loose: Contributor[];
  /** by the place of a word */
  of: Contributor[][];
}

/** What a command would do, or why it cannot. at: words that are in the way. */
type Edit = { deeds: Deed[]; scu?: string | null; contributor?: string | null; said?: string } | Refusal;

interface Refusal {
  refused: string;
  at?: string[];
}

interface Score {
  value: number | null;
  found: number;
  best: number;
  n: number;
}
