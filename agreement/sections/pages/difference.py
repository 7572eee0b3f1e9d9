"""Two rounds, groups of coders or categories beside each other."""

from __future__ import annotations

from agreement.reports.differences import KINDS, PERMUTATIONS, DifferenceReport, compare_parts
from agreement.reports.parameters import InvalidParameter, Parameters
from agreement.reports.request import AnalysisRequest
from agreement.sections.content import PageSections
from agreement.sections.tables import Column, Table
from annotations.core.text import natural_key

# Other projects are compared by the API and the command, which are told their addresses.
PAGE_KINDS = tuple(kind for kind in KINDS if kind != "project")


def build(request: AnalysisRequest) -> PageSections:
    """Return two figures and their difference, or only the choices where nothing is chosen yet."""
    choices = _list_choices(request)
    report = request.compute(lambda parameters, options: _compare(request, parameters, options))
    by = request.options.get("by") or next((kind for kind in PAGE_KINDS if len(choices[kind]) > 1), PAGE_KINDS[0])
    context = {
        "kinds": [(kind, request.address_with(by=kind, first="", second=""), kind == by) for kind in PAGE_KINDS],
        "by": by,
        "names": choices.get(by, []),
        "first": request.options.get("first", ""),
        "second": request.options.get("second", ""),
        "report": report,
        "report_query": request.parameters.query(),
    }
    return PageSections([build_table(report)] if report else [], [], context=context)


def _list_choices(request: AnalysisRequest) -> dict[str, list[str]]:
    """Return the names of each kind: of groups those of the coders, whom a person puts together."""
    rounds = sorted({text.round for text in request.extract.texts} - {""}, key=natural_key)
    return {"round": rounds, "group": list(request.extract.coders), "category": list(request.extract.categories)}


def _compare(request: AnalysisRequest, parameters: Parameters, options: dict[str, str]) -> DifferenceReport | None:
    by, first, second = (options.get(name, "") for name in ("by", "first", "second"))
    if by and by not in PAGE_KINDS:
        raise InvalidParameter("by", f"{by!r} is not one of {', '.join(PAGE_KINDS)}.")
    if not first and not second:
        return None
    return compare_parts(request.project_answers, parameters, by, first, second)


def build_table(report: DifferenceReport) -> Table:
    """Return both figures and the difference as a table."""
    found, permutation = report.difference, report.permutation
    how = "The same texts: each is left out of both at once." if found.paired else "Other texts: Welch’s t."
    test = f" Permutation test: {PERMUTATIONS:,} assignments of the texts." if permutation else ""
    note = f" {found.note.capitalize()}." if found.note else ""
    return Table(
        "difference",
        f"{report.first} and {report.second}",
        [
            Column("part", "Part"),
            Column("value", "Value", "figure"),
            Column("low", "from", "figure"),
            Column("high", "to", "figure"),
            Column("units", "Units", "count"),
            Column("p_value", "p", "figure"),
            Column("permutation_p_value", "p by permutation", "figure"),
        ],
        [
            [report.first, found.first.value, None, None, found.first.n_units, None, None],
            [report.second, found.second.value, None, None, found.second.n_units, None, None],
            [
                "first less second",
                *(found.difference, found.low, found.high),
                None,
                found.p_value,
                permutation.p_value if permutation else None,
            ],
        ],
        f"The interval is that of the difference. {how}{test}{note}",
    )
