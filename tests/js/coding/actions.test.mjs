import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ACTIONS as CODING } from "../../../static/js/coding/actions.js";
import { ACTIONS as PYRAMID } from "../../../static/js/pyramid/actions.js";

const read = (path) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

/** The keys of an object that stands in the source of a module. */
function keysOf(path, opening) {
  const source = read(`static/js/${path}`);
  const [head, indent] = new RegExp(`^( *)${opening} \\{\\n`, "m").exec(source) ?? assert.fail(`${path} has no "${opening} {"`);
  const [lines] = source.slice(source.indexOf(head) + head.length).split(`\n${indent}}`);
  return [...lines.matchAll(new RegExp(`^${indent}  "?([\\w-]+)"?[:,]`, "gm"))].map(([, key]) => key);
}

const COMMON = keysOf("workbench/commands.js", "const common =");
const PAGES = [
  { page: "coding", actions: CODING, template: "coding.html", handled: [
    ...COMMON, ...keysOf("coding/commands.js", "const handlers ="),
    ...keysOf("coding/view/marking.js", "const EDGES ="), ...keysOf("coding/view/marking.js", "handlers:"),
  ] },
  { page: "pyramid", actions: PYRAMID, template: "pyramid.html", handled: [...COMMON, ...keysOf("pyramid/commands.js", "const handlers =")] },
];

for (const { page, actions, template, handled } of PAGES) {
  const ids = actions.map(({ id }) => id);

  test(`every action of the ${page} page has a handler, and every handler an action`, () => {
    const commands = read(`static/js/${page}/commands.js`);
    const numbered = (id) => commands.includes(`handlers[\`${id.replace(/[^-]+$/, "$${")}`); // category-1, candidate-a, scu-1
    const lacking = ids.filter((id) => !handled.includes(id) && !numbered(id));
    assert.deepEqual(lacking, [], `static/js/${page}/commands.js has no handler for them`);
    assert.deepEqual(handled.filter((id) => !ids.includes(id)), [], `static/js/${page}/actions.js has no line for them`);
  });

  test(`every button of the ${page} page does one of its actions`, () => {
    const html = ["base.html", "submit.html", template].map((name) => read(`templates/annotations/workbench/${name}`)).join("");
    const done = [...html.matchAll(/data-do="([^"]*)"/g)].map(([, id]) => id);
    assert.ok(done.length > 5);
    assert.deepEqual(done.filter((id) => !ids.includes(id)), []);
  });
}
