"""Seeded synthetic projects in the database: several coders' pointers between the same markables."""

import uuid
from collections.abc import Mapping, Sequence

import numpy as np
from django.db import transaction

from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.proposal import Method
from annotations.coding import operations
from annotations.coding.decisions import Decision
from annotations.coding.imported_codings import ImportedCoding, import_codings
from annotations.formats import plain
from annotations.models import Coding, Markable, Membership, Project, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.projects.rounds import current_round
from annotations.schemes.project_scheme import read_scheme
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument

POINTERS = "poesio-artstein-2005"
# Texts are created in blocks to limit the memory.
BLOCK = 1000
POINTING, AMBIGUOUS, CHANGED = 0.5, 0.03, 0.1  # shares of the markables, and of a coder's changed answers


@transaction.atomic
def fill(texts: int, coders: int, markables: int, each: int | None = None) -> Project:
    """Create a project with the scheme of Poesio & Artstein; all coders, or `each` of them, submit each text."""
    project = create_project("synthetic", "Synthetic", SCHEMES[POINTERS])
    manager, *people = User.objects.bulk_create(
        [User(username=name) for name in ("manager", *(f"coder{i + 1}" for i in range(coders)))]
    )
    add_member(project, manager, Membership.Role.MANAGER)
    for person in people:
        add_member(project, person, Membership.Role.CODER)
    random = np.random.default_rng(1)
    for first in range(0, texts, BLOCK):
        _fill_texts(project, people, range(first, min(first + BLOCK, texts)), markables, random, each)
    return project


def make_project(slug: str, marked: Mapping[str, str], coders: Sequence[User], scheme: str = POINTERS) -> Project:
    """Create a project of texts in plain format by name, all assigned to the coders."""
    project = create_project(slug, slug.title(), SCHEMES[scheme])
    for coder in coders:
        add_member(project, coder, Membership.Role.CODER)
    parsed = [plain.parse(text, f"{name}.txt") for name, text in marked.items()]
    import_documents(project, [SourceDocument(document, None) for document in parsed])
    assign_texts(project, project.texts.all(), coders)
    return project


def _fill_texts(
    project: Project,
    people: Sequence[User],
    numbers: range,
    markables: int,
    random: np.random.Generator,
    each: int | None,
) -> None:
    """Create texts with these numbers, each submitted by all coders or by `each` of them."""
    words, scheme = " ".join(["[word]"] * markables), read_scheme(project.pk).keys
    parsed = [plain.parse(f"#title: Text {number}\n{words}", f"text-{number:04}.txt") for number in numbers]
    import_documents(project, [SourceDocument(document, None) for document in parsed])
    texts = project.texts.filter(slug__in=[f"text-{number:04}" for number in numbers]).order_by("pk")
    keys_by_text: dict[int, dict[str, int]] = {text.pk: {} for text in texts}
    rows = Markable.objects.filter(text__in=texts).order_by("start")
    for text_pk, key, pk in rows.values_list("text", "key", "pk"):
        keys_by_text[text_pk][key] = pk
    round_ = current_round(project)
    codings = [
        Coding(text=text, coder=coder, round=round_)
        for text in texts
        for coder in (people if each is None else random.choice(np.array(people), each, replace=False))
    ]
    # Every coder starts from the same answers, and changes some of them.
    n_coders = each or len(people)
    start, shape = (len(numbers), 1, markables), (len(numbers), n_coders, markables)
    points = random.random(start) < POINTING
    distance = random.geometric(0.25, start)
    is_none = random.integers(0, 2, start)
    changed = random.random(shape) < CHANGED
    points = np.where(changed, random.random(shape) < POINTING, points)
    distance = np.where(changed, random.geometric(0.25, shape), distance)
    is_none = np.where(changed, random.integers(0, 2, shape), is_none)
    target = np.arange(markables) - distance
    second = target - random.geometric(0.25, shape)
    points &= target >= 0
    ambiguous = points & (second >= 0) & (random.random(shape) < AMBIGUOUS)
    rows_of_codings = np.stack([points, target, ambiguous, second, is_none], axis=-1).reshape(-1, markables, 5)
    imports = []
    for coding, rows_of_coding in zip(codings, rows_of_codings.tolist(), strict=True):
        pk_by_key = keys_by_text[coding.text_id]
        keys, decisions = list(pk_by_key), []
        for key, (is_linked, first, is_ambiguous, second_target, none) in zip(keys, rows_of_coding, strict=True):
            antecedents = [first, second_target] if is_ambiguous else [first] if is_linked else []
            category = "phrase" if antecedents else "none" if none else "place"
            decisions.append(Decision(key, category=category, pointers=tuple((keys[index],) for index in antecedents)))
        imports.append(ImportedCoding(coding, coding.coder, decisions, pk_by_key, scheme))
    import_codings(imports)


@transaction.atomic
def fill_gold(marked: str, codings: Sequence[Sequence[int]], adjudicator: User, answers: str) -> Coding:
    """Return the gold of a marked text, drafted from codings by majority, in a new project of `answers`."""
    scheme_name, decide = {"pointers": (POINTERS, point_decisions), "indices": ("passonneau-2004", index_decisions)}[
        answers
    ]
    project = make_project("gold", {"text": marked}, [], scheme_name)
    add_member(project, adjudicator, Membership.Role.ADJUDICATOR)
    text = project.texts.get()
    markables = {markable.key: markable.pk for markable in text.markables.order_by("start")}
    round_, scheme = current_round(project), read_scheme(project.pk).keys
    imports = []
    for number, chains in enumerate(codings, 1):
        coder = User.objects.create_user(f"coder{number}")
        add_member(project, coder, Membership.Role.CODER)
        coding = Coding(text=text, coder=coder, round=round_)
        decisions = decide(list(markables), chains)
        imports.append(ImportedCoding(coding, coder, decisions, markables, scheme))
    import_codings(imports)
    draft_gold(project, DraftRequest(Method.MOST, adjudicator=adjudicator.get_username()))
    return Coding.objects.select_related("text__project").get(text=text, kind=Coding.Kind.GOLD)


def index_decisions(keys: Sequence[str], chains: Sequence[int]) -> list[Decision]:
    """Return decisions that give each markable the index of its chain."""
    return [Decision(key, category="refers", indices=(f"e{chain}",)) for key, chain in zip(keys, chains, strict=True)]


def point_decisions(keys: Sequence[str], chains: Sequence[int]) -> list[Decision]:
    """Return decisions that point each markable at the previous one of its chain; the first is a place."""
    last: dict[int, str] = {}
    decisions = []
    for key, chain in zip(keys, chains, strict=True):
        antecedent = last.get(chain)
        last[chain] = key
        decisions.append(
            Decision(key, category="place")
            if antecedent is None
            else Decision(key, category="phrase", pointers=((antecedent,),))
        )
    return decisions


def change_answer(coding: Coding, number: int) -> None:
    """Change the coder's answer for a markable of the coding, by an operation like the page's."""
    coding.refresh_from_db()
    key = list(coding.text.markables.values_list("key", flat=True))[number]
    before = coding.judgements.get(markable__key=key).category
    category = "place" if before is None or before.key != "place" else "none"
    Coding.objects.of_people().filter(pk=coding.pk).update(status="open")
    payload = {"markable": key, "category": category, "pointers": []}
    operations.apply(coding, coding.coder, coding.version, [operations.Change(uuid.uuid4(), "judge", payload)])
