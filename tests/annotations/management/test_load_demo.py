"""manage.py load_demo."""

import json
from collections import Counter
from datetime import timedelta
from fractions import Fraction
from functools import cache
from io import StringIO
from itertools import product
from statistics import median
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import Count, Q
from django.test import override_settings
from django.utils import timezone

from annotations.adjudication.decisions.listing import list_decisions
from annotations.adjudication.states import gold_states
from annotations.coding.active_time import read_work
from annotations.coding.decisions import OperationRejected
from annotations.coding.pyramids import scus
from annotations.models import (
    Coding,
    Docset,
    Judgement,
    Markable,
    Membership,
    ModelCoder,
    Operation,
    Plan,
    Pointer,
    Project,
    RepeatPlan,
    Round,
    Text,
    Token,
    User,
)
from annotations.models.coding import complete
from annotations.planning.plans.designs.terms import Design, PlanParameters
from annotations.planning.plans.plans import PlanRequest, view_plan
from annotations.planning.training import refuse_untrained, training_results
from annotations.planning.work.progress import read_progress_matrix
from annotations.planning.work.states import State
from tests.agreement.measures import exact
from tests.agreement.measures.uncertainty.test_default_interval import expected_of
from tests.annotations.transfers.archiving.test_archiving import assert_restores_equal
from tests.annotations.transfers.importing.test_importing import all_rows
from tests.reference import alt_test as slow
from tests.shared.cases import is_full
from tests.shared.projects import person
from tests.shared.settings import QUICK_HASHERS

pytestmark = pytest.mark.slow

# Who has been trained in the project of three rounds.
TRAINED = ("kim", "lou", "sam", "ute")


@pytest.fixture(scope="module")
def output(module_rows) -> str:
    """Load the demo for all tests of the module, and return what the command prints."""
    out = StringIO()
    with override_settings(LOCAL=True, PASSWORD_HASHERS=QUICK_HASHERS):
        call_command("load_demo", stdout=out)
    return out.getvalue()


@pytest.fixture
def demo(output, db, settings) -> str:
    settings.LOCAL = True
    return output


def chronicle_round(name: str) -> Round:
    return Round.objects.select_related("project").get(project__slug="chronicle", name=name)


def attempts() -> list[tuple[str, str, bool]]:
    """Return the coders with the texts that they submitted in training, in this order, and whether they passed."""
    results = training_results(chronicle_round("training"))
    return [
        (result.coder.username, attempt.coding.text.slug, attempt.passed)
        for result in results
        for attempt in result.attempts
        if attempt.score is not None
    ]


def answers_of(coding: Coding) -> tuple[list[str], dict[str, str], dict[str, set[str]]]:
    """Return the markables of a text in order, and their categories and antecedents in a coding."""
    order = list(coding.text.markables.order_by("start", "-end").values_list("key", flat=True))
    categories = dict(coding.judgements.values_list("markable__key", "category__key"))
    pointers: dict[str, set[str]] = {}
    for source, target in Pointer.objects.filter(judgement__coding=coding).values_list(
        "judgement__markable__key", "target__key"
    ):
        pointers.setdefault(source, set()).add(target)
    return order, categories, pointers


def agreement(capsys, *arguments: str) -> dict[str, Any]:
    call_command("agreement", *arguments, "--format", "json")
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_demo_has_nine_projects_and_prints_accounts(demo, client):
    assert set(Project.objects.values_list("slug", flat=True)) == {
        "news",
        "dialogue",
        "notices",
        "sortal",
        "links",
        "letters",
        "topics",
        "summaries",
        "chronicle",
    }
    others = ("ra1", "ann", "mo", "eva", "noor", "tom", "ida", "jon", "vera", *TRAINED)
    for name in ("manager", "alice", "bob", *others):
        assert name in demo
        assert client.login(username=name, password="coindex-demo")
    managed = Membership.objects.filter(user__username="manager", role=Membership.Role.MANAGER)
    assert managed.count() == 9


