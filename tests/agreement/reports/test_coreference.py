"""Coreference scores of two coders, against the reference scorers."""

import json
from fractions import Fraction
from html import unescape

import pytest
from django.core.management import CommandError, call_command

from agreement.data.reading import read_answers
from agreement.data.texts import matches_by_muc6
from agreement.measures import b_cubed, score_interval
from agreement.measures.coreference.scores import WITHOUT_MUC
from agreement.models import FiguresVersion
from agreement.reports.coreference import NO_CHAINS, SCORES, compare_chains
from agreement.reports.parameters import Parameters
from annotations.formats import plain
from annotations.models import Markable, Project
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.options import ImportOptions
from tests.conftest import ROOT
from tests.shared.agreeing import coded_project, convention, hand_in
from tests.shared.coding import judge
from tests.shared.projects import make_project, person
from tests.shared.schemes import change_rows

CASES = json.loads((ROOT / "tests" / "reference" / "coreference_scores.json").read_text())["cases"]
# Our names of scores, and those of the reference. Two coders of whom none is the key have the symmetric rule of BLANC.
REFERENCE_NAMES = {
    "muc": "muc",
    "b_cubed": "bcub",
    "ceaf_m": "ceafm",
    "ceaf_e": "ceafe",
    "lea": "lea",
    "blanc": "blanc_ua",
}
URL = "/projects/cases/agreement/coreference/"
API = "/api/v1/projects/cases/agreement/coreference/"


def mark_text(clusters, mentions):
    """Return the text of a case with the markables and indices of one side: each mention is a letter."""
    indices = {
        mention: "|".join(str(number) for number, cluster in enumerate(clusters) if mention in cluster)
        for mention in mentions
    }
    return " ".join(f"[{name}]({name}={indices[name]})" if indices[name] else name for name in mentions)


def documents_of(name, key, response):
    mentions = sorted({mention for side in (key, response) for cluster in side for mention in cluster})
    for coder, side in (("anna", key), ("ben", response)):
        yield SourceDocument(plain.parse(mark_text(side, mentions), f"{name}.txt"), coder)


def make_cases(cases, slug="cases"):
    """Make a project of texts, managed by Charlie, with the clusters of Anna, the key, and of Ben."""
    project = create_project(slug, "Cases", SCHEMES["clusters"])
    add_member(project, person("charlie"), "manager")
    for coder in ("anna", "ben"):
        add_member(project, person(coder), "coder")
    import_documents(project, [document for case in cases for document in documents_of(*case)])
    return project


@pytest.fixture(scope="module")
def all_rows(module_rows):
    return make_cases([(case["name"].lower(), case["key"], case["response"]) for case in CASES], "all").pk


@pytest.fixture
def all_cases(all_rows, charlie):
    return Project.objects.get(pk=all_rows)


def test_api_scores_equal_reference_scorers(signed_in, charlie, all_cases):
    answer = signed_in(charlie).get(API.replace("cases", "all"), {"first": "anna", "second": "ben"}).json()
    assert (answer["first"], answer["second"], len(answer["texts"])) == ("anna", "ben", len(CASES))
    found = {text["slug"]: text for text in answer["texts"]}
    for case in CASES:
        scores = found[case["name"].lower()]
        for name, reference in REFERENCE_NAMES.items():
            expected = [case["expected"][reference][part] for part in "rpf"]
            if reference in case.get("exact", {}):  # to the last digit
                expected = [float(Fraction(number)) for number in case["exact"][reference]]
            if scores[name]["recall"] is None:
                assert (expected, scores[name]["note"]) == ([0, 0, 0], NO_CHAINS)
            else:
                score = [scores[name][part] for part in ("recall", "precision", "f1")]
                digits_known = 1e-12 if reference in case.get("exact", {}) else 1e-9
                assert score == pytest.approx(expected, abs=digits_known), (case["name"], name)


