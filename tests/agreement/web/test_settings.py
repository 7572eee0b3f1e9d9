"""The settings of a page of results: controls, chips and form."""

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


def control_names(page):
    return set(re.findall(r'<(?:select|input type="checkbox") name="([^"]*)"', page))


def form_fields(page, **changed):
    """Return the fields of the form with some of them changed."""
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
def test_relevant_settings_depend_on_parameters(kind, asked, names):
    assert set(relevant_settings(kind, Parameters(**asked))) == {"coefficient", "unmarked", *names.split()}


def test_form_shows_relevant_controls_only(show):
    assert {"preset", "distance", "thirds", "chains"} <= control_names(show())
    assert "missing" not in control_names(show())
    of_kappa = control_names(show(coefficient="fleiss_kappa"))
    assert "missing" in of_kappa
    assert not of_kappa & {"distance", "thirds", "empty", "exclude_unit"}


def test_each_changed_setting_has_chip_that_removes_it(show):
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


def test_every_fitting_preset_is_offered_and_recognized(show):
    page = show()
    for preset in presets_for("pointers"):
        assert f'value="{preset.key}"' in page
        shown = show(preset=preset.key)
        assert re.search(rf'value="{preset.key}" selected', shown), preset.key
        assert chips(shown) == {}


def test_form_sends_changes_and_keeps_hidden_settings(signed_in, charlie, show):
    client = signed_in(charlie)
    page = show(distance="jaccard", thirds="rounded")
    assert "thirds" not in control_names(page)
    answered = client.get(URL, form_fields(page, distance="masi"), follow=True)
    [(address, _)] = answered.redirect_chain
    assert "distance=masi" in address
    assert "thirds=rounded" in address
    assert SHOWN not in address
    changed = client.get(URL, form_fields(page, preset="poesio-artstein-2005-k", coders="ann"))
    assert changed["Location"] == f"{URL}?preset=poesio-artstein-2005-k&coders=ann"
    both = client.get(URL, form_fields(page, preset="poesio-artstein-2005", distance="dice"))
    assert both["Location"] == f"{URL}?preset=poesio-artstein-2005&distance=dice"
