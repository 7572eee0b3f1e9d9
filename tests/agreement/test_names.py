"""Figures do not depend on the names of coders, texts, entities and units."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import product
from math import pi
from typing import Any

import pytest
from django.core.cache import cache
from django.http import Http404, QueryDict
from django.test import Client
from django.urls import NoReverseMatch, reverse

from agreement.data.reading import forget_answers
from agreement.models import Computation, StoredAnswers
from agreement.results.registry import PAGES
from agreement.results.tables import Table
from agreement.urls import api_patterns
from annotations.adjudication.ownership import open_gold
from annotations.coding.status import submit_coding
from annotations.formats import plain
from annotations.models import SCU, Coding, Docset, Index, Markable, Membership, Project, Round, Text, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.projects.people.model_coders import add_model
from annotations.projects.viewing import results_for
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.options import ImportOptions
from tests.shared.cases import cases
from tests.shared.coding import judge_all, judgement
from tests.shared.projects import person
from tests.shared.questions import any_answers, question_project
from tests.shared.scored import harbour

CODERS = ("alice", "bob", "carol", "dora")
MENTIONS = [f"w{number}" for number in range(12)]
# What is asked of a page. Where it is not asked for two coders or a text, the first by name are shown: so it is asked.
OPTIONS = {
    "agreement": ["", "interval=bootstrap", "coefficient=k", "unmarked=label", "readings=matched"],
    "coders": ["", *(f"measure={name}" for name in ("link_kappa", "muc", "ceaf_e", "blanc", "conll_average"))],
    "categories": ["", "merge=refers:none"],
    "coreference": ["first=FIRST&second=SECOND", "first=SECOND&second=FIRST"],
    "course": ["by=round", "by=week", "by=operations"],
    "difference": ["", "by=round&first=main&second=later", "by=group&first=FIRST,SECOND&second=FIRST,THIRD"],
    "pair": ["text=TEXT"],
    "scus": ["first=FIRST&second=SECOND", "first=FIRST&second=SECOND&view=subsumption"],
    "study": ["first=FIRST&second=SECOND"],
}
API_OPTIONS = {
    "api-compare": OPTIONS["difference"][1:],
    "api-coreference": OPTIONS["coreference"],
    "api-scus": OPTIONS["scus"][:1],
    "api-study": OPTIONS["study"],
}
# Examples are the first in the order of the texts, and so are the numbers of rows and values on the page Data.
SHOWN_IN_ORDER = {"example"}
NUMBERED_IN_ORDER = {"data"}
MANAGER = "charlie"


def make_pointer_project(draw: random.Random) -> Project:
    """Make a project of pointers with readings, attributes, relations, two rounds, gold and a model."""
    project = question_project("names", any_answers(draw, texts=4))
    main, manager = project.rounds.get(), User.objects.get(username=MANAGER)
    later = Round.objects.create(project=project, name="later", position=9)
    assign_texts(project, project.texts.all(), [add_model(project, "gpt").membership.user], main)
    assign_texts(project, project.texts.all()[:3], User.objects.filter(username__in=CODERS[:2]), later)
    opened = list(Coding.objects.of_coders().filter(text__project=project, status=Coding.Status.OPEN))
    for coding in [*opened, *(open_gold(project, text, main.name, manager) for text in project.texts.all())]:
        units = list(coding.text.markables.order_by("start"))
        linked = [
            judgement(unit.key, "phrase", draw.choice(units[:place]).key) for place, unit in enumerate(units) if place
        ]
        judge_all(coding, [judgement(units[0].key, "place"), *linked])
        submit_coding(coding, coding.coder)
    return project


def make_index_project(draw: random.Random) -> Project:
    """Make a project of markables by coders with several indices, gold and a model."""
    project = create_project("names", "Names", SCHEMES["clusters"])
    for name in (*CODERS, MANAGER):
        add_member(project, person(name), Membership.Role.MANAGER if name == MANAGER else Membership.Role.CODER)
    model = add_model(project, "gpt").membership.user.username
    for number in range(4):
        truth = {mention: draw.sample("1234567", draw.choice([1, 1, 2, 3])) for mention in MENTIONS}
        for coder in (*CODERS, model):
            marked = {mention: own for mention, own in truth.items() if draw.random() < 0.8}
            for mention in marked:
                if draw.random() < 0.4:
                    marked[mention] = draw.sample("1234567", draw.choice([1, 2]))
            words = (
                f"[{mention}]({mention}={'|'.join(marked[mention])})" if mention in marked else mention
                for mention in MENTIONS
            )
            document = plain.parse(" ".join(words), f"text-{number}.txt")
            import_documents(project, [SourceDocument(document, coder)])
            if coder == "bob":
                import_documents(project, [SourceDocument(document, MANAGER)], ImportOptions(gold=True))
    return project


def make_pyramid_project(_: random.Random) -> Project:
    """Make a project of pyramids with peers and an agreed pyramid."""
    return harbour("names")


class Names:
    """Random names, with the object that each of them names."""

    def __init__(self, draw: random.Random) -> None:
        self.draw, self.of = draw, dict[str, str]()

    def new(self, what: str) -> str:
        name = self.draw.choice("abcxyz") + "".join(self.draw.choices("0123456789", k=9))
        self.of[name] = what
        return name

    def canonical(self, text: str) -> str:
        """Return a text with each name replaced by the object that it names."""
        return re.sub(r"[abcxyz]\d{9}", lambda match: self.of.get(match.group(), match.group()), text)


def rename(project: Project, draw: random.Random) -> Names:
    """Rename every coder, text, entity, unit and docset of a project, and delete computed figures."""
    names = Names(draw)
    for user in User.objects.order_by("pk"):
        User.objects.filter(pk=user.pk).update(username=names.new(f"<coder {user.pk}>"))
    for model in (Text, Docset):
        for row in model.objects.filter(project=project).order_by("pk"):
            name = names.new(f"<{model.__name__} {row.pk}>")
            model.objects.filter(pk=row.pk).update(slug=name, title=name)
    for markable in Markable.objects.filter(text__project=project).order_by("pk"):
        Markable.objects.filter(pk=markable.pk).update(label=names.new(f"<unit {markable.pk}>"))
    rows = list(Index.objects.filter(judgement__coding__text__project=project).select_related("judgement"))
    members: dict[tuple[int, str], list[int]] = defaultdict(list)
    for row in rows:
        members[row.judgement.coding_id, row.entity].append(row.judgement.markable_id)
    entities = {key: names.new(f"<entity of {key[0]}: {sorted(own)}>") for key, own in members.items()}
    for (coding, old), name in entities.items():
        SCU.objects.filter(coding=coding, key=old).update(key=name)
    Index.objects.filter(pk__in=[row.pk for row in rows]).delete()
    for row in draw.sample(rows, len(rows)):  # neither does the order of rows
        Index.objects.create(judgement=row.judgement, entity=entities[row.judgement.coding_id, row.entity])
    for forgotten in (Computation, StoredAnswers):
        forgotten.objects.all().delete()
    forget_answers()
    cache.clear()
    return names


class Selection:
    """The first coders and the first text in an order that does not depend on names."""

    def __init__(self, project: Project) -> None:
        coders = User.objects.filter(memberships__project=project, memberships__role="coder").order_by("pk")
        text = project.texts.order_by("pk")[0].slug
        self.first, self.second, third = [*coders.values_list("username", flat=True)[:3], ""][:3]
        where = f"{text} (main)" if project.rounds.count() > 1 else text
        self.values = {"FIRST": self.first, "SECOND": self.second, "THIRD": third, "TEXT": where}

    def query(self, query: str) -> str:
        return re.sub("[A-Z]+", lambda match: self.values[match.group()], query)


def read_pages(project: Project, reader: User, asked: Selection) -> Iterator[tuple[str, Any]]:
    """Yield the tables of every page of results, for each of its options."""
    project = results_for(reader, project.slug)
    for page in PAGES:
        if not page.is_in(project) or page.name in NUMBERED_IN_ORDER:
            continue
        addresses: list[dict[str, str]] = [{}]
        if page.address == ("first", "second"):
            addresses = [{"first": asked.first, "second": asked.second}]
        elif page.address == ("text", "key"):
            units = Markable.objects.filter(text__project=project, level__coded=True).order_by("pk")[:6]
            addresses = [{"text": unit.text.slug, "key": unit.key} for unit in units]
        for address, query in product(addresses, OPTIONS.get(page.name, [""])):
            request = page.request(project, QueryDict(asked.query(query)), reader.username, address, whole_tables=True)
            try:
                sections = page.shown(request)
            except Http404:  # a contributor is no item where words are
                continue
            assert not sections.waiting
            tables = [(table.key, table.caption, table.note, *columns_of(table)) for table in sections.tables]
            yield f"{page.name} {address} {query} {request.error or ''}", tables


def columns_of(table: Table) -> Iterator[list[Any]]:
    """Yield the rows of a table, each value with the name of its column."""
    for row in table.plain():
        yield [[name, value] for name, value in zip(table.names, row, strict=True) if name not in SHOWN_IN_ORDER]


def read_api(project: Project, client: Client, asked: Selection) -> Iterator[tuple[str, Any]]:
    """Yield the answer of every address of the API about the results of a project."""
    for pattern in api_patterns:
        try:
            address = reverse(str(pattern.name), args=[project.slug])
        except NoReverseMatch:  # of one item
            continue
        for query in API_OPTIONS.get(str(pattern.name), [""]):
            reply = client.get(address, QueryDict(asked.query(query)))
            yield f"{pattern.name} {query}", reply.json() if reply.status_code == 200 else reply.status_code


SEPARATORS = re.compile(r"; | and | – | \| | → |, |,")


def canonical(found: Any) -> Any:
    """Return an answer with sorted lists and keys, and figures of eight digits, because sums may differ in the last."""
    if isinstance(found, dict):
        return sorted((key, canonical(value)) for key, value in found.items())
    if isinstance(found, list | tuple):
        return sorted(map(canonical, found), key=repr)
    if isinstance(found, str):  # names stand in a cell by name, too
        return ", ".join(sorted(SEPARATORS.split(found)))
    # times pi, as of a short decimal fraction the last bit would decide how it is rounded
    return f"{found * pi:.8g}" if isinstance(found, float) else found


def ask_everything(project: Project, draw: random.Random) -> dict[str, str]:
    """Rename everything and return the answer of every report with canonical names."""
    names = rename(project, draw)
    project = Project.objects.get(pk=project.pk)
    reader = User.objects.get(memberships__project=project, memberships__role="manager")
    client = Client()
    client.force_login(reader)
    asked = Selection(project)
    found = [*read_pages(project, reader, asked), *read_api(project, client, asked)]
    return {
        names.canonical(what): json.dumps(canonical(json.loads(names.canonical(json.dumps(said, default=str)))))
        for what, said in found
    }


@pytest.mark.slow
@pytest.mark.parametrize("make", [make_pointer_project, make_index_project, make_pyramid_project])
@pytest.mark.parametrize("seed", cases([0], full=range(4)))
def test_renaming_does_not_change_figures(db, make: Callable[[random.Random], Project], seed: int):
    draw = random.Random(seed)
    project = make(draw)
    before, after = ask_everything(project, draw), ask_everything(project, draw)
    assert before.keys() == after.keys()
    assert sum(map(len, before.values())) > 10_000
    differing = [what for what in before if before[what] != after[what]]
    assert differing == []
