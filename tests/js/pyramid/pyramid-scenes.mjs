// Small pyramids for the tests, in the shape in which the server sends them.

const SUMMARIES = ["The ferry sank at dawn.", "At dawn a ferry went down."];

/** @param {string} content @returns {[number, number][]} in code points */
function words(content) {
  const points = (unit) => [...content.slice(0, unit)].length;
  return [...content.matchAll(/[\p{L}\p{N}]+/gu)].map(({ index, 0: word }) => [points(index), points(index + word.length)]);
}

export const key = (content, ...parts) => `contributor:${parts.map((part) => {
  const start = [...content.slice(0, content.indexOf(part))].length;
  return `${start}-${start + [...part].length}`;
}).join(",")}`;

/** scus: the words of contributors by the keys of SCUs, labels are the keys. */
export function pyramid(scus = {}, { summaries = SUMMARIES, rules = true, kind = "pyramid", against = null, others = [], status = "open" } = {}) {
  const content = summaries.join("\n");
  let at = 0;
  const segments = summaries.map((one, place) => {
    const start = at;
    at += [...one].length + 1;
    return { kind: "summary", start, end: at - 1, label: `s${place + 1}`, speaker: "" };
  });
  const judgements = {};
  for (const [scu, contributors] of Object.entries(scus)) {
    for (const parts of contributors) {
      const one = key(content, ...[parts].flat());
      judgements[one] = { markable: one, category: "scu", indices: [...(judgements[one]?.indices ?? []), scu] };
    }
  }
  return {
    project: { slug: "p", title: "P" }, user: "ann",
    text: { slug: "t", title: "T", content, language: "en", direction: "ltr", segments: kind.startsWith("peer") ? [] : segments },
    scheme: {
      answers: "scus",
      levels: [{ key: "contributor", coded: true, coders_mark: true }, { key: "word", coded: false, coders_mark: false }],
      categories: [{ key: "scu", takes_index: true }, { key: "outside", takes_index: false }],
    },
    markables: [], judgements, coding: { status, version: 0, seconds: 0 },
    pyramid: {
      kind, docset: "D", one_contributor: rules, words_exclusive: rules, scores_shown: true, words: words(content),
      scus: Object.fromEntries(Object.keys(scus).map((scu) => [scu, { label: scu, comment: "" }])), against, others, numbers: {},
    },
  };
}
