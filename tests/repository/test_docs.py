"""The documents agree with the code."""

import doctest
import re
import struct
import tomllib

import pytest
import yaml
from check_jsonschema.builtin_schemas import get_builtin_schema
from django.core.management import call_command, get_commands
from django.urls import resolve
from jsonschema import validate

from agreement import measures
from agreement.data.reading import read_answers
from agreement.measures import DISTANCES, conformance
from agreement.reports import overall
from agreement.reports.coders.differences import compare_occasions
from agreement.reports.parameters import parse_parameters
from annotations.formats import FORMATS, PYRAMID_FORMATS, Format
from annotations.formats.project import VERSION
from annotations.models import Project
from tests.conftest import ROOT

DOCS = ROOT / "docs"
IMAGES = DOCS / "images"
FRONT = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "examples/README.md")
PAGES = [*(ROOT / name for name in FRONT), *sorted(DOCS.rglob("*.md"))]
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")
# What pages may put into an address for a reader to fill in.
FILLED_IN = {"SLUG": "tea", "DOCSET": "tea", "TEXT": "tea", "ID": "1"}
every_page = pytest.mark.parametrize("document", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])


@pytest.mark.parametrize(("name", "least"), [("from-csv-to-paragraph", 11), ("design", 7)])
def test_examples_in_documents_run(name, least, monkeypatch):
    monkeypatch.chdir(ROOT)
    found = doctest.testfile(str(DOCS / f"{name}.md"), module_relative=False)
    assert found.attempted >= least
    assert found.failed == 0


def test_table_of_published_figures_is_current():
    begin, end = conformance.MARKS
    written = (DOCS / "measures.md").read_text().partition(begin)[2].partition(end)[0].strip()
    assert written == conformance.table(), "run python -m agreement.measures.conformance --write docs/measures.md"


def test_only_known_published_figures_differ():
    differ = [(row.source, row.published, row.computed) for row in conformance.rows() if row.reproduces is False]
    assert differ == [
        ("Passonneau 2004, Table 2, nominal, unit removed", ".45", "0.523810"),
        ("Passonneau 2004, Table 2, distance, unit not removed", ".74", "0.762376"),
        ("Passonneau 2006, Figure 3, masi", "6/27", "7/27"),
        ("the same, Table 1, spans, nominal", ".0", "-0.4444"),
        ("Warrens 2012, example 2a, multi-kappa", ".645", "0.675325"),
    ]


def test_misprinted_formulas_give_documented_figures():
    text = (DOCS / "measures.md").read_text()
    nominal = float(next(conformance.rows()).computed)
    figures = {"2006": 1 - (1 - nominal) * 2 / 3, "ordered pairs": 1 - (1 - nominal) / 2, "slides": 0.025 / 0.125}
    assert {name for name, figure in figures.items() if f"{figure:.4f}"[1:] not in text} == set()


@pytest.mark.parametrize(
    ("published", "computed", "same"),
    [
        (".45", "0.449541", True),
        (".45", "0.523810", False),
        (".5174", "0.517375", True),
        ("-.44", "-0.4444", True),
        ("-.44", "-0.4512", False),
        ("2/3", "2/3", True),
        ("6/27", "7/27", False),
        (".64", "", None),
    ],
)
def test_figure_is_reproduced_if_it_rounds_to_published_value(published, computed, same):
    assert conformance.Row("paper", published, computed, "").reproduces is same


def test_formats_guide_names_archive_version():
    assert f"changes, and is {VERSION} now." in (DOCS / "formats.md").read_text()


def test_conformance_writes_table_between_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n" + "\nold\n".join(conformance.MARKS) + "\nafter\n")
    conformance.main(["--write", str(page)])
    assert page.read_text() == f"before\n{conformance.MARKS[0]}\n{conformance.table()}\n{conformance.MARKS[1]}\nafter\n"
    page.write_text("no marks")
    with pytest.raises(SystemExit, match=r"the marks .* are not in it"):
        conformance.main(["--write", str(page)])


def test_documents_describe_every_measure():
    text = (DOCS / "measures.md").read_text()
    functions = {name for name in measures.__all__ if callable(getattr(measures, name)) and name.islower()}
    # For programs that keep sums of their own.
    functions -= {"combine", "document_sums", "distance_from_sizes", "distance"}
    assert functions == {name for name in functions if f"`{name}`" in text or f"`{name}(" in text}
    assert set(DISTANCES) == {name for name in DISTANCES if f"`{name}`" in text}


