"""Figures of each category, the agreement table and merged categories."""

from fractions import Fraction
from itertools import combinations

import pytest
from django.core.management import call_command

from agreement.data.reading import read_answers
from agreement.measures import fleiss_kappa
from agreement.reports.parameters import InvalidParameter, Parameters
from agreement.results import categories
from annotations.models import Markable, Project
from tests.shared.agreeing import KINDS, WALK, answer, coded_project
from tests.shared.letters import LETTERS, THREE, sorted_out, table_of

SLIDES = {
    "animate": ("person", "group"),
    "concrete": ("physobj", "loc"),
    "abstract": ("concept", "time", "event", "action", "state", "property"),
}
THREE_CLASSES = {old: new for new, of_class in SLIDES.items() for old in of_class}
ROWS = ["".join(given.get(c, "")[n : n + 1] for c in given) for given in THREE.values() for n in range(4)]
ROWS = [row.replace(".", "") for row in ROWS if row]


@pytest.fixture
def three(three):
    return read_answers(three)


@pytest.fixture
def sortal(db, settings):
    settings.LOCAL = True
    call_command("load_demo", "sortal", verbosity=0)
    return read_answers(Project.objects.get(slug="sortal"))


@pytest.mark.parametrize("missing", ["available", "drop"])
def test_each_category_has_kappa_and_share_of_judgements(three, missing):
    expected = {row.category: row for row in fleiss_kappa(table_of(THREE), missing=missing).categories}
    found = categories.compute_by_category(three, Parameters(missing=missing))
    assert {row.name: row.n_judgements for row in found} == {k: row.n_judgements for k, row in expected.items()}
    for row in found:
        assert row.kappa == pytest.approx(expected[row.name].value, abs=1e-12)
    assert sum(row.share for row in found) == pytest.approx(1)
    if missing == "available":
        assert {row.name: row.n_judgements for row in found} == {"person": 11, "group": 9, "loc": 6}


def test_specific_agreement_equals_definition_by_pairs(three):
    found = {row.name: row.specific for row in categories.compute_by_category(three, Parameters())}
    for letter, name in LETTERS.items():
        pairs = [set(pair) for row in ROWS for pair in combinations(row, 2)]
        # with unequal numbers of coders a pair counts once for each of its judgements
        both, single = sum(pair == {letter} for pair in pairs), sum(letter in pair and len(pair) == 2 for pair in pairs)
        assert found[name] == pytest.approx(float(Fraction(2 * both, 2 * both + single)))


def test_only_category_is_listed_with_undefined_kappa(db):
    [row] = categories.compute_by_category(
        read_answers(sorted_out({"text-1": {"alice": "ppp", "bob": "ppp"}})), Parameters()
    )
    assert (row.name, row.n_judgements, row.share, row.kappa, row.specific) == ("person", 6, 1, None, 1)


@pytest.mark.parametrize("answers", [{}, {"text-1": {"alice": "pgl", "bob": "..."}}, {"text-1": {"alice": "pg"}}])
def test_answers_without_overlap_give_empty_tables(db, answers):
    found = read_answers(sorted_out(answers))
    assert len(categories.compute_agreement_table(found, Parameters()).units) == 0
    assert categories.compute_by_category(found, Parameters()) == []


def test_s_of_unit_is_share_of_agreeing_pairs(three):
    table = categories.compute_agreement_table(three, Parameters())
    counts = dict(zip(table.names, table.counts.T.tolist(), strict=True))
    shared = [row for row in ROWS if len(row) > 1]
    assert {name: counts[name] for name in LETTERS.values()} == {
        name: [row.count(letter) for row in shared] for letter, name in LETTERS.items()
    }
    assert not any(any(of) for name, of in counts.items() if name not in LETTERS.values())
    pairs = [list(combinations(row, 2)) for row in shared]
    assert table.agreement.tolist() == pytest.approx([sum(a == b for a, b in of) / len(of) for of in pairs])
    # the mean is the observed agreement of K
    assert table.agreement.mean() == pytest.approx(fleiss_kappa(table_of(THREE)).observed)


