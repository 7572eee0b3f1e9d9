"""Create docsets, add peers, and delete a model summary."""

from collections.abc import Iterable, Sequence

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.text import slugify

from annotations.coding.markables.tokenization import WORD_LEVEL, token_spans
from annotations.core.database.bulk import insert
from annotations.formats.model.keys import markable_key
from annotations.formats.model.pyramid import Summary
from annotations.formats.syntax.headers import join_summaries
from annotations.models import Coding, Docset, Level, Markable, Project, Round, Segment, Text
from annotations.models.text import TEXT_SLUG_LENGTH
from annotations.projects.locks import lock_project
from annotations.projects.rounds import current_round, put_into_round
from annotations.texts.changes import markables_changed

MAX_TEXT_LENGTH = 1_000_000
MIN_SUMMARIES, MAX_SUMMARIES = 2, 100
SUMMARY_NAME_LENGTH = 50


@transaction.atomic
def create_docset(project: Project, slug: str, title: str, summaries: Sequence[tuple[str, str]]) -> Docset:
    """Create a docset from model summaries, each a name and a content. Raise ValidationError by field."""
    names = [name.strip() or f"summary {number}" for number, (name, _) in enumerate(summaries, start=1)]
    if len({name.casefold() for name in names}) < len(names):
        raise ValidationError({"summaries": "Two summaries have the same name."})
    joined = join_summaries([(name, content) for name, (_, content) in zip(names, summaries, strict=True)])
    return create_docset_from_text(project, slug, title, joined.text, joined.boundary, joined.summaries)


@transaction.atomic
def create_docset_from_text(
    project: Project, slug: str, title: str, content: str, boundary: str, summaries: Iterable[Summary]
) -> Docset:
    """Create a docset whose summaries are parts of one text, as in DUCView. Raise ValidationError by field."""
    if project.answers != Project.Answers.SCUS:
        raise ValidationError("Docsets belong to projects whose answers are content units of summaries.")
    lock_project(project.pk)
    summaries = list(summaries)
    if len(summaries) < MIN_SUMMARIES:
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
    write_summaries(_create_text(project, docset, Text.Role.MODELS, slug, title, content), summaries)
    return docset


def write_summaries(text: Text, summaries: Sequence[Summary]) -> None:
    """Create the segments and words of the model summaries that the text contains."""
    common = {"text": text, "kind": Segment.Kind.SUMMARY}
    Segment.objects.bulk_create(
        Segment(**common, start=summary.start, end=summary.end, label=summary.name[:SUMMARY_NAME_LENGTH])
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
    """Add a peer with a slug from its name, prefixed by the docset's if it is taken. Raise ValidationError by field."""
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


@transaction.atomic
def delete_summary(docset: Docset, name: str) -> None:
    """Delete a model summary and join the others. Raise ValidationError if coding has begun, or one would be left."""
    lock_project(docset.project_id)
    codings = Coding.objects.of_coders().select_for_update(of=("self",)).filter(text__docset=docset).order_by("pk")
    if any(coding.is_begun for coding in codings):
        raise ValidationError(f"Somebody has begun to code {docset}; its summaries stay as they are.")
    text = docset.texts.get(role=Text.Role.MODELS)
    summaries = list(text.segments.filter(kind=Segment.Kind.SUMMARY))
    kept = [(row.label, text.content[row.start : row.end]) for row in summaries if row.label != name]
    if len(kept) == len(summaries):
        raise ValidationError(f"{docset} has no summary {name!r}.")
    if len(kept) < MIN_SUMMARIES:
        raise ValidationError("A pyramid needs two or more model summaries; delete the docset instead.")
    joined = join_summaries(kept)
    text.segments.all().delete()
    text.markables.all().delete()
    text.content = joined.text
    text.save(update_fields=["content"])
    docset.boundary = joined.boundary
    docset.save(update_fields=["boundary"])
    write_summaries(text, joined.summaries)
    markables_changed.send(Text, project=docset.project_id)


def _create_text(
    project: Project, docset: Docset, role: Text.Role, slug: str, title: str, content: str, *, system: str = ""
) -> Text:
    if len(content) > MAX_TEXT_LENGTH:
        raise ValidationError({"content": f"A text has at most {MAX_TEXT_LENGTH:,} characters."})
    text = Text(project=project, docset=docset, role=role, slug=slug, title=title, content=content, system=system)
    text.position = Text.objects.next_position(project.pk)
    text.full_clean()
    text.save()
    # Into the round of the docset's existing summaries, if that is open.
    docset_round = Round.objects.open().filter(texts__docset=docset).order_by("-position", "-pk").first()
    put_into_round(docset_round or current_round(project), [text])
    return text


def _create_words(text: Text, summaries: Iterable[tuple[int, int]]) -> None:
    """Create a markable for each word of the summaries. Raise ValidationError if the scheme has no level for words."""
    level = Level.objects.filter(project=text.project_id, coded=False, key=WORD_LEVEL).first()
    if level is None:
        raise ValidationError(f"The scheme no longer has the level {WORD_LEVEL!r} of the words of summaries.")
    spans = [(at + start, at + end) for at, last in summaries for start, end in token_spans(text.content[at:last])]
    insert(
        Markable,
        ["text", "level", "key", "label", "parts", "head", "start", "end", "predefined"],
        ((text.pk, level.pk, markable_key(level.key, [span]), "", [span], [], *span, True) for span in spans),
    )
