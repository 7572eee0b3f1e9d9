"""Presets set the parameters on page, API and command."""

import json
import random
from dataclasses import asdict

import pytest
from django.core.management import call_command

from agreement.measures import options
from agreement.measures.data.answers import MODES, READINGS, TOPS, UNMARKED
from agreement.reports.parameters import CHOICES, OF_QUESTIONS, PRESETS, SELECTIONS, presets_for
from annotations.models import Membership, Project, User
from annotations.projects.people.members import add_member
from tests.shared.agreeing import WALK, answer, coded_project
from tests.shared.pyramids import build, codings_of, docset, models_of, pyramid_project
from tests.shared.questions import any_answers, question_project

# The spans of Passonneau 2006, Figure 1: seven contributors of eight words, one SCU of the second coder.
SPANS = (
    ("one", "very first fifth"),
    ("two", "second seventh"),
    ("three", "third"),
    ("four", "fourth"),
    ("five", "sixth"),
)
FIRST = {"a": ["very first", "second", "third", "fourth"], "b": ["fifth", "seventh"], "c": ["sixth"]}
SECOND = {"a": ["very first", "second", "third", "fourth", "fifth", "sixth", "seventh"]}

# The question whose answers are of a kind.
QUESTION_OF = {"values": "gender", "labels": "topics", "numbers": "count", "targets": "bridging"}
KINDS = sorted({kind for preset in PRESETS.values() for kind in preset.answers})
# Settings that are not a preset's: what of the data is chosen, and the question.
NOT_OF_PRESETS = ("question", *OF_QUESTIONS, *SELECTIONS)


def make_project(kind: str) -> Project:
    """Make a project with answers of this kind, managed by Charlie."""
    if kind in ("categories", "indices"):
        return answer(coded_project("asked", {"categories": "sortal-classes", "indices": "clusters"}[kind], WALK))
    if kind != "scus":
        return question_project("asked", any_answers(random.Random(1)))
    project = pyramid_project("asked", one_contributor=False)
    people = [User.objects.get_or_create(username=name)[0] for name in ("alice", "bob", "charlie")]
    codings = codings_of(models_of(docset(project, *people[:2], summaries=SPANS)))
    build(codings["alice"], FIRST)
    build(codings["bob"], SECOND)
    add_member(project, people[2], Membership.Role.MANAGER)
    return project


def ask_page(client, query):
    page = client.get("/projects/asked/agreement/", query)
    return page.context["parameters"].query(), page.context["interval"].value


def ask_api(client, query):
    found = client.get("/api/v1/projects/asked/agreement/", query).json()
    return found["parameters"], found["value"]


def ask_command(capsys, query):
    options = [f"--{name.replace('_', '-')}={value}" for name, value in query.items()]
    call_command("agreement", "asked", "--format", "json", *options)
    found = json.loads(capsys.readouterr().out)
    return found["parameters"], found["value"]


@pytest.mark.parametrize("kind", KINDS)
def test_preset_equals_its_spelled_out_parameters(signed_in, charlie, capsys, kind):
    project = make_project(kind)
    client = signed_in(charlie)
    question = {"question": QUESTION_OF[kind]} if kind in QUESTION_OF else {}
    for preset in presets_for(kind):
        fields = asdict(preset.parameters).items()
        expected = {name: value for name, value in fields if value and name not in NOT_OF_PRESETS}
        spelled_out = ask_api(client, question | expected)[1]
        assert spelled_out is not None
        for own, query in (("", question | {"preset": preset.key}), (preset.key, question)):
            Project.objects.filter(pk=project.pk).update(preset=own)
            for parameters, value in (ask_page(client, query), ask_api(client, query), ask_command(capsys, query)):
                assert parameters | expected == parameters
                assert value == spelled_out


@pytest.mark.parametrize(("preset", "value"), [("spans-jaccard", -4 / 9), ("spans", 0.1386)])
def test_spans_of_figure_1_reproduce_table_1(signed_in, charlie, capsys, preset, value):
    make_project("scus")
    client, query = signed_in(charlie), {"preset": f"passonneau-2006-{preset}"}
    for _, found in (ask_page(client, query), ask_api(client, query), ask_command(capsys, query)):
        assert found == pytest.approx(value, abs=5e-5)


def test_wrong_query_falls_back_to_preset_of_project(signed_in, charlie):
    project = make_project("scus")
    project.preset = "passonneau-2006-spans"
    project.save()
    parameters, value = ask_page(signed_in(charlie), {"distance": "ghost"})
    assert (parameters["units"], f"{value:.4f}") == ("spans", "0.1386")


def test_choices_equal_options_of_library():
    of_library = {"distance": options.DISTANCES, "chains": tuple(reversed(MODES)), "top": TOPS, "readings": READINGS}
    of_library |= {name: getattr(options, name.upper()) for name in ("exclude_unit", "empty", "thirds")}
    of_library |= {"missing": options.MISSING_RULES, "unmarked": UNMARKED}
    assert {name: CHOICES[name] for name in of_library} == of_library
