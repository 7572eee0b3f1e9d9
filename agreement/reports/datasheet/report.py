"""The datasheet of a project, from the figures of its pages."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Annotated

from django.db.models import Count, Max, Min, Q, Sum
from django.db.models.functions import Length
from django.utils import timezone
from rest_framework.serializers import ChoiceField

from agreement.data.coders import Groups, read_groups
from agreement.data.project_answers import ProjectAnswers
from agreement.data.pyramids import read_pyramids
from agreement.reports.basis import pick_texts
from agreement.reports.coders.differences import compare_groups, compare_occasions
from agreement.reports.coders.profiles import compute_profiles
from agreement.reports.datasheet import rounds as parts
from agreement.reports.fields import PageOnly, SchemeDocument, copy_fields
from agreement.reports.methods import Reference, describe_methods, program_name
from agreement.reports.parameters import InvalidParameter, Parameters
from agreement.reports.request import resolve
from annotations.formats.model.scheme import SchemeSpec
from annotations.formats.model.scheme_json import scheme_to_json
from annotations.models import Coding, GuidelinesVersion, Markable, Membership, Operation, Project, Segment
from annotations.models.coding import AGREED_KINDS
from annotations.schemes.project_scheme import read_scheme
from annotations.transfers.project_formats import formats_of

# The coders with most judgements have rows of their own; further coders are only counted.
MAX_CODERS = 100


@dataclass(frozen=True, slots=True)
class CoderDescription:
    """A coder without a name; coders with most judgements come first."""

    group: str
    n_codings: int
    n_submitted: int
    n_counted: Annotated[int, "how many codings the agreement is computed from"]
    n_judgements: Annotated[int, "in codings that count"]
    n_chains: Annotated[int | None, "null where coders make none"]
    place: PageOnly[str] = ""


@dataclass(frozen=True, slots=True)
class Language:
    """The texts of a language."""

    language: Annotated[str, "BCP 47 tag"]
    n_texts: int
    n_words: Annotated[int, "what white space separates"]
    n_characters: int


@dataclass(frozen=True, slots=True)
class MarkableCounts:
    """The markables of a level."""

    level: str
    n_given: Annotated[int, "that came with the texts"]
    n_marked: Annotated[int, "that coders marked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Datasheet:
    """The datasheet of a project."""

    slug: str
    title: str
    description: str
    source: str
    licence: str
    citation: str
    contact: str
    answers: Annotated[str, ChoiceField(Project.Answers.choices)]
    scheme: SchemeDocument
    scheme_version: int
    guidelines_version: int | None
    guidelines_saved_on: date | None
    created_on: date
    archived_on: date | None
    first_work_on: date | None
    last_work_on: date | None
    languages: tuple[Language, ...]
    n_texts: int
    n_words: int
    n_characters: int
    segments: Annotated[Mapping[str, int], "by kind"]
    markables: tuple[MarkableCounts, ...]
    docsets: tuple[parts.DocsetDescription, ...]
    n_coders: int
    groups: Annotated[Mapping[str, int], "coders in each group"]
    coders: Annotated[tuple[CoderDescription, ...], "the first hundred"]
    models: Annotated[tuple[parts.ModelDescription, ...], "for who codes there are none"]
    rounds: tuple[parts.RoundDescription, ...]
    parameters: Parameters
    agreement: Annotated[tuple[parts.RoundAgreement, ...], "over all rounds, and where there are several in each"]
    questions: Annotated[tuple[parts.RoundAgreement, ...], "over all rounds, in the first ten further questions"]
    n_other_questions: int
    methods: Annotated[str, "how it was computed, in words"]
    repeats: parts.CodedTwice | None
    rechecks: parts.CodedTwice | None
    # None for a reader who may not see gold.
    training: tuple[parts.Training, ...] | None
    adjudication: parts.Adjudication | None
    formats: Annotated[tuple[str, ...], "for export"]
    fingerprint: Annotated[str, "Equal for equal answers."]
    program: str = field(default_factory=program_name)
    project: PageOnly[Project]
    spec: PageOnly[SchemeSpec]
    codings: PageOnly[Mapping[str, tuple[int, int]]]
    n_peers: PageOnly[int]
    references: PageOnly[tuple[Reference, ...]]
    format_labels: PageOnly[tuple[str, ...]]


def describe_project(
    project: Project, answers: ProjectAnswers, parameters: Parameters, *, sees_gold: bool
) -> Datasheet:
    """Return the datasheet of all answers, without names of coders; `sees_gold`: with training and gold."""
    if parameters.coders:
        raise InvalidParameter("coders", "a datasheet is of all coders, and names none: leave out coders and groups.")
    agreement = parts.measure_rounds(answers, parameters)
    report = agreement[0].report
    assert report is not None
    groups, again = read_groups(project), compare_occasions(answers, parameters)
    rounds, spec, languages = parts.list_rounds(project), read_scheme(project.pk).spec, _read_languages(project)
    of_rounds, codings, work = [row.round for row in rounds], _count_codings(project), _read_days(project)
    guidelines = GuidelinesVersion.objects.filter(project=project).values_list("number", "created_at").first()
    segments = Segment.objects.filter(text__project=project).order_by().values_list("kind").annotate(n=Count("pk"))
    compared = compare_groups(answers, parameters, groups, differences=False)
    # without gold, which has a section of its own
    methods = describe_methods(report.extract, report, compared, again)
    formats = {key: form.label for key, form in formats_of(project).items() if getattr(form, "write", True)}
    unmarked, rechecks = map(parts.CodedTwice.of, again.parts)
    of_docsets = read_pyramids(project) if project.answers == Project.Answers.SCUS else None
    return copy_fields(
        Datasheet,
        project,
        report,
        scheme=scheme_to_json(spec, project.answers),
        guidelines_version=guidelines[0] if guidelines else None,
        guidelines_saved_on=timezone.localdate(guidelines[1]) if guidelines else None,
        created_on=timezone.localdate(project.created_at),
        archived_on=timezone.localdate(project.archived_at) if project.archived_at else None,
        first_work_on=work[0],
        last_work_on=work[1],
        languages=languages,
        n_texts=sum(language.n_texts for language in languages),
        n_words=sum(language.n_words for language in languages),
        n_characters=sum(language.n_characters for language in languages),
        segments=dict(sorted(segments)),
        markables=_count_markables(project),
        n_coders=len(codings),
        project=project,
        spec=spec,
        codings=codings,
        n_peers=of_docsets.n_peers if of_docsets else 0,
        coders=_describe_coders(codings, groups, answers, parameters),
        groups={name: n for name, members in groups.items() if (n := len(codings.keys() & {*members}))},
        rounds=rounds,
        agreement=agreement,
        questions=parts.measure_questions(project, answers),
        n_other_questions=max(len(answers.questions) - (answers.question is not None) - parts.MAX_QUESTIONS, 0),
        methods=methods.paragraph,
        references=methods.references,
        repeats=unmarked,
        rechecks=rechecks,
        formats=tuple(formats),
        format_labels=tuple(formats.values()),
        docsets=parts.describe_docsets(of_docsets) if of_docsets else (),
        models=parts.describe_models(project),
        training=parts.measure_training(of_rounds) if sees_gold else None,
        adjudication=parts.measure_adjudication(project, of_rounds, answers, parameters) if sees_gold else None,
    )


def _describe_coders(
    codings: Mapping[str, tuple[int, int]], groups: Groups, answers: ProjectAnswers, parameters: Parameters
) -> tuple[CoderDescription, ...]:
    """Return the work of each coder, ordered by figures alone, so that the order reveals no names."""
    group_of = {coder: group for group, members in groups.items() for coder in members}
    profiles = {profile.coder: profile for profile in compute_profiles(answers, parameters)}
    selected, parameters = resolve(answers, parameters)
    of_texts = selected.rows_by_text(pick_texts(selected, parameters))
    counted = Counter(coder for rows in of_texts for coder, _ in rows)
    rows = []
    for coder, (n_codings, n_submitted) in codings.items():
        profile = profiles.get(coder)
        n_judgements, n_chains = (profile.n_judgements, parts.count_chains(profile)) if profile else (0, 0)
        chains = n_chains if answers.has_chains and not answers.units else None
        group, n_counted = group_of.get(coder, ""), counted[coder]
        rows.append(CoderDescription(group, n_codings, n_submitted, n_counted, n_judgements, chains))
    rows.sort(key=lambda row: (-row.n_judgements, -row.n_submitted, -row.n_codings, row.group, -(row.n_chains or 0)))
    return tuple(replace(row, place=str(number)) for number, row in enumerate(rows[:MAX_CODERS], start=1))


def _read_languages(project: Project) -> tuple[Language, ...]:
    """Return the texts of each language, the language with most texts first."""
    rows = project.texts.with_words().order_by().values_list("language")
    sizes = rows.annotate(n=Count("pk"), n_words=Sum("words"), n_characters=Sum(Length("content")))
    return tuple(sorted((Language(*row) for row in sizes), key=lambda language: (-language.n_texts, language.language)))


def _count_markables(project: Project) -> tuple[MarkableCounts, ...]:
    markables, given = Markable.objects.in_use().filter(text__project=project).order_by(), Q(predefined=True)
    counts = markables.values_list("level__position", "level__label").annotate(
        given=Count("pk", filter=given), marked=Count("pk", filter=~given)
    )
    return tuple(MarkableCounts(*of_level) for _, *of_level in sorted(counts))


def _count_codings(project: Project) -> dict[str, tuple[int, int]]:
    """Return the numbers of all and of submitted codings on first occasions, by coder, without adjudicators."""
    adjudicators = project.memberships.filter(role=Membership.Role.ADJUDICATOR).values("user")
    codings = Coding.objects.of_people().filter(text__project=project, occasion=1).exclude(kind__in=AGREED_KINDS)
    is_submitted = Q(status=Coding.Status.SUBMITTED)
    rows = codings.exclude(coder__in=adjudicators).order_by().values_list("coder__username")
    counts = rows.annotate(n=Count("pk"), submitted=Count("pk", filter=is_submitted))
    return {coder: (n, submitted) for coder, n, submitted in sorted(counts)}


def _read_days(project: Project) -> tuple[date | None, ...]:
    """Return the first and the last day of work by coders; None without work."""
    operations = Operation.objects.filter(coding__text__project=project, coding__by_model=False)
    operations = operations.exclude(coding__kind=Coding.Kind.GOLD).exclude(kind__in=Operation.MANAGING_KINDS)
    days = operations.aggregate(first=Min("applied_at"), last=Max("applied_at"))
    return tuple(day and timezone.localdate(day) for day in days.values())
