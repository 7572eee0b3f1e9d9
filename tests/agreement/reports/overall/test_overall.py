"""Reports against the definitions in exact fractions."""

from itertools import permutations, product

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from agreement.data.reading import read_answers
from agreement.measures import SET_DISTANCES
from agreement.reports import items, overall
from agreement.reports.parameters import CHOICES, Parameters
from agreement.results import grid
from agreement.results.items.item import report_item
from annotations.coding import operations
from annotations.coding.status import submit_coding
from annotations.formats import plain
from annotations.models import Coding, Markable, Membership
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from tests.agreement.measures import exact
from tests.shared.agreeing import hand_in
from tests.shared.cases import examples
from tests.shared.coding import change, judge
from tests.shared.projects import DIALOGUE, make_project, person

CODERS = ("alice", "bob", "carol")
# text: (its coded markables in text order, its turns)
POINTED = {"tea": ("abcdef", "1234"), "walk": ("pqr", "")}
INDEXED = {"tea": ("abcd", ""), "walk": ("pqr", "")}
TURN_OF = dict(zip("abcdef", "112334", strict=True))


def project_with(scheme, tea):
    project = make_project("tea", scheme, tea)
    walk = plain.parse("[Anna](p) took [her](q) [dog](r)", "walk.txt")
    import_documents(project, [SourceDocument(walk, None)])
    coders = [person(name) for name in CODERS]
    for coder in coders:
        add_member(project, coder, Membership.Role.CODER)
    assign_texts(project, project.texts.all(), coders)
    return project


@pytest.fixture
def pointed(db):
    return project_with("poesio-artstein-2005", DIALOGUE)


@pytest.fixture
def indexed(db):
    return project_with("passonneau-2004", "[a](a) [b](b) [c](c) [d](d)")


@st.composite
def pointer_answers(draw):
    """Draw the answers as {(text, coder): ({label: (category, pointers)}, submitted)}."""
    work = {}
    for text, coder in product(POINTED, CODERS):
        answers = {}
        order, turns = POINTED[text]
        for label in order:
            category = draw(st.sampled_from(["left out", "phrase", "phrase", "segment", "place", "none", None]))
            if category == "left out":
                continue
            earlier = {"phrase": order[: order.index(label)]}
            if turns:
                earlier["segment"] = turns[: turns.index(TURN_OF[label]) + 1]
            legal = earlier.get(category)
            answers[label] = (
                category,
                draw(st.frozensets(st.sampled_from(legal), max_size=2)) if legal else frozenset(),
            )
        work[text, coder] = (answers, draw(st.booleans()))
    return work


@st.composite
def index_answers(draw):
    work = {}
    for text, coder in product(INDEXED, CODERS):
        answers = {}
        for label in INDEXED[text][0]:
            category = draw(st.sampled_from(["left out", "refers", "refers", "none"]))
            if category != "left out":
                some = st.frozensets(st.sampled_from("xyz"), max_size=2)
                answers[label] = (category, draw(some) if category == "refers" else frozenset())
        work[text, coder] = (answers, draw(st.booleans()))
    return work


def write(project, work):
    field = "indices" if project.answers == "indices" else "pointers"
    for (text, coder), (answers, handed_in) in work.items():
        coding = Coding.objects.of_people().get(text__project=project, text__slug=text, coder__username=coder)
        keys = dict(coding.text.markables.values_list("label", "key"))
        batch = [
            change(markable=keys[m], category=category, **{field: sorted(keys.get(name, name) for name in names)})
            for m, (category, names) in answers.items()
        ]
        operations.apply(coding, coding.coder, 0, batch)
        if handed_in:
            submit_coding(coding, coding.coder)


# Section 2 of the contract: from answers to values


def reachable_from(m, pointers):
    """Return m and every markable that its pointers reach."""
    return {m}.union(*(reachable_from(target, pointers) for target in pointers.get(m, ())))


def connected_to(members, pointers):
    """Return the members and every markable whose pointers reach them."""
    more = members | {m for m, targets in pointers.items() if targets & members}
    return more if more == members else connected_to(more, pointers)


def pointed_value(m, category, pointers, order, turns, mode, top):
    is_target = any(m in targets for targets in pointers.values())
    if not pointers.get(m) and not (top == "chain" and is_target):
        return category
    if mode == "none":
        return frozenset(pointers.get(m, ()))
    chain = frozenset(connected_to(reachable_from(m, pointers), pointers))
    if mode == "full":
        return chain
    return frozenset(x for x in chain if x in turns or order.index(x) < order.index(m))


