"""Plans of rounds: preview, application, extension and command."""

import json
from datetime import date
from io import StringIO

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command

from annotations.models import Coding, Membership, Plan, PlanText, Round
from annotations.planning.plans.designs.terms import Design, PlanParameters
from annotations.planning.plans.matrix import matrix_of_round
from annotations.planning.plans.plans import PlanRequest, apply_plan, view_plan
from annotations.planning.pool import take_next_text
from annotations.planning.rounds import change_round, create_round
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member, remove_membership
from tests.shared.coding import judge
from tests.shared.plans import CODERS, bring_texts, plan_request
from tests.shared.projects import person


def assigned(project):
    rows = Coding.objects.of_people().filter(text__project=project).values_list("text__slug", "coder__username")
    return {slug: sorted(name for other, name in rows if other == slug) for slug, _ in rows}


def test_plan_makes_assignments_and_second_run_changes_nothing(large):
    preview = view_plan(large, plan_request()).as_dict()
    applied = apply_plan(large, plan_request()).as_dict()
    assert applied == preview == view_plan(large, plan_request()).as_dict()
    assert assigned(large) == {row["text"]: row["coders"] for row in preview["assignments"]}
    rows = list(Coding.objects.of_people().order_by("pk").values())
    apply_plan(large, plan_request())
    assert list(Coding.objects.of_people().order_by("pk").values()) == rows
    assert Plan.objects.get().texts.count() == 12


def test_each_coder_has_own_order_of_texts(large):
    view = apply_plan(large, plan_request())
    for name, order in view.proposal.orders.items():
        own = Coding.objects.of_people().filter(coder__username=name).order_by("place")
        assert list(own.values_list("place", "text__slug")) == list(enumerate(order, 1))


def test_plan_of_new_texts_keeps_assignments(large):
    apply_plan(large, plan_request(calibration=2))
    before = set(Coding.objects.of_people().values_list("pk", "place"))
    calibration = set(PlanText.objects.filter(calibration=True).values_list("text__slug", flat=True))
    bring_texts(large, ["u1", "u2"])
    apply_plan(large, plan_request(calibration=2))
    assert before < set(Coding.objects.of_people().values_list("pk", "place"))
    assert Coding.objects.of_people().count() == len(before) + 4
    assert set(PlanText.objects.filter(calibration=True).values_list("text__slug", flat=True)) == calibration


def test_option_move_keeps_begun_codings(large):
    apply_plan(large, plan_request())
    coding = Coding.objects.of_people().filter(coder__username="ann").first()
    judge(coding, coding.text.markables.first().key, "none")
    add_member(large, person("eve"), Membership.Role.CODER)
    view = apply_plan(large, plan_request(move=True, seed=8))
    assert Coding.objects.of_people().filter(pk=coding.pk).exists()
    assert view.proposal.loads[-1].texts >= 4
    assert Coding.objects.of_people().count() == 24


def test_plan_hides_begun_work_from_manager_who_codes(large):
    apply_plan(large, plan_request())
    before = view_plan(large, plan_request(seed=9), blind=True)
    remove_membership(Membership.objects.get(project=large, user__username="dee"))
    without = view_plan(large, plan_request(seed=9), blind=True)
    for coding in Coding.objects.of_people().all():
        judge(coding, coding.text.markables.first().key, "none")
    assert view_plan(large, plan_request(seed=9), blind=True) == without
    assert before.as_dict() != without.as_dict()
    with pytest.raises(ValidationError, match="does not move"):
        view_plan(large, plan_request(move=True), blind=True)


def test_plan_hides_texts_taken_from_pool_from_manager_who_codes(large):
    pool = plan_request(pool=True, k=2)
    apply_plan(large, pool)
    assign_texts(large, large.texts.all()[:1], [person("ben")])
    round_, coders = large.rounds.get(), [person(name) for name in CODERS]

    def seen():
        matrix = matrix_of_round(large, round_, coders, None, blind=True)
        return view_plan(large, pool, blind=True), matrix.columns, [row.cells for row in matrix.rows], matrix.pairs

    before = seen()
    taken = take_next_text(large, person("ann"))
    judge(taken, taken.text.markables.first().key, "none")
    assert seen() == before
    assert view_plan(large, pool).as_dict() != before[0].as_dict()
    with pytest.raises(ValidationError, match="keep it a pool, or ask a manager who does not code"):
        view_plan(large, plan_request(), blind=True)
    # Who adds what is taken adds nothing, and is not told so.
    added = plan_request(pool=True, k=2, additions=frozenset({(taken.text.slug, "ann")}))
    apply_plan(large, added, blind=True)
    assert Coding.objects.of_people().filter(coder=person("ann")).count() == 1


def test_work_is_counted_in_words_without_markables(large):
    assert view_plan(large, plan_request()).unit == "markables"
    large.texts.first().markables.model.objects.all().delete()
    view = view_plan(large, plan_request())
    assert view.unit == "words"
    assert {load.work for load in view.proposal.loads} == {24}