def test_gold_scores_equal_reference_scorers(signed_in, charlie, all_cases):
    keys = [next(documents_of(case["name"].lower(), case["key"], case["response"])) for case in CASES]
    import_documents(all_cases, [SourceDocument(key.document, "charlie") for key in keys], ImportOptions(gold=True))
    client = signed_in(charlie)
    compared = 0
    for case in CASES:
        found = client.get("/api/v1/projects/all/agreement/gold/", {"texts": case["name"].lower(), "coders": "ben"})
        for coder in found.json()["coders"]:
            for name, reference in REFERENCE_NAMES.items():
                score = [coder["scores"][name][part] for part in ("recall", "precision", "f1")]
                if score[0] is not None:
                    compared += 1
                    expected = [case["expected"][reference][part] for part in "rpf"]
                    assert score == pytest.approx(expected, abs=1e-9), (case["name"], name)
    assert compared > 5 * len(CASES) / 2


def test_overall_scores_pool_counts_of_texts(all_cases):
    report = compare_chains(read_answers(all_cases), Parameters(), "anna", "ben")
    key = {case["name"].lower(): case["key"] for case in CASES}
    response = {case["name"].lower(): case["response"] for case in CASES}
    for name, score in SCORES.items():
        expected, found = score(key, response), report.overall.scores[name]
        figures_of_library = [expected.recall, expected.precision, expected.f1]
        assert [found.recall, found.precision, found.f1] == pytest.approx(figures_of_library, abs=1e-12)
        interval = score_interval(key, response, score).f1
        assert (found.f1_interval.low, found.f1_interval.high) == pytest.approx((interval.low, interval.high), abs=1e-9)


def test_markable_of_one_coder_stays_in_denominators(db):
    project = make_cases([("walk", ["ab"], ["abc"])])
    report = compare_chains(read_answers(project), Parameters(), "anna", "ben")
    found = report.overall.scores["b_cubed"]
    assert (found.recall, found.precision) == (1, pytest.approx(4 / 9))


def test_unmarked_option_does_not_change_scores(db):
    answers = read_answers(make_cases([("walk", ["ab"], ["ab", "cd"])]))
    for unmarked in ("singleton", "label", "missing"):
        found = compare_chains(answers, Parameters(unmarked=unmarked), "anna", "ben").overall.scores["ceaf_m"]
        assert (found.recall, found.precision) == (1, 0.5)


def test_markable_with_several_indices_counts_in_first(db):
    project = make_cases([("walk", ["ab", "cd"], ["ab", "bcd"])])
    report = compare_chains(read_answers(project), Parameters(), "anna", "ben")
    assert {name: score.f1 for name, score in report.overall.scores.items()} == dict.fromkeys(SCORES, 1.0)


def test_reports_count_mentions_in_several_chains(signed_in, charlie):
    case = ("walk", ["ac", "ab"], ["ac", "b"])
    project = make_cases([case])
    gold = next(documents_of(*case))
    import_documents(project, [SourceDocument(gold.document, "charlie")], ImportOptions(gold=True))
    client = signed_in(charlie)
    asked = {"first": "anna", "second": "ben"}
    assert "1 mention has several indices" in client.get(URL, asked).content.decode()
    assert client.get(API, asked).json()["n_in_several"] == 1
    assert client.get("/api/v1/projects/cases/agreement/gold/").json()["n_in_several"] == 2
    assert "2 mentions have several indices" in client.get("/projects/cases/agreement/gold/").content.decode()


def test_markable_with_several_antecedents_counts_in_chain_of_first(db):
    project = coded_project("walk", "poesio-artstein-2005", "[a](a) [b](b) [c](c) [d](d)")
    answers = {"alice": {"c": "a", "d": "b"}, "bob": {"c": "ab", "d": "b"}}
    keys = dict(project.texts.get().markables.values_list("label", "key"))
    codings = {
        coding.coder.username: coding for coding in project.texts.get().codings.of_people().select_related("coder")
    }
    for coder, pointers in answers.items():
        for label in "ab":
            judge(codings[coder], keys[label], "none")
        for label, targets in pointers.items():
            judge(codings[coder], keys[label], "phrase", *(keys[target] for target in targets))
    report = compare_chains(read_answers(hand_in(project)), Parameters(), "alice", "bob")
    assert {name: score.f1 for name, score in report.overall.scores.items()} == dict.fromkeys(SCORES, 1.0)
    assert report.overall.link_kappa.value == 1


