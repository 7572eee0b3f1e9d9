// The form of the chosen question.
import { button, element } from "../../workbench/dom/element.js";
import * as edits from "../edits.js";
import { keyProblem, takenKeys } from "../keys.js";
import { CATEGORY, find, follows, identityOf, labelOf, leading, leadingRelations, LISTED, listedRelations, listOf } from "../questions.js";
import { amount, check, choice, colour, focus, several, text } from "./fields.js";
import { buildMerge, buildValues } from "./values.js";
/** @import { Attribute, Category, Designer, Kind, Level, Place, Questions, Relation } from "../types.js" */
/** @import { Frame } from "./fields.js" */

const HELP_LENGTH = 1000;
/** @type {Record<Place["kind"], string>} */
export const KIND_NAMES = { answers: "Answers", level: "Level", category: "Category", relation: "Relation", attribute: "Attribute" };

/** @type {Record<"pointers" | "indices" | "categories", [string, string]>} */
const ANSWERS = {
  pointers: ["By pointers", "A phrase points to its antecedent. Pointers make chains."],
  indices: ["By indices", "Phrases that refer to the same thing get the same index."],
  categories: ["Not at all", "No chains: categories and questions alone, such as classes or several labels."],
};

/**
 * @param {HTMLElement} root @param {Designer} designer
 * @returns {{ build: () => void, update: () => void }} build: for another question, or another shape of it
 */
export function createForm(root, designer) {
  /** @type {Frame} */
  let frame = { root, updates: [] };

  function build() {
    const focused = document.activeElement instanceof HTMLElement && root.contains(document.activeElement)
      ? document.activeElement.dataset.path : undefined;
    const { scrollTop } = root;
    root.replaceChildren();
    frame = { root, updates: [] };
    const place = designer.place();
    if (place.kind === "answers") {
      buildAnswers(frame, designer);
    } else if (find(designer.scheme(), place.kind, place.key)) {
      buildQuestion(frame, designer, place.kind, place.key);
    }
    update();
    root.scrollTop = scrollTop;
    if (focused !== undefined) {
      focus(root, focused);
    }
  }

  function update() {
    frame.updates.forEach((show) => show());
  }

  return { build, update };
}

/** @param {Frame} frame @param {Designer} designer */
function buildAnswers(frame, designer) {
  frame.root.append(heading("What goes together"));
  const field = element("fieldset", "field");
  field.append(element("legend", "", "How coders say that phrases refer to the same thing"));
  for (const [key, [label, help]] of Object.entries(ANSWERS)) {
    const name = element("label", "scheme-answer");
    const radio = element("input");
    radio.type = "radio";
    radio.name = "scheme-answers";
    radio.dataset.path = `answers.${key}`;
    const words = element("span", "", label);
    words.append(element("span", "help", help));
    name.append(radio, words);
    field.append(name);
    radio.addEventListener("change", () => designer.apply({
      scheme: { ...designer.scheme(), answers: /** @type {"pointers" | "indices" | "categories"} */ (key) }, key: "",
    }));
    frame.updates.push(() => { radio.checked = designer.scheme().answers === key; });
  }
  frame.root.append(field);
}

/** @param {string} words */
function heading(words) {
  const node = element("h2", "scheme-form-title", words);
  node.id = "scheme-form-title";
  return node;
}

