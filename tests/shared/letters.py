"""Projects of sortal classes whose answers are written as letters, and the same answers for the library."""

import pytest

from agreement.measures import ReliabilityData
from annotations.coding.status import reopen_coding, submit_coding
from annotations.models import Coding
from tests.shared.agreeing import coded_project, hand_in
from tests.shared.coding import judge_all, judgement

LETTERS = {"p": "person", "g": "group", "l": "loc"}
# by text and coder a letter for each markable; a point is no answer
THREE = {
    "text-1": {"alice": "ppgl", "bob": "pgg.", "carol": "plgl"},
    "text-2": {"alice": "gpl", "bob": "gpp", "carol": "ggp"},
    "text-3": {"alice": "lpp", "bob": "lpg", "carol": "..."},
}
# twelve markables of one text by alice, bob and carol
LONG = "ppgglplpgglp pgggplplgglg ppgglplpgglg"


def sorted_out(answers, slug="tea", *, handed_in=True):
    """Make a project of sortal classes in which these coders have these texts, gave these answers, and submitted."""
    coders = tuple(dict.fromkeys(coder for given in answers.values() for coder in given))
    marked = [" ".join(f"[w{n}](m{n})" for n in range(max(map(len, given.values())))) for given in answers.values()]
    project = coded_project(slug, "sortal-classes", *marked, coders=coders)
    for number, (text, given) in enumerate(answers.items(), start=1):
        assert text == f"text-{number}"
        codings = Coding.objects.of_people().filter(text__project=project, text__slug=text)
        codings.exclude(coder__username__in=given).delete()
        for coder, letters in given.items():
            answer_with(project, text, coder, letters)
    return hand_in(project) if handed_in else project


def answer_with(project, text, coder, letters):
    """Let the coder give each markable of the text the category of its letter; what was submitted is so again."""
    codings = Coding.objects.of_people().filter(text__project=project).select_related("coder")
    coding = codings.get(text__slug=text, coder__username=coder)
    handed_in = coding.status == Coding.Status.SUBMITTED
    if handed_in:
        reopen_coding(coding, coding.coder)
    keys = coding.text.markables.order_by("start").values_list("key", flat=True)
    given = zip(keys, letters, strict=False)
    judge_all(coding, [judgement(key, LETTERS[letter]) for key, letter in given if letter != "."])
    if handed_in:
        submit_coding(coding, coding.coder)


def table_of(answers, coders=("alice", "bob", "carol")):
    """Return the same answers as the library takes them, without the database."""
    units, rows, documents = [], [], []
    for text, given in answers.items():
        for n in range(max(map(len, given.values()))):
            units.append((text, n))
            rows.append([LETTERS.get(given.get(coder, "")[n : n + 1]) for coder in coders])
            documents.append(text)
    return ReliabilityData.from_values(units, list(coders), rows, documents)


def same(found, expected):
    """Assert that two results, or two intervals, are equal except for the last digits."""
    for name in ("value", "low", "high", "observed", "expected"):
        if hasattr(expected, name):
            assert getattr(found, name) == pytest.approx(getattr(expected, name), abs=1e-12), name
    for name in ("n_units", "n_coders", "n_judgements", "left_out", "method", "by", "n_groups", "level"):
        if hasattr(expected, name):
            assert getattr(found, name) == getattr(expected, name), name
    # reports call the documents of the library texts
    assert getattr(found, "note", "") == getattr(expected, "note", "").replace("document", "text")
