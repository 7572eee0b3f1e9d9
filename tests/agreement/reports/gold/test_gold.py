"""Coders against gold, checked by exact fractions and the library."""

import random
from fractions import Fraction

import pytest

from agreement.data.coders import GOLD
from agreement.data.reading import read_answers
from agreement.measures import score_interval, share_interval
from agreement.reports.coreference import SCORES, find_clusters
from agreement.reports.gold import compare_with_gold
from agreement.reports.request import parse_asked, read_with_gold, resolve
from annotations.adjudication.ownership import open_gold
from annotations.coding.status import reopen_coding, submit_coding
from annotations.models import Coding, Judgement, Membership, Project, Round, User
from annotations.schemes.project_scheme import set_coder_marked_levels
from tests.shared.agreeing import answer, coded_project, coding_of, convention, decide_gold, figures, table
from tests.shared.coding import close_gold, judge, judge_all
from tests.shared.questions import any_answers, judgement_of, question_project

URL = "/projects/walk/agreement/gold/"
API = "/api/v1/projects/walk/agreement/gold/"
THREE = ("alice", "bob", "carol")


@pytest.fixture(scope="module")
def walk_rows(module_rows) -> int:
    """Make a project of four texts by three coders; gold differs from Bob in two markables a text."""
    contents = [" ".join(f"[w{n}](m{n})" for n in range(5 + number)) for number in range(4)]
    project = answer(coded_project("walk", "poesio-artstein-2005", *contents, coders=THREE))
    decide_gold(project, "bob", m1="place", m3=None)
    return project.pk


@pytest.fixture
def walk(walk_rows, charlie) -> Project:
    return Project.objects.get(pk=walk_rows)


def report_of(project, **asked):
    answers, parameters = parse_asked(project, asked)
    return compare_with_gold(project, answers, read_with_gold(project, answers, parameters), parameters)


def judged(project, gold=False, coder=""):
    """Return the category of each markable by text, straight from the rows."""
    codings = Coding.objects.filter(text__project=project, kind="gold" if gold else "text")
    codings = codings.filter(coder__username=coder) if coder else codings
    rows = Judgement.objects.filter(coding__in=codings, category__isnull=False)
    return {
        (text, unit): category
        for text, unit, category in rows.values_list("coding__text__slug", "markable__label", "category__key")
    }


def test_accuracy_is_share_of_equal_answers(walk):
    gold = judged(walk, gold=True)
    report = report_of(walk)
    assert [coder.name for coder in report.coders] == list(THREE)
    for row in report.coders:
        own = judged(walk, coder=row.name)
        both = own.keys() & gold.keys()
        equal = [item for item in both if own[item] == gold[item]]
        assert row.accuracy.value == float(Fraction(len(equal), len(both)))
        texts = sorted({text for text, _ in gold})
        by_text = [[sum(text == name for text, _ in side) for name in texts] for side in (equal, both)]
        expected = share_interval(*by_text)
        assert (row.accuracy.low, row.accuracy.high, row.accuracy.note) == (expected.low, expected.high, expected.note)
        assert (row.missed, row.extra) == (len(gold.keys() - own.keys()), len(own.keys() - gold.keys()))
        assert row.n_texts == len(texts)
    assert report.n_items == len(gold)
    assert report.coders[0].extra == 4  # m3 of each text, which gold leaves out


def test_overruled_counts_contested_items_decided_otherwise(walk):
    """Follow the chains by hand: a value is a category, or the chain of a markable."""
    report = report_of(walk)
    with_gold, _ = resolve(read_answers(walk, gold=True), convention(walk))
    values = {}
    for text, coder, coding in with_gold.codings_in(with_gold.texts):
        values[text.slug, coder] = values_by_hand(coding)
    contested = overruled = 0
    counts = {name: [0, 0] for name in THREE}
    for text in with_gold.texts:
        of_gold = values[text.slug, GOLD]
        for unit in range(len(with_gold.units_in(text))):
            given = {name: values[text.slug, name][unit] for name in THREE}
            if len(set(given.values())) > 1:
                contested += 1
                for name in THREE if unit in of_gold else ():  # what gold leaves out has no value in this scheme
                    counts[name][0] += 1
                    counts[name][1] += given[name] != of_gold[unit]
    assert report.n_contested == contested > 0
    for row in report.coders:
        assert (row.overruled.total, row.overruled.found) == tuple(counts[row.name])
        overruled += row.overruled.found
    assert 0 < overruled < 3 * contested


