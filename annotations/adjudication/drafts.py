"""Make drafts of gold from what coders have submitted, each as one operation of the log of the gold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F

from annotations.adjudication.proposal import Method, Proposal, propose
from annotations.adjudication.states import GoldState, gold_states
from annotations.coding.judgements import decisions_of
from annotations.coding.operations import ImportedCoding, import_codings
from annotations.coding.rules import Rules
from annotations.core.text import pluralize
from annotations.models import Coding, Markable, Membership, Operation, Project, Round, RoundText, Text, User
from annotations.projects.locks import lock_project
from annotations.projects.people.members import find_adjudicator
from annotations.projects.rounds import find_round, latest_round, refuse_closed, rounds_by_text
from annotations.projects.viewing import record_view
from annotations.schemes.project_scheme import ProjectScheme, read_scheme

# So many texts are drafted by one request; the command drafts any number.
MAX_TEXTS = 100


@dataclass(frozen=True, slots=True)
class DraftRequest:
    """What drafts are made of: `coder` is a username, for the method of that name.

    texts: their slugs; none for all with a submitted coding. round_name: without it, of each text the latest round in
    which somebody has submitted it. adjudicator: in whose hands the gold is; empty: whoever opens it first.
    """

    method: Method
    coder: str = ""
    texts: Sequence[str] = ()
    round_name: str = ""
    adjudicator: str = ""


@dataclass(slots=True)
class DraftReport:
    """The texts whose gold was drafted, and those whose gold had been begun and stayed as it was, by their slugs."""

    drafted: list[str] = field(default_factory=list)
    begun: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        made = f"{pluralize(len(self.drafted), 'draft')} of gold"
        return f"{made}; {pluralize(len(self.begun), 'text')} left out, whose gold has been begun"


@dataclass(frozen=True, slots=True)
class Place:
    """A text in a round, with the submitted codings of it, which a draft may rest on."""

    text: Text
    round: Round
    codings: Sequence[Coding]


@transaction.atomic
def draft_gold(project: Project, request: DraftRequest, *, at_most: int | None = None) -> DraftReport:
    """Draft the gold of texts, all of them or none. What has been begun stays, and is reported.

    Raise ValidationError for a project of pyramids, unknown names, a text that nobody has submitted or the coder has
    not, a closed round, an adjudicator who may not decide, and for more texts than `at_most`.
    """
    lock_project(project.pk)
    if project.answers == Project.Answers.SCUS:
        raise ValidationError("What is decided about summaries is the agreed pyramid of their docset.")
    if (request.method is Method.CODER) != bool(request.coder):
        raise ValidationError({"coder": "Name a coder with the method “coder”, and only with it."})
    user = find_adjudicator(project, request.adjudicator) if request.adjudicator else None
    places = _find_places(project, request)
    existing = _existing_gold(project, {place.text.pk for place in places})
    report = DraftReport()
    to_draft: list[tuple[Place, Coding | None]] = []
    for place in places:
        gold = existing.get((place.text.pk, place.round.pk))
        if gold is not None and gold.is_begun:
            report.begun.append(place.text.slug)
        else:
            report.drafted.append(place.text.slug)
            to_draft.append((place, gold))
    if at_most is not None and len(to_draft) > at_most:
        raise ValidationError(
            f"These are {len(to_draft)} texts; at most {at_most} are drafted at a time: name some of them, or use the "
            "command draft_gold."
        )
    for round_ in {place.round.pk: place.round for place, _ in to_draft}.values():
        refuse_closed(round_)
    record_view(Coding.objects.filter(pk__in=[one.pk for place, _ in to_draft for one in place.codings]))
    scheme = read_scheme(project.pk)
    import_codings([_drafted(project, request, place, gold, user, scheme) for place, gold in to_draft])
    return report


@dataclass(frozen=True, slots=True)
class GoldOfText:
    """A text in a round: its gold, if there is any, and how many coders have submitted it, of how many who have it."""

    text: Text
    round: Round
    gold: GoldState | None
    submitted: int
    assigned: int


def gold_of_rounds(project: Project, rounds: Sequence[Round]) -> list[GoldOfText]:
    """Return the texts of rounds with their gold, in the order of rounds and texts. Four queries."""
    numbers: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])
    codings = _codings_of_coders(project).filter(round__in=rounds)
    for text, round_, status in codings.values_list("text_id", "round_id", "status"):
        numbers[text, round_][0] += status == Coding.Status.SUBMITTED
        numbers[text, round_][1] += 1
    rows = Coding.with_gold.filter(round__in=rounds, kind=Coding.Kind.GOLD).select_related("coder").order_by()
    gold = {(state.coding.text_id, state.coding.round_id): state for state in gold_states(list(rows))}
    by_key = {round_.pk: round_ for round_ in rounds}
    members = RoundText.objects.filter(round__in=rounds).select_related("text").defer("text__content")
    return [
        GoldOfText(
            one.text,
            by_key[one.round_id],
            gold.get((one.text_id, one.round_id)),
            *numbers.get((one.text_id, one.round_id), (0, 0)),
        )
        for one in members.order_by("round__position", "round_id", "text__position", "text__slug")
        if one.text.docset_id is None
    ]


def _codings_of_coders(project: Project) -> Any:
    """Return the codings that drafts are made of. Who adjudicates has seen the work of others."""
    adjudicators = project.memberships.filter(role=Membership.Role.ADJUDICATOR).values("user")
    codings = Coding.objects.filter(text__project=project, kind=Coding.Kind.TEXT, occasion=1).order_by()
    return codings.exclude(coder__in=adjudicators)


def _find_places(project: Project, request: DraftRequest) -> list[Place]:
    """Return the texts to draft, in their order, each in its round."""
    texts = {text.slug: text for text in project.texts.filter(docset=None).defer("content")}
    for slug in request.texts:
        if slug not in texts:
            raise ValidationError({"texts": f"There is no text {slug!r} in this project."})
    chosen = [text for slug, text in texts.items() if not request.texts or slug in set(request.texts)]
    round_ = find_round(project, request.round_name) if request.round_name else None
    submitted = _submitted(project, request, round_)
    in_rounds = rounds_by_text(project)
    places = []
    for text in chosen:
        of_text = submitted.get(text.pk, {})
        rounds = [one for one in rounds_of_codings(of_text, in_rounds.get(text.pk, ())) if round_ in (None, one)]
        if not rounds and request.method is Method.EMPTY and request.texts:
            rounds = [one for one in in_rounds.get(text.pk, ()) if round_ in (None, one)]
        latest = latest_round(rounds)
        if latest is not None:
            places.append(Place(text, latest, of_text.get(latest.pk, ())))
        elif request.texts:
            who = f"{request.coder} has not" if request.coder else "Nobody has"
            where = f" in the round {round_}" if round_ is not None else ""
            raise ValidationError({"texts": f"{who} submitted a coding of “{text}”{where}."})
    return places


def rounds_of_codings(codings: Collection[int], rounds: Sequence[Round]) -> list[Round]:
    """Return those of the rounds, in their order, that there are codings of."""
    return [one for one in rounds if one.pk in codings]


def _submitted(project: Project, request: DraftRequest, round_: Round | None) -> dict[int, dict[int, list[Coding]]]:
    """Return the submitted codings by text and round, locked; with the method “coder” where that coder's is among."""
    codings = _codings_of_coders(project)
    if request.coder:  # an adjudicator's coding can become gold, too
        codings |= Coding.objects.filter(
            text__project=project, kind=Coding.Kind.TEXT, occasion=1, coder__username=request.coder
        )
    codings = codings.filter(status=Coding.Status.SUBMITTED)
    if request.texts:
        codings = codings.filter(text__slug__in=request.texts)
    if round_ is not None:
        codings = codings.filter(round=round_)
    rows = codings.select_for_update(of=("self",)).select_related("coder").order_by("pk")
    found: dict[int, dict[int, list[Coding]]] = defaultdict(lambda: defaultdict(list))
    for coding in rows:
        found[coding.text_id][coding.round_id].append(coding)
    if request.coder:
        names = {row.coder.get_username() for row in rows}
        if request.coder not in names:
            raise ValidationError({"coder": f"{request.coder!r} has submitted no coding here."})
        for of_text in found.values():
            for pk in [pk for pk, of_round in of_text.items() if _place_of(of_round, request.coder) is None]:
                del of_text[pk]
    return found


