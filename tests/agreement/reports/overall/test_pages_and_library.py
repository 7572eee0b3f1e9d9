"""The figures of the pages are those of the library, on the demo projects and on a corpus of others.

The data are made here coder by coder and text by text from the rows, by the functions that take one of each: pages
make them all at once and keep what they computed.
"""

import pytest
from django.core.management import call_command
from django.test import override_settings

from agreement.measures import (
    SET_DISTANCES,
    ReliabilityData,
    alpha,
    alphas,
    b_cubed,
    chain_labels,
    cohen_kappa,
    contributions,
    fleiss_kappa,
    index_labels,
    interval,
    jackknife,
    leave_one_out,
    pairwise,
)
from agreement.reports.parameters import default_preset
from agreement.results.grid import CONSTRUCTIONS
from annotations.models import Coding, Judgement, Markable, Project, User
from tests.conftest import QUICK_HASHERS

pytestmark = pytest.mark.slow

DEMOS = ("news", "dialogue", "sortal", "links")
EZCOREF = "ezcoref"


@pytest.fixture(scope="module")
def demo(module_rows):
    """Load the demo."""
    with override_settings(LOCAL=True, PASSWORD_HASHERS=QUICK_HASHERS):
        call_command("load_demo", verbosity=0)


@pytest.fixture
def load(demo, db, request):
    """Return a function that loads a project and returns it."""

    def load(slug):
        if slug == EZCOREF:
            folder = request.getfixturevalue("samples") / "ezcoref" / "conll2012"
            call_command(
                "import_codings", "conll2012", str(folder), "--project=ezcoref", "--coder-from=parent", "--create"
            )
            project = Project.objects.get(slug=slug)
            project.memberships.create(user=User.objects.get(username="manager"), role="manager")
        return Project.objects.get(slug=slug)

    return load


@pytest.fixture
def taken(load, signed_in):
    """Return a function that returns the rows of a page's table from its JSON."""

    def taken(slug, rest, table, **asked):
        client = signed_in(User.objects.get(username="manager"))
        answer = client.get(f"/projects/{slug}/agreement/{rest}", {**asked, "as": "json", "table": table})
        assert answer.status_code == 200, answer.content
        return answer.json()["rows"]

    return taken


def values_of(project, coding, units, others, mode, top):
    """Return one coder's values in one text, as the library computes them for one coder."""
    given = Judgement.objects.filter(coding=coding, category__isnull=False).select_related("category")
    pointing = set(project.relations.filter(identity=True).values_list("key", flat=True))
    categories, links, incomplete, labels = {}, {}, set(), {}
    for judgement in given:
        category = judgement.category
        if project.answers == "indices":
            names = set(judgement.indices.values_list("entity", flat=True))
        else:
            names = set(judgement.targets.values_list("pk", flat=True))
        if (category.key in pointing or category.takes_index) and not names:
            incomplete.add(judgement.markable_id)
            continue
        categories[judgement.markable_id] = category.key
        if not category.singleton:
            labels[judgement.markable_id] = category.key
        if names or project.answers == "indices":
            links[judgement.markable_id] = names
    unmarked = project.unmarked if coding.status == "submitted" else "missing"
    if project.answers == "indices":
        found = index_labels(units, links, unmarked, categories=labels)
    else:
        found = chain_labels(units, categories, links, others, mode, top, unmarked=unmarked)
    return {unit: value for unit, value in found.items() if unit not in incomplete}


def by_hand(project, mode="full", top="category"):
    """Return the reliability data of a project, one coder and text after the other."""
    codings = list(
        Coding.objects.of_people().filter(text__project=project).select_related("coder").order_by("text__slug")
    )
    codings = [coding for coding in codings if coding.status == "submitted"]
    answered = Judgement.objects.filter(coding__in=codings, category__isnull=False)
    coders = sorted(set(answered.values_list("coding__coder__username", flat=True)))
    units, documents, rows = [], [], []
    for text in dict.fromkeys(coding.text_id for coding in codings):
        markables = Markable.objects.in_use().filter(text=text).order_by("start", "-end", "key")
        coded = list(markables.filter(level__coded=True).values_list("pk", flat=True))
        others = list(markables.filter(level__coded=False).values_list("pk", flat=True))
        columns = {
            coding.coder.username: values_of(project, coding, coded, others, mode, top)
            for coding in codings
            if coding.text_id == text
        }
        for unit in coded:
            units.append(unit)
            documents.append(text)
            rows.append([columns.get(coder, {}).get(unit) for coder in coders])
    return ReliabilityData.from_values(units, coders, rows, documents)


def conventions(project):
    """Return how the project's convention compares two values, besides the distance."""
    preset = default_preset(project.preset, project.answers).parameters
    return {name: getattr(preset, name) for name in ("exclude_unit", "empty", "thirds")}


