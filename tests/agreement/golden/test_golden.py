"""The API gives the figures of the demo's projects that the files beside this test have.

GOLDEN=write .venv/bin/python -m pytest tests/agreement/golden     writes the files again; read their diff
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotations.models import User

FOLDER = Path(__file__).parent
PROJECTS = ("chronicle", "dialogue", "letters", "summaries", "topics")
REPORTS = (
    "",
    "compare/?by=round&first=pilot&second=main",
    "gold/",
    "grid/",
    "groups/",
    "items/?page_size=12",
    "models/",
    "peers/",
    "planning/?difference=.1",
    "repeats/",
    "scores/?mean=interpolate",
    "scus/",
    "study/",
)
SETS = ("nominal", "passonneau", "jaccard", "dice", "masi", "masi-product")
CONVENTIONS = {
    "coefficient": ("fleiss_kappa", "multi_kappa", "gwet_ac1", "beta", "bennett_s"),
    "distance": SETS,
    "chains": ("none", "partial"),
    "top": ("chain",),
    "readings": ("matched",),
    "units": ("spans",),
    "exclude_unit": ("observed", "both"),
    "empty": ("disjoint",),
    "thirds": ("rounded",),
    "unmarked": ("missing", "singleton", "label"),
    "include": ("models", "open", "practice", "repeats"),
    "rounds": ("pilot", "main"),
    "interval": ("bootstrap",),
}
QUESTIONS = ("bridging", "bridging-kind", "genericity", "gender", "number", "stance", "topics")
FIGURES = ("code", "value", "observed", "expected", "low", "high", "n_units", "n_judgements", "n_values", "note")
# Rows of longer lists are left out.
MAX_ROWS = 12

pytestmark = [pytest.mark.slow, pytest.mark.django_db]


@pytest.mark.parametrize("project", PROJECTS)
def test_demo_figures_equal_golden_files(project: str) -> None:
    call_command("load_demo", project, verbosity=0)
    figures = read_figures(project)
    path = FOLDER / f"{project}.json"
    if os.environ.get("GOLDEN") == "write":
        lines = [f"{json.dumps(query)}: {json.dumps(given, sort_keys=True)}" for query, given in figures.items()]
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    (numbers, words), (expected, expected_words) = flatten(figures), flatten(json.loads(path.read_text("utf-8")))
    assert words == expected_words
    assert numbers == pytest.approx(expected, rel=1e-9, abs=1e-12)


def read_figures(project: str) -> dict[str, Any]:
    """Return what the API gives at each address: reports with the first rows of lists, and figures by convention."""
    client = Client()
    client.force_login(User.objects.get(username="manager"))

    def get(query: str) -> Any:
        return client.get(f"/api/v1/projects/{project}/agreement/{query}").json()

    reports = {query: cut(get(query)) for query in REPORTS}
    by_convention = {
        query: {name: figure for name, figure in get(query).items() if name in FIGURES} for query in queries()
    }
    return reports | by_convention


def queries() -> Iterator[str]:
    for name, choices in CONVENTIONS.items():
        yield from (f"?{name}={choice}" for choice in choices)
    yield from (f"?question={question}" for question in QUESTIONS)


def cut(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: cut(part) for name, part in value.items() if name != "id"}
    return [cut(part) for part in value[:MAX_ROWS]] if isinstance(value, list) else value


def flatten(figures: Any) -> tuple[dict[str, float], dict[str, Any]]:
    """Return the numbers in a document of JSON, and all else, each by its path."""
    leaves = dict(find_leaves(figures, ""))
    numbers = {path: leaf for path, leaf in leaves.items() if isinstance(leaf, int | float)}
    return numbers, {path: leaf for path, leaf in leaves.items() if path not in numbers}


def find_leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if not value or not isinstance(value, dict | list):
        yield path, value
        return
    for key, part in value.items() if isinstance(value, dict) else enumerate(value):
        yield from find_leaves(part, f"{path}/{key}")
