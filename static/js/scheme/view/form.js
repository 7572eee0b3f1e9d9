// The form of the chosen question.
import { element } from "../../workbench/dom/element.js";
import * as edits from "../edits.js";
import { keyProblem, takenKeys } from "../keys.js";
import { asksBy, CATEGORY, find, follows, identityOf, labelOf, leading, leadingRelations, LISTED, listedRelations, listOf } from "../questions.js";
import { amount, check, choice, colour, focus, group, several, text, tool } from "./fields.js";
import { buildMerge, buildValues } from "./values.js";
/** @import { Attribute, Category, Designer, Frame, Kind, Level, Place, Relation, Scheme } from "../types.js" */

const HELP_LENGTH = 1000;
/** @type {Record<Place["kind"], string>} */
export const KIND_NAMES = { answers: "Answers", level: "Level", category: "Category", relation: "Relation", attribute: "Attribute" };

/** @type {Record<"pointers" | "indices" | "categories", [string, string]>} */
const ANSWERS = {
  pointers: ["By pointers", "A phrase points to its antecedent. Pointers make chains."],
  indices: ["By indices", "Phrases that refer to the same thing get the same index."],
  categories: ["Not at all", "No chains: categories and questions alone, such as classes or several labels."],
};

/** @param {HTMLElement} root @param {Designer} designer @returns {{ build: () => void, update: () => void }} build: for another question, or another shape of it */
export function createForm(root, designer) {
  let updates = /** @type {Frame["updates"]} */ ([]);
  const update = () => updates.forEach((show) => show());

  function build() {
    const focused = document.activeElement instanceof HTMLElement && root.contains(document.activeElement)
      ? document.activeElement.dataset.path : undefined;
    const { scrollTop } = root;
    root.replaceChildren();
    updates = [];
    const { kind, key } = designer.place();
    if (kind === "answers") {
      buildAnswers({
        root, updates, prefix: "", one: designer.scheme,
        set: (fields) => designer.apply({ scheme: { ...designer.scheme(), ...fields }, key: "" }),
      });
    } else if (find(designer.scheme(), kind, key)) {
      /** The key follows the label as long as it may. */
      const now = () => designer.place().key;
      buildQuestion({
        root, updates, prefix: "", one: () => find(designer.scheme(), kind, now()) ?? {},
        set: (fields, tag) => designer.apply(edits.change(designer.scheme(), kind, now(), fields), tag ? { tag: `${kind}.${key}.${tag}` } : {}),
      }, designer, kind, key);
    }
    update();
    root.scrollTop = scrollTop;
    if (focused !== undefined) {
      focus(root, focused);
    }
  }

  return { build, update };
}

/** @param {Frame<Scheme>} frame */
function buildAnswers(frame) {
  frame.root.append(heading("What goes together"));
  const field = group(frame, "How coders say that phrases refer to the same thing");
  for (const [key, [label, help]] of Object.entries(ANSWERS)) {
    const radio = element("input", "", "", {
      type: "radio", name: "scheme-answers", onchange: () => frame.set({ answers: key }), dataset: { path: `answers.${key}` },
    });
    field.append(element("label", "scheme-answer", [radio, element("span", "", [label, element("span", "help", help)])]));
    frame.updates.push(() => { radio.checked = frame.one().answers === key; });
  }
}

const heading = (/** @type {string} */ words) => element("h2", "scheme-form-title", words, { id: "scheme-form-title" });