def test_codings_are_submitted_except_those_of_beginners(demo):
    to_code = Coding.objects.of_people().filter(status=Coding.Status.OPEN).exclude(coder__username__in=TRAINED)
    projects = ("dialogue", "links", "letters", "topics", "summaries", "chronicle")
    assert set(to_code.values_list("coder__username", "text__project__slug", "version")) == {
        *product(("alice", "bob"), projects, [0])
    }
    assert not Judgement.objects.filter(coding__in=to_code).exists()
    imported = Coding.objects.of_people().filter(operations__kind=Operation.Kind.IMPORT, version=2)
    assert imported.filter(status=Coding.Status.SUBMITTED).count() == 2 + 24
    coded = Coding.objects.of_people().filter(kind=Coding.Kind.TEXT, status=Coding.Status.SUBMITTED)
    assert [coding.version for coding in coded] == [coding.judgements.count() + 1 for coding in coded]
    assert len(coded) == 3 + 6 + 60 + 10 + 9 + 9 + len(attempts()) + 8 + 16 + 12
    assert Coding.objects.of_people().get(kind=Coding.Kind.AGREED).status == Coding.Status.SUBMITTED


def test_submitted_codings_have_complete_judgements(demo):
    for coding in Coding.objects.of_people().filter(status=Coding.Status.SUBMITTED):
        to_decide = Markable.objects.seen_in(coding.pk, coding.text_id).filter(level__coded=True).count()
        assert coding.judgements.filter(complete()).count() == to_decide > 0, coding


def test_coders_worked_on_past_days_at_plausible_pace(demo):
    for slug, n_codings in {"news": 3, "dialogue": 6, "notices": 60, "sortal": 10, "letters": 9, "topics": 9}.items():
        project = Project.objects.get(slug=slug)
        work = read_work(project)
        days = sorted({time.day for times in work.judgement_times.values() for time in times})
        assert days == [days[0] + timedelta(days=number) for number in range(n_codings)]
        assert days[-1] < timezone.localdate()
        for times in work.judgement_times.values():
            seconds = [time.seconds for time in times if time.seconds is not None]
            assert len(seconds) == len(times) - 1
            assert 4 < median(seconds) < 25
            assert max(seconds) < 100
    assert not Operation.objects.filter(applied_at__gt=timezone.now()).exists()


def test_pages_show_pace_and_charts_of_time(demo, client):
    assert client.login(username="manager", password="coindex-demo")
    page = client.get("/projects/dialogue/agreement/headline/").content.decode()
    assert "At the present pace 92 markables are decided on" in page
    assert "92 markables are left to decide. 276 judged" in page
    for address, key in (("coders/", "times"), ("course/", "days"), ("course/", "stages")):
        assert f'id="chart-{key}"' in client.get(f"/projects/sortal/agreement/{address}").content.decode()


def test_loading_again_keeps_changes_of_users(demo):
    project = Project.objects.get(slug="news")
    project.title = "Ours"
    project.save()
    manager = User.objects.get(username="manager")
    manager.set_password("another-password")
    manager.save()
    Project.objects.get(slug="dialogue").texts.all().delete()
    before = all_rows()
    call_command("load_demo")
    assert all_rows() == before


def test_demo_projects_are_restored_equal_with_same_agreement(demo, capsys):
    for project in Project.objects.all():
        assert_restores_equal(project)
        if project.slug != "links":  # nobody has coded it
            assert agreement(capsys, "copy")["value"] == agreement(capsys, project.slug)["value"]
        Project.objects.filter(slug="copy").update(slug=f"copy-of-{project.slug}")


@pytest.mark.parametrize(
    ("options", "value"),
    [
        (["--preset", "passonneau-2004"], 0.7434),
        (["--preset", "passonneau-2004-nominal"], 0.4495),
        (["--distance", "nominal", "--exclude-unit", "none"], 0.4495),
        (["--distance", "nominal"], 0.5238),
        (["--coders", "ra1,ra2,ra3"], 0.7434),
    ],
)
def test_news_give_figures_of_passonneau_2004(demo, capsys, options, value):
    found = agreement(capsys, "news", *options)
    assert round(found["value"], 4) == value
    assert found["coders"] == ["ra1", "ra2", "ra3"]
    if options == ["--preset", "passonneau-2004"]:
        assert agreement(capsys, "news") == found  # the paper's own convention


def test_sortal_classes_give_published_k(demo, capsys):
    found = agreement(capsys, "sortal")
    assert round(found["value"], 6) == 0.517375
    assert found["parameters"]["coefficient"] == "fleiss_kappa"
    assert found["n_coders"] == 2


