"""Summaries of findings."""

from __future__ import annotations

import pytest

from annotations.formats import Finding
from annotations.transfers.importing.report import Failure, group_failures, summarize
from annotations.transfers.importing.schemes.naming import Naming


def findings(*messages: str) -> list[Finding]:
    return [Finding("odd", message, f"{number}.xmi") for number, message in enumerate(messages)]


@pytest.mark.parametrize(
    ("messages", "line"),
    [
        (
            [
                "1 of the type own.Meta are left out",
                "59 of the type own.Name are left out",
                "1153 of the type own.X are left out",
            ],
            "2.xmi: 1153 of the type own.X are left out – in all 1,153 × own.X, 59 × own.Name, 1 × own.Meta",
        ),
        (
            ["the 3 spans of the layer A are left out", "the 9 spans of the layer B are left out"],
            "1.xmi: the 9 spans of the layer B are left out – in all 9 × B, 3 × A",
        ),
        (
            [
                "1 answer to 'a b', which is not asked",
                "2 answers to 'a b', which is not asked",
                "2 answers to 'c', which is not asked",
            ],
            "1.xmi: 2 answers to 'a b', which is not asked – in all 3 × a b, 2 × c",
        ),
        (["2 markables cross", "3 markables cross"], "0.xmi: 2 markables cross (and 1 more like this)"),
        (["“Anna” is alone", "“her” is alone"], "0.xmi: “Anna” is alone (and 1 more like this)"),
        (["3 mentions cross", "nothing crosses"], "0.xmi: 3 mentions cross (and 1 more like this)"),
        (["3 cats", "4 dogs"], "0.xmi: 3 cats (and 1 more like this)"),
    ],
)
def test_findings_of_same_kind_are_summarized_in_one_line(messages, line):
    assert summarize(findings(*messages)) == line


def test_summary_limits_number_of_names():
    messages = [f"{number} of the type T{number} are left out" for number in range(1, 31)]
    line = summarize(findings(*messages))
    assert line.startswith("29.xmi: 30 of the type T30 are left out – in all 30 × T30, 29 × T29, ")
    assert line.endswith("11 × T11, 10 more names")


def test_refusals_for_unknown_names_are_one_group():
    naming = Naming(ways={"level": "types=none"})
    names = ["PER", "NP, short", "Anna-1", "it's"]
    for message in (naming.unknown_level, naming.unknown_category):
        failures = [Failure(f"{name}.ann", f"{name}.ann:1: {message(name, ['mention'])}") for name in names]
        assert group_failures(failures) == [failures]
