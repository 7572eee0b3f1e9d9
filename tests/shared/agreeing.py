"""What the tests of the pages on agreement share: projects with answers, and what a page shows."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agreement.reports.parameters import Parameters, default_preset
from annotations.adjudication.ownership import open_gold
from annotations.coding.status import reopen_coding, submit_coding
from annotations.formats import plain
from annotations.models import Coding, Membership, Project, User
from annotations.models.coding import pointing_categories
from annotations.planning.work.assignments import assign_texts
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from tests.shared.coding import close_gold, judge, judge_all, judgement

WRONG_PARAMETERS = [
    ("distance", "ghost"),
    ("ghost", "1"),
    ("preset", "x"),
    ("top", "<b>"),
    ("unmarked", "\x00"),
    ("coders", "x"),
]
ODD_VALUES = ["\x00", "<script>1</script>", "'\"><script>1"]
# Pyramids have texts and pages of their own.
KINDS = [key for key in SCHEMES if key != "pyramid"]
WALK = "[Anna](a) took [her](b) dog to [the park](c) and [it](d) was fun, [she](e) said"


def coded_project(slug: str, scheme: str, *marked: str, coders: tuple[str, ...] = ("alice", "bob")) -> Project:
    """Make a project of these texts, "text-1" and so on, given to the coders and managed by Charlie."""
    project = create_project(slug, slug.title(), SCHEMES[scheme])
    documents = [plain.parse(content, f"text-{number}.txt") for number, content in enumerate(marked, start=1)]
    import_documents(project, [SourceDocument(document, None) for document in documents])
    people = [User.objects.get_or_create(username=name)[0] for name in (*coders, "charlie")]
    for user in people:
        add_member(project, user, Membership.Role.MANAGER if user.username == "charlie" else Membership.Role.CODER)
    assign_texts(project, project.texts.all(), people[:-1])
    return project


def hand_in(project: Project) -> Project:
    """Submit every coding that is open: from then on it counts."""
    for coding in (
        Coding.objects.of_people().filter(text__project=project, status=Coding.Status.OPEN).select_related("coder")
    ):
        submit_coding(coding, coding.coder)
    return project


def judge_again(coding: Coding, markable: str, category: str | None, *pointers: str, **more: object) -> None:
    """Judge one markable of a coding that is submitted, and submit it again."""
    reopen_coding(coding, coding.coder)
    judge(coding, markable, category, *pointers, **more)
    submit_coding(coding, coding.coder)


def convention(project: Project, **asked: str) -> Parameters:
    """Return the convention of the project with what is asked for instead; a distance is one of alpha."""
    if "distance" in asked:
        asked = {"coefficient": "alpha"} | asked
    return replace(default_preset(project.preset, project.answers).parameters, **asked)


def answer(project: Project) -> Project:
    """Let every coder judge every markable of open codings, mostly as the others do, and submit everything."""
    categories = list(project.categories.order_by("pk"))
    pointing = set(pointing_categories().values_list("pk", flat=True))
    linking = next((category for category in categories if category.pk in pointing or category.takes_index), None)
    plain_ones = [category for category in categories if category.pk not in pointing and not category.takes_index]
    names = sorted(User.objects.filter(codings__text__project=project).values_list("username", flat=True).distinct())
    texts = sorted(project.texts.values_list("slug", flat=True))
    codings = Coding.objects.of_people().filter(text__project=project, status=Coding.Status.OPEN)
    for coding in codings.select_related("coder", "text"):
        mine, text = names.index(coding.coder.username), texts.index(coding.text.slug) + 1
        units = list(coding.text.markables.filter(level__coded=True).order_by("start", "-end"))
        given = []
        for number, unit in enumerate(units):
            differs = (number + mine + text) % 3 == 0
            if linking is None or number == 0 or (differs and number % 2):
                category = plain_ones[-1 if number == 0 else (number + differs) % len(plain_ones)]
                given.append(judgement(unit.key, category.key))
            elif linking.takes_index:
                given.append(judgement(unit.key, linking.key, indices=["2" if differs else "1"]))
            else:
                given.append(judgement(unit.key, linking.key, units[number - 1 if differs else 0].key))
        judge_all(coding, given)
    return hand_in(project)


def on_one_page(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer of the API without the addresses of further pages, of which there must be none."""
    assert {answer.get(name) for name in ("next", "previous")} == {None}
    return {name: value for name, value in answer.items() if name not in ("next", "previous")}


