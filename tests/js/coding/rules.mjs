// What the page says of judgements: reads {state, tries} and writes {codes, left, required, holes} for test_page_and_server.py. A try is a payload
// and whether the server took it; left is what each markable that is judged still lacks, required what keeps the text from submission.
import { readFileSync } from "node:fs";
import { violationOf } from "../../../static/js/coding/questions/attribute-answers.js";
import { givenAnswers, missingAttributes } from "../../../static/js/coding/questions/constraints.js";
import { missingRequired } from "../../../static/js/coding/questions/entity-answers.js";
import { holesOf } from "../../../static/js/coding/questions/holes.js";
import { apply, isDecided, load, withMarks } from "../../../static/js/coding/state.js";
import { judgement } from "../../../static/js/workbench/judgements.js";

const { state, tries } = JSON.parse(readFileSync(0, "utf8"));
const { model, judgements } = load(state);
const codes = tries.map(({ payload }) => violationOf(model, payload.markable, judgement(payload))?.code ?? null);
const after = apply(model, judgements, tries.filter(({ taken }) => taken).map(({ payload }) => ({ kind: "judge", payload })));
const left = Object.fromEntries([...after].map(([key, value]) => {
  const { level } = model.byKey.at(key);
  return [key, { complete: isDecided(model, level, value), missing: missingAttributes(model.constraints, givenAnswers(model.constraints, level, value)) }];
}));
const holes = holesOf(withMarks(model, after), after).map(({ markables, question }) => [markables, question]);
console.log(JSON.stringify({ codes, left, required: missingRequired(model, after), holes }));
