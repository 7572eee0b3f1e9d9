"""The page of texts, and moving texts to rounds."""

from dataclasses import replace
from functools import partial

import pytest

from agreement.data.reading import read_answers
from agreement.reports.basis import coefficient_function, select_data
from agreement.reports.parameters import COEFFICIENTS, default_preset
from agreement.reports.request import resolve
from annotations.models import Project
from tests.shared.agreeing import WALK, answer, coded_project, links, table

URL = "/projects/walk/agreement/texts/"


TEXTS = (WALK, WALK + " [so](f)", "[Ann](a) saw [her](b)")


@pytest.fixture(scope="module")
def walk_rows(module_rows) -> int:
    answer(coded_project("sorts", "sortal-classes", *TEXTS))
    return answer(coded_project("walk", "poesio-artstein-2005", *TEXTS)).pk


def rows_of(client, url=URL, **asked):
    return client.get(url, asked | {"as": "json", "table": "texts"}).json()["rows"]


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_shift_equals_change_without_text(signed_in, charlie, walk, coefficient):
    rows = rows_of(signed_in(charlie), URL.replace("walk", "sorts"), coefficient=coefficient)
    parameters = replace(default_preset("", "categories").parameters, coefficient=coefficient)
    found, parameters = resolve(read_answers(Project.objects.get(slug="sorts")), parameters)
    compute = coefficient_function(parameters)
    if coefficient in ("bennett_s", "gwet_ac1"):  # the values that may be given do not depend on the text
        compute = partial(compute, categories=select_data(found, parameters).labels)
    whole = compute(select_data(found, parameters)).value
    for row, left_out in zip(rows, found.texts, strict=True):
        others = [text for text in found.texts if text is not left_out]
        assert row["shift"] == pytest.approx(compute(select_data(found, parameters, others)).value - whole)


def test_texts_can_be_sorted(signed_in, charlie, walk):
    client = signed_in(charlie)
    rows = rows_of(client, sort="text")
    assert rows == rows_of(client)
    by_value = sorted(rows, key=lambda row: row["value"])
    by_shift = sorted(rows, key=lambda row: -abs(row["shift"]))
    by_units = sorted(rows, key=lambda row: -row["units"])
    assert [rows_of(client, sort=sort) for sort in ("value", "shift", "units")] == [by_value, by_shift, by_units]
    assert by_value != rows or by_shift != rows or by_units != rows


def test_text_pages_keep_order(signed_in, charlie):
    coded_project("many", "sortal-classes", *[f"[w{number}](a) x" for number in range(26)])
    client, url = signed_in(charlie), URL.replace("walk", "many")
    pages = [client.get(url, {"page": page, "sort": "units"}).content.decode() for page in ("1", "2")]
    assert [len(table(page, "texts")) for page in pages] == [25, 1]
    assert links(pages[0], "page=2") == [url for url in links(pages[0], "sort=units") if "page=2" in url] != []
    assert len({row[0] for page in pages for row in table(page, "texts")}) == 26
    for beyond in ("99", "x", "-1"):
        assert client.get(url, {"page": beyond}).status_code == 200


def rounds(project):
    return dict(project.texts.values_list("slug", "rounds__name"))


def test_manager_moves_texts_to_round(signed_in, charlie, walk):
    chosen = list(walk.texts.filter(slug__in=["text-1", "text-3"]).values_list("pk", flat=True))
    client = signed_in(charlie)
    page = client.post(URL + "round/", {"texts": chosen, "round": "pilot"}, follow=True).content.decode()
    assert rounds(walk) == {"text-1": "pilot", "text-2": "main", "text-3": "pilot"}
    assert [row[1] for row in table(page, "texts")] == ["pilot", "main", "pilot"]
    found = client.get(URL, {"rounds": "pilot"}).content.decode()
    assert len(table(found, "texts")) == 2
    client.post(URL + "round/", {"texts": chosen[:1], "round": ""})
    assert rounds(walk) == {"text-1": "main", "text-2": "main", "text-3": "pilot"}


WRONG = ["a b", "a,b", "x" * 500, "\x00", "<script>1"]


def test_invalid_round_or_text_is_refused(signed_in, charlie, walk):
    asked = {"texts": list(walk.texts.values_list("pk", flat=True)), "round": "pilot"}
    for sent in (*({"round": name} for name in WRONG), *({"texts": [pk]} for pk in ("x", "-1", str(10**30), "\x00"))):
        reply = signed_in(charlie).post(URL + "round/", asked | sent)
        assert (reply.status_code, b"errorlist" in reply.content, b"<script>1" in reply.content) == (200, True, False)
        assert set(rounds(walk).values()) == {"main"}
