"""What is meant together and what are alternatives, from the rows of the database to figures."""

import random
from collections import Counter
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.data.given_answers import read_given_answers
from agreement.data.links import count_readings, tidy_readings
from agreement.data.reading import read_answers
from agreement.measures import Readings, ReliabilityData, alpha, distance
from agreement.measures.data.answers import MODES, READINGS, TOPS
from agreement.reports.basis import select_data
from agreement.reports.coreference import find_clusters
from agreement.reports.items import compute_items, summarize_ambiguity
from agreement.reports.overall import compute_report
from agreement.reports.parameters import InvalidParameter, Parameters
from agreement.reports.request import resolve
from agreement.results.agreement import distribute_distances
from agreement.results.data import reliability_matrix
from annotations.coding import operations
from annotations.models import Coding, User
from annotations.projects.scheme_rows import stamp_scheme
from tests.agreement.measures import exact
from tests.shared.agreeing import coded_project, hand_in, table
from tests.shared.cases import examples
from tests.shared.coding import change, judge
from tests.shared.schemes import change_rows

LINKS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 5)), unique=True)
WORDS = "[Anna](a) and [Ben](b) met [Cy](c) , [they](d) saw [him](e) , [they](f) left"


@given(LINKS)
@examples(100)
def test_equal_readings_of_judgement_are_merged(links):
    columns = np.array(sorted(links), dtype=np.int64).reshape(-1, 3).T
    link_of, link_to, reading = tidy_readings(*columns)
    given = {}
    for judgement, target, number in links:
        given.setdefault(judgement, {}).setdefault(number, set()).add(target)
    found = {}
    for judgement, target, number in zip(link_of.tolist(), link_to.tolist(), reading.tolist(), strict=True):
        found.setdefault(judgement, {}).setdefault(number, set()).add(target)
    assert {judgement: set(map(frozenset, sets.values())) for judgement, sets in found.items()} == {
        judgement: set(map(frozenset, sets.values())) for judgement, sets in given.items()
    }
    assert all(len(set(map(frozenset, sets.values()))) == len(sets) for sets in found.values())
    assert count_readings(link_of, reading, 5).tolist() == [len(found.get(judgement, ())) for judgement in range(5)]
    renumbered = tidy_readings(columns[0], columns[1], 9 - columns[2])
    assert [column.tolist() for column in renumbered] == [link_of.tolist(), link_to.tolist(), reading.tolist()]


def project_of(answers, slug):
    """Make a project in which each coder's words point at others: a letter to letters, or to lists of them."""
    project = coded_project(slug, "poesio-artstein-2005", WORDS, coders=tuple(answers))
    change_rows(project.relations.filter(identity=True), joint=True, later=True)
    project.relations.create(key="bridging", label="bridging", joint=True, later=True).to_levels.set(
        project.levels.filter(key="phrase")
    )
    stamp_scheme(project)
    keys = dict(project.texts.get().markables.values_list("label", "key"))
    for coding in Coding.objects.of_people().filter(text__project=project).select_related("coder", "text__project"):
        for letter, readings in answers[coding.coder.username].items():
            pointers = [[keys[letter] for letter in together] for together in readings]
            bridging = {"bridging": [keys["a"]]} if letter != "a" else {}
            decision = change(
                markable=keys[letter],
                category="phrase" if readings else "none",
                pointers=pointers,
                **({"relations": bridging} if bridging else {}),
            )
            coding.refresh_from_db(fields=["version"])
            operations.apply(coding, coding.coder, coding.version, [decision])
    return hand_in(project)


pytestmark = pytest.mark.django_db
TOGETHER = {"a": [], "b": [], "c": [], "d": ["ab"], "e": ["c"], "f": ["d"]}


@pytest.fixture(scope="module")
def agreed(module_rows):
    """Let two coders say that "they" are Anna and Ben, and that something else bridges to Anna."""
    return project_of({"alice": TOGETHER, "bob": TOGETHER}, "they")


def test_unanimous_plural_has_distance_0_and_is_not_ambiguous(agreed):
    extracted = read_answers(agreed)
    for readings in READINGS:
        parameters = Parameters(distance="masi", readings=readings)
        assert compute_report(extracted, parameters).result.value == 1
        assert not compute_items(extracted, parameters).distance_of(...).any()
        assert summarize_ambiguity(extracted, parameters)[0].n_ambiguous_judgements == 0
        assert not compute_items(extracted, parameters).explicit.any()
    text = agreed.texts.get()
    units = text.markables.filter(label__in="abcdef").values_list("pk", flat=True)
    shown = read_given_answers(extracted, list(units), {text.pk: text.content})
    assert {str(given) for found in shown.values() for given in found} >= {"phrase → Anna + Ben", "phrase → Cy"}