def test_table_lists_units_of_two_coders_in_text_order(db):
    found = read_answers(sorted_out({"text-1": {"alice": "pgl", "bob": "p.l"}, "text-2": {"alice": "g", "bob": "g"}}))
    table = categories.compute_agreement_table(found, Parameters())
    label = dict(Markable.objects.values_list("pk", "label"))
    assert [label[unit] for unit in table.units] == ["m0", "m2", "m0"]
    assert table.documents.tolist() == [0, 0, 1]


@pytest.mark.parametrize("scheme", KINDS)
@pytest.mark.django_db
def test_category_kappa_ignores_scheme_and_coefficient(scheme):
    found = read_answers(answer(coded_project("tea", scheme, WALK, f"{WALK} 2")))
    said = {
        (text.pk, mark["unit"], coder): found.categories[mark["category"]]
        for text, coder, coding in found.codings_in(found.texts)
        for mark in coding.marks
    }
    rows = [[said[pk, place, "alice"], said[pk, place, "bob"]] for pk, place, coder in said if coder == "alice"]
    agreed = Fraction(sum(a == b for a, b in rows), len(rows))
    pool = [value for row in rows for value in row]
    chance = sum((Fraction(pool.count(value), len(pool)) ** 2 for value in set(pool)), Fraction(0))
    for asked in (Parameters(), Parameters("gwet_ac1")):
        k = categories.compute_category_kappa(found, asked)
        assert (k.value is None) == (chance == 1)
        assert k.value is None or k.value == pytest.approx(float((agreed - chance) / (1 - chance)))


def test_merging_reproduces_published_k_of_sortal_classes(sortal):
    found = categories.compare_merged(sortal, Parameters(), THREE_CLASSES)
    assert round(found.before.value, 6) == 0.517375  # (.6 - .1712)/(1 - .1712)
    assert round(found.after.value, 6) == 0.795849  # (.88 - .4122)/(1 - .4122)
    assert (found.after.observed, found.after.expected) == pytest.approx((0.88, 0.4122))
    assert (found.before.n_categories, found.after.n_categories) == (10, 3)


def test_merging_joins_categories_and_merging_all_has_no_kappa(three):
    found = categories.compare_merged(three, Parameters(), {"person": "group", "state": "group"})
    assert (found.before.n_categories, found.after.n_categories) == (3, 2)
    merged = {text: {c: of.replace("p", "g") for c, of in given.items()} for text, given in THREE.items()}
    assert found.after.value == pytest.approx(fleiss_kappa(table_of(merged)).value)
    found = categories.compare_merged(three, Parameters(), dict.fromkeys(LETTERS.values(), "thing"))
    assert (found.after.value, found.after.low, found.after.n_categories) == (None, None, 1)
    assert found.after.note


NAMES = ("lake", "river", "hill")


MAPPINGS = {
    "": {},
    "lake:water,river:water": {"lake": "water", "river": "water"},
    " lake : standing water ,hill:hill": {"lake": "standing water", "hill": "hill"},
    "lake:a:b,": {"lake": "a:b"},
    "lake:x,lake:y": {"lake": "y"},
}


def test_mapping_is_parsed_or_refused():
    assert {text: categories.parse_mapping(text, NAMES) for text in MAPPINGS} == MAPPINGS
    for text in ("lake", "lake:", ":water", " : ", "sea:water", "lake:water, ", "Lake:water"):
        with pytest.raises(InvalidParameter) as wrong:
            categories.parse_mapping(text, NAMES)
        assert wrong.value.field == "merge"


def test_formatted_mapping_omits_unchanged_names_and_parses_back():
    mapping = {"river": "water", "lake": "water", "hill": "hill"}
    written = categories.format_mapping(mapping)
    assert written == "lake:water,river:water"
    assert categories.parse_mapping(written, NAMES) == {"lake": "water", "river": "water"}
