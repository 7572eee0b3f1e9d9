"""Random steps of the designer leave no problems except empty fields."""

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
def test_random_designer_steps_keep_scheme_valid(seed):
    node = shutil.which("node")
    if node is None:
        skip_or_fail_in_ci("no Node.js on this machine")
    draw = random.Random(seed)
    before = [RICH, *(any_scheme(draw) for _ in range(EXAMPLES))]
    # Drawn schemes may have a fault of their own.
    schemes = [scheme_to_json(scheme.spec, scheme.answers) for scheme in before if not check_scheme(scheme.spec)]
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
        assert all(merge["value"] != merge["into"] for merge in draft["merges"])


def _labelled(questions: list) -> list:
    """Return the questions with their empty labels filled in."""
    return [
        {**spec, "label": spec["label"].strip() or "x"}
        | ({"values": _labelled(spec["values"])} if "values" in spec else {})
        for spec in questions
    ]
