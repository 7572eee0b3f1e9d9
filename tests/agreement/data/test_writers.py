"""Whoever deletes or changes codings, texts and what is given, outside of the log, holds the lock of the project."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
# What no higher key of the log or of codings shows.
WRITES = re.compile(
    r"\bCoding\.(?:objects|with_models|with_gold)\.filter\([^\n]*\)\.(?:update|delete)\("
    r"|\b(?:Text|Markable)\.objects\.(?:filter\([^\n]*\)\.)?(?:update|delete|bulk_update)\("
    r"|\b(?:text|gold|agreed|coding)\.(?:save|delete)\("
    r"|\binsert\(\s*Markable\b"
    r"|\b(?:update|delete)\(\s*(?:Text|Markable)\b"
)
# A lock that says of codings that they stay as they are is none for who changes them.
LOCKS = re.compile(r"\block_project\((?![^\n]*codings=False)")
# Functions that do not take the lock themselves, with what shows their changes.
ALLOWED = {
    "annotations/adjudication/drafts.py _drafted": "called by draft_gold, which has the lock",
    "annotations/adjudication/hands.py _give": "called by who has the lock; gold is read at each look",
    "annotations/coding/operations.py log_correction": "logged; called by correct_text, which has the lock",
    "annotations/coding/operations.py log_assignment": "logged",
    "annotations/coding/operations.py set_status": "logged",
    "annotations/coding/operations.py set_reopen_request": "a request is in no figure",
    "annotations/docsets/creation.py _create_text": "a new text, under the lock of who calls it",
    "annotations/docsets/creation.py _create_words": "called by who has the lock",
    "annotations/management/commands/load_demo.py _load_text": "a new project, in one transaction with an import",
    "annotations/planning/plans/plans.py _delete_codings": "called by apply_plan, which has the lock",
    "annotations/projects/viewing.py record_view": "what was viewed is in no figure",
    "annotations/revision/saving.py log_merges": "logged; called by who has the lock",
    "annotations/texts/changes.py _write_order": "called by who has the lock",
    "annotations/texts/correction.py _write_markables": "called by correct_text, which has the lock",
    "annotations/transfers/importing/writing.py _write_markables": "called by imports, which have the lock",
}


def writers_without_lock():
    found = set()
    for path in (path for app in ("annotations", "agreement") for path in (ROOT / app).rglob("*.py")):
        if "migrations" in path.parts:
            continue
        source = path.read_text()
        if not WRITES.search(source):
            continue
        lines = source.split("\n")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef):
                body = "\n".join(lines[node.lineno - 1 : node.end_lineno])
                if WRITES.search(body) and not LOCKS.search(body):
                    found.add(f"{path.relative_to(ROOT).as_posix()} {node.name}")
    return found


def test_who_changes_codings_and_texts_outside_of_the_log_has_the_lock_of_the_project():
    assert writers_without_lock() == set(ALLOWED)