/** @param {Frame} frame @param {Designer} designer @param {Kind} kind @param {string} key */
function buildQuestion(frame, designer, kind, key) {
  /** The key follows the label as long as it may. */
  const place = () => /** @type {{ kind: Kind, key: string }} */ (designer.place());
  /** @type {() => any} */
  const one = () => find(designer.scheme(), kind, place().key) ?? {};
  /** @param {object} fields @param {string} [tag] */
  const set = (fields, tag) => {
    designer.apply(edits.change(designer.scheme(), kind, place().key, fields), tag ? { tag: `${kind}.${key}.${tag}` } : {});
  };
  buildHead(frame, designer, kind, one);
  const names = { root: element("div", "scheme-names"), updates: frame.updates };
  frame.root.append(names.root);
  text(names, "Label", "label", {
    get: () => one().label,
    set: (label) => {
      const edit = edits.relabel(designer.scheme(), kind, place().key, label, designer.isSaved(kind, place().key));
      designer.apply(edit, { tag: `${kind}.label`, place: { kind, key: "key" in edit ? edit.key : place().key } });
    },
  });
  text(names, "Key", "key", {
    get: () => one().key,
    fixed: designer.isFixed(kind, key) ? "It is in use and stays." : "",
    most: 50,
    set: (to) => {
      const from = place().key;
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
    text(frame, "Help for coders", "help", { get: () => one().help, set: (help) => set({ help }, "help"), lines: 2, most: HELP_LENGTH });
  }
  BUILDERS[kind](frame, designer, one, set);
}

/** The name of what is edited, its problems, and what can be done with it. @param {Frame} frame @param {Designer} designer @param {Kind} kind @param {() => any} one */
function buildHead(frame, designer, kind, one) {
  const title = heading("");
  const tools = element("div", "actions scheme-tools");
  const problems = element("ul", "errorlist scheme-problems");
  frame.updates.push(() => {
    title.replaceChildren(element("span", "muted", `${KIND_NAMES[kind]} `), element("span", "", one().label || one().key));
    const found = problemsOf(designer, kind, one().key);
    problems.replaceChildren(...found.map((words) => element("li", "", words)));
  });
  for (const { name, label, title: hint, kinds } of TOOLS) {
    if (kinds.includes(kind)) {
      const tool = button("button small", label);
      tool.dataset.tool = name;
      tool.dataset.path = `tool.${name}`;
      tool.title = hint;
      if (label.length === 1) {
        tool.classList.add("icon");
        tool.setAttribute("aria-label", hint);
      }
      tool.addEventListener("click", () => carryOut(designer, name, { kind, key: one().key }));
      tools.append(tool);
    }
  }
  if (kind !== "level" && (one().retired || designer.isFixed(kind, one().key))) {
    const retire = button("button small", one().retired ? "Offer again" : "Retire");
    retire.dataset.path = "tool.retire";
    retire.title = one().retired ? "Offer it to coders again" : "No longer offer it; it stays where it was given";
    retire.addEventListener("click", () => designer.apply(
      edits.change(designer.scheme(), kind, one().key, { retired: !one().retired }), { said: one().retired ? "Offered again." : "Retired." },
    ));
    tools.append(retire);
  }
  const remove = button("button small danger", "Delete");
  remove.dataset.path = "tool.remove";
  remove.title = "Delete it (Delete key in the list)";
  remove.addEventListener("click", () => carryOut(designer, "remove", { kind, key: one().key }));
  tools.append(remove);
  frame.root.append(title, tools, problems);
}

/** @param {Designer} designer @param {Kind} kind @param {string} key */
export function problemsOf(designer, kind, key) {
  const relation = kind === "category" ? identityOf(designer.scheme(), key)?.key : undefined;
  return designer.problems().filter((one) => (one.kind === kind && one.question === key)
    || (relation !== undefined && one.kind === "relation" && one.question === relation)).map(({ message }) => message);
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
      const at = rows.findIndex((one) => one.key === key);
      const next = rows[at + 1] ?? rows[at - 1];
      return designer.apply(edits.remove(scheme, kind, key), {
        said: `${label}: deleted. Undo brings it back.`, place: next ? { kind, key: next.key } : { kind: "answers", key: "" },
      });
    }
  }
  throw new Error(`There is no tool ${name}.`);
}

/** @type {{ [K in Kind]: (frame: Frame, designer: Designer, one: () => Questions[K], set: (fields: Partial<Questions[K]>, tag?: string) => void) => void }} */
const BUILDERS = {
  level: buildLevel,
  category: buildCategory,
  relation: buildRelation,
  attribute: buildAttribute,
};

