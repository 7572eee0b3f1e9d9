"""Parts of a datasheet: rounds and their agreement, models, docsets, training and adjudication."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Annotated, Self

from django.db.models import Count, Q
from rest_framework.serializers import ChoiceField

from agreement.data.coders import GOLD, codings_of_models, has_gold
from agreement.data.project_answers import ProjectAnswers
from agreement.data.pyramids import Pyramids
from agreement.measures.results import pluralize
from agreement.reports.coders.differences import CodedAgain
from agreement.reports.coders.profiles import Profile, compute_profiles
from agreement.reports.fields import PageOnly, copy_fields
from agreement.reports.gold import compare_with_gold
from agreement.reports.methods import describe_data
from agreement.reports.overall import AgreementReport, compute_report
from agreement.reports.parameters import InvalidParameter, Parameters, default_preset
from agreement.reports.request import parse_asked, read_with_gold
from annotations.adjudication import error_estimate
from annotations.adjudication.decisions.listing import gold_decisions
from annotations.adjudication.drafts import gold_of_rounds
from annotations.adjudication.states import State
from annotations.coding.log.payloads import Reason, Source
from annotations.models import Coding, ModelCoder, Plan, Project, Round
from annotations.models.project import may_see_models
from annotations.planning.rounds import describe_rounds
from annotations.planning.training import training_results

# The most questions other than the category for which agreement is computed.
MAX_QUESTIONS = 10
MAX_TRAININGS = 5  # the most training rounds, the latest ones


@dataclass(frozen=True, slots=True)
class RoundDescription:
    """A round and its progress."""

    name: str
    kind: Annotated[str, ChoiceField(Round.Kind.choices)]
    starts_on: date | None
    ends_on: date | None
    closed: bool
    guidelines_version: int | None
    scheme_version: int | None
    n_texts: int
    n_codings: int
    n_submitted: int
    design: Annotated[str, "of its plan, in words"]
    round: PageOnly[Round]


def list_rounds(project: Project) -> tuple[RoundDescription, ...]:
    """Return the rounds of a project in their order. Four queries."""
    plans = {plan.round_id: plan for plan in Plan.objects.filter(round__project=project)}
    return tuple(
        copy_fields(
            RoundDescription,
            round_,
            closed=round_.is_closed,
            n_texts=figures.texts,
            n_codings=figures.codings,
            n_submitted=figures.submitted,
            design=describe_design(plans[round_.pk]) if round_.pk in plans else "",
            round=round_,
        )
        for round_, figures in describe_rounds(project)
    )


def describe_design(plan: Plan) -> str:
    """Return the design of a plan in words."""
    by = "all coders" if plan.k is None else pluralize(plan.k, "coder")
    match plan.design:
        case Plan.Design.ALL:
            design = "every coder codes every text"
        case Plan.Design.K:
            design = f"each text by {by}"
        case Plan.Design.SHARE:
            design = f"{plan.share or 0:.0%} of the texts by {by}, the others by one"
        case _:
            blocks = "as many blocks as coders" if plan.blocks is None else pluralize(plan.blocks, "block")
            design = f"{blocks} of texts, each by {by}"
    if plan.calibration:
        design += f"; {pluralize(plan.calibration, 'text')} drawn at random by all"
    return f"{design}; taken from a pool" if plan.pool else design


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundAgreement:
    """The coefficient in a round or question, with its interval."""

    name: Annotated[str, "of the round or question; empty: all rounds"]
    coefficient: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n_texts: int = 0
    n_documents: Annotated[int, "pairs of text and round"] = 0
    n_coders: int = 0
    n_units: int = 0
    n_judgements: int = 0
    units_left_out: Mapping[str, int] = field(default_factory=dict)
    codings_left_out: Mapping[str, int] = field(default_factory=dict)
    note: str
    # None if the coefficient cannot be computed; the note says why.
    report: PageOnly[AgreementReport | None] = None

    @classmethod
    def of(cls, name: str, report: AgreementReport) -> Self:
        """Return the figures of a report."""
        result, interval, data = report.result, report.interval, describe_data(report.extract, report.parameters)
        units = [f"{pluralize(count, 'unit')} {reason}" for reason, count in result.left_out.items() if count]
        codings = [f"not counted: {report.not_counted}"] if report.not_counted else []
        return copy_fields(
            cls,
            data,
            interval,
            result,
            report,
            name=name,
            coefficient=report.name,
            units_left_out=result.left_out,
            note="; ".join(filter(None, [*units, *codings, report.versions, interval.note or result.note])),
            report=report,
        )


def measure_rounds(answers: ProjectAnswers, parameters: Parameters) -> tuple[RoundAgreement, ...]:
    """Return the agreement over all rounds and, if there are several, in each that counts. Raises InvalidParameter."""
    whole, chosen = compute_report(answers, parameters), parameters.selection("rounds")
    names = [name for name in whole.extract.rounds if not chosen or name in chosen]
    measured = [_measure(name, answers, replace(parameters, rounds=name)) for name in names] if len(names) > 1 else []
    return RoundAgreement.of("", whole), *measured


def measure_questions(project: Project, answers: ProjectAnswers) -> tuple[RoundAgreement, ...]:
    """Return the agreement in the first MAX_QUESTIONS further questions of the scheme, with default parameters."""
    asked = answers.question.key if answers.question else ""
    others = [question for question in answers.questions if question.key != asked][:MAX_QUESTIONS]
    return tuple(_measure(question.label, *parse_asked(project, {"question": question.key})) for question in others)


def _measure(name: str, answers: ProjectAnswers, parameters: Parameters) -> RoundAgreement:
    try:
        return RoundAgreement.of(name, compute_report(answers, parameters))
    except InvalidParameter as error:
        return RoundAgreement(name=name, note=error.message)


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """A model that has coded: its version, and its numbers of begun and of submitted codings."""

    name: str
    version: str
    hash: Annotated[str, "of its prompt or weights"]
    date: date | None
    n_codings: int
    n_submitted: int


def describe_models(project: Project) -> tuple[ModelDescription, ...]:
    """Return the models that have begun a coding, by name; empty if the user may not see models. Two queries."""
    if not may_see_models(project):
        return ()
    submitted = Count("pk", filter=Q(status=Coding.Status.SUBMITTED))
    rows = codings_of_models(project).values_list("coder__username").annotate(n=Count("pk"), done=submitted)
    counts = {coder: n for coder, *n in rows}
    models = ModelCoder.objects.filter(membership__project=project, membership__user__username__in=counts)
    columns = ("membership__user__username", "version", "hash", "date")
    models_by_name = models.order_by("membership__user__username").values_list(*columns)
    return tuple(ModelDescription(name, *fields, *counts[name]) for name, *fields in models_by_name)


@dataclass(frozen=True, slots=True)
class DocsetDescription:
    """A docset: its model summaries, the pyramids of coders, and the agreed one."""

    slug: str
    title: str
    n_summaries: int
    n_pyramids: int
    n_submitted: int
    agreed: Annotated[str, "open, submitted, or empty where there is none"]
    n_scus: Annotated[int | None, "of the agreed pyramid"]
    n_contributors: Annotated[int | None, "of the agreed pyramid"]
    n_peers: Annotated[int, "that somebody has scored and submitted"]


def describe_docsets(pyramids: Pyramids) -> tuple[DocsetDescription, ...]:
    """Return the description of each docset, by slug."""
    described = []
    for docset in pyramids.docsets:
        of_docset = [pyramid for pyramid in pyramids.annotations if pyramid.docset.pk == docset.pk]
        agreed = next((pyramid for pyramid in of_docset if pyramid.agreed), None)
        peers = {mark.peer.slug for mark in pyramids.peer_marks if mark.submitted and mark.peer.docset.pk == docset.pk}
        own = [pyramid.submitted for pyramid in of_docset if not pyramid.agreed]
        state = "" if agreed is None else "submitted" if agreed.submitted else "open"
        n_scus, n_contributors = (len(agreed.labels), len(agreed.contributors)) if agreed else (None, None)
        counts = len(docset.summaries), len(own), sum(own), state, n_scus, n_contributors, len(peers)
        described.append(DocsetDescription(docset.slug, docset.title, *counts))
    return tuple(described)


@dataclass(frozen=True, slots=True)
class Training:
    """A training round: its numbers of participants and of passes, some by decision, and the range of best scores."""

    round: str
    measure: Annotated[str, "of the pass rule"]
    mark: float | None
    n_coders: int
    n_passed: int
    n_by_decision: Annotated[int, "of those who passed, by a manager's decision"]
    n_scores: Annotated[int, "coders with a score"]
    lowest: Annotated[float | None, "of the best scores of each coder"]
    highest: float | None


def measure_training(rounds: Sequence[Round]) -> tuple[Training, ...]:
    """Return the results of the latest training rounds. Sixteen queries at most for each."""
    found = []
    for round_ in [round_ for round_ in rounds if round_.kind == Round.Kind.TRAINING][-MAX_TRAININGS:]:
        results = training_results(round_)
        scores = [row.best for row in results if row.best is not None]
        passed = [row for row in results if row.passed]
        decided, n_coders = sum(row.decision is not None for row in passed), sum(bool(row.attempts) for row in results)
        counts = n_coders, len(passed), decided, len(scores), min(scores, default=None), max(scores, default=None)
        found.append(Training(round_.name, round_.pass_measure, round_.pass_mark, *counts))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class CodedTwice:
    """The self-agreement of all coders together, or of the only coder."""

    n_coders: int
    n_codings: Annotated[int, "how many texts were coded twice, one for each coder who did"]
    n_texts: int
    value: float | None
    low: float | None
    high: float | None
    between: Annotated[float | None, "the coefficient between coders in the same texts"]
    note: str
    coded_again: PageOnly[str]

    @classmethod
    def of(cls, part: CodedAgain) -> Self | None:
        """Return the figures without names; None if no text was coded again."""
        whole = part.together or next((coder for coder in part.coders if coder.texts), next(iter(part.coders), None))
        if whole is None:
            return None
        n_coders = sum(coder.texts > 0 for coder in part.coders)
        return copy_fields(cls, whole, n_coders=n_coders, n_codings=whole.codings, n_texts=whole.texts)


@dataclass(frozen=True, slots=True)
class GoldOfRound:
    """The gold of a round: numbers of texts by state, contested items, and methods of drafts."""

    round: str
    kind: Annotated[str, ChoiceField(Round.Kind.choices, help_text="gold of training is no result")]
    n_texts: int
    open: Annotated[int, "texts"]
    decided: Annotated[int, "texts"]
    closed: Annotated[int, "texts"]
    n_contested: int
    n_decided: Annotated[int, "contested items that were decided"]
    methods: Annotated[Mapping[str, int], "of drafts; empty: no draft"]


@dataclass(frozen=True, slots=True)
class Overruled:
    """The share of coders' answers to contested items in which gold has another value."""

    found: int
    total: int
    value: float | None


