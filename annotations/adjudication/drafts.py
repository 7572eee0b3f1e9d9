"""Make drafts of gold and of agreed pyramids from what coders submitted, each as one operation of their log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F

from annotations.adjudication.decisions.changes import read_changes
from annotations.adjudication.decisions.log import GoldLog, read_logs
from annotations.adjudication.keeping import keep_decided
from annotations.adjudication.proposal import Item, Method, Proposal, propose
from annotations.adjudication.pyramids.drafts import (
    propose_agreed_pyramid,
    read_agreed,
    read_summaries,
    scu_category,
)
from annotations.adjudication.pyramids.keeping import keep_decided_pyramid
from annotations.adjudication.readiness import (
    EarlyText,
    GoldIsEarly,
    Submissions,
    codings_of_coders,
    is_early,
    submissions_of,
)
from annotations.adjudication.states import GoldState, gold_states
from annotations.coding.active_time import hand_over
from annotations.coding.decisions import Decision, OperationRejected
from annotations.coding.imported_codings import ImportedCoding, import_codings
from annotations.coding.judgements import decisions_of
from annotations.coding.rules import Rules
from annotations.core.text import pluralize
from annotations.docsets.agreed_pyramid import create_contributors, refuse_other_than_adjudicator
from annotations.models import (
    SCU,
    Coding,
    Docset,
    Judgement,
    Markable,
    Membership,
    Operation,
    Project,
    Round,
    RoundText,
    Text,
    User,
)
from annotations.projects.locks import lock_project
from annotations.projects.people.members import find_adjudicator, members_in_roles
from annotations.projects.rounds import find_round, latest_round, refuse_closed, rounds_by_text
from annotations.projects.viewing import record_view
from annotations.schemes.project_scheme import ProjectScheme, read_scheme

# So many texts are drafted by one request; the command drafts any number.
MAX_TEXTS = 100
# What is not drafted again.
FINAL = "is closed or came from a file"


@dataclass(frozen=True, slots=True)
class DraftRequest:
    """What drafts are made of: `coder` is a username, for the method of that name.

    texts: their slugs, in a project of pyramids those of docsets; none for all with a submitted coding. round_name:
    without it, of each text the latest round in which somebody has submitted it. adjudicator: in whose hands the gold
    is; empty: whoever opens it first, of an agreed pyramid the only adjudicator of the project.
    again: draft anew what has been begun and is not closed, too, and keep what was decided there.
    early: draft texts, too, that some of their coders have not submitted yet.
    """

    method: Method
    coder: str = ""
    texts: Sequence[str] = ()
    round_name: str = ""
    adjudicator: str = ""
    again: bool = False
    early: bool = True


@dataclass(slots=True)
class DraftReport:
    """The texts or docsets that were drafted, and those that had been begun and stayed as they were, by their slugs.

    again: gold that had been begun was drafted again, and only what is closed or from a file stayed.
    """

    again: bool = False
    drafted: list[str] = field(default_factory=list)
    begun: list[str] = field(default_factory=list)
    # Drafted now for the first time, before all who have them had submitted.
    early: list[str] = field(default_factory=list)

    of_pyramids: bool = False

    def __str__(self) -> str:
        if self.of_pyramids:
            made = f"{pluralize(len(self.drafted), 'draft')} of agreed pyramids"
            why = f"whose agreed pyramid {FINAL}" if self.again else f"which {self._have} one"
            return f"{made}; {pluralize(len(self.begun), 'docset')} left out, {why}"
        made = f"{pluralize(len(self.drafted), 'draft')} of gold"
        if not (self.drafted or self.begun):
            return f"{made}: nobody has submitted a coding that a draft could be made of"
        why = FINAL if self.again else "has been begun"
        return f"{made}; {pluralize(len(self.begun), 'text')} left out, whose gold {why}"

    @property
    def _have(self) -> str:
        return "has" if len(self.begun) == 1 else "have"


@dataclass(frozen=True, slots=True)
class DraftKinds:
    """What is drafted in a project, gold of texts or agreed pyramids, and of what."""

    role: Text.Role
    coders: Coding.Kind
    drafted: Coding.Kind

    @classmethod
    def of(cls, project: Project) -> DraftKinds:
        """Return what is drafted in a project."""
        return PYRAMIDS if project.answers == Project.Answers.SCUS else TEXTS


TEXTS = DraftKinds(Text.Role.SOURCE, Coding.Kind.TEXT, Coding.Kind.GOLD)
PYRAMIDS = DraftKinds(Text.Role.MODELS, Coding.Kind.PYRAMID, Coding.Kind.AGREED)


@dataclass(frozen=True, slots=True)
class Place:
    """A text in a round, with the submitted codings of it, which a draft may rest on."""

    text: Text
    round: Round
    codings: Sequence[Coding]


@transaction.atomic
def draft_gold(project: Project, request: DraftRequest, *, at_most: int | None = None) -> DraftReport:
    """Draft the gold of texts, or the agreed pyramids of docsets, all of them or none.

    What has been begun stays, and is reported, or is drafted again.

    Raise ValidationError for unknown names, a text that nobody has submitted or the coder has not, a closed round, an
    adjudicator who may not decide, an agreed pyramid without one, and for more texts than `at_most`. Raise GoldIsEarly
    where coders have yet to submit a text whose gold is new, unless the request says `early`.
    """
    lock_project(project.pk)
    if (request.method is Method.CODER) != bool(request.coder):
        raise ValidationError({"coder": "Name a coder with the method “coder”, and only with it."})
    user = _find_adjudicator(project, request.adjudicator)
    places = _find_places(project, request)
    existing = _existing_gold(project, {place.text.pk for place in places})
    of_pyramids = DraftKinds.of(project) == PYRAMIDS
    report = DraftReport(request.again, of_pyramids=of_pyramids)
    to_draft: list[tuple[Place, Coding | None]] = []
    final = _final_gold(existing.values()) if request.again else {one.pk for one in existing.values() if one.is_begun}
    for place in places:
        gold = existing.get(_key_of(place.text.pk, place.round.pk, project))
        if gold is not None and gold.pk in final:
            report.begun.append(place.text.slug)
        else:
            report.drafted.append(place.text.slug)
            to_draft.append((place, gold))
    if at_most is not None and len(to_draft) > at_most:
        raise ValidationError(
            f"These are {len(to_draft)} texts; at most {at_most} are drafted at a time: name some of them, or use the "
            "command draft_gold."
        )
    if of_pyramids and user is None and any(gold is None for _, gold in to_draft):
        user = _only_adjudicator(project)
    for round_ in {place.round.pk: place.round for place, _ in to_draft}.values():
        refuse_closed(round_)
    early = _early_texts(project, [place for place, gold in to_draft if gold is None])
    if early and not request.early:
        raise GoldIsEarly(early)
    report.early = [one.text.slug for one in early]
    record_view(Coding.with_models.filter(pk__in=[one.pk for place, _ in to_draft for one in place.codings]))
    scheme = read_scheme(project.pk)
    logs = read_logs([gold.pk for _, gold in to_draft if gold is not None and gold.is_begun])
    drafted = [
        _drafted(project, request, place, gold, user, scheme, logs.get(gold.pk) if gold is not None else None)
        for place, gold in to_draft
    ]
    Judgement.objects.filter(coding__in=list(logs)).delete()  # what is kept of them is in the draft
    SCU.objects.filter(coding__in=list(logs)).delete()
    import_codings(drafted)
    return report


def _early_texts(project: Project, places: Sequence[Place]) -> list[EarlyText]:
    """Return those of the texts that coders have yet to submit. A query; of summaries nothing is asked."""
    if DraftKinds.of(project) == PYRAMIDS or not places:
        return []
    rounds = {place.round.pk: place.round for place in places}
    found = submissions_of(project, TEXTS.coders, list(rounds.values()), [place.text for place in places])
    early = []
    for place in places:
        submissions = found.get((place.text.pk, place.round.pk), Submissions())
        if is_early(place.round, submissions):
            early.append(EarlyText(place.text, submissions))
    return early


def _final_gold(gold: Iterable[Coding]) -> set[int]:
    """Return the gold that is not drafted again: what is closed, and what came from a file."""
    begun = [one for one in gold if one.is_begun]
    imports = Operation.objects.filter(coding__in=begun, kind=Operation.Kind.IMPORT).order_by()
    closed = {one.pk for one in begun if one.status != Coding.Status.OPEN}
    return closed | set(imports.values_list("coding", flat=True))


@dataclass(frozen=True, slots=True)
class GoldOfText:
    """A text or docset in a round: its gold or agreed pyramid, if there is any, and which coders have submitted it.

    changed: of how many markables coders have changed their answers since the last draft.
    """

    text: Text
    round: Round
    gold: GoldState | None
    submissions: Submissions
    changed: int

    @property
    def submitted(self) -> int:
        """How many coders have submitted it."""
        return self.submissions.submitted

    @property
    def assigned(self) -> int:
        """How many coders have it."""
        return self.submissions.assigned

    @property
    def is_early(self) -> bool:
        """Whether coders have yet to submit it."""
        return is_early(self.round, self.submissions)


def gold_of_rounds(project: Project, rounds: Sequence[Round]) -> list[GoldOfText]:
    """Return the texts of rounds with their gold, in the order of rounds and texts. Seventeen queries at most."""
    kinds = DraftKinds.of(project)
    submissions = submissions_of(project, kinds.coders, rounds)
    rows = Coding.with_gold.filter(round__in=rounds, kind=kinds.drafted).select_related("coder").order_by()
    states = gold_states(list(rows))
    gold = {(state.coding.text_id, state.coding.round_id): state for state in states}
    changes = read_changes([one.coding for one in states], {one.coding.pk: one.log for one in states})
    by_key = {round_.pk: round_ for round_ in rounds}
    members = RoundText.objects.filter(round__in=rounds).select_related("text").defer("text__content")
    found = []
    for one in members.order_by("round__position", "round_id", "text__position", "text__slug"):
        if one.text.role == kinds.role:
            place = one.text_id, one.round_id
            state = gold.get(place)
            changed = changes[state.coding.pk].since(state.draft) if state is not None else ()
            n_changed = len({item.markable for item in changed})
            found.append(
                GoldOfText(one.text, by_key[one.round_id], state, submissions.get(place, Submissions()), n_changed)
            )
    return found


def agreed_state(docset: Docset) -> GoldState | None:
    """Return how far the agreed pyramid of a docset is, if there is one. Thirteen queries at most."""
    rows = Coding.objects.filter(text__docset=docset, kind=PYRAMIDS.drafted).select_related("coder")
    return next(iter(gold_states(list(rows))), None)


def _find_adjudicator(project: Project, name: str) -> User | None:
    """Return in whose hands drafts are, where somebody is named. An agreed pyramid is in those of an adjudicator."""
    try:
        user = find_adjudicator(project, name) if name else None
    except ValidationError as error:
        raise ValidationError({"adjudicator": error.messages}) from None
    if user is not None and DraftKinds.of(project) == PYRAMIDS:
        refuse_other_than_adjudicator(project, user)
    return user


def _only_adjudicator(project: Project) -> User:
    """Return in whose hands new agreed pyramids are where nobody is named."""
    adjudicators: list[User] = list(members_in_roles(project, (Membership.Role.ADJUDICATOR,))[:2])
    if len(adjudicators) != 1:
        number = "no" if not adjudicators else "more than one"
        raise ValidationError(
            {"adjudicator": f"{project.slug} has {number} adjudicator: name who goes on with the agreed pyramids."}
        )
    return adjudicators[0]


def _key_of(text: int, round_: int, project: Project) -> tuple[int, int]:
    """Return by what gold is found: a text has one in each round, and a docset one agreed pyramid."""
    return (text, round_) if DraftKinds.of(project) == TEXTS else (text, 0)


def _find_places(project: Project, request: DraftRequest) -> list[Place]:
    """Return the texts to draft, in their order, each in its round."""
    kinds = DraftKinds.of(project)
    texts = {text.slug: text for text in project.texts.filter(role=kinds.role).defer("content")}
    for slug in request.texts:
        if slug not in texts:
            noun = "text" if kinds == TEXTS else "docset"
            raise ValidationError({"texts": f"There is no {noun} {slug!r} in this project."})
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
    codings = codings_of_coders(project, DraftKinds.of(project).coders)
    if request.coder:  # an adjudicator's coding, or that of a model, can become gold, too
        codings |= Coding.with_models.filter(
            text__project=project, kind=DraftKinds.of(project).coders, occasion=1, coder__username=request.coder
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
    gold = Coding.with_gold.filter(text__project=project, kind=DraftKinds.of(project).drafted).order_by("pk")
    rows = gold.select_for_update(of=("self",)).select_related("round", "text").defer("text__content")
    return {_key_of(one.text_id, one.round_id, project): one for one in rows if one.text_id in texts}


def _drafted(
    project: Project,
    request: DraftRequest,
    place: Place,
    gold: Coding | None,
    user: User | None,
    scheme: ProjectScheme,
    log: GoldLog | None,
) -> ImportedCoding:
    """Return the gold of a text with its draft, to be written. `log` is that of gold which was begun."""
    kept = {one.markable: one for one in decisions_of(gold, scheme.further)} if gold is not None and log else {}
    last = dict(
        Operation.objects.filter(coding__in=place.codings, sequence=F("coding__version")).values_list("coding", "uuid")
    )
    coder = _place_of(place.codings, request.coder) if request.coder else None
    details = {
        "method": str(request.method),
        # Each coding at its version is named by its last operation: neither here nor in an archive that tells a name.
        "codings": sorted(str(uuid) for uuid in last.values()),
        **({"coder": str(last[place.codings[coder].pk])} if coder is not None else {}),
    }
    if gold is None:
        gold = Coding(text=place.text, round=place.round, kind=DraftKinds.of(project).drafted, coder=user)
    elif user is not None and request.adjudicator and gold.coder_id != user.pk:
        hand_over(gold, user)
    if DraftKinds.of(project) == PYRAMIDS:
        user = gold.coder
        pyramid = propose_agreed_pyramid(project, place.text, place.codings, request.method, coder)
        if log is not None:
            pyramid = keep_decided_pyramid(pyramid, log, read_agreed(gold), read_summaries(project, place.text))
        decisions = pyramid.decisions(scu_category(scheme.constraints))
        try:
            contributors, keys = create_contributors(gold, decisions)
        except OperationRejected as rejection:
            raise ValidationError(str(rejection)) from None
        return ImportedCoding(
            gold,
            user,
            decisions,
            contributors,
            keys,
            pyramid.descriptions,
            submitted=False,
            kind=Operation.Kind.DRAFT,
            details=details | _contested(pyramid.contested),
        )
    proposal, markables = _propose(project, request, place, scheme, kept)
    if log is not None:
        came_with_text = {key for key, one in markables.items() if one.predefined}
        proposal = keep_decided(proposal, log, kept, came_with_text)
    return ImportedCoding(
        gold,
        user,
        proposal.decisions,
        {key: markable.pk for key, markable in markables.items()},
        scheme.keys,
        submitted=False,
        kind=Operation.Kind.DRAFT,
        details=details | _contested(proposal.contested),
    )


def _contested(items: Sequence[Item]) -> dict[str, list[list[str]]]:
    return {"contested": [[item.markable, item.question] for item in items]}


def _propose(
    project: Project, request: DraftRequest, place: Place, scheme: ProjectScheme, gold: Mapping[str, Decision]
) -> tuple[Proposal, dict[str, Markable]]:
    """Return the draft of a text, and the markables that coders, and the gold as it is, name by key."""
    codings = [{one.markable: one for one in decisions_of(coding, scheme.further)} for coding in place.codings]
    levels = {level.pk: level for level in scheme.levels}
    named = [one for decisions in (*codings, gold) for one in decisions.values()]
    names = {key for one in named for key in (one.markable, *one.targets())}
    markables = {one.key: one for one in Markable.objects.filter(text=place.text) if one.key in names}
    for markable in markables.values():
        markable.level = levels[markable.level_id]
    rules = Rules(project.answers, scheme.constraints, markables, keys=scheme.keys)
    coder = _place_of(place.codings, request.coder) if request.coder else None
    return propose(rules, codings, request.method, coder), markables
