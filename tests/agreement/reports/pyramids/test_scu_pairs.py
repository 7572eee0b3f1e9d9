"""Matches, relations and the subsumption table of the SCUs of two coders."""

import pytest

from agreement.data.pyramids import read_pyramids
from agreement.measures import ReliabilityData, cohen_kappa, fleiss_kappa
from agreement.reports.parameters import InvalidParameter
from agreement.results.pyramids import scus
from annotations.coding.status import reopen_coding
from annotations.models import Membership, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from tests.shared.agreeing import links
from tests.shared.pyramids import build, codings_of, docset, models_of, pyramid_project

OPTIONS = {"peers": 0, "agreed": False}
URL = "/projects/harbour/agreement/scus/"


def pyramids_of(alice, bob, summaries, first, second):
    project = pyramid_project("figure", one_contributor=False)
    codings = codings_of(models_of(docset(project, alice, bob, summaries=summaries)))
    build(codings["alice"], first)
    build(codings["bob"], second)
    return scus.report_scus(read_pyramids(project))


def pairs_of(report):
    return {
        (pair.first and pair.first.key, pair.second and pair.second.key): (pair.kind, pair.shared, pair.size)
        for pair in report.pairs
    }


def test_figure_1_has_subsumption_and_two_unmatched_scus(alice, bob):
    summaries = [("one", "s1 s5"), ("two", "s2 s7"), ("three", "s3"), ("four", "s4"), ("five", "s6")]
    first = {"a": ["s1", "s2", "s3", "s4"], "b": ["s5", "s7"], "c": ["s6"]}
    report = pyramids_of(alice, bob, summaries, first, {"a": ["s1 s5", "s2 s7", "s3", "s4", "s6"]})
    assert pairs_of(report) == {
        ("a", "a"): ("subsumption", 4, 3),
        ("b", None): ("unmatched", 2, 0),
        ("c", None): ("unmatched", 1, 0),
    }
    assert [pair.others for pair in report.pairs] == [(), ("A",), ("A",)]
    assert [side.weight for side in (report.pairs[0].first, report.pairs[0].second)] == [4, 5]


def test_figure_5_has_two_subsumptions_and_intersection(alice, bob):
    """SCU-101 and 102 of A1, SCU-201 and 202 of A2, the words of each span in proportion."""
    summaries = [
        ("one", "sixty voted yes"),
        ("two", "unions agreed to some cuts"),
        ("three", "which accepted it later"),
    ]
    first = {"101": ["sixty voted yes", "unions agreed to some cuts"], "102": ["which accepted it later"]}
    second = {"201": ["sixty voted yes", "which accepted it later"], "202": ["unions agreed to some cuts"]}
    report = pyramids_of(alice, bob, summaries, first, second)
    assert pairs_of(report) == {("101", "202"): ("subsumption", 5, 3), ("102", "201"): ("subsumption", 4, 3)}
    others = [(pair.first, pair.second, pair.relation) for pair in report.overlaps if not pair.matched]
    assert others == [("101", "201", "intersection")]


def test_scus_without_common_word_are_disjoint(alice, bob):
    summaries = [("one", "a b c"), ("two", "d e f")]
    report = pyramids_of(alice, bob, summaries, {"x": ["a b"]}, {"y": ["d e"]})
    assert pairs_of(report) == {("x", None): ("disjunction", 0, 2), (None, "y"): ("disjunction", 0, 2)}
    assert report.subsumption == ()
    assert report.kappa is None


def test_contributors_mark_unshared_words(project):
    report = scus.report_scus(read_pyramids(project))
    [pair] = [row for row in report.pairs if row.first and row.first.key == "rescued"]
    [said] = pair.first.texts[0]
    assert [(piece.words, piece.unshared) for piece in said] == [
        ("Lifeboats took everyone aboard", False),
        (" ", False),
        ("to the harbour", True),
    ]
    [said] = pair.first.texts[1]
    assert "".join(piece.words for piece in said) == "All … passengers were saved by lifeboats"
    assert (pair.kind, pair.shared, pair.only_first, pair.only_second) == ("intersection", 17, 8, 2)
    assert pair.distance == 10 / 27


def test_pairs_are_filtered_and_sorted(project):
    report = scus.report_scus(read_pyramids(project))
    assert report.counts == {"identity": 1, "subsumption": 3, "intersection": 2, "unmatched": 3, "disjunction": 0}
    assert [pair.size for pair in report.select()] == sorted((pair.size for pair in report.pairs), reverse=True)
    distances = [pair.distance for pair in report.select(sort="distance")]
    assert distances == sorted(distances, reverse=True)
    assert {pair.kind for pair in report.select("intersection")} == {"intersection"}
    for asked, field in ((("x", "size"), "kind"), (("", "x"), "sort")):
        with pytest.raises(InvalidParameter) as wrong:
            report.select(*asked)
        assert wrong.value.field == field


def test_subsumption_table_has_row_for_each_relation_and_summary(project):
    report = scus.report_scus(read_pyramids(project))
    assert len(report.subsumption) == 4 * sum(pair.relation in scus.SUBSUMPTION for pair in report.overlaps)
    rows = [(row.summary, row.in_first, row.in_second) for row in report.subsumption if row.second == "Owner"]
    assert rows == [
        ("summary A", False, False),
        ("summary B", True, False),
        ("summary C", False, False),
        ("summary D", True, True),
    ]
    assert {row.larger for row in report.subsumption if row.second == "Owner"} == {"ann"}
    cells = [[int(row.in_first), int(row.in_second)] for row in report.subsumption]
    data = ReliabilityData.from_values(range(len(cells)), ["ann", "ben"], cells, [0] * len(cells))
    assert (report.kappa, report.cohen_kappa) == (fleiss_kappa(data).value, cohen_kappa(data).value)


def test_report_accepts_coders_in_either_order(project):
    report, other = (
        scus.report_scus(read_pyramids(project), first=a, second=b) for a, b in (("ann", "ben"), ("ben", "ann"))
    )
    assert {(b, a) for a, b in pairs_of(report)} == set(pairs_of(other))
    assert scus.report_scus(read_pyramids(project), second="ann").first == "ben"
    for names, field in ((("ann", "ghost"), "second"), (("ann", "ann"), "second"), (("ghost", "ann"), "first")):
        with pytest.raises(InvalidParameter) as wrong:
            scus.report_scus(read_pyramids(project), "", *names)
        assert wrong.value.field == field


def test_page_marks_unshared_words_of_pairs(signed_in, charlie, project):
    client = signed_in(charlie)
    page, identical, disjoint = (
        client.get(URL, {"kind": kind}).content.decode() for kind in ("", "identity", "disjunction")
    )
    assert [page.count("<article") for page in (page, identical, disjoint)] == [9, 1, 0]
    assert '<mark class="agreement-difference">to the harbour</mark>' in page
    assert links(identical, "kind=intersection")
    assert "No matches" in disjoint
    assert "not a decision of a coder" in client.get(URL, {"view": "subsumption"}).content.decode()


def test_report_prefers_coders_with_submitted_pyramids(project, charlie):
    made = project.docsets.get()
    aaron = User.objects.create(username="aaron")
    add_member(project, aaron, Membership.Role.CODER)
    assign_texts(project, [models_of(made)], [aaron])
    build(codings_of(models_of(made))["aaron"], {"s": ["the"]}, hand_in=False)
    report = scus.report_scus(read_pyramids(project))
    assert (report.first, report.second) == ("ann", "ben")
    reopen_coding(codings_of(models_of(made))["ann"], charlie)
    assert scus.report_scus(read_pyramids(project)).first == "aaron"  # of none submitted the first
