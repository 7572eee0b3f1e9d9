"""Figures of texts that are coded in several rounds, and again within one."""

from dataclasses import replace

import pytest

from agreement.data.documents import row_key
from agreement.data.given_answers import CoderMarks
from agreement.data.reading import read_answers
from agreement.reports.coders.profiles import read_project_work
from agreement.reports.coreference import compare_chains
from agreement.reports.fields import as_json
from agreement.reports.items import ItemFilters, ItemMarks, compute_items
from agreement.reports.overall import AgreementFigures, compute_report
from agreement.reports.parameters import PRESETS, InvalidParameter, Parameters
from agreement.results.items.item import report_item
from annotations.coding.status import submit_coding
from annotations.formats import plain
from annotations.models import Coding, Round
from annotations.planning.rounds import change_round, create_round
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from tests.conftest import DIALOGUE, judge, make_project

# What two coders answer, the first time and again: categories and antecedents by label.
FIRST = {"alice": {"a": "none", "c": "phrase a", "d": "phrase c", "e": "phrase d"},
         "bob": {"a": "none", "c": "phrase b", "d": "phrase c", "e": "place"}}  # fmt: skip
SECOND = {"alice": {"a": "place", "c": "phrase b", "d": "phrase c", "f": "none"},
          "bob": {"a": "none", "c": "phrase b", "d": "phrase c", "f": "none"}}  # fmt: skip
ALPHA = PRESETS["poesio-artstein-2005"].parameters


def code(text, round_, answers, people, occasion=1):
    """Let coders answer a text in a round, and submit it."""
    keys = dict(text.markables.values_list("label", "key"))
    for name, of_coder in answers.items():
        coding, _ = Coding.objects.of_people().get_or_create(
            text=text, coder=people[name], round=round_, occasion=occasion
        )
        for label, answer in of_coder.items():
            category, *targets = answer.split()
            judge(coding, keys[label], category, *(keys[target] for target in targets))
        submit_coding(coding, people[name])


@pytest.fixture
def coders(alice, bob):
    return {"alice": alice, "bob": bob}


@pytest.fixture
def twice(project, text, coders) -> tuple[Round, Round]:
    """Let a text be coded in the round main, and otherwise in the round again."""
    main = project.rounds.get()
    code(text, main, FIRST, coders)
    again = create_round(project, "again", copied=main, kind="main")
    assign_texts(project, [text], coders.values(), again)
    code(text, again, SECOND, coders)
    return main, again


def figures(project, parameters=ALPHA):
    report = as_json(AgreementFigures.of(compute_report(read_answers(project), parameters)))
    return {name: one for name, one in report.items() if name not in ("fingerprint", "parameters", "texts")}


@pytest.mark.parametrize(
    "parameters",
    [ALPHA, replace(ALPHA, exclude_unit="both"), replace(ALPHA, chains="none"), Parameters(coefficient="fleiss_kappa")],
)
def test_a_text_in_two_rounds_has_the_figures_of_two_texts(twice, project, coders, parameters):
    other = make_project("milk")
    import_documents(other, [SourceDocument(plain.parse(DIALOGUE, "tea-2.txt"), None)])
    for person in coders.values():
        add_member(other, person, "coder")
    first, second = other.texts.order_by("slug")
    for text, answers in ((first, FIRST), (second, SECOND)):
        code(text, other.rounds.get(), answers, coders)
    of_texts = {"low", "high", "interval"}  # answers to one text are not independent
    ours, theirs = (figures(one, parameters) for one in (project, other))
    assert {name: one for name, one in ours.items() if name not in of_texts} == {
        name: one for name, one in theirs.items() if name not in of_texts
    }
    here, there = (compute_items(read_answers(one), parameters) for one in (project, other))
    for name in ("share_of", "observed_of", "distance_of"):
        assert getattr(here, name)(...).tolist() == getattr(there, name)(...).tolist()
    for name in ("n_coders", "chain", "pointers"):
        assert getattr(here, name).tolist() == getattr(there, name).tolist()
    of_both = [compare_chains(read_answers(one), ALPHA, "alice", "bob").overall.scores for one in (project, other)]
    scores, of_other = ({name: (s.recall, s.precision, s.f1) for name, s in one.items()} for one in of_both)
    assert scores == of_other


