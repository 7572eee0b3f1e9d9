"""The rounds of a project with the designs of their plans, and the agreement in each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from agreement.data.project_answers import ProjectAnswers
from agreement.measures.results import pluralize
from agreement.reports.methods.methods import DataDescription, describe_data
from agreement.reports.overall.overall import AgreementReport, compute_report
from agreement.reports.request.parameters import InvalidParameter, Parameters
from agreement.reports.request.request import parse_asked
from annotations.models import Plan, Project, Round
from annotations.planning.rounds import RoundFigures, describe_rounds

# The agreement in the answers to so many questions besides the category is computed.
MOST_QUESTIONS = 10


@dataclass(frozen=True, slots=True)
class RoundDescription:
    """A round, how far it is, and the design of its plan in words; empty where codings were assigned one by one."""

    round: Round
    figures: RoundFigures
    design: str

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        one, figures = self.round, self.figures
        return {
            "name": one.name,
            "kind": one.kind,
            "starts_on": one.starts_on,
            "ends_on": one.ends_on,
            "closed": one.is_closed,
            "guidelines_version": one.guidelines_version,
            "scheme_version": one.scheme_version,
            "n_texts": figures.texts,
            "n_codings": figures.codings,
            "n_submitted": figures.submitted,
            "design": self.design,
        }


def list_rounds(project: Project) -> tuple[RoundDescription, ...]:
    """Return the rounds of a project in their order. Four queries."""
    plans = {plan.round_id: plan for plan in Plan.objects.filter(round__project=project)}
    return tuple(
        RoundDescription(one, figures, describe_design(plans[one.pk]) if one.pk in plans else "")
        for one, figures in describe_rounds(project)
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


@dataclass(frozen=True, slots=True)
class Agreement:
    """The project's coefficient in one round, in all of them, or in the answers to another question.

    `name` is that of the round or question, empty for all rounds. Without a `report` the coefficient cannot be
    computed, and `why` says so.
    """

    name: str
    report: AgreementReport | None
    data: DataDescription | None = None
    why: str = ""

    @property
    def note(self) -> str:
        """What is left out, and why there is no figure or interval."""
        if self.report is None:
            return self.why
        result, interval = self.report.result, self.report.interval
        units = [f"{pluralize(count, 'unit')} {reason}" for reason, count in result.left_out.items() if count]
        codings = [f"not counted: {self.report.not_counted}"] if self.report.not_counted else []
        return "; ".join(filter(None, [*units, *codings, self.report.versions, interval.note or result.note]))

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        report, data = self.report, self.data
        return {
            "name": self.name,
            "coefficient": report.name if report else "",
            "value": report.result.value if report else None,
            "low": report.interval.low if report else None,
            "high": report.interval.high if report else None,
            "n_texts": data.n_texts if data else 0,
            "n_documents": data.n_documents if data else 0,
            "n_coders": data.n_coders if data else 0,
            "n_units": report.result.n_units if report else 0,
            "n_judgements": data.n_judgements if data else 0,
            "units_left_out": dict(report.result.left_out) if report else {},
            "codings_left_out": report.codings_left_out if report else {},
            "note": self.note,
        }


def measure_rounds(answers: ProjectAnswers, parameters: Parameters) -> tuple[Agreement, ...]:
    """Return the agreement over all rounds, and where there are several, in each that counts. Raises InvalidParameter.

    answers: all of the project.
    """
    whole = compute_report(answers, parameters)
    all_rounds = Agreement("", whole, describe_data(whole.extract, whole.parameters))
    chosen = parameters.selection("rounds")
    names = [name for name in whole.extract.rounds if not chosen or name in chosen]
    if len(names) < 2:
        return (all_rounds,)
    return (all_rounds, *(_measure(name, answers, replace(parameters, rounds=name)) for name in names))


def measure_questions(project: Project, answers: ProjectAnswers) -> tuple[Agreement, ...]:
    """Return the agreement in each further question of the scheme, as its page opens: in MOST_QUESTIONS of them."""
    asked = answers.question.key if answers.question else ""
    others = [one for one in answers.questions if one.key != asked]
    return tuple(_measure(one.label, *parse_asked(project, {"question": one.key})) for one in others[:MOST_QUESTIONS])


def count_questions(answers: ProjectAnswers) -> int:
    """Return how many further questions there are in which the agreement is not computed."""
    return max(len(answers.questions) - (answers.question is not None) - MOST_QUESTIONS, 0)


def _measure(name: str, answers: ProjectAnswers, parameters: Parameters) -> Agreement:
    try:
        report = compute_report(answers, parameters)
    except InvalidParameter as error:
        return Agreement(name, None, why=error.message)
    return Agreement(name, report, describe_data(report.extract, report.parameters))
