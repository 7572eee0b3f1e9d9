"""Explanations of figures, settings and columns."""

from __future__ import annotations

import re

import pytest

from agreement.reports.parameters import CHOICES
from annotations.help.explanations import EXPLANATIONS, FILTER_PLACE, PLACES_OF_SETTINGS, address_of, explanation
from annotations.help.manuals import manual
from tests.conftest import ROOT

# What templates and Python name.
NAMED = re.compile(
    r"""info(?:_sign|_button key)? "([\w-]+)"|explanation=f?"([\w{}-]+)"|\("\w+", "[\w ]+", "[\w -]*", "([\w-]+)"\)"""
)


@pytest.mark.parametrize("key", EXPLANATIONS)
def test_explanation_is_one_short_sentence(key):
    found = EXPLANATIONS[key]
    assert re.fullmatch(r"[A-Z0-9“][^\n]{10,120}\.", found.sentence), found.sentence
    assert found.range == "" or re.fullmatch(r"[\w−][^\n]{2,80}\.", found.range), found.range


@pytest.mark.parametrize(
    "place", sorted({entry.place for entry in EXPLANATIONS.values()} | {*PLACES_OF_SETTINGS.values(), FILTER_PLACE})
)
def test_explanation_links_to_section_of_manual(place):
    name, _, anchor = place.partition("#")
    assert anchor in [section.anchor for section in manual(name).sections]
    assert address_of(place) == f"/help/{name}/#{anchor}"


def test_each_setting_has_section_of_manual():
    assert {"preset", "question", *CHOICES} == set(PLACES_OF_SETTINGS)


def test_interval_limits_share_explanation():
    assert explanation("kappa_low") is explanation("low")
    with pytest.raises(KeyError):
        explanation("nothing")


def test_each_explanation_is_used():
    """Without an explicit key, a column shows the explanation of its own name."""
    sources = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "agreement").glob("re*/**/*.py")]
    text = "\n".join(path.read_text() for path in [*sources, ROOT / "annotations" / "web" / "views" / "texts.py"])
    named = {key for match in NAMED.findall(text) for key in match if key}
    names = set(re.findall(r'(?:Column|whole_column|columns_with_ends)\(\s*f?"(\w+)"', text))
    names |= {name for labels in re.findall(r"columns_of\(([^)]*)\)", text) for name in re.findall(r"(\w+)=", labels)}
    # of columns of one kind the label stands with the key: name=("Label", "key")
    names |= {name for pair in re.findall(r'(\w+)=\(f?"[^"]*", "?([\w-]+)"?\)', text) for name in pair}
    computed = {"recall", "precision", "f1", "chains_of_coder", "links_of_coder", "k"}
    computed |= {"confusion", "gold_confusion", "gold_period", "agreed_period", "together", "rank", "rank_change"}
    computed |= {f"choice-{name}" for name in ("docset", "score", "mean", "first", "second")}
    distances = {"nominal", "passonneau", "jaccard", "dice", "masi", "masi-product", "ordinal", "interval", "ratio"}
    scores = {"original", "modified", "comprehensive", "pearson", "spearman", "kendall"}
    assert set(EXPLANATIONS) - named - names - computed - distances - scores == set()