def values(order, turns, answers, handed_in, kind, mode, top, unmarked):
    """Return one coder's values in one text; None stands for a missing value."""
    found = {}
    for m in order:
        category, names = answers.get(m, (None, frozenset()))
        if category is None:
            of_left_out = {"singleton": frozenset({m}), "label": "unmarked", "missing": None}
            found[m] = of_left_out[unmarked] if handed_in else None
        elif category in ("phrase", "segment", "refers") and not names:
            found[m] = None
        elif kind == "indices":
            same = {x for x, (_, others) in answers.items() if names & others}
            found[m] = frozenset(same | {m})
        else:
            pointers = {x: targets for x, (_, targets) in answers.items() if targets}
            found[m] = pointed_value(m, category, pointers, order, turns, mode, top)
    return found


def counted(work, include):
    """Return the work that counts: submitted codings, and with `include` open ones with a judgement."""
    return {
        key: (answers, handed_in)
        if handed_in or (include and any(category is not None for category, _ in answers.values()))
        else ({}, False)
        for key, (answers, handed_in) in work.items()
    }


def table_of(work, kind, mode, top, unmarked, include, only=None):
    """Return {unit: [value of each coder]}; a unit is a label, and labels differ between the texts."""
    work = counted(work, include)
    present = [
        coder
        for coder in CODERS
        if any(handed_in or given for (_, c), (given, handed_in) in work.items() if c == coder)
    ]
    table = {}
    for text, (order, turns) in (INDEXED if kind == "indices" else POINTED).items():
        if only in (None, text):
            columns = [values(order, turns, *work[text, coder], kind, mode, top, unmarked) for coder in present]
            table |= {m: [column[m] for column in columns] for m in order}
    return table


def same(result, expected):
    for name, number in zip(("value", "observed", "expected"), expected, strict=True):
        found = getattr(result, name)
        assert (found is None) == (number is None), name
        assert number is None or found == pytest.approx(float(number), abs=1e-12), name


def check_report(extracted, work, parameters):
    """Assert that the report, over all texts and in each, agrees with the definitions."""
    mode, top, unmarked = parameters.chains, parameters.top, parameters.unmarked
    report = overall.compute_report(extracted, parameters)
    options = (parameters.distance, parameters.exclude_unit, parameters.empty, parameters.thirds)
    results = {None: report.result} | {row.text.slug: row.result for row in report.texts}
    assert set(results) == {None, "tea", "walk"}
    for text, result in results.items():
        table = table_of(work, extracted.kind, mode, top, unmarked, parameters.include, text)
        same(result, exact.alpha(table, *options))
        assert result.n_units == sum(len([v for v in row if v is not None]) > 1 for row in table.values())
        assert result.n_units + sum(result.left_out.values()) == len(table)
    n_open = sum(
        not handed_in and any(category is not None for category, _ in answers.values())
        for answers, handed_in in work.values()
    )
    left_out = {"gold": 0, "adjudicators": 0, "practice": 0, "repeats": 0, "open": 0 if parameters.include else n_open}
    assert report.codings_left_out == left_out


def draw_answers(strategy):
    """Return a decorator that draws answers and further options."""
    names = ("exclude_unit", "empty", "thirds", "missing", "unmarked")
    included = {"include": st.sampled_from(["open", ""])}
    others = st.fixed_dictionaries({name: st.sampled_from(CHOICES[name]) for name in names} | included)

    def decorate(test):
        checks = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
        return examples(15, *checks)(given(work=strategy, others=st.lists(others, min_size=2, max_size=2))(test))

    return decorate


@draw_answers(pointer_answers())
def test_alpha_of_pointers_equals_definition(pointed, work, others):
    with transaction.atomic():
        write(pointed, work)
        extracted = read_answers(pointed)
        for more, mode, top in product(others, CHOICES["chains"], CHOICES["top"]):
            for distance in SET_DISTANCES:
                check_report(extracted, work, Parameters(distance=distance, chains=mode, top=top, **more))
        transaction.set_rollback(True)


@draw_answers(index_answers())
def test_alpha_of_indices_equals_definition(indexed, work, others):
    with transaction.atomic():
        write(indexed, work)
        extracted = read_answers(indexed)
        for more, distance in product(others, SET_DISTANCES):
            check_report(extracted, work, Parameters(distance=distance, **more))
        transaction.set_rollback(True)


