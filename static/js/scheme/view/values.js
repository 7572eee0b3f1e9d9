// The values of a question: a line each, with what is seldom changed behind a button.
import { button, element } from "../../workbench/dom/element.js";
import { keyProblem } from "../keys.js";
import { addValues, changeValue, mergeValues, moveValue, relabelValue, removeValue, renameValue } from "../values.js";
import { colour, focus, text } from "./fields.js";
/** @import { Attribute, Designer, Value } from "../types.js" */
/** @import { Frame } from "./fields.js" */

const MOST = 200;
/** @type {Set<string>} those whose further fields are shown */
const open = new Set();

/** @param {Frame} frame @param {Designer} designer @param {() => Attribute} one */
export function buildValues(frame, designer, one) {
  const field = element("fieldset", "field");
  field.append(element("legend", "", "Values"));
  const list = element("ol", "scheme-value-list");
  field.append(list);
  frame.root.append(field);
  one().values.forEach((_, at) => list.append(buildValue(frame, designer, one, at)));
  const adder = button("button small", "Add a value");
  adder.dataset.path = "values.add";
  adder.disabled = one().values.length >= MOST;
  adder.addEventListener("click", () => goOn(frame, designer, one, one().values.length - 1));
  field.append(adder, element("p", "help", "Enter in a label goes to the next one, Backspace in an empty one deletes it. A list that is pasted makes a value of each line."));
}

/** @param {Designer} designer @param {() => Attribute} one @param {string[]} labels */
function addBehind(designer, one, labels) {
  const room = labels.slice(0, MOST - one().values.length);
  designer.apply(addValues(designer.scheme(), one().key, room), { focus: `values.${one().values.length + room.length - 1}.label` });
  if (room.length < labels.length) {
    designer.say(`An attribute has at most ${MOST} values: ${labels.length - room.length} left out.`);
  }
}

/** Go to the value behind another one, which is added where there is none; a line without words is enough of these. @param {Frame} frame @param {Designer} designer @param {() => Attribute} one @param {number} at */
function goOn(frame, designer, one, at) {
  const { values } = one();
  if (at + 1 < values.length) {
    focus(frame.root, `values.${at + 1}.label`);
  } else if (values[at]?.label.trim() === "") {
    focus(frame.root, `values.${at}.label`);
  } else if (values.length < MOST) {
    addBehind(designer, one, [""]);
  }
}

/** @param {Frame} frame @param {Designer} designer @param {() => Attribute} one @param {number} at */
function buildValue(frame, designer, one, at) {
  const item = element("li", "scheme-value");
  /** @type {() => Value} */
  const value = () => one().values[at] ?? { key: "", label: "", help: "", colour: "", retired: false };
  const saved = () => designer.isSaved("attribute", one().key, value().key);
  const fixed = () => designer.isFixed("attribute", one().key, value().key);
  const line = element("div", "scheme-value-line");
  const label = element("input");
  label.type = "text";
  label.maxLength = 100;
  label.autocomplete = "off";
  label.dir = "auto";
  label.dataset.path = `values.${at}.label`;
  label.setAttribute("aria-label", `Label of value ${at + 1}`);
  frame.updates.push(() => {
    if (label.value !== value().label) {
      label.value = value().label;
    }
    item.style.setProperty("--of-swatch", value().colour || "transparent");
    item.classList.toggle("is-retired", value().retired);
  });
  label.addEventListener("input", () => designer.apply(
    relabelValue(designer.scheme(), one().key, value().key, label.value, saved()), { tag: `values.${at}.label`, place: designer.place() },
  ));
  label.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      goOn(frame, designer, one, at);
    }
    if (event.key === "Backspace" && label.value === "" && !saved()) {
      event.preventDefault();
      designer.apply(removeValue(designer.scheme(), one().key, value().key), { focus: at > 0 ? `values.${at - 1}.label` : "values.add" });
    }
    if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault();
      moveBy(event.key === "ArrowUp" ? -1 : 1, "label");
    }
  });
  label.addEventListener("paste", (event) => {
    const lines = (event.clipboardData?.getData("text/plain") ?? "").split(/\r?\n/).map((words) => words.trim()).filter(Boolean);
    if (lines.length > 1) {
      event.preventDefault();
      const [first, ...rest] = label.value.trim() === "" ? lines : ["", ...lines];
      if (first) {
        designer.apply(relabelValue(designer.scheme(), one().key, value().key, first.slice(0, 100), saved()));
      }
      addBehind(designer, one, rest.map((words) => words.slice(0, 100)));
    }
  });
  /** @param {1 | -1} by @param {string} from the control that keeps the focus */
  function moveBy(by, from) {
    designer.apply(moveValue(designer.scheme(), one().key, value().key, by), {
      focus: `values.${at + by}.${from}`, said: by < 0 ? "Moved up." : "Moved down.",
    });
  }
  /** @param {string} name @param {string} sign @param {string} words @param {() => void} run */
  const tool = (name, sign, words, run) => {
    const node = button("button small plain icon", sign);
    node.dataset.path = `values.${at}.${name}`;
    node.title = words;
    node.setAttribute("aria-label", `${words}: value ${at + 1}`);
    node.addEventListener("click", run);
    line.append(node);
    return node;
  };
  line.append(label);
  tool("up", "↑", "Move up", () => moveBy(-1, "up")).disabled = at === 0;
  tool("down", "↓", "Move down", () => moveBy(1, "down")).disabled = at === one().values.length - 1;
  const more = tool("more", "…", "More", () => {
    open[open.has(name()) ? "delete" : "add"](name());
    designer.select(designer.place());
  });
  const name = () => `${one().key} ${value().key}`;
  more.setAttribute("aria-expanded", String(open.has(name())));
  item.append(line);
  if (open.has(name())) {
    item.append(buildMore(frame, designer, one, value, at, fixed()));
  }
  return item;
}

