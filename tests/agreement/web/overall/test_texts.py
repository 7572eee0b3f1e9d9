"""The page of the texts, and their rounds."""

from dataclasses import replace
from functools import partial

import pytest

from agreement.data.reading import read_answers
from agreement.reports import overall
from agreement.reports.basis import coefficient_function, compute_interval, select_data
from agreement.reports.parameters import COEFFICIENTS, default_preset
from agreement.reports.request import resolve
from tests.shared.agreeing import WALK, answer, coded_project, digits, figures, links, table

URL = "/projects/walk/agreement/texts/"
CONVENTION = default_preset("poesio-artstein-2005", "pointers").parameters


@pytest.fixture
def walk(charlie):
    return answer(coded_project("walk", "poesio-artstein-2005", WALK, WALK + " [so](f)", "[Ann](a) saw [her](b)"))


def expected(project, parameters):
    found = read_answers(project)
    report = overall.compute_report(found, parameters)
    rows = {}
    for one in report.texts:
        interval, result = compute_interval(found, report.parameters, [one.text]), one.result
        numbers = result.observed, result.expected, result.n_units, result.n_coders, one.shift
        rows[one.text.title] = digits(result.value, interval.low, interval.high, *numbers)
    return report, rows


@pytest.mark.parametrize("asked", [{"distance": "masi"}, {"coefficient": "fleiss_kappa", "texts": "text-1"}])
def test_each_text_has_the_figures_of_the_report_to_the_last_digit(signed_in, charlie, walk, asked):
    page = signed_in(charlie).get(URL, asked).content.decode()
    report, rows = expected(walk, replace(CONVENTION, **asked))
    assert figures(page, "texts") == list(rows.values())
    assert [row[0] for row in table(page, "texts")] == list(rows)
    assert f'All texts together: <data value="{report.result.value!r}">' in page


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_change_without_a_text_is_that_of_the_others(signed_in, charlie, coefficient):
    asked = {"coefficient": coefficient}
    project = answer(coded_project("walk", "sortal-classes", WALK, WALK + " [so](f)", "[Ann](a) saw [her](b)"))
    rows = signed_in(charlie).get(URL, asked | {"as": "json", "table": "texts"}).json()["rows"]
    found, parameters = resolve(read_answers(project), replace(default_preset("", "categories").parameters, **asked))
    compute = coefficient_function(parameters)
    if coefficient in ("bennett_s", "gwet_ac1"):  # the values that may be given do not depend on the text
        compute = partial(compute, categories=select_data(found, parameters).labels)
    whole = compute(select_data(found, parameters)).value
    for row, left_out in zip(rows, found.texts, strict=True):
        others = [text for text in found.texts if text is not left_out]
        assert row["shift"] == pytest.approx(compute(select_data(found, parameters, others)).value - whole)


def test_texts_can_be_sorted(signed_in, charlie, walk):
    report, rows = expected(walk, CONVENTION)
    orders = {
        "text": lambda text: 0,
        "value": lambda text: text.result.value,
        "shift": lambda text: -abs(text.shift),
        "units": lambda text: -text.result.n_units,
    }
    seen = set()
    for sort, key in orders.items():
        page = signed_in(charlie).get(URL, {"sort": sort}).content.decode()
        titles = [one.text.title for one in sorted(report.texts, key=key)]
        assert figures(page, "texts") == [rows[title] for title in titles]
        seen.add(tuple(titles))
    assert len(seen) > 1


def test_many_texts_come_in_pages_that_keep_the_order(signed_in, charlie):
    coded_project("walk", "sortal-classes", *[f"[w{number}](a) x" for number in range(26)])
    client = signed_in(charlie)
    pages = [client.get(URL, {"page": page, "sort": "units"}).content.decode() for page in ("1", "2")]
    assert [len(table(page, "texts")) for page in pages] == [25, 1]
    assert links(pages[0], "page=2") == [one for one in links(pages[0], "sort=units") if "page=2" in one] != []
    assert len({row[0] for page in pages for row in table(page, "texts")}) == 26
    for beyond in ("99", "x", "-1"):
        assert client.get(URL, {"page": beyond}).status_code == 200


def rounds(project):
    return dict(project.texts.values_list("slug", "rounds__name"))


def test_manager_puts_texts_into_a_round(signed_in, charlie, walk):
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


@pytest.mark.parametrize(
    "sent", [*({"round": name} for name in WRONG), *({"texts": [pk]} for pk in ("x", "-1", str(10**30), "\x00"))]
)
def test_round_of_a_wrong_name_or_text_is_refused(signed_in, charlie, walk, sent):
    asked = {"texts": list(walk.texts.values_list("pk", flat=True)), "round": "pilot"}
    reply = signed_in(charlie).post(URL + "round/", asked | sent)
    assert (reply.status_code, b"errorlist" in reply.content, b"<script>1" in reply.content) == (200, True, False)
    assert set(rounds(walk).values()) == {"main"}