@dataclass(frozen=True, slots=True)
class ErrorEstimate:
    """The estimated errors in answers that drafts of gold accepted unseen."""

    round: str
    checked: int
    wrong: int
    unseen: Annotated[int, "accepted, and not checked"]
    unreached: Annotated[int, "of them in texts of which nothing was checked"]
    value: Annotated[float | None, "estimated share of wrong ones, each text by what its draft accepted unseen"]
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Adjudication:
    """The gold of a project; `closed` is the profile of the gold that counts."""

    rounds: tuple[GoldOfRound, ...] = ()
    n_texts_compared: Annotated[int, "with closed gold, outside training"] = 0
    n_items: Annotated[int, "that gold answers there"] = 0
    n_contested: Annotated[int, "items there on which coders differ, whether or not gold answers them"] = 0
    n_chains: Annotated[int | None, "of gold there"] = None
    overruled: Annotated[Overruled, "answers to contested items whose value is another in gold"] = Overruled(0, 0, None)
    sources: Annotated[Mapping[str, int], "decisions"] = field(default_factory=dict)
    reasons: Annotated[Mapping[str, int], "decisions"] = field(default_factory=dict)
    error_estimates: Annotated[
        tuple[ErrorEstimate, ...], "of spot checks; by round, where drafts accepted something unseen"
    ] = ()
    closed: PageOnly[Profile | None] = None