/** @param {Frame} frame @param {Designer} designer @param {Kind} kind @param {string} key */
function buildQuestion(frame, designer, kind, key) {
  const now = () => designer.place().key;
  buildHead(frame, designer, kind);
  const names = { ...frame, root: element("div", "scheme-names") };
  frame.root.append(names.root);
  text(names, "Label", "label", {
    set: (label) => {
      const edit = edits.relabel(designer.scheme(), kind, now(), label, designer.isSaved(kind, now()));
      designer.apply(edit, { tag: `${kind}.label`, place: { kind, key: "key" in edit ? edit.key : now() } });
    },
  });
  text(names, "Key", "key", {
    fixed: designer.isFixed(kind, key) ? "It is in use and stays." : "",
    most: 50,
    set: (to) => {
      const from = now();
      const taken = takenKeys(designer.scheme(), kind, from);
      const relation = kind === "category" ? identityOf(designer.scheme(), from) : undefined;
      const problem = keyProblem(to, relation?.key === from ? taken.filter((other) => other !== from) : taken);
      if (!problem) {
        designer.apply(edits.rename(designer.scheme(), kind, from, to), { tag: `${kind}.key`, place: { kind, key: to } });
      }
      return problem;
    },
  });
  if (kind !== "level") {
    text(frame, "Help for coders", "help", { lines: 2, most: HELP_LENGTH });
  }
  BUILDERS[kind](frame, designer);
}

/** The name of what is edited, its problems, and what can be done with it. @param {Frame} frame @param {Designer} designer @param {Kind} kind */
function buildHead(frame, designer, kind) {
  const one = /** @type {() => Category} */ (frame.one);
  const title = heading("");
  const problems = element("ul", "errorlist scheme-problems");
  frame.updates.push(() => {
    title.replaceChildren(element("span", "muted", `${KIND_NAMES[kind]} `), element("span", "", one().label || one().key));
    problems.replaceChildren(...problemsOf(designer, kind, one().key).map((words) => element("li", "", words)));
  });
  const run = (/** @type {string} */ name) => () => carryOut(designer, name, { kind, key: one().key });
  const tools = TOOLS.filter(({ kinds }) => kinds.includes(kind)).map(({ name, label, title: hint }) => {
    const control = tool(frame, `tool.${name}`, label, run(name), hint, label.length === 1 ? "small icon" : "small");
    control.ariaLabel = label.length === 1 ? hint : null;
    control.dataset.tool = name;
    return control;
  });
  if (kind !== "level" && (one().retired || designer.isFixed(kind, one().key))) {
    const { retired } = one();
    tools.push(tool(frame, "tool.retire", retired ? "Offer again" : "Retire", () => designer.apply(
      edits.change(designer.scheme(), kind, one().key, { retired: !retired }), { said: retired ? "Offered again." : "Retired." },
    ), retired ? "Offer it to coders again" : "No longer offer it; it stays where it was given"));
  }
  tools.push(tool(frame, "tool.remove", "Delete", run("remove"), "Delete it (Delete key in the list)", "small danger"));
  frame.root.append(title, element("div", "actions scheme-tools", tools), problems);
}

/** @param {Designer} designer @param {Kind} kind @param {string} key */
export function problemsOf(designer, kind, key) {
  const relation = kind === "category" ? identityOf(designer.scheme(), key)?.key : undefined;
  return designer.problems().filter((problem) => (problem.kind === kind && problem.question === key)
    || (relation !== undefined && problem.kind === "relation" && problem.question === relation)).map(({ message }) => message);
}

/** @type {{ name: string, label: string, title: string, kinds: Kind[] }[]} */
const TOOLS = [
  { name: "up", label: "↑", title: "Move up (Alt+Up)", kinds: ["level", "category", "relation", "attribute"] },
  { name: "down", label: "↓", title: "Move down (Alt+Down)", kinds: ["level", "category", "relation", "attribute"] },
  { name: "indent", label: "Ask by the answer above", title: "Ask it only after some answers (Alt+Right)", kinds: ["relation", "attribute"] },
  { name: "outdent", label: "Ask after more answers", title: "Ask it whenever the question above is asked (Alt+Left)", kinds: ["relation", "attribute"] },
];

