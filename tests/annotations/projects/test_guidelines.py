"""Versions of guidelines: creation, reading and differences."""

import pytest

from annotations.models import GuidelinesReading, GuidelinesVersion, Project
from annotations.projects import guidelines
from annotations.projects.creation import create_project
from annotations.projects.guidelines import (
    MAX_LINES,
    GuidelinesNews,
    bound_difference,
    difference,
    guidelines_news,
    record_guidelines,
    record_reading,
)
from annotations.schemes.ready_made import SCHEMES
from annotations.web.views.schemes import PAGE_SIZE
from tests.shared.growth import assert_grows_with_input

URL = "/projects/tea/guidelines/"
SCHEME = "/projects/tea/scheme/"
API = "/api/v1/projects/tea/"


def write(project, body, author):
    project.guidelines = body
    project.save()
    return record_guidelines(project, author)


def shown(before, after):
    """Return a difference as lines with a sign, with changed words in braces."""
    signs = {"same": " ", "removed": "-", "added": "+"}
    lines = []
    for line in difference(before, after):
        words = "".join(f"{{{words}}}" if marked else words for marked, words in line.pieces)
        lines.append(f"... {line.skipped}" if line.skipped else signs[line.edit] + words)
    return lines


def test_new_project_with_guidelines_has_version_1(charlie):
    written = create_project("written", "Written", SCHEMES["muc-ident"], guidelines="Read.", manager=charlie)
    assert [(row.number, row.author, row.body) for row in written.guidelines_versions.all()] == [(1, charlie, "Read.")]
    assert guidelines_news(written, charlie) is None
    empty = create_project("empty", "Empty", SCHEMES["muc-ident"], manager=charlie)
    assert not empty.guidelines_versions.exists()
    assert guidelines_news(empty, charlie) is None


def test_only_changed_guidelines_make_version(signed_in, project, charlie):
    client = signed_in(charlie)
    for sent in ("Read.\n\nTwice.", "Read.\r\n\r\nTwice.  ", "Read once.", ""):
        client.post(SCHEME, {"about": "1", "title": "T", "guidelines": sent})
    client.post(SCHEME, {"about": "1", "title": "Other", "guidelines": ""})
    client.patch(API, {"guidelines": "By API."}, "application/json", headers={"If-Match": "*"})
    found = [(row.number, row.author, row.body) for row in project.guidelines_versions.order_by("number")]
    assert [(number, author) for number, author, _ in found] == [(n, charlie) for n in (1, 2, 3, 4)]
    assert [body.split() for _, _, body in found] == [["Read.", "Twice."], ["Read", "once."], [], ["By", "API."]]


def test_guidelines_saved_meanwhile_are_not_replaced(signed_in, project, charlie):
    page = signed_in(charlie).get(SCHEME)
    seen = page.context["about_form"].state_tag
    write(project, "Theirs.", charlie)
    reply = signed_in(charlie).post(SCHEME, {"about": "1", "title": "T", "guidelines": "Mine.", "seen": seen})
    assert "Somebody else has changed this" in reply.content.decode()
    assert [row.body for row in GuidelinesVersion.objects.all()] == ["Theirs."]


@pytest.mark.parametrize("by", ["page", "api"])
def test_length_of_guidelines_is_limited(signed_in, project, charlie, by):
    client, long = signed_in(charlie), "x" * 200_001
    if by == "page":
        client.post(SCHEME, {"about": "1", "title": "T", "guidelines": long})
    else:
        reply = client.patch(API, {"guidelines": long}, "application/json", headers={"If-Match": "*"})
        assert reply.status_code == 400
    assert Project.objects.get().guidelines != long
    assert not GuidelinesVersion.objects.exists()


def test_member_is_told_of_new_versions_until_read(signed_in, project, alice, charlie):
    write(project, "One.", charlie)
    assert guidelines_news(project, alice) == GuidelinesNews(1, None)
    assert guidelines_news(project, charlie) is None
    client = signed_in(alice)
    client.post(f"{URL}read/", {"number": "1"})
    assert guidelines_news(project, alice) is None
    write(project, "Two.", charlie)
    write(project, "Three.", charlie)
    assert guidelines_news(project, alice) == GuidelinesNews(3, 1)
    for address in ("/projects/tea/", "/projects/tea/texts/tea/code/", URL):
        assert f"{URL}difference/?before=1&amp;after=3" in client.get(address).content.decode()
    client.post(f"{URL}read/", {"number": "2"})
    assert guidelines_news(project, alice) == GuidelinesNews(3, 2)
    for number in ("99", "1", "x", "-1"):
        client.post(f"{URL}read/", {"number": number})
        assert guidelines_news(project, alice) is None or number == "x"
    assert "difference" not in client.get("/projects/tea/").content.decode()


def test_last_read_version_never_decreases_and_must_exist(project, alice, charlie):
    record_reading(project, alice, 1)
    assert not GuidelinesReading.objects.exists()
    write(project, "One.", charlie)
    write(project, "Two.", charlie)
    record_reading(project, alice, 2)
    record_reading(project, alice, 1)
    assert GuidelinesReading.objects.get(user=alice).number == 2


