from annotations.coding.pyramids.pyramid_rules import Contributor, PyramidOptions, pyramid_violations, summary_index

STRICT, FREE = PyramidOptions(True, True), PyramidOptions(False, False)
SUMMARIES = [(10, 50), (60, 100)]


def unit(key: str, *parts: tuple[int, int], scus: str = "a") -> Contributor:
    return Contributor(key, parts, tuple(scus))


def codes(*contributors: Contributor, options: PyramidOptions = STRICT, **more) -> list[tuple[str, tuple[str, ...]]]:
    return [(fault.code, fault.contributors) for fault in pyramid_violations(contributors, options, **more)]


def test_separate_contributors_break_no_rule():
    assert codes(unit("x", (10, 20), (30, 50)), unit("y", (60, 70)), unit("z", (70, 80), scus="b")) == []
    assert codes(unit("x", (10, 20)), unit("y", (60, 70)), summaries=SUMMARIES) == []


def test_contributor_lies_within_one_summary():
    assert codes(unit("x", (10, 20), (60, 70)), summaries=SUMMARIES) == [("across_summaries", ("x",))]
    assert codes(unit("x", (5, 20)), summaries=SUMMARIES) == [("across_summaries", ("x",))]
    assert codes(unit("x", (50, 55)), summaries=SUMMARIES) == [("across_summaries", ("x",))]
    assert summary_index([(60, 100)], SUMMARIES) == 1


def test_scu_has_one_contributor_in_a_summary_unless_rule_is_off():
    two = unit("x", (10, 20)), unit("y", (30, 40))
    assert codes(*two, summaries=SUMMARIES) == [("second_contributor", ("x", "y"))]
    assert codes(*two, options=PyramidOptions(False, True), summaries=SUMMARIES) == []
    assert codes(two[0], unit("y", (30, 40), scus="b"), summaries=SUMMARIES) == []


def test_peer_may_express_scu_twice():
    assert codes(unit("x", (10, 20)), unit("y", (30, 40)), scus={"a"}) == []


def test_words_belong_to_one_contributor_and_scu_unless_rule_is_off():
    whole, inside = unit("x", (10, 30)), unit("y", (20, 25), scus="b")
    assert codes(whole, inside) == [("words_taken", ("x", "y"))]
    assert codes(unit("x", (10, 12), (20, 30)), unit("y", (12, 20), scus="b")) == []
    assert codes(unit("x", (10, 30)), unit("y", (11, 12)), unit("z", (20, 21))) == [
        ("words_taken", ("x", "y")),
        ("words_taken", ("x", "z")),
    ]
    assert codes(unit("x", (10, 20), scus="ab")) == [("several_scus", ("x",))]
    assert codes(whole, inside, unit("z", (40, 50), scus="ab"), options=FREE) == []


def test_peer_uses_only_scus_of_pyramid():
    assert codes(unit("x", (10, 20), scus="a"), unit("y", (20, 30), scus=""), scus={"a"}) == []
    assert codes(unit("x", (10, 20), scus="b"), scus={"a"}) == [("unknown_scu", ("x",))]
