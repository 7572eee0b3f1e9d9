"""Figures of judgements under chosen versions of the scheme, on page, API and command."""

import random
import re
from copy import deepcopy
from dataclasses import replace
from html import unescape
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from agreement.data.given_answers import read_given_answers
from agreement.data.reading import read_answers
from agreement.reports.basis import select_data
from agreement.reports.parameters import Parameters
from agreement.reports.request import resolve
from agreement.results.data import reliability_matrix
from annotations.coding.status import reopen_coding
from annotations.formats.model.scheme import AttributeSpec
from annotations.models import Coding, Judgement, Membership, Project, Round, User
from annotations.projects.people.members import add_member
from annotations.revision.saving import save_scheme
from annotations.schemes.project_scheme import read_scheme
from tests.agreement.measures import exact
from tests.shared.agreeing import coding_of, hand_in
from tests.shared.coding import judge_all
from tests.shared.pyramids import pyramid_project
from tests.shared.questions import CODERS, any_answers, judgement_of, question_project

UNITS = [f"m{number}" for number in range(6)]
TEXTS = ("text-1", "text-2", "text-3")
PAGE, API = "/projects/walk/agreement/", "/api/v1/projects/walk/agreement/"


@pytest.fixture(scope="module")
def work_rows(module_rows):
    """Make three coders judge under two versions: {(coder, text): {unit: (version, answer)}}.

    Bob judges the second text again, so that nothing of him there is of the first version, and Carol a half of the
    first; the third is judged under the first version alone.
    """
    draw = random.Random(22)
    given = any_answers(draw)
    again = any_answers(draw)
    project = question_project("walk", given)
    found = {key: {unit: (1, answer) for unit, answer in answers.items()} for key, answers in given.items()}
    spec = read_scheme(project.pk).spec
    more = (*spec.attributes, AttributeSpec("certain", "Certain", kind="text"))
    assert save_scheme(project, replace(spec, attributes=more), User.objects.get(username="charlie")) == 2
    for coder, text, units in (("bob", "text-2", UNITS), ("carol", "text-1", UNITS[:3]), ("alice", "text-2", ["m5"])):
        coding = coding_of(text, coder)
        reopen_coding(coding, coding.coder)
        keys = dict(coding.text.markables.values_list("label", "key"))
        answers = {unit: again[coder, text].get(unit) or found[coder, text].get(unit, (1, None))[1] for unit in units}
        answers = {unit: answer for unit, answer in answers.items() if answer is not None}
        judge_all(coding, [judgement_of(unit, answer, keys) for unit, answer in answers.items()])
        found[coder, text] |= {unit: (2, answer) for unit, answer in answers.items()}
    hand_in(project)
    versions = {version for answers in found.values() for version, _ in answers.values()}
    assert versions == {1, 2} == set(Judgement.objects.values_list("scheme_version", flat=True))
    return found


@pytest.fixture
def work(work_rows, db):
    return deepcopy(work_rows)


def chains(text, answers, choice="union"):
    """Return the values of one coder in one text: whole chains, made from the pointers of these answers."""
    pointers = {
        unit: [frozenset((text, target) for target in reading) for reading in answer["pointers"]]
        for unit, answer in answers.items()
        if answer.get("pointers")
    }
    of_text = {(text, unit): several for unit, several in pointers.items()}
    categories = {(text, unit): answer["category"] for unit, answer in answers.items()}
    order = [(text, unit) for unit in UNITS]
    return exact.chain_labels(order, categories, of_text, (), "full", "category", choice)


def matched(text, answers):
    return chains(text, answers, "matched")


def topics(text, answers):
    return {(text, unit): frozenset(answer["attributes"].get("topics", ())) for unit, answer in answers.items()}


def table(work, versions, values, unmarked):
    """Return {unit: a value or None for each coder}, and the number of judgements of other versions."""
    rows = {(text, unit): [None] * len(CODERS) for text in TEXTS for unit in UNITS}
    n_others = 0
    for (coder, text), answers in work.items():
        own = {unit: answer for unit, (version, answer) in answers.items() if version in versions}
        n_others += len(answers) - len(own)
        for unit, value in values(text, own).items():
            rows[unit][CODERS.index(coder)] = value
        silent = [unit for unit in UNITS if unit not in answers] if own else []
        for unit in silent:
            of_silence = {"missing": None, "label": "unmarked", "singleton": frozenset({(text, unit)})}
            rows[text, unit][CODERS.index(coder)] = of_silence[unmarked]
    return rows, n_others