/** @param {Frame} frame @param {Designer} _ @param {() => Level} one @param {(fields: Partial<Level>) => void} set */
function buildLevel(frame, _, one, set) {
  check(frame, "Coders judge its markables", "coded", {
    get: () => one().coded,
    set: (coded) => set({ coded, coders_mark: coded && one().coders_mark }),
    help: "Otherwise they are only pointed at.",
  });
  if (one().coded) {
    check(frame, "Coders create markables", "coders_mark", {
      get: () => one().coders_mark,
      set: (coders_mark) => set({ coders_mark }),
      help: "In addition to those imported with the texts.",
    });
  }
}

/** @param {Frame} frame @param {Designer} designer @param {() => Category} one @param {(fields: Partial<Category>) => void} set */
function buildCategory(frame, designer, one, set) {
  const { answers } = designer.scheme();
  const key = () => one().key;
  const relation = () => identityOf(designer.scheme(), key());
  if (answers === "pointers") {
    /** @param {Partial<Relation> | null} fields */
    const point = (fields) => designer.apply(edits.setPointing(designer.scheme(), key(), fields));
    check(frame, "It asks for antecedents", "points", {
      get: () => (relation()?.to_levels.length ?? 0) > 0,
      set: (points) => point(points ? { to_levels: designer.scheme().levels.slice(0, 1).map((level) => level.key) } : null),
      help: "Its pointers make chains.",
    });
    if ((relation()?.to_levels.length ?? 0) > 0) {
      buildTargets(frame, designer, /** @type {() => Relation} */ (relation), point, "antecedents");
    }
  } else if (answers === "indices") {
    check(frame, "It asks for an index", "takes_index", { get: () => one().takes_index, set: (takes_index) => set({ takes_index }) });
  }
  if (answers !== "categories" && !one().takes_index && !relation()) {
    check(frame, "A singleton", "singleton", {
      get: () => one().singleton, set: (singleton) => set({ singleton }), help: "A chain of one: it corefers with nothing.",
    });
  }
  check(frame, "Coders may call an answer optional", "takes_optional", {
    get: () => one().takes_optional, set: (takes_optional) => set({ takes_optional }),
  });
  const coded = designer.scheme().levels.filter((level) => level.coded);
  if (coded.length > 1 || one().level) {
    choice(frame, "Level", "level", {
      options: [{ key: "", label: "every coded level" }, ...coded],
      get: () => one().level ?? "", set: (level) => set({ level: level || null }),
    });
  }
  colour(frame, "Colour", "colour", { get: () => one().colour, set: (hex) => set({ colour: hex }) });
  const others = designer.scheme().categories.filter((other) => other.key !== key() && !other.retired);
  if (designer.isFixed("category", key()) && others.length > 0) {
    buildMerge(frame, designer, CATEGORY, key, others);
  }
}

/** @param {Frame} frame @param {Designer} designer @param {() => Relation} one @param {(fields: Partial<Relation>) => void} set @param {string} name */
function buildTargets(frame, designer, one, set, name) {
  const { levels } = designer.scheme();
  if (levels.length > 1 || one().to_levels.length !== 1) {
    several(frame, `Levels of its ${name}`, "to_levels", { options: levels, get: () => one().to_levels, set: (to_levels) => set({ to_levels }) });
  }
  amount(frame, `Maximum number of ${name}`, "max_targets", {
    get: () => one().max_targets, set: (max_targets) => set({ max_targets }), help: "Empty: any number. Alternatives mean that a phrase is ambiguous.",
  });
  check(frame, `Several ${name} may be meant together`, "joint", {
    get: () => one().joint, set: (joint) => set({ joint }), help: "A plural: they = John and Mary.",
  });
  check(frame, `${name[0].toUpperCase()}${name.slice(1)} may stand later in the text`, "later", { get: () => one().later, set: (later) => set({ later }) });
}

/** @param {Frame} frame @param {Designer} designer @param {() => Relation} one @param {(fields: Partial<Relation>) => void} set */
function buildRelation(frame, designer, one, set) {
  const coded = designer.scheme().levels.filter((level) => level.coded);
  if (coded.length > 1 || one().from_levels.length > 0) {
    several(frame, "Asked on", "from_levels", { options: coded, get: () => one().from_levels, set: (from_levels) => set({ from_levels }), help: "None: every coded level." });
  }
  buildTargets(frame, designer, one, set, "targets");
  buildCondition(frame, designer, "relation", one, set);
}