def test_versions_are_listed_read_and_compared(signed_in, project, alice, charlie):
    write(project, "# Rules\n\nRead *once*.", charlie)
    write(project, "# Rules\n\nRead *twice*.", None)
    client = signed_in(alice)
    page = client.get(URL).content.decode()
    assert page.index("Version 2</a>") < page.index("Version 1</a>")
    assert "<em>twice</em>" in page
    assert "not recorded" in page
    assert "<em>once</em>" in client.get(f"{URL}1/").content.decode()
    page = client.get(f"{URL}difference/", {"before": "2", "after": "1"}).content.decode()
    assert "<del>once</del>" in page
    assert "<ins>twice</ins>" in page
    assert [client.get(f"{URL}{number}/").status_code for number in (3, 10**30)] == [404, 404]
    assert client.get(f"{URL}difference/", {"before": "1", "after": "9"}).status_code == 404
    assert client.get(f"{URL}difference/", {"before": "x"}).status_code == 400


def test_list_of_versions_has_pages_and_takes_fixed_number_of_queries(
    signed_in, project, charlie, django_assert_max_num_queries
):
    for number in range(PAGE_SIZE + 5):
        write(project, f"Text {number}", charlie)
    client = signed_in(charlie)
    with django_assert_max_num_queries(8):
        page = client.get(URL).content.decode()
    assert page.count('">Version ') == PAGE_SIZE
    assert client.get(URL, {"page": 2}).content.decode().count('">Version ') == 5


def test_api_lists_versions(signed_in, project, alice, charlie):
    write(project, "One.", charlie)
    write(project, "Two.", None)
    rows = signed_in(alice).get("/api/v1/projects/tea/guidelines/").json()["results"]
    assert [(row["number"], row["author"], row["body"]) for row in rows] == [(2, None, "Two."), (1, "charlie", "One.")]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a", "a", [" a"]),
        ("", "a b", ["+{a b}"]),
        ("Read it once.", "Read it twice.", ["-Read it {once}.", "+Read it {twice}."]),
        ("a\nb\nc", "a\nc", [" a", "-{b}", " c"]),
        ("a\r\nb", "a\nb\n", ["... 2"]),
        ("a\u2028b", "a\u2028c", ["-a\u2028{b}", "+a\u2028{c}"]),
        ("\n".join("123456789x"), "\n".join("123456789y"), ["... 6", " 7", " 8", " 9", "-{x}", "+{y}"]),
    ],
)
def test_difference_has_lines_and_words(before, after, expected):
    assert shown(before, after) == expected


def test_entirely_different_long_texts_are_replaced_as_a_whole():
    before, after = ("\n".join(f"{name}{number}" for number in range(MAX_LINES + 1)) for name in "ab")
    lines = difference(before, after)
    assert [line.edit for line in lines] == ["removed"] * (MAX_LINES + 1) + ["added"] * (MAX_LINES + 1)


def test_comparison_by_word_is_limited(monkeypatch):
    def compared(before, after):
        return [len(line.pieces) > 1 for line in difference(before, after) if line.edit == "added"]

    before, after = ("\n".join(f"{name} " * 100 + f"\nline {number}" for number in range(9)) for name in "ab")
    assert compared(before, after) == [True] * 9
    monkeypatch.setattr(guidelines, "MAX_WORDS_IN_ALL", 450)
    assert compared(before, after) == [True] * 2 + [False] * 7
    assert compared("a " * 1000, "b " * 1000) == [False]


@pytest.mark.parametrize(
    ("before", "after", "note"),
    [
        ("a\n" * 50_000, "b\n" * 50_000, "50000 more added lines"),
        ("&" * 100_000, "&" * 99_999 + "b", "the rest of the last line, 0 more removed lines and 1 more added line."),
        ("a b " * 25_000, "b a " * 25_000, ""),
        ("a\n" * 50_000, "a\n" * 49_000 + "b\n" * 500, ""),
    ],
    ids=["lines", "line", "words", "end"],
)
def test_page_limits_long_differences_and_notes_it(signed_in, project, charlie, before, after, note):
    for body in (before, after):
        write(project, body, charlie)
    page = signed_in(charlie).get(f"{URL}difference/?before=1&after=2").content.decode()
    assert len(page) < 500_000
    assert ('id="not-shown"' in page) == bool(note)
    assert note in " ".join(page.split())


def test_limited_difference_counts_omitted_changes(monkeypatch):
    lines = difference("\n".join("abcdef"), "\n".join("ABCdeF"))
    assert bound_difference(lines).is_whole
    monkeypatch.setattr(guidelines, "MAX_SHOWN", 3 * (guidelines.LINE_MARKUP + guidelines.PIECE_MARKUP + 1))
    shown = bound_difference(lines)
    assert (shown.lines, shown.removed, shown.added, shown.cut) == (lines[:3], 1, 4, False)


@pytest.mark.parametrize("work", [lambda n: ("a " * n, "b " * n), lambda n: ("q" + "a\nb\n" * n, "p" + "b\na\n" * n)])
def test_difference_takes_linear_time(work):
    assert_grows_with_input(lambda n: difference(*work(n)), 20_000)


def test_reader_of_later_version_has_no_news(project, alice, charlie):
    write(project, "One.", charlie)
    GuidelinesReading.objects.create(project=project, user=alice, number=7)  # an archive may say so
    assert guidelines_news(project, alice) is None


def test_difference_contains_every_line_of_both_texts(monkeypatch):
    monkeypatch.setattr(guidelines, "CONTEXT_LINES", 60)
    before = "\n".join(f"line {number % 7} of {number}" for number in range(60))
    after = before.replace("line 3", "row three\nand").replace("of 50", "")
    whole = guidelines.difference(before, after)
    for text, left_out in ((before, "added"), (after, "removed")):
        lines = ["".join(words for _, words in line.pieces) for line in whole if line.edit != left_out]
        assert lines == text.split("\n")
