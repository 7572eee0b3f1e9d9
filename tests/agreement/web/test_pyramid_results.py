"""Results of pyramids on page, API and command, and their downloads."""

import csv
import json
import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from agreement.results.registry import REPORTS as RESULTS
from agreement.results.tables import TABLE_FORMATS
from annotations.models import Coding, Project
from annotations.projects.people.members import add_member
from tests.agreement.web.as_written import assert_stored_tables
from tests.shared.agreeing import links, table
from tests.shared.pyramids import pyramid_project
from tests.shared.scored import harbour

PAGES = {
    "agreement/": ["distances", "distribution", "units"],
    "agreement/methods/": ["units"],
    "agreement/coders/": ["matrix", "rest", "each", "by_text", "times", "chains"],
    "agreement/coders/ann/ben/": ["measures", "relations"],
    "agreement/gold/?coder=ben": [
        "scus",
        "words",
        "each",
        "agreement",
        "differences",
        "lacking",
        "places",
        "docsets",
        "trend",
        "trend_words",
    ],
    "agreement/scores/": ["scores", "systems"],
    "agreement/study/": ["correlations", "ranks"],
    "agreement/scus/": ["kinds", "pairs", "overlaps"],
    "agreement/scus/?view=subsumption": ["kappas", "subsumption"],
    "agreement/peers/": ["reliability", "items"],
}
WORD = "/projects/harbour/agreement/items/sinking/{}/"


@pytest.fixture
def client(signed_in, charlie):
    return signed_in(charlie)


@pytest.fixture(scope="module")
def harbour_rows(module_rows) -> int:
    return harbour().pk


@pytest.fixture
def project(harbour_rows, charlie) -> Project:
    return Project.objects.get(pk=harbour_rows)


@pytest.mark.slow
def test_every_table_has_every_download(client, project):
    for address, names in PAGES.items():
        page = client.get(f"/projects/harbour/{address}").content.decode()
        shown = [part.partition('"')[0] for part in page.split('class="agreement-table" id="table-')[1:]]
        assert sorted(shown) == sorted(names), address
        tables = {}
        for key in names:
            rows = table(page, key)
            join = "&" if "?" in address else "?"
            replies = {
                form: client.get(f"/projects/harbour/{address}{join}as={form}&table={key}") for form in TABLE_FORMATS
            }
            assert {reply.status_code for reply in replies.values()} == {200}
            tables[key] = json.loads(replies["json"].content)["rows"]
            assert len(tables[key]) == len(rows), key
            assert len(list(csv.reader(StringIO(replies["csv"].content.decode())))) == len(rows) + 1, key
            assert len(replies["markdown"].content.decode().splitlines()) == len(rows) + 2, key
        assert_stored_tables(f"pyramids: {address}", tables)


def test_pyramid_pages_do_not_mention_markables(client, project):
    for rest in ("", "grid/", "compare/", "methods/", "texts/", "coders/", "items/", "course/?by=round"):
        body = client.get(f"/projects/harbour/agreement/{rest}").content.decode().partition("<main")[2]
        said = " ".join(part.partition(">")[2] for part in body.split("<"))
        assert "markable" not in said, rest
        assert "antecedent" not in said.replace("Antecedent distance (units)", ""), rest


def test_word_page_shows_scu_of_each_coder(client, project):
    models = project.docsets.get().texts.get(role="models")
    start = models.content.index("Ninety people")
    page = client.get(WORD.format(f"word:{start}-{start + 6}")).content.decode()
    rows = page.partition("What each coder answered")[2].partition("</table>")[0]
    assert "<b>Ninety</b>" in rows
    assert "<b>Saved</b>" in rows
    assert "Ninety people were brought ashore" in rows
    assert "summary B</span> All ninety passengers were saved by lifeboats" in rows
    assert page.count('class="agreement-summary-name"') == 4
    assert "Which coders have which words in their SCU" in page
    columns = client.get(WORD.format(f"word:{start}-{start + 6}"), {"view": "columns"}).content.decode()
    assert columns.count('class="agreement-summary-name"') == 8


