"""The datasheet of a project, from the figures of its pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.utils import timezone

from agreement.data.corpus import CodingCounts, Corpus, read_corpus
from agreement.data.gold import has_gold
from agreement.data.groups import Groups, read_groups
from agreement.data.project_answers import ProjectAnswers
from agreement.data.pyramids.pyramids import read_pyramids
from agreement.reports.coders.groups import compare_groups
from agreement.reports.coders.profiles import compute_profiles
from agreement.reports.coders.repeats import RepeatsReport, compare_occasions
from agreement.reports.datasheet.adjudication import Adjudication, count_chains, measure_adjudication
from agreement.reports.datasheet.models import ModelDescription, describe_models
from agreement.reports.datasheet.pyramids import DocsetDescription, describe_docsets
from agreement.reports.datasheet.rounds import (
    Agreement,
    RoundDescription,
    count_questions,
    list_rounds,
    measure_questions,
    measure_rounds,
)
from agreement.reports.datasheet.training import CodedTwice, Training, measure_training
from agreement.reports.gold.report import compare_with_gold, read_gold_source
from agreement.reports.methods.methods import MethodsText, describe_methods, program_name
from agreement.reports.request.basis import pick_texts
from agreement.reports.request.parameters import InvalidParameter, Parameters
from agreement.reports.request.request import read_with_gold
from agreement.reports.request.resolution import resolve
from annotations.formats.model.scheme import SchemeSpec
from annotations.formats.model.scheme_json import scheme_to_json
from annotations.models import Project
from annotations.models.project import DATASHEET_FIELDS
from annotations.schemes.project_scheme import read_scheme
from annotations.transfers.project_formats import formats_of

# So many coders have a row of their own, those with most judgements; the others are counted.
MOST_CODERS = 100


@dataclass(frozen=True, slots=True)
class CoderDescription:
    """What a coder did, without a name: codings, how many of them count, and in these the judgements and chains."""

    group: str
    codings: CodingCounts
    n_counted: int
    n_judgements: int
    n_chains: int | None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        return {
            "group": self.group,
            "n_codings": self.codings.codings,
            "n_submitted": self.codings.submitted,
            "n_counted": self.n_counted,
            "n_judgements": self.n_judgements,
            "n_chains": self.n_chains,
        }


@dataclass(frozen=True)
class Datasheet:
    """All that is known of a project for those who use its corpus; no coder is named but models, which are no people.

    `training` and `adjudication` are None for a reader who does not see gold.
    """

    project: Project
    parameters: Parameters
    fingerprint: str
    spec: SchemeSpec
    corpus: Corpus
    coders: tuple[CoderDescription, ...]
    groups: Mapping[str, int]
    rounds: tuple[RoundDescription, ...]
    agreement: tuple[Agreement, ...]
    questions: tuple[Agreement, ...]
    n_other_questions: int
    methods: MethodsText
    repeats: CodedTwice | None
    rechecks: CodedTwice | None
    formats: tuple[tuple[str, str], ...]
    docsets: tuple[DocsetDescription, ...] = ()
    models: tuple[ModelDescription, ...] = ()
    training: tuple[Training, ...] | None = None
    adjudication: Adjudication | None = None
    program: str = field(default_factory=program_name)

    @property
    def created_on(self) -> date:
        """The day on which the project was made."""
        return timezone.localdate(self.project.created_at)

    @property
    def archived_on(self) -> date | None:
        """Since when the project is archived and cannot change; None where it may."""
        return timezone.localdate(self.project.archived_at) if self.project.archived_at else None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        project, corpus = self.project, self.corpus
        return {
            "slug": project.slug,
            "title": project.title,
            **{name: getattr(project, name) for name in DATASHEET_FIELDS},
            "answers": project.answers,
            "scheme": scheme_to_json(self.spec, project.answers),
            "scheme_version": project.scheme_version,
            "guidelines_version": corpus.guidelines[0] if corpus.guidelines else None,
            "guidelines_saved_on": corpus.guidelines[1] if corpus.guidelines else None,
            "created_on": self.created_on,
            "archived_on": self.archived_on,
            "first_work_on": corpus.work[0] if corpus.work else None,
            "last_work_on": corpus.work[1] if corpus.work else None,
            "languages": [
                {"language": one, "n_texts": size.texts, "n_words": size.words, "n_characters": size.characters}
                for one, size in corpus.languages.items()
            ],
            "n_texts": corpus.size.texts,
            "n_words": corpus.size.words,
            "n_characters": corpus.size.characters,
            "segments": dict(corpus.segments),
            "markables": [
                {"level": one.level, "n_given": one.given, "n_marked": one.marked} for one in corpus.markables
            ],
            "docsets": [one.as_dict() for one in self.docsets],
            "n_coders": len(self.corpus.coders),
            "groups": dict(self.groups),
            "coders": [one.as_dict() for one in self.coders],
            "models": [one.as_dict() for one in self.models],
            "rounds": [one.as_dict() for one in self.rounds],
            "parameters": self.parameters.query(),
            "agreement": [one.as_dict() for one in self.agreement],
            "questions": [one.as_dict() for one in self.questions],
            "n_other_questions": self.n_other_questions,
            "methods": self.methods.paragraph,
            "repeats": self.repeats.as_dict() if self.repeats else None,
            "rechecks": self.rechecks.as_dict() if self.rechecks else None,
            "training": None if self.training is None else [one.as_dict() for one in self.training],
            "adjudication": self.adjudication.as_dict() if self.adjudication else None,
            "formats": [key for key, _ in self.formats],
            "fingerprint": self.fingerprint,
            "program": self.program,
        }


def describe_project(
    project: Project, answers: ProjectAnswers, parameters: Parameters, *, sees_gold: bool
) -> Datasheet:
    """Return the datasheet of a project, with the coefficient of the parameters. Raises InvalidParameter.

    answers: all of the project. sees_gold: whether the reader may know of training and gold. Coders cannot be chosen:
    the datasheet is of all of them, and names none.
    """
    if parameters.coders:
        raise InvalidParameter("coders", "a datasheet is of all coders, and names none: leave out coders and groups.")
    agreement = measure_rounds(answers, parameters)
    report = agreement[0].report
    assert report is not None
    groups, again = read_groups(project), compare_occasions(answers, parameters)
    rounds, corpus = list_rounds(project), read_corpus(project)
    return Datasheet(
        project=project,
        parameters=report.parameters,
        fingerprint=report.fingerprint,
        spec=read_scheme(project.pk).spec,
        corpus=corpus,
        coders=_describe_coders(corpus, groups, answers, parameters),
        groups={name: n for name, members in groups.items() if (n := len(corpus.coders.keys() & {*members}))},
        rounds=rounds,
        agreement=agreement,
        questions=measure_questions(project, answers),
        n_other_questions=count_questions(answers),
        methods=_describe_methods(answers, agreement, groups, again, parameters),
        repeats=CodedTwice.of(again.repeats),
        rechecks=CodedTwice.of(again.rechecks),
        formats=tuple((key, one.label) for key, one in formats_of(project).items() if getattr(one, "write", True)),
        docsets=describe_docsets(read_pyramids(project)) if project.answers == Project.Answers.SCUS else (),
        models=describe_models(project),
        training=measure_training([one.round for one in rounds]) if sees_gold else None,
        adjudication=_measure_adjudication(project, rounds, answers, parameters) if sees_gold else None,
    )


def _measure_adjudication(
    project: Project, rounds: Sequence[RoundDescription], answers: ProjectAnswers, parameters: Parameters
) -> Adjudication:
    if project.answers == Project.Answers.SCUS or not has_gold(project):
        return Adjudication(())
    with_gold = read_with_gold(project, answers, parameters)
    source = read_gold_source(project, answers, parameters, with_gold)
    comparison = compare_with_gold(source, parameters, details=False)
    return measure_adjudication(project, [one.round for one in rounds], with_gold, comparison)


def _describe_methods(
    answers: ProjectAnswers,
    agreement: tuple[Agreement, ...],
    groups: Groups,
    again: RepeatsReport,
    parameters: Parameters,
) -> MethodsText:
    """Return the paragraph of the page Methods text, without gold, which has a section of its own."""
    report = agreement[0].report
    assert report is not None
    return describe_methods(
        report.extract, report, compare_groups(answers, parameters, groups, differences=False), again
    )


def _describe_coders(
    corpus: Corpus, groups: Groups, answers: ProjectAnswers, parameters: Parameters
) -> tuple[CoderDescription, ...]:
    """Return what each coder did, in an order that follows from it alone: so it tells nothing of names."""
    group_of = {coder: group for group, members in groups.items() for coder in members}
    profiles = {one.coder: one for one in compute_profiles(answers, parameters)}
    selected, parameters = resolve(answers, parameters)
    of_texts = selected.rows_by_text(pick_texts(selected, parameters))
    counted = Counter(coder for rows in of_texts for coder, _ in rows)
    rows = []
    for coder, codings in corpus.coders.items():
        profile = profiles.get(coder)
        n_chains = count_chains(profile) if profile else 0
        n_judgements = profile.n_judgements if profile else 0
        chains = n_chains if answers.has_chains and not answers.units else None
        rows.append(CoderDescription(group_of.get(coder, ""), codings, counted[coder], n_judgements, chains))
    rows.sort(
        key=lambda one: (
            -one.n_judgements,
            -one.codings.submitted,
            -one.codings.codings,
            one.group,
            -(one.n_chains or 0),
        )
    )
    return tuple(rows[:MOST_CODERS])