def test_dialogue_has_six_coders_and_ambiguous_answers(demo, capsys):
    assert len(agreement(capsys, "dialogue")["coders"]) == 6
    judgements = Judgement.objects.filter(coding__text__project__slug="dialogue", category__key="phrase")
    assert judgements.annotate(antecedents=Count("pointers")).filter(antecedents__gte=2).exists()


def test_letters_have_plurals_ambiguity_bridging_and_attributes(demo):
    judgements = Judgement.objects.filter(coding__text__project__slug="letters")
    coded = {
        (judgement.coding.text.slug, judgement.markable.label, judgement.coding.coder.username): judgement
        for judgement in judgements.select_related("coding__text", "coding__coder", "markable")
    }

    def readings(text: str, label: str, relation: str = "old") -> dict[str, list[set[str]]]:
        found = {}
        for coder in ("eva", "noor", "tom"):
            targets: dict[int, set[str]] = {}
            pointers = coded[text, label, coder].pointers.filter(relation__key=relation)
            for reading, target in pointers.values_list("reading", "target__label"):
                targets.setdefault(reading, set()).add(target)
            found[coder] = list(targets.values())
        return found

    assert all(targets == [{"a", "b"}] for targets in readings("ferry", "e").values())
    assert readings("ferry", "o") == {"eva": [{"a", "b"}], "noor": [{"a", "b"}], "tom": [{"e"}]}
    assert readings("ferry", "r") == {"eva": [{"a"}, {"b"}], "noor": [{"b"}], "tom": [{"n"}]}
    assert readings("ferry", "k", "bridging") == {"eva": [{"h"}], "noor": [], "tom": [{"b"}]}
    kinds = {
        coder: [each.value.key for each in coded["ferry", "m", coder].answers.filter(attribute__key="bridging-kind")]
        for coder in ("eva", "noor", "tom")
    }
    assert kinds == {"eva": ["possession"], "noor": ["possession"], "tom": ["other"]}


def test_topics_have_sets_of_labels_without_category(demo):
    judgements = Judgement.objects.filter(coding__text__project__slug="topics")
    assert not judgements.filter(category__isnull=False).exists()
    several = judgements.annotate(n=Count("answers", filter=Q(answers__attribute__key="topics")))
    assert set(several.values_list("n", flat=True)) == {1, 2, 3}


def test_summaries_have_two_pyramids_agreed_pyramid_and_six_peers(demo):
    docset = Docset.objects.get()
    models = docset.texts.get(role=Text.Role.MODELS)
    assert models.segments.count() == 4
    made = models.codings.of_people().filter(status=Coding.Status.SUBMITTED).values_list("coder__username", "kind")
    assert set(made) == {("ida", "pyramid"), ("jon", "pyramid"), ("vera", "agreed")}
    peers = docset.texts.filter(role=Text.Role.PEER)
    assert (peers.count(), len(set(peers.values_list("system", flat=True)))) == (6, 3)
    assert set(peers.annotate(by=Count("codings")).values_list("by", flat=True)) == {4}


def test_agreed_pyramid_is_pyramid_of_coder_with_two_changes(demo):
    own, agreed = (
        {
            scu.key: (scu.weight, scu.label)
            for scu in scus.weighted_scus(Coding.objects.of_people().select_related("text").get(**which))
        }
        for which in ({"kind": "pyramid", "coder__username": "ida"}, {"kind": "agreed"})
    )
    assert own.keys() - agreed.keys() == {"monday"}
    assert {key for key in agreed if agreed[key] != own[key]} == {"late"}
    assert sorted((weight for weight, _ in own.values()), reverse=True)[:4] == [4, 4, 3, 3]


def test_masi_agreement_exceeds_jaccard_and_nominal_agreement(demo, capsys):
    """As in Table 2 of Passonneau 2006, in most differing pairs of sets of SCUs one is a subset."""
    presets = ("passonneau-2006-nominal", "passonneau-2006-jaccard", "passonneau-2006-words")
    nominal, jaccard, masi = (agreement(capsys, "summaries", "--preset", preset)["value"] for preset in presets)
    assert 0 < nominal < jaccard < masi < 1