@pytest.mark.parametrize("versions", [{1}, {2}, {1, 2}])
@pytest.mark.parametrize(
    ("values", "asked"),
    [
        (chains, {"unmarked": "missing", "distance": "passonneau"}),
        (chains, {"unmarked": "label", "distance": "masi"}),
        (chains, {"unmarked": "singleton", "distance": "jaccard"}),
        (matched, {"unmarked": "missing", "distance": "masi", "readings": "matched"}),
        (topics, {"unmarked": "label", "distance": "jaccard", "question": "topics"}),
    ],
)
def test_figures_use_judgements_of_chosen_versions_only(ask_all, work, versions, values, asked):
    rows, n_others = table(work, versions, values, asked["unmarked"])
    expected, observed, by_chance = exact.alpha(rows, asked["distance"])
    more = {"chains": "full", "top": "category", "exclude_unit": "none"} if values is not topics else {}
    found = ask_all("walk", coefficient="alpha", versions=",".join(map(str, versions)), **more, **asked)
    assert (found["value"], found["observed"], found["expected"]) == pytest.approx(
        (float(expected), float(observed), float(by_chance)), abs=1e-12
    )
    assert found["judgements_of_other_versions"] == n_others
    assert (n_others > 0) == (len(versions) == 1)


def test_choosing_all_versions_equals_no_filter(ask_all, work):
    whole, both = ask_all("walk"), ask_all("walk", versions="1,2")
    assert "judgements_of_other_versions" not in whole
    of_both = both.pop("parameters"), both.pop("judgements_of_other_versions")
    assert of_both == ({**whole.pop("parameters"), "versions": "1,2"}, 0)
    assert both == whole


def test_data_omit_answers_of_other_versions(work):
    project = Coding.objects.of_people().first().text.project
    answers, parameters = resolve(read_answers(project, scheme_versions=frozenset({2})), Parameters(versions="2"))
    cells = {(row.text, row.unit): row.values for row in reliability_matrix(answers, parameters).rows}
    keys = dict(project.texts.get(slug="text-1").markables.values_list("label", "key"))
    for unit in UNITS[3:]:
        assert cells["text-1", keys[unit]] == (None,) * len(answers.coders)
    assert (select_data(answers, parameters).codes >= 0).sum() == Judgement.objects.filter(scheme_version=2).count()
    text, content = (
        next(text for text in answers.texts if text.slug == "text-2"),
        project.texts.get(slug="text-2").content,
    )
    given = read_given_answers(answers, answers.units_in(text), {text.pk: content})
    units = dict(project.texts.get(slug="text-2").markables.values_list("pk", "label"))
    assert {(answer.coder, units[unit]) for unit, several in given.items() for answer in several} == {
        (coder, unit)
        for (coder, slug), own in work.items()
        for unit, (number, _) in own.items()
        if (slug, number) == ("text-2", 2)
    }


def test_page_command_and_paragraph_report_version(work, signed_in, charlie):
    client = signed_in(charlie)
    _, n_others = table(work, {2}, chains, "missing")
    words = f"Judgements under version 2 of the scheme; {n_others} judgements of other versions are missing."
    page, whole = (client.get(PAGE, asked).content.decode() for asked in ({"versions": "2"}, {}))
    assert f'<p id="versions" class="muted">{words}</p>' in page
    assert re.search(r'<input[^>]*name="versions"[^>]*value="2"[^>]*checked', page)
    assert ('id="versions"' in whole, 'name="versions"' in whole) == (False, True)
    printed = StringIO()
    call_command("agreement", "walk", versions="2", stdout=printed)
    assert f"\n{words}\n" in printed.getvalue()
    paragraph = client.get(f"{PAGE}methods/", {"versions": "2"}).content.decode()
    assert f"{n_others} judgements under other versions are taken as missing." in paragraph


@pytest.mark.parametrize("versions", ["3", "2,99999999", "0", "two", "1" * 30])
def test_unknown_version_is_wrong_parameter(work, signed_in, charlie, versions):
    client, wrong = signed_in(charlie), versions.removeprefix("2,")
    page = client.get(PAGE, {"versions": versions})
    answered = client.get(API, {"versions": versions})
    [said] = answered.json()["errors"]["versions"]
    assert (page.status_code, answered.status_code, wrong in said) == (400, 400, True)
    assert f"<p>versions: {said} " in unescape(page.content.decode())
    with pytest.raises(CommandError, match=re.escape(f"--versions: {said}")):
        call_command("agreement", "walk", versions=versions)


@pytest.mark.parametrize("page_of", ["agreement/", "agreement/scores/"])
def test_pyramids_refuse_versions(db, signed_in, charlie, page_of):
    project = pyramid_project()
    add_member(project, charlie, Membership.Role.MANAGER)
    reply = signed_in(charlie).get(f"/projects/ferry/{page_of}?versions=1")
    assert reply.status_code == 400
    assert "<p>versions: pyramids have no versions of a scheme: leave it out. The" in reply.content.decode()


