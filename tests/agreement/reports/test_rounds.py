"""Figures of texts that are coded in several rounds, or twice in one round."""

from dataclasses import replace

import pytest

from agreement.data.documents import original_of, row_key
from agreement.data.given_answers import CoderMarks
from agreement.data.reading import read_answers
from agreement.reports.basis import compute_interval, distances_of, select_data
from agreement.reports.coders.differences import compare_occasions, compare_parts
from agreement.reports.coders.profiles import read_project_work
from agreement.reports.coreference import compare_chains
from agreement.reports.datasheet.report import describe_project
from agreement.reports.fields import as_json
from agreement.reports.items import ItemFilters, ItemMarks, compute_items
from agreement.reports.methods import describe_data, describe_methods
from agreement.reports.overall import AgreementFigures, compute_report
from agreement.reports.parameters import PRESETS, InvalidParameter, Parameters
from agreement.reports.request import resolve
from agreement.results.items.item import report_item
from agreement.results.planning import Targets, plan_size
from annotations.coding.status import submit_coding
from annotations.formats import plain
from annotations.models import Coding, Project, Round, User
from annotations.planning.rounds import change_round, create_round
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from tests.agreement.measures import exact
from tests.agreement.measures.uncertainty.test_default_interval import bounds
from tests.shared.agreeing import KINDS, WALK, answer, coded_project, convention
from tests.shared.coding import judge
from tests.shared.projects import DIALOGUE, make_project

# What two coders answer, the first time and again: categories and antecedents by label.
FIRST = {"alice": {"a": "none", "c": "phrase a", "d": "phrase c", "e": "phrase d"},
         "bob": {"a": "none", "c": "phrase b", "d": "phrase c", "e": "place"}}  # fmt: skip
SECOND = {"alice": {"a": "place", "c": "phrase b", "d": "phrase c", "f": "none"},
          "bob": {"a": "none", "c": "phrase b", "d": "phrase c", "f": "none"}}  # fmt: skip
ALPHA = PRESETS["poesio-artstein-2005"].parameters


def code(text, round_, answers, people, occasion=1):
    keys = dict(text.markables.values_list("label", "key"))
    for name, of_coder in answers.items():
        coding, _ = Coding.objects.of_people().get_or_create(
            text=text, coder=people[name], round=round_, occasion=occasion
        )
        for label, said in of_coder.items():
            category, *targets = said.split()
            judge(coding, keys[label], category, *(keys[target] for target in targets))
        submit_coding(coding, people[name])


@pytest.fixture
def coders(alice, bob):
    return {"alice": alice, "bob": bob}


@pytest.fixture
def two_rounds(project, text, coders) -> tuple[Round, Round]:
    """Code a text in the round main, and differently in the round again."""
    main = project.rounds.get()
    code(text, main, FIRST, coders)
    recoded = create_round(project, "again", copied=main, kind="main")
    assign_texts(project, [text], coders.values(), recoded)
    code(text, recoded, SECOND, coders)
    return main, recoded


def figures(project, parameters=ALPHA):
    report = as_json(AgreementFigures.of(compute_report(read_answers(project), parameters)))
    return {name: value for name, value in report.items() if name not in ("fingerprint", "parameters", "texts")}


@pytest.mark.parametrize(
    "parameters",
    [ALPHA, replace(ALPHA, exclude_unit="both"), replace(ALPHA, chains="none"), Parameters(coefficient="fleiss_kappa")],
)
def test_text_in_two_rounds_has_figures_of_two_texts(two_rounds, project, coders, parameters):
    other = make_project("milk")
    import_documents(other, [SourceDocument(plain.parse(DIALOGUE, "tea-2.txt"), None)])
    for person in coders.values():
        add_member(other, person, "coder")
    first, second = other.texts.order_by("slug")
    for text, answers in ((first, FIRST), (second, SECOND)):
        code(text, other.rounds.get(), answers, coders)
    of_texts = {"low", "high", "interval"}  # answers to one text are not independent
    ours, theirs = (figures(made, parameters) for made in (project, other))
    assert {name: value for name, value in ours.items() if name not in of_texts} == {
        name: value for name, value in theirs.items() if name not in of_texts
    }
    here, there = (compute_items(read_answers(made), parameters) for made in (project, other))
    for name in ("share_of", "observed_of", "distance_of"):
        assert getattr(here, name)(...).tolist() == getattr(there, name)(...).tolist()
    for name in ("n_coders", "chain", "pointers"):
        assert getattr(here, name).tolist() == getattr(there, name).tolist()
    scores = [compare_chains(read_answers(made), ALPHA, "alice", "bob").overall.scores for made in (project, other)]
    ours, theirs = ([(name, s.recall, s.precision, s.f1) for name, s in of_project.items()] for of_project in scores)
    assert ours == theirs


