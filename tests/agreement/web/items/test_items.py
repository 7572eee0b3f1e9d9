"""The page of the items on which coders disagree."""

import re
from html import unescape

import pytest

from agreement.data.reading import read_answers
from agreement.data.texts import read_snippets
from agreement.discussion import set_flag
from agreement.measures import ambiguity
from agreement.reports import items
from agreement.reports.basis import select_data
from agreement.reports.items import read_readings
from agreement.reports.parameters import default_preset
from agreement.reports.request import resolve
from annotations.coding.status import reopen_coding
from annotations.models import Coding, Membership, Project
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from tests.shared.agreeing import WALK, answer, coded_project, coding_of, hand_in, judge_again, table
from tests.shared.coding import judge
from tests.shared.projects import make_shared_project, person

URL = "/projects/tea/agreement/items/"
ALL_TEXTS = re.compile(r'<a href="([^"]*)">All texts</a>')


@pytest.fixture(scope="module")
def varied_rows(module_rows) -> int:
    """Make items: c of different category; d unmarked camps; e ambiguous for Bob; a and b identical.

    Carol answers as Alice, and Dora as Bob.
    """
    project = make_shared_project()
    text = project.texts.get()
    assign_texts(project, [text], add_coders(project, "carol", "dora"))
    keys = dict(text.markables.values_list("label", "key"))
    for coding in text.codings.of_people().select_related("coder"):
        like_alice = coding.coder.username in ("alice", "carol")
        judge(coding, keys["a"], "none")
        judge(coding, keys["b"], "place")
        judge(coding, keys["c"], *(("phrase", keys["a"]) if like_alice else ("place",)))
        judge(coding, keys["d"], "phrase", keys["a" if like_alice else "b"])
        judge(coding, keys["e"], "phrase", *(keys[label] for label in ("a" if like_alice else "ab")))
    return hand_in(project).pk


def add_coders(project, *names):
    for name in names:
        add_member(project, person(name), Membership.Role.CODER)
    return [person(name) for name in names]


@pytest.fixture
def project(varied_rows, charlie):
    return Project.objects.get(pk=varied_rows)


@pytest.fixture
def parameters(project):
    return default_preset(project.preset, project.answers).parameters


@pytest.fixture
def varied(project, parameters):
    return items.compute_items(read_answers(project), parameters)


def links(page):
    items = page.partition('id="table-items"')[2].partition("</table>")[0]
    return re.findall(r'<th scope="row">.*?<a href="/projects/tea/agreement/items/tea/([^/]*)/', items)


def test_items_are_in_order_of_report(signed_in, charlie, varied, keys):
    page = signed_in(charlie).get(URL).content.decode()
    assert links(page) == keys_of(varied, items.ItemFilters())
    assert links(page)[0] == keys["c"]
    first = varied.select(items.ItemFilters())[0]
    assert f'<data value="{float(varied.share_of(first))!r}">' in page


def test_words_of_text_are_escaped(signed_in, charlie):
    project = answer(coded_project("html", "sortal-classes", "[<script>1</script>](a) x"))
    url = URL.replace("tea", "html")
    for address in (url, f"{url}text-1/{project.texts.get().markables.get().key}/"):
        content = signed_in(charlie).get(address).content.decode()
        assert "&lt;script&gt;1" in content
        assert "<script>1" not in content


def keys_of(found, filters):
    rows = found.select(filters)
    words = read_snippets(found.unit.tolist())
    return [words[int(found.unit[row])].key for row in rows]


@pytest.mark.parametrize(
    "asked",
    [
        {"relation": "category"},
        {"relation": "identity"},
        {"category": "place"},
        {"level": "phrase"},
        {"ambiguity": "explicit"},
        {"ambiguity": "implicit"},
        {"ambiguity": "either"},
        {"sort": "values"},
        {"sort": "text"},
        {"unsure": ""},
        {"category": "phrase", "ambiguity": "explicit", "sort": "text"},
    ],
)
def test_filter_shows_items_of_report(signed_in, charlie, varied, asked):
    page = signed_in(charlie).get(URL, asked).content.decode()
    expected = keys_of(varied, items.ItemFilters(**asked))
    assert links(page) == expected
    assert expected


def test_likely_ambiguous_items_equal_library(signed_in, charlie, project, parameters):
    found = ambiguity(select_data(*resolve(read_answers(project), parameters)))
    words = read_snippets([item.unit for item in found.units])
    client = signed_in(charlie)
    first = links(client.get(URL, {"sort": "ambiguity"}).content.decode())[0]
    assert first == words[found.units[0].unit].key
    for verdict in ("ambiguous", "slip"):
        expected = {words[item.unit].key for item in found.units if item.verdict == verdict}
        assert set(links(client.get(URL, {"ambiguity": verdict}).content.decode())) == expected


