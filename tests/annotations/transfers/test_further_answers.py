"""Export and import of attributes, relations and readings."""

from __future__ import annotations

import io
import random
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.coding.judgements import decisions_of, judgements_of
from annotations.coding.readings import map_targets, sort_readings
from annotations.formats import FORMATS, Place
from annotations.formats.model.features import Feature
from annotations.formats.model.keys import markable_key, parse_key
from annotations.models import Coding, Project
from annotations.projects.people.members import get_or_create_coder
from annotations.schemes.constraints import categories_on
from annotations.schemes.project_scheme import read_scheme
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.exporting.codings import ExportReport
from annotations.transfers.exporting.dispatch import export_files
from annotations.transfers.importing.files.sources import Source, open_sources, read_sources
from annotations.transfers.importing.options import ImportOptions
from annotations.transfers.importing.report import Report
from tests.shared.cases import cases
from tests.shared.coding import judge
from tests.shared.exports import documents_of
from tests.shared.imports import import_result
from tests.shared.schemes import any_scheme, change_rows, coding_of, rich_project, send_any

# Formats that hold all that a judgement may say, without the text or with it.
WHOLE = {
    key: format_
    for key, format_ in FORMATS.items()
    if format_.write
    and {Feature.RELATIONS, Feature.ATTRIBUTES, Feature.PLURAL, Feature.POINTERS} <= format_.supported_features
}


def exported(project: Project, format_key: str) -> tuple[bytes, ExportReport]:
    out = io.BytesIO()
    report = export_files(project, format_key, out, unfinished=True)
    return out.getvalue(), report


def brought(project: Project, format_key: str, data: bytes, **options: Any) -> Report:
    result = read_sources(format_key, open_sources([("export.zip", data)]), "parent", project=project)
    return import_result(project, result, ImportOptions(create=True, join=True, of_format=options))


def trimmed(key: str, content: str) -> str:
    """Return the key of a markable without white space at its edges: files of words have none there."""
    place = parse_key(key)
    assert place
    [(start, end)] = place.parts
    words = content[start:end]
    left, right = len(words) - len(words.lstrip()), len(words.rstrip())
    return markable_key(place.level, ((start + left, start + right),))


def said(coding: Coding, project: Project) -> dict[str, Any]:
    """Return the answers of a coding as exports hold them: decided markables only, readings sorted."""
    constraints, content = read_scheme(project.pk).constraints, coding.text.content
    answers = {}
    for decision in decisions_of(coding):
        decision = replace(
            decision,
            pointers=map_targets(decision.pointers, lambda key: trimmed(key, content)),
            relations=tuple(
                (relation, map_targets(readings, lambda key: trimmed(key, content)))
                for relation, readings in decision.relations
            ),
        )
        key = trimmed(decision.markable, content)
        if decision.category is None and categories_on(constraints, key.partition(":")[0]):
            continue
        answers[key] = (
            decision.category,
            sort_readings(decision.pointers),
            [(relation, sort_readings(readings)) for relation, readings in decision.relations],
            [(name, set(value) if isinstance(value, tuple) else value) for name, value in decision.attributes],
        )
    return {key: answer for key, answer in answers.items() if answer != (None, (), [], [])}


@pytest.mark.parametrize("format_key", sorted(WHOLE))
@pytest.mark.parametrize("seed", cases([0, 1, 2, 18], full=[*range(3, 18), *range(19, 40)]))
def test_answers_to_any_scheme_are_imported_equal(format_key, seed, alice):
    draw = random.Random(f"{format_key} {seed}")
    scheme = any_scheme(draw)
    project = rich_project("any", scheme, alice, coders_mark=True)
    coding = coding_of(project)
    assert send_any(draw, coding, scheme, 40)
    data, _ = exported(project, format_key)
    other = rich_project("other", scheme, coders_mark=True)
    report = brought(other, format_key, data, empty="take")
    assert report.refusals() == []
    assert said(coding_of(other), other) == said(coding, project)


@pytest.fixture
def rich(alice) -> Project:
    """Make a project with a plural antecedent, bridging with an attribute, and answers of all kinds."""
    project = rich_project("rich", coder=alice, coders_mark=True)
    coding = coding_of(project)
    kettle, stove, it = (coding.text.markables.get(label=label).key for label in ("a", "b", "c"))
    judge(coding, stove, "none", relations={"bridging": [kettle]}, attributes={"part": "whole", "animacy": "yes"})
    judge(
        coding,
        it,
        "phrase",
        [kettle, stove],  # type: ignore[arg-type]
        attributes={"gender": "f", "gender-2": "m", "kinds": ["a", "c"], "count": 2.5, "gloss": "that | those"},
    )
    return project


def test_losses_are_listed_by_question(rich):
    _, report = exported(rich, "muc")
    lost = {loss.what: loss.count for loss in report.losses}
    assert lost["answers to relations besides identity, of bridging"] == 1
    for attribute in ("part", "animacy", "gender", "gender-2", "kinds", "count", "gloss"):
        assert lost[f"answers to attributes, of {attribute}"] == 1
    assert lost[str(Feature.PLURAL.value)] == 1


