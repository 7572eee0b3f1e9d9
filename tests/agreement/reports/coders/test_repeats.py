"""Self-agreement of coders on repeats and rechecks, against exact fractions."""

from dataclasses import replace

import pytest

from agreement.data.reading import read_answers
from agreement.reports.coders.differences import NOT_SUBMITTED, compare_occasions
from agreement.reports.fields import as_json
from agreement.reports.overall import AgreementFigures, compute_report
from agreement.reports.parameters import Parameters
from annotations.coding.status import submit_coding
from annotations.models import Coding, Project
from annotations.planning.rounds import change_round, create_round
from tests.agreement.measures import exact
from tests.agreement.measures.uncertainty.test_default_interval import bounds
from tests.shared.agreeing import answer_indices, coded_project, hand_in
from tests.shared.projects import person

UNITS = "abcdef"
# Of each of six markables an index, 0 where it does not refer, a point where it is left out.
FIRST = {
    "text-1": {"ann": "1 1 2 0 2 1", "bea": "1 1 2 0 0 ."},
    "text-2": {"ann": "1 0 1 2 3 2", "bea": "1 0 1 2 3 3"},
    "text-3": {"ann": "0 1 1 2 2 3", "bea": "0 1 2 2 2 0"},
    "text-4": {"ann": "1 1 1 2 2 2", "bea": "1 1 2 2 . ."},
}
# Ann left markables out on either occasion, and has the fourth text open still; Bea's second time is empty.
SECOND = {
    "text-1": {"ann": "1 1 2 2 2 ."},
    "text-2": {"ann": "1 1 1 2 3 3"},
    "text-3": {"ann": "0 . 1 2 2 0", "bea": ". . . . . ."},
    "text-4": {"ann": "1 2 2 2 2 2"},
}
OPEN = ("text-4", "ann")
COUNTED = ("text-1", "text-2", "text-3")


# What both coders submitted on both occasions, and nothing else.
BOTH = {
    "text-1": {"ann": "1 1 2 2 2 .", "bea": "1 1 2 0 0 1"},
    "text-2": {"ann": "1 1 1 2 3 3", "bea": "1 0 1 2 2 3"},
    "text-3": {"ann": "0 . 1 2 2 0"},
    "text-4": {"bea": "1 1 2 2 3 1"},
}


def show_again(project, again=SECOND, round_=None):
    """Code texts for a second time, in a round or on a second occasion of the same round."""
    for slug, answers in again.items():
        for name, given in answers.items():
            text, place = project.texts.get(slug=slug), round_ or project.rounds.get()
            occasion = 1 if round_ else 2
            coding = Coding.objects.create(text=text, coder=person(name), round=place, occasion=occasion)
            answer_indices(coding, UNITS, given)
            if again is not SECOND or (slug, name) != OPEN:
                submit_coding(coding, coding.coder)


def figures_of(row):
    return [row.value, row.low, row.high]


@pytest.fixture(scope="module")
def rows(module_rows):
    text = " ".join(f"[{unit}]({unit})" for unit in UNITS)
    project = coded_project("exact", "passonneau-2004", *[f"{text} {n}" for n in range(4)], coders=("ann", "bea"))
    for coding in Coding.objects.of_people().select_related("coder", "text"):
        answer_indices(coding, UNITS, FIRST[coding.text.slug][coding.coder.username])
    return hand_in(project)


@pytest.fixture
def project(rows, db):
    return Project.objects.get(pk=rows.pk)


def values_of(text, given, unmarked):
    answers = dict(zip([(text, unit) for unit in UNITS], given.split(), strict=True))
    alone = {"singleton": lambda unit: frozenset({unit}), "label": lambda _: "unmarked", "missing": lambda _: None}
    return {
        unit: alone[unmarked](unit)
        if sign == "."
        else frozenset({unit})  # the scheme has it so
        if sign == "0"
        else frozenset(other for other, its in answers.items() if its == sign)
        for unit, sign in answers.items()
    }


def table_of(texts, columns, unmarked):
    table = {}
    for text in texts:
        values = [values_of(text, column[text], unmarked) for column in columns]
        table |= {(text, unit): [column[text, unit] for column in values] for unit in UNITS}
    return table


@pytest.mark.parametrize("unmarked", ["missing", "label", "singleton"])
@pytest.mark.parametrize("options", [{"distance": "masi"}, {"distance": "passonneau", "exclude_unit": "both"}])
def test_self_agreement_of_coder_equals_exact_fraction(project, unmarked, options):
    show_again(project)
    parameters = Parameters(unmarked=unmarked, **options)
    ann, bea = compare_occasions(read_answers(project), parameters).coders
    rest = {name: value for name, value in options.items() if name != "distance"}

    def alpha(table):
        return exact.alpha(table, options["distance"], **rest)[0]

    first, second = ({text: given["ann"] for text, given in occasion.items()} for occasion in (FIRST, SECOND))
    table = table_of(COUNTED, (first, second), unmarked)
    without = [alpha({unit: row for unit, row in table.items() if unit[0] != text}) for text in COUNTED]
    low, high, *_ = bounds(alpha(table), without)
    found = figures_of(ann)
    assert found == pytest.approx([float(alpha(table)), float(low), float(high)], abs=1e-12)
    others = {text: given["bea"] for text, given in FIRST.items()}
    assert ann.between == pytest.approx(float(alpha(table_of(COUNTED, (first, others), unmarked))), abs=1e-12)
    assert (ann.shown_again, ann.texts, ann.texts_left_out) == (4, 3, {NOT_SUBMITTED: 1})
    assert (bea.shown_again, bea.codings, bea.texts, bea.texts_left_out) == (1, 1, 1, {})
    assert ann.note.startswith(f"1 {NOT_SUBMITTED}")


