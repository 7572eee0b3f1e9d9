"""The sums of many texts in arrays are those of each text, one by one, to the last digit."""

import json
from dataclasses import asdict
from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import measures
from agreement.measures import (
    ORDERED_DISTANCES,
    SET_DISTANCES,
    ReliabilityData,
    TextSums,
    alpha,
    combine,
    interval_sums,
)
from tests.agreement.measures import exact
from tests.agreement.measures.data.test_inputs import label_tables, labelled
from tests.agreement.measures.strategies import OPTIONS, chain_tables, data_of, number_tables, one_document, tables
from tests.agreement.measures.sums import plain
from tests.shared.cases import examples

# tables of every kind: what makes data of one, and the distances that its values have
KINDS = st.one_of(
    st.tuples(tables(readings=True), st.just(data_of), st.just(SET_DISTANCES)),
    st.tuples(chain_tables(), st.just(data_of), st.just(SET_DISTANCES)),
    st.tuples(label_tables(), st.just(labelled), st.just(SET_DISTANCES)),
    st.tuples(number_tables(), st.just(data_of), st.just(ORDERED_DISTANCES)),
)


def texts_of(table, documents):
    """Return the part of the table that is each text's, by text."""
    return {text: {u: row for u, row in table.items() if documents[u] == text} for text in documents.values()}


@examples(60)
@given(tables(), OPTIONS)
def test_sums_of_text_equal_exact_sums(drawn, options):
    table, documents = drawn
    sums = measures.documents_sums(data_of(table, documents), **options)
    for name in SET_DISTANCES:
        for found, (text, own) in zip(sums[name], texts_of(table, documents).items(), strict=True):
            expected = plain.text_sums(own, name, **options)
            assert found.document == text
            assert set(found.coders) == expected.pop("coders")
            assert dict(found.labels) == expected.pop("labels")
            rest = {field: getattr(found, field) for field in expected}
            assert rest == {field: pytest.approx(float(number)) for field, number in expected.items()}


@examples(60)
@given(number_tables())
def test_ordered_sums_of_text_equal_exact_sums(drawn):
    table, documents = drawn
    sums = measures.documents_sums(data_of(table, documents), ORDERED_DISTANCES)
    for name in ORDERED_DISTANCES:
        for found, own in zip(sums[name], texts_of(table, documents).values(), strict=True):
            expected = plain.ordered_sums(own, name)
            assert dict(found.labels) == expected["labels"]
            assert found.observed == pytest.approx(float(expected["observed"]))
            pairs = {frozenset(pair): weight for pair, weight in found.label_pairs if len(set(pair)) > 1}
            assert pairs == {pair: pytest.approx(float(weight)) for pair, weight in expected["label_pairs"].items()}


@examples(60)
@given(tables(readings=True), st.sampled_from(["none", "both"]))
def test_sums_of_text_count_readings_by_kind(drawn, exclude_unit):
    table, documents = drawn
    sums = measures.documents_sums(data_of(table, documents), exclude_unit=exclude_unit)
    for name in SET_DISTANCES:
        for found, own in zip(sums[name], texts_of(table, documents).values(), strict=True):
            sets = [v for _, v in plain.pool(own, exclude_unit) if isinstance(v, frozenset)]
            kinds = {tuple(kind): count for *kind, count in found.readings}
            assert kinds == plain.reading_kinds(own, exclude_unit)
            assert (found.empty, found.nonempty) == (sets.count(frozenset()), sum(map(bool, sets)))


