"""The page Categories, and merging of categories."""

import json
import random
import re
from io import StringIO
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.management import CommandError, call_command

from agreement import discussion as written
from agreement.data.reading import read_answers
from agreement.models import Mapping
from agreement.reports.parameters import default_preset
from agreement.results import categories as reports
from tests.shared.agreeing import WALK, coded_project, digits, figures, links
from tests.shared.questions import any_answers, question_project

URL = "/projects/walk/agreement/categories/"
CONVENTION = default_preset("poesio-artstein-2005", "pointers").parameters
MERGED = "place:thing,segment:thing"


def interval(row):
    return digits(row.value, row.low, row.high, row.observed, row.expected)


def ask_command(*options):
    output = StringIO()
    call_command("agreement", "walk", "--report=categories", *options, stdout=output)
    return output.getvalue()


def test_page_api_and_command_have_same_merged_k(signed_in, charlie, walk):
    client, merge = signed_in(charlie), "place:none"
    expected = reports.compare_merged(read_answers(walk), CONVENTION, {"place": "none"})
    address = "/api/v1/projects/walk/agreement/tables/categories/collapsed/"
    fields = {"merge_place": "none", "merge_none": "none", "merge_phrase": ""}
    for query in ({"merge": merge}, fields):
        rows = client.get(address, query).json()["rows"]
        assert [row["kappa"] for row in rows] == [expected.before.value, expected.after.value]
        page = client.get(URL, query, follow=True).content.decode()
        assert figures(page, "collapsed")[1] == [str(expected.after.n_categories), *interval(expected.after)]
    found = json.loads(ask_command(f"--merge={merge}", "--format=json"))
    for name, figure in (("before", expected.before), ("after", expected.after)):
        given = {end: getattr(figure, end) for end in ("value", "low", "high")}
        assert found[name] | given | {"p_value": figure.p_value} == found[name]
    assert expected.before.value != expected.after.value is not None
    assert "| merged" in ask_command(f"--merge={merge}")
    with pytest.raises(CommandError, match="--merge"):
        ask_command("--merge=ghost:none")


def test_unchanged_form_merges_nothing(signed_in, charlie):
    project = question_project("asked", any_answers(random.Random(1)))
    client, url = signed_in(charlie), URL.replace("walk", "asked")
    page = client.get(url, {"question": "gender"}).content.decode()
    fields = dict(re.findall(r'name="(merge_[^"]*)" value="([^"]*)"', page))
    assert fields["merge_f"] == read_answers(project, question="gender").label("f") != "f"
    assert parse_qs(urlsplit(client.get(url, {"question": "gender"} | fields).url).query) == {"question": ["gender"]}


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (
            "merge_phrase=phrase&merge_place= a, b:c &merge_none=&distance=dice",
            {"merge": ["place:a  b c"], "distance": ["dice"]},
        ),
        ("merge_phrase=phrase&merge_none=none&texts=", {}),
        ("texts=text-1&texts=text-2&merge_place=none", {"merge": ["place:none"], "texts": ["text-1,text-2"]}),
    ],
)
def test_merge_form_redirects_to_canonical_address(signed_in, charlie, walk, typed, expected):
    client = signed_in(charlie)
    reply = client.get(f"{URL}?{typed}")
    assert (reply.status_code, urlsplit(reply.url).path) == (302, URL)
    assert parse_qs(urlsplit(reply.url).query) == expected
    page = client.get(reply.url)
    assert page.status_code == 200
    fields = dict(re.findall(r'name="merge_([^"]*)" value="([^"]*)"', page.content.decode()))
    merged = expected.get("merge", ["place:place"])[0].partition(":")[2]
    assert fields == {"phrase": "phrase", "segment": "segment", "place": merged, "none": "none"}


def stored_mappings():
    return {mapping.name: mapping.classes for mapping in Mapping.objects.all()}


def test_saved_mapping_is_offered_again(signed_in, charlie, walk):
    client = signed_in(charlie)
    client.post(URL + "mapping/", {"name": "things", "merge": "none:y"})
    reply = client.post(URL + "mapping/", {"name": "things", "merge": MERGED}, follow=True)
    assert stored_mappings() == {"things": {"place": "thing", "segment": "thing"}}
    assert reply.redirect_chain[0][0] == f"{URL}?merge=place%3Athing%2Csegment%3Athing"
    assert re.search(r'aria-current="true">things</a>', reply.content.decode())
    written.save_mapping(coded_project("other", "poesio-artstein-2005", WALK), "theirs", {"place": "x"}, charlie)
    page = client.get(URL, {"texts": "text-1"}).content.decode()
    [address] = [address for address in links(page, "merge=") if "as=" not in address]
    assert parse_qs(urlsplit(address).query)["merge"] == [MERGED]


@pytest.mark.parametrize(
    ("name", "merge"),
    [
        ("", "place:x"),
        ("  ", "place:x"),
        ("x" * 51, "place:x"),
        ("things", ""),
        ("things", "ghost:x"),
        ("things", "place"),
        ("things", "place:\x00"),  # PostgreSQL keeps no NUL in JSON
        ("\x00", "place:x"),
    ],
)
def test_invalid_mapping_is_refused(signed_in, charlie, walk, name, merge):
    reply = signed_in(charlie).post(URL + "mapping/", {"name": name, "merge": merge}, follow=True)
    assert reply.status_code == 200
    assert "Mapping not saved" in reply.content.decode()
    assert stored_mappings() == {}


def test_mapping_names_are_escaped(signed_in, charlie, walk):
    written.save_mapping(walk, "<script>1", {"place": "<script>1"}, charlie)
    page = signed_in(charlie).get(URL).content.decode()
    assert "&lt;script&gt;1</a>" in page
    assert "<script>1" not in page
