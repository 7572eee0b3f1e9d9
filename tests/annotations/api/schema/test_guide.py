"""Every example of docs/api.md, as it is printed."""

import doctest
import json
import re
import subprocess
from typing import Any

import pytest
from django.core.management import call_command

from annotations.models import User
from annotations.projects.people.tokens import create_token
from tests.conftest import ROOT

GUIDE = ROOT / "docs" / "api.md"
ANYTHING = "…"
BETWEEN = "---- the next example ----"
BLOCKS = re.findall(r"```(sh|json|python)\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def names(transactional_db, live_server) -> dict[str, str]:
    """Load the demo and return the address of its API and two keys."""
    call_command("load_demo", verbosity=0)
    keys = {
        name.upper(): create_token(User.objects.get(username=name), "guide", scope, 1)[1]
        for name, scope in (("manager", "manage"), ("alice", "annotate"))
    }
    return {"API": f"{live_server.url}/api/v1", **keys}


def fits(expected: Any, found: Any) -> bool:
    """Return whether the value is as printed; "…" stands for anything, and as a key for any number of more fields."""
    if expected == ANYTHING:
        return True
    if isinstance(expected, dict) and isinstance(found, dict):
        named = {key: value for key, value in expected.items() if key != ANYTHING}
        more = ANYTHING in expected or len(found) == len(named)
        return more and all(key in found and fits(value, found[key]) for key, value in named.items())
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(fits, expected, found))
    if isinstance(expected, float) and isinstance(found, float):
        return abs(expected - found) < 0.00005
    return bool(expected == found)


def all_json(text: str) -> list[Any]:
    """Return the consecutive JSON values of the text."""
    found, decoder, rest = [], json.JSONDecoder(), text.strip()
    while rest:
        value, end = decoder.raw_decode(rest)
        found.append(value)
        rest = rest[end:].strip()
    return found


def test_comparison_finds_differences_from_print():
    assert fits({"a": "…", "…": "…"}, {"a": 1, "b": 2})
    assert not fits({"a": "…"}, {"a": 1, "b": 2})
    assert not fits({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]})
    assert not fits([1], [1, 2])


@pytest.mark.slow
def test_examples_give_printed_answers(names, tmp_path):
    kinds = [kind for kind, _ in BLOCKS]
    script = f"\necho '{BETWEEN}'\n".join(body for kind, body in BLOCKS if kind == "sh")
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **names},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    answers = [all_json(part) for part in ran.stdout.split(BETWEEN)]
    printed = [all_json(body) for kind, body in BLOCKS if kind == "json"]
    # Each example in the shell has its answer below it.
    assert len(printed) == len(answers) == kinds.count("sh") >= 10
    for expected, found in zip(printed, answers, strict=True):
        assert fits(expected, found), found
    assert (tmp_path / "news.zip").read_bytes().startswith(b"PK")

    source = "\n".join(body for kind, body in BLOCKS if kind == "python")
    examples = doctest.DocTestParser().get_doctest(source, dict(names), "api.md", str(GUIDE), 0)
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples)
    assert (result.failed, result.attempted >= 8) == (0, True)
