"""The coding page and the server make the same of the same operations, and the page can take all of them back."""

import json
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from annotations import actions, operations
from annotations.coding_state import coding_state
from annotations.decisions import Refused
from annotations.models import Coding
from tests.conftest import change

REPLAY = Path(__file__).parent / "js" / "replay.mjs"
WORDS = [(start, start + length) for start in range(0, 70, 7) for length in (1, 3, 9)]


@pytest.fixture
def node() -> str:
    found = shutil.which("node")
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("no Node on this machine")
        pytest.skip("no Node on this machine")
    return found


def any_change(draw: random.Random, given: list[str]) -> operations.Change:
    """An operation that may be right or wrong, on markables given and of one's own."""
    own = [f"phrase:{start}-{end}" for start, end in WORDS] + ["phrase:0-3,8-14"]
    key = draw.choice(given + own + own)
    kind = draw.choices(["judge", "clear", "unmark", "move"], [6, 1, 1, 2])[0]
    if kind == "judge":
        category = draw.choice(["phrase", "phrase", "segment", "place", "none", None])
        targets = draw.sample(given + own, draw.randint(0, 2)) if category in ("phrase", "segment") else []
        start = int(key.split(":")[1].split("-")[0])
        head = draw.choice([[], [[start, start + 1]]])
        payload = {
            "markable": key,
            "category": category,
            "pointers": targets,
            "head": head,
            "name": draw.choice(["", "A"]),
        }
    elif kind == "move":
        payload = {"markable": key, "to": draw.choice(own)}
    else:
        payload = {"markable": key}
    return change(kind, **payload)


def comparable(judgements: dict[str, dict]) -> dict[str, dict]:
    return {
        key: {name: sorted(value) if name == "pointers" else value for name, value in one.items() if name != "markable"}
        for key, one in judgements.items()
    }


@pytest.mark.parametrize("seed", range(5))
def test_page_and_server_make_the_same_of_any_operations(project, codings, alice, node, seed):
    actions.let_coders_mark(project, project.levels.filter(coded=True))
    coding = codings["alice"]
    draw = random.Random(seed)
    given = list(coding.text.markables.values_list("key", flat=True))
    state = coding_state(Coding.objects.select_related("text", "coder").get(pk=coding.pk), project)
    kinds = []
    for _ in range(300):
        one = any_change(draw, given)
        try:
            operations.apply(coding, alice, len(kinds), [one])
        except Refused:
            continue
        kinds.append(one.kind)
    assert {"judge", "clear", "unmark", "move"} <= set(kinds)
    log = [
        {**entry, "uuid": str(entry["uuid"])}
        for entry in coding.operations.values("uuid", "kind", "payload", "step", "undoes")
    ]
    run = subprocess.run(
        [node, str(REPLAY)], input=json.dumps({"state": state, "log": log}), capture_output=True, text=True, check=True
    )
    found = json.loads(run.stdout)
    assert comparable(found["judgements"]) == comparable(operations.judgements_of(coding))
    assert found["undone"] == {}