def _place_of(codings: Sequence[Coding], coder: str) -> int | None:
    return next((place for place, one in enumerate(codings) if one.coder.get_username() == coder), None)


def _existing_gold(project: Project, texts: Collection[int]) -> dict[tuple[int, int], Coding]:
    gold = Coding.with_gold.filter(text__project=project, kind=Coding.Kind.GOLD).order_by("pk")
    rows = gold.select_for_update(of=("self",)).select_related("round", "text").defer("text__content")
    return {(one.text_id, one.round_id): one for one in rows if one.text_id in texts}


def _drafted(
    project: Project, request: DraftRequest, place: Place, gold: Coding | None, user: User | None, scheme: ProjectScheme
) -> ImportedCoding:
    """Return the gold of a text with its draft, to be written."""
    proposal, markables = _propose(project, request, place, scheme)
    last = dict(
        Operation.objects.filter(coding__in=place.codings, sequence=F("coding__version")).values_list("coding", "uuid")
    )
    coder = _place_of(place.codings, request.coder) if request.coder else None
    details = {
        "method": str(request.method),
        # Each coding at its version is named by its last operation: neither here nor in an archive that tells a name.
        "codings": sorted(str(uuid) for uuid in last.values()),
        **({"coder": str(last[place.codings[coder].pk])} if coder is not None else {}),
        "contested": [[item.markable, item.question] for item in proposal.contested],
    }
    if gold is None:
        gold = Coding(text=place.text, round=place.round, kind=Coding.Kind.GOLD, coder=user)
    elif user is not None and gold.coder_id != user.pk:
        gold.coder = user
        gold.save(update_fields=["coder"])
    return ImportedCoding(
        gold,
        user,
        proposal.decisions,
        {key: markable.pk for key, markable in markables.items()},
        scheme.keys,
        submitted=False,
        kind=Operation.Kind.DRAFT,
        details=details,
    )


def _propose(
    project: Project, request: DraftRequest, place: Place, scheme: ProjectScheme
) -> tuple[Proposal, dict[str, Markable]]:
    """Return the draft of a text, and the markables that coders name by key."""
    codings = [{one.markable: one for one in decisions_of(coding, scheme.further)} for coding in place.codings]
    levels = {level.pk: level for level in scheme.levels}
    names = {key for coding in codings for one in coding.values() for key in (one.markable, *one.targets())}
    markables = {one.key: one for one in Markable.objects.filter(text=place.text) if one.key in names}
    for markable in markables.values():
        markable.level = levels[markable.level_id]
    rules = Rules(project.answers, scheme.constraints, markables, keys=scheme.keys)
    coder = _place_of(place.codings, request.coder) if request.coder else None
    return propose(rules, codings, request.method, coder), markables