def test_word_without_scu_and_contributor_have_pages(client, project):
    content = project.docsets.get().texts.get(role="models").content
    start = content.index("Marrow Point")
    page = client.get(WORD.format(f"word:{start}-{start + 6}"), {"units": "words"}).content.decode()
    assert "in no SCU" in page
    [key, *_] = [
        markable.key
        for markable in Coding.objects.of_people()
        .get(kind="pyramid", coder__username="ann")
        .text.markables.filter(level__coded=True)
    ]
    assert client.get(WORD.format(key), {"units": "spans"}).status_code == 200
    assert client.get(WORD.format(key), {"units": "words"}).status_code == 404


def test_items_show_words_in_context(client, project):
    rows = table(client.get("/projects/harbour/agreement/items/?sort=text").content.decode(), "items")
    assert links(client.get("/projects/harbour/agreement/items/").content.decode(), "items/sinking/word")
    assert rows[0][0] == "A ferry with ninety passengers struck a sandbank"
    assert rows[7][0] == "A ferry with ninety passengers struck a sandbank off Marrow Point before dawn. Lifeboats took"


def test_overview_lists_disputed_scus_not_words(client, project):
    html = " ".join(client.get("/projects/harbour/agreement/headline/").content.decode().split())
    entries = re.findall(r'<li><a href="([^"]+)">“([^”]+)”</a> <span class="muted">(.+?)</li>', html)
    address, label, about = entries[0]
    assert (len(entries), label) == (5, "Sand")
    assert "SCU of ben, weight 4" in about
    assert "no other coder has these very words" in about
    assert "docset=sinking&amp;first=ben" in address
    assert client.get(address.replace("&amp;", "&")).context["report"].first == "ben"


def test_presets_have_figures_of_their_units(client, project):
    page = client.get("/projects/harbour/agreement/compare/").content.decode()
    units = {row[0]: row[2:] for row in table(client.get("/projects/harbour/agreement/").content.decode(), "units")}
    presets = {row[0]: row[1] for row in table(page, "presets")}
    assert presets["Passonneau 2006: MASI of words"] == units["words"][5]
    assert presets["Passonneau 2006: MASI of spans"] == units["spans"][5] != units["words"][5]
    assert presets["Passonneau 2006: Jaccard of spans"] == units["spans"][2]
    changes = {row[0]: row[1] for row in table(page, "compare")}
    assert changes["Units: contributors"] == units["spans"][5]


WRONG = [
    *(
        ("scores", name, value)
        for name, value in {"docset": "ghost", "mean": "x", "score": "<b>", "ghost": "1"}.items()
    ),
    *(("scus", name, value) for name, value in {"kind": "x", "sort": "<b>", "view": "x", "docset": "\x00"}.items()),
    *(("study", name, value) for name, value in {"first": "ghost", "second": "x", "mean": "\x00"}.items()),
    ("peers", "docset", "ghost"),
]


@pytest.mark.parametrize(("name", "field", "value"), WRONG)
def test_page_api_and_command_name_wrong_parameter(client, project, name, field, value):
    usual = client.get(f"/projects/harbour/agreement/{name}/").content.decode()
    reply = client.get(f"/projects/harbour/agreement/{name}/", {field: value})
    page = reply.content.decode()
    assert (reply.status_code, f"<p>{field}: " in page) == (400, True)
    assert re.findall('<data value="([^"]*)"', page) == re.findall('<data value="([^"]*)"', usual)
    if field in RESULTS[name].api_names:
        api = client.get(f"/api/v1/projects/harbour/agreement/{name}/", {field: value})
        assert (api.status_code, list(api.json()["errors"])) == (400, [field])
        with pytest.raises(CommandError, match=rf"--{field}\b"):
            call_command("agreement", "harbour", f"--report={name}", f"--{field}={value}")


def test_project_without_pyramids_has_nothing_to_compare(client, project):
    add_member(pyramid_project("empty"), project.members.get(username="charlie"), "manager")
    with pytest.raises(CommandError, match="No docset of empty has two pyramids"):
        call_command("agreement", "empty", report="scus")
    assert client.get("/api/v1/projects/empty/agreement/scus/").status_code == 404
    assert client.get("/api/v1/projects/empty/agreement/study/").json()["pairs"] == []