/** @param {Frame} frame @param {Designer} designer @param {() => Attribute} one @param {() => Value} value @param {number} at @param {boolean} fixed */
function buildMore(frame, designer, one, value, at, fixed) {
  const root = element("div", "scheme-value-more");
  /** @type {Frame} */
  const inner = { root, updates: frame.updates };
  /** @param {Partial<Value>} fields @param {string} [tag] */
  const set = (fields, tag) => {
    designer.apply(changeValue(designer.scheme(), one().key, value().key, fields), tag ? { tag } : {});
  };
  text(inner, "Help for coders", `values.${at}.help`, { get: () => value().help, set: (help) => set({ help }, `values.${at}.help`), lines: 2, most: 1000 });
  text(inner, "Key", `values.${at}.key`, {
    get: () => value().key,
    fixed: fixed ? "Answers and files use it: it stays." : "",
    most: 50,
    set: (to) => {
      const problem = keyProblem(to, one().values.map((other) => other.key).filter((key) => key !== value().key));
      if (!problem) {
        open.add(`${one().key} ${to}`);
        designer.apply(renameValue(designer.scheme(), one().key, value().key, to), { tag: `values.${at}.key`, place: designer.place() });
      }
      return problem;
    },
  });
  colour(inner, "Colour", `values.${at}.colour`, { get: () => value().colour, set: (hex) => set({ colour: hex }) });
  const others = one().values.filter((other) => other.key !== value().key && !other.retired);
  if (fixed && others.length > 0) {
    buildMerge(inner, designer, one().key, () => value().key, others);
  }
  const tools = element("p", "actions");
  if (fixed || value().retired) {
    const retire = button("button small", value().retired ? "Offer again" : "Retire");
    retire.dataset.path = `values.${at}.retire`;
    retire.addEventListener("click", () => set({ retired: !value().retired }));
    tools.append(retire);
  }
  const remove = button("button small danger", "Delete");
  remove.dataset.path = `values.${at}.remove`;
  remove.addEventListener("click", () => designer.apply(removeValue(designer.scheme(), one().key, value().key), {
    said: "Deleted. Undo brings it back.", focus: "values.add",
  }));
  tools.append(remove);
  root.append(tools);
  return root;
}

/** Offer to answer a value or category by another one. @param {Frame} frame @param {Designer} designer @param {string} question @param {() => string} key @param {{ key: string, label: string }[]} others */
export function buildMerge(frame, designer, question, key, others) {
  const field = element("div", "field");
  const select = element("select");
  select.setAttribute("aria-label", "Merge into");
  select.dataset.path = `merge.${key()}`;
  for (const one of [{ key: "", label: "Merge into…" }, ...others]) {
    const option = element("option", "", one.label || one.key);
    option.value = one.key;
    select.append(option);
  }
  select.addEventListener("change", () => {
    const [from, into] = [key(), others.find((one) => one.key === select.value)];
    if (into) {
      designer.replace(mergeValues(designer.draft(), question, from, into.key), `Merged into ${into.label}: its answers become ${into.label} when you save.`);
    }
  });
  field.append(select);
  frame.root.append(field);
}
