// The values of a question: a line each, with what is seldom changed behind a button.
import { element } from "../../workbench/dom/element.js";
import { keyProblem } from "../keys.js";
import { addValues, changeValue, mergeValues, moveValue, relabelValue, removeValue, renameValue } from "../values.js";
import { colour, focus, group, text, tool } from "./fields.js";
/** @import { Attribute, Designer, Frame, Value } from "../types.js" */

const MOST = 200;
/** @type {Set<string>} those whose further fields are shown */
const open = new Set();

/** @param {Frame} frame @param {Designer} designer @param {() => Attribute} one */
export function buildValues(frame, designer, one) {
  const adder = tool(frame, "values.add", "Add a value", () => goOn(frame, designer, one, one().values.length - 1));
  adder.disabled = one().values.length >= MOST;
  group(frame, "Values").append(
    element("ol", "scheme-value-list", one().values.map((_, at) => buildValue(frame, designer, one, at))), adder,
    element("p", "help", "Enter in a label goes to the next one, Backspace in an empty one deletes it. A list that is pasted makes a value of each line."),
  );
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
  /** @type {() => Value} */
  const value = () => one().values[at] ?? { key: "", label: "", help: "", colour: "", retired: false };
  const name = () => `${one().key} ${value().key}`;
  const saved = () => designer.isSaved("attribute", one().key, value().key);
  /** @param {string} words */
  const relabel = (words) => relabelValue(designer.scheme(), one().key, value().key, words, saved());
  const item = element("li", "scheme-value");
  const prefix = `values.${at}.`;
  /** @type {Frame} */
  const inner = {
    root: item, updates: frame.updates, prefix, one: value,
    set: (fields, tag) => designer.apply(changeValue(designer.scheme(), one().key, value().key, fields), tag ? { tag: prefix + tag } : {}),
  };
  const label = element("input", "", "", {
    type: "text", maxLength: 100, autocomplete: "off", dir: "auto", ariaLabel: `Label of value ${at + 1}`, dataset: { path: `${prefix}label` },
  });
  frame.updates.push(() => {
    if (label.value !== value().label) {
      label.value = value().label;
    }
    item.style.setProperty("--of-swatch", value().colour || "transparent");
    item.classList.toggle("is-retired", value().retired);
  });
  label.addEventListener("input", () => designer.apply(relabel(label.value), { tag: `${prefix}label`, place: designer.place() }));
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
        designer.apply(relabel(first.slice(0, 100)));
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
  /** @param {string} path @param {string} sign @param {string} words @param {() => void} run */
  const icon = (path, sign, words, run) => Object.assign(tool(inner, path, sign, run, words, "small plain icon"), {
    ariaLabel: `${words}: value ${at + 1}`,
  });
  const [up, down] = [icon("up", "↑", "Move up", () => moveBy(-1, "up")), icon("down", "↓", "Move down", () => moveBy(1, "down"))];
  up.disabled = at === 0;
  down.disabled = at === one().values.length - 1;
  const more = icon("more", "…", "More", () => {
    open[open.has(name()) ? "delete" : "add"](name());
    designer.select(designer.place());
  });
  more.ariaExpanded = String(open.has(name()));
  item.append(element("div", "scheme-value-line", [label, up, down, more]));
  if (open.has(name())) {
    buildMore(inner, designer, one, value);
  }
  return item;
}

/** @param {Frame} frame of the value @param {Designer} designer @param {() => Attribute} one @param {() => Value} value */
function buildMore(frame, designer, one, value) {
  const fixed = designer.isFixed("attribute", one().key, value().key);
  const inner = { ...frame, root: element("div", "scheme-value-more") };
  frame.root.append(inner.root);
  text(inner, "Help for coders", "help", { lines: 2, most: 1000 });
  text(inner, "Key", "key", {
    fixed: fixed ? "Answers and files use it: it stays." : "",
    most: 50,
    set: (to) => {
      const problem = keyProblem(to, one().values.map((other) => other.key).filter((key) => key !== value().key));
      if (!problem) {
        open.add(`${one().key} ${to}`);
        designer.apply(renameValue(designer.scheme(), one().key, value().key, to), { tag: `${frame.prefix}key`, place: designer.place() });
      }
      return problem;
    },
  });
  colour(inner);
  const others = one().values.filter((other) => other.key !== value().key && !other.retired);
  if (fixed && others.length > 0) {
    buildMerge(inner, designer, one().key, () => value().key, others);
  }
  const { retired } = value();
  inner.root.append(element("p", "actions", [
    fixed || retired ? tool(inner, "retire", retired ? "Offer again" : "Retire", () => inner.set({ retired: !retired })) : "",
    tool(inner, "remove", "Delete", () => designer.apply(removeValue(designer.scheme(), one().key, value().key), {
      said: "Deleted. Undo brings it back.", focus: "values.add",
    }), "", "small danger"),
  ]));
}

/** Offer to answer a value or category by another one. @param {Frame} frame @param {Designer} designer @param {string} question @param {() => string} key @param {{ key: string, label: string }[]} others */
export function buildMerge(frame, designer, question, key, others) {
  const select = element("select", "", [{ key: "", label: "Merge into…" }, ...others].map((value) => new Option(value.label || value.key, value.key)), {
    ariaLabel: "Merge into", dataset: { path: `merge.${key()}` },
  });
  select.addEventListener("change", () => {
    const [from, into] = [key(), others.find((value) => value.key === select.value)];
    if (into) {
      designer.replace(mergeValues(designer.draft(), question, from, into.key), `Merged into ${into.label}: its answers become ${into.label} when you save.`);
    }
  });
  frame.root.append(element("div", "field", select));
}
