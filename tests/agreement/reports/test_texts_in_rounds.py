"""A text that was coded in several rounds is one text: in intervals, counts and sentences."""

import pytest

from agreement.data.documents import original_of
from agreement.data.reading import read_answers
from agreement.reports.basis import compute_interval, distances_of, select_data
from agreement.reports.coders.differences import compare_occasions, compare_parts
from agreement.reports.datasheet.report import describe_project
from agreement.reports.methods import describe_data, describe_methods
from agreement.reports.overall import compute_report
from agreement.reports.request import resolve
from agreement.results.planning import Targets, plan_size
from annotations.models import Project, Round, User
from annotations.planning.work.assignments import assign_texts
from tests.agreement.measures import exact
from tests.agreement.measures.uncertainty.test_default_interval import bounds
from tests.shared.agreeing import KINDS, WALK, answer, coded_project, convention

CODERS = ("alice", "bob", "carl")


def code_again(project: Project, name: str, kind: str, *slugs: str, coders: tuple[str, ...] = CODERS) -> None:
    """Let the coders code some of the texts once more, in a round of their own."""
    round_ = Round.objects.create(project=project, name=name, kind=kind, position=project.rounds.count())
    people = User.objects.filter(username__in=coders)
    assign_texts(project, project.texts.filter(slug__in=slugs), people, round_=round_)
    answer(project)


@pytest.fixture(params=KINDS)
def again(db, request) -> Project:
    """Make a project of five texts, of which three were coded again in a second round."""
    texts = [f"{WALK} {number}" for number in range(5)]
    project = answer(coded_project("walk", request.param, *texts, coders=CODERS))
    code_again(project, "second", Round.Kind.MAIN, "text-1", "text-2", "text-4")
    return project


def table_of(data):
    return {
        unit: [None if code < 0 else data.value(code) for code in codes]
        for unit, codes in zip(data.units, data.codes.tolist(), strict=True)
    }


def test_interval_leaves_out_texts_and_not_rounds(again):
    distance = distances_of(read_answers(again))[-1]
    answers, parameters = resolve(read_answers(again), convention(again, coefficient="alpha", distance=distance))
    data = select_data(answers, parameters)
    table = table_of(data)
    documents = dict(zip(data.units, (data.documents[n] for n in data.document_of_unit.tolist()), strict=True))
    texts = {unit: original_of(document) for unit, document in documents.items()}

    def alpha(rest):
        return exact.alpha(rest, distance, exclude_unit=parameters.exclude_unit, thirds=parameters.thirds)[0]

    without = exact.without_each(table, texts, alpha)
    found = compute_interval(answers, parameters)
    assert (found.n_groups, len(set(documents.values()))) == (5, 8)
    assert (found.low, found.high) == pytest.approx(bounds(alpha(table), list(without.values())))


def test_pages_and_datasheet_count_texts(again, ways):
    report = compute_report(read_answers(again), convention(again))
    data = describe_data(report.extract, report.parameters)
    assert (data.n_texts, data.n_documents, data.coders_per_document) == (5, 8, (3,) * 8)
    paragraph = describe_methods(report.extract, report).paragraph
    assert "3 coders annotated 5 texts, in 8 pairs of text and round, by" in paragraph
    assert ("jackknife over 5 texts" in paragraph) == (report.interval.note == "")
    assert "Every coder coded every text in each of its rounds." in paragraph
    sheet = describe_project(again, read_answers(again), convention(again), sees_gold=True)
    assert [(one.name, one.n_texts) for one in sheet.agreement] == [("", 5), ("main", 5), ("second", 3)]
    assert ways("walk", coefficient="alpha", distance="nominal")["interval"]["n_groups"] == 5


def test_rounds_of_the_same_texts_are_compared_text_by_text(again):
    answers = read_answers(again)
    assert not compare_parts(answers, convention(again), "round", "main", "second").paired
    code_again(again, "third", Round.Kind.MAIN, "text-1", "text-2", "text-4")
    found = compare_parts(read_answers(again), convention(again), "round", "second", "third")
    assert (found.paired, found.of_components, found.is_permuted) == (True, False, True)


def test_one_text_in_two_rounds_joins_the_copies_of_each_markable(db):
    project = answer(coded_project("walk", "sortal-classes", WALK, coders=CODERS))
    code_again(project, "second", Round.Kind.MAIN, "text-1")
    found = compute_interval(*resolve(read_answers(project), convention(project)))
    assert (found.by, found.n_groups) == ("component", 5)


def test_recheck_of_one_text_by_three_coders_is_of_one_text(db):
    project = answer(coded_project("walk", "sortal-classes", WALK, f"{WALK} 2", coders=CODERS))
    code_again(project, "recheck", Round.Kind.RECHECK, "text-1")
    report = compare_occasions(read_answers(project), convention(project))
    together = report.all_rechecks
    assert (together.shown_again, together.codings, together.texts) == (3, 3, 1)
    assert together.note == "no interval: it takes 8 components, and there are 5"
    sheet = describe_project(project, read_answers(project), convention(project), sees_gold=True)
    assert (sheet.rechecks.n_coders, sheet.rechecks.n_codings, sheet.rechecks.n_texts) == (3, 3, 1)
    counted = [(one.n_codings, one.n_counted, one.n_judgements) for one in sheet.coders]
    assert counted == [(3, 2, 10)] * 3


@pytest.mark.parametrize("sample", ["groups", "both"])
def test_forecasts_are_of_texts_and_not_of_rounds(db, sample):
    texts = [f"{WALK} {number}" for number in range(4)]
    project = answer(coded_project("walk", "passonneau-2004", *texts, coders=CODERS))
    code_again(project, "second", Round.Kind.MAIN, *(f"text-{number}" for number in range(1, 5)))
    found = plan_size(read_answers(project), convention(project), Targets(sample=sample))
    assert found.n_texts == 4
