"""Other packages compute the same digits, in the versions that docs/comparison.md names."""

import json
import os
import subprocess
import sys

import pytest

from agreement import measures
from tests.conftest import ROOT
from tests.reference.peers import GAPS, NUMBERS, PEERS, SETS, TWO
from tests.shared.environments import install

PROGRAM = ROOT / "tests" / "reference" / "peers.py"
DEADLINE = 300
# What is installed of each, beside the NumPy, SciPy and pandas that are here.
INSTALLED = {
    "irrCAC": ["--no-deps", "irrCAC==0.4.4"],
    "krippendorff": ["--no-deps", "krippendorff==0.9.0"],
    "nltk": ["nltk==3.10.4"],
    "simpledorff": ["--no-deps", "simpledorff==0.0.2"],
}
ROWS = {"bennett_s": TWO, "cohen_kappa": TWO, "observed_agreement": TWO, "scott_pi": TWO}


def own(figure: str) -> float:
    """Return what the library computes of a figure of `peers.py`."""
    name, _, distance = figure.rpartition(", ")
    if distance in measures.SET_DISTANCES and distance != "nominal":
        return float(measures.alpha(SETS, distance))
    if name:
        return float(measures.alpha(GAPS if "gaps" in name else NUMBERS, distance))
    return float(getattr(measures, figure)(ROWS.get(figure, NUMBERS)))


@pytest.mark.slow
@pytest.mark.parametrize("peer", PEERS)
def test_other_package_computes_same_digits(peer, tmp_path):
    done = install(sys.executable, "--target", str(tmp_path), *INSTALLED[peer])
    if done.returncode:
        pytest.skip(f"{peer} cannot be installed here: {done.stderr.strip().splitlines()[-1]}")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    found = subprocess.run(
        [sys.executable, str(PROGRAM), peer], env=environment, capture_output=True, text=True, timeout=DEADLINE
    )
    assert found.returncode == 0, found.stderr
    figures = json.loads(found.stdout)
    assert len(figures) >= 3
    assert figures == pytest.approx({figure: own(figure) for figure in figures}, abs=1e-11)


def test_comparison_page_names_compared_versions():
    page = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
    for arguments in INSTALLED.values():
        assert arguments[-1].replace("==", " ").lower() in page.lower()