/** Carry out a tool of the list or the form. @param {Designer} designer @param {string} name @param {{ kind: Kind, key: string }} place */
export function carryOut(designer, name, { kind, key }) {
  const scheme = designer.scheme();
  const label = labelOf(find(scheme, kind, key), key);
  switch (name) {
    case "up":
      return designer.apply(edits.move(scheme, kind, key, -1), { said: `${label}: moved up.` });
    case "down":
      return designer.apply(edits.move(scheme, kind, key, 1), { said: `${label}: moved down.` });
    case "indent":
      return designer.apply(edits.indent(scheme, kind, key), { said: `${label}: asked by the answer above. Choose the answers in its form.` });
    case "outdent":
      return designer.apply(edits.outdent(scheme, kind, key), { said: `${label}: asked after more answers.` });
    case "remove": {
      const rows = kind === "relation" ? listedRelations(scheme) : listOf(scheme, kind);
      const at = rows.findIndex((row) => row.key === key);
      const next = rows[at + 1] ?? rows[at - 1];
      return designer.apply(edits.remove(scheme, kind, key), {
        said: `${label}: deleted. Undo brings it back.`, place: next ? { kind, key: next.key } : { kind: "answers", key: "" },
      });
    }
  }
  throw new Error(`There is no tool ${name}.`);
}

/** @type {Record<Kind, (frame: Frame<any>, designer: Designer) => void>} */
const BUILDERS = { level: buildLevel, category: buildCategory, relation: buildRelation, attribute: buildAttribute };

const codedLevels = (/** @type {Designer} */ designer) => designer.scheme().levels.filter((level) => level.coded);

/** @param {Frame<Level>} frame */
function buildLevel(frame) {
  const { one } = frame;
  check(frame, "Coders judge its markables", "coded", {
    set: (coded) => frame.set({ coded, coders_mark: coded && one().coders_mark }), help: "Otherwise they are only pointed at.",
  });
  if (one().coded) {
    check(frame, "Coders create markables", "coders_mark", { help: "In addition to those imported with the texts." });
  }
}

/** @param {Frame<Category>} frame @param {Designer} designer */
function buildCategory(frame, designer) {
  const { answers, levels, categories } = designer.scheme();
  const key = () => frame.one().key;
  const relation = () => identityOf(designer.scheme(), key());
  const points = () => (relation()?.to_levels.length ?? 0) > 0;
  if (answers === "pointers") {
    /** @param {Partial<Relation> | null} fields */
    const point = (fields) => { designer.apply(edits.setPointing(designer.scheme(), key(), fields)); };
    check(frame, "It asks for antecedents", "points", {
      get: points, set: (now) => point(now ? { to_levels: levels.slice(0, 1).map((level) => level.key) } : null), help: "Its pointers make chains.",
    });
    if (points()) {
      buildTargets({ ...frame, one: /** @type {() => Relation} */ (relation), set: point }, designer, "antecedents");
    }
  } else if (answers === "indices") {
    check(frame, "It asks for an index", "takes_index");
  }
  if (answers !== "categories" && !frame.one().takes_index && !relation()) {
    check(frame, "A singleton", "singleton", { help: "A chain of one: it corefers with nothing." });
  }
  check(frame, "Coders may call an answer optional", "takes_optional");
  const coded = codedLevels(designer);
  if (coded.length > 1 || frame.one().level) {
    choice(frame, "Level", "level", [{ key: "", label: "every coded level" }, ...coded]);
  }
  colour(frame);
  const others = categories.filter((other) => other.key !== key() && !other.retired);
  if (designer.isFixed("category", key()) && others.length > 0) {
    buildMerge(frame, designer, CATEGORY, key, others);
  }
}

/** @param {Frame<Relation>} frame @param {Designer} designer @param {string} name */
function buildTargets(frame, designer, name) {
  const { levels } = designer.scheme();
  if (levels.length > 1 || frame.one().to_levels.length !== 1) {
    several(frame, `Levels of its ${name}`, "to_levels", levels);
  }
  amount(frame, `Maximum number of ${name}`, "max_targets", "Empty: any number. Alternatives mean that a phrase is ambiguous.");
  check(frame, `Several ${name} may be meant together`, "joint", { help: "A plural: they = John and Mary." });
  check(frame, `${name[0].toUpperCase()}${name.slice(1)} may stand later in the text`, "later");
}

