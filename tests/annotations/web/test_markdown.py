"""Guidelines are shown as safe HTML."""

import pytest

from annotations.web.markdown import render


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("# Title", "<h1>Title</h1>\n"),
        ("*a* **b** `c`", "<p><em>a</em> <strong>b</strong> <code>c</code></p>\n"),
        ("[here](https://example.org/x)", '<p><a href="https://example.org/x">here</a></p>\n'),
        ("<https://example.org>", '<p><a href="https://example.org">https://example.org</a></p>\n'),
        ("", ""),
    ],
)
def test_markdown_becomes_html(source, html):
    assert render(source) == html


def test_table_with_missing_cells_stays_small():
    assert "<table>" in render("| a | b |\n|---|---|\n| 1 | 2 |\n")
    source = "|a" * 1200 + "\n" + "|-" * 1200 + "\n" + "|b\n" * 60
    assert len(render(source)) < 20 * len(source)


def test_bare_address_is_not_linked():
    assert "<a" not in render("see www.example.org and https://example.org")


@pytest.mark.parametrize(
    "source",
    [
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](&#106;avascript:alert(1))",
        "[x](java\tscript:alert(1))",
        "[x](vbscript:x)",
        "[x](data:text/html,<script>1</script>)",
        "[x](file:///etc/passwd)",
        "<javascript:alert(1)>",
        "[x]\n\n[x]: javascript:alert(1)",
    ],
)
def test_links_with_unsafe_schemes_stay_text(source):
    assert "href" not in render(source).lower()


@pytest.mark.parametrize(
    "source",
    [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "<style>body{display:none}</style>",
        "<iframe src='https://example.org'></iframe>",
        "<!-- hidden -->",
        "<b onmouseover=alert(1)>x</b>",
        "<svg/onload=alert(1)>",
    ],
)
def test_html_is_escaped(source):
    html = render(source)
    assert "&lt;" in html
    for tag in ("<script", "<img", "<style", "<iframe", "<!--", "<b ", "<svg"):
        assert tag not in html


@pytest.mark.parametrize(
    "source", ["![cat](https://example.org/cat.png)", "![x](data:image/png;base64,AAAA)", "![x][y]\n\n[y]: /a"]
)
def test_images_are_not_loaded(source):
    assert "<img" not in render(source)


@pytest.mark.parametrize(
    "source", ['[x](https://a "t\\" onclick=alert(1)")', '[x](https://a/"onclick=alert(1))', "`<b>`", "    <b>"]
)
def test_quotes_and_tags_stay_inside_attributes_and_code(source):
    html = render(source)
    assert "<b>" not in html
    assert '" onclick' not in html
    assert '"onclick' not in html