@pytest.mark.parametrize("readings", READINGS)
def test_pages_api_and_library_show_unanimous_plural_at_distance_0(agreed, signed_in, readings, tmp_path):
    client = signed_in(User.objects.get(username="charlie"))
    asked = {"readings": readings, "distance": "masi"}
    found = client.get("/api/v1/projects/they/agreement/items/", asked).json()
    assert sorted((item["label"], item["observed"], item["n_ambiguous"]) for item in found["results"]) == [
        (letter, 0, 0) for letter in "abcdef"
    ]
    ambiguous = asked | {"ambiguity": "explicit"}
    assert client.get("/api/v1/projects/they/agreement/items/", ambiguous).json()["results"] == []
    page, filtered = (
        client.get("/projects/they/agreement/items/", query).content.decode() for query in (asked, ambiguous)
    )
    assert len(table(page, "items")) == 6
    assert table(filtered, "items") == []
    path = tmp_path / "data.csv"
    path.write_bytes(client.get("/api/v1/projects/they/agreement/data/", {**asked, "form": "csv"}).content)
    data = ReliabilityData.from_matrix(path)
    assert alpha(data, "masi").observed == 0
    assert alpha(data, "masi").value == 1


def test_bridging_joins_no_chain_and_plurals_form_own_entities(agreed):
    extracted = read_answers(agreed)
    label = dict(agreed.texts.get().markables.values_list("pk", "label"))
    clusters = find_clusters(extracted, extracted.texts)["alice"][extracted.texts[0].pk]
    named = {"".join(sorted(label[pk] for pk in cluster)) for cluster in clusters}
    assert {"df", "ce"} <= named
    assert not any(letters != "a" and "a" in letters for letters in named)


@pytest.mark.parametrize("seed", range(3))
def test_values_of_random_pointers_equal_exact_definition(seed):
    draw = random.Random(seed)

    def any_readings(own):
        targets = [letter for letter in "abcdef" if letter != own]
        readings = [draw.sample(targets, draw.choice([1, 1, 2])) for _ in range(draw.choice([0, 1, 1, 2, 3]))]
        distinct = {tuple(sorted(reading)) for reading in readings}
        return [list(reading) for reading in sorted(distinct)]

    answers = {coder: {letter: any_readings(letter) for letter in "abcdef"} for coder in ("alice", "bob", "carol")}
    project = project_of(answers, f"seed-{seed}")
    extracted = read_answers(project)
    label = dict(project.texts.get().markables.values_list("pk", "label"))
    for mode, top, readings in product(MODES, TOPS, READINGS):
        parameters = Parameters(chains=mode, top=top, readings=readings, unmarked="missing")
        data = select_data(extracted, parameters)
        for column, coder in enumerate(data.coders):
            own = answers[coder]
            pointers = {letter: [frozenset(together) for together in given] for letter, given in own.items() if given}
            categories = {letter: "phrase" if given else "none" for letter, given in own.items()}
            expected = exact.chain_labels("abcdef", categories, pointers, (), mode, top, readings)
            for row, unit in enumerate(data.units):
                value = data.value(data.codes[row, column])
                assert named(value, label) == expected[label[unit]], (mode, top, readings, coder, label[unit])


def named(value, label):
    """Return a value with letters as members, readings as the definition has them."""
    if isinstance(value, Readings):
        return exact.united(frozenset(label[member] for member in members) for members in value.sets)
    return frozenset(label[member] for member in value) if isinstance(value, frozenset) else value


@pytest.fixture(scope="module")
def differing(module_rows):
    """Let three coders find the words ambiguous in different ways."""
    answers = {
        "alice": TOGETHER | {"d": ["ab", "c"], "f": ["d", "e"]},
        "bob": TOGETHER | {"d": ["ab"], "f": ["d", "c"]},
        "carol": TOGETHER | {"d": ["a", "bc"], "e": ["a", "b", "c"], "f": ["ab"]},
    }
    return project_of(answers, "differing")


