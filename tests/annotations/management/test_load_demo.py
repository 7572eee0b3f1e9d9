"""manage.py load_demo."""

import json
from datetime import timedelta
from io import StringIO
from itertools import product
from statistics import median
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db.models import Count, Q
from django.test import override_settings
from django.utils import timezone

from annotations.coding import scus
from annotations.coding.active_time import read_work
from annotations.coding.judgements import judgements_of
from annotations.models import Coding, Docset, Judgement, Markable, Membership, Operation, Pointer, Project, Text, User
from annotations.models.coding import complete
from tests.annotations.transfers.test_importing import all_rows
from tests.conftest import QUICK_HASHERS


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


def agreement(capsys, *arguments: str) -> dict[str, Any]:
    call_command("agreement", *arguments, "--format", "json")
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_it_loads_seven_projects_and_says_who_may_sign_in(demo, client):
    assert set(Project.objects.values_list("slug", flat=True)) == {
        "news",
        "dialogue",
        "sortal",
        "links",
        "letters",
        "topics",
        "summaries",
    }
    for name in ("manager", "alice", "bob", "ra1", "ann", "mo", "eva", "noor", "tom", "ida", "jon", "vera"):
        assert name in demo
        assert client.login(username=name, password="coindex-demo")
    managed = Membership.objects.filter(user__username="manager", role=Membership.Role.MANAGER)
    assert managed.count() == 7


def test_all_is_handed_in_but_what_the_beginners_are_to_code(demo):
    to_code = Coding.objects.filter(status=Coding.Status.OPEN)
    projects = ("dialogue", "links", "letters", "topics", "summaries")
    assert set(to_code.values_list("coder__username", "text__project__slug", "version")) == {
        *product(("alice", "bob"), projects, [0])
    }
    assert not Judgement.objects.filter(coding__in=to_code).exists()
    imported = Coding.objects.filter(operations__kind=Operation.Kind.IMPORT, version=2)
    assert imported.filter(status=Coding.Status.SUBMITTED).count() == 2 + 24
    coded = Coding.objects.filter(kind=Coding.Kind.TEXT, status=Coding.Status.SUBMITTED)
    assert [one.version for one in coded] == [one.judgements.count() + 1 for one in coded]
    assert len(coded) == 3 + 6 + 10 + 9 + 9
    assert Coding.objects.get(kind=Coding.Kind.AGREED).status == Coding.Status.SUBMITTED


def test_every_judgement_of_a_coding_handed_in_is_complete(demo):
    for coding in Coding.objects.filter(status=Coding.Status.SUBMITTED):
        to_decide = Markable.objects.seen_in(coding.pk, coding.text_id).filter(level__coded=True).count()
        assert coding.judgements.filter(complete()).count() == to_decide > 0, coding


def test_the_log_replays_to_the_judgements(demo):
    imported = Operation.objects.filter(kind=Operation.Kind.IMPORT).exclude(coding__kind=Coding.Kind.AGREED)
    for log in imported.select_related("coding"):
        judgements = {judgement["markable"]: judgement for judgement in log.payload["judgements"]}
        assert judgements == judgements_of(log.coding)


def test_people_coded_on_the_days_before_each_at_a_plausible_pace(demo):
    for slug, n_codings in {"news": 3, "dialogue": 6, "sortal": 10, "letters": 9, "topics": 9}.items():
        project = Project.objects.get(slug=slug)
        work = read_work(project)
        days = sorted({one.day for times in work.judgement_times.values() for one in times})
        assert days == [days[0] + timedelta(days=number) for number in range(n_codings)]
        assert days[-1] < timezone.localdate()
        for times in work.judgement_times.values():
            seconds = [one.seconds for one in times if one.seconds is not None]
            assert len(seconds) == len(times) - 1
            assert 4 < median(seconds) < 25
            assert max(seconds) < 100
    assert not Operation.objects.filter(applied_at__gt=timezone.now()).exists()


def test_the_dialogue_has_a_pace_and_charts_of_time(demo, client):
    assert client.login(username="manager", password="coindex-demo")
    page = client.get("/projects/dialogue/agreement/headline/").content.decode()
    assert "At the present pace everything is decided on" in page
    assert "92 markables left to decide; 276 judged" in page
    for address, key in (("coders/", "times"), ("course/", "days"), ("course/", "stages")):
        assert f'id="chart-{key}"' in client.get(f"/projects/sortal/agreement/{address}").content.decode()


def test_loading_twice_changes_nothing(demo):
    before = all_rows()
    call_command("load_demo")
    assert all_rows() == before


def test_what_somebody_changed_stays(demo):
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


def test_without_debug_it_refuses_and_changes_nothing(db, settings):
    settings.LOCAL = False
    before = all_rows()
    with pytest.raises(CommandError, match="it loads with LOCAL=1 only"):
        call_command("load_demo")
    assert all_rows() == before


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
def test_the_news_give_the_figures_of_passonneau_2004(demo, capsys, options, value):
    found = agreement(capsys, "news", *options)
    assert round(found["value"], 4) == value
    assert found["coders"] == ["ra1", "ra2", "ra3"]


