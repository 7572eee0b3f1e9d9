"""The templates: their lines are short enough to be read and compared."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 200


def test_lines_of_templates_are_short():
    lines = [
        (f"{path.relative_to(ROOT)}:{number}", line)
        for path in sorted((ROOT / "templates").rglob("*.html"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
    ]
    assert lines
    assert [place for place, line in lines if len(line) > LONGEST] == []
