"""The steps of the designer keep a scheme whole: whatever one does, only what is not filled in yet is wrong."""

import json
import random
import re
import shutil
import subprocess

import pytest

from annotations.formats.model.scheme_json import scheme_from_json, scheme_to_json
from annotations.schemes.consistency import check_scheme
from benchmarks.environment.serving import ROOT
from tests.shared.cases import cases
from tests.shared.schemes import RICH, any_scheme
from tests.shared.skipping import skip_or_fail_in_ci

EDITS = ROOT / "tests" / "js" / "scheme" / "scheme-edits.mjs"
# What one has not said yet, or has unticked oneself; no step makes anything else.
UNFILLED = re.compile(
    r"It has no values|The label is empty|is no earlier question with values|: The label is empty"
    r"|A second choice is of the kind of the first|The level '.*' is not coded"
)
EXAMPLES = 12
STEPS = 60


@pytest.mark.parametrize("seed", cases(range(2), full=range(2, 30)))
def test_any_steps_of_the_designer_leave_a_scheme_that_the_server_takes(seed):
    node = shutil.which("node")
    if node is None:
        skip_or_fail_in_ci("no Node.js on this machine")
    draw = random.Random(seed)
    before = [RICH, *(any_scheme(draw) for _ in range(EXAMPLES))]
    # Drawn schemes may have a fault of their own.
    schemes = [scheme_to_json(one.spec, one.answers) for one in before if not check_scheme(one.spec)]
    assert len(schemes) > EXAMPLES / 2
    sent = json.dumps({"schemes": schemes, "seed": seed, "steps": STEPS})
    run = subprocess.run([node, str(EDITS)], input=sent, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    for draft in json.loads(run.stdout):
        spec, _ = scheme_from_json(
            draft["scheme"]
            | {part: _labelled(draft["scheme"][part]) for part in ("levels", "categories", "relations", "attributes")}
        )
        wrong = [problem for problem in check_scheme(spec) if not UNFILLED.search(problem.message)]
        assert wrong == []
        assert draft["done"] > STEPS / 4
        assert all(one["value"] != one["into"] for one in draft["merges"])


def _labelled(questions: list) -> list:
    """Return the questions with the labels that people have not written yet."""
    return [
        {**one, "label": one["label"].strip() or "x"}
        | ({"values": _labelled(one["values"])} if "values" in one else {})
        for one in questions
    ]
