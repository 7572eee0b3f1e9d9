"""Measures that a scheme allows or refuses, problems of schemes, and their page."""

from dataclasses import replace

import pytest

from agreement.reports.parameters import COEFFICIENT_LABELS
from agreement.results.allows import check_scheme, find_problems
from annotations.formats.model.scheme import AnswerKind, AttributeSpec, CategorySpec, SchemeSpec
from annotations.models import Category, Level
from annotations.projects.scheme_rows import stamp_scheme
from annotations.schemes.project_scheme import read_scheme
from annotations.schemes.ready_made import SCHEMES
from tests.shared.agreeing import WALK, coded_project
from tests.shared.schemes import change_rows

PARTS = "alpha with Passonneau, Jaccard, Dice, MASI"
SCORES = "MUC, B-cubed, CEAF, BLANC, LEA, CoNLL average"
LINKS = "kappa of links"
OWN = "excluding the item from its own set"
CHAINS = "no chain, partial and whole chain; +top and -top"
GRID = "grid of conditions (Poesio & Artstein 2005, Table 4)"
ANTECEDENTS = "K beside alpha on antecedents (their Table 3)"
RELATIONS = "relations: subsumption, intersection, disjunction"
AMBIGUITY = "explicit ambiguity"
MERGING = "collapsing categories"
DISTANCES = "link distances"
EACH = "K of categories, S, per category"
PEERS = "scores of peers, the study, SCUs of two coders, reliability of peers"
AUGMENTED = COEFFICIENT_LABELS["augmented_kappa"]

NOT = {
    "poesio-artstein-2005": {PEERS},
    "passonneau-2004": {CHAINS, ANTECEDENTS, DISTANCES, MERGING, PEERS, AUGMENTED},
    "clusters": {CHAINS, ANTECEDENTS, DISTANCES, MERGING, PEERS, AUGMENTED},
    "pyramid": {CHAINS, ANTECEDENTS, DISTANCES, MERGING, EACH, AUGMENTED},
    "muc-ident": {AMBIGUITY, MERGING, PEERS},
    "sortal-classes": {
        PARTS, SCORES, LINKS, OWN, CHAINS, GRID, ANTECEDENTS, RELATIONS, AMBIGUITY, DISTANCES, PEERS,
    },
}  # fmt: skip


def ready_made(key, *, coded=True, categories=None, pointing=None, indexing=None):
    """Return a ready-made scheme with the named changes, and the kind of its answers."""
    scheme = SCHEMES[key]
    found = [replace(category, label=category.key) for category in scheme.categories]
    if categories is not None:
        found = [CategorySpec(name, name) for name in categories]
    if pointing is not None:
        found = [replace(category, points_to="phrase" if category.key in pointing else "") for category in found]
    if indexing is not None:
        found = [replace(category, takes_index=category.key in indexing) for category in found]
    levels = tuple(replace(level, coded=level.coded and coded) for level in scheme.levels)
    return SchemeSpec(levels, tuple(found)), scheme.answers


def refused(scheme):
    return {row.name for row in check_scheme(*scheme) if not row.allowed}


@pytest.mark.parametrize("key", SCHEMES)
def test_ready_made_scheme_refuses_meaningless_measures(key):
    assert refused(ready_made(key)) == NOT[key]
    assert find_problems(*ready_made(key)) == []


def test_single_pointer_scheme_has_no_ambiguity():
    scheme = spec, answers = ready_made("poesio-artstein-2005")
    single = replace(spec, categories=tuple(replace(row, max_pointers=1) for row in spec.categories)), answers
    assert refused(single) - refused(scheme) == {AMBIGUITY}
    why = [next(row.why for row in check_scheme(*some) if row.name == SCORES) for some in (scheme, single)]
    assert "counts in the first" in why[0]
    assert "counts in the first" not in why[1]


@pytest.mark.parametrize(("number", "expected"), [(1, {EACH, MERGING}), (2, {MERGING}), (3, set())])
def test_merging_needs_three_categories_and_kappa_needs_two(number, expected):
    spec, answers = ready_made("sortal-classes")
    few = replace(spec, categories=spec.categories[:number]), answers
    assert refused(few) & {EACH, MERGING} == expected


def test_several_labels_are_sets_without_chains():
    spec, answers = ready_made("sortal-classes", categories=[])
    topics = AttributeSpec("topics", "topics", kind=AnswerKind.SEVERAL)
    labels = replace(spec, attributes=(topics,)), answers
    assert refused(labels) == {SCORES, LINKS, OWN, CHAINS, ANTECEDENTS, AMBIGUITY, DISTANCES, PEERS}
    assert next(row.why for row in check_scheme(*labels) if row.name == PARTS) == "Values are sets of labels: topics."


@pytest.mark.parametrize(
    ("key", "change", "said"),
    [
        ("sortal-classes", {"categories": []}, "It asks nothing yet"),
        ("sortal-classes", {"coded": False}, "No level is coded"),
        ("sortal-classes", {"categories": ["one"]}, "One category leaves coders no choice"),
        ("sortal-classes", {"pointing": ["event", "time"]}, "time, event points"),
        ("sortal-classes", {"indexing": ["event"]}, "event takes an index"),
        ("poesio-artstein-2005", {"pointing": []}, "Answers are pointers, and no category takes one"),
        ("poesio-artstein-2005", {"indexing": ["place"]}, "place takes an index"),
        ("passonneau-2004", {"indexing": []}, "Answers are indices, and no category takes one"),
        ("passonneau-2004", {"pointing": ["none"]}, "none points"),
    ],
)
def test_find_problems_describes_problem(key, change, said):
    [problem] = find_problems(*ready_made(key, **change))
    assert problem.startswith(said)


URL = "/projects/walk/scheme/allows/"


def test_page_shows_problems_of_scheme(signed_in, charlie):
    project = coded_project("walk", "poesio-artstein-2005", WALK)
    change_rows(Level.objects.all(), coded=False)
    page = signed_in(charlie).get(URL).content.decode()
    assert "No level is coded: there is nothing to judge." in page
    Category.objects.all().delete()
    stamp_scheme(project)
    page = signed_in(charlie).get(URL).content.decode()
    for problem in find_problems(read_scheme(project.pk).spec, project.answers):
        assert problem in page
    assert page.count("notice warning") == 2
