"""The library as a whole: its surface, what it loads, its examples and its results."""

import doctest
import importlib
import pkgutil
import subprocess
import sys
from inspect import isfunction

import pytest

from agreement import measures
from agreement.measures import Result, alpha
from tests.agreement.measures.strategies import one_document
from tests.conftest import ROOT

MODULES = [
    measures.__name__,
    *(m.name for m in pkgutil.walk_packages(measures.__path__, f"{measures.__name__}.")),
]


@pytest.mark.parametrize("module", MODULES)
def test_docstring_examples_are_correct(module):
    public = {name: getattr(measures, name) for name in measures.__all__}  # as after an import of everything public
    assert doctest.testmod(importlib.import_module(module), extraglobs=public).failed == 0


def test_every_public_function_has_example():
    for name in measures.__all__:
        thing = getattr(measures, name)
        if isfunction(thing):
            assert ">>>" in thing.__doc__, name


def test_import_loads_no_large_package():
    packages = {"django", "pandas", "scipy", "duckdb", "distributed", "tqdm"}
    code = f"import sys, agreement.measures; sys.exit(', '.join({packages} & set(sys.modules)) or 0)"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr


def test_result_has_counts_and_parameters():
    result = alpha(one_document([["a", "a"], ["a", "b"], ["a", None]]), "masi")
    assert repr(result) == (
        "<alpha = 0.0000: 2 units, 2 coders, 4 judgements, 2 values; 1 coded by fewer than two coders>"
    )
    assert result.parameters == {
        "distance": "masi",
        "exclude_unit": "none",
        "empty": "subset",
        "thirds": "exact",
    }


def test_undefined_result_shows_reason():
    result = alpha(one_document([["a"]]))
    assert repr(result) == (
        "<alpha undefined: 0 units, 0 coders, 0 judgements, 0 values; 1 coded by fewer than two coders; "
        "no unit is coded by two coders>"
    )
    assert "<td>undefined</td>" in result._repr_html_()


def test_html_of_result_is_escaped():
    result = Result("alpha", 0.5, 0.1, 0.2, 1, 2, 2, 2, note="<script>")
    assert "<script>" not in result._repr_html_()
    assert "0.5000" in result._repr_html_()


def test_result_is_immutable():
    with pytest.raises(AttributeError):
        alpha(one_document([["a", "b"]])).value = 1.0  # type: ignore[misc]


def test_parameters_name_callable_distance():
    def by_letter(a, b):
        return 1.0

    assert alpha(one_document([["a", "b"]]), by_letter).parameters["distance"] == "by_letter"
