"""Make drafts of gold and of agreed pyramids from submitted codings, each as one operation of the log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F

from annotations.adjudication.decisions.changes import read_changes
from annotations.adjudication.decisions.log import GoldLog, read_logs
from annotations.adjudication.proposal import Method, Proposal, propose
from annotations.adjudication.pyramid_proposal import PyramidContent, Summaries, propose_pyramid
from annotations.adjudication.readiness import GoldIsEarly, Submissions, codings_of_coders, find_early, submissions_of
from annotations.adjudication.redrafts import PyramidRedraft, keep_decided
from annotations.adjudication.states import GoldState, gold_states
from annotations.coding.active_time import hand_over
from annotations.coding.decisions import Decision, Description, OperationRejected
from annotations.coding.imported_codings import ImportedCoding, import_codings
from annotations.coding.judgements import decisions_of
from annotations.coding.pyramids.pyramid_rules import PyramidOptions
from annotations.coding.pyramids.scus import contributors_of, scu_descriptions, summary_spans
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

# A request drafts at most this number of texts; the command drafts any number.
MAX_TEXTS = 100
# The reason why gold is not drafted again.
FINAL = "is closed or came from a file"


@dataclass(frozen=True, slots=True)
class DraftRequest:
    """The options of drafts.

    coder: a username, with the method of that name. texts: slugs of texts or docsets; none: all that are submitted.
    round_name: empty: the latest round in which each text was submitted. adjudicator: the owner of the gold; empty:
    the first user to open it. again: redraft open items. early: allow gold before all coders have submitted.
    """

    method: Method
    coder: str = ""
    texts: Sequence[str] = ()
    round_name: str = ""
    adjudicator: str = ""
    again: bool = False
    early: bool = True


@dataclass(frozen=True, slots=True)
class DraftKind:
    """The kind of drafts in a project: gold of texts or agreed pyramids of docsets, with the kind of their sources."""

    role: Text.Role
    coders: Coding.Kind
    drafted: Coding.Kind
    noun: str

    @classmethod
    def of(cls, project: Project) -> DraftKind:
        return PYRAMIDS if project.answers == Project.Answers.SCUS else TEXTS


TEXTS = DraftKind(Text.Role.SOURCE, Coding.Kind.TEXT, Coding.Kind.GOLD, "text")
PYRAMIDS = DraftKind(Text.Role.MODELS, Coding.Kind.PYRAMID, Coding.Kind.AGREED, "docset")


@dataclass(frozen=True, slots=True)
class DraftReport:
    """The slugs of drafted texts, of texts whose gold had been begun, and of texts drafted early."""

    kind: DraftKind
    again: bool
    drafted: Sequence[str]
    begun: Sequence[str]
    early: Sequence[str]

    def __str__(self) -> str:
        drafts, left_out = pluralize(len(self.drafted), "draft"), pluralize(len(self.begun), self.kind.noun)
        if self.kind is PYRAMIDS:
            have = "has" if len(self.begun) == 1 else "have"
            why = f"whose agreed pyramid {FINAL}" if self.again else f"which {have} one"
            return f"{drafts} of agreed pyramids; {left_out} left out, {why}"
        if not (self.drafted or self.begun):
            return f"{drafts} of gold: nobody has submitted a coding that a draft could be made of"
        return f"{drafts} of gold; {left_out} left out, whose gold {FINAL if self.again else 'has been begun'}"


@dataclass(frozen=True, slots=True)
class DraftSource:
    """A text in a round with its submitted codings, which a draft may use, and its gold, if there is any."""

    text: Text
    round: Round
    codings: Sequence[Coding]
    gold: Coding | None


@transaction.atomic
def draft_gold(project: Project, request: DraftRequest, *, at_most: int | None = None) -> DraftReport:
    """Draft the gold of texts, or the agreed pyramids of docsets: all of them or none.

    Raise ValidationError for unknown names, texts that cannot be drafted, closed rounds, and more texts than `at_most`.
    Raise GoldIsEarly if new gold would precede submissions of coders, unless the request says `early`.
    """
    lock_project(project.pk)
    if (request.method is Method.CODER) != bool(request.coder):
        raise ValidationError({"coder": "Name a coder with the method “coder”, and only with it."})
    user = _find_adjudicator(project, request.adjudicator)
    kind = DraftKind.of(project)
    sources = _find_sources(project, request, kind)
    final = _final_gold([source.gold for source in sources if source.gold is not None], again=request.again)
    to_draft = [source for source in sources if source.gold is None or source.gold.pk not in final]
    if at_most is not None and len(to_draft) > at_most:
        raise ValidationError(
            f"These are {len(to_draft)} texts; at most {at_most} are drafted at a time: name some of them, or use the "
            "command draft_gold."
        )
    new = [source for source in to_draft if source.gold is None]
    if kind is PYRAMIDS and user is None and new:
        user = _only_adjudicator(project)
    for round_ in {source.round.pk: source.round for source in to_draft}.values():
        refuse_closed(round_)
    early = find_early(project, [(source.text, source.round) for source in new]) if kind is TEXTS else []
    if early and not request.early:
        raise GoldIsEarly(early)
    record_view(Coding.objects.of_coders().filter(pk__in=[coding.pk for row in to_draft for coding in row.codings]))
    logs = read_logs([source.gold.pk for source in to_draft if source.gold is not None and source.gold.is_begun])
    drafter = _Drafter(project, request, kind, user, read_scheme(project.pk), logs)
    drafted = [drafter.draft(source) for source in to_draft]
    Judgement.objects.filter(coding__in=list(logs)).delete()  # the draft has all judgements that are kept
    SCU.objects.filter(coding__in=list(logs)).delete()
    import_codings(drafted)
    return DraftReport(
        kind,
        request.again,
        [source.text.slug for source in to_draft],
        [source.text.slug for source in sources if source.gold is not None and source.gold.pk in final],
        [early_text.text.slug for early_text in early],
    )


def _final_gold(gold: Iterable[Coding], *, again: bool) -> set[int]:
    """Return the gold that is not drafted again: all that is begun, or with `again` what is closed or imported."""
    begun = [coding for coding in gold if coding.is_begun]
    if not again:
        return {coding.pk for coding in begun}
    imports = Operation.objects.filter(coding__in=begun, kind=Operation.Kind.IMPORT).order_by()
    closed = {coding.pk for coding in begun if coding.status != Coding.Status.OPEN}
    return closed | set(imports.values_list("coding", flat=True))


@dataclass(frozen=True, slots=True)
class GoldOfText:
    """A text or docset in a round, its gold and submissions, and the number of markables changed since the draft."""

    text: Text
    round: Round
    gold: GoldState | None
    submissions: Submissions
    changed: int


def gold_of_rounds(project: Project, rounds: Sequence[Round]) -> list[GoldOfText]:
    """Return the texts of rounds with their gold, in the order of rounds and texts. At most seventeen queries."""
    kind = DraftKind.of(project)
    submissions = submissions_of(project, kind.coders, rounds)
    rows = Coding.objects.filter(round__in=rounds, kind=kind.drafted).select_related("coder").order_by()
    states = gold_states(list(rows))
    gold = {(state.coding.text_id, state.coding.round_id): state for state in states}
    changes = read_changes([row.coding for row in states], {row.coding.pk: row.log for row in states})
    by_key = {round_.pk: round_ for round_ in rounds}
    members = RoundText.objects.filter(round__in=rounds, text__role=kind.role)
    members = members.select_related("text").defer("text__content")
    listed = []
    for member in members.order_by("round__position", "round_id", "text__position", "text__slug"):
        key = member.text_id, member.round_id
        state = gold.get(key)
        changed = changes[state.coding.pk].since(state.draft) if state is not None else ()
        n_changed = len({item.markable for item in changed})
        listed.append(
            GoldOfText(member.text, by_key[member.round_id], state, submissions.get(key, Submissions()), n_changed)
        )
    return listed


def agreed_state(docset: Docset) -> GoldState | None:
    """Return the state of the agreed pyramid of a docset, if there is one. At most thirteen queries."""
    rows = Coding.objects.of_people().filter(text__docset=docset, kind=PYRAMIDS.drafted).select_related("coder")
    return next(iter(gold_states(list(rows))), None)


def _find_adjudicator(project: Project, name: str) -> User | None:
    """Return the named owner of drafts, if any. The owner of an agreed pyramid must be an adjudicator."""
    user = find_adjudicator(project, name) if name else None
    if user is not None and DraftKind.of(project) is PYRAMIDS:
        refuse_other_than_adjudicator(project, user)
    return user


def _only_adjudicator(project: Project) -> User:
    """Return the default owner of new agreed pyramids: the only adjudicator."""
    adjudicators: list[User] = list(members_in_roles(project, (Membership.Role.ADJUDICATOR,))[:2])
    if len(adjudicators) != 1:
        number = "no" if not adjudicators else "more than one"
        raise ValidationError(
            {"adjudicator": f"{project.slug} has {number} adjudicator: name who goes on with the agreed pyramids."}
        )
    return adjudicators[0]


def _find_sources(project: Project, request: DraftRequest, kind: DraftKind) -> list[DraftSource]:
    """Return the texts to draft, in their order, each in its round."""
    texts = {text.slug: text for text in project.texts.filter(role=kind.role).defer("content")}
    for slug in request.texts:
        if slug not in texts:
            raise ValidationError({"texts": f"There is no {kind.noun} {slug!r} in this project."})
    round_ = find_round(project, request.round_name) if request.round_name else None
    submitted = _submitted(project, request, kind, round_)
    existing = _existing_gold(project, kind)
    in_rounds = rounds_by_text(project)
    sources = []
    for slug, text in texts.items():
        if request.texts and slug not in request.texts:
            continue
        text_codings = submitted.get(text.pk, {})
        rounds = [candidate for candidate in in_rounds.get(text.pk, ()) if round_ in (None, candidate)]
        coded = [candidate for candidate in rounds if candidate.pk in text_codings]
        latest = latest_round(coded or (rounds if request.method is Method.EMPTY and request.texts else []))
        if latest is not None:
            gold = existing.get((text.pk, latest.pk if kind is TEXTS else 0))
            sources.append(DraftSource(text, latest, text_codings.get(latest.pk, ()), gold))
        elif request.texts:
            who = f"{request.coder} has not" if request.coder else "Nobody has"
            where = f" in the round {round_}" if round_ is not None else ""
            raise ValidationError({"texts": f"{who} submitted a coding of “{text}”{where}."})
    return sources


def _submitted(
    project: Project, request: DraftRequest, kind: DraftKind, round_: Round | None
) -> dict[int, dict[int, list[Coding]]]:
    """Return the submitted codings by text and round, locked; with method “coder” only where the coder submitted."""
    codings = codings_of_coders(project, kind.coders)
    if request.coder:  # an adjudicator's or a model's coding can become gold, too
        codings |= Coding.objects.of_coders().filter(
            text__project=project, kind=kind.coders, occasion=1, coder__username=request.coder
        )
    codings = codings.filter(status=Coding.Status.SUBMITTED)
    if request.texts:
        codings = codings.filter(text__slug__in=request.texts)
    if round_ is not None:
        codings = codings.filter(round=round_)
    codings_of: dict[int, dict[int, list[Coding]]] = defaultdict(lambda: defaultdict(list))
    for coding in codings.select_for_update(of=("self",)).select_related("coder").order_by("pk"):
        codings_of[coding.text_id][coding.round_id].append(coding)
    if request.coder:  # checked after the rows are locked, as the coder may have reopened the coding meanwhile
        codings_of = {text: _rounds_of_coder(rounds, request.coder) for text, rounds in codings_of.items()}
        if not any(codings_of.values()):
            raise ValidationError({"coder": f"{request.coder!r} has submitted no coding here."})
    return codings_of


def _rounds_of_coder(rounds: Mapping[int, list[Coding]], coder: str) -> dict[int, list[Coding]]:
    """Return the rounds that have a coding of the coder, with all their codings."""
    return {
        round_: codings
        for round_, codings in rounds.items()
        if any(coding.coder.get_username() == coder for coding in codings)
    }


def _existing_gold(project: Project, kind: DraftKind) -> dict[tuple[int, int], Coding]:
    """Return the existing gold, locked, by text and round; a docset has one agreed pyramid for all its rounds."""
    gold = Coding.objects.filter(text__project=project, kind=kind.drafted).order_by("pk")
    rows = gold.select_for_update(of=("self",)).select_related("round", "text").defer("text__content")
    return {(coding.text_id, coding.round_id if kind is TEXTS else 0): coding for coding in rows}


@dataclass(frozen=True, slots=True)
class _Drafter:
    """The inputs of drafts. `logs` are the logs of gold that was begun."""

    project: Project
    request: DraftRequest
    kind: DraftKind
    user: User | None
    scheme: ProjectScheme
    logs: Mapping[int, GoldLog]

    def draft(self, source: DraftSource) -> ImportedCoding:
        """Return the gold of a text with its draft, ready to be written."""
        rows = Operation.objects.filter(coding__in=source.codings, sequence=F("coding__version"))
        last = dict(rows.values_list("coding", "uuid"))
        names = [coding.coder.get_username() for coding in source.codings]
        coder = names.index(self.request.coder) if self.request.coder else None
        gold, user = source.gold, self.user
        log = self.logs.get(gold.pk) if gold is not None else None
        if gold is None:
            gold = Coding(text=source.text, round=source.round, kind=self.kind.drafted, coder=user)
        elif user is not None and self.request.adjudicator and gold.coder_id != user.pk:
            hand_over(gold, user)
        if self.kind is PYRAMIDS:
            user = gold.coder
            proposal = self._draft_pyramid(source, coder, gold, log)
            try:
                markables, keys = create_contributors(gold, proposal.decisions)
            except OperationRejected as rejection:
                raise ValidationError(str(rejection)) from None
        else:
            proposal, markables = self._draft_text(source, coder, gold, log)
            keys = self.scheme.keys
        return ImportedCoding(
            gold,
            user,
            proposal.decisions,
            markables,
            keys,
            proposal.descriptions,
            submitted=False,
            kind=Operation.Kind.DRAFT,
            details={
                "method": str(self.request.method),
                # A coding is named by its last operation, which discloses no name, neither here nor in an archive.
                "codings": sorted(map(str, last.values())),
                **({"coder": str(last[source.codings[coder].pk])} if coder is not None else {}),
                "contested": [[item.markable, item.question] for item in proposal.contested],
            },
        )

    def _draft_text(
        self, source: DraftSource, coder: int | None, gold: Coding, log: GoldLog | None
    ) -> tuple[Proposal, dict[str, int]]:
        """Return the draft of a text, and the keys of all markables that its codings name."""

        def read(coding: Coding) -> dict[str, Decision]:
            return {decision.markable: decision for decision in decisions_of(coding, self.scheme.further)}

        codings, kept = list(map(read, source.codings)), read(gold) if log is not None else {}
        named = [decision for decisions in (*codings, kept) for decision in decisions.values()]
        names = {key for decision in named for key in (decision.markable, *decision.targets())}
        levels = {level.pk: level for level in self.scheme.levels}
        markables = {row.key: row for row in Markable.objects.filter(text=source.text) if row.key in names}
        for markable in markables.values():
            markable.level = levels[markable.level_id]
        rules = Rules(self.project.answers, self.scheme.constraints, markables, keys=self.scheme.keys)
        proposal = propose(rules, codings, self.request.method, coder)
        if log is not None:
            given = {key for key, markable in markables.items() if markable.predefined}
            proposal = keep_decided(proposal, log, kept, given)
        return proposal, {key: markable.pk for key, markable in markables.items()}

    def _draft_pyramid(self, source: DraftSource, coder: int | None, agreed: Coding, log: GoldLog | None) -> Proposal:
        """Return the draft of an agreed pyramid. Three queries a coding, and two."""
        summaries = read_summaries(self.project, source.text)
        proposal = propose_pyramid(summaries, list(map(read_pyramid, source.codings)), self.request.method, coder)
        if log is not None:
            proposal = PyramidRedraft(proposal, log, read_pyramid(agreed), summaries).proposal()
        [category] = [key for key, category in self.scheme.constraints["categories"].items() if category["takes_index"]]
        decisions = (Decision(row.key, category=category, indices=row.scus) for row in proposal.contributors)
        return Proposal(tuple(decisions), proposal.contested, proposal.descriptions)


def read_pyramid(coding: Coding) -> PyramidContent:
    """Return the content of a pyramid. Three queries."""
    descriptions = {key: Description(key, **row) for key, row in scu_descriptions(coding).items()}
    return PyramidContent(contributors_of(coding), descriptions)


def read_summaries(project: Project, text: Text) -> Summaries:
    """Return the model summaries with their words. Two queries."""
    words = Markable.objects.filter(text=text, level__coded=False).order_by("start").values_list("start", "end")
    options = PyramidOptions(project.one_contributor, project.words_exclusive)
    return Summaries(summary_spans(text.pk), list(words), options)
