"""Reading a text, the version of a coder, and two versions side by side."""

import re

import pytest

from annotations.coding import operations
from annotations.models import Coding, Membership, Project
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from tests.shared.coding import change, judge, judge_all, judgement
from tests.shared.schemes import rich_project

URL = "/projects/tea/texts/tea/"


@pytest.fixture
def read(manager):
    """Return a function that returns the page at an address."""
    return lambda query="": manager.get(f"{URL}{query}").content.decode()


@pytest.fixture
def answered(codings, keys):
    """Alice points “it” and “that” to the kettle, Bob the first “it” to the stove."""
    for name, target in (("alice", "a"), ("bob", "b")):
        judge(codings[name], keys["a"], "none")
        judge(codings[name], keys["b"], "place")
        judge(codings[name], keys["c"], "phrase", keys[target], note=f"says {name}")
    judge(codings["alice"], keys["d"], "phrase", keys["a"], keys["b"], unsure=True)


def version(page, name="Text"):
    return page.partition(f'aria-label="{name}')[2].partition("</section>")[0]


def span(page, words):
    """Return the classes of the markable with these words, and the badges that follow them."""
    found = re.search(rf'<span class="markable ([^"]*)"[^>]*>{words}((?:<sup[^>]*>[^<]*</sup>)*)</span>', page)
    return found[1].split(), re.findall(r">([^<]+)<", found[2])


def test_text_shows_markables_without_answers(read, answered):
    found = version(read())
    assert span(found, "the kettle") == (["depth-1"], [])
    assert "put " in found
    assert "is-undecided" not in found


def test_version_shows_chains_by_colour_and_number(read, answered):
    found = version(read("?coder=alice"), "Version of alice")
    assert span(found, "the kettle")[1] == ["1"]
    assert {"chain-1", "line-1"} <= set(span(found, "the kettle")[0])
    assert span(found, "that")[0] == ["depth-1", "is-undecided"]
    # The second it may be the kettle or the stove.
    assert re.search(
        r'is-ambiguous"[^>]*>it<sup class="badge chain-1">1</sup><sup[^>]*>2</sup><sup[^>]*>\?</sup>', found
    )


def test_version_lists_notes_and_optional_categories(read, answered):
    found = read("?coder=alice")
    assert "says alice" in found
    assert "says bob" not in found
    assert "texts-label" not in found
    assert re.search(r'<span\s+class="texts-label">place</span>', read("?coder=alice&categories=1"))


def test_comparison_highlights_and_lists_differences(read, answered, keys):
    found = read("?coder=alice&beside=bob")
    for name in ("alice", "bob"):
        column = version(found, f"Version of {name}")
        lit = re.findall(r'texts-differs"[^>]*>([^<]+)', column)
        assert lit == ["the kettle", "the stove", "it", "it"]
    table = found.partition('id="differences"')[2]
    rows = [" ".join(re.sub("<[^>]*>", " ", row).split()) for row in re.findall("<tr>.*?</tr>", table, re.DOTALL)]
    assert rows[1:3] == ["the kettle none with it, it none", "the stove place with it place with it"]
    assert rows[4] == "it phrase with the kettle, the stove, it no answer"
    assert "4 of 6 markables differ:" in found


def test_comparison_includes_attributes_and_relations(signed_in, alice, bob, charlie):
    project = rich_project("rich", coder=alice)
    add_member(project, bob, Membership.Role.CODER)
    add_member(project, charlie, Membership.Role.MANAGER)
    assign_texts(project, project.texts.all(), [bob])
    for coder, gender in ((alice, "f"), (bob, "m")):
        coding = (
            Coding.objects.of_people().select_related("text__project", "coder").get(coder=coder, text__project=project)
        )
        kettle, stove, it, *_ = coding.text.markables.filter(level__key="phrase").values_list("key", flat=True)
        answers = [
            change("judge", markable=kettle, category="place", attributes={"gender": gender, "animacy": "yes"}),
            change("judge", markable=stove, category="place", relations={"bridging": [kettle]}),
            change("judge", markable=it, category="phrase", pointers=[kettle]),
        ]
        operations.apply(coding, coder, 0, answers)
    page = signed_in(charlie).get("/projects/rich/texts/tea/?coder=alice&beside=bob").content.decode()
    assert 'title="place; gender: feminine; animacy: animate"' in page
    assert 'title="phrase; animacy: animate"' in page  # the entity has it
    assert 'title="place; bridging: the kettle"' in page
    assert "1 of 6 markables differs" in page
    assert '<span class="chip">gender: masculine</span>' in page


def test_equal_versions_have_no_differences(read, codings, keys):
    for coding in codings.values():
        judge(coding, keys["c"], "phrase", keys["a"])
    assert "The two versions are the same." in read("?coder=alice&beside=bob")
    assert "texts-differs" not in read("?coder=alice&beside=bob")
    assert "Differences" not in read("?coder=alice&beside=alice")


def test_markable_of_coder_shows_only_in_own_version(read, codings, project):
    level = project.levels.get(key="phrase")
    mark = codings["alice"].text.markables.create(
        level=level, key="phrase:0-3", parts=[[0, 3]], start=0, end=3, predefined=False
    )
    codings["alice"].judgements.create(markable=mark)
    assert "put</span>" in version(read("?coder=alice"), "Version of alice")
    assert "put</span>" not in version(read("?coder=bob"), "Version of bob")
    assert "put</span>" not in version(read())


def test_members_without_coding_have_no_version(manager):
    for query in ("?coder=ghost", "?coder=alice&beside=ghost", "?coder=charlie", "?coder=%00"):
        assert manager.get(URL + query).status_code == 404


def test_category_schemes_offer_no_switch_for_categories(read):
    assert "Show categories" in read("?coder=alice")
    Project.objects.update(answers="categories")
    assert "Show categories" not in read("?coder=alice")


def test_page_takes_fixed_number_of_queries(manager, codings, keys, django_assert_max_num_queries):
    address = f"{URL}?coder=alice&beside=bob"
    judge(codings["alice"], keys["c"], "phrase", keys["a"])
    with django_assert_max_num_queries(18) as before:
        assert manager.get(address).status_code == 200
    for coding in codings.values():
        judge_all(coding, [judgement(keys[label], "phrase", keys["a"], keys["b"]) for label in "cdef"])
    with django_assert_max_num_queries(len(before)):
        manager.get(address)
