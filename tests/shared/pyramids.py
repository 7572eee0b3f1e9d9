"""What tests of pyramids share: a docset of three short summaries, two coders, and answers written as words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from annotations.coding import operations
from annotations.coding.status import submit_coding
from annotations.docsets.creation import create_docset
from annotations.formats.model.keys import markable_key
from annotations.models import Coding, Docset, Membership, Project, Text, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.schemes.ready_made import SCHEMES
from tests.shared.coding import change

SUMMARIES = (
    ("one", "The ferry sank at dawn. Forty people were rescued."),
    ("two", "At dawn a ferry went down. Boats saved forty people."),
    ("three", "Forty were rescued when the ferry sank."),
)


def pyramid_project(slug: str = "ferry", **options: bool) -> Project:
    project = create_project(slug, slug.title(), SCHEMES["pyramid"])
    for name, value in options.items():
        setattr(project, name, value)
    project.save()
    return project


def docset(
    project: Project,
    *coders: User,
    summaries: Sequence[tuple[str, str]] = SUMMARIES,
    slug: str = "sinking",
    title: str = "The sinking",
) -> Docset:
    """Make a docset, and make the coders members who have to build pyramids of it."""
    made = create_docset(project, slug, title, summaries)
    for coder in coders:
        if not project.memberships.filter(user=coder).exists():
            add_member(project, coder, Membership.Role.CODER)
    assign_texts(project, [models_of(made)], coders)
    return made


def models_of(docset: Docset) -> Text:
    return docset.texts.get(role=Text.Role.MODELS)


def contributor(text: Text, *words: str, nth: int = 0) -> str:
    """Return the key of the contributor with these stretches of words; `nth` chooses among equal stretches."""
    parts = []
    for stretch in words:
        start = -1
        for _ in range(nth + 1):
            start = text.content.index(stretch, start + 1)
        parts.append([start, start + len(stretch)])
    return markable_key("contributor", sorted(parts))


def says(key: str, *scus: str, **more: object) -> operations.Change:
    """Return the change by which the contributor expresses these SCUs; without SCUs, it is outside the pyramid."""
    return change(markable=key, category="scu" if scus else "outside", indices=list(scus), **more)


def send(coding: Coding, *changes: operations.Change) -> int:
    coding.refresh_from_db(fields=["version", "status"])
    return operations.apply(coding, coding.coder, coding.version, changes)


def build(coding: Coding, scus: Mapping[str, Iterable[str | Sequence[str]]], *, hand_in: bool = True) -> Coding:
    """Build a pyramid of SCUs, each with the words of its contributors; labels come from the keys."""
    text = coding.text
    for scu, contributors in scus.items():
        send(coding, change("describe", scu=scu, label=scu.title()))
        for words in contributors:
            key = contributor(text, *([words] if isinstance(words, str) else words))
            send(coding, says(key, scu))
    if hand_in:
        coding.refresh_from_db()
        submit_coding(coding, coding.coder)
        coding.refresh_from_db()
    return coding


def codings_of(text: Text) -> dict[str, Coding]:
    return {coding.coder.username: coding for coding in text.codings.of_people().select_related("coder", "text")}