def decide_gold(project: Project, like: str, by: str = "charlie", **changes: str | None) -> list[Coding]:
    """Let a manager decide what one coder answered as gold in every text, and submit it.

    changes: by the label of a markable another category, without antecedents; None: gold leaves it out.
    """
    decided = []
    manager = User.objects.get(username=by)
    codings = (
        Coding.objects.of_people().filter(text__project=project, coder__username=like).select_related("text", "round")
    )
    for coding in codings:
        gold = open_gold(project, coding.text, coding.round.name, manager)
        rows = coding.judgements.order_by("markable__start").select_related("markable", "category")
        given = []
        for row in rows.prefetch_related("targets", "indices"):
            label = row.markable.label
            category = changes.get(label, row.category.key if row.category else None)
            if category is not None:
                same = label not in changes
                targets = [target.key for target in row.targets.all()] if same else []
                indices = [index.entity for index in row.indices.all()] if same else []
                more = {"indices": indices} if indices else {}
                given.append(judgement(row.markable.key, category, *targets, **more))
        judge_all(gold, given)
        close_gold(gold)
        decided.append(gold)
    return decided


def table(page: str, key: str) -> list[list[str]]:
    """Return the rows of a table as people read them, cell by cell, without its head."""
    body = page.partition(f'id="table-{key}"')[2].partition("<tbody>")[2].partition("</tbody>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [[unescape(re.sub(r"<[^>]*>", "", cell)).strip() for cell in row] for row in cells]


def figures(page: str, key: str) -> list[list[str]]:
    """Return the figures of a table to the last digit, row by row."""
    body = page.partition(f'id="table-{key}"')[2].partition("<tbody>")[2].partition("</tbody>")[0]
    return [re.findall(r'<data value="([^"]*)"', row) for row in re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)]


def digits(*values: float | None) -> list[str]:
    """Return figures as the page's <data> elements have them, without undefined ones."""
    return [repr(value) for value in values if value is not None]


def links(page: str, holding: str = "") -> list[str]:
    """Return the addresses of the page's links that contain `holding`."""
    return [unescape(link) for link in re.findall(r'<a [^>]*?href="([^"]*)"', page) if holding in unescape(link)]


def cost(client: Client, address: str) -> int:
    """Return how many queries the page takes."""
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


def of_size(slug: str, size: int) -> Project:
    """Make a project of so many texts, each with two more markables than that, and with all answers."""
    marked = " ".join(f"[w{number}](m{number})" for number in range(size + 2))
    return answer(coded_project(slug, "poesio-artstein-2005", *[f"{marked} {number}" for number in range(size)]))


def coding_of(slug: str, coder: str, **fields: object) -> Coding:
    """Return a person's coding of a text, by their names."""
    codings = Coding.objects.of_people().select_related("coder", "text__project")
    return codings.get(text__slug=slug, coder__username=coder, **fields)


def answer_indices(coding: Coding, units: str, given: str) -> None:
    """Judge each unit by its label with the indices in its place, "1|2": 0 refers to nothing, a point is no answer."""
    keys = dict(coding.text.markables.values_list("label", "key"))
    answers = zip(units, given.split(), strict=False)
    judgements = [
        judgement(keys[unit], "none") if said == "0" else judgement(keys[unit], "refers", indices=said.split("|"))
        for unit, said in answers
        if said != "."
    ]
    judge_all(coding, judgements)
