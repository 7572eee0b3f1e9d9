"""Alpha with singletons, several readings and omitted markables, against exact fractions."""

from itertools import combinations

import pytest

from agreement.data.reading import forget_answers, read_answers
from agreement.reports.overall import compute_report
from agreement.reports.parameters import Parameters
from annotations.models import Category, Coding, Project
from tests.agreement.measures import exact
from tests.shared.agreeing import answer_indices, coded_project, hand_in
from tests.shared.schemes import change_rows

CODERS = ("ann", "bea", "cem")
# By text and coder an answer for each of six markables: indices, two of them where it has two readings; 0: it does not
# refer; a point: left out. Bea has submitted the last text with nothing marked.
ANSWERS = {
    "text-1": {"ann": "1 1 2 0 2 1", "bea": "1 1|2 2 0 0 .", "cem": "1 2 2 3 2 ."},
    "text-2": {"ann": "1 0 1 2|3 3 2", "bea": "1 0 1 2 3 3", "cem": "1 1 1 2 . 0"},
    "text-3": {"ann": "0 1 1 2 2 3", "bea": ". . . . . .", "cem": "0 1 2 2 2 0"},
}
UNITS = "abcdef"
OPTIONS = [
    {"distance": "nominal"},
    {"distance": "passonneau", "exclude_unit": "both", "thirds": "rounded"},
    {"distance": "masi", "exclude_unit": "observed"},
    {"distance": "jaccard", "empty": "disjoint", "exclude_unit": "both"},
]
SOME = [*combinations(CODERS, 2), CODERS]


@pytest.fixture(scope="module")
def rows(module_rows):
    text = " ".join(f"[{unit}]({unit})" for unit in UNITS)
    project = coded_project("exact", "passonneau-2004", *[f"{text} {n}" for n in range(3)], coders=CODERS)
    for coding in Coding.objects.of_people().select_related("coder", "text"):
        answer_indices(coding, UNITS, ANSWERS[coding.text.slug].get(coding.coder.username, ""))
    return hand_in(project)


@pytest.fixture
def project(rows, db):
    return Project.objects.get(pk=rows.pk)


def values_of(text, answers, singleton, unmarked):
    """Return one coder's values in one text by the definition, by unit."""
    alone = {"singleton": lambda unit: frozenset({unit}), "label": lambda _: "unmarked", "missing": lambda _: None}
    units = [(text, unit) for unit in UNITS]
    given = dict(zip(units, answers.split(), strict=True))
    values = {}
    for unit, answer in given.items():
        if answer == ".":
            values[unit] = alone[unmarked](unit)
        elif answer == "0":
            values[unit] = frozenset({unit}) if singleton else "none"
        else:
            names = set(answer.split("|"))
            values[unit] = frozenset(other for other, own in given.items() if names & set(own.split("|")) - {"0", "."})
    return values


def table_of(texts, coders, singleton, unmarked):
    columns = {
        (text, coder): values_of(text, ANSWERS[text][coder], singleton, unmarked)
        for text in texts
        for coder in coders
        if coder in ANSWERS[text]
    }
    return {
        (text, unit): [columns.get((text, coder), {}).get((text, unit)) for coder in coders]
        for text in texts
        for unit in UNITS
    }


@pytest.mark.parametrize("unmarked", ["singleton", "label", "missing"])
@pytest.mark.parametrize("singleton", [True, False])
def test_alpha_of_coders_and_texts_equals_exact_fraction(project, singleton, unmarked):
    change_rows(Category.objects.filter(key="none"), singleton=singleton)
    forget_answers()
    answers = read_answers(project)
    for who in SOME:
        for options in OPTIONS:
            report = compute_report(answers, Parameters(coders=",".join(who), unmarked=unmarked, **options))
            found = {"": report.result} | {row.text.slug: row.result for row in report.texts}
            for slug, result in found.items():
                value, observed, expected = exact.alpha(
                    table_of([slug] if slug else ANSWERS, who, singleton, unmarked),
                    options["distance"],
                    **{option: value for option, value in options.items() if option != "distance"},
                )
                for name, fraction in (("value", value), ("observed", observed), ("expected", expected)):
                    figure = getattr(result, name)
                    assert figure == (None if fraction is None else pytest.approx(float(fraction), abs=1e-12)), (
                        who, options, slug, name
                    )  # fmt: skip