def test_adjudicators_take_part_in_plans_only_if_named(large):
    for name, role in (("maya", "manager-coder"), ("adam", "adjudicator"), ("vera", "viewer")):
        add_member(large, person(name), role)
    assert set(view_plan(large, plan_request()).coders) == {"ann", "ben", "cem", "dee", "maya"}
    named = PlanRequest(PlanParameters(), coders=("adam", "ann"))
    assert set(view_plan(large, named).coders) == {"adam", "ann"}
    with pytest.raises(ValidationError, match="There are no coders of these names in the project: vera"):
        view_plan(large, PlanRequest(PlanParameters(), coders=("vera",)))


def test_plan_uses_last_open_round(large):
    create_round(large, "second", Round.objects.get())
    apply_plan(large, plan_request())
    assert set(Coding.objects.of_people().values_list("round__name", flat=True)) == {"second"}
    apply_plan(large, plan_request("main"))
    assert Coding.objects.of_people().filter(round__name="main").count() == 24
    change_round(Round.objects.get(name="second"), closed=True)
    assert view_plan(large, plan_request()).round_name == "main"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [({"round_name": "ghost"}, "There is no round 'ghost'"), ({"k": 5}, "k is 5, but 4 people code here")],
)
def test_plan_refuses_unknown_round_and_too_large_k(large, fields, reason):
    with pytest.raises(ValidationError, match=reason):
        apply_plan(large, plan_request(**fields))
    assert not Plan.objects.exists()


def test_plan_refuses_unknown_coders_and_closed_rounds(large):
    with pytest.raises(ValidationError, match="There are no coders of these names in the project: ghost"):
        view_plan(large, PlanRequest(PlanParameters(), coders=("ann", "ghost")))
    change_round(Round.objects.get(), closed=True)
    for name in ("main", ""):
        with pytest.raises(ValidationError, match=r"open it|No round is open"):
            view_plan(large, plan_request(name))


def test_plan_counts_manual_assignments(large):
    assign_texts(large, large.texts.all(), [person("ann")])
    view = apply_plan(large, plan_request())
    assert {load.coder: load.texts for load in view.proposal.loads} == {"ann": 12, "ben": 4, "cem": 4, "dee": 4}


def run(*arguments):
    out = StringIO()
    call_command("plan", *arguments, stdout=out)
    return out.getvalue()


def test_command_shows_same_bytes_and_writes_only_with_apply(large):
    arguments = ("large", "--design", "k", "--k", "2", "--seed", "7", "--format", "json")
    first = run(*arguments)
    assert not Coding.objects.of_people().exists()
    assert run(*arguments, "--apply") == first == run(*arguments, "--apply") == run(*arguments)
    plan = json.loads(first)
    assert (plan["design"], plan["k"], plan["seed"], plan["round"], plan["connected"]) == ("k", 2, 7, "main", True)
    assert {row["text"]: row["coders"] for row in plan["assignments"]} == assigned(large)
    assert plan["loads"][0] == {"coder": "ann", "texts": 6, "work": 12}
    assert plan["pairs"][0] == {"coders": ["ann", "ben"], "texts": 2}


def test_command_takes_every_option(large):
    options = "--design share --k all --share .5 --calibration 1 --weight ann=2 --maximum ben=9 --due 2026-12-24"
    out = run("large", "--seed", "1", "--round", "main", "--apply", *options.split())
    assert "Each two coders share" in out
    assert "The round main has" in out
    plan = Plan.objects.get()
    assert (plan.design, plan.k, plan.share, plan.calibration) == ("share", None, 0.5, 1)
    assert plan.due_on == date(2026, 12, 24)
    assert set(plan.coders.values_list("coder__username", "weight", "maximum")) == {
        ("ann", 2000, None), ("ben", 1000, 9), ("cem", 1000, None), ("dee", 1000, None),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["ghost", "--design", "k"], "There is no project 'ghost'"),
        (["large", "--design", "k", "--k", "9"], "k is 9"),
        (["large", "--design", "k", "--weight", "ann"], "not of the form NAME=NUMBER"),
        (["large", "--design", "k", "--weight", "ann=x"], "not of the form NAME=NUMBER"),
        (["large", "--design", "k", "--due", "soon"], "not a date"),
        (["large", "--design", "k", "--k", "two"], "neither a number"),
    ],
)
def test_command_names_wrong_argument(large, arguments, reason):
    with pytest.raises(CommandError, match=reason):
        run(*arguments)


def test_plan_of_pool_stores_number_of_coders_and_assigns_nothing(large):
    view = apply_plan(large, plan_request(pool=True, design=Design.SHARE, k=2, share=0.25, calibration=1))
    assert not Coding.objects.of_people().exists()
    assert sorted(Plan.objects.get().texts.values_list("coders", flat=True)) == [1] * 9 + [2, 2, 4]
    assert all(row["coders"] == [] for row in view.as_dict()["assignments"])
