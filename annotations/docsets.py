"""The writes of docsets: their summaries and peers, who codes them against what, and the agreed pyramid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils.text import slugify

from annotations import operations
from annotations.actions import ROLES_THAT_CODE
from annotations.bulk import insert
from annotations.decisions import Decision, Description, Rules
from annotations.formats.pyramid import Summary, joined
from annotations.marking import key_of
from annotations.models import Coding, Docset, Level, Markable, Membership, Project, Segment, Text, User
from annotations.models.text import TEXT_SLUG_LENGTH
from annotations.scus import descriptions_of
from annotations.words import words_of

LONGEST_TEXT = 1_000_000
WORD = "word"


@transaction.atomic
def create_docset(project: Project, slug: str, title: str, summaries: Sequence[tuple[str, str]]) -> Docset:
    """A docset of model summaries, each a name and its words. Raises ValidationError by field."""
    named = [name.strip() or f"summary {number}" for number, (name, _) in enumerate(summaries, start=1)]
    if len({name.casefold() for name in named}) < len(named):
        raise ValidationError({"summaries": "Two summaries have the same name."})
    for name, (_, content) in zip(named, summaries, strict=True):
        if not words_of(content):
            raise ValidationError({"summaries": f"The summary {name} has no words."})
    made = joined([(name, content) for name, (_, content) in zip(named, summaries, strict=True)])
    return docset_of(project, slug, title, made.text, made.boundary, made.summaries)


@transaction.atomic
def docset_of(
    project: Project, slug: str, title: str, content: str, boundary: str, summaries: Iterable[Summary]
) -> Docset:
    """A docset whose summaries stand in one text, as DUCView has them. Raises ValidationError by field."""
    _refuse_other_project(project)
    _lock_project(project.pk)
    summaries = list(summaries)
    if len(summaries) < 2:
        raise ValidationError({"summaries": "A pyramid is made of two model summaries or more."})
    for one in summaries:
        if not words_of(content[one.start : one.end]):
            raise ValidationError({"summaries": f"The summary {one.name} has no words."})
    there = Text.objects.filter(project=project, slug=slug).exists()
    if there or Docset.objects.filter(project=project, slug=slug).exists():
        raise ValidationError({"slug": "A docset or text with this address already exists."})
    docset = Docset(project=project, slug=slug, title=title, boundary=boundary)
    docset.full_clean()
    docset.save()
    text = _text(project, docset, Text.Role.MODELS, slug, title, content)
    Segment.objects.bulk_create(
        Segment(text=text, kind=Segment.Kind.SUMMARY, start=one.start, end=one.end, label=one.name[:50])
        for one in summaries
    )
    _mark_words(text, [(one.start, one.end) for one in summaries])
    return docset


@transaction.atomic
def add_peer(docset: Docset, slug: str, title: str, content: str, *, system: str = "") -> Text:
    """A peer summary, written by a system. Raises ValidationError by field."""
    if not words_of(content):
        raise ValidationError({"content": "The summary has no words."})
    _lock_project(docset.project_id)
    text = _text(docset.project, docset, Text.Role.PEER, slug, title, content, system=system)
    _mark_words(text, [(0, len(content))])
    return text


@transaction.atomic
def add_named_peer(docset: Docset, name: str, content: str, system: str = "") -> Text:
    """A peer summary of that name; where another docset has such a text, this one's name goes into its address.

    Raises ValidationError by field.
    """
    slug = slugify(name)[:TEXT_SLUG_LENGTH].strip("-_")
    if not slug:
        raise ValidationError({"name": "No address can be made of this name: it needs a letter or digit."})
    _lock_project(docset.project_id)
    there = Text.objects.filter(project=docset.project_id, slug=slug).first()
    if there is not None and there.docset_id != docset.pk:
        slug = f"{docset.slug}-{slug}"[:TEXT_SLUG_LENGTH].rstrip("-_")
        there = Text.objects.filter(project=docset.project_id, slug=slug).first()
    if there is not None:
        raise ValidationError({"name": f"The docset has a text called {there} already."})
    return add_peer(docset, slug, name, content, system=system)


@transaction.atomic
def assign_peers(docset: Docset, peers: Iterable[Text], coders: Iterable[User], *, agreed: bool) -> int:
    """Give each coder each peer to hold against their own pyramid, or the agreed one. How many codings are new.

    Raises ValidationError for who does not code, for a text that is no peer of the docset, where there is no agreed
    pyramid that is handed in, and for who would see it while at work on a pyramid of their own.
    """
    lock(docset)
    coders, peers = list(coders), list(peers)
    members = dict(Membership.objects.filter(project=docset.project_id).values_list("user_id", "role"))
    for coder in coders:
        if members.get(coder.pk) not in ROLES_THAT_CODE:
            raise ValidationError(f"{coder} does not code in {docset.project.slug}.")
    for peer in peers:
        if peer.docset_id != docset.pk or peer.role != Text.Role.PEER:
            raise ValidationError(f"{peer} is no peer summary of {docset}.")
    if agreed and not _pyramids(docset).filter(kind=Coding.Kind.AGREED, status=Coding.Status.SUBMITTED).exists():
        raise ValidationError(f"{docset} has no agreed pyramid that is handed in.")
    if agreed:
        _refuse_at_work(docset, coders)
    kind = Coding.Kind.PEER_AGREED if agreed else Coding.Kind.PEER
    given = Coding.objects.filter(text__docset=docset, kind=kind)
    before = given.count()
    Coding.objects.bulk_create(
        [Coding(text=peer, coder=coder, kind=kind) for peer in peers for coder in coders], ignore_conflicts=True
    )
    return given.count() - before


@transaction.atomic
def start_agreed(docset: Docset, adjudicator: User, start: Coding) -> Coding:
    """The agreed pyramid, which the adjudicator begins with all that one coder's pyramid has.

    Raises ValidationError where there is one already, where the pyramid is not handed in or of another docset, and for
    who is no adjudicator.
    """
    lock(docset)
    _refuse_other_than_adjudicator(docset, adjudicator)
    if start.text.docset_id != docset.pk or start.kind != Coding.Kind.PYRAMID:
        raise ValidationError("An agreed pyramid begins with a pyramid of its docset.")
    if start.status != Coding.Status.SUBMITTED:
        raise ValidationError(f"{start.coder} has not handed in this pyramid.")
    if _pyramids(docset).filter(kind=Coding.Kind.AGREED).exists():
        raise ValidationError(f"{docset} has an agreed pyramid already.")
    coding = Coding(text=start.text, coder=adjudicator, kind=Coding.Kind.AGREED)
    descriptions = [Description(key, **said) for key, said in descriptions_of(start).items()]
    fill(coding, adjudicator, operations.decisions_of(start), descriptions, handed_in=False)
    return coding


@transaction.atomic
def hand_agreed_to(docset: Docset, adjudicator: User) -> Coding:
    """Let another adjudicator go on with the agreed pyramid, all of it with its log.

    Raises ValidationError where there is none, where it is theirs already, and for who is no adjudicator.
    """
    lock(docset)
    _refuse_other_than_adjudicator(docset, adjudicator)
    agreed = _pyramids(docset).filter(kind=Coding.Kind.AGREED).select_for_update(of=("self",)).first()
    if agreed is None:
        raise ValidationError(f"{docset} has no agreed pyramid.")
    if agreed.coder_id == adjudicator.pk:
        raise ValidationError(f"{adjudicator} has the agreed pyramid already.")
    agreed.coder = adjudicator
    agreed.save(update_fields=["coder"])
    return agreed


def fill(
    coding: Coding,
    user: User,
    decisions: Sequence[Decision],
    descriptions: Sequence[Description],
    *,
    handed_in: bool = True,
) -> None:
    """Fill an untouched coding of summaries with contributors and SCUs, making the markables that lack.

    Raises Refused where the scheme does not allow a decision. Call it inside a transaction.
    """
    rules = Rules.of(coding, {decision.markable for decision in decisions})
    for decision in decisions:
        rules.check(decision)
    for markable in rules.new.values():
        markable.text_id = coding.text_id
    Markable.objects.bulk_create(rules.new.values(), ignore_conflicts=True)
    markables = dict(Markable.objects.filter(text=coding.text_id, level__coded=True).values_list("key", "pk"))
    categories = {key: category.pk for key, category in rules.categories.items()}
    operations.import_codings(
        [operations.Filled(coding, user, decisions, markables, categories, descriptions, handed_in)]
    )


def _pyramids(docset: Docset) -> QuerySet[Coding]:
    return Coding.objects.filter(text__docset=docset, text__role=Text.Role.MODELS)


def lock(docset: Docset) -> None:
    """Let nobody else give out work of the docset, or change who is in its project, until the transaction ends.

    One row is locked for both, that of the project: two would be locked in either order.
    """
    _lock_project(docset.project_id)


def _lock_project(project: int) -> None:
    """Let nobody else add texts of docsets until the transaction ends: their addresses are the project's."""
    Project.objects.select_for_update(no_key=True).get(pk=project)


