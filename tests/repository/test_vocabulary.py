"""What people read uses one standard word for one thing: no private word stands on a page, in a message or a document.

The table is that of the vocabulary of the interface: on the left what is not said, on the right what to say instead.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Private words, as regular expressions in any case, and what to say instead.
PRIVATE_WORDS = {
    r"\bhand(s|ed|ing)? (it |them |that )?in\b": "submit",
    r"\bg(i|a)v(e|es|en|ing) (\S+ ){0,2}back\b": "reopen",
    r"\bcodings? to do\b": "assignment",
    r"\bgo on (coding|with)\b": "continue",
    r"see what would (happen|be lost)": "Preview",
    r"\bcarr(y|ies|ied) (it |them )?out\b": "import, export, confirm",
    r"\bremove from the list\b": "Delete",
    r"\bbring (it|them) back\b|\bbrought back\b": "restore",
    r"make the (coders|people) that lack|\bthat lack\b": "Create missing accounts",
    r"\bnobody['’]s\b|whose work is it": "Texts only; Content of the files",
    r"interval reaches": "its CI reaches",
    r"of what: everything": "Filter (none)",
    r"\bhow it is computed\b": "Measure",
    r"project['’]s convention|all as at first": "Reset to project default",
    r"\bone number\b": "Summary",
    r"\ball conditions\b": "Settings grid",
    r"what each choice does": "Sensitivity",
    r"\*in words\*|\bin words, for a paper": "Methods text",
    r"\bout of (its|their) sets\b": "Exclude the item from its own set",
    r"a markable left out|refers to itself alone": "Unannotated markables: singleton",
    r"\bwhere some coders lack\b": "Items with missing coders (kappa)",
    r"all without this one": "Without this coder: value, change",
    r"\btake(s|n)? it away\b": "Comment; Delete",
    r"\btake(s|n)? back\b|\btaken back\b": "Revoke; undo",
    r"\bit ends after\b": "Expires in",
    r"\bmake(s)? a link\b|\bmake the (project|docset)\b": "Create link, Create project",
    r"mark (phrases|these) themselves": "Coders create markables",
    r"the same as a table": "Show data",
    r"\bto mind\b": "Notes",
    r"\bstands? here (when|once)\b": "appears here once",
    r"\bworks? no more\b": "Revoked.",
    r"\bnobody (yet|codes)\b": "not assigned",
    r"\bwhat coders do(?! not)\b": "Annotation",
    r"\bthere is nobody (called|with)\b": "No user has this username.",
    r"\bkeys rest\b": "Shortcuts are off while you type.",
}
# A line may end between two words.
WORDS = [
    (re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE), instead) for pattern, instead in PRIVATE_WORDS.items()
]
# What people read: pages, the messages of views, forms, commands and scripts, and documents.
TEMPLATES = ("templates",)
MODULES = ("annotations", "agreement", "config")
SCRIPTS = ("static/js",)
DOCUMENTS = ("docs", "README.md")
# Not read by people who use the program: what was decided once, and figures of the machine.
UNREAD = re.compile(r"^docs/(decisions|benchmarks|README)|/migrations/|^agreement/measures/|^templates/style\.html$")

TEMPLATE_CODE = re.compile(r"\{%\s*comment.*?endcomment\s*%\}|\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
SCRIPT_COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", re.DOTALL)
SCRIPT_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`')
DOCUMENT_CODE = re.compile(r"```.*?```|`[^`\n]*`|^    .*?$", re.DOTALL | re.MULTILINE)


def blank(text: str, pattern: re.Pattern[str]) -> str:
    """Return the text with what matches made blank; lines stay where they are."""
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def strings_of_module(source: str) -> Iterator[tuple[int, str]]:
    """Yield the strings of a Python module with their lines, but for docstrings."""
    tree = ast.parse(source)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value


def sentences(path: str, source: str) -> Iterator[tuple[int, str]]:
    """Yield what people may read of a file, each with the line in which it begins."""
    if path.endswith(".py"):
        yield from strings_of_module(source)
        return
    if path.endswith(".js"):
        code = blank(source, SCRIPT_COMMENT)
        for match in SCRIPT_STRING.finditer(code):
            yield code.count("\n", 0, match.start()) + 1, match[0]
        return
    pattern = TEMPLATE_CODE if path.endswith(".html") else DOCUMENT_CODE
    yield 1, blank(source, pattern)


def private_words(path: str, source: str) -> list[str]:
    """Return each private word of a file as FILE:LINE: words (what to say instead)."""
    return [
        f"{path}:{line + sentence.count('\n', 0, match.start())}: “{match[0]}” (say: {instead})"
        for line, sentence in sentences(path, source)
        for pattern, instead in WORDS
        for match in pattern.finditer(sentence)
    ]


def read_files() -> list[tuple[str, str]]:
    endings = {**dict.fromkeys(TEMPLATES, "*.html"), **dict.fromkeys(MODULES, "*.py"), **dict.fromkeys(SCRIPTS, "*.js")}
    paths = [path for folder, ending in endings.items() for path in (ROOT / folder).rglob(ending)]
    paths += (ROOT / "agreement").rglob("*.toml")  # the words on settings, and labels
    for place in DOCUMENTS:
        paths += [ROOT / place] if place.endswith(".md") else (ROOT / place).rglob("*.md")
    names = sorted(path.relative_to(ROOT).as_posix() for path in paths)
    return [(name, (ROOT / name).read_text()) for name in names if not UNREAD.search(name)]


@pytest.mark.slow
def test_no_private_word_is_shown():
    found = [line for name, source in read_files() for line in private_words(name, source)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("path", "source", "line"),
    [
        ("templates/a.html", "<p>{{ text }}</p>\n<button>Hand in</button>", 2),
        ("templates/a.html", '<input aria-label="Take back">', 1),
        ("annotations/web/a.py", '"""Hand it in."""\nMESSAGE = "The key works no more."', 2),
        ("annotations/web/a.py", 'def say(text):\n    return f"{text} is handed in."', 2),
        ("static/js/a.js", '// it is handed in\nsay("Hand in");', 2),
        ("static/js/a.js", "say(`${text} is given back`);", 1),
        ("docs/a.md", "# Title\n\nYou see *One number*.", 3),
    ],
)
def test_a_private_word_is_found_with_its_line(path, source, line):
    assert [found.split(": ")[0] for found in private_words(path, source)] == [f"{path}:{line}"]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("templates/a.html", "{% comment %} hand in {% endcomment %}{% hand_in %}"),
        ("annotations/web/a.py", 'def hand_in():\n    """Hand it in."""'),
        ("static/js/a.js", "/* hand in */ handIn();"),
        ("docs/a.md", "Say `hand in`.\n\n    hand in\n"),
    ],
)
def test_what_nobody_reads_may_be_called_anything(path, source):
    assert private_words(path, source) == []