/** @param {Frame} frame @param {Designer} designer @param {() => Attribute} one @param {(fields: Partial<Attribute>) => void} set */
function buildAttribute(frame, designer, one, set) {
  const scheme = designer.scheme();
  choice(frame, "Asked of", "of", {
    options: [
      { key: "markable", label: "each markable" },
      { key: "entity", label: "each entity, once for its chain" },
      ...scheme.relations.filter((other) => !follows(scheme, other.key, one().key)).map(({ key, label }) => ({ key: `relation ${key}`, label: `the relation ${label || key}` })),
    ],
    get: () => (one().of === "relation" ? `relation ${one().relation ?? ""}` : one().of),
    set: (value) => {
      const [of, relation = null] = value.split(" ");
      set({ of: /** @type {Attribute["of"]} */ (of), relation });
    },
  });
  choice(frame, "Answer", "kind", {
    options: [
      { key: "one", label: "one value" }, { key: "several", label: "several values" },
      { key: "text", label: "text" }, { key: "number", label: "a number" },
    ],
    get: () => one().kind,
    set: (kind) => designer.apply(edits.setKind(designer.scheme(), one().key, /** @type {Attribute["kind"]} */ (kind))),
  });
  if (LISTED.includes(one().kind)) {
    buildValues(frame, designer, one);
  }
  check(frame, "Required", "required", {
    get: () => one().required, set: (required) => set({ required }), help: "A text cannot be submitted without it.",
  });
  buildCondition(frame, designer, "attribute", one, set);
  const coded = scheme.levels.filter((level) => level.coded);
  if (coded.length > 1 || one().levels.length > 0) {
    several(frame, "Levels", "levels", { options: coded, get: () => one().levels, set: (levels) => set({ levels }), help: "None: every coded level." });
  }
  const at = scheme.attributes.findIndex((other) => other.key === one().key);
  const firsts = scheme.attributes.slice(0, at).filter((other) => other.kind === one().kind && other.of === one().of);
  if (firsts.length > 0 || one().primary_of) {
    choice(frame, "Second choice of", "primary_of", {
      options: [{ key: "", label: "no other attribute" }, ...firsts],
      get: () => one().primary_of ?? "", set: (first) => set({ primary_of: first || null }),
      help: "The same question again: what else it could be.",
    });
  }
}

/** @param {Frame} frame @param {Designer} designer @param {"relation" | "attribute"} kind @param {() => Relation | Attribute} one @param {(fields: { asked_if: Relation["asked_if"] }) => void} set */
function buildCondition(frame, designer, kind, one, set) {
  const scheme = designer.scheme();
  const questions = leading(scheme, kind, one().key);
  const relations = leadingRelations(scheme, one().key);
  choice(frame, "Asked", "asked_if", {
    options: [
      { key: "", label: "always" },
      ...questions.map(({ key, label }) => ({ key: `question ${key}`, label: `by the answer to ${label || key}` })),
      ...relations.map(({ key, label }) => ({ key: `relation ${key}`, label: `if ${label || key} is set` })),
    ],
    get: () => {
      const condition = one().asked_if;
      return condition === null ? "" : "relation" in condition ? `relation ${condition.relation}` : `question ${condition.question}`;
    },
    set: (value) => {
      const [how, key] = value.split(" ");
      const question = questions.find((other) => other.key === key);
      if (how === "relation") {
        set({ asked_if: { relation: key } });
      } else {
        set({ asked_if: question && how ? { question: key, values: question.values.slice(0, 1).map((first) => first.key) } : null });
      }
    },
  });
  const condition = one().asked_if;
  const question = condition && "question" in condition ? questions.find((other) => other.key === condition.question) : undefined;
  if (question) {
    several(frame, "Asked if the answer is", "asked_if.values", {
      options: question.values,
      all: true,
      get: () => {
        const now = one().asked_if;
        return now && "question" in now ? now.values : [];
      },
      set: (values) => set({ asked_if: { question: question.key, values } }),
    });
  }
}