def values_by_hand(coding):
    """Return the value of each judged unit: the chain through its antecedent, or its category."""
    units = coding.marks["unit"].tolist()
    above = {units[of]: to for of, to, _ in coding.links.tolist()}
    category = dict(zip(units, coding.marks["category"].tolist(), strict=True))

    def first(unit):
        return first(above[unit]) if unit in above else unit

    chains = {}
    for unit in {*above, *above.values()}:
        chains.setdefault(first(unit), set()).add(unit)
    return {
        unit: frozenset(chains[first(unit)]) if unit in above else ("category", label)
        for unit, label in category.items()
    }


def test_scores_equal_library_with_gold_as_key(walk):
    report = report_of(walk)
    with_gold, _ = resolve(read_answers(walk, gold=True), convention(walk))
    clusters = find_clusters(with_gold, with_gold.texts)
    for coder in report.coders:
        key, response = ({text: side[text] for text in side} for side in (clusters[GOLD], clusters[coder.name]))
        for name, score in SCORES.items():
            expected, interval = score(key, response), score_interval(key, response, score).f1
            found = coder.scores[name]
            assert (found.recall, found.precision, found.f1) == (expected.recall, expected.precision, expected.f1)
            assert (found.low, found.high) == (interval.low, interval.high)
    bob = report.coders[1]
    assert 0 < bob.scores["conll_average"].f1 < 1


def test_gold_does_not_change_agreement_figures(signed_in, charlie, walk):
    client = signed_in(charlie)

    def shown():
        pages = ("", "coders/", "items/", "categories/", "texts/")
        return [data_of(client.get(f"/projects/walk/agreement/{page}").content.decode()) for page in pages]

    api = client.get("/api/v1/projects/walk/agreement/").json()
    with_gold = shown()
    beside = client.get(API).json()["agreement"]
    assert (beside["value"], beside["low"], beside["high"]) == (api["value"], api["low"], api["high"])
    asked = {"texts": "text-1,text-2,text-4"}
    some = client.get("/api/v1/projects/walk/agreement/", asked).json()["value"]
    assert client.get(API, asked).json()["agreement"]["value"] == some
    Coding.objects.filter(kind="gold").delete()
    left_out = api.pop("codings_left_out")
    assert left_out["gold"] == 4
    after = client.get("/api/v1/projects/walk/agreement/").json()
    assert after == api | {"codings_left_out": left_out | {"gold": 0}}
    assert shown() == with_gold
    assert all(with_gold)


def data_of(page):
    return [part.partition('"')[0] for part in page.split('<data value="')[1:]]


def test_error_table_counts_differences_by_kind(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL, {"coder": "bob"}).content.decode()
    gold, bob = judged(walk, gold=True), judged(walk, coder="bob")
    expected = {"not in the gold": len(bob.keys() - gold.keys())}
    expected["another answer"] = sum(gold[item] != bob[item] for item in gold.keys() & bob.keys())
    found = dict.fromkeys(expected, 0)
    for row in table(page, "errors"):
        if row[0] in found:
            found[row[0]] += int(row[3])
    assert found == expected
    rows = table(page, "differences")
    assert sum(row[2] in expected for row in rows) == sum(expected.values())
    assert any("chain" in row[2] for row in rows)  # what stood with a markable that gold takes away
    confusion = [[int(float(cell)) for cell in row] for row in figures(page, "confusion")]
    assert sum(map(sum, confusion)) == len(gold.keys() & bob.keys())
    equal = sum(row[place] for place, row in enumerate(confusion))
    assert equal == sum(map(sum, confusion)) - expected["another answer"]