# How the data are selected besides: what is asked for, and of which coders, texts and rounds it is.
SELECTED = {
    "coders": ({"coders": "alice,bob"}, ("alice", "bob"), TEXTS),
    "coders and texts": ({"coders": "bob,carol", "texts": "text-1,text-2"}, ("bob", "carol"), TEXTS[:2]),
    "groups": ({"groups": "experts"}, ("alice", "carol"), TEXTS),
    "rounds": ({"rounds": "pilot"}, CODERS, TEXTS[:1]),
    "rounds and coders": ({"rounds": "main", "coders": "alice,bob"}, ("alice", "bob"), TEXTS[1:]),
}


@pytest.mark.parametrize("versions", [{1}, {2}])
@pytest.mark.parametrize(("selection", "coders", "texts"), SELECTED.values(), ids=SELECTED)
def test_versions_combine_with_other_selections(signed_in, charlie, work, versions, selection, coders, texts):
    project = Project.objects.get(slug="walk")
    project.memberships.filter(user__username__in=["alice", "carol"]).update(group="experts")
    pilot = Round.objects.create(project=project, name="pilot", position=0)
    Coding.objects.of_people().filter(text__project=project).update(round=project.rounds.get(name="main"))
    Coding.objects.of_people().filter(text__project=project, text__slug="text-1").update(round=pilot)
    selected = {key: answers for key, answers in work.items() if key[0] in coders and key[1] in texts}
    rows, n_others = table(selected, versions, chains, "missing")
    asked = {"coefficient": "alpha", "distance": "passonneau", "unmarked": "missing", "chains": "full"}
    alone = {"top": "category", "exclude_unit": "none", "versions": ",".join(map(str, versions))}
    found = signed_in(charlie).get(API, asked | alone | selection).json()
    assert found["judgements_of_other_versions"] == n_others
    expected = [None if figure is None else float(figure) for figure in exact.alpha(rows, "passonneau")]
    assert [found[name] for name in ("value", "observed", "expected")] == pytest.approx(expected)


REPORTS = {
    "coreference": ({"first": "alice", "second": "bob"}, CODERS[:2]),
    "compare": ({"by": "group", "first": "alice,bob", "second": "bob,carol"}, CODERS),
    "groups": ({}, CODERS),
    "planning": ({}, CODERS),
}


@pytest.mark.parametrize(("report", "asked", "coders"), [(name, *case) for name, case in REPORTS.items()], ids=REPORTS)
def test_reports_count_judgements_of_other_versions(work, signed_in, charlie, report, asked, coders):
    client, name, page = signed_in(charlie), "judgements_of_other_versions", report.replace("compare", "difference")
    _, n_others = table({key: own for key, own in work.items() if key[0] in coders}, {2}, chains, "missing")
    words = f"Judgements under version 2 of the scheme; {n_others} judgements of other versions are missing."
    assert client.get(f"{API}{report}/", asked | {"versions": "2"}).json()[name] == n_others
    assert name not in client.get(f"{API}{report}/", asked).json()
    assert words in client.get(f"{PAGE}{page}/", {"versions": "2"} | asked).content.decode()
    printed = StringIO()
    call_command("agreement", "walk", report=report, stdout=printed, versions="2", **asked)
    assert f"{words}\n" in printed.getvalue()


def test_version_chips_lead_to_valid_pages(work, signed_in, charlie):
    client = signed_in(charlie)
    # under version 2 two coders judged anything: without the filter there are three
    Judgement.objects.filter(coding__coder__username="alice").update(scheme_version=1)
    call_command("refresh_figures", "walk")
    asked = {"versions": "2", "coefficient": "cohen_kappa"}
    page = client.get(PAGE, asked)
    assert page.status_code == 200
    chips = [unescape(chip) for chip in re.findall(r'class="chip[^>]*href="(\?[^"]*)"', page.content.decode())]
    assert {"versions" in chip for chip in chips} == {True, False}
    assert [client.get(f"{PAGE}{chip}").status_code for chip in chips] == [200] * len(chips)


def test_version_without_judgements_has_no_figures(work, signed_in, charlie):
    Project.objects.update(scheme_version=3)
    found = signed_in(charlie).get(API, {"versions": "3"}).json()
    n = sum(map(len, work.values()))
    assert (found["value"], found["n_judgements"], found["judgements_of_other_versions"]) == (None, 0, n)
    for name in ("", "items/", "texts/", "coders/", "categories/", "coreference/", "course/", "methods/", "data/"):
        assert signed_in(charlie).get(f"{PAGE}{name}", {"versions": "3"}).status_code == 200, name