def test_training_is_passed_at_once_later_or_by_decision(demo):
    assert attempts() == [
        ("kim", "practice-ferry", True),
        ("lou", "practice-library", True),
        ("sam", "practice-ferry", False),
        ("sam", "practice-goats", True),
        ("ute", "practice-ferry", False),
        ("ute", "practice-goats", False),
    ]
    results = {result.coder.username: result for result in training_results(chronicle_round("training"))}
    assert {name for name, result in results.items() if result.passed} == set(TRAINED)
    assert {name for name, result in results.items() if result.decision} == {"ute"}
    begun = Coding(text=Text.objects.get(slug="news-oil"), round=chronicle_round("main"), coder=person("kim"))
    refuse_untrained(begun)
    begun.coder = person("alice")
    with pytest.raises(OperationRejected, match="once you have passed the round training"):
        refuse_untrained(begun)


def test_training_scores_are_means_of_one_minus_masi(demo):
    of_training = Coding.objects.filter(kind=Coding.Kind.GOLD, round=chronicle_round("training"))
    gold = {coding.text_id: coding for coding in of_training}
    assert len(gold) == 3
    assert not Judgement.objects.filter(coding__in=gold.values(), note="").exists()
    for result in training_results(chronicle_round("training")):
        for attempt in result.attempts:
            if attempt.coding.status == Coding.Status.SUBMITTED:
                score = mean_of_gold(gold[attempt.coding.text_id], attempt.coding)
                assert attempt.score == round(float(score), 3)  # as it is shown, and held against the mark


def test_contested_items_of_pilot_are_decided_with_reasons(demo):
    listed = list_decisions(Project.objects.get(slug="chronicle"))
    assert Counter(str(decision.reason) for decision in listed) == {"slip": 6, "guideline": 4, "ambiguous": 2}
    assert Counter(str(decision.source) for decision in listed) == {"coder": 7, "draft": 4, "own": 1}
    assert all(decision.note and decision.gold.round.name == "pilot" for decision in listed)
    assert {bool(decision.section) for decision in listed if decision.reason == "guideline"} == {True}
    states = gold_states([*{decision.gold.pk: decision.gold for decision in listed}.values()])
    assert [(str(state.state), state.n_open) for state in states] == [("closed", 0)] * 2
    assert sum(len(state.contested) for state in states) == len(listed)
    for decision in listed:
        key = decision.item.markable
        [_, categories, pointers] = answers_of(decision.gold)
        for uuid in decision.codings:
            [_, theirs, targets] = answers_of(
                Coding.objects.of_people().select_related("text").get(operations__uuid=uuid)
            )
            assert (theirs[key], targets.get(key)) == (categories[key], pointers.get(key))
    coded = Operation.objects.filter(coding__round=chronicle_round("pilot"), coding__kind=Coding.Kind.TEXT)
    decided = Operation.objects.filter(coding__in=[state.coding for state in states])
    assert coded.latest("applied_at").applied_at < decided.earliest("applied_at").applied_at
    assert decided.latest("applied_at").applied_at < chronicle_round("pilot").closed_at


def mean_of_gold(gold: Coding, coding: Coding) -> Fraction:
    """Return the mean over the judgements of the gold of 1 - MASI of the chains, 0 where the category is another."""
    order, decided, antecedents = answers_of(gold)
    _, given, own_antecedents = answers_of(coding)
    scores = [
        1 - exact.distance(chain_in(antecedents, key), chain_in(own_antecedents, key), "masi")
        if given[key] == decided[key]
        else Fraction(0)
        for key in order
    ]
    return sum(scores, Fraction(0)) / len(scores)


def chain_in(antecedents: dict[str, set[str]], key: str) -> frozenset[str]:
    readings = {source: exact.readings_of(found) for source, found in antecedents.items()}
    return frozenset(exact.chain(key, readings, "targets"))


def test_main_round_is_planned_with_two_coders_per_text(demo):
    round_ = chronicle_round("main")
    plan = Plan.objects.get(round=round_)
    assert (plan.design, plan.k, plan.calibration, plan.seed) == ("k", 2, 2, 7)
    assert plan.due_on == timezone.localdate() - timedelta(days=1)
    coders = list(round_.codings.of_people().filter(occasion=1).values_list("coder__username", flat=True))
    assert sorted(Counter(coders).values()) == [5, 5, 6, 6]
    parameters = PlanParameters(Design.K, k=2, calibration=2, seed=7)
    view = view_plan(round_.project, PlanRequest(parameters, "main", TRAINED))
    # what somebody has begun and left is free for another
    assert {text for text, _ in view.proposal.new} == {"letter-pier"}


