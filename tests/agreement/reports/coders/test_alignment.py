"""Alignment of the chains of two coders by CEAF."""

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from agreement.data.reading import read_answers
from agreement.measures import ceaf_e, match_sets
from agreement.reports.parameters import InvalidParameter, Parameters
from agreement.results.coders import pair
from agreement.results.coders.pair import Pair, align_chains
from annotations.models import Markable
from tests.shared.agreeing import coded_project, hand_in
from tests.shared.cases import examples
from tests.shared.coding import judge
from tests.shared.letters import sorted_out

# letter by letter the chain of each markable, a point is none
ANN = "aaaabbccd"
BEN = "aabbbbcc."


@pytest.fixture
def project(db):
    words = " ".join(f"[w{place}](m{place})" for place in range(len(ANN)))
    project = coded_project("tea", "clusters", "[x](x) y", words, "[x](x) z", coders=("ann", "ben"))
    for coder, chains in (("ann", ANN), ("ben", BEN)):
        alone = project.texts.get(slug="text-1").codings.of_people().select_related("coder").get(coder__username=coder)
        judge(alone, alone.text.markables.get(level__coded=True).key, "none")
        coding = project.texts.get(slug="text-2").codings.of_people().select_related("coder").get(coder__username=coder)
        units = coding.text.markables.filter(level__coded=True).order_by("start")
        linking = project.categories.get(takes_index=True)
        for unit, letter in zip(units, chains, strict=True):
            if letter != ".":
                judge(coding, unit.key, linking.key, indices=[letter])
    return hand_in(project)


def words_of(chain):
    return [Markable.objects.get(pk=pk).parts[0][0] // 3 for pk in chain]


def test_chains_are_aligned_one_to_one(project):
    found = align_chains(read_answers(project), Parameters(chains="full"), "ann", "ben", "")
    assert found.text.slug == "text-2"
    assert [words_of(chain) for chain in found.first] == [[0, 1, 2, 3], [4, 5], [6, 7], [8]]
    assert [words_of(chain) for chain in found.second] == [[2, 3, 4, 5], [0, 1], [6, 7]]
    rows = [(row.first, row.second, row.shared, row.aligned) for row in found.pairs]
    # w0 and w1 are 4/6 alike; the first chain and the four of Ben would be 4/8
    assert rows == [(2, 2, 2, True), (0, 1, 2, True), (1, 0, 2, True), (0, 0, 2, False), (3, None, 0, False)]
    assert sum(row.similarity for row in found.aligned) == pytest.approx(4 / 6 + 4 / 6 + 1)


def test_alignment_refuses_unknown_text_and_needs_chains(project):
    with pytest.raises(InvalidParameter) as wrong:
        align_chains(read_answers(project), Parameters(chains="full"), "ann", "ben", "ghost")
    assert wrong.value.field == "text"
    assert align_chains(read_answers(project), Parameters(chains="full"), "ann", "ben", "text-1") is None
    sorted_ = read_answers(sorted_out({"text-1": {"ann": "pg", "ben": "pp"}}, "letters"))
    assert align_chains(sorted_, Parameters(), "ann", "ben", "") is None


def test_page_frames_aligned_chains_and_counts_hidden_ones(project, monkeypatch):
    monkeypatch.setattr(pair, "MAX_CHAINS", 2)
    monkeypatch.setattr(pair, "MAX_ROWS", 3)

    def build(*, whole):
        request = Pair().request(
            project, QueryDict("text=text-2"), "charlie", {"first": "ann", "second": "ben"}, whole_tables=whole
        )
        sections = Pair().show(request)
        return (next(part for part in side if part.key == "alignment") for side in (sections.tables, sections.charts))

    table, chart = build(whole=False)
    assert len(table.rows) == 3
    assert "3 of 5 rows" in table.note
    [trace] = chart.figure["data"]
    frames = chart.figure["layout"]["shapes"]
    assert len(trace["z"]) == len(trace["z"][0]) == 2
    assert {trace["z"][int(frame["y0"] + 0.5)][int(frame["x0"] + 0.5)] for frame in frames} == {2}
    assert len(frames) == 2
    assert "4 chains of ann and 3 chains of ben: 3 are aligned and share 6 markables." in chart.alternative
    assert "The 2 largest" in chart.alternative
    table, _ = build(whole=True)
    assert [row[-1] for row in table.rows] == ["aligned"] * 3 + ["", ""]
    assert "w0, w1, w2, and 1 more" in [row[0] for row in table.rows]


@examples(100)
@given(*[st.lists(st.integers(0, 4), min_size=8, max_size=8)] * 2)
def test_dice_of_aligned_chains_sums_to_ceaf(first, second):
    sides = [
        {number: {place for place, chain in enumerate(of_side) if chain == number} for number in set(of_side)}
        for of_side in (first, second)
    ]
    total = sum(row.dice for row in match_sets(*sides, "dice") if row.matched)
    score = ceaf_e(*(list(side.values()) for side in sides))
    assert total / len(sides[0]) == pytest.approx(score.recall)
    assert total / len(sides[1]) == pytest.approx(score.precision)
