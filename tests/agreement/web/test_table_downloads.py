"""Downloads of every table of every page as CSV, JSON, LaTeX and Markdown."""

import csv
import json
from io import StringIO

import pytest

from agreement.results.tables import TABLE_FORMATS
from tests.agreement.web.as_written import assert_stored_tables
from tests.shared.agreeing import WALK, answer, coded_project, decide_gold, hand_in, table

PAGES = {
    "agreement/": ["distances", "distribution"],
    "agreement/grid/?without=none": ["grid", "grid-without", "antecedents"],
    "agreement/compare/": ["compare", "presets"],
    "agreement/texts/": ["texts", "tenths"],
    "agreement/coders/": [
        "matrix",
        "rest",
        "each",
        "by_text",
        "times",
        "bias",
        "chains",
        "links",
        "agreed",
        "agreed_at_least",
        "confusion",
    ],
    "agreement/gold/?coder=bob": [
        "accuracy",
        "scores",
        "overruled",
        "agreement",
        "confusion",
        "errors",
        "differences",
        "trend",
        "trend_f1",
        "each",
    ],
    "agreement/coreference/": ["scores", "texts", "each"],
    "agreement/difference/?by=group&first=alice,bob&second=alice,carol": ["difference"],
    "agreement/coders/alice/bob/": ["measures", "relations", "confusion", "alignment"],
    "agreement/categories/?merge=place:x": ["categories", "table", "collapsed", "confusion"],
    "agreement/course/?by=round": ["stages", "coders", "seconds", "running", "days"],
    "agreement/items/": ["items"],
    "agreement/items/?text=text-1": ["items", "positions"],
    "agreement/data/": ["raw", "matrix", "legend"],
    "agreement/planning/?difference=.1": ["enough", "sizes"],
    "agreement/items/text-1/phrase:10-13/": ["pairs", "members"],
    "scheme/allows/": ["measures", "views", "exports"],
    "datasheet/": [
        "categories",
        "markables",
        "coders",
        "rounds",
        "plans",
        "agreement",
        "references",
        "gold",
        "formats",
    ],
}
every_page = pytest.mark.parametrize(("address", "names"), PAGES.items(), ids=PAGES)
TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "latex": "text/plain; charset=utf-8",
    "markdown": "text/plain; charset=utf-8",
}


@pytest.fixture(scope="module")
def walk_rows(module_rows) -> int:
    texts = (WALK, f"{WALK}.", f"{WALK} [so](f)")
    project = answer(coded_project("walk", "poesio-artstein-2005", *texts, coders=("alice", "bob", "carol")))
    decide_gold(project, "bob", b="place")
    return project.pk


@pytest.fixture
def fetch(signed_in, charlie):
    client = signed_in(charlie)

    def fetch(address, key, form="json", project="walk", **asked):
        address, _, query = address.partition("?")
        own = dict(part.split("=") for part in query.split("&") if part)
        return client.get(f"/projects/{project}/{address}", own | asked | {"as": form, "table": key})

    return fetch


def rows(reply):
    return json.loads(reply.content)["rows"]


@pytest.mark.slow
@every_page
def test_downloads_have_same_cells_as_page(signed_in, charlie, fetch, walk, address, names):
    page = signed_in(charlie).get(f"/projects/walk/{address}").content.decode()
    assert_stored_tables(address, {key: rows(fetch(address, key)) for key in names})
    for key in names:
        forms = {}
        for form in TABLE_FORMATS:
            reply = fetch(address, key, form)
            assert (reply.status_code, reply["Content-Type"]) == (200, TYPES[form]), (key, form)
            name = f'attachment; filename="walk-{key}.{form}"'
            assert reply.get("Content-Disposition") == (name if form in ("csv", "json") else None)
            assert b"<html" not in reply.content
            forms[form] = reply.content.decode()
        # the page has equal answers on an item together, a file has each; items of one text have no title before them
        of_items = 0 if "text=" in address else 1
        assert_same_table(table(page, key), forms, compared=of_items if key == "items" else 2)