def test_each_round_alone_has_the_figures_that_it_would_have_without_the_other(twice, project, text, coders):
    of_main, of_again = (figures(project, replace(ALPHA, rounds=name)) for name in ("main", "again"))
    assert of_main != of_again
    both = figures(project, replace(ALPHA, texts="tea"))
    assert both["n_units"] == of_main["n_units"] + of_again["n_units"]
    Coding.objects.of_people().filter(round=twice[1]).delete()
    assert figures(project) == of_main
    with pytest.raises(InvalidParameter, match="there is no 'again' in this project"):
        figures(project, replace(ALPHA, rounds="again"))


def test_the_fingerprint_knows_rounds_where_there_are_several(twice, project):
    before = read_answers(project).fingerprint
    change_round(twice[1], name="later")
    assert read_answers(project).fingerprint != before
    Coding.objects.of_people().filter(round=twice[1]).delete()
    alone = read_answers(project).fingerprint
    change_round(twice[0], name="first")
    assert read_answers(project).fingerprint == alone


@pytest.mark.parametrize(("kind", "reason"), [("training", "practice"), ("recheck", "repeats")])
def test_practice_and_rechecks_are_counted_where_they_are_included_alone(twice, project, kind, reason):
    whole = figures(project)
    change_round(twice[1], kind=kind)
    without = figures(project)
    assert without["codings_left_out"] == whole["codings_left_out"] | {reason: 2}
    assert without["n_units"] < whole["n_units"]
    assert [one.slug for one in read_answers(project).select().texts] == ["tea"]
    assert figures(project, replace(ALPHA, include=reason)) == whole
    chosen = figures(project, replace(ALPHA, rounds="again"))
    assert (chosen["n_units"], chosen["codings_left_out"][reason]) == (0, 2)
    assert figures(project, replace(ALPHA, rounds="main"))["codings_left_out"][reason] == 0


def test_what_a_coder_is_shown_again_within_a_round_is_a_repeat(twice, project, text, coders):
    before = figures(project)
    code(text, twice[0], SECOND, coders, occasion=2)
    now = figures(project)
    assert now == before | {"codings_left_out": before["codings_left_out"] | {"repeats": 2}}
    included = compute_report(read_answers(project), replace(ALPHA, include="repeats"))
    assert [(one.text.name, one.text.occasion) for one in included.texts] == [
        ("tea (main)", 1),
        ("tea (main, occasion 2)", 2),
        ("tea (again)", 1),
    ]
    assert [one.occasion for one in AgreementFigures.of(included).texts] == [None, 2, None]


def test_work_is_of_the_document_in_which_it_was_done(twice, project):
    answers = read_answers(project)
    work = read_project_work(project, answers)
    main, again = answers.texts
    assert (main.round, again.round, main.pk, row_key(again.pk)) == ("main", "again", again.text_pk, main.pk)
    assert {key: len(times) for key, times in work.judgement_times.items()} == {
        (document.pk, name): len(of_round[name])
        for document, of_round in ((main, FIRST), (again, SECOND))
        for name in ("alice", "bob")
    }


def test_an_item_is_that_of_a_round_and_its_marks_are_of_it(twice, project, text, coders):
    answers = read_answers(project).select()
    keys = dict(text.markables.values_list("label", "key"))
    latest = report_item(answers, ALPHA, "tea", keys["a"])
    first = report_item(answers, ALPHA, "tea", keys["a"], "main")
    assert (latest.text.round, latest.values["alice"], first.text.round, first.values["alice"]) == (
        "again", "place", "main", "none",
    )  # fmt: skip
    assert report_item(answers, ALPHA, "tea", keys["a"], "ghost") is None
    items = compute_items(answers, ALPHA)
    marks = ItemMarks(
        flag=frozenset([row_key(first.unit)]), read_coder_marks=lambda: CoderMarks(frozenset([latest.unit]))
    )
    flagged, noted = (items.unit[items.select(ItemFilters(**{name: "set"}), marks)] for name in ("flag", "note"))
    assert set(flagged.tolist()) == {first.unit, latest.unit}
    assert noted.tolist() == [latest.unit]