def test_text_assigned_to_one_coder_does_not_count(db):
    project = make_cases([("both", ["abc"], ["ab"])])
    document = plain.parse(mark_text(["abc"], "abc"), "alone.txt")
    import_documents(project, [SourceDocument(document, "anna")])
    report = compare_chains(read_answers(project), Parameters(), "anna", "ben")
    assert [text.slug for text in report.texts] == ["both"]
    assert report.overall.scores["muc"].recall == 0.5


def test_conll_average_without_links_omits_muc(signed_in, charlie):
    make_cases([("walk", ["a", "b"], ["a", "b"]), ("talk", ["ab"], ["ab"])])
    asked = {"first": "anna", "second": "ben"}
    found = signed_in(charlie).get(API, asked | {"texts": "walk"}).json()
    for scores in (found["overall"], found["texts"][0]):
        assert (scores["conll_average"]["f1"], scores["conll_average"]["note"]) == (1, WITHOUT_MUC)
    assert "note" not in signed_in(charlie).get(API, asked).json()["overall"]["conll_average"]
    assert found["overall"]["muc"] == {"recall": None, "precision": None, "f1": None, "note": NO_CHAINS}
    assert found["overall"]["b_cubed"]["f1"] == 1
    assert WITHOUT_MUC in unescape(signed_in(charlie).get(URL, asked | {"texts": "walk"}).content.decode())


def test_coreference_needs_two_coders(signed_in, charlie):
    make_cases([("walk", ["ab"], ["ab"])])
    for pair, field in (
        ({}, "first"),
        ({"first": "anna"}, "second"),
        ({"first": "anna", "second": "anna"}, "second"),
        ({"first": "eve", "second": "ben"}, "first"),
        ({"first": "Anna", "second": "ben"}, "first"),
    ):
        answer = signed_in(charlie).get(API, pair)
        assert (answer.status_code, list(answer.json()["errors"])) == (400, [field])
        with pytest.raises(CommandError, match=f"--{field}"):
            call_command("agreement", "cases", report="coreference", **pair)


@pytest.mark.parametrize("singleton", [True, False])
def test_non_referring_markable_is_no_mention(db, singleton):
    project = coded_project("news", "passonneau-2004", "[Ann](a) met [her](b) there", coders=("ann", "ben"))
    change_rows(project.categories.filter(key="none"), singleton=singleton)
    keys = dict(project.texts.get().markables.values_list("label", "key"))
    ann, ben = project.texts.get().codings.of_people().select_related("coder").order_by("coder__username")
    judge(ann, keys["a"], "refers", indices=["1"])
    judge(ann, keys["b"], "none")
    for label in "ab":
        judge(ben, keys[label], "refers", indices=["1"])
    report = compare_chains(read_answers(hand_in(project)), convention(project), "ann", "ben")
    expected = b_cubed([["a"]], [["a", "b"]])
    found = report.overall.scores["b_cubed"]
    assert (found.recall, found.precision) == (expected.recall, expected.precision) == (1, 0.25)


@pytest.fixture
def muc_project(alice, bob, charlie):
    """Make a MUC project in which each of two coders judges one phrase and points to an unjudged one."""
    project = make_project("muc", "muc-ident", "[the dog](a) barked, and [it](b) ran")
    add_member(project, charlie, "manager")
    for coder in (alice, bob):
        add_member(project, coder, "coder")
        coding = project.texts.get().codings.create(coder=coder, round=project.rounds.get())
        keys = dict(project.texts.get().markables.values_list("label", "key"))
        judge(coding, keys["b"], "ident", keys["a"])
    return hand_in(project)


def scores_of(client, page="coreference", first="alice", second="bob"):
    return client.get(f"/api/v1/projects/muc/agreement/{page}/", {"first": first, "second": second}).json()