@pytest.mark.parametrize("slug", [*DEMOS, EZCOREF])
def test_alpha_and_its_intervals_with_every_distance(load, taken, slug):
    project = load(slug)
    data = by_hand(project)
    distances = SET_DISTANCES if project.answers != "categories" else ("nominal",)
    expected = interval(data, alphas, distances, **conventions(project))
    rows = taken(slug, "", "distances", coefficient="alpha", distance="nominal")
    assert [row["distance"] for row in rows] == list(distances)
    for row in rows:
        one = expected[row["distance"]]
        assert (row["value"], row["low"], row["high"]) == (one.value, one.low, one.high)
        assert (row["observed"], row["expected"]) == (one.result.observed, one.result.expected)


@pytest.mark.parametrize("slug", ["dialogue", "news", EZCOREF])
def test_the_grid_of_conditions(load, taken, slug):
    project = load(slug)
    rows = taken(slug, "grid/", "grid", coefficient="alpha")
    assert [row["construction"] for row in rows] == [label for label, _ in CONSTRUCTIONS[project.answers]]
    for row, (_, chosen) in zip(rows, CONSTRUCTIONS[project.answers], strict=True):
        data = by_hand(project, chosen["chains"], chosen.get("top", "category"))
        found = alphas(data, **conventions(project) | {"exclude_unit": chosen["exclude_unit"]})
        assert {name: row[name] for name in SET_DISTANCES} == {name: one.value for name, one in found.items()}
        assert row["K"] == fleiss_kappa(data).value


@pytest.mark.parametrize("slug", ["sortal", EZCOREF])
def test_each_text_and_what_becomes_of_all_without_it(load, taken, slug):
    project = load(slug)
    data = by_hand(project)
    without = jackknife(data, alpha, "nominal")
    change = {text: value - without.value for text, value in zip(without.groups, without.values, strict=True)}
    rows = taken(slug, "texts/", "texts", coefficient="alpha", distance="nominal")
    assert len(rows) == len(data.documents)
    for row, text in zip(rows, data.documents, strict=True):
        alone = data.of_documents([text])
        expected = interval(alone, alpha, "nominal")
        assert (row["value"], row["low"], row["high"]) == (expected.value, expected.low, expected.high)
        assert row["shift"] == change[text]


@pytest.mark.parametrize("slug", ["dialogue", "sortal", EZCOREF])
def test_each_two_coders_and_all_without_one(load, taken, slug):
    project = load(slug)
    data = by_hand(project)
    measures = {"coefficient": alpha, "cohen_kappa": cohen_kappa}
    for measure, coefficient in measures.items():
        expected = pairwise(data, coefficient)
        for row in taken(slug, "coders/", "matrix", coefficient="alpha", distance="nominal", measure=measure):
            for other in data.coders:
                if other != row["coder"]:
                    assert row[other] == expected[row["coder"], other].value
    rest = {part.name: part for part in leave_one_out(data, alpha).parts}
    for row in taken(slug, "coders/", "each", coefficient="alpha", distance="nominal"):
        part = rest[row["coder"]]
        assert (row["without"], row["change"]) == (part.result.value, part.change)


def test_a_coreference_score_of_each_two_coders(load, taken):
    project = load("dialogue")
    clusters = {coding.coder.username: chains_of(coding) for coding in codings_of(project)}
    for row in taken("dialogue", "coders/", "matrix", measure="b_cubed"):
        for other, theirs in clusters.items():
            if other != row["coder"]:
                assert row[other] == pytest.approx(b_cubed(clusters[row["coder"]], theirs).f1, abs=1e-12)


def codings_of(project):
    """Return the codings of a project with one text."""
    return Coding.objects.of_people().filter(text__project=project, status="submitted").select_related("coder")


def chains_of(coding):
    """Return the chains of a coding: each markable with what its first antecedent in the text is in."""
    chains = []
    for judgement in coding.judgements.order_by("markable__start", "-markable__end"):
        targets = judgement.pointers.order_by("target__level__coded", "target__start", "-target__end")
        units = [pointer.target_id for pointer in targets if pointer.target.level.coded] or [
            pointer.target_id for pointer in targets
        ]
        if not units:
            continue
        linked = {judgement.markable_id, units[0]}
        joined = [chain for chain in chains if chain & linked]
        chains = [chain for chain in chains if not chain & linked] + [linked.union(*joined)]
    return chains


@pytest.mark.parametrize("slug", ["dialogue", EZCOREF])
def test_items_by_their_share_of_disagreement(load, taken, slug):
    project = load(slug)
    found = contributions(by_hand(project), "masi", **conventions(project))
    shares = sorted((one.share for one in found), reverse=True)
    rows = taken(slug, "items/", "items", coefficient="alpha", distance="masi")
    assert [row["share"] for row in rows] == shares
