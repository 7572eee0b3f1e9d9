"""Unlinked markables become entities of one markable in every format."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from annotations.formats import FORMATS, Answer, Document, Links, Mark, Place
from annotations.formats.losses.reduction import reduce_document
from annotations.formats.model.features import Feature
from annotations.models import Judgement, Project
from annotations.projects.creation import create_project
from annotations.projects.scheme_rows import stamp_scheme
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.importing.report import Report
from tests.annotations.transfers.importing.test_corpora import load

WALK = "Anna saw a dog. She waved."
SPANS = "T1\tMention 0 4\tAnna\nT2\tMention 9 14\ta dog\nT3\tMention 16 19\tShe\n"
WAYS = {"pointers": "R1\tCoref Arg1:T3 Arg2:T1\n", "sets": "*\tCoref T1 T3\n", "no links": ""}


def load_brat(project: Project, coder: str, lines: str) -> Report:
    report = load(project, "brat", {f"{coder}/walk.txt": WALK, f"{coder}/walk.ann": SPANS + lines})
    assert report.failures == []
    return report


def answers_of(coder: str) -> dict[str, tuple[str, list[str]]]:
    judgements = Judgement.objects.filter(coding__coder__username=coder).select_related("markable__text", "category")
    return {
        judgement.markable.text.content[judgement.markable.start : judgement.markable.end]: (
            judgement.category.key if judgement.category else "",
            [index.entity for index in judgement.indices.all()],
        )
        for judgement in judgements
    }


def alpha(*options: str) -> float:
    """Return the figure of the command."""
    out = StringIO()
    call_command("agreement", "walks", "--format", "json", *options, stdout=out)
    return json.loads(out.getvalue())["value"]


@pytest.fixture
def walks(db) -> Project:
    return create_project("walks", "Walks", SCHEMES["clusters"])


@pytest.mark.parametrize("distance", ["nominal", "masi"])
def test_equal_pointers_and_sets_agree(walks, distance):
    report = load_brat(walks, "anna", WAYS["pointers"])
    load_brat(walks, "ben", WAYS["sets"])
    assert alpha("--distance", distance) == 1
    assert [str(each) for each in report.findings if each.code == "unlinked"] == [
        "anna/walk.ann:2: 1 markable is linked with nothing (each is an entity of one)"
    ]


@pytest.mark.parametrize(
    "format_key", [key for key, each in FORMATS.items() if each.write and each.names_coders is False]
)
def test_every_format_gives_unlinked_markable_its_own_entity(walks, format_key):
    anna, dog, she = (Place("", (span,)) for span in ((0, 4), (9, 14), (16, 19)))
    pointers = Document(
        "walk",
        "",
        WALK,
        [
            Mark(anna.parts, answer=Answer()),
            Mark(dog.parts, answer=Answer()),
            Mark(she.parts, answer=Answer(category="", pointers=(anna,))),
        ],
        links=Links.POINTERS,
    )
    chains = Document(
        "walk",
        "",
        WALK,
        [Mark(place.parts, answer=Answer(indices=(index,))) for place, index in ((anna, "1"), (dog, "2"), (she, "1"))],
        links=Links.INDICES,
    )
    format_ = FORMATS[format_key]
    document = pointers if Feature.POINTERS in format_.supported_features else chains
    kept, _ = reduce_document(document, format_.supported_features)
    options = {"level": "markable"} if format_key == "mmax2" else {}
    files = {f"anna/{file.path}": file.data for file in format_.write([kept])}
    assert load(walks, format_key, files, **options).failures == []
    load_brat(walks, "ben", WAYS["sets"])
    assert {words: len(indices) for words, (_, indices) in answers_of("anna").items()} == {
        "Anna": 1,
        "a dog": 1,
        "She": 1,
    }
    assert alpha("--distance", "masi") == 1


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (WAYS["no links"], {"Anna": ("refers", ["1"]), "a dog": ("refers", ["2"]), "She": ("refers", ["3"])}),
        (
            WAYS["pointers"] + "A1\tCategory T2 none\n",
            {"Anna": ("refers", ["1"]), "a dog": ("none", []), "She": ("refers", ["1"])},
        ),
        (
            WAYS["pointers"] + "A1\tCategory T2 place\n",
            {"Anna": ("refers", ["1"]), "a dog": ("refers", ["2"]), "She": ("refers", ["1"])},
        ),
        (
            WAYS["sets"] + "A1\tUnlinked T2\n",
            {"Anna": ("refers", ["1"]), "a dog": ("none", []), "She": ("refers", ["1"])},
        ),
        ("A1\tUnlinked T2\n", {"Anna": ("refers", ["1"]), "a dog": ("none", []), "She": ("refers", ["2"])}),
    ],
)
def test_markables_marked_as_not_referring_get_no_entity(walks, lines, expected):
    load_brat(walks, "anna", lines)
    assert answers_of("anna") == expected


@pytest.mark.parametrize("lines", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize(("first", "alone"), [("muc-ident", "none"), ("new", "new")])
def test_markable_without_antecedent_is_new_or_none(db, lines, first, alone):
    walks = create_project("walks", "Walks", SCHEMES["muc-ident"])
    if first == "new":
        walks.categories.create(key="new", label="new", position=9)
        stamp_scheme(walks)
    report = load_brat(walks, "anna", lines)
    assert {category for _, (category, _) in answers_of("anna").items()} == {alone, "ident"} - (
        {"ident"} if not lines else set()
    )
    [told] = [each for each in report.findings if each.code == "unlinked"]
    assert told.fix == f"each gets the category {alone!r}"