def _refuse_at_work(docset: Docset, coders: Iterable[User]) -> None:
    """Raise ValidationError with those of the coders whose own pyramid of the docset is not handed in."""
    at_work = _pyramids(docset).filter(kind=Coding.Kind.PYRAMID, status=Coding.Status.OPEN, coder__in=coders)
    names = list(at_work.order_by("coder__username").values_list("coder__username", flat=True))
    if names:
        raise ValidationError(
            f"Who holds peers against the agreed pyramid sees it; a pyramid of their own of {docset} is not handed in "
            f"by {', '.join(names)}."
        )


def _refuse_other_than_adjudicator(docset: Docset, person: User) -> None:
    role = Membership.objects.filter(project=docset.project_id, user=person).values_list("role", flat=True).first()
    if role != Membership.Role.ADJUDICATOR:
        raise ValidationError(f"{person} is no adjudicator of {docset.project.slug}.")


def _refuse_other_project(project: Project) -> None:
    if project.answers != Project.Answers.SCUS:
        raise ValidationError("Docsets belong to projects whose answers are content units of summaries.")


def _text(
    project: Project, docset: Docset, role: Text.Role, slug: str, title: str, content: str, *, system: str = ""
) -> Text:
    if len(content) > LONGEST_TEXT:
        raise ValidationError({"content": f"A text has at most {LONGEST_TEXT:,} characters."})
    text = Text(project=project, docset=docset, role=role, slug=slug, title=title, content=content, system=system)
    text.full_clean()
    text.save()
    return text


def _mark_words(text: Text, stretches: Iterable[tuple[int, int]]) -> None:
    """Make the words of the summaries units. Raises ValidationError where the scheme has no level of words."""
    level = Level.objects.filter(project=text.project_id, coded=False, key=WORD).first()
    if level is None:
        raise ValidationError(f"The scheme has no level {WORD!r} any more, whose units are the words of summaries.")
    spans = [
        (first + start, first + end) for first, last in stretches for start, end in words_of(text.content[first:last])
    ]
    insert(
        Markable,
        ["text", "level", "key", "label", "parts", "head", "start", "end", "predefined"],
        ((text.pk, level.pk, key_of(level.key, [span]), "", [span], [], *span, True) for span in spans),
    )
