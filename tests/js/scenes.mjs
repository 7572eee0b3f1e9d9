// Small texts for the tests, in the shape in which the server sends them.

const LEVELS = [
  { key: "phrase", label: "phrase", coded: true, coders_mark: false }, { key: "turn", label: "turn", coded: false, coders_mark: false },
];

const category = (key, more = {}) => ({
  key, label: key, points_to: null, max_pointers: null, allow_later: false, takes_index: false, takes_optional: false, singleton: false, ...more,
});

export const SCHEMES = {
  pointers: {
    answers: "pointers",
    levels: LEVELS,
    categories: [
      category("phrase", { points_to: "phrase" }), category("segment", { points_to: "turn" }), category("place"), category("none"),
    ],
  },
  single: {
    answers: "pointers",
    levels: LEVELS,
    categories: [category("ident", { points_to: "phrase", max_pointers: 1, allow_later: true }), category("none")],
  },
  indices: { answers: "indices", levels: LEVELS, categories: [category("refers", { takes_index: true }), category("none")] },
  categories: { answers: "categories", levels: LEVELS, categories: [category("person"), category("place")] },
};

/** A state whose markables are given as [key, level, start, end] in code points. */
export function scene(content, marks, { scheme = "pointers", judgements = {}, segments = [], status = "open", language = "en", marking = false } = {}) {
  return {
    project: { slug: "p", title: "P" },
    user: "ann",
    text: { slug: "t", title: "T", content, language, direction: "ltr", segments },
    scheme: marking ? { ...SCHEMES[scheme], levels: LEVELS.map((level) => ({ ...level, coders_mark: level.coded })) } : SCHEMES[scheme],
    markables: marks.map(([key, level, ...offsets]) => ({
      key,
      level,
      label: key,
      parts: Array.isArray(offsets[0]) ? offsets : [[offsets[0], offsets[1]]],
    })),
    coding: { status, version: 0 },
    judgements,
  };
}

/** Words in square brackets become phrases named after their place: "[a] b [c]" gives p1 and p2. */
export function marked(text, options) {
  const marks = [];
  const open = [];
  let content = "";
  let length = 0;
  for (const character of text) {
    if (character === "[") {
      open.push([`p${marks.length + 1}`, "phrase", length]);
      marks.push(open.at(-1));
    } else if (character === "]") {
      open.pop().push(length);
    } else {
      content += character;
      length += 1;
    }
  }
  return scene(content, [...marks, ...(options?.turns ?? [])], options);
}

export const points = (...pointers) => ({ category: "phrase", pointers });
export const refers = (...indices) => ({ category: "refers", indices });