def test_the_news_open_with_the_paper_s_own_convention(demo, capsys):
    assert agreement(capsys, "news") == agreement(capsys, "news", "--preset", "passonneau-2004")


def test_the_sortal_classes_give_the_published_k(demo, capsys):
    found = agreement(capsys, "sortal")
    assert round(found["value"], 6) == 0.517375
    assert found["parameters"]["coefficient"] == "fleiss_kappa"
    assert found["n_coders"] == 2


def test_six_people_coded_the_dialogue_and_some_found_it_ambiguous(demo, capsys):
    assert len(agreement(capsys, "dialogue")["coders"]) == 6
    judgements = Judgement.objects.filter(coding__text__project__slug="dialogue", category__key="phrase")
    assert judgements.annotate(antecedents=Count("pointers")).filter(antecedents__gte=2).exists()


def test_every_pointer_goes_to_an_earlier_markable(demo):
    pointers = Pointer.objects.select_related("target", "judgement__markable", "judgement__category", "relation")
    assert pointers.count() > 100
    for pointer in pointers:
        source, target = pointer.judgement.markable, pointer.target
        assert (target.start, -target.end) < (source.start, -source.end)
        assert pointer.judgement.category
        assert not pointer.relation.identity or pointer.relation.key == pointer.judgement.category.key
        assert target.level in pointer.relation.to_levels.all()


def test_three_coders_of_the_letters_differ_in_plurals_ambiguity_bridging_and_attributes(demo):
    coded = {
        (one.coding.text.slug, one.markable.label, one.coding.coder.username): one
        for one in Judgement.objects.filter(coding__text__project__slug="letters").select_related(
            "coding__text", "coding__coder", "markable"
        )
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

    assert all(one == [{"a", "b"}] for one in readings("ferry", "e").values())
    assert readings("ferry", "o") == {"eva": [{"a", "b"}], "noor": [{"a", "b"}], "tom": [{"e"}]}
    assert readings("ferry", "r") == {"eva": [{"a"}, {"b"}], "noor": [{"b"}], "tom": [{"n"}]}
    assert readings("ferry", "k", "bridging") == {"eva": [{"h"}], "noor": [], "tom": [{"b"}]}
    kinds = {
        coder: [one.value.key for one in coded["ferry", "m", coder].answers.filter(attribute__key="bridging-kind")]
        for coder in ("eva", "noor", "tom")
    }
    assert kinds == {"eva": ["possession"], "noor": ["possession"], "tom": ["other"]}


def test_the_topics_are_sets_of_labels_without_a_category(demo):
    judgements = Judgement.objects.filter(coding__text__project__slug="topics")
    assert not judgements.filter(category__isnull=False).exists()
    several = judgements.annotate(n=Count("answers", filter=Q(answers__attribute__key="topics")))
    assert set(several.values_list("n", flat=True)) == {1, 2, 3}


def test_a_docset_of_four_summaries_has_two_pyramids_an_agreed_one_and_six_peers_of_three_systems(demo):
    docset = Docset.objects.get()
    models = docset.texts.get(role=Text.Role.MODELS)
    assert models.segments.count() == 4
    made = models.codings.filter(status=Coding.Status.SUBMITTED).values_list("coder__username", "kind")
    assert set(made) == {("ida", "pyramid"), ("jon", "pyramid"), ("vera", "agreed")}
    peers = docset.texts.filter(role=Text.Role.PEER)
    assert (peers.count(), len(set(peers.values_list("system", flat=True)))) == (6, 3)
    assert set(peers.annotate(by=Count("codings")).values_list("by", flat=True)) == {4}


def test_the_agreed_pyramid_is_one_coders_but_for_what_the_adjudicator_changed(demo):
    own, agreed = (
        {
            one.key: (one.weight, one.label)
            for one in scus.weighted_scus(Coding.objects.select_related("text").get(**which))
        }
        for which in ({"kind": "pyramid", "coder__username": "ida"}, {"kind": "agreed"})
    )
    assert own.keys() - agreed.keys() == {"monday"}
    assert {key for key in agreed if agreed[key] != own[key]} == {"late"}
    assert sorted((weight for weight, _ in own.values()), reverse=True)[:4] == [4, 4, 3, 3]


def test_words_agree_more_by_masi_than_by_jaccard_and_hardly_ever_wholly(demo, capsys):
    """As in Table 2 of Passonneau 2006: most differences between SCUs are of one set within the other."""
    presets = ("passonneau-2006-nominal", "passonneau-2006-jaccard", "passonneau-2006-words")
    nominal, jaccard, masi = (agreement(capsys, "summaries", "--preset", preset)["value"] for preset in presets)
    assert 0 < nominal < jaccard < masi < 1
