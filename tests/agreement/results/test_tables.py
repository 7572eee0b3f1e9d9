"""Tables as CSV, JSON, LaTeX and Markdown."""

import csv
import json
import re
from html import unescape
from io import StringIO

import pytest
from markdown_it import MarkdownIt

from agreement.results.tables import (
    TABLE_FORMATS,
    Column,
    Linked,
    Table,
    as_csv,
    as_json,
    as_latex,
    as_markdown,
    format_value,
)

MINUS = "\N{MINUS SIGN}"
THIRD = 1 / 3
COLUMNS = [
    Column("coder", "coder"),
    Column("n_units", "units", "count"),
    Column("alpha", "alpha, nominal", "figure"),
    Column("share", "share", "percent"),
    Column("time", "time", "seconds"),
]


def table(*rows, columns=COLUMNS, caption="Agreement", note=""):
    return Table("one", caption, columns, rows, note)


def words(*values):
    """Return a table of a single column of text."""
    return table(*[[value] for value in values], columns=[Column("word", "word")])


def read_csv(text):
    return list(csv.reader(StringIO(text, newline="")))


def read_markdown(text):
    """Return the cells of a rendered table of Markdown."""
    html = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    cells = re.findall(r"<t[hd](?: [^>]*)?>(.*?)</t[hd]>", html, re.DOTALL)
    assert not any("<" in cell for cell in cells), html
    return [unescape(cell) for cell in cells]


ROW = ["alice", 12345, -2 / 3, THIRD, 90.5]


def test_csv_has_column_names_and_all_digits():
    header, row = read_csv(as_csv(table(ROW)))
    assert header == ["coder", "n_units", "alpha", "share", "time"]
    assert row == ["alice", "12345", repr(-2 / 3), repr(THIRD), "90.5"]
    assert [float(cell) for cell in row[1:]] == ROW[1:]


def test_json_has_column_names_all_digits_and_caption():
    found = json.loads(as_json(table(ROW, caption='The "caption"', note="Mind…")))
    assert found == {
        "caption": 'The "caption"',
        "note": "Mind…",
        "rows": [{"coder": "alice", "n_units": 12345, "alpha": -2 / 3, "share": THIRD, "time": 90.5}],
    }


def test_latex_is_rounded_like_page():
    assert as_latex(table(ROW)) == (
        "\\begin{table}\n\\centering\n\\begin{tabular}{lrrrr}\n  \\toprule\n"
        "  coder & units & alpha, nominal & share & time \\\\\n  \\midrule\n"
        "  alice & 12,345 & $-$0.667 & 33\\% & 1.5 min \\\\\n"
        "  \\bottomrule\n\\end{tabular}\n\\caption{Agreement}\n\\end{table}\n"
    )


def test_markdown_is_rounded_like_page():
    assert as_markdown(table(ROW)) == (
        "| coder | units | alpha, nominal | share | time |\n"
        "| --- | ---: | ---: | ---: | ---: |\n"
        f"| alice | 12,345 | {MINUS}0.667 | 33% | 1.5 min |\n"
    )


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (0.66666, "figure", "0.667"),
        (-0.25, "figure", f"{MINUS}0.250"),
        (-0.00001, "figure", "0.000"),
        (1, "figure", "1.000"),
        (1234567, "count", "1,234,567"),
        (0.5, "percent", "50%"),
        (0, "percent", "0%"),
        (0.0004, "probability", "< 0.001"),
        (0.0123, "percent", "1.2%"),
        (0.0994, "percent", "9.9%"),
        (0.0995, "percent", "10%"),
        (1.0, "percent", "100%"),
        (4.04, "seconds", "4.0 s"),
        (60, "seconds", "1.0 min"),
        (None, "figure", ""),
        (None, "text", ""),
        ("none", "figure", "none"),
    ],
)
def test_value_is_formatted_by_its_kind(value, kind, text):
    assert format_value(value, kind) == text