def test_progress_of_rounds_has_every_state(demo):
    project = Project.objects.get(slug="chronicle")
    matrix = read_progress_matrix(project, person("manager"), "", None, timezone.localdate())
    cells = [(row.round.name, cell) for row in matrix.rows for cell in row.cells if cell is not None]
    assert Counter((name, cell.state, cell.overdue) for name, cell in cells) == {
        ("training", State.ASSIGNED, False): 2,
        ("training", State.SUBMITTED, False): 6,
        ("pilot", State.SUBMITTED, False): 8,
        ("main", State.SUBMITTED, False): 16,
        ("main", State.RELEASED, False): 1,
        ("main", State.ASSIGNED, True): 2,
        ("main", State.BEGUN, True): 1,
        ("main", State.COMPLETE, True): 1,
        ("main", State.REOPENED, True): 1,
    }
    assert {cell.state for _, cell in cells} == set(State)
    assert matrix.coders == ["alice", "bob", *TRAINED]
    rounds = [(each.name, each.kind, each.guidelines_version, each.is_closed) for each in project.rounds.all()]
    assert rounds == [("training", "training", 1, False), ("pilot", "pilot", 1, True), ("main", "main", 2, False)]


def test_agreement_of_repeats_equals_exact_fractions(demo, capsys):
    repeats = RepeatPlan.objects.get()
    assert (repeats.number, repeats.days, repeats.round) == (3, 7, chronicle_round("main"))
    found = {row["coder"]: row for row in agreement(capsys, "chronicle", "--report", "repeats")["coders"]}
    assert set(found) == set(TRAINED)
    for name, row in found.items():
        table, texts = occasions_of(name)
        assert (row["shown_again"], row["texts"], row["n_units"]) == (3, 3, len(table))
        value = exact.alpha(table, "passonneau")[0]
        assert row["value"] == pytest.approx(float(value), abs=1e-9)
        expected = expected_of(table, texts, 3, lambda some: exact.alpha(some, "passonneau")[0])
        bounds = (row["low"], row["high"])
        assert bounds == ((None, None) if expected is None else pytest.approx(expected, abs=1e-9))
    assert [name for name, row in found.items() if row["value"] == 1] == ["ute"]
    assert all(row["low"] < row["value"] < row["high"] < 1 for name, row in found.items() if name != "ute")
    assert all(row["between"] < row["value"] for row in found.values())


def occasions_of(name: str) -> tuple[dict[tuple[str, str], list[Any]], dict[tuple[str, str], str]]:
    """Return what a coder answered on both occasions, by text and markable, and the text of each of these."""
    table: dict[tuple[str, str], list[Any]] = {}
    codings = Coding.objects.of_people().filter(round=chronicle_round("main"), coder__username=name)
    for second in codings.filter(occasion=2, status=Coding.Status.SUBMITTED):
        first = codings.get(occasion=1, text=second.text, status=Coding.Status.SUBMITTED)
        values = [exact.chain_labels(*answers_of(coding), set(), "full", "category") for coding in (first, second)]
        for key in answers_of(first)[0]:
            table[second.text.slug, key] = [labels.get(key) for labels in values]
    return table, {unit: unit[0] for unit in table}


def test_agreement_rises_after_pilot_and_sample_size_is_planned(demo, capsys):
    pilot, main, both = (
        agreement(capsys, "chronicle", *options)["value"]
        for options in (["--rounds", "pilot"], ["--rounds", "main"], [])
    )
    assert pilot < both < main
    planning = agreement(capsys, "chronicle", "--report", "planning")
    assert planning["n_texts"] == 9
    assert planning["targets"]["margin"]["texts"] > 9


@pytest.mark.parametrize(("slug", "name", "texts"), [("dialogue", "baseline", 1), ("notices", "baseline-notices", 10)])
def test_baseline_model_has_coded_and_has_no_key(demo, slug, name, texts):
    model = ModelCoder.objects.get(membership__user__username=name)
    assert (model.membership.project.slug, model.version, len(model.hash)) == (slug, "rules", 64)
    codings = Coding.objects.of_coders().filter(coder=model.membership.user)
    assert codings.count() == texts
    assert all(coding.by_model and coding.status == Coding.Status.SUBMITTED for coding in codings)
    assert Judgement.objects.filter(coding__in=codings, category__key__in=("phrase", "old")).count() > 5
    assert not Token.objects.exists()
    assert "without a model" not in demo


