"""The answers to attributes and relations, as they are compared: against what was written down, and in fractions."""

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations, permutations, product

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agreement.data.reading import read_answers
from agreement.data.texts import read_keys
from agreement.measures import Readings
from agreement.reports.basis import select_data
from agreement.reports.coders.coders import confusion_matrix, count_together
from agreement.reports.coders.profiles import compute_text_distances
from agreement.reports.coreference import compute_link_kappas
from agreement.reports.items import compute_items, find_highest
from agreement.reports.overall import AgreementFigures, compute_report
from agreement.reports.parameters import InvalidParameter, Parameters, default_preset
from agreement.results.categories import compute_agreement_table, compute_by_category
from annotations.formats.model.scheme import CATEGORY, AttributeSpec, Condition
from annotations.models import Coding
from annotations.schemes.ready_made import SCHEMES
from tests.agreement.measures import exact
from tests.shared.agreeing import judge_again
from tests.shared.following import another_process
from tests.shared.questions import CODERS, LABELS, any_answers, question_project

pytestmark = pytest.mark.django_db

N_UNITS = 6
ABSENT = object()


def make_project(seed, texts=3):
    """Make a project of these random answers."""
    return question_project(f"seed-{seed}-{texts}", any_answers(random.Random(seed), texts))


@pytest.fixture(scope="module")
def projects(module_rows):
    """Make the projects that several tests read, once for the module."""
    return {seed: make_project(seed, texts) for seed, texts in ((0, 3), (3, 3), (7, 6))}


def entities_of(own):
    """Return the sets of letters that are one entity: what is joined by pointers that are a reading alone."""
    links = [
        (letter, readings[0])
        for letter, fields in own.items()
        for readings in fields.get("pointers", ())
        if len(readings) == 1
    ]
    letters = [f"m{number}" for number in range(N_UNITS)]
    up = {letter: {letter} for letter in letters}
    for _ in letters:
        for source, target in links:
            up[source] |= up[target]
    sources = {source for source, _ in links}
    tops = {letter: up[letter] - sources for letter in letters}
    return [{letter for letter in letters if top in tops[letter]} for top in letters if top in tops[top]]


def value_of(question, own, letter):
    """Return what a coder answered on a markable, ABSENT if nothing, "not asked" if it was not asked."""
    fields = own[letter]
    attributes, relations = fields.get("attributes", {}), fields.get("relations", {})
    match question:
        case "bridging":
            readings = relations.get("bridging", ())
            return frozenset().union(*readings) if readings else "not set"
        case "topics":
            return frozenset(attributes.get("topics", ()))
        case "animacy":
            found = set()
            for entity in entities_of(own):
                members = sorted(entity & own.keys()) if letter in entity else ()
                said = [own[member].get("attributes", {}).get("animacy") for member in members]
                found |= set([answer for answer in said if answer][:1])
            return frozenset(found) or ABSENT
    if question in attributes:
        answer = attributes[question]
        return float(answer) if question == "count" else answer.strip() if question == "gloss" else answer
    asked = {
        "gender": fields["category"] != "none",
        "second": attributes.get("gender") in ("f", "m"),
        "count": attributes.get("gender") == "f",
        "part": "bridging" in relations,
        "gloss": True,
    }[question]
    return ABSENT if asked else "not asked"


def table_of(given, question, unasked="missing"):
    """Return for each unit the values of the coders, None where there is none."""
    rows = {}
    for text in sorted({text for _, text in given}):
        for number in range(N_UNITS):
            letter = f"m{number}"
            row = []
            for coder in CODERS:
                own = given[coder, text]
                value = value_of(question, own, letter) if letter in own else ABSENT
                absent = value is ABSENT or (value == "not asked" and unasked == "missing")
                row.append(None if absent else value)
            rows[text, letter] = row
    return rows