def test_training_gold_and_undecided_gold_are_left_out(signed_in, charlie, walk):
    first, second, *_ = Coding.objects.filter(kind="gold").order_by("text__slug")
    reopen_coding(first, charlie)
    report = signed_in(charlie).get(API).json()
    assert (report["n_texts"], report["gold_left_out"]) == (3, {"practice": 0, "open": 1, "uncoded": 0})
    assert "gold of 1 text that is not decided" in signed_in(charlie).get(URL).content.decode()
    close_gold(first)
    Round.objects.filter(pk=second.round_id).update(kind=Round.Kind.TRAINING)
    report = signed_in(charlie).get(API).json()
    assert (report["n_texts"], report["gold_left_out"]["practice"]) == (0, 4)
    assert "gold of 4 texts in training rounds" in signed_in(charlie).get(URL).content.decode()


def test_gold_report_obeys_selection(signed_in, charlie, walk):
    client = signed_in(charlie)
    whole = client.get(API).json()
    two = client.get(API, {"coders": "alice,bob"}).json()
    assert two["coders"][0]["accuracy"] == whole["coders"][0]["accuracy"]
    assert two["n_contested"] <= whole["n_contested"]
    assert client.get(API, {"texts": "text-2"}).json()["n_texts"] == 1
    walk.memberships.filter(user__username__in=["alice", "carol"]).update(group="naive")
    [group] = client.get(API).json()["groups"]
    total = sum(whole["coders"][place]["accuracy"]["total"] for place in (0, 2))
    assert (group["name"], group["accuracy"]["total"]) == ("naive", total)
    without = client.get(API, {"without": "phrase"}).json()
    assert without["n_items"] < whole["n_items"]
    assert client.get(API, {"coders": GOLD}).status_code == 400


def test_open_coding_counts_only_with_include_open(signed_in, charlie, walk):
    reopen_coding(coding_of("text-1", "alice"), charlie, "look again")
    counts = [signed_in(charlie).get(API, asked).json()["coders"][0]["n_texts"] for asked in ({}, {"include": "open"})]
    assert counts == [3, 4]


def test_each_question_has_its_accuracy(signed_in, charlie):
    given = any_answers(random.Random(7))
    project = question_project("asked", given)
    for text in project.texts.all():
        gold = open_gold(project, text, "main", charlie)
        keys = dict(text.markables.values_list("label", "key"))
        judge_all(gold, [judgement_of(letter, fields, keys) for letter, fields in given["bob", text.slug].items()])
        close_gold(gold)
    questions = signed_in(charlie).get(API.replace("walk", "asked")).json()["questions"]
    found = {row["question"]: row["coders"] for row in questions}
    assert list(found) == [question.key for question in read_answers(project).questions]
    for coders in found.values():
        [bob] = [coder for coder in coders if coder["name"] == "bob"]
        assert (bob["found"], bob["value"]) == (bob["total"], 1.0)
    pairs = [
        [given[coder, text].get(letter, {}).get("attributes", {}).get("gender") for coder in ("alice", "bob")]
        for text in ("text-1", "text-2", "text-3")
        for letter in given["bob", text]
    ]
    pairs = [pair for pair in pairs if None not in pair]
    [alice] = [coder for coder in found["gender"] if coder["name"] == "alice"]
    assert alice["value"] == float(Fraction(sum(a == b for a, b in pairs), len(pairs)))


def test_adjudicator_sees_letters_instead_of_names(signed_in, charlie, walk):
    dora = User.objects.create(username="dora")
    walk.memberships.create(user=dora, role=Membership.Role.ADJUDICATOR)
    found, named = (signed_in(user).get(API).json()["coders"] for user in (dora, charlie))
    assert {coder["name"] for coder in found} == {"Coder A", "Coder B", "Coder C"}
    page = signed_in(dora).get(URL).content.decode()
    for key in ("accuracy", "scores", "overruled", "each", "trend"):
        assert not {row[0] for row in table(page, key)} & set(THREE)
    assert {coder["accuracy"]["value"] for coder in found} == {coder["accuracy"]["value"] for coder in named}
    assert list(signed_in(dora).get(API, {"coders": "alice"}).json()["errors"]) == ["coders"]