SIX_PEOPLE = ("ann", "ben", "cora", "dev", "ewa", "finn")


def values_of_notices() -> dict[tuple[str, str], dict[str, Any]]:
    """Return the value of each coder, the model among them, of each markable of the notices by text and key."""
    table: dict[tuple[str, str], dict[str, Any]] = {}
    for coding in Coding.objects.of_coders().filter(text__project__slug="notices").select_related("text", "coder"):
        slug = coding.text.slug
        order, categories, pointers = answers_of(coding)
        # The same place in two texts is two markables.
        of_text = {key: f"{slug} {key}" for key in order}
        values = exact.chain_labels(
            list(of_text.values()),
            {of_text[key]: category for key, category in categories.items()},
            {of_text[key]: {of_text[target] for target in targets} for key, targets in pointers.items()},
            set(),
            "full",
            "category",
        )
        for key, value in values.items():
            table.setdefault((slug, key), {})[coding.coder.username] = value
    return table


def test_independent_programs_confirm_figures_of_model(demo, client):
    assert client.login(username="manager", password="coindex-demo")
    found = client.get("/api/v1/projects/notices/agreement/models/?candidate=baseline-notices").json()
    assert tuple(found["people"]) == SIX_PEOPLE
    table = values_of_notices()
    texts = {unit: unit[0] for unit in table}
    of_people = {unit: [row.get(coder) for coder in SIX_PEOPLE] for unit, row in table.items()}

    @cache  # millions of pairs of a hundred values
    def distance(first, second):
        return exact.distance(first, second, "passonneau")

    def alpha(some):
        return exact.alpha(some, distance)[0]

    among = found["among_people"]
    assert among["value"] == pytest.approx(float(alpha(of_people)), abs=1e-9)
    assert (among["low"], among["high"]) == pytest.approx(expected_of(of_people, texts, 3, alpha), abs=1e-9)
    assert [shown["coder"] for shown in found["agreements"]] == ["baseline-notices", *SIX_PEOPLE]
    for place, shown in enumerate(found["agreements"]):
        others = [name for name in SIX_PEOPLE if name != shown["coder"]]
        against = {unit: [row.get(name) for name in (shown["coder"], *others)] for unit, row in table.items()}

        def cross(some):
            return exact.cross_alpha(some, 1, distance)[0]

        assert shown["value"] == pytest.approx(float(cross(against)), abs=1e-9)
        if place < 2 or is_full():  # ten exact figures each
            assert (shown["low"], shown["high"]) == pytest.approx(expected_of(against, texts, 3, cross), abs=1e-9)
    rows = {row["human"]: row for row in found["alt_test"]["rows"]}
    p_values = []
    for human in SIX_PEOPLE:
        scores = slow.scores(table, "baseline-notices", SIX_PEOPLE, human, distance)
        differences = slow.text_differences(scores, texts)
        p_values.append(slow.sign_flip_p_value(differences, Fraction(1, 10)))
        assert rows[human]["difference"] == pytest.approx(float(sum(differences) / len(differences)), abs=1e-9)
        assert rows[human]["p_value"] == pytest.approx(float(p_values[-1]), abs=1e-9)
        assert rows[human]["low"] < rows[human]["difference"] < rows[human]["high"]
    expected = [float(p_value) for p_value in slow.adjusted(p_values)]
    assert [rows[human]["adjusted"] for human in SIX_PEOPLE] == pytest.approx(expected, abs=1e-9)
    assert {category["name"]: category["difference"] > 0 for category in found["categories"]} == {
        "new": True, "already mentioned": False, "refers to nothing": False, "": True,
    }  # fmt: skip
    missed = {
        unit
        for unit, row in table.items()
        if len({row[name] for name in SIX_PEOPLE}) == 1 and row["baseline-notices"] != row["ann"]
    }
    assert {(item["text"], f"{item['text']} {item['key']}") for item in found["items"]} == missed != set()