def values_of(extracted, parameters):
    """Return the same table from the data, with letters as members of sets of units."""
    data, keys = select_data(extracted, parameters), read_keys(extracted.texts)
    slug, letters = {}, {}
    for text in extracted.texts:
        order = sorted(extracted.units_in(text), key=lambda unit: int(keys[unit].split(":")[1].split("-")[0]))
        for place, unit in enumerate(order):
            slug[unit], letters[unit] = text.slug, f"m{place}"
    rows = {}
    columns = {coder: column for column, coder in enumerate(data.coders)}
    for row, unit in enumerate(data.units):
        values = []
        for coder in CODERS:
            code = data.codes[row, columns[coder]] if coder in columns else -1
            value = None if code < 0 else data.value(code)
            if isinstance(value, Readings):
                value = value.members
            if isinstance(value, frozenset) and data.members == "units":
                value = frozenset(letters[member] for member in value)
            values.append(value)
        rows[slug[unit], letters[unit]] = values
    return rows


QUESTIONS = ["gender", "second", "topics", "count", "gloss", "part", "animacy", "bridging"]


@pytest.mark.parametrize("seed", range(2))
def test_values_of_every_question_equal_answers_of_coders(seed):
    given, project = any_answers(random.Random(seed)), make_project(seed)
    for question, unasked in product(QUESTIONS, ["missing", "label"]):
        if (question, unasked) != ("count", "label"):
            extracted = read_answers(project, question=question, unasked=unasked)
            parameters = default_preset("", extracted.answers).parameters
            found = values_of(extracted, compute_report(extracted, parameters).parameters)
            assert found == table_of(given, question, unasked), (question, unasked)


@pytest.mark.parametrize(
    ("question", "distance"),
    [
        ("gender", "nominal"),
        ("gloss", "nominal"),
        ("topics", "masi"),
        ("topics", "jaccard"),
        ("count", "interval"),
        ("count", "ordinal"),
        ("count", "nominal"),
        ("bridging", "passonneau"),
        ("bridging", "masi"),
        ("animacy", "masi"),
    ],
)
def test_alpha_of_question_equals_exact_definition(projects, question, distance):
    given = any_answers(random.Random(7), texts=6)
    extracted = read_answers(projects[7], question=question)
    parameters = Parameters(distance=distance, chains="none" if question == "bridging" else "full")
    report = compute_report(extracted, parameters)
    rows = {
        unit: [members_by_text(value, unit[0], question) for value in row]
        for unit, row in table_of(given, question).items()
    }
    rows = {unit: row for unit, row in rows.items() if sum(value is not None for value in row) > 1}
    expected, *_ = exact.alpha(
        rows, exact.ordered_distance(distance, rows) if distance in ("interval", "ordinal") else distance
    )
    assert report.result.value == pytest.approx(float(expected), abs=1e-12)
    assert report.result.n_units == len(rows)
    assert report.extract.question.key == question


def members_by_text(value, text, question):
    """Return a value in which markables of different texts are different."""
    return (
        frozenset((text, letter) for letter in value)
        if question == "bridging" and isinstance(value, frozenset)
        else value
    )


@pytest.mark.parametrize("weight", ["0.5", "0.7", "1"])
def test_augmented_kappa_splits_vote_with_second_choice(projects, weight):
    given = any_answers(random.Random(3))
    extracted = read_answers(projects[3], question="gender")
    report = compute_report(extracted, Parameters(coefficient="augmented_kappa", primary_weight=weight))
    rows = {}
    for text, letter in table_of(given, "gender"):
        row = []
        for coder in CODERS:
            answers = given[coder, text].get(letter, {}).get("attributes", {})
            first, second = answers.get("gender"), answers.get("second")
            row.append((first, second) if second and second != first else first)
        rows[text, letter] = row
    expected = exact.augmented(rows, exact.Fraction(weight))
    assert report.result.value == pytest.approx(float(expected), abs=1e-12)


