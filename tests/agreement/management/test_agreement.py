"""manage.py agreement: figures of the library, and every report in every form of the API."""

import csv
import io
import json
from collections import defaultdict
from dataclasses import replace
from io import StringIO
from itertools import product
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.http import QueryDict
from django.urls import reverse

from agreement.data.reading import read_answers
from agreement.measures import SET_DISTANCES, ReliabilityData, Result, alpha, interval
from agreement.measures.options import EXCLUDE_UNIT
from agreement.reports import basis, overall
from agreement.reports.fields import as_json
from agreement.reports.parameters import CHOICES, PRESETS, Parameters
from agreement.results.computations import ResultPage
from agreement.results.registry import ENDPOINTS, PAGES, REPORTS
from annotations.formats import Bundle, Document, plain
from annotations.formats.conll import conll2012
from annotations.models import Project, User
from annotations.projects.creation import create_project
from annotations.projects.viewing import results_for
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.options import ImportOptions
from tests.agreement.web.test_models import add_coded_model, project_of
from tests.shared.agreeing import decide_gold
from tests.shared.scored import harbour

FIGURES = ("value", "observed", "expected", "n_units", "n_coders", "n_values", "n_judgements", "note")

TALES = {
    ("walk", "anna"): "[Anna](=1) took [[her](=1) dog](=2). [It](=2) barked at [Bob](=3), [they](=2|3) met.",
    ("walk", "bea"): "[Anna](=a) took [[her](=a) dog](=b). [It](=b) barked at [Bob](=c), [they](=a|b) met.",
    ("walk", "cem"): "[Anna](=1) took [[her](=1) dog](=2). [It](=) barked at [Bob](=3), they met.",
    ("run", "anna"): "[Otto](=1) ran to [Anna](=2) and [they](=1|2) ran.",
    ("run", "cem"): "[Otto](=1) ran to [Anna](=2) and [they](=2) ran.",
}


def figures(result: Result) -> dict[str, Any]:
    return {name: getattr(result, name) for name in FIGURES}


@pytest.fixture(scope="module")
def tales_rows(module_rows) -> int:
    """Make a project of two texts; one coder has not coded the second and one has omitted a markable."""
    project = create_project("tales", "Tales", SCHEMES["clusters"])
    documents = [
        SourceDocument(plain.parse(marked, f"{coder}/{text}.txt"), coder) for (text, coder), marked in TALES.items()
    ]
    import_documents(project, documents, ImportOptions(create=True))
    return project.pk


@pytest.fixture
def tales(tales_rows, db) -> Project:
    return Project.objects.get(pk=tales_rows)


@pytest.fixture
def run(capsys):
    def run(*arguments: str) -> str:
        call_command("agreement", *arguments)
        out: str = capsys.readouterr().out
        return out

    return run


def as_csv(out: str) -> dict[str, dict[str, Any]]:
    """Return the figures in a CSV by text; a missing figure is None."""
    found = {}
    for row in csv.DictReader(io.StringIO(out)):
        text = row.pop("text")
        numbers = {name: json.loads(value) if value else None for name, value in row.items() if name != "note"}
        found[text] = {**numbers, "note": row["note"]}
    return found


def build_data(documents: dict[tuple[str, str], Document], texts: list[str] | None = None) -> ReliabilityData:
    """Return the matrix of these documents by text and coder; a value is the union of the classes of its indices.

    A unit is a text with a span. A coder who left out a markable of a text means something of its own by it; one who
    marked it without an index says that it does not refer.
    """
    coders = sorted({coder for _, coder in documents})
    spans: dict[str, set[tuple[int, int]]] = defaultdict(set)
    classes: dict[tuple[str, str, str], set[tuple[str, int, int]]] = defaultdict(set)
    indices: dict[tuple[str, str, int, int], tuple[str, ...]] = {}
    for (text, coder), document in documents.items():
        for mark in document.marks:
            [(start, end)] = mark.parts
            spans[text].add((start, end))
            indices[text, coder, start, end] = mark.answer.indices if mark.answer else ()
            for index in mark.answer.indices if mark.answer else ():
                classes[text, coder, index].add((text, start, end))
    units, rows = [], []
    for text in sorted(spans) if texts is None else texts:
        for start, end in sorted(spans[text], key=lambda span: (span[0], -span[1])):
            units.append((text, start, end))
            row: list[frozenset[tuple[str, int, int]] | str | None] = []
            for coder in coders:
                given = indices.get((text, coder, start, end))
                named = [classes[text, coder, index] for index in given or ()]
                value: frozenset[tuple[str, int, int]] | str = frozenset().union(*named)
                if not named:
                    value = frozenset([(text, start, end)]) if given is None else "none"
                row.append(value if (text, coder) in documents else None)
            rows.append(row)
    return ReliabilityData.from_values(units, coders, rows, [unit[0] for unit in units])