def test_round_has_figures_independent_of_other_round(two_rounds, project, text, coders):
    of_main, of_again = (figures(project, replace(ALPHA, rounds=name)) for name in ("main", "again"))
    assert of_main != of_again
    both = figures(project, replace(ALPHA, texts="tea"))
    assert both["n_units"] == of_main["n_units"] + of_again["n_units"]
    Coding.objects.of_people().filter(round=two_rounds[1]).delete()
    assert figures(project) == of_main
    with pytest.raises(InvalidParameter, match="there is no 'again' in this project"):
        figures(project, replace(ALPHA, rounds="again"))


def test_fingerprint_depends_on_names_of_several_rounds(two_rounds, project):
    before = read_answers(project).fingerprint
    change_round(two_rounds[1], name="later")
    assert read_answers(project).fingerprint != before
    Coding.objects.of_people().filter(round=two_rounds[1]).delete()
    alone = read_answers(project).fingerprint
    change_round(two_rounds[0], name="first")
    assert read_answers(project).fingerprint == alone


@pytest.mark.parametrize(("kind", "reason"), [("training", "practice"), ("recheck", "repeats")])
def test_training_and_rechecks_count_only_if_included(two_rounds, project, kind, reason):
    whole = figures(project)
    change_round(two_rounds[1], kind=kind)
    without = figures(project)
    assert without["codings_left_out"] == whole["codings_left_out"] | {reason: 2}
    assert without["n_units"] < whole["n_units"]
    assert [text.slug for text in read_answers(project).select().texts] == ["tea"]
    assert figures(project, replace(ALPHA, include=reason)) == whole
    chosen = figures(project, replace(ALPHA, rounds="again"))
    assert (chosen["n_units"], chosen["codings_left_out"][reason]) == (0, 2)
    assert figures(project, replace(ALPHA, rounds="main"))["codings_left_out"][reason] == 0


def test_second_occasion_in_round_counts_as_repeat(two_rounds, project, text, coders):
    before = figures(project)
    code(text, two_rounds[0], SECOND, coders, occasion=2)
    now = figures(project)
    assert now == before | {"codings_left_out": before["codings_left_out"] | {"repeats": 2}}
    included = compute_report(read_answers(project), replace(ALPHA, include="repeats"))
    assert [(row.text.name, row.text.occasion) for row in included.texts] == [
        ("tea (main)", 1),
        ("tea (main, occasion 2)", 2),
        ("tea (again)", 1),
    ]
    assert [row.occasion for row in AgreementFigures.of(included).texts] == [None, 2, None]


def test_work_is_counted_for_round_of_its_coding(two_rounds, project):
    answers = read_answers(project)
    work = read_project_work(project, answers)
    main, recoded = answers.texts
    assert (main.round, recoded.round, main.pk, row_key(recoded.pk)) == ("main", "again", recoded.text_pk, main.pk)
    assert {key: len(times) for key, times in work.judgement_times.items()} == {
        (document.pk, name): len(of_round[name])
        for document, of_round in ((main, FIRST), (recoded, SECOND))
        for name in ("alice", "bob")
    }


def test_item_and_its_notes_belong_to_round(two_rounds, project, text, coders):
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


CODERS = ("alice", "bob", "carl")


def code_again(project: Project, name: str, kind: str, *slugs: str, coders: tuple[str, ...] = CODERS) -> None:
    round_ = Round.objects.create(project=project, name=name, kind=kind, position=project.rounds.count())
    people = User.objects.filter(username__in=coders)
    assign_texts(project, project.texts.filter(slug__in=slugs), people, round_=round_)
    answer(project)