def test_link_kappa_of_relation_covers_all_possible_links():
    given = any_answers(random.Random(11))
    found = compute_link_kappas(read_answers(make_project(11), question="bridging"), Parameters(chains="none"))

    def links(own, letter, target):
        return any(target in readings for readings in own[letter].get("relations", {}).get("bridging", ()))

    for pair in found:
        counts = Counter(
            tuple(links(given[coder, text], letter, f"m{target}") for coder in (pair.first, pair.second))
            for text in {text for _, text in given}
            for letter in given[pair.first, text].keys() & given[pair.second, text].keys()
            for target in range(int(letter[1:]))
        )
        n = counts.total()
        assert (pair.both, pair.only_first, pair.only_second, pair.n_links) == (
            counts[True, True],
            counts[True, False],
            counts[False, True],
            n,
        )
        agreed = exact.Fraction(counts[True, True] + counts[False, False], n)
        first, second = (exact.Fraction(sum(count for key, count in counts.items() if key[side]), n) for side in (0, 1))
        chance = first * second + (1 - first) * (1 - second)
        assert pair.value == pytest.approx(float((agreed - chance) / (1 - chance)), abs=1e-12)
    assert len(found) == 3


def test_label_tables_equal_counts_over_answers():
    given = any_answers(random.Random(2))
    extracted = read_answers(make_project(2), question="topics")
    names = extracted.categories
    parameters = Parameters(distance="masi")
    rows = [[value for value in row if value is not None] for row in table_of(given, "topics").values()]
    sets = [[value or frozenset(["no label"]) for value in row] for row in rows]
    together, confused = count_together(extracted, parameters), confusion_matrix(extracted, parameters)
    for (i, a), (j, b) in product(enumerate(names), repeat=2):
        assert together[i, j] == sum(a in value and b in value for row in sets for value in row)
        assert confused[i, j] == sum(
            a in first and b in second and (a == b or (a not in second and b not in first))
            for row in sets
            for first, second in permutations(row, 2)
        ), (a, b)
    by_label = {figures.name: figures for figures in compute_by_category(extracted, parameters)}
    paired = [row for row in sets if len(row) > 1]
    for name in names:
        if name in by_label:
            binary = [[name in value for value in row] + [None] * (3 - len(row)) for row in paired]
            assert by_label[name].kappa == pytest.approx(float(exact.kappa("K", dict(enumerate(binary)))[0]), abs=1e-12)
            assert by_label[name].n_judgements == sum(map(sum, [[name in value for value in row] for row in paired]))
    table = compute_agreement_table(extracted, parameters)
    assert table.agreement.tolist() == pytest.approx(
        [sum(a == b for a, b in combinations(row, 2)) / (len(row) * (len(row) - 1) / 2) for row in paired]
    )


def test_excluded_judgements_of_question_are_counted():
    given, project = any_answers(random.Random(4)), make_project(4)
    rows = [value_of("gender", own, letter) for own in given.values() for letter in own]
    report = compute_report(read_answers(project, question="gender"), Parameters())
    assert report.judgements_left_out == {
        "not_asked": rows.count("not asked"),
        "not_answered": sum(value is ABSENT for value in rows),
    }
    assert AgreementFigures.of(report).judgements_left_out == report.judgements_left_out
    as_value = compute_report(read_answers(project, question="gender", unasked="label"), Parameters(unasked="label"))
    assert as_value.result.n_judgements > report.result.n_judgements
    assert as_value.fingerprint != report.fingerprint


def test_answer_not_asked_differs_from_unasked_question():
    words = ["not asked", "“not asked”", "not asked here", "not asked"]
    own = {f"m{number}": {"category": "phrase", "attributes": {"gloss": gloss}} for number, gloss in enumerate(words)}
    own["m4"] = {"category": "place"}
    asked = AttributeSpec("gloss", "Gloss", kind="text", asked_if=Condition(CATEGORY, ("phrase",)))
    scheme = replace(SCHEMES["poesio-artstein-2005"], attributes=(asked,))
    project = question_project("words", {(coder, "text-1"): own for coder in CODERS}, scheme)
    answers = read_answers(project, question="gloss", unasked="label")
    _, _, coding = next(answers.codings_in(answers.texts))
    named = [answers.categories[number] for number in coding.marks["category"].tolist()]
    assert named == ["“not asked”", "““not asked””", "not asked here", "“not asked”", "not asked"]
    assert [answers.labels[name] for name in named] == named