def count_chains(profile: Profile) -> int:
    """Return the number of chains of two members or more."""
    return sum(n for length, n in profile.chain_lengths.items() if length > 1)


def measure_adjudication(
    project: Project, rounds: Sequence[Round], answers: ProjectAnswers, parameters: Parameters
) -> Adjudication:
    """Return the figures of gold in a project's rounds, in a fixed number of queries."""
    if project.answers == Project.Answers.SCUS or not has_gold(project):
        return Adjudication()
    with_gold = read_with_gold(project, answers, parameters)
    comparison = compare_with_gold(project, answers, with_gold, parameters, details=False)
    texts = gold_of_rounds(project, rounds)
    codings = [row.gold.coding for row in texts if row.gold is not None and row.round.kind != Round.Kind.TRAINING]
    estimates = error_estimate.estimate_errors(codings)
    decided = [decision for of_coding in gold_decisions(codings).values() for decision in of_coding]
    sources, reasons = Counter(choice.source for choice in decided), Counter(choice.reason for choice in decided)
    of_rounds = []
    for round_ in rounds:
        of_round = [row.gold for row in texts if row.round.pk == round_.pk]
        if gold := [state for state in of_round if state is not None]:
            states = Counter(state.state for state in gold)
            n_contested, n_decided = sum(len(state.contested) for state in gold), sum(state.n_decided for state in gold)
            counts = states[State.OPEN], states[State.DECIDED], states[State.CLOSED], n_contested, n_decided
            methods = Counter(sorted(state.draft.method if state.draft else "" for state in gold))
            of_rounds.append(GoldOfRound(round_.name, round_.kind, len(of_round), *counts, methods))
    found = [(round_.name, estimate) for round_ in rounds if (estimate := estimates.get(round_.pk)) is not None]
    checked = [copy_fields(ErrorEstimate, estimate, round=name, value=estimate.share) for name, estimate in found]
    shares = [coder.overruled for coder in comparison.coders]
    n_overruled, total = sum(share.found for share in shares), sum(share.total for share in shares)
    closed = None
    if GOLD in with_gold.known_coders:
        question = with_gold.question.key if with_gold.question else ""
        chains = default_preset(project.preset, with_gold.answers).parameters.chains
        own = Parameters(chains=chains, question=question, coders=GOLD)
        closed = next(iter(compute_profiles(with_gold, own)), None)
    return Adjudication(
        rounds=tuple(of_rounds),
        n_texts_compared=comparison.n_texts,
        n_items=comparison.n_items,
        n_contested=comparison.n_contested,
        n_chains=count_chains(closed) if closed else None,
        overruled=Overruled(n_overruled, total, n_overruled / total if total else None),
        sources={str(source): sources[source] for source in Source},
        reasons={str(reason): reasons[reason] for reason in Reason},
        error_estimates=tuple(estimate for estimate in checked if estimate.checked or estimate.unseen),
        closed=closed,
    )
