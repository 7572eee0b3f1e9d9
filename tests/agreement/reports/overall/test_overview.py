"""The overview of results: missing work, verdict and notes."""

import pytest

from agreement.data.reading import read_answers
from agreement.measures import Interval, Result
from agreement.reports import overall
from agreement.reports.overall import BANDS, build_overview, verdict
from agreement.reports.parameters import Parameters
from annotations.coding.status import submit_coding
from annotations.models import Coding, User
from annotations.planning.work.progress import read_progress
from tests.shared.agreeing import WALK, coded_project, hand_in
from tests.shared.coding import judge_all, judgement
from tests.shared.letters import LONG, THREE, answer_with, sorted_out


def overview(project, **asked):
    return build_overview(read_answers(project), Parameters(**asked), read_progress(project))


def test_overview_asks_for_submission_of_open_codings(db):
    project = sorted_out({"text-1": {"alice": "pg", "bob": "gg"}}, handed_in=False)
    assert overview(project).missing == ("No coding is submitted yet. Only submitted codings count.",)
    assert overview(project, include="open").missing == ()


def test_overview_asks_for_text_submitted_by_two_coders(db):
    project = sorted_out({"text-1": {"alice": "pg", "bob": ".."}})
    Coding.objects.of_people().filter(coder__username="bob").update(status=Coding.Status.OPEN)
    assert overview(project).missing == ("Only alice has submitted a coding that counts: agreement needs two coders.",)
    apart = sorted_out({"text-1": {"alice": "pg", "bob": ".."}, "text-2": {"alice": "..", "bob": "pg"}}, "apart")
    Coding.objects.of_people().filter(judgements=None).delete()
    assert overview(apart).missing == ("No text has submitted answers of two coders, which agreement needs.",)


@pytest.mark.parametrize(
    ("answers", "note"),
    [({"alice": "pp", "bob": "pp"}, "chance would agree as well"), ({"alice": "p.", "bob": ".p"}, "two coders")],
)
def test_overview_explains_undefined_coefficient(db, answers, note):
    found = overview(sorted_out({"text-1": answers}))
    assert found.missing == (f"The coefficient is undefined: {found.report.result.note}.",)
    assert note in found.report.result.note
    assert (found.verdict, found.notes) == ("", ())


def test_overview_has_figure_of_report(db):
    project = sorted_out(THREE)
    found = overview(project)
    assert found.missing == ()
    assert found.report == overall.compute_report(read_answers(project), Parameters())
    assert found.verdict == verdict(found.report.interval)


def make_interval(value, low, high):
    result = Result("alpha", value, 0.1, 0.2, 1, 2, 2, 2)
    return Interval(result, low, high, 0.95, 0.1, "document", 3)


@pytest.mark.parametrize(("value", "band"), [(-0.5, 0), (0.6669, 0), (0.667, 1), (0.7999, 1), (0.8, 2), (1.0, 2)])
def test_verdict_names_band_of_value(value, band):
    assert verdict(make_interval(value, value, value)) == f"{BANDS[band]}; so is all of the CI."
    said = verdict(make_interval(value, None, None))
    assert said.startswith(f"{BANDS[band]}. There is no CI")


@pytest.mark.parametrize(
    ("interval", "reach"),
    [
        ((0.9, 0.8, 1.0), None),
        ((0.9, 0.79, 1.0), "below .8"),
        ((0.9, 0.1, 1.0), "below .8"),
        ((0.7, 0.667, 0.79), None),
        ((0.7, 0.6, 0.79), "below .667"),
        ((0.7, 0.68, 0.8), "above .8"),
        ((0.7, 0.6, 0.8), "below .667 and above .8"),
        ((0.5, 0.1, 0.6), None),
        ((0.5, 0.1, 0.9), "above .667"),
    ],
)
def test_verdict_names_bands_reached_by_interval(interval, reach):
    said = verdict(make_interval(*interval))
    assert said.endswith("so is all of the CI." if reach is None else f"; its CI reaches {reach}.")


def test_verdict_of_single_text_does_not_claim_whole_interval(db):
    answers = {"text-1": {"alice": "ppgglplp", "bob": "ppgglplp"}, "text-2": {"alice": "..", "bob": ".."}}
    project = sorted_out(answers)
    answer_with(project, "text-1", "bob", "ppgglplg")
    assert "all of the CI" not in overview(project).verdict


def test_notes_count_unassigned_open_and_unshared_work(db):
    project = sorted_out(
        {
            "text-1": {"alice": "pgl", "bob": "pg."},
            "text-2": {"alice": "pg", "bob": "gg"},
            "text-3": {"alice": "p", "bob": "."},
            "text-4": {"alice": ".", "bob": "."},
        },
        handed_in=False,
    )
    Coding.objects.of_people().filter(text__slug="text-4").delete()
    submit_coding(
        Coding.objects.of_people().get(text__slug="text-1", coder__username="bob"), User.objects.get(username="bob")
    )
    found = overview(project, include="open")
    assert found.notes[:3] == (
        "1 of 3 texts with codings that count has no markable with answers of two coders.",
        "5 codings of 6 are not submitted.",
        "1 text is not assigned.",
    )
    # the last of text-1, and that of text-3
    assert found.notes[3:] == ("2 markables left out: coded by fewer than two coders.",)


def test_note_warns_of_interval_over_markables(db):
    long = dict(zip(("alice", "bob"), LONG.split(), strict=False))
    project = sorted_out({"text-1": long})
    note = "Only one text is used: the CI is over markables and says nothing of other texts."
    assert overview(project).notes == (note,)
    two = sorted_out({"text-1": long, "text-2": {"alice": "pg", "bob": "gg"}}, "two")
    assert overview(two).notes == ()
    assert overview(two, texts="text-1").notes == (note,)
    assert overview(two, texts="text-2").notes == ()


def test_verdict_has_no_range_for_equal_alphas(db):
    project = coded_project("sets", "poesio-artstein-2005", WALK)
    for coding in Coding.objects.of_people().filter(text__project=project).select_related("coder", "text"):
        keys = list(coding.text.markables.filter(level__coded=True).order_by("start").values_list("key", flat=True))
        judge_all(coding, [judgement(key, "none" if place % 2 else "place") for place, key in enumerate(keys)])
    hand_in(project)
    said = overview(project, distance="masi", coefficient="alpha").verdict
    assert "By every distance alpha is 1.000." in said
    assert "from 1.000" not in said