def test_project_without_categories_uses_labels_and_masi():
    rows = {"alice": ["x", "xy", "", "z"], "bob": ["x", "x", "y", "z"], "carol": ["x", "yz", "", "z"]}
    given = {
        (coder, "text-1"): {
            f"m{number}": {"category": None, "attributes": {"topics": list(topics)} if topics else {}}
            for number, topics in enumerate(own)
        }
        for coder, own in rows.items()
    }
    extracted = read_answers(question_project("labels", given, LABELS, 4))
    assert (extracted.question.key, extracted.kind, extracted.has_chains) == ("topics", "labels", False)
    parameters = default_preset("", extracted.answers).parameters
    assert parameters.distance == "masi"
    table = {n: [frozenset(rows[coder][n]) for coder in CODERS] for n in range(4)}
    expected, *_ = exact.alpha(table, "masi")
    assert compute_report(extracted, parameters).result.value == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize(
    ("question", "asked", "field"),
    [
        ("gender", {"distance": "masi"}, "distance"),
        ("gender", {"question": "ghost"}, "question"),
        ("gender", {"unmarked": "singleton"}, "unmarked"),
        ("topics", {"distance": "interval"}, "distance"),
        ("topics", {"coefficient": "augmented_kappa"}, "coefficient"),
        ("count", {"distance": "masi"}, "distance"),
        ("count", {"distance": "ratio"}, "distance"),
        ("count", {"coefficient": "beta", "distance": "interval"}, "coefficient"),
        ("count", {"unmarked": "label"}, "unmarked"),
        ("bridging", {"chains": "full"}, "chains"),
    ],
)
def test_error_names_parameter_unfit_for_question(projects, question, asked, field):
    extracted = read_answers(projects[0], question=question)
    chosen = {"question": question, "chains": "none" if question == "bridging" else "full"} | asked
    with pytest.raises(InvalidParameter) as refused:
        compute_report(extracted, Parameters(**chosen))
    assert refused.value.field == field


def test_new_word_is_new_value(monkeypatch):
    project = question_project("asked", any_answers(random.Random(5)))
    before = {question: read_answers(project, question=question) for question in QUESTIONS}
    coding = Coding.objects.of_people().filter(text__project=project, text__slug="text-2").first()
    key = coding.text.markables.get(label="m0").key
    judge_again(coding, key, "place", attributes={"gloss": "unheard of", "gender": "f", "count": 99})
    after = {question: read_answers(project, question=question) for question in QUESTIONS}
    with another_process(monkeypatch):
        for question in QUESTIONS:
            anew = read_answers(project, question=question)
            assert (anew.fingerprint, anew.categories) == (after[question].fingerprint, after[question].categories)
    assert "unheard of" in set(after["gloss"].categories) - set(before["gloss"].categories)
    assert after["count"].categories[-1] == "99"


def test_questions_take_fixed_number_of_queries():
    def count_queries(texts):
        project = make_project(1, texts)
        for question in ("gender", "topics", "count", "bridging", "animacy"):
            with CaptureQueriesContext(connection) as captured:
                read_answers(project, question=question)
            yield len(captured)

    assert list(count_queries(1)) == list(count_queries(4))


def test_ordinal_items_do_not_depend_on_previous_selection():
    project = make_project(3, 4)

    def look(**asked):
        found = read_answers(project, question="count")
        parameters = Parameters(question="count", distance="ordinal", chains="full", **asked)
        shares = compute_items(found, parameters).share_of(...).tolist()
        highest = [(item.unit, item.share) for item in find_highest(found, parameters)]
        return shares, highest, [text.mean for text in compute_text_distances(found, parameters)]

    first = look()
    for texts in ("text-2", "text-1,text-3"):
        look(texts=texts)
    assert look() == first