@pytest.mark.parametrize("name", ["passonneau", "masi"])
def test_distribution_of_matched_readings_counts_each_pair(differing, name):
    parameters = Parameters(distance=name, readings="matched", chains="none", unmarked="missing")
    data = select_data(read_answers(differing), parameters)
    rows = [[data.value(code) for code in row] for row in data.codes.tolist()]
    observed = Counter()
    for row in rows:
        observed.update(bin_of(distance(a, b, name)) for a, b in combinations(row, 2))
    expected = Counter(
        bin_of(distance(a, b, name)) for a, b in permutations([value for row in rows for value in row], 2)
    )
    bins = distribute_distances(read_answers(differing), parameters)
    assert len(bins) == 12
    assert [bin_.observed for bin_ in bins] == pytest.approx([observed[n] / observed.total() for n in range(12)])
    assert [bin_.expected for bin_ in bins] == pytest.approx([expected[n] / expected.total() for n in range(12)])


def bin_of(value):
    return 11 if value > 1 - 1e-9 else int(np.ceil(round(value * 10, 9)))


def test_judgement_with_two_or_more_readings_is_ambiguous(differing):
    counted = {(row.kind, row.name): row for row in summarize_ambiguity(read_answers(differing), Parameters())}
    assert counted["all", ""].n_ambiguous_judgements == 5
    assert [counted["coder", name].n_ambiguous_judgements for name in ("alice", "bob", "carol")] == [2, 1, 2]


def test_matrix_pages_and_api_keep_readings(differing, signed_in):
    matrix = reliability_matrix(
        read_answers(differing), Parameters(readings="matched", chains="none", unmarked="missing")
    )
    keys = dict(differing.texts.get().markables.values_list("label", "key"))
    values = {row.unit: row.values for row in matrix.rows}
    together = frozenset([keys["a"], keys["b"]])
    assert values[keys["d"]][0] == frozenset([together, frozenset([keys["c"]])])
    assert values[keys["d"]][1] == together
    client = signed_in(User.objects.get(username="charlie"))
    for page in ("", "items/", "data/", f"items/text-1/{keys['d']}/"):
        answer = client.get(f"/projects/differing/agreement/{page}?readings=matched&distance=masi")
        assert answer.status_code == 200, page
    api = client.get(
        f"/api/v1/projects/differing/agreement/items/text-1/{keys['d']}/?readings=matched&chains=none"
    ).json()
    assert api["values"][0]["readings"] == [[keys["a"], keys["b"]], [keys["c"]]]
    assert api["answers"][0]["antecedents"] == ["Anna + Ben", "Cy"]


def test_readings_made_equal_by_deletion_are_merged():
    project = coded_project("mark", "poesio-artstein-2005", "[Anna](a) met Ben , [they](d) left", coders=("alice",))
    change_rows(project.relations.filter(identity=True), joint=True)
    change_rows(project.levels.filter(key="phrase"), coders_mark=True)
    keys = dict(project.texts.get().markables.values_list("label", "key"))
    for coding in Coding.objects.of_people().filter(text__project=project).select_related("coder", "text__project"):
        judge(coding, keys["a"], "none")
        judge(coding, "phrase:9-12", "none")
        judge(coding, keys["d"], "phrase", [keys["a"]], [keys["a"], "phrase:9-12"])
        assert (read_answers(project).columns.n_readings > 1).any()
        coding.refresh_from_db(fields=["version"])
        operations.apply(coding, coding.coder, coding.version, [change("unmark", markable="phrase:9-12")])
    assert summarize_ambiguity(read_answers(hand_in(project)), Parameters())[0].n_ambiguous_judgements == 0


def test_error_for_too_many_readings_names_coder_and_text():
    words = " ".join(f"[w{number}](m{number})" for number in range(64))
    project = coded_project("many", "poesio-artstein-2005", words)
    coding = Coding.objects.of_people().get(text__project=project, coder__username="bob")
    keys = coding.text.markables.order_by("start").values_list("key", flat=True)
    judge(coding, keys[63], "phrase", *keys[:40])
    [judgement] = coding.judgements.filter(markable__key=keys[63])
    relation, pointers = project.relations.get(key="phrase"), judgement.pointers.model
    rest = coding.text.markables.filter(key__in=keys[40:63])
    pointers.objects.bulk_create(
        pointers(judgement=judgement, relation=relation, reading=number, target=target)
        for number, target in enumerate(rest, start=40)
    )
    hand_in(project)
    with pytest.raises(InvalidParameter, match="bob gives 63 readings of one unit in text-1, and 62 at most"):
        resolve(read_answers(project), Parameters(readings="matched", unmarked="missing"))
    resolve(read_answers(project), Parameters(unmarked="missing"))