@draw_answers(pointer_answers())
def test_shares_of_items_equal_definition_and_sum_to_one(pointed, work, others):
    with transaction.atomic():
        write(pointed, work)
        extracted = read_answers(pointed)
        label = dict(Markable.objects.filter(text__project=pointed).values_list("pk", "label"))
        for more, name in product(others, SET_DISTANCES):
            found = items.compute_items(extracted, Parameters(distance=name, **more))
            table = table_of(work, "pointers", "full", "category", more["unmarked"], more["include"])
            judged = {m: [v for v in row if v is not None] for m, row in table.items()}
            judged = {m: row for m, row in judged.items() if len(row) > 1}
            n = sum(map(len, judged.values()))
            assert {label[unit] for unit in found.unit.tolist()} == set(judged)
            for place, unit in enumerate(found.unit.tolist()):
                row = judged[label[unit]]
                assert (found.n_coders[place], found.n_values[place]) == (len(row), len(set(row)))
                assert found.relations[place].sum() == len(row) * (len(row) - 1) / 2
                if more["exclude_unit"] != "none":
                    row = [value - {label[unit]} if isinstance(value, frozenset) else value for value in row]
                pairs = [exact.distance(a, b, name, more["empty"], more["thirds"]) for a, b in permutations(row, 2)]
                assert found.observed_of(place) == pytest.approx(float(sum(pairs) / (len(row) - 1) / n), abs=1e-12)
            shares = found.share_of(found.select(items.ItemFilters())).tolist()
            assert shares == sorted(shares, reverse=True)
            assert sum(shares) == pytest.approx(1) or set(shares) <= {0.0}
        transaction.set_rollback(True)


@draw_answers(pointer_answers())
def test_k_equals_definition(pointed, work, others):
    with transaction.atomic():
        write(pointed, work)
        extracted = read_answers(pointed)
        for more, mode, top in product(others, CHOICES["chains"], CHOICES["top"]):
            asked = Parameters("fleiss_kappa", chains=mode, top=top, **more)
            table = table_of(work, "pointers", mode, top, more["unmarked"], more["include"])
            same(overall.compute_report(extracted, asked).result, exact.kappa("K", table, more["missing"]))
        transaction.set_rollback(True)


@pytest.fixture
def judged(codings, keys, project):
    for coding in codings.values():
        judge(coding, keys["a"], "none")
        judge(coding, keys["c"], "phrase", keys["a"])
    judge(codings["alice"], keys["d"], "phrase", keys["a"])
    judge(codings["bob"], keys["d"], "phrase", keys["a"], keys["b"])
    judge(codings["alice"], keys["e"], "segment", keys["3"])
    judge(codings["bob"], keys["e"], "place")
    return read_answers(hand_in(project))


@pytest.mark.parametrize(
    "asked", [{}, {"empty": "disjoint", "thirds": "rounded"}, {"coefficient": "fleiss_kappa", "unmarked": "label"}]
)
def test_grid_cell_equals_report_of_its_parameters(judged, asked):
    rows = grid.compute_grid(judged, Parameters(**asked))
    assert [label for label, _ in rows] == [label for label, _ in grid.CONSTRUCTIONS["pointers"]]
    for _, row in rows:
        assert [cell.parameters.distance for cell in row if cell.parameters.is_alpha] == list(SET_DISTANCES)
        for cell in row:
            assert cell.value == overall.compute_report(judged, cell.parameters).result.value
            conventions = (cell.parameters.empty, cell.parameters.thirds)
            assert conventions == (asked.get("empty", "subset"), asked.get("thirds", "exact"))


def test_item_has_relation_and_distances_of_each_pair(judged, keys):
    inclusive = report_item(judged, Parameters(), "tea", keys["d"])
    [pair] = inclusive.pairs
    assert (pair.first, pair.second) == ("alice", "bob")
    # {a, c, d} and {a, b, c, d}: c points at a as well
    assert pair.relation == "subsumption"
    assert pair.distances == pytest.approx(
        {"nominal": 1, "passonneau": 1 / 3, "jaccard": 1 / 4, "dice": 1 / 7, "masi": 1 / 2, "masi-product": 1 / 12}
    )
    exclusive = report_item(judged, Parameters(exclude_unit="observed"), "tea", keys["d"]).pairs[0]
    assert exclusive.distances["jaccard"] == pytest.approx(1 / 3)
    assert report_item(judged, Parameters(), "tea", "phrase:900-901") is None
    assert report_item(judged, Parameters(), "ghost", keys["d"]) is None