def test_plural_antecedent_becomes_own_entity_in_files_of_chains(rich):
    data, report = exported(rich, "conll2012")
    [(name, conll)] = [(name, text) for name, text in files(data) if name.endswith(".conll")]
    assert name == "alice/tea.conll"
    chains = [line.split()[-1] for line in conll.splitlines() if line.strip() and not line.startswith("#")]
    assert [chain for chain in chains if chain != "-"] == ["(1", "1)", "(2", "2)", "(3)"]
    assert {loss.feature for loss in report.losses} >= {Feature.SPLIT, Feature.RELATIONS, Feature.ATTRIBUTES}


def test_export_keeps_order_of_readings(rich):
    coding = coding_of(rich)
    kettle, stove, it = (coding.text.markables.get(label=label) for label in ("a", "b", "c"))
    judge(coding, it.key, "phrase", [kettle.key, stove.key], [kettle.key])  # type: ignore[arg-type]

    def links() -> tuple[Any, Any]:
        [(_, document)] = documents_of(rich, unfinished=True)
        [answer] = [mark.answer for mark in document.marks if mark.answer and mark.answer.pointers]
        return answer.pointers, answer.readings

    both = tuple(Place("phrase", ((mark.start, mark.end),)) for mark in (kettle, stove))
    assert links() == (both, (both, both[:1]))
    change_rows(rich.relations.filter(identity=True), joint=False)
    assert links() == (both, ())  # none are meant together any more


def files(data: bytes) -> list[tuple[str, str]]:
    return [(source.name, source.data.decode()) for source in open_sources([("export.zip", data)])]


def judgements(project: Project, *lines: str) -> Report:
    """Import a table of judgements by bea on the dialogue."""
    source = Source("j.csv", "\n".join(lines).encode())
    return import_result(
        project, read_sources("judgements-csv", [source], "nobody"), ImportOptions(create=True, join=True)
    )


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("attribute:gender", "x", "j.csv:2: gender has no value 'x'."),
        ("attribute:gender-2", "f", "j.csv:2: gender-2 is asked only where gender is f or m."),
        ("attribute:part", "whole", "j.csv:2: part is asked only where bridging is set."),
        ("attribute:count", "many", "j.csv:2: the answer to count is a number, not 'many'."),
        ("attribute:count", "1e16", "j.csv:2: 'count' of attributes is a value, a list of values, a text or a number."),
        ("attribute:kinds", "a|a", "j.csv:2: A value of kinds is named twice."),
        ("attribute:gloss", "x" * 1001, "j.csv:2: The answer to gloss has at most 1000 characters."),
        ("attribute:bridging", "x", "j.csv:2: bridging is a relation, and the file has it as an attribute."),
        ("relation:gender", "phrase:4-14", "j.csv:2: The scheme has no relation 'gender'."),
    ],
)
def test_answer_that_scheme_does_not_take_is_refused(column, value, message, db):
    project = rich_project("rich")
    category = "place" if column == "attribute:gender" else "none"
    lines = (f"text,unit,coder,label,value,{column}", f'tea,phrase:18-27,bea,{category},,"{value}"')
    [refusal] = judgements(project, *lines).refusals()
    assert refusal.startswith(message)
    assert refusal.endswith(("question=NAME: leaves it out", "question=NAME: leaves it out."))


def test_unknown_question_is_left_out_and_reported(db):
    project = rich_project("rich")
    lines = ("text,unit,coder,label,value,attribute:size", "tea,phrase:18-27,bea,none,,big")
    report = judgements(project, *lines)
    assert report.refusals() == []
    assert any("1 answer to 'size', which the scheme does not ask" in warning for warning in report.warnings())


def test_option_maps_name_of_question(db):
    project = rich_project("rich")
    source = Source("j.csv", b"text,unit,coder,label,value,attribute:genus\ntea,phrase:18-27,bea,place,,f\n")
    get_or_create_coder(project, "bea", create=True)
    result = read_sources("judgements-csv", [source], "nobody")
    report = import_result(project, result, ImportOptions(of_format={"question": "genus:gender"}))
    assert (report.refusals(), report.warnings()) == ([], [])
    assert judgements_of(coding_of(project))["phrase:18-27"]["attributes"] == {"gender": "f"}


def test_missing_required_answers_are_reported(db):
    project = rich_project("rich")
    change_rows(project.attributes.filter(key="gender"), required=True)
    lines = ("text,unit,coder,label", "tea,phrase:18-27,bea,place")
    [warning] = judgements(project, *lines).warnings()
    assert "1 markable without an answer to gender, which the scheme requires" in warning


def test_attributes_add_one_query_to_export(rich, alice):
    plain = rich_project("plain", SCHEMES["poesio-artstein-2005"], alice)

    def queries(project: Project) -> int:
        with CaptureQueriesContext(connection) as captured:
            exported(project, "judgements-csv")
        return len(captured)

    assert queries(rich) == queries(plain) + 1