# Units, coders, documents and values stand in the same order in both constructions, so that the library adds the
# same numbers in the same order: the figures are equal, not merely close.


@pytest.mark.parametrize(("distance", "exclude_unit"), list(product(SET_DISTANCES, EXCLUDE_UNIT)))
def test_figures_equal_library_on_hand_built_data(tales, run, distance, exclude_unit):
    documents = {key: plain.parse(marked, "x.txt") for key, marked in TALES.items()}
    options = {"exclude_unit": exclude_unit}
    out = json.loads(run("tales", "--distance", distance, "--exclude-unit", exclude_unit, "--format", "json"))
    assert {name: out[name] for name in FIGURES} == figures(alpha(build_data(documents), distance, **options))
    assert out["value"] is not None
    assert [text["slug"] for text in out["texts"]] == ["run", "walk"]
    for text in out["texts"]:
        expected = figures(alpha(build_data(documents, [text["slug"]]), distance, **options))
        assert {name: text[name] for name in FIGURES} == expected


def test_ezcoref_figures_equal_library_on_data_from_files(db, samples, run):
    folder = samples / "ezcoref" / "conll2012"
    call_command("import_codings", "conll2012", str(folder), "--project=ez", "--coder-from=parent", "--create")
    documents = {
        (file.stem, file.parent.name): conll2012.read(Bundle.of(file.name, file.read_bytes()))[0]
        for file in folder.glob("*/*.conll")
    }
    assert len(documents) == 40
    data = build_data(documents)
    run("ez")  # what the import printed goes
    extracted = read_answers(Project.objects.get(slug="ez"))
    values = set()
    for distance, exclude_unit in product(SET_DISTANCES, EXCLUDE_UNIT):
        report = overall.compute_report(extracted, Parameters(distance=distance, exclude_unit=exclude_unit))
        expected = alpha(data, distance, exclude_unit=exclude_unit)
        assert figures(report.result) == figures(expected), (distance, exclude_unit)
        assert (expected.n_units, expected.n_coders, expected.n_judgements) == (371, 5, 1855)
        values.add(expected.value)
    assert len(values) > len(SET_DISTANCES)
    out = json.loads(run("ez", "--distance", "masi", "--format", "json"))
    assert out["value"] == alpha(data, "masi").value
    assert len(out["texts"]) == 8
    for text in out["texts"]:
        assert text["value"] == alpha(build_data(documents, [text["slug"]]), "masi").value


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--preset", "passonneau-2004"],
        ["--preset", "passonneau-2004", "--thirds", "exact", "--exclude-unit", "observed"],
        ["--distance", "dice", "--empty", "disjoint"],
        ["--unmarked", "missing"],
        ["--unmarked", "label"],
        ["--coefficient", "fleiss_kappa"],
    ],
    ids=" ".join,
)
def test_table_csv_and_json_match_report(tales, run, options):
    parsed = dict(zip([option[2:].replace("-", "_") for option in options[::2]], options[1::2], strict=True))
    preset = parsed.pop("preset", None)
    report = overall.compute_report(read_answers(tales), replace(PRESETS[preset or "masi"].parameters, **parsed))
    results = {"": report.result} | {row.text.slug: row.result for row in report.texts}

    out = json.loads(run("tales", *options, "--format", "json"))
    assert out == json.loads(json.dumps(as_json(overall.AgreementFigures.of(report))))
    assert {"": {name: out[name] for name in FIGURES}} | {
        text["slug"]: {name: text[name] for name in FIGURES} for text in out["texts"]
    } == {text: figures(result) for text, result in results.items()}
    assert out["parameters"] == report.parameters.query()
    assert out["coders"] == ["anna", "bea", "cem"]

    assert as_csv(run("tales", *options, "--format", "csv")) == {
        text: figures(result) for text, result in results.items()
    }

    first, second, third, _, *lines = run("tales", *options).splitlines()
    assert first == ", ".join(f"{name}={value}" for name, value in report.parameters.query().items())
    assert second == f"coders: anna, bea, cem; input {report.fingerprint}"
    assert third == report.interval.note == "no interval: it takes 3 texts, and there are 2"
    assert len(lines) == 3
    for line, (text, result) in zip(lines, results.items(), strict=True):
        shown = [result.value, result.observed, result.expected]
        assert line.removeprefix(text or "all texts").split()[:4] == [
            *("-" if figure is None else f"{figure:.4f}" for figure in shown),
            str(result.n_units),
        ]