@pytest.mark.parametrize("options", [{"distance": "masi"}, {"distance": "passonneau", "exclude_unit": "both"}])
@pytest.mark.parametrize("kind", ["repeats", "rechecks"])
def test_pooled_self_agreement_equals_exact_fraction(project, kind, options):
    round_ = create_round(project, "again", kind="recheck") if kind == "rechecks" else None
    show_again(project, BOTH, round_)
    parameters = Parameters(unmarked="label", **options)
    rest = {name: value for name, value in options.items() if name != "distance"}
    # Each coder's text is a text of its own.
    table = {}
    for slug, answers in BOTH.items():
        for name, second in answers.items():
            key = slug, name
            first, again = (values_of(key, given, "label") for given in (FIRST[slug][name], second))
            table |= {(key, unit): [first[key, unit], again[key, unit]] for unit in UNITS}

    def alpha(rows):
        return exact.alpha(rows, options["distance"], **rest)[0]

    without = [alpha({unit: row for unit, row in table.items() if unit[0][0] != slug}) for slug in BOTH]
    low, high, *_ = bounds(alpha(table), without)
    repeats, rechecks = compare_occasions(read_answers(project), parameters).parts
    found = rechecks if kind == "rechecks" else repeats
    expected = [float(figure) for figure in (alpha(table), low, high)]
    assert figures_of(found.together) == pytest.approx(expected, abs=1e-12)
    together = found.together
    assert (together.coder, together.shown_again, together.codings, together.texts) == ("", 6, 6, 4)
    assert [row.coder for row in found.coders] == ["ann", "bea"]


def test_each_recheck_adds_comparison(project):
    first, second = (create_round(project, name, kind="recheck") for name in ("again", "again-2"))
    show_again(
        project, {"text-1": {"ann": "1 1 2 2 2 .", "bea": "1 1 2 0 0 1"}, "text-2": {"ann": "1 1 1 2 3 3"}}, first
    )
    show_again(project, {"text-1": {"ann": "1 2 3 1 2 1", "bea": "1 2 3 1 2 1"}}, second)
    parameters = Parameters(unmarked="label", distance="masi")

    def count(asked):
        return [row.codings for row in compare_occasions(read_answers(project), asked).rechecks]

    assert count(parameters) == [3, 2]
    assert count(replace(parameters, texts="text-1")) == [2, 2]


def test_recheck_is_compared_with_latest_counted_round_before(project):
    answers, main = BOTH["text-1"]["ann"], project.rounds.get()
    text, ann = project.texts.get(slug="text-1"), person("ann")
    recheck = create_round(project, "recheck", kind="recheck")
    for name, kind in (("later", "main"), ("pilot", "pilot"), ("training", "training")):
        change_round(create_round(project, name, kind=kind), place=9 if name == "later" else 1)
        coding = Coding.objects.create(text=text, coder=ann, round=project.rounds.get(name=name))
        answer_indices(coding, UNITS, "1 1 1 1 1 1")
        submit_coding(coding, ann)
    show_again(project, {"text-1": {"ann": answers}}, recheck)
    parameters = Parameters(unmarked="label", distance="masi")
    report = compare_occasions(read_answers(project), parameters)
    assert (report.coders, report.all_rechecks) == ((), None)
    table = table_of(["text-1"], ({"text-1": FIRST["text-1"]["ann"]}, {"text-1": answers}), "label")
    expected = float(exact.alpha(table, "masi")[0])
    assert report.rechecks[0].value == pytest.approx(expected, abs=1e-12)
    for chosen, n in (("main", 1), ("recheck", 1), ("pilot", 0)):
        found = compare_occasions(read_answers(project), replace(parameters, rounds=chosen)).rechecks
        assert len(found) == n, chosen
    assert main.position < recheck.position


def test_repeats_obey_include_open_and_selection(project):
    show_again(project)
    answers = read_answers(project)
    [ann] = compare_occasions(answers, Parameters(include="open", coders="ann")).coders
    assert (ann.texts, ann.between) == (4, None)
    [ann] = compare_occasions(answers, Parameters(texts="text-2", coders="ann")).coders
    assert (ann.shown_again, ann.texts) == (1, 1)


def test_repeats_change_no_other_figure(project):
    def figures():
        report = as_json(AgreementFigures.of(compute_report(read_answers(project), Parameters(distance="masi"))))
        left_out = report.pop("codings_left_out")
        return {name: value for name, value in report.items() if name not in ("fingerprint", "texts")}, left_out

    before, _ = figures()
    show_again(project)
    after, left_out = figures()
    assert after == before
    assert left_out["repeats"] == 5


def test_methods_text_reports_self_agreement(project, charlie, signed_in):
    client, url = signed_in(charlie), "/projects/exact/agreement/"
    before = [client.get(f"{url}{page}").content.decode() for page in ("methods/", "coders/")]
    assert ["of their own again" in before[0], "Each coder with themself" in before[1]] == [False, False]
    show_again(project, BOTH)
    show_again(project, {"text-1": BOTH["text-1"]}, create_round(project, "recheck", kind="recheck"))
    text = client.get(f"{url}methods/").content.decode()
    assert "Each coder with themself" in client.get(f"{url}coders/").content.decode()
    answered = client.get("/api/v1/projects/exact/agreement/repeats/").json()
    whole, rechecked = answered["all_coders"], answered["all_rechecks"]
    assert f"{whole['value']:z.3f} (95% interval {whole['low']:z.3f} to {whole['high']:z.3f})" in text
    assert "2 coders coded 1 text of their own again (2 codings), knowingly, in a recheck" in text
    assert f"{rechecked['value']:z.3f}" in text
