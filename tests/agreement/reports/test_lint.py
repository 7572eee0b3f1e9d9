"""What a scheme allows, and why other things not, and the page of it."""

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
    """Return a ready-made scheme by its keys, changed in what is named, and the kind of its answers."""
    scheme = SCHEMES[key]
    found = [replace(one, label=one.key) for one in scheme.categories]
    if categories is not None:
        found = [CategorySpec(name, name) for name in categories]
    if pointing is not None:
        found = [replace(one, points_to="phrase" if one.key in pointing else "") for one in found]
    if indexing is not None:
        found = [replace(one, takes_index=one.key in indexing) for one in found]
    levels = tuple(replace(level, coded=level.coded and coded) for level in scheme.levels)
    return SchemeSpec(levels, tuple(found)), scheme.answers


def refused(scheme):
    return {one.name for one in check_scheme(*scheme) if not one.allowed}


@pytest.mark.parametrize("key", SCHEMES)
def test_ready_made_scheme_allows_what_has_a_meaning_for_it(key):
    assert refused(ready_made(key)) == NOT[key]
    assert find_problems(*ready_made(key)) == []


def test_several_pointers_are_ambiguity_and_are_minded_by_the_scores():
    scheme = spec, answers = ready_made("poesio-artstein-2005")
    single = replace(spec, categories=tuple(replace(one, max_pointers=1) for one in spec.categories)), answers
    assert refused(single) - refused(scheme) == {AMBIGUITY}
    why = [next(one.why for one in check_scheme(*some) if one.name == SCORES) for some in (scheme, single)]
    assert "counts in the first" in why[0]
    assert "counts in the first" not in why[1]


@pytest.mark.parametrize(("number", "expected"), [(1, {EACH, MERGING}), (2, {MERGING}), (3, set())])
def test_merging_needs_three_categories_and_k_of_each_two(number, expected):
    spec, answers = ready_made("sortal-classes")
    few = replace(spec, categories=spec.categories[:number]), answers
    assert refused(few) & {EACH, MERGING} == expected


def test_several_labels_are_sets_without_chains():
    spec, answers = ready_made("sortal-classes", categories=[])
    topics = AttributeSpec("topics", "topics", kind=AnswerKind.SEVERAL)
    labels = replace(spec, attributes=(topics,)), answers
    assert refused(labels) == {SCORES, LINKS, OWN, CHAINS, ANTECEDENTS, AMBIGUITY, DISTANCES, PEERS}
    assert next(one.why for one in check_scheme(*labels) if one.name == PARTS) == "Values are sets of labels: topics."


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
def test_problem_of_a_scheme_is_told(key, change, said):
    [problem] = find_problems(*ready_made(key, **change))
    assert problem.startswith(said)


URL = "/projects/walk/scheme/allows/"


def test_problem_of_the_scheme_is_told(signed_in, charlie):
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