def test_interval_of_three_texts_is_printed_with_method(tales, run):
    rest = [
        SourceDocument(plain.parse("[Ada](=1) met [Eve](=2), [she](=1) smiled.", "anna/sit.txt"), "anna"),
        SourceDocument(plain.parse("[Ada](=1) met [Eve](=2), [she](=2) smiled.", "cem/sit.txt"), "cem"),
    ]
    import_documents(tales, rest, ImportOptions(create=True))
    documents = {key: plain.parse(marked, "x.txt") for key, marked in TALES.items()}
    documents |= {("sit", source.coder): source.document for source in rest}
    expected = interval(build_data(documents), alpha, "masi")
    third = run("tales").splitlines()[2]
    assert third == (f"95% interval {expected.low:.4f} to {expected.high:.4f} (jackknife, log scale, over 3 texts)")
    out = json.loads(run("tales", "--format", "json"))
    assert (out["low"], out["high"]) == (expected.low, expected.high)
    assert out["interval"] == {"method": "jackknife-log", "by": "document", "n_groups": 3, "level": 0.95, "note": ""}


def test_command_uses_preset_of_project_by_default(tales, run):
    assert run("tales").startswith("coefficient=alpha, distance=masi, ")
    tales.preset = "passonneau-2004"
    tales.save()
    assert run("tales") == run("tales", "--preset", "passonneau-2004")
    assert "distance=passonneau" in run("tales")
    assert "distance=passonneau" in run("tales", "--exclude-unit", "observed")
    assert "exclude_unit=both" in run("tales", "--distance", "dice")


def test_negative_zero_is_printed_as_zero(tales, run, monkeypatch):
    compute = basis.compute_result
    monkeypatch.setattr(basis, "compute_result", lambda *given: replace(compute(*given), value=-1e-17))
    assert (" 0.0000 " in run("tales"), "-0.0000" in run("tales")) == (True, False)


def test_unmarked_singleton_counts_omitted_markable(tales, run):
    for unmarked, of_cem in (("missing", 5), ("singleton", 6)):
        out = json.loads(run("tales", "--unmarked", unmarked, "--format", "json"))
        assert out["n_judgements"] == 6 + 6 + of_cem + 3 + 3


@pytest.mark.parametrize("scheme", sorted(SCHEMES))
def test_project_without_codings_has_note_instead_of_value(db, run, scheme):
    create_project("empty", "Empty", SCHEMES[scheme])
    found = json.loads(run("empty", "--format", "json"))
    assert (found["value"], bool(found["note"])) == (None, True)
    assert as_csv(run("empty", "--format", "csv"))[""]["value"] is None
    assert run("empty").splitlines()[-1].startswith("all texts          -          -          -       0")


def test_error_names_unknown_project_and_misplaced_option(tales, run):
    with pytest.raises(CommandError, match=r"^There is no project 'tails'\.$"):
        run("tails")
    for option, report in (("--epsilon=.1", "alt-test"), ("--margin=.1", "planning"), ("--by=round", "compare")):
        with pytest.raises(CommandError, match=f"belongs to --report {report}"):
            run("tales", option)