def assert_same_table(shown, forms, compared=2):
    """Assert that a table of a page and its downloads have the same cells in the columns after the first."""
    found = json.loads(forms["json"])["rows"]
    lines = list(csv.reader(StringIO(forms["csv"])))
    assert lines[0] == list(found[0])
    assert [[cell.removeprefix("'") for cell in line] for line in lines[1:]] == [
        ["" if value is None else str(value) for value in row.values()] for row in found
    ]
    markdown = forms["markdown"].splitlines()
    assert len(shown) == len(found) == len(markdown) - 2 == forms["latex"].count(r" \\") - 1
    assert [[cell.replace("–", "") for cell in row[1 : 1 + compared]] for row in shown] == [
        [cell.strip().replace("–", "").replace("\\", "") for cell in line.replace("\\|", "").split("|")[2:4]][
            : len(row[1 : 1 + compared])
        ]
        for row, line in zip(shown, markdown[2:], strict=True)
    ]


def test_downloads_obey_filters_of_address(fetch, walk):
    every, some = (rows(fetch("agreement/items/", "items", **asked)) for asked in ({}, {"relation": "category"}))
    assert some == [row for row in every if row["category"]]
    assert 0 < len(some) < len(every)
    merged = rows(fetch("agreement/categories/", "collapsed", merge="phrase:x,place:x"))
    assert [row["categories"] for row in merged] == ["unchanged", "merged"]


@pytest.mark.slow
@every_page
def test_unknown_form_table_or_parameter_gets_400(fetch, walk, address, names):
    asked = [
        (fetch(address, names[0], form), ("csv, json, latex, markdown",)) for form in ("xlsx", "", "\x00", "<script>1")
    ]
    asked += [(fetch(address, key), names) for key in ("ghost", "", "\x00", "<script>1")]
    asked += [(fetch(address, names[0], distance="ghost"), ("distance: ",))]
    for reply, said in asked:
        assert (reply.status_code, reply["Content-Type"]) == (400, "text/plain; charset=utf-8")
        assert all(words in reply.content.decode() for words in said)
        assert said is not names or "<script>1" not in reply.content.decode()


@pytest.mark.parametrize("role", ["coder", "outsider"])
def test_download_needs_access_to_results(signed_in, people, role):
    client = signed_in(people[role])
    for page, names in PAGES.items():
        for key in names:
            address = f"/projects/tea/{page}{'&' if '?' in page else '?'}as=csv&table={key}"
            assert client.get(address).status_code == (404 if role == "outsider" else 403)


def judge_all_markables(project):
    category = project.categories.first()
    for coding in project.texts.get().codings.of_people():
        coding.judgements.bulk_create(
            coding.judgements.model(coding=coding, markable=markable, category=category)
            for markable in coding.text.markables.all()
        )
    hand_in(project)


def test_download_has_all_pages_of_table(fetch, charlie):
    project = coded_project("long", "sortal-classes", " ".join(f"[w{number}](m{number})" for number in range(101)))
    judge_all_markables(project)
    assert len(rows(fetch("agreement/items/", "items", project="long", page="2"))) == 101
    assert len(rows(fetch("agreement/categories/", "table", project="long", page="3"))) == 102  # with the sums
    coded_project("many", "sortal-classes", *[f"[w{number}](a)" for number in range(26)])
    assert len(rows(fetch("agreement/texts/", "texts", project="many", page="2"))) == 26


def test_coder_named_like_column_keeps_columns(fetch, charlie):
    answer(coded_project("named", "poesio-artstein-2005", WALK, coders=("alice", "coder", "stage")))
    for page, key in (("agreement/coders/", "matrix"), ("agreement/course/", "coders")):
        found = rows(fetch(page, key, project="named"))
        lines = list(csv.reader(StringIO(fetch(page, key, "csv", "named").content.decode())))
        assert all(len(row) == len(lines[0]) for row in found), page
