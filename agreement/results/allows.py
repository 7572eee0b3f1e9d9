"""What a scheme allows, and why other things it does not."""

from __future__ import annotations

from agreement.reports.lint import SchemeTraits, check_scheme, find_problems
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import register
from agreement.results.content import PageSections
from agreement.results.page import ResultPage
from agreement.results.tables import Column, Table
from annotations.formats.model.scheme import AnswerKind, SchemeSpec
from annotations.models import Project
from annotations.schemes.design.consequences import Consequence
from annotations.schemes.project_scheme import read_scheme


@register
class Allows(ResultPage[PageSections]):
    """Which measures, views and exports the project's scheme allows, and which not."""

    name = "allows"
    template = "agreement/allows.html"
    path = "scheme/allows/"
    position = 190
    draws_charts = False

    def show(self, request: AnalysisRequest) -> PageSections:
        traits = read_traits(request.project)
        verdicts = check_scheme(traits)
        columns = [Column("what", "Measure"), Column("allowed", "Available"), Column("why", "Notes")]
        tables = [
            Table(
                f"{kind}s",
                f"{kind.title()}s",
                columns,
                [(one.name, "yes" if one.allowed else "no", one.why) for one in verdicts if one.kind == kind],
            )
            for kind in ("measure", "view", "export")
        ]
        return PageSections(tables, context={"problems": find_problems(traits)})


def read_traits(project: Project) -> SchemeTraits:
    """Return what of a project's scheme decides on measures, views and exports."""
    return traits_of(read_scheme(project.pk).spec, project.answers)


def consequences(spec: SchemeSpec, answers: str) -> list[Consequence]:
    """Return which measures and views a scheme would have, for the page on which it is designed."""
    traits = traits_of(spec, answers)
    topics = {"measure": "Measures", "view": "Pages"}
    return [
        *(Consequence("Scheme", problem, None, "") for problem in find_problems(traits)),
        *(
            Consequence(topics[one.kind], one.name, one.allowed, one.why)
            for one in check_scheme(traits)
            if one.kind in topics
        ),
    ]


def traits_of(spec: SchemeSpec, answers: str) -> SchemeTraits:
    """Return what of a scheme decides on measures, views and exports."""
    pointing = [one for one in spec.categories if one.points_to]
    return SchemeTraits(
        answers=answers,
        coded_levels=sum(level.coded for level in spec.levels),
        target_levels=sum(not level.coded for level in spec.levels),
        categories=[one.label for one in spec.categories],
        pointing=[one.label for one in pointing],
        indexing=[one.label for one in spec.categories if one.takes_index],
        several_pointers=any(one.max_pointers != 1 for one in pointing),
        later_targets=any(one.allow_later for one in pointing),
        attributes=[one.label for one in spec.attributes],
        relations=[one.label for one in spec.relations if not one.identity],
        several=[one.label for one in spec.attributes if one.kind == AnswerKind.SEVERAL],
    )