def test_error_names_option_of_wrong_choice(tales, run):
    for chains in CHOICES["chains"]:
        if chains != "full":
            with pytest.raises(CommandError, match=r"^--chains: coders of this project index instead of pointing"):
                run("tales", "--chains", chains)
    for name in ("preset", *CHOICES, "format"):
        option = f"--{name.replace('_', '-')}"
        with pytest.raises(CommandError, match=f"argument {option}: invalid choice: 'perhaps'"):
            run("tales", option, "perhaps")


PAGE_SHOWS_MORE = ("agreement", "categories", "coders", "course", "gold", "item", "texts")
# What a report has to be asked.
ASKED = {
    "alt-test": {"candidate": "alice"},
    "compare": {"by": "group", "first": "alice,bob", "second": "carol,dora"},
    "coreference": {"first": "alice", "second": "bob"},
    "item": {"text": "text-1", "key": "phrase:3-5"},
    "pair": {"first": "alice", "second": "bob"},
    "peers": {"docset": "sinking"},
    "scores": {"docset": "sinking", "mean": "interpolate"},
    "scus": {"docset": "sinking", "first": "ben", "second": "ann"},
    "study": {"first": "ben", "second": "ann", "mean": "interpolate"},
}


@pytest.fixture(scope="module")
def rows(module_rows) -> int:
    """Make a project of texts with gold and a model, and one of pyramids."""
    project = project_of("walk", 3)
    add_coded_model(project, "gpt")
    decide_gold(project, "alice")
    harbour()
    return project.pk


@pytest.fixture
def project(rows, charlie) -> Project:
    return Project.objects.get(pk=rows)


def slug_of(name: str) -> str:
    return "walk" if REPORTS[name].uses_answers else "harbour"


def print_report(name: str, form: str) -> str:
    out = StringIO()
    options = [f"--{option}={value}" for option, value in ASKED.get(name, {}).items()]
    call_command("agreement", slug_of(name), f"--report={name}", f"--format={form}", *options, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize("name", [endpoint.report_name or endpoint.name for endpoint in ENDPOINTS])
def test_json_equals_answer_of_api(signed_in, charlie, project, name):
    page = REPORTS[name]
    assert isinstance(page, ResultPage)
    asked = ASKED.get(name, {})
    address = reverse(page.api_route, args=[slug_of(name), *(asked[part] for part in page.address)])
    query = {option: value for option, value in asked.items() if option not in page.address}
    given: Any = signed_in(charlie).get(address, query).json()
    if page.rows is not None:
        given = {part: value for part, value in given.items() if part not in ("next", "previous")}
        given = given["results"] if page.rows == "" else given
    assert json.loads(print_report(name, "json")) == given


@pytest.mark.parametrize("name", [page.report_name or page.name for page in PAGES if not page.api])
def test_json_of_page_without_api_has_tables(project, name):
    said = json.loads(print_report(name, "json"))
    if name not in ("categories", "methods"):  # which have fields of their own
        assert all(table["rows"] or table["caption"] for table in said.values())
        assert said


@pytest.mark.parametrize("form", ["table", "csv"])
@pytest.mark.parametrize("name", sorted(REPORTS))
def test_report_prints_tables_of_its_page(project, name, form):
    if name == "methods" and form == "csv":  # a paragraph is no table
        return
    out = print_report(name, form)
    assert out.strip()
    page, asked = REPORTS[name], ASKED.get(name, {})
    if isinstance(page, ResultPage) and name not in PAGE_SHOWS_MORE:
        address = {part: asked[part] for part in page.address}
        query = QueryDict("&".join(f"{key}={value}" for key, value in asked.items() if key not in address))
        seen = results_for(User.objects.get(username="charlie"), slug_of(name))
        sections = page.shown(page.request(seen, query, "charlie", address, whole_tables=True))
        assert [table.caption for table in sections.tables if table.rows and table.caption not in out] == []


def test_unknown_item_is_an_error(project):
    with pytest.raises(CommandError, match="Item not found"):
        call_command("agreement", "walk", "--report=item", "--text=text-1", "--key=ghost")
