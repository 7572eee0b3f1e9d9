"""The datasheet in Markdown: escaped text, and placeholders for the author."""

import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from agreement.reports.datasheet.rounds import Adjudication, ErrorEstimate, GoldOfRound
from agreement.reports.fields import copy_fields
from agreement.results.datasheet import Section, describe_adjudication, escape_line, escape_paragraphs, write_markdown
from agreement.results.tables import Column, Table
from annotations.adjudication.error_estimate import CheckedSample, combine_samples
from annotations.models import Project
from annotations.web.markdown import render
from tests.shared.cases import examples

SIGNS = "#*_`[]()!<>&|\\~+-=.:1 2ab\"'{}$^@/"


@examples(100)
@given(st.text(st.sampled_from([*SIGNS, "\t"]), max_size=30))
def test_escaped_line_has_no_markup(line):
    html = render(escape_line(line))
    assert unescape(re.sub(r"</?p>", "", html)).strip() == " ".join(line.split())


@examples(50)
@given(st.lists(st.text(st.sampled_from(SIGNS), max_size=12), max_size=6))
def test_escaped_paragraphs_keep_lines(lines):
    html = str(render("\n\n".join(escape_paragraphs("\n".join(lines)))))
    kept = [" ".join(line.split()) for line in lines]
    assert [unescape(row) for row in re.findall(r"[^\n]+", re.sub(r"</?p>|<br />", "", html))] == [*filter(None, kept)]


def test_file_has_title_text_facts_tables_and_placeholders():
    table = Table("t", "A|B", [Column("name", "Name"), Column("n", "N", "count")], [("[x](y)|*z*", 1200)], "Mind *it*.")
    section = Section(
        "s", "Texts", "One.\n\n# Two", [("Source", "- a\n- b")], [table], ["No | more."], ["Who wrote them."]
    )
    written = write_markdown("Tea | *two*", [section])
    assert written.startswith("# Datasheet: Tea \\| \\*two\\*\n\n## Texts\n\nOne.\n\n\\# Two\n\n")
    html = str(render(written))
    assert "<h1>Datasheet: Tea | *two*</h1>" in html
    assert html.count("<h2>") == html.count("<ul>") == html.count("<table>") == 1
    assert "<td>[x](y)|*z*</td>" in html
    assert html.rstrip().endswith("<em>To be written: Who wrote them.</em></p>")
    assert "Mind *it*." in html


class _Sheet:
    """The fields of a datasheet that the section on adjudication reads."""

    docsets = ()
    project = Project(answers="pointers")

    def __init__(self, adjudication: Adjudication) -> None:
        self.adjudication = adjudication


def estimate(name: str, *samples: CheckedSample) -> ErrorEstimate:
    found = combine_samples(samples)
    return copy_fields(ErrorEstimate, found, round=name, value=found.share)


def facts_of(**fields: object) -> dict[str, str]:
    rounds = (GoldOfRound("main", "main", 4, 0, 0, 4, 20, 20, {"most": 4}),)
    return dict(describe_adjudication(_Sheet(Adjudication(rounds, **fields))).facts)  # type: ignore[arg-type]


def test_facts_report_decisions_and_error_estimates():
    unknown = facts_of()
    assert unknown["Decisions by reason"] == unknown["Decisions by answer"] == "not recorded"
    assert unknown["Errors in what was accepted unseen"] == "not estimated"
    known = facts_of(
        sources={"draft": 12, "coder": 5, "own": 3},
        reasons={"ambiguous": 4, "": 16},
        error_estimates=(
            estimate("main", CheckedSample(20, 1, 80), CheckedSample(0, 0, 4)),
            estimate("pilot", CheckedSample(0, 0, 9)),
        ),
    )
    assert known["Decisions by answer"] == "draft 12, coder 5, own answer 3"
    assert known["Decisions by reason"] == "ambiguous text 4, no reason given 16"
    assert known["Errors in what was accepted unseen"] == (
        "main: 1 of 20 checked wrong, by the length of texts 5.0%, 95% CI 1.0% to 25%;"
        " 84 not checked, 4 of them in texts without a check; pilot: none of 9 checked"
    )
