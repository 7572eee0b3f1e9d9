"""Bridging joins no chain: whatever shows chains is the same with bridging and without."""

import io
import random
import re
from dataclasses import replace

import pytest

from agreement.data.reading import read_answers
from agreement.measures import SET_DISTANCES
from agreement.reports.coreference import compare_chains
from agreement.reports.fields import as_json
from agreement.reports.overall import compute_report
from agreement.reports.parameters import Parameters
from annotations.models import Pointer, Project, User
from annotations.transfers.exporting.dispatch import export_files
from annotations.transfers.importing.files.sources import open_sources
from tests.shared.questions import CODERS, QUESTIONS, any_answers, question_project

IDENTITY = replace(
    QUESTIONS, relations=(), attributes=tuple(spec for spec in QUESTIONS.attributes if spec.relation != "bridging")
)
API = "/api/v1/projects/{}/agreement/"


@pytest.fixture(scope="module")
def projects(module_rows) -> tuple[Project, Project]:
    """Make a project with bridging and one without it of the same answers."""
    given = any_answers(random.Random(11), texts=2)
    identity = {
        coding: {
            letter: {name: value for name, value in fields.items() if name != "relations"}
            | {"attributes": {name: value for name, value in fields["attributes"].items() if name != "part"}}
            for letter, fields in own.items()
        }
        for coding, own in given.items()
    }
    bridged, plain = question_project("bridged", given), question_project("plain", identity, IDENTITY)
    n_bridges, n_others = (
        Pointer.objects.filter(relation__identity=False, judgement__coding__text__project=project).count()
        for project in (bridged, plain)
    )
    assert n_bridges > 10
    assert n_others == 0
    return bridged, plain


@pytest.fixture
def two(projects, db) -> tuple[Project, Project]:
    two: tuple[Project, Project] = projects
    return two


@pytest.fixture
def client(signed_in, two):
    return signed_in(User.objects.get(username="charlie"))


def marked(page: str) -> list[str]:
    """Return the words with the colours and numbers of their chains, without what a markable tells when pointed at."""
    content = page.partition('aria-label="Version of ')[2].partition("</section>")[0]
    return re.findall(r'<span class="markable [^"]*"|<sup[^>]*>[^<]*</sup>|[^<>]+(?=<)', content)


def test_text_page_shows_same_chains_with_and_without_bridging(client, two):
    for text in ("text-1", "text-2"):
        for coder in CODERS:
            bridged, plain = (
                client.get(f"/projects/{project.slug}/texts/{text}/?coder={coder}").content.decode() for project in two
            )
            assert "; Bridging: " in bridged
            assert marked(bridged) == marked(plain)
            assert len(marked(plain)) > 10


def test_bridging_changes_neither_alpha_nor_coreference_scores(two):
    bridged, plain = map(read_answers, two)
    for readings in ("union", "matched"):
        for distance in SET_DISTANCES:
            parameters = Parameters(distance=distance, readings=readings)
            found, expected = (compute_report(answers, parameters).result for answers in (bridged, plain))
            assert (found.value, found.observed, found.expected) == (
                expected.value,
                expected.observed,
                expected.expected,
            )
    found, expected = (as_json(compare_chains(answers, Parameters(), "alice", "bob")) for answers in (bridged, plain))
    for part in ("overall", "texts"):
        assert found[part] == expected[part]
    assert expected["overall"]["muc"]["f1"] > 0


def test_bridging_does_not_change_conll_2012_export(two):
    def files(project: Project) -> dict[str, bytes]:
        out = io.BytesIO()
        export_files(project, "conll2012", out)
        return {
            source.name: source.data
            for source in open_sources([("export.zip", out.getvalue())])
            if source.name.endswith(".conll")
        }

    bridged, plain = map(files, two)
    assert len(plain) == 6
    assert bridged == plain


@pytest.mark.parametrize("asked", [{}, {"chains": "none"}, {"readings": "matched", "top": "chain"}])
def test_bridging_does_not_change_reliability_data_of_api(client, two, asked):
    bridged, plain = (client.get(f"{API.format(project.slug)}data/", asked).json() for project in two)
    assert len(plain) > 10
    assert bridged == plain
