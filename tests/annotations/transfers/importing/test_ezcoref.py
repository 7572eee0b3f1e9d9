"""The same annotations in two formats give equal chains and figures."""

import pytest
from django.core.management import call_command

from agreement.data.reading import read_answers
from agreement.reports import overall
from agreement.reports.parameters import Parameters
from annotations.formats.model.document import Document
from annotations.models import Project
from tests.shared.exports import documents_of


@pytest.fixture
def both(db, samples) -> tuple[Project, Project]:
    for key in ("brat", "conll2012"):
        folder = samples / "ezcoref" / key
        call_command("import_codings", key, str(folder), f"--project={key}", "--coder-from=parent", "--create")
    return Project.objects.get(slug="brat"), Project.objects.get(slug="conll2012")


def chains(document: Document) -> set[frozenset[object]]:
    """Return the entities of two or more markables."""
    members: dict[str, set[object]] = {}
    for mark in document.marks:
        assert mark.answer is not None
        for index in mark.answer.indices:
            members.setdefault(index, set()).add(mark.parts)
    return {frozenset(parts) for parts in members.values() if len(parts) > 1}


def test_brat_and_conll_give_the_same_chains(both):
    of_brat, of_conll = (
        {(coder, document.name): chains(document) for coder, document in documents_of(project)} for project in both
    )
    assert len(of_brat) == 40
    assert any(of_brat.values())
    assert of_brat == of_conll


@pytest.mark.parametrize("distance", ["nominal", "jaccard", "dice", "masi", "passonneau"])
@pytest.mark.parametrize("exclude_unit", ["none", "both"])
def test_brat_and_conll_give_the_same_alpha(both, distance, exclude_unit):
    parameters = Parameters(distance=distance, exclude_unit=exclude_unit)
    brat, conll = (overall.compute_report(read_answers(project), parameters).result for project in both)
    assert brat.value == conll.value
    assert (brat.n_units, brat.n_coders, brat.n_judgements) == (conll.n_units, 5, 1855)
