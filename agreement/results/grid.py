"""The effect of settings: the grid of Poesio & Artstein's Table 4, their Table 3, and one setting at a time."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

from django.utils.http import urlencode

from agreement.data.project_answers import ProjectAnswers
from agreement.measures import Interval
from agreement.reports import request as analysis
from agreement.reports.basis import compute_interval, compute_result, distances_of, pick_texts
from agreement.reports.overall import LIMITS
from agreement.reports.parameters import Parameters, load_words, presets_for
from agreement.reports.wording import choice_label, field_texts
from agreement.results.computations import PageSections, ResultPage, count_judgements, register
from agreement.results.figures.charts import Chart, Dot, dots_chart, heat_map
from agreement.results.tables import ENDS, Cell, CellValue, Column, Linked, Table, columns_of, with_ends
from annotations.core.processes.progress import Progress, reported

# Constructions of values by the kind of answers: a label and its parameters.
CONSTRUCTIONS = {kind: list(ways.items()) for kind, ways in load_words("constructions").items()}
# Settings for which answers are read again.
READ_OTHERWISE = ("units", "unasked")


@dataclass(frozen=True, slots=True)
class GridCell:
    """A value of the grid and how it was computed."""

    construction: str
    parameters: Parameters
    value: float | None
    note: str

    @classmethod
    def of(cls, construction: str, extract: ProjectAnswers, parameters: Parameters) -> Self:
        result = compute_result(extract, parameters)
        return cls(construction, parameters, result.value, result.note)


@dataclass(frozen=True, slots=True)
class Variation:
    """The coefficient with one setting changed. The first of a list is unchanged and has no name."""

    name: str
    choice: str
    parameters: Parameters
    interval: Interval
    moved: float | None


def compute_grid(
    extract: ProjectAnswers, parameters: Parameters, progress: Progress | None = None
) -> list[tuple[str, list[GridCell]]]:
    """Return a row for each construction: its label, alpha by distance, and K. Other parameters stay."""
    rows = []
    for label, construction in reported(CONSTRUCTIONS[extract.kind], progress):
        selected, chosen = analysis.resolve(extract, replace(parameters, coefficient="alpha", **construction))
        cells = [replace(chosen, distance=name) for name in distances_of(selected)]
        cells.append(replace(chosen, coefficient="fleiss_kappa", distance="nominal"))
        rows.append((label, [GridCell.of(label, selected, cell) for cell in cells]))
    return rows


def compare_antecedents(extract: ProjectAnswers, parameters: Parameters) -> list[GridCell]:
    """Return K and alpha on antecedents alone (Poesio & Artstein 2005, Table 3); K gives no partial credit."""
    changed = replace(parameters, chains="none", top="category", exclude_unit="none")
    extract, chosen = analysis.resolve(extract, changed)
    ways = ("fleiss_kappa", "nominal"), ("alpha", "passonneau")
    cells = [replace(chosen, coefficient=coefficient, distance=distance) for coefficient, distance in ways]
    return [GridCell.of("", extract, cell) for cell in cells]


def vary_choices(
    extract: ProjectAnswers,
    parameters: Parameters,
    progress: Progress | None = None,
    extract_of: Callable[[Parameters], ProjectAnswers] | None = None,
) -> list[Variation]:
    """Return the coefficient, then one for each other choice; `extract_of` reads answers. Raises InvalidParameter."""
    selected, base = analysis.resolve(extract, parameters)
    whole, n_coders = compute_interval(selected, base), len(analysis.coders_in(selected, base))
    variations = [Variation("", "", base, whole, None)]
    choices = [
        (name, choice)
        for name in analysis.relevant_settings(extract.kind, base)
        for choice in (distances_of(extract) if name == "distance" else analysis.choices_of(name, extract.kind, base))
        if choice != getattr(base, name)
        and (extract_of or name not in READ_OTHERWISE)
        and not analysis.refuse_coefficient(extract.kind, replace(base, **{name: choice}), n_coders)
    ]
    for name, choice in reported(choices, progress):
        chosen = replace(base, **{name: choice})
        source = extract_of(chosen) if extract_of and name in READ_OTHERWISE else extract
        selected, changed = analysis.resolve(source, chosen)
        interval = compute_interval(selected, changed)
        moved = None if interval.value is None or whole.value is None else interval.value - whole.value
        variations.append(Variation(name, choice, changed, interval, moved))
    return variations


def _caption(request: analysis.AnalysisRequest) -> str:
    return "Alpha by distance" if request.extract.question else "Alpha by chain and distance"


def _link(shown: CellValue, parameters: Parameters, current: Parameters | None = None) -> Linked:
    return Linked(shown, f"../?{urlencode(parameters.query())}", parameters == current)


def _count_work(request: analysis.AnalysisRequest, times: int, share: int) -> int:
    """Return the number of judgements over all constructions, plus a share for the cells of texts by coders."""
    n_cells = len(pick_texts(request.extract, request.parameters)) * len(request.extract.coders) ** 2
    return count_judgements(request) * len(CONSTRUCTIONS[request.extract.kind]) * times + n_cells // share


# Parameters, and a row of cells for each construction with these.
type Half = tuple[Parameters, list[tuple[str, list[GridCell]]]]


@register
class Grid(ResultPage[list[Half]]):
    """Every chain construction by every distance, with all markables and without the markables of some categories."""

    name, title = "grid", "Settings grid"
    template = "agreement/overall/grid.html"
    is_kept = True
    position = 20
    gives = list[GridCell]
    api = "Alpha for every distance x chain construction, and K for each construction."

    def cost(self, request: analysis.AnalysisRequest) -> int:
        return _count_work(request, 2 if request.parameters.without else 1, 1000)

    def compute(self, request: analysis.AnalysisRequest) -> list[Half]:
        everything = replace(request.parameters, without="")
        halves = [everything, request.parameters] if request.parameters.without else [everything]
        return [(half, compute_grid(request.extract, half, request.progress)) for half in halves]

    def fields(self, request: analysis.AnalysisRequest, report: list[Half]) -> list[GridCell]:
        return [cell for _, cells in report[-1][1] for cell in cells]

    def tables(self, request: analysis.AnalysisRequest, report: list[Half]) -> list[Table]:
        names = " and ".join(request.extract.label(name) for name in request.parameters.without.split(",") if name)
        tables, without = [], f"The same without markables that are mostly {names}"
        captions = {"grid": f"{_caption(request)}, with K", "grid-without": without}
        for (key, caption), (_, rows) in zip(captions.items(), report, strict=False):
            distances = [cell.parameters.distance if cell.parameters.is_alpha else "K" for cell in rows[0][1]]
            columns = [
                Column(name, choice_label("distance", name), "figure", explanation=name.lower()) for name in distances
            ]
            cells: list[tuple[Cell, ...]] = [
                (label, *(_link(cell.value, cell.parameters, request.parameters) for cell in of_construction))
                for label, of_construction in rows
            ]
            tables.append(Table(key, caption, [Column("construction", "Construction"), *columns], cells))
        if request.extract.kind == "pointers":
            halves = zip(("all markables", f"without {names}"), report, strict=False)
            tables.append(_antecedents_table(request, {label: parameters for label, (parameters, _) in halves}))
        return tables

    def charts(self, request: analysis.AnalysisRequest, report: list[Half]) -> list[Chart]:
        rows = report[0][1]
        cells = [[cell for cell in of_construction if cell.parameters.is_alpha] for _, of_construction in rows]
        names = [choice_label("distance", cell.parameters.distance) for cell in cells[0]]
        values = [[cell.value for cell in of_construction] for of_construction in cells]
        figure = heat_map([label for label, _ in rows], names, values, "alpha")
        words = f"{len(rows)} constructions by {len(rows[0][1]) - 1} distances; the table has every value."
        return [Chart("grid", _caption(request), figure, words, "grid")]

    def show(self, request: analysis.AnalysisRequest) -> PageSections:
        excluded, names = request.parameters.selection("without"), request.extract.countable
        offered = names if len(names) > 1 and not request.extract.units else ()
        halves = []
        for name in offered:
            query = replace(request.parameters, without=",".join(excluded ^ {name})).query()
            halves.append((request.extract.label(name), f"?{urlencode(query)}", name in excluded))
        return self.sections(request).extended(halves=halves)


def _antecedents_table(request: analysis.AnalysisRequest, halves: dict[str, Parameters]) -> Table:
    """Return Table 3 of Poesio & Artstein 2005."""
    rows = []
    for label, parameters in halves.items():
        k, alpha = compare_antecedents(request.extract, parameters)
        more = alpha.value - k.value if alpha.value is not None and k.value is not None else None
        rows.append((label, *(_link(cell.value, cell.parameters) for cell in (k, alpha)), more))
    figures = columns_of("figure", k="K", alpha="Alpha, Passonneau", difference="Alpha − K")
    note = "K counts one shared antecedent of several as disagreement; alpha counts it in part."
    columns = [Column("markables", "Markables"), *figures]
    return Table("antecedents", "K and alpha on antecedents only", columns, rows, note)


@register
class Compare(ResultPage[PageSections]):
    """The coefficient with each single setting changed, and with the conventions of the papers."""

    name, title, report_name = "compare", "Sensitivity", "choices"
    template = "agreement/overall/compare.html"
    position = 30

    def cost(self, request: analysis.AnalysisRequest) -> int:
        return _count_work(request, 2, 100)

    def compute(self, request: analysis.AnalysisRequest) -> PageSections:
        def extract_of(parameters: Parameters) -> ProjectAnswers:
            own = request.parameters
            same = parameters.units in ("", request.extract.units) and parameters.unasked == own.unasked
            return request.extract if same else analysis.read_asked(request.project, parameters)

        changes = vary_choices(request.extract, request.parameters, request.progress, extract_of)
        labels, presets = ["current"], []
        for change in changes[1:]:
            field, _ = field_texts(change.name, pyramids=bool(request.extract.units))
            labels.append(f"{field}: {choice_label(change.name, change.choice)}")
        for preset in presets_for(request.extract.answers):
            chosen = request.parameters.with_convention(preset.parameters)
            interval = compute_interval(*analysis.resolve(extract_of(chosen), chosen))
            presets.append((_link(preset.label, chosen), *with_ends(interval), preset.published, preset.where))
        figures = [Column("value", "Value", "figure"), *ENDS]
        columns = [Column("choice", "Setting"), *figures, Column("moved", "Change", "figure", explanation="change")]
        rows = [
            (_link(label, change.parameters), *with_ends(change.interval), change.moved)
            for label, change in zip(labels, changes, strict=True)
        ]
        published = columns_of("text", published="Published", where="for the paper’s own data")
        of_presets = [Column("convention", "Preset"), *figures, *published]
        tables = [
            Table("compare", "One setting changed at a time", columns, rows),
            Table("presets", "Presets from the literature", of_presets, presets),
        ]
        dots = [Dot(label, *with_ends(change.interval)) for label, change in zip(labels, changes, strict=True)]
        title = "The value under each setting, with 95% CI"
        return PageSections(tables, [dots_chart("compare", title, dots, "value", LIMITS)])
