"""Saves, undo, corrections, merges, archives and exports keep every field of a judgement."""

import io
from dataclasses import MISSING, fields, replace
from typing import Any
from uuid import uuid4

import pytest

from annotations.coding import operations
from annotations.coding.decisions import Decision
from annotations.coding.judgements import decisions_of, judgements_of
from annotations.coding.log.replay import log_mismatches
from annotations.formats.model.document import Answer
from annotations.formats.model.keys import markable_key, parse_key
from annotations.models import Coding, Project, User
from annotations.revision.saving import save_scheme
from annotations.schemes.changes import Merge
from annotations.schemes.project_scheme import read_scheme
from annotations.texts.correction import correct_text
from annotations.texts.correction_plan import plan_correction
from annotations.transfers.archiving import archive_project, restore_project
from annotations.transfers.exporting.dispatch import export_files
from annotations.transfers.importing.files.sources import open_sources, read_sources
from annotations.transfers.importing.options import ImportOptions
from tests.annotations.coding.conftest import start_coding
from tests.shared.coding import judge_all
from tests.shared.imports import import_result
from tests.shared.schemes import RICH, change_rows, coding_of, rich_project

SCHEME = replace(RICH, categories=tuple(replace(category, takes_optional=True) for category in RICH.categories))
FIRST, SECOND, THIRD = "phrase:0-3", "phrase:8-11", "phrase:20-24"
# Its head is the first half of it.
WHOLE = Decision(
    THIRD,
    category="phrase",
    pointers=((FIRST,), (SECOND,)),
    note="which of them?",
    name="the kettle",
    head=((20, 22),),
    unsure=True,
    optional=True,
    relations=(("bridging", ((FIRST, SECOND),)),),
    attributes=(("count", 2.0), ("gender", "f"), ("gender-2", "m"), ("gloss", "so"), ("kinds", ("a", "b"))),
)
INDEXED = Decision(FIRST, category="refers", indices=("A", "B"), note="both")


def defaults(kind: Any) -> dict[str, Any]:
    return {field.name: field.default for field in fields(kind) if field.default is not MISSING}


def test_example_judgements_have_every_field() -> None:
    for name, value in defaults(Decision).items():
        assert getattr(INDEXED if name == "indices" else WHOLE, name) != value
    payload = WHOLE.payload() | {"indices": INDEXED.payload()["indices"]}
    assert payload.keys() == {field.name for field in fields(Decision)}
    # an answer of a file has its head on the mark, and antecedents that are meant together
    assert defaults(Answer).keys() - {"readings"} == defaults(Decision).keys() - {"head"}


def judged(project: Project, decision: Decision) -> Coding:
    coding = coding_of(project)
    judge_all(coding, [operations.Change(uuid4(), "judge", decision.payload())])
    return coding


@pytest.fixture(params=[WHOLE, INDEXED], ids=["pointers", "indices"])
def decision(request: pytest.FixtureRequest) -> Decision:
    found: Decision = request.param
    return found


def make(slug: str, decision: Decision, coder: User) -> Project:
    """Make a project whose scheme allows this judgement."""
    if decision.pointers:
        return rich_project(slug, SCHEME, coder, coders_mark=True)
    project = start_coding(coder, slug, "passonneau-2004", "put [the kettle](a) on").text.project
    change_rows(project.levels.all(), coders_mark=True)
    return project


@pytest.fixture
def project(db: None, alice: User, decision: Decision) -> Project:
    return make("whole", decision, alice)


@pytest.fixture
def coding(project: Project, decision: Decision) -> Coding:
    return judged(project, decision)


def stored_decision(coding: Coding) -> Decision:
    """Return the only judgement of the coding with a category; check its log."""
    assert list(log_mismatches(Coding.objects.of_people().select_related("text").get(pk=coding.pk))) == []
    [found] = [decision for decision in decisions_of(coding) if decision.category]
    return found


def test_save_keeps_every_field(coding: Coding, decision: Decision) -> None:
    assert stored_decision(coding) == decision
    assert judgements_of(coding)[decision.markable] == decision.payload()


def test_undoing_keeps_every_field(coding: Coding, decision: Decision) -> None:
    clear = operations.Change(uuid4(), "clear", {"markable": decision.markable})
    judge_all(coding, [clear])
    judge_all(coding, [operations.Change(uuid4(), "judge", decision.payload(), undoes=clear.uuid)])
    assert stored_decision(coding) == decision


def test_correction_of_text_keeps_every_field(coding: Coding, decision: Decision, charlie: User) -> None:
    text = coding.text
    content = f"Oh, {text.content}"
    correct_text(text, content, charlie, plan_correction(text, content).tag)

    def moved(key: str) -> str:
        place = parse_key(key)
        assert place
        return markable_key(place.level, [(start + 4, end + 4) for start, end in place.parts])

    def all_moved(readings: Any) -> Any:
        return tuple(tuple(map(moved, reading)) for reading in readings)

    assert stored_decision(coding) == replace(
        decision,
        markable=moved(decision.markable),
        pointers=all_moved(decision.pointers),
        head=tuple((start + 4, end + 4) for start, end in decision.head),
        relations=tuple((key, all_moved(readings)) for key, readings in decision.relations),
    )


@pytest.mark.parametrize("decision", [WHOLE], ids=["pointers"])
def test_merge_of_values_keeps_other_fields(coding: Coding, decision: Decision, charlie: User) -> None:
    project = coding.text.project
    spec = read_scheme(project.pk).spec
    kinds = next(attribute for attribute in spec.attributes if attribute.key == "kinds")
    fewer = replace(kinds, values=tuple(value for value in kinds.values if value.key != "b"))
    attributes = tuple(fewer if attribute is kinds else attribute for attribute in spec.attributes)
    save_scheme(project, replace(spec, attributes=attributes), charlie, merges=[Merge("kinds", "b", "c")])
    answers = dict(decision.attributes) | {"kinds": ("a", "c")}
    assert stored_decision(coding) == replace(decision, attributes=tuple(sorted(answers.items())))


def test_archive_keeps_every_field(coding: Coding, decision: Decision) -> None:
    out = io.BytesIO()
    archive_project(coding.text.project, out)
    restored = restore_project(io.BytesIO(out.getvalue()), slug="copy")
    assert not restored.findings
    assert stored_decision(coding_of(restored.project)) == decision


@pytest.mark.parametrize("own_format", ["judgements-csv", "judgements-json"])
def test_export_in_own_formats_keeps_every_field(coding: Coding, decision: Decision, own_format: str) -> None:
    project, out = coding.text.project, io.BytesIO()
    export_files(project, own_format, out, unfinished=True)
    copy = make("copy", decision, coding.coder)
    result = read_sources(own_format, open_sources([("export.zip", out.getvalue())]), "parent", project=copy)
    import_result(copy, result, ImportOptions(create=True, join=True))
    assert stored_decision(coding_of(copy)) == decision