@examples(80)
@given(KINDS, OPTIONS, st.data())
def test_sums_of_selected_coders_and_texts_give_exact_alpha(kind, options, draw):
    (table, documents), make, distances = kind
    name = draw.draw(st.sampled_from(distances))
    n_coders = len(next(iter(table.values()), []))
    coders = draw.draw(st.sets(st.sampled_from(range(n_coders)), min_size=1)) if n_coders else set()
    of_chosen = {u: [row[coder] for coder in sorted(coders)] for u, row in table.items()}
    texts = list(dict.fromkeys(documents.values()))
    chosen = draw.draw(st.lists(st.sampled_from(texts), unique=True)) if texts else []
    of_all = measures.documents_sums(make(of_chosen, documents), [name], **options)
    sums = of_all.select([of_all.documents.index(text) for text in chosen])[name]

    def alpha_of(some):
        rest = {u: row for u, row in of_chosen.items() if documents[u] in some}
        own = exact.ordered_distance(name, rest) if name in ORDERED_DISTANCES else name
        value, *_ = exact.alpha(rest, own, **options)
        return None if value is None else pytest.approx(float(value), rel=1e-9, abs=1e-9)

    assert combine(sums).value == alpha_of(chosen)
    assert [combine(sums[:row] + sums[row + 1 :]).value for row in range(len(chosen))] == [
        alpha_of([text for text in chosen if text != left_out]) for left_out in chosen
    ]
    without_each = measures.jackknife_sums(sums)
    assert list(without_each.values) == [
        alpha_of([text for text in chosen if text != left_out]) for left_out in without_each.groups
    ]


@examples(60)
@given(tables(), OPTIONS)
def test_sums_in_arrays_equal_sums_in_objects(drawn, options):
    table, documents = drawn
    data = data_of(table, documents)
    sums = measures.documents_sums(data, **options)
    for name, of_distance in sums.items():
        parts = list(of_distance)
        assert of_distance == parts == measures.document_sums(data, name, **options)
        whole = combine(of_distance)
        kept = [measures.DocumentSums(**json.loads(json.dumps(asdict(part)))) for part in parts]
        assert combine(parts) == combine(kept) == whole
        value, *rest = plain.combined(parts)
        assert (value is None) == (whole.value is None)
        if value is not None:
            found = (whole.value, whole.observed, whole.expected, whole.n_units, whole.n_judgements)
            assert (*found, whole.n_coders, whole.n_values) == (value, *rest)
        found = measures.jackknife_sums(of_distance)
        without = plain.without_each(parts)
        assert list(found.values) == [None if isnan(value) else value for value in without]
        if found.standard_error is not None:
            assert found.standard_error == pytest.approx(plain.jackknife_error(without), rel=1e-12)
    lists = {name: list(of_distance) for name, of_distance in sums.items()}
    assert interval_sums(sums) == interval_sums(lists)
    assert measures.bootstrap_sums(sums, n=5) == measures.bootstrap_sums(lists, n=5)
    together = measures.interval(data, alpha, **options)
    if together.by == "document" and data.documents:
        assert interval_sums(sums["nominal"]) == together
    if len(data.documents) > 1:
        assert measures.bootstrap_sums(sums["nominal"], n=5) == measures.bootstrap(data, alpha, n=5, **options)


@examples(60)
@given(KINDS, OPTIONS, st.randoms(use_true_random=False))
def test_concatenated_parts_in_any_order_equal_whole(kind, options, random):
    (table, documents), make, distances = kind
    texts = list(dict.fromkeys(documents.values()))
    random.shuffle(texts)
    cut = random.randint(0, len(texts))
    parts = []
    for own in (texts[:cut], texts[cut:]):
        part = {u: row for u, row in table.items() if documents[u] in own}
        parts.append(measures.documents_sums(make(part, {u: documents[u] for u in part}), distances, **options))
    sums = TextSums.concatenate(parts)
    data = make(table, documents)
    for name in distances:
        whole = alpha(data, name, **options)
        assert combine(sums[name]) == (whole if texts else combine([]))
        assert combine(reversed(sums[name])) == combine(sums[name])
    ordered = measures.documents_sums(data, distances, **options).sort()
    assert sums.sort() == ordered
    assert (sums.sort().coders, sums.sort().labels) == (ordered.coders, ordered.labels)
    assert interval_sums(sums.sort()) == interval_sums(ordered)
    assert sums.select(range(len(texts))) is sums
    assert all(sums.select([row])[name] == [sums[name][row]] for row in range(len(texts)) for name in distances)