/** @param {Frame<Relation>} frame @param {Designer} designer */
function buildRelation(frame, designer) {
  buildLevels(frame, designer, "Asked on", "from_levels", frame.one().from_levels);
  buildTargets(frame, designer, "targets");
  buildCondition(frame, designer, "relation");
}

/** @type {(frame: Frame, designer: Designer, legend: string, path: string, chosen: string[]) => void} */
function buildLevels(frame, designer, legend, path, chosen) {
  const coded = codedLevels(designer);
  if (coded.length > 1 || chosen.length > 0) {
    several(frame, legend, path, coded, { help: "None: every coded level." });
  }
}

/** @param {Frame<Attribute>} frame @param {Designer} designer */
function buildAttribute(frame, designer) {
  const scheme = designer.scheme();
  const { one } = frame;
  const relations = scheme.relations.filter((other) => !follows(scheme, other.key, one().key));
  choice(frame, "Asked of", "of", [
    { key: "markable", label: "each markable" },
    { key: "entity", label: "each entity, once for its chain" },
    ...relations.map(({ key, label }) => ({ key: `relation ${key}`, label: `the relation ${label || key}` })),
  ], {
    get: () => (one().of === "relation" ? `relation ${one().relation ?? ""}` : one().of),
    set: (value) => {
      const [of, relation = null] = value.split(" ");
      frame.set({ of, relation });
    },
  });
  choice(frame, "Answer", "kind", [
    { key: "one", label: "one value" }, { key: "several", label: "several values" },
    { key: "text", label: "text" }, { key: "number", label: "a number" },
  ], { set: (kind) => { designer.apply(edits.setKind(designer.scheme(), one().key, /** @type {Attribute["kind"]} */ (kind))); } });
  if (LISTED.includes(one().kind)) {
    buildValues(frame, designer, one);
  }
  check(frame, "Required", "required", { help: "A text cannot be submitted without it." });
  buildCondition(frame, designer, "attribute");
  buildLevels(frame, designer, "Levels", "levels", one().levels);
  const at = scheme.attributes.findIndex((other) => other.key === one().key);
  const firsts = scheme.attributes.slice(0, at).filter((other) => other.kind === one().kind && other.of === one().of);
  if (firsts.length > 0 || one().primary_of) {
    choice(frame, "Second choice of", "primary_of", [{ key: "", label: "no other attribute" }, ...firsts], {
      help: "The same question again: what else it could be.",
    });
  }
}

/** @param {Frame<Relation | Attribute>} frame @param {Designer} designer @param {"relation" | "attribute"} kind */
function buildCondition(frame, designer, kind) {
  const scheme = designer.scheme();
  const now = () => frame.one().asked_if;
  const questions = leading(scheme, kind, frame.one().key);
  const relations = leadingRelations(scheme, frame.one().key);
  choice(frame, "Asked", "asked_if", [
    { key: "", label: "always" },
    ...questions.map(({ key, label }) => ({ key: `question ${key}`, label: `by the answer to ${label || key}` })),
    ...relations.map(({ key, label }) => ({ key: `relation ${key}`, label: `if ${label || key} is set` })),
  ], {
    get: () => {
      const condition = now();
      return condition === null ? "" : "relation" in condition ? `relation ${condition.relation}` : `question ${condition.question}`;
    },
    set: (value) => {
      const [how, key] = value.split(" ");
      const question = how && questions.find((other) => other.key === key);
      const byAnswer = question ? { question: key, values: question.values.slice(0, 1).map((first) => first.key) } : null;
      frame.set({ asked_if: how === "relation" ? { relation: key } : byAnswer });
    },
  });
  const condition = now();
  const question = condition && "question" in condition ? questions.find((other) => other.key === condition.question) : undefined;
  if (question) {
    several(frame, "Asked if the answer is", "asked_if.values", question.values, {
      all: true, get: () => asksBy(now(), question.key) ?? [], set: (values) => frame.set({ asked_if: { question: question.key, values } }),
    });
  }
}