@pytest.mark.parametrize("beginning", ["=1+1", "+1", "-1", "@sum", "\tx", "\rx"])
def test_formulas_are_escaped_in_csv_only(beginning):
    [_, [found]] = read_csv(as_csv(words(beginning)))
    assert found == f"'{beginning}"
    assert json.loads(as_json(words(beginning)))["rows"] == [{"word": beginning}]


@pytest.mark.parametrize("text", ["a=b", "1-1", "mail@home", "'=x", " =x", "−1", ""])
def test_csv_keeps_plain_text_and_numbers(text):
    assert read_csv(as_csv(words(text, "x")))[1] == [text]
    assert read_csv(as_csv(table(["x", -3, -0.5, -1e-9, -2])))[1] == ["x", "-3", "-0.5", "-1e-09", "-2"]


def test_missing_value_is_empty_cell_or_null():
    empty = table([None] * 5)
    assert read_csv(as_csv(empty))[1] == [""] * 5
    assert list(json.loads(as_json(empty))["rows"][0].values()) == [None] * 5
    assert "   &  &  &  &  \\\\\n" in as_latex(empty)
    assert read_markdown(as_markdown(empty))[5:] == [""] * 5


@pytest.mark.parametrize("form", TABLE_FORMATS)
def test_table_without_rows_has_header(form):
    text = TABLE_FORMATS[form].write(table())
    assert ("coder" in text) == (form != "json")
    assert form != "json" or json.loads(text)["rows"] == []


@pytest.mark.parametrize("form", TABLE_FORMATS)
def test_linked_cell_is_written_like_its_value(form):
    linked = [Linked(cell, "/projects/tea/?x=1", current=True) for cell in ROW]
    assert TABLE_FORMATS[form].write(table(linked)) == TABLE_FORMATS[form].write(table(ROW))


def test_row_of_wrong_length_is_refused():
    for write in (lambda made: made.cells, as_json, as_latex, as_markdown):
        with pytest.raises(ValueError, match="zip"):
            write(table(["alice"]))


@pytest.mark.parametrize("form", TABLE_FORMATS)
def test_all_forms_keep_unicode(form):
    for word in ("Ærøskøbing", "ß ﬁ", "日本語", "Ω≈ç√", "🙂", "עברית", "a\u0301"):
        assert word in TABLE_FORMATS[form].write(words(word))


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("50% & more", r"50\% \& more"),
        ("a_b^c~d", r"a\_b\textasciicircum{}c\textasciitilde{}d"),
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("$x$ #1", r"\$x\$ \#1"),
        ("−1", "$-$1"),
        ("a|b < c > d", r"a\textbar{}b \textless{} c \textgreater{} d"),
        ("a\n\nb\r", "a  b "),
    ],
)
def test_latex_escapes_cells(word, written):
    found = as_latex(Table("one", word, [Column("x", word)], [[word]]))
    assert found.count(written) == 3  # the head, the cell and the caption


@pytest.mark.parametrize("word", ["[Anna] took", "*"])
def test_latex_row_end_takes_no_option_from_next_row(word):
    assert not re.search(r"(\\\\|\\midrule)\s*[\[*]", as_latex(words("x", word)))


NASTY = ["a|b", "*x* **y**", "_x_", "`x`", "<b>x</b>", "\\", "a\\|b", "\\*", "1 < 2 > 0", "# x", "- x", "| x |"]
NASTY += ["[Anna](a) took", "![x](y)", "&amp;", "&lt;b>", "~~x~~"]


@pytest.mark.parametrize("word", NASTY)
def test_markdown_escapes_cells(word):
    assert read_markdown(as_markdown(words(word, "x"))) == ["word", word, "x"]


def test_line_break_stays_within_row():
    assert len(as_markdown(words("a\nb\rc")).splitlines()) == 3
    assert read_csv(as_csv(words("a\nb", 'say "x", y')))[1:] == [["a\nb"], ['say "x", y']]