@pytest.fixture(scope="module", params=KINDS)
def recoded_rows(module_rows, request) -> int:
    """Make a project of five texts, of which three were coded again in a second round."""
    texts = [f"{WALK} {number}" for number in range(5)]
    project = answer(coded_project(request.param, request.param, *texts, coders=CODERS))
    code_again(project, "second", Round.Kind.MAIN, "text-1", "text-2", "text-4")
    return project.pk


@pytest.fixture
def recoded(recoded_rows, charlie) -> Project:
    return Project.objects.get(pk=recoded_rows)


def table_of(data):
    return {
        unit: [None if code < 0 else data.value(code) for code in codes]
        for unit, codes in zip(data.units, data.codes.tolist(), strict=True)
    }


def test_interval_leaves_out_texts_not_rounds(recoded):
    distance = distances_of(read_answers(recoded))[-1]
    answers, parameters = resolve(read_answers(recoded), convention(recoded, coefficient="alpha", distance=distance))
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


def test_pages_and_datasheet_count_text_of_two_rounds_once(recoded, ask_all):
    report = compute_report(read_answers(recoded), convention(recoded))
    data = describe_data(report.extract, report.parameters)
    assert (data.n_texts, data.n_documents, data.coders_per_document) == (5, 8, (3,) * 8)
    paragraph = describe_methods(report.extract, report).paragraph
    assert "3 coders annotated 5 texts, in 8 pairs of text and round, by" in paragraph
    assert ("jackknife over 5 texts" in paragraph) == (report.interval.note == "")
    assert "Every coder coded every text in each of its rounds." in paragraph
    sheet = describe_project(recoded, read_answers(recoded), convention(recoded), sees_gold=True)
    assert [(row.name, row.n_texts) for row in sheet.agreement] == [("", 5), ("main", 5), ("second", 3)]
    assert ask_all(recoded.slug, coefficient="alpha", distance="nominal")["interval"]["n_groups"] == 5


def test_rounds_with_same_texts_are_compared_in_pairs(recoded):
    answers = read_answers(recoded)
    assert not compare_parts(answers, convention(recoded), "round", "main", "second").paired
    code_again(recoded, "third", Round.Kind.MAIN, "text-1", "text-2", "text-4")
    found = compare_parts(read_answers(recoded), convention(recoded), "round", "second", "third")
    assert (found.paired, found.of_components, found.is_permuted) == (True, False, True)


def test_interval_joins_markable_in_both_rounds(db):
    project = answer(coded_project("walk", "sortal-classes", WALK, coders=CODERS))
    code_again(project, "second", Round.Kind.MAIN, "text-1")
    found = compute_interval(*resolve(read_answers(project), convention(project)))
    assert (found.by, found.n_groups) == ("component", 5)


def test_recheck_by_three_coders_counts_text_once(db):
    project = answer(coded_project("walk", "sortal-classes", WALK, f"{WALK} 2", coders=CODERS))
    code_again(project, "recheck", Round.Kind.RECHECK, "text-1")
    report = compare_occasions(read_answers(project), convention(project))
    together = report.all_rechecks
    assert (together.shown_again, together.codings, together.texts) == (3, 3, 1)
    assert together.note == "no interval: it takes 8 components, and there are 5"
    sheet = describe_project(project, read_answers(project), convention(project), sees_gold=True)
    assert (sheet.rechecks.n_coders, sheet.rechecks.n_codings, sheet.rechecks.n_texts) == (3, 3, 1)
    counted = [(row.n_codings, row.n_counted, row.n_judgements) for row in sheet.coders]
    assert counted == [(3, 2, 10)] * 3


@pytest.mark.parametrize("sample", ["groups", "both"])
def test_forecast_counts_texts_not_rounds(db, sample):
    texts = [f"{WALK} {number}" for number in range(4)]
    project = answer(coded_project("walk", "passonneau-2004", *texts, coders=CODERS))
    code_again(project, "second", Round.Kind.MAIN, *(f"text-{number}" for number in range(1, 5)))
    found = plan_size(read_answers(project), convention(project), Targets(sample=sample))
    assert found.n_texts == 4