@pytest.mark.parametrize("distances", [SET_DISTANCES, ORDERED_DISTANCES])
def test_sums_without_pairable_units_have_note(distances):
    nothing = measures.documents_sums(one_document([]), distances)
    single = measures.documents_sums(
        data_of({1: [1, None], 2: [2, None], 3: [None, 3]}, {1: "x", 2: "x", 3: "y"}), distances
    )
    for name in distances:
        assert combine(nothing[name]).note == interval_sums(nothing[name]).note == "there is no data"
        assert combine(single[name]).note == interval_sums(single[name]).note == "no unit is coded by two coders"
        assert [(text.n_left_out, text.coders, text.labels) for text in single[name]] == [(2, (), ()), (1, (), ())]
    assert single["nominal" if "nominal" in single else "ratio"].n_units.tolist() == [0, 0]
    assert measures.documents_sums(one_document([["a", "b"]]), []) == {}


def test_concatenation_merges_labels_and_coders_of_parts():
    first = measures.documents_sums(data_of({1: ["a", "b"], 2: ["c", "c"]}, {1: "x", 2: "x"}))
    second = measures.documents_sums(data_of({3: ["c", "d"], 4: ["a", None]}, {3: "y", 4: "y"}, "BE"))
    together = TextSums.concatenate([first, second])
    assert together.labels == ("a", "b", "c", "d")
    assert together.coders == ("A", "B", "E")
    assert [text.labels for text in together["masi"]] == [(("a", 1), ("b", 1), ("c", 2)), (("c", 1), ("d", 1))]
    assert [text.coders for text in together["masi"]] == [("A", "B"), ("B", "E")]


def test_sums_take_distances_in_any_order_and_number():
    data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [1, 1], [2, 1], [1, 1], [1, 1]], list("aabbcc"))
    sums = measures.documents_sums(data)
    apart = {name: measures.document_sums(data, name) for name in ("masi", "nominal")}
    assert interval_sums({name: sums[name] for name in apart}) == interval_sums(apart)
    mixed = {"none": sums["masi"], "both": measures.document_sums(data, "masi", exclude_unit="both")}
    assert interval_sums(mixed) == {name: interval_sums(own) for name, own in mixed.items()}
    assert list(sums.select_distances(["masi", "dice"])) == ["masi", "dice"]
    with pytest.raises(KeyError, match="ratio"):
        sums["ratio"]


def test_distance_sums_behave_as_sequence():
    sums = measures.document_sums(ReliabilityData.from_chain_ids([[1, 1], [1, 2], [2, 2]], "abc"), "dice")
    assert [text.document for text in (*sums[1:], *reversed(sums), sums[-1])] == list("bccbac")
    assert all(type(text) is measures.DocumentSums for text in sums)
    assert sums[:1] + sums[1:] == sums == tuple(sums)
    assert sums[:2] + list(sums[2:]) == sums != sums[:2]
    assert measures.DocumentSums(**asdict(sums[1])) == sums[1]
    assert repr(sums) == "<DistanceSums: 3 texts, dice>"
    with pytest.raises(IndexError):
        sums[3]


def test_error_names_incompatible_sums():
    sums = measures.documents_sums(ReliabilityData.from_chain_ids([[1, 1], [1, 2]], ["one", "two"]))
    with pytest.raises(ValueError, match="document 'two' is in two parts"):
        TextSums.concatenate([sums, sums.select([1])])
    with pytest.raises(ValueError, match=r"exclude_unit='both'.* cannot be put together with those of .*'none'"):
        TextSums.concatenate(
            [sums, measures.documents_sums(ReliabilityData.from_chain_ids([[1, 1]], ["x"]), exclude_unit="both")]
        )
    with pytest.raises(ValueError, match="the sums are of different documents"):
        interval_sums({"dice": sums["dice"], "masi": sums["masi"][:1]})
    with pytest.raises(ValueError, match="'ratio' is of numbers, the others of sets"):
        measures.documents_sums(one_document([[1, 2]]), ["masi", "ratio"])
    with pytest.raises(ValueError, match="read-only"):
        sums.rows["n_units"] = 0
