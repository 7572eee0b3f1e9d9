"""Create docsets and add peers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.text import slugify

from annotations.coding.markables.tokenization import WORD_LEVEL, token_spans
from annotations.core.database.bulk import insert
from annotations.formats.model.keys import markable_key
from annotations.formats.model.pyramid import Summary
from annotations.formats.syntax.headers import join_summaries
from annotations.models import Docset, Level, Markable, Project, Round, Segment, Text
from annotations.models.text import TEXT_SLUG_LENGTH
from annotations.projects.locks import lock_project
from annotations.projects.rounds import current_round, put_into_round

MAX_TEXT_LENGTH = 1_000_000


@transaction.atomic
def create_docset(project: Project, slug: str, title: str, summaries: Sequence[tuple[str, str]]) -> Docset:
    """Create a docset from model summaries, each a name and a content. Raise ValidationError by field."""
    names = [name.strip() or f"summary {number}" for number, (name, _) in enumerate(summaries, start=1)]
    if len({name.casefold() for name in names}) < len(names):
        raise ValidationError({"summaries": "Two summaries have the same name."})
    for name, (_, content) in zip(names, summaries, strict=True):
        if not token_spans(content):
            raise ValidationError({"summaries": f"The summary {name} has no words."})
    summary_text = join_summaries([(name, content) for name, (_, content) in zip(names, summaries, strict=True)])
    return create_docset_from_text(
        project, slug, title, summary_text.text, summary_text.boundary, summary_text.summaries
    )


@transaction.atomic
def create_docset_from_text(
    project: Project, slug: str, title: str, content: str, boundary: str, summaries: Iterable[Summary]
) -> Docset:
    """Create a docset whose summaries are parts of one text, as in DUCView. Raise ValidationError by field."""
    _refuse_other_project(project)
    lock_project(project.pk)
    summaries = list(summaries)
    if len(summaries) < 2:
        raise ValidationError({"summaries": "A pyramid needs two or more model summaries."})
    for summary in summaries:
        if not token_spans(content[summary.start : summary.end]):
            raise ValidationError({"summaries": f"The summary {summary.name} has no words."})
    slug_exists = Text.objects.filter(project=project, slug=slug).exists()
    if slug_exists or Docset.objects.filter(project=project, slug=slug).exists():
        raise ValidationError({"slug": "A docset or text with this address already exists."})
    docset = Docset(project=project, slug=slug, title=title, boundary=boundary)
    docset.full_clean()
    docset.save()
    text = _create_text(project, docset, Text.Role.MODELS, slug, title, content)
    write_summaries(text, summaries)
    return docset


def write_summaries(text: Text, summaries: Sequence[Summary]) -> None:
    """Create the segments and words of the model summaries that the text contains."""
    Segment.objects.bulk_create(
        Segment(text=text, kind=Segment.Kind.SUMMARY, start=summary.start, end=summary.end, label=summary.name[:50])
        for summary in summaries
    )
    _create_words(text, [(summary.start, summary.end) for summary in summaries])


@transaction.atomic
def add_peer(docset: Docset, slug: str, title: str, content: str, *, system: str = "") -> Text:
    """Add a peer summary, written by a system. Raise ValidationError by field."""
    if not token_spans(content):
        raise ValidationError({"content": "The summary has no words."})
    lock_project(docset.project_id)
    text = _create_text(docset.project, docset, Text.Role.PEER, slug, title, content, system=system)
    _create_words(text, [(0, len(content))])
    return text


@transaction.atomic
def add_named_peer(docset: Docset, name: str, content: str, system: str = "") -> Text:
    """Add a peer summary whose slug is made from its name, with the docset's slug before it if another docset has it.

    Raise ValidationError by field.
    """
    slug = slugify(name)[:TEXT_SLUG_LENGTH].strip("-_")
    if not slug:
        raise ValidationError({"name": "No address can be derived from this name: it needs a letter or digit."})
    lock_project(docset.project_id)
    existing = Text.objects.filter(project=docset.project_id, slug=slug).first()
    if existing is not None and existing.docset_id != docset.pk:
        slug = f"{docset.slug}-{slug}"[:TEXT_SLUG_LENGTH].rstrip("-_")
        existing = Text.objects.filter(project=docset.project_id, slug=slug).first()
    if existing is not None:
        raise ValidationError({"name": f"The docset already has a text called {existing}."})
    return add_peer(docset, slug, name, content, system=system)


def _refuse_other_project(project: Project) -> None:
    if project.answers != Project.Answers.SCUS:
        raise ValidationError("Docsets belong to projects whose answers are content units of summaries.")


def _create_text(
    project: Project, docset: Docset, role: Text.Role, slug: str, title: str, content: str, *, system: str = ""
) -> Text:
    if len(content) > MAX_TEXT_LENGTH:
        raise ValidationError({"content": f"A text has at most {MAX_TEXT_LENGTH:,} characters."})
    text = Text(project=project, docset=docset, role=role, slug=slug, title=title, content=content, system=system)
    text.position = Text.objects.next_position(project.pk)
    text.full_clean()
    text.save()
    put_into_round(_round_of(docset) or current_round(project), [text])
    return text


def _round_of(docset: Docset) -> Round | None:
    """Return the round of the summaries that the docset has already; None where there is none, or it is closed."""
    return Round.objects.open().filter(texts__docset=docset).order_by("-position", "-pk").first()


def _create_words(text: Text, summaries: Iterable[tuple[int, int]]) -> None:
    """Create a markable for each word of the summaries. Raise ValidationError if the scheme has no level for words."""
    level = Level.objects.filter(project=text.project_id, coded=False, key=WORD_LEVEL).first()
    if level is None:
        raise ValidationError(f"The scheme no longer has the level {WORD_LEVEL!r} of the words of summaries.")
    spans = [
        (first + start, first + end)
        for first, last in summaries
        for start, end in token_spans(text.content[first:last])
    ]
    insert(
        Markable,
        ["text", "level", "key", "label", "parts", "head", "start", "end", "predefined"],
        ((text.pk, level.pk, markable_key(level.key, [span]), "", [span], [], *span, True) for span in spans),
    )
