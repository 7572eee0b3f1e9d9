// Small texts for the tests, in the shape in which the server sends them.

const LEVELS = [
  { key: "phrase", label: "phrase", coded: true, coders_mark: false }, { key: "turn", label: "turn", coded: false, coders_mark: false },
];

const category = (key, more = {}) => ({
  key, label: key, help: "", colour: "", level: "", points_to: null, max_pointers: null, allow_later: false, joint: false,
  takes_index: false, takes_optional: false, singleton: false, ...more,
});

/** A relation or an attribute of the JSON of a scheme. */
export const relation = (key, more = {}) => ({
  key, label: key, help: "", identity: false, from_levels: ["phrase"], to_levels: ["phrase"], max_targets: null, joint: false, later: false, asked_if: null, retired: false, ...more,
});
export const attribute = (key, values, more = {}) => ({
  key, label: key, help: "", of: "markable", relation: null, levels: ["phrase"], kind: "one", required: false, asked_if: null, primary_of: null, retired: false,
  values: values.map((value) => ({ key: value, label: value, help: "", colour: "", retired: false })), ...more,
});

/** The scheme with the table that the server makes of it. */
export function whole({ answers, levels, categories, relations = [], attributes = [] }) {
  const coded = levels.filter((level) => level.coded).map((level) => level.key);
  const identity = categories.filter((one) => one.points_to).map((one) => relation(one.key, {
    identity: true, to_levels: [one.points_to], max_targets: one.max_pointers, later: one.allow_later, joint: one.joint,
    asked_if: { question: "category", values: [one.key] },
  }));
  const all = [...identity, ...relations];
  const byKey = (list, value = (one) => one) => Object.fromEntries(list.map((one) => [one.key, value(one)]));
  return {
    answers, levels, categories, relations: all, attributes,
    constraints: {
      max_keys: 50, max_text_length: 1000, max_number: 1e15,
      categories: byKey(categories, (one) => ({ levels: one.level ? [one.level] : coded, identity: one.points_to ? one.key : null, takes_index: one.takes_index, retired: one.retired ?? false })),
      relations: byKey(all),
      attributes: byKey(attributes, (one) => ({ ...one, values: one.values.map(({ key }) => key), retired_values: one.values.filter(({ retired }) => retired).map(({ key }) => key) })),
    },
  };
}

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

/** @param {string | object} scheme its name, or itself */
function schemeOf(scheme, marking) {
  const found = whole(typeof scheme === "string" ? SCHEMES[scheme] : { ...SCHEMES.pointers, ...scheme });
  return marking ? { ...found, levels: LEVELS.map((level) => ({ ...level, coders_mark: level.coded })) } : found;
}

/** A state whose markables are given as [key, level, start, end] in code points. */
export function scene(content, marks, { scheme = "pointers", judgements = {}, segments = [], status = "open", language = "en", marking = false } = {}) {
  return {
    project: { slug: "p", title: "P" },
    user: "ann",
    text: { slug: "t", title: "T", content, language, direction: "ltr", segments },
    scheme: schemeOf(scheme, marking),
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
