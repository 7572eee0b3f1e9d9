"""The settings of a page of results: what is in sight, what differs from the project, what the form asks for."""

import re
from html import unescape

import pytest

from agreement.reports.parameters import Parameters, presets_for
from agreement.reports.request import relevant_settings
from agreement.web.forms import SHOWN
from tests.shared.agreeing import WALK, answer, coded_project

URL = "/projects/walk/agreement/"


@pytest.fixture(scope="module")
def walk_rows(module_rows) -> int:
    return answer(coded_project("walk", "poesio-artstein-2005", WALK)).pk


@pytest.fixture
def show(signed_in, charlie, walk):
    client = signed_in(charlie)
    return lambda **query: client.get(URL, query).content.decode()


def chips(page):
    found = re.findall(r'<a class="chip" href="([^"]*)" aria-label="Remove ([^"]*)"', page)
    return {unescape(words): unescape(address) for address, words in found}


def named(page):
    return set(re.findall(r'<(?:select|input type="checkbox") name="([^"]*)"', page))


def in_form(page, **changed):
    """Return what the form sends as it is shown, with some of it changed."""
    sent = {SHOWN: unescape(re.search(r'name="shown" value="([^"]*)"', page)[1])}
    for name, options in re.findall(r'<select name="([^"]*)".*?>(.*?)</select>', page, re.DOTALL):
        chosen = re.search(r'<option value="([^"]*)" selected', options)
        sent[name] = unescape(chosen[1])
    return sent | changed


@pytest.mark.parametrize(
    ("kind", "asked", "names"),
    [
        ("categories", {}, ""),
        ("categories", {"coefficient": "fleiss_kappa"}, "missing"),
        ("indices", {"distance": "jaccard"}, "distance exclude_unit readings"),
        ("indices", {"distance": "masi"}, "distance exclude_unit thirds readings"),
        ("pointers", {"coefficient": "fleiss_kappa"}, "missing chains top readings"),
        ("pointers", {"distance": "passonneau"}, "distance chains top readings exclude_unit thirds empty"),
        ("categories", {"question": "gender"}, "unasked"),
        ("categories", {"question": "gender", "coefficient": "augmented_kappa"}, "unasked missing primary_weight"),
        ("labels", {"question": "topics", "distance": "masi"}, "unasked distance thirds"),
        ("targets", {"question": "bridging"}, "unasked distance readings"),
        ("indices", {"units": "words"}, "distance exclude_unit units readings"),
    ],
)
def test_setting_matters_or_is_not_there(kind, asked, names):
    assert set(relevant_settings(kind, Parameters(**asked))) == {"coefficient", "unmarked", *names.split()}


def test_controls_are_those_that_matter(show):
    assert {"preset", "distance", "thirds", "chains"} <= named(show())
    assert "missing" not in named(show())
    of_kappa = named(show(coefficient="fleiss_kappa"))
    assert "missing" in of_kappa
    assert not of_kappa & {"distance", "thirds", "empty", "exclude_unit"}


def test_only_a_change_has_a_chip_that_takes_it_away(show):
    assert chips(show()) == {}
    assert "Reset to project default" not in show()
    page = show(distance="dice", chains="none", without="place")
    found = chips(page)
    assert len(found) == 3
    assert "Custom" in page
    assert "Advanced (1 changed)" in page
    assert "Reset to project default" in page
    [address] = [address for words, address in found.items() if words.startswith("Distance")]
    assert "distance=passonneau" in address
    assert "chains=none" in address
    assert "without=place" in address


def test_every_preset_that_fits_can_be_chosen_and_is_recognized(show):
    page = show()
    for preset in presets_for("pointers"):
        assert f'value="{preset.key}"' in page
        shown = show(preset=preset.key)
        assert re.search(rf'value="{preset.key}" selected', shown), preset.key
        assert chips(shown) == {}


def test_form_asks_for_what_was_changed_and_keeps_what_it_does_not_show(signed_in, charlie, show):
    client = signed_in(charlie)
    page = show(distance="jaccard", thirds="rounded")
    assert "thirds" not in named(page)
    answered = client.get(URL, in_form(page, distance="masi"), follow=True)
    [(address, _)] = answered.redirect_chain
    assert "distance=masi" in address
    assert "thirds=rounded" in address
    assert SHOWN not in address
    changed = client.get(URL, in_form(page, preset="poesio-artstein-2005-k", coders="ann"))
    assert changed["Location"] == f"{URL}?preset=poesio-artstein-2005-k&coders=ann"
    both = client.get(URL, in_form(page, preset="poesio-artstein-2005", distance="dice"))
    assert both["Location"] == f"{URL}?preset=poesio-artstein-2005&distance=dice"