def test_coder_sees_gold_and_only_own_name_in_open_results(signed_in, walk):
    alice = User.objects.get(username="alice")
    client = signed_in(alice)
    assert client.get(URL).status_code == client.get(API).status_code == 403
    Project.objects.update(results_open=True)
    found = client.get(API).json()
    names = [coder["name"] for coder in found["coders"]]
    assert names[0] == "alice"
    assert all(name.startswith("Coder ") for name in names[1:])
    assert (found["groups"], found["gold_left_out"]) == ([], {})
    page = client.get(URL).content.decode()
    assert "Where gold differs from alice" in page
    assert client.get(URL, {"coder": "bob"}).status_code == 400
    for key in ("accuracy", "scores", "overruled", "each"):
        assert not {row[0] for row in table(page, key)} & {"bob", "carol"}
    tables = client.get("/api/v1/projects/walk/agreement/tables/gold/accuracy/").json()
    assert {row["coder"] for row in tables["rows"]} & set(THREE) == {"alice"}


def test_coder_sees_no_gold_of_open_texts(signed_in, charlie, walk):
    Project.objects.update(results_open=True)
    alice = User.objects.get(username="alice")
    reopen_coding(coding_of("text-2", "alice"), charlie, "look again")
    found = signed_in(alice).get(API, {"texts": "text-2"}).json()
    assert (found["n_texts"], found["n_items"], found["coders"]) == (0, 0, [])
    assert signed_in(alice).get(API).json()["n_texts"] == 3
    page = signed_in(alice).get(URL, {"texts": "text-2", "include": "open"}).content.decode()
    assert "Nothing to compare" in page
    assert signed_in(charlie).get(API).json()["n_texts"] == 4


def test_markable_in_gold_only_is_missed_by_every_coder(charlie):
    project = coded_project("muc", "muc-ident", "Anna took her dog", coders=("alice", "bob"))
    set_coder_marked_levels(project, project.levels.all())
    [text] = project.texts.all()
    level = project.levels.get(coded=True).key
    category = project.categories.first().key
    for coding in Coding.objects.of_people().filter(text=text).select_related("coder"):
        judge(coding, f"{level}:0-4", category)
        judge(coding, f"{level}:10-13", category, f"{level}:0-4")
        submit_coding(coding, coding.coder)
    gold = open_gold(project, text, Round.objects.get(project=project).name, charlie)
    for span, targets in (("0-4", ()), ("10-13", (f"{level}:0-4",)), ("14-17", (f"{level}:0-4",))):
        judge(gold, f"{level}:{span}", category, *targets)
    close_gold(gold)
    report = report_of(project)
    for coder in report.coders:
        assert coder.missed == 1
        assert coder.scores["b_cubed"].recall == float(Fraction(2 * 2 + 0, 3 * 3) + 0) == pytest.approx(4 / 9)
        assert coder.scores["b_cubed"].precision == 1
    assert len(read_answers(project).columns.units) == 2


def test_methods_text_describes_gold_for_managers_only(signed_in, charlie, walk):
    page = signed_in(charlie).get("/projects/walk/agreement/methods/").content.decode()
    assert "In 4 texts with adjudicated gold (training left out;" in page
    Project.objects.update(results_open=True)
    alice = User.objects.get(username="alice")
    assert "adjudicated gold" not in signed_in(alice).get("/projects/walk/agreement/methods/").content.decode()


def test_items_omitted_by_gold_are_no_gold_items(signed_in, charlie):
    """Coders differ in two of three markables, and gold answers another one alone."""
    project = coded_project("apart", "poesio-artstein-2005", "[a](m0) [b](m1) [c](m2)")
    for coding in Coding.objects.of_people().filter(text__project=project):
        keys = dict(coding.text.markables.values_list("label", "key"))
        for label in ("m1", "m2"):
            judge(coding, keys[label], "place" if coding.coder.username == "alice" else "none")
        judge(coding, keys["m0"], "place")
        submit_coding(coding, coding.coder)
    decide_gold(project, "bob", m1=None, m2=None)
    client = signed_in(charlie)
    found = client.get("/api/v1/projects/apart/agreement/gold/").json()
    assert (found["n_items"], found["n_contested"]) == (1, 2)
    text = client.get("/projects/apart/agreement/methods/").content.decode()
    assert "(training left out; 1 item)" in text
    assert "Coders differ on 2 items in these texts, whether or not gold answers them;" in text