def anchors(document):
    """Return what a link may name after "#": the headings as they stand in addresses."""
    headings = re.findall(r"^#+ (.*)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(document):
    """Return (whether it is a picture, its target) for each link to another file, outside examples of code."""
    text = re.sub(r"^```.*?^```$|^    [^\n]*$", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    found = LINK.findall(text)
    return [(bool(picture), target) for picture, target in found if not target.startswith(("https:", "http:"))]


@every_page
def test_page_names_existing_links_commands_and_addresses(document):
    for _, target in links(document):
        path, _, anchor = target.partition("#")
        there = (document.parent / path).resolve() if path else document
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target
    text = document.read_text()
    assert set(re.findall(r"manage\.py ([a-z]\w+)", text)) <= get_commands().keys()
    targets = set(re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:`|^    )make ([a-z]+)", text, re.MULTILINE)) <= targets
    for address in re.findall(r"/api/v1/[\w/-]+", text):
        resolve("/".join(FILLED_IN.get(part, part) for part in address.split("/")))
    for name in re.findall("<!-- ([a-z-]+): begin -->", text):
        table = text.partition(f"<!-- {name}: begin -->")[2].partition(f"<!-- {name}: end -->")[0]
        assert table.strip(), name


def test_index_names_every_document():
    named = {(DOCS / target.partition("#")[0]).resolve() for _, target in links(DOCS / "README.md")}
    there = {path for path in DOCS.rglob("*") if path.is_file() and path.parent != IMAGES}
    assert there - named == {DOCS / "README.md"}, "give it a line in docs/README.md"


def test_every_picture_is_used_and_small():
    shown = {(page.parent / target).resolve() for page in PAGES for picture, target in links(page) if picture}
    assert shown == set(IMAGES.iterdir())
    for picture in shown:
        head = picture.read_bytes()[:24]
        kind = picture.suffix
        assert picture.stat().st_size < {".gif": 600_000, ".png": 150_000, ".svg": 20_000}[kind], picture
        if kind == ".png":
            assert head[:8] == b"\x89PNG\r\n\x1a\n"
            assert struct.unpack(">I", head[16:20])[0] == 1280, picture


def test_drawing_shows_figures_of_page():
    drawing = (IMAGES / "design.svg").read_text()
    page = (DOCS / "design.md").read_text()
    [quoted] = re.findall(r"^    \((0\.\d+), (0\.\d+), (0\.\d+)\)$", page, re.MULTILINE)
    assert [f"{float(figure):.3f}" for figure in quoted] == re.findall(r"\b0\.\d{3}\b", drawing)
    assert not re.search(r"<style|style=|<script|href=|url\((?!#)", drawing)


def test_contributing_names_existing_files():
    # What lies beside the repository is not everywhere.
    named = set(re.findall(r"`(?!\.\./)([\w.*-]+/[\w./*-]*)`", (ROOT / "CONTRIBUTING.md").read_text()))
    # The tables of folders name them from the folder that they are about.
    folders = ["", "annotations", "annotations/formats", "annotations/transfers", "agreement", "agreement/measures"]
    folders.append("tests")
    missing = [name for name in named if not any(any((ROOT / folder).glob(name.rstrip("/"))) for folder in folders)]
    assert len(named) > 60
    assert missing == []


def test_every_format_has_row_and_section():
    text = (DOCS / "formats.md").read_text()
    sections = "".join(re.findall(r"^## .*$", text, re.MULTILINE))
    for key, format_ in (FORMATS | PYRAMID_FORMATS).items():
        writes = not isinstance(format_, Format) or format_.write is not None
        end = "| yes | yes |" if writes else "| yes | no |"
        rows = re.findall(rf"^\|.*\| `{key}` \|.*$", text, re.MULTILINE)
        assert [row.endswith(end) for row in rows] == [True], f"docs/formats.md: one row of `{key}` that ends in {end}"
        assert f"`{key}`" in sections, f"docs/formats.md: a section that has `{key}` in its heading"


def test_deploy_guide_describes_exactly_the_settings():
    code = (ROOT / "config" / "settings.py").read_text()
    read = set(re.findall(r"\benv\.\w+\(\"(\w+)\"", code)) | set(re.findall(r"\bEnv\(\)\(\"(\w+)\"", code))
    text = (DOCS / "deploy.md").read_text().partition("## Settings")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == read - {"LOCAL", "DEBUG"}
    assert "`LOCAL=1`" in text
    assert "`DEBUG=1`" in text


@pytest.mark.slow
@pytest.mark.django_db
def test_guides_quote_figures_of_demo(settings):
    settings.LOCAL = True
    call_command("load_demo", verbosity=0)

    def report(slug, **asked):
        project = Project.objects.get(slug=slug)
        return overall.compute_report(read_answers(project), parse_parameters(asked, project.preset, project.answers))

    found = report("dialogue")
    nominal = report("dialogue", preset="poesio-artstein-2005", distance="nominal").result.value
    without_places = report("dialogue", preset="poesio-artstein-2005", without="place").result.value
    quoted = [found.result.value, found.interval.low, found.interval.high, nominal, without_places]
    guide = (DOCS / "managing.md").read_text()
    assert [figure for figure in quoted if f"{figure:.4f}" not in guide] == []
    news = [report("news").result.value, report("news", preset="passonneau-2004-nominal").result.value]
    front, steps = (ROOT / "README.md").read_text(), (DOCS / "first-steps.md").read_text()
    chronicle = [report("chronicle", rounds=name).result.value for name in ("pilot", "main")]
    assert [figure for figure in [*news, *chronicle] if f"{figure:.4f}" not in steps] == []
    assert [figure for figure in news if f"{figure:.4f}" not in front] == []
    assert [figure for figure in chronicle if f"{figure:.4f}" not in guide] == []
    project = Project.objects.get(slug="chronicle")
    repeats = compare_occasions(read_answers(project), parse_parameters({}, project.preset, project.answers)).coders
    figures = {repeat.coder: repeat for repeat in repeats}
    quoted = [figures["lou"].value, figures["lou"].between, figures["ute"].between]
    assert [figure for figure in quoted if f"{figure:.3f}" not in guide] == []
    assert figures["ute"].value == 1


def test_citation_packages_and_change_log_have_one_version():
    text = (ROOT / "CITATION.cff").read_text()
    validate(yaml.load(text, yaml.BaseLoader), get_builtin_schema("vendor.citation-file-format"))  # dates are strings
    citation = yaml.safe_load(text)
    folders = (ROOT, ROOT / "agreement" / "measures")
    versions = [tomllib.loads((folder / "pyproject.toml").read_text())["project"]["version"] for folder in folders]
    released = re.findall(r"^## (\d\S*) \((\S+)\)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert released[0] == (citation["version"], str(citation["date-released"]))
    assert set(versions) == {citation["version"]}
    named = [re.findall(r"coindex-([\d.]+)-py3", (ROOT / name).read_text()) for name in ("README.md", "docs/deploy.md")]
    assert named == [[citation["version"]]] * 2