def test_item_page_shows_groups_of_coders_and_probability(signed_in, charlie, project, parameters, varied):
    ranked = read_readings(read_answers(project), parameters, varied)
    unit = next(unit for unit, item in ranked.units.items() if len(item.groups) > 1)
    item = ranked.units[unit]
    page = signed_in(charlie).get(f"{URL}tea/{read_snippets([unit])[unit].key}/").content.decode()
    assert f"Two readings have a probability of {item.posterior:.2f}." in page
    assert all(", ".join(group) in page for group in item.groups)
    three = ",".join([item.groups[0][0], item.groups[1][0], *item.groups[0][1:], *item.groups[1][1:]][:3])
    page = signed_in(charlie).get(f"{URL}tea/{read_snippets([unit])[unit].key}/", {"coders": three}).content.decode()
    assert all(name in page for name in three.split(","))
    assert "have a probability" not in page


def test_ambiguous_items_are_marked_or_have_camps(signed_in, charlie, varied, keys):
    def found(kind):
        return set(links(signed_in(charlie).get(URL, {"ambiguity": kind}).content.decode()))

    assert (found("explicit"), found("implicit")) == ({keys["e"]}, {keys["c"], keys["d"]})
    assert found("either") == {keys["c"], keys["d"], keys["e"]}
    for name, category in (("carol", "place"), ("dora", "segment")):  # one among four is no camp
        judge_again(coding_of("tea", name), keys["d"], category)
    assert found("implicit") == set()


def test_chip_counts_items_of_its_filter(signed_in, charlie, varied):
    client = signed_in(charlie)
    page = client.get(URL, {"distance": "dice"}).content.decode()
    chips = re.findall(r'class="chip" href="([^"]*)">[^<]*<span class="muted">(\d+)</span>', page)
    assert len(chips) > 5
    for address, count in chips:
        assert "distance=dice" in address
        assert len(links(client.get(URL + address.replace("&amp;", "&")).content.decode())) == int(count) > 0


def test_flag_filter_appears_with_first_flag(signed_in, charlie, varied, text, keys):
    client = signed_in(charlie)
    assert "flag=set" not in client.get(URL).content.decode()
    set_flag(text.markables.get(key=keys["b"]), charlie, True)
    assert "flag=set" in client.get(URL).content.decode()
    assert links(client.get(URL, {"flag": "set"}).content.decode()) == [keys["b"]]
    page = client.get(URL, {"flag": "set", "relation": "category"}).content.decode()
    assert "No matches" in page
    assert "No item matches the filters." in page


@pytest.fixture
def noted(varied, codings, keys):
    """Make Alice unsure of d and add her note to e."""
    judge_again(codings["alice"], keys["d"], "phrase", keys["a"], unsure=True)
    judge_again(codings["alice"], keys["e"], "phrase", keys["a"], note="the <b>kettle</b>?")


def test_cell_lists_answer_of_each_coder(signed_in, charlie, varied, keys):
    Coding.objects.of_people().filter(coder__username__in=["carol", "dora"]).delete()
    page = signed_in(charlie).get(URL).content.decode()
    rows = dict(zip(links(page), table(page, "items"), strict=True))
    assert rows[keys["c"]][1] == "alice: phrase → the kettle; bob: place"
    assert rows[keys["a"]][1] == "alice, bob: none"


def test_cell_counts_answers_of_many_coders(signed_in, charlie, noted, keys):
    page = signed_in(charlie).get(URL, {"sort": "text"}).content.decode()
    found = [row[1:] for row in table(page, "items")]
    assert found[0][0] == "4 none"
    assert found[3][0] == "2 phrase → the kettle ? (unsure); 2 phrase → the stove"
    assert found[3][-1] == "1 unsure"
    assert found[4][-1] == "1 note, 2 ambiguous"
    assert "the kettle | the stove" in found[4][0]


def test_filters_ignore_notes_of_open_codings(signed_in, charlie, noted, codings, keys):
    client = signed_in(charlie)
    assert links(client.get(URL, {"unsure": "set"}).content.decode()) == [keys["d"]]
    assert links(client.get(URL, {"note": "set"}).content.decode()) == [keys["e"]]
    reopen_coding(codings["alice"], codings["alice"].coder)
    assert links(client.get(URL, {"unsure": "set"}).content.decode()) == []
    assert links(client.get(URL, {"note": "set"}).content.decode()) == []


def test_text_filter_keeps_other_parameters(signed_in, charlie):
    answer(coded_project("walk", "poesio-artstein-2005", WALK, WALK + "."))
    client, address = signed_in(charlie), "/projects/walk/agreement/items/"
    asked = {"distance": "dice", "sort": "text"}
    page = client.get(address, asked).content.decode()
    form = page.partition('<label class="label" for="filter-text"')[2].partition("</form>")[0]
    assert re.findall(r'<option value="([^"]*)"', form) == ["", "text-1", "text-2"]
    assert asked.items() <= set(re.findall(r'name="(\w+)" value="([^"]*)"', form))
    chosen = client.get(address, asked | {"text": "text-2"}).content.decode()
    assert (len(table(chosen, "items")), 'value="text-2" selected' in chosen) == (5, True)
    back = client.get(address + unescape(ALL_TEXTS.search(chosen)[1])).content.decode()
    assert table(back, "items") == table(page, "items")