def test_unjudged_antecedent_is_mention_in_muc(signed_in, charlie, muc_project):
    assert scores_of(signed_in(charlie))["overall"]["muc"]["f1"] == 1


def test_invalid_head_requires_match_of_whole_markable(signed_in, charlie, muc_project):
    for head in ([[4, 7], [0, 3]], [[3, 4]], [[0, 99]], [[8, 14]], []):
        Markable.objects.filter(label="a").update(head=head)
        FiguresVersion.increase(muc_project.pk)
        found = scores_of(signed_in(charlie))
        assert (found["matched_by_muc6"], found["overall"]["muc"]["f1"]) == (True, 1), head


def test_all_pages_match_by_muc_6_rules(signed_in, charlie, alice, bob):
    project = make_perfect_response(alice, bob, charlie)
    report = compare_chains(read_answers(project), Parameters(), "alice", "bob", muc6=matches_by_muc6(project))
    assert (report.matched_by_muc6, {score.f1 for score in report.overall.scores.values()}) == (True, {1.0})
    assert compare_chains(read_answers(project), Parameters(), "alice", "bob").overall.scores["muc"].f1 == 0
    client = signed_in(charlie)
    assert scores_of(client)["overall"]["muc"]["f1"] == 1
    pair = client.get("/projects/muc/agreement/coders/alice/bob/", {"as": "json", "table": "measures"}).json()
    assert {row["measure"]: row["value"] for row in pair["rows"]}["MUC, F1"] == 1
    matrix = client.get("/projects/muc/agreement/coders/", {"measure": "muc", "as": "json", "table": "matrix"}).json()
    # as neither coder is the key there, it is the mean of both directions
    assert scores_of(client, first="bob", second="alice")["overall"]["muc"]["f1"] == 0
    assert [row.get("bob") or row.get("alice") for row in matrix["rows"]] == [0.5, 0.5]


def test_alpha_ignores_coefficient_of_project(all_cases):
    answers = read_answers(all_cases)
    parameters = [convention(all_cases), convention(all_cases, coefficient="fleiss_kappa")]
    usual, kappa = (compare_chains(answers, asked, "anna", "ben").overall.alpha for asked in parameters)
    assert usual == kappa is not None


def test_coefficient_of_two_accepts_third_coder_in_project(signed_in, charlie):
    project = make_cases([("one", ["ab", "c"], ["a", "bc"])])
    import_documents(
        project, [SourceDocument(plain.parse("[a](a=1) [b](b=1)", "one.txt"), "cem")], ImportOptions(create=True)
    )
    asked = {"first": "anna", "second": "ben"}
    usual = signed_in(charlie).get(API, asked).json()["overall"]
    for more in ({"coefficient": "cohen_kappa"}, {"coders": "cem,anna"}):
        answer = signed_in(charlie).get(API, asked | more)
        assert answer.status_code == 200, answer.content
        assert answer.json()["overall"] == usual


def make_perfect_response(alice, bob, charlie):
    """Make a project in which Bob's answer has another markable than Alice's and is perfect by MUC-6."""
    project = make_project("muc", "muc-ident", "[the Lowell Bay Port Authority](a) said [it](b) may sell")
    text = project.texts.get()
    long, it = text.markables.order_by("start")
    long.head = [[20, 29]]
    long.save(update_fields=["head"])
    level = long.level
    short = text.markables.create(level=level, key="phrase:15-29", parts=[[15, 29]], start=15, end=29, predefined=False)
    for coder, antecedent in ((alice, long), (bob, short)):
        add_member(project, coder, "coder")
        coding = text.codings.create(coder=coder, status="submitted", round=text.rounds.get())
        none, ident = (project.categories.get(key=key) for key in ("none", "ident"))
        coding.judgements.create(markable=antecedent, category=none)
        coding.judgements.create(markable=it, category=ident).pointers.create(
            relation=project.relations.get(), target=antecedent
        )
    add_member(project, charlie, "manager")
    return project
