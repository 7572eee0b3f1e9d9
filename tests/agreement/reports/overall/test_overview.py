"""The first look at a project: what is missing, what the figure amounts to, and what to mind."""

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


def seen(project, **asked):
    return build_overview(read_answers(project), Parameters(**asked), read_progress(project))


def test_answers_that_nobody_has_handed_in_miss_handing_in(db):
    project = sorted_out({"text-1": {"alice": "pg", "bob": "gg"}}, handed_in=False)
    assert seen(project).missing == ("No coding is submitted yet. Only submitted codings count.",)
    assert seen(project, include="open").missing == ()


def test_two_coders_have_to_have_submitted_the_same_text(db):
    project = sorted_out({"text-1": {"alice": "pg", "bob": ".."}})
    Coding.objects.of_people().filter(coder__username="bob").update(status=Coding.Status.OPEN)
    assert seen(project).missing == ("Only alice has submitted a coding that counts: agreement needs two coders.",)
    apart = sorted_out({"text-1": {"alice": "pg", "bob": ".."}, "text-2": {"alice": "..", "bob": "pg"}}, "apart")
    Coding.objects.of_people().filter(judgements=None).delete()
    assert seen(apart).missing == ("No text has submitted answers of two coders, which agreement needs.",)


@pytest.mark.parametrize(
    ("answers", "note"),
    [({"alice": "pp", "bob": "pp"}, "chance would agree as well"), ({"alice": "p.", "bob": ".p"}, "two coders")],
)
def test_what_is_undefined_says_why(db, answers, note):
    found = seen(sorted_out({"text-1": answers}))
    assert found.missing == (f"The coefficient is undefined: {found.report.result.note}.",)
    assert note in found.report.result.note
    assert (found.verdict, found.notes) == ("", ())


def test_where_there_is_figure_nothing_is_missing_and_it_is_that_of_report(db):
    project = sorted_out(THREE)
    found = seen(project)
    assert found.missing == ()
    assert found.report == overall.compute_report(read_answers(project), Parameters())
    assert found.verdict == verdict(found.report.interval)


def an_interval(value, low, high):
    result = Result("alpha", value, 0.1, 0.2, 1, 2, 2, 2)
    return Interval(result, low, high, 0.95, 0.1, "document", 3)


@pytest.mark.parametrize(("value", "band"), [(-0.5, 0), (0.6669, 0), (0.667, 1), (0.7999, 1), (0.8, 2), (1.0, 2)])
def test_figure_is_in_the_band_of_its_mark_from_below(value, band):
    assert verdict(an_interval(value, value, value)) == f"{BANDS[band]}; so is all of the CI."
    said = verdict(an_interval(value, None, None))
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
def test_interval_that_reaches_into_another_band_says_so(interval, reach):
    said = verdict(an_interval(*interval))
    assert said.endswith("so is all of the CI." if reach is None else f"; its CI reaches {reach}.")


def test_one_text_is_not_called_reliable_in_all_of_its_interval(db):
    answers = {"text-1": {"alice": "ppgglplp", "bob": "ppgglplp"}, "text-2": {"alice": "..", "bob": ".."}}
    project = sorted_out(answers)
    answer_with(project, "text-1", "bob", "ppgglplg")
    assert "all of the CI" not in seen(project).verdict


def test_notes_say_what_is_not_given_out_not_handed_in_and_not_shared(db):
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
    found = seen(project, include="open")
    assert found.notes[:3] == (
        "1 of 3 texts with codings that count has no markable with answers of two coders.",
        "5 codings of 6 are not submitted.",
        "1 text is not assigned.",
    )
    # the last of text-1, and that of text-3
    assert found.notes[3:] == ("2 markables left out: coded by fewer than two coders.",)


def test_one_text_has_an_interval_over_markables_and_a_note_that_says_so(db):
    long = dict(zip(("alice", "bob"), LONG.split(), strict=False))
    project = sorted_out({"text-1": long})
    note = "Only one text is used: the CI is over markables and says nothing of other texts."
    assert seen(project).notes == (note,)
    two = sorted_out({"text-1": long, "text-2": {"alice": "pg", "bob": "gg"}}, "two")
    assert seen(two).notes == ()
    assert seen(two, texts="text-1").notes == (note,)
    assert seen(two, texts="text-2").notes == ()


def test_equal_alphas_of_all_distances_are_no_range(db):
    project = coded_project("sets", "poesio-artstein-2005", WALK)
    for coding in Coding.objects.of_people().filter(text__project=project).select_related("coder", "text"):
        keys = list(coding.text.markables.filter(level__coded=True).order_by("start").values_list("key", flat=True))
        judge_all(coding, [judgement(key, "none" if place % 2 else "place") for place, key in enumerate(keys)])
    hand_in(project)
    said = seen(project, distance="masi", coefficient="alpha").verdict
    assert "By every distance alpha is 1.000." in said
    assert "from 1.000" not in said
