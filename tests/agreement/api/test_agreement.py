"""GET /api/v1/projects/SLUG/agreement/ and /grid/."""

import pytest

from agreement.data.reading import read_answers
from agreement.reports import overall
from agreement.reports.fields import as_json
from agreement.reports.parameters import CHOICES, OF_QUESTIONS, Parameters
from agreement.reports.request import choices_of
from annotations.models import Membership, Project
from annotations.projects.people.members import add_member
from tests.conftest import judge, make_project
from tests.shared.agreeing import WALK, coded_project, convention, hand_in
from tests.shared.agreeing import answer as answer_all

URL = "/api/v1/projects/tea/agreement/"

# All texts are in the answer: no page is before or after it.
WHOLE = {"next": None, "previous": None}


@pytest.fixture
def judged(project, codings, keys):
    """Let two coders agree on some items and disagree on others."""
    for label, pointers in {"c": "a", "d": "c", "e": "d", "f": "b"}.items():
        judge(codings["alice"], keys[label], "phrase", keys[pointers])
    for label, pointers in {"c": "a", "d": "ac", "e": "b"}.items():
        judge(codings["bob"], keys[label], "phrase", *(keys[one] for one in pointers))
    for coding in codings.values():
        judge(coding, keys["a"], "none")
        judge(coding, keys["b"], "place")
    judge(codings["bob"], keys["f"], "segment", keys["3"])
    hand_in(project)


@pytest.mark.parametrize("name", [name for name in CHOICES if name not in ("units", *OF_QUESTIONS)])
def test_every_choice_of_every_parameter_is_taken(signed_in, charlie, project, judged, name):
    client = signed_in(charlie)
    for choice in choices_of(name, "pointers", Parameters()):
        asked = {name: choice} | ({"chains": "none"} if choice == "augmented_kappa" else {})
        found = client.get(URL, asked).json()
        expected = overall.compute_report(read_answers(project), convention(project, **asked))
        assert found == as_json(overall.AgreementFigures.of(expected)) | WHOLE
        assert found["parameters"][name] == choice


@pytest.mark.parametrize("rest", ["", "grid/", "items/", "items/tea/phrase:4-14/"])
@pytest.mark.parametrize(
    ("name", "value"), [("distance", "ghost"), ("ghost", "1"), ("preset", "ghost"), ("thirds", "\x00"), ("top", "é")]
)
def test_a_wrong_parameter_is_named(signed_in, charlie, judged, rest, name, value):
    answer = signed_in(charlie).get(URL + rest, {name: value})
    assert answer.status_code == 400
    assert (answer.json()["code"], list(answer.json()["errors"])) == ("invalid", [name])


def test_chains_cannot_be_chosen_where_coders_index(signed_in, charlie):
    project = make_project("walk", "passonneau-2004", "[Anna](a) took [her](b) dog")
    add_member(project, charlie, Membership.Role.MANAGER)
    client = signed_in(charlie)
    assert client.get("/api/v1/projects/walk/agreement/").status_code == 200
    for asked in ({"chains": "none"}, {"preset": "poesio-artstein-2005-k"}):
        answer = client.get("/api/v1/projects/walk/agreement/", asked)
        assert (answer.status_code, list(answer.json()["errors"])) == (400, ["chains"])


@pytest.mark.parametrize("address", ["/api/v1{}", "/api/v1{}grid/", "/api/v1{}items/", "{}", "{}headline/", "{}items/"])
def test_a_project_whose_preset_does_not_fit_opens_with_one_that_does(signed_in, charlie, address):
    project = make_project("walk", "passonneau-2004", "[Anna](a) took [her](b) dog")
    add_member(project, charlie, Membership.Role.MANAGER)
    Project.objects.filter(pk=project.pk).update(preset="poesio-artstein-2005-k")
    assert signed_in(charlie).get(address.format("/projects/walk/agreement/")).status_code == 200


def test_the_texts_of_an_answer_come_in_pages_and_the_figures_are_of_all(charlie, alice, bob, signed_in):
    answer_all(coded_project("walks", "poesio-artstein-2005", *[WALK] * 5))
    client = signed_in(charlie)
    whole = client.get("/api/v1/projects/walks/agreement/").json()
    found, address = [], "/api/v1/projects/walks/agreement/?page_size=2"
    while address:
        page = client.get(address).json()
        assert page["value"] == whole["value"]
        assert len(page["texts"]) <= 2
        found += page["texts"]
        address = page["next"]
    assert found == whole["texts"]
    assert len(found) == 5
    assert client.get("/api/v1/projects/walks/agreement/?cursor=x").status_code == 404
