"""The datasheet of a project, against pages and exact fractions, and its anonymity."""

import io
import json
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from agreement.reports.coders.differences import compare_occasions
from agreement.reports.datasheet.report import MAX_CODERS, describe_project
from agreement.reports.datasheet.rounds import describe_design
from agreement.reports.fields import as_json
from agreement.reports.gold import compare_with_gold
from agreement.reports.request import parse_asked, read_with_gold
from agreement.results.datasheet import as_file
from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.ownership import open_gold
from annotations.adjudication.proposal import Method
from annotations.coding.operations import Change, apply
from annotations.coding.status import submit_coding
from annotations.docsets.agreed_pyramid import start_agreed_pyramid
from annotations.models import Coding, Judgement, Markable, Membership, Plan, Project, User
from annotations.planning.rounds import add_texts, create_round, move_to_round
from annotations.planning.training import training_results
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member, set_group
from annotations.transfers.archiving import archive_project, restore_project
from tests.agreement.measures import exact
from tests.shared.agreeing import coded_project, coding_of, hand_in
from tests.shared.coding import judge, judge_all, judgement
from tests.shared.projects import person
from tests.shared.pyramids import build, codings_of, docset, models_of, pyramid_project

URL = "/projects/kinds/datasheet/"
API = "/api/v1/projects/kinds/datasheet/"
NAMES = ("quentin", "rosalind", "zebedee")
UNITS = "abcde"
# By text and coder a category for each of five markables; a point: left out. Zebedee has not coded the last text.
ANSWERS = {
    "text-1": ("ppgcc", "ppgcp", "pgg.c"),
    "text-2": ("gcppg", "gcppc", "gcpp."),
    "text-3": ("ccgpp", "cggpp", "ccg.p"),
    "text-4": ("pgcpg", "pgcpc", ""),
}
CATEGORIES = {"p": "person", "g": "group", "c": "concept"}
PILOT = ("text-1", "text-2")


@pytest.fixture(scope="module")
def kinds_rows(module_rows) -> Project:
    """Make a project of four texts in two rounds, whose coders name sortal classes; managed by Charlie."""
    text = " ".join(f"[{unit}{unit}]({unit})" for unit in UNITS)
    project = coded_project("kinds", "sortal-classes", *[f"{text} {n}" for n in range(4)], coders=NAMES)
    move_to_round(project, project.texts.filter(slug__in=PILOT), "pilot")
    for coding in Coding.objects.of_people().select_related("coder", "text"):
        given = ANSWERS[coding.text.slug][NAMES.index(coding.coder.username)]
        keys = dict(coding.text.markables.values_list("label", "key"))
        signs = zip(UNITS, given, strict=False)
        judge_all(coding, [judgement(keys[unit], CATEGORIES[sign]) for unit, sign in signs if sign != "."])
    hand_in(project)
    set_group(project, project.memberships.filter(user__username="rosalind").values_list("pk", flat=True), "expert")
    return project


@pytest.fixture
def kinds(kinds_rows, charlie) -> Project:
    return Project.objects.get(pk=kinds_rows.pk)


def datasheet_of(project, sees_gold=True, **asked):
    return describe_project(project, *parse_asked(project, asked), sees_gold=sees_gold)


def test_agreement_by_round_equals_page_and_exact_fraction(signed_in, charlie, kinds):
    client = signed_in(charlie)
    rows = client.get(API, {"distance": "nominal"}).json()["agreement"]
    assert [row["name"] for row in rows] == ["", "main", "pilot"]
    for row in rows:
        page = client.get("/api/v1/projects/kinds/agreement/", {"distance": "nominal", "rounds": row["name"]}).json()
        for name in ("value", "low", "high", "n_units"):
            assert row[name] == page[name], (row["name"], name)
        assert (row["units_left_out"], row["codings_left_out"]) == (page["left_out"], page["codings_left_out"])
        texts = [text for text in ANSWERS if row["name"] in ("", "pilot" if text in PILOT else "main")]
        table = {
            (text, unit): [None if given in (".", "") else given for given in (own[n : n + 1] for own in ANSWERS[text])]
            for text in texts
            for n, unit in enumerate(UNITS)
        }
        assert row["value"] == pytest.approx(float(exact.alpha(table, "nominal")[0]), abs=1e-12)
        assert (row["n_texts"], row["n_coders"]) == (len(texts), 3)
        assert row["n_judgements"] == sum(value is not None for of_unit in table.values() for value in of_unit)
    assert "no interval: it takes 3 texts" in rows[1]["note"]


def test_datasheet_counts_texts_markables_and_judgements(signed_in, charlie, kinds):
    sheet = signed_in(charlie).get(API).json()
    contents = list(kinds.texts.values_list("content", flat=True))
    assert (sheet["n_texts"], sheet["n_words"]) == (4, sum(len(content.split()) for content in contents))
    assert sheet["n_characters"] == sum(map(len, contents))
    assert [row["language"] for row in sheet["languages"]] == ["en"]
    assert sum(row["n_given"] for row in sheet["markables"]) == Markable.objects.filter(text__project=kinds).count()
    judgements = [Judgement.objects.filter(coding__coder__username=name).count() for name in NAMES]
    assert [row["n_judgements"] for row in sheet["coders"]] == sorted(judgements, reverse=True)
    assert [(row["n_codings"], row["n_submitted"]) for row in sheet["coders"]] == [(4, 4)] * 3
    assert sorted(row["group"] for row in sheet["coders"]) == ["", "", "expert"]
    assert sheet["groups"] == {"expert": 1}
    rounds = {row["name"]: (row["kind"], row["n_texts"], row["n_codings"]) for row in sheet["rounds"]}
    assert rounds == {"main": ("main", 2, 6), "pilot": ("main", 2, 6)}


def test_datasheet_names_nobody_and_refuses_choice_of_coders(signed_in, charlie, kinds):
    draft_gold(kinds, DraftRequest(Method.CODER, coder="quentin", texts=["text-3"]))
    client = signed_in(charlie)
    forms = [client.get(URL).content, client.get(API).content, client.get(API, {"form": "markdown"}).content]
    for content in forms:
        page = content.decode().partition("<main")[2] or content.decode()
        assert "one coder’s answers" in page or '"coder":1' in page.replace(" ", "")
        for name in (*NAMES, "charlie", "Charlie"):
            assert name not in page
    for chosen in ({"coders": "quentin"}, {"groups": "expert"}):
        assert client.get(API, chosen).json()["errors"]["coders"]
        refused = client.get(URL, chosen)
        assert (refused.status_code, "names none" in refused.content.decode()) == (400, True)


def test_file_is_same_after_restore_and_renaming(kinds):
    for number in range(3):  # accounts that are not in the same order there
        person(f"before-{number}")
    before = as_file(datasheet_of(kinds))
    out = io.BytesIO()
    archive_project(kinds, out)
    names = {name: f"{place}-{name}" for place, name in zip("cab", NAMES, strict=True)}
    for name, other in names.items():
        User.objects.filter(username=name).update(username=other)
    restored = restore_project(out.getvalue(), slug="copy").project
    assert as_file(datasheet_of(restored)) == before
    assert as_file(datasheet_of(kinds)) == before


def test_adjudication_section_matches_log_and_gold_page(signed_in, charlie, kinds):
    draft_gold(kinds, DraftRequest(Method.MOST, texts=["text-1", "text-3", "text-4"]))
    decided = Coding.objects.get(kind="gold", text__slug="text-3")
    submit_coding(open_gold(kinds, decided.text, "main", charlie), charlie)
    begun = open_gold(kinds, kinds.texts.get(slug="text-1"), "pilot", charlie)
    contested = begun.operations.get(kind="draft").payload["contested"]
    decide = {"items": contested[:1], "source": "draft", "reason": "slip"}
    apply(begun, charlie, begun.version, [Change(uuid4(), "decide", decide)])
    judge(begun, contested[1][0], "person")
    gold = signed_in(charlie).get(API).json()["adjudication"]
    [main, pilot] = gold["rounds"]
    assert (main["n_texts"], main["open"] + main["decided"], main["closed"]) == (2, 1, 1)
    assert (pilot["round"], pilot["methods"], pilot["n_decided"]) == ("pilot", {"most": 1}, 2)
    assert gold["sources"] == {"draft": 1, "coder": 0, "own": 1}
    assert gold["reasons"] == {"": 1, "ambiguous": 0, "guideline": 0, "slip": 1, "scheme": 0}
    # of text-1 the second, fourth and last markable: what one coder left out is contested, too
    assert pilot["n_contested"] == 3
    answers, parameters = parse_asked(kinds, {})
    report = compare_with_gold(kinds, answers, read_with_gold(kinds, answers, parameters), parameters)
    assert (gold["n_texts_compared"], gold["n_items"], gold["n_contested"]) == (1, 5, report.n_contested)
    found, total = (sum(getattr(coder.overruled, name) for coder in report.coders) for name in ("found", "total"))
    assert gold["overruled"] == {"found": found, "total": total, "value": found / total}
    assert gold["n_chains"] == 0
    page = signed_in(charlie).get(URL).content.decode()
    assert [(row["round"], row["checked"], row["value"]) for row in gold["error_estimates"]] == [
        ("main", 0, None),
        ("pilot", 0, None),
    ]
    assert "pilot: none of 2 checked" in page  # the other three are contested
    assert "slip 1" in page
    assert "draft 1, own answer 1" in page


def test_viewer_datasheet_is_same_with_gold(signed_in, charlie, kinds):
    viewer = person("vera")
    add_member(kinds, viewer, Membership.Role.VIEWER)
    client = signed_in(viewer)
    before = [client.get(API).content, client.get(URL).content.decode().partition("<main")[2]]
    draft_gold(kinds, DraftRequest(Method.MOST))
    after = [client.get(API).content, client.get(URL).content.decode().partition("<main")[2]]
    assert before == after
    assert json.loads(before[0])["adjudication"] is json.loads(before[0])["training"] is None
    adjudicator = person("ada")
    add_member(kinds, adjudicator, Membership.Role.ADJUDICATOR)
    assert signed_in(adjudicator).get(API).json()["adjudication"]["rounds"]


def test_training_and_repeats_match_their_reports(signed_in, charlie, kinds):
    training = create_round(kinds, "training", kind="training", pass_measure="category", pass_mark=0.8)
    text = kinds.texts.get(slug="text-1")
    add_texts(training, [text])
    gold = open_gold(kinds, text, "training", charlie)
    keys = list(text.markables.order_by("start").values_list("key", flat=True))
    judge_all(gold, [judgement(key, "person") for key in keys])
    submit_coding(gold, charlie)
    assign_texts(kinds, [text], list(User.objects.filter(username__in=NAMES[:2])), training)
    for place, coding in enumerate(Coding.objects.of_people().filter(round=training).select_related("coder", "text")):
        judge_all(coding, [judgement(key, "group" if place and key == keys[0] else "person") for key in keys])
    coding = coding_of("text-3", "quentin")
    again = Coding.objects.create(text=coding.text, coder=coding.coder, round=coding.round, occasion=2)
    judge_all(again, [judgement(key, "person") for key in coding.text.markables.values_list("key", flat=True)])
    hand_in(kinds)
    sheet = signed_in(charlie).get(API).json()
    best = sorted(result.best for result in training_results(training))
    assert sheet["training"] == [
        {"round": "training", "measure": "category", "mark": 0.8, "n_coders": 2, "n_passed": 2, "n_scores": 2}
        | {"n_by_decision": 0, "lowest": best[0], "highest": best[1]}
    ]
    assert best == [0.8, 1.0]
    [quentin] = compare_occasions(*parse_asked(kinds, {})).coders
    assert quentin.value is not None
    repeats = sheet["repeats"]
    assert (repeats["value"], repeats["n_coders"], repeats["n_texts"]) == (quentin.value, 1, 1)
    assert sheet["rechecks"] is None


def test_datasheet_describes_docsets_and_agreed_pyramids(charlie):
    project = pyramid_project("ferry")
    anna, eve = person("anna"), person("eve")
    made = docset(project, anna)
    add_member(project, eve, Membership.Role.ADJUDICATOR)
    pyramid = build(codings_of(models_of(made))["anna"], {"sank": ["ferry sank", "went down"], "dawn": ["at dawn"]})
    submit_coding(start_agreed_pyramid(made, eve, pyramid), eve)
    [row] = as_json(datasheet_of(project))["docsets"]
    assert (row["n_summaries"], row["n_pyramids"], row["n_submitted"]) == (3, 1, 1)
    assert (row["agreed"], row["n_scus"], row["n_contributors"], row["n_peers"]) == ("submitted", 2, 3, 0)
    assert "| The sinking | 3 | 1 | 1 | submitted | 2 | 3 | 0 |" in as_file(datasheet_of(project))
    assert "**Agreed pyramid submitted:** 1 of 1 docset" in as_file(datasheet_of(project))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"design": "all"}, "every coder codes every text"),
        ({"design": "k", "k": 2, "calibration": 3}, "each text by 2 coders; 3 texts drawn at random by all"),
        ({"design": "share", "share": 0.25, "k": None}, "25% of the texts by all coders, the others by one"),
        (
            {"design": "blocks", "blocks": 4, "k": 1, "pool": True},
            "4 blocks of texts, each by 1 coder; taken from a pool",
        ),
    ],
)
def test_plan_design_is_described_in_words(fields, words):
    assert describe_design(Plan(**fields)) == words


def test_datasheet_limits_number_of_coder_rows(kinds):
    text = kinds.texts.get(slug="text-4")
    crowd = [person(f"crowd-{number:03}") for number in range(MAX_CODERS)]
    for coder in crowd:
        add_member(kinds, coder, Membership.Role.CODER)
    assign_texts(kinds, [text], crowd)
    sheet = datasheet_of(kinds)
    assert len(sheet.coders) == MAX_CODERS
    assert sheet.n_coders == MAX_CODERS + 3
    assert "3 more coders with fewer judgements." in as_file(sheet)


def test_command_writes_or_prints_file_of_page(signed_in, charlie, kinds, tmp_path, capsys):
    path = tmp_path / "kinds.md"
    call_command("datasheet", "kinds", str(path))
    capsys.readouterr()
    downloaded = signed_in(charlie).get(API, {"form": "markdown"})
    assert path.read_bytes() == downloaded.content
    assert downloaded["Content-Disposition"] == 'attachment; filename="kinds-datasheet.md"'
    call_command("datasheet", "kinds")
    assert capsys.readouterr().out == path.read_text(encoding="utf-8")
    call_command("datasheet", "kinds", format="json")
    assert json.loads(capsys.readouterr().out) == signed_in(charlie).get(API).json()
    for arguments, message in (
        (["ghost"], "no project 'ghost'"),
        (["kinds", str(tmp_path / "no" / "x.md")], "Nothing"),
    ):
        with pytest.raises(CommandError, match=message):
            call_command("datasheet", *arguments)
    assert signed_in(charlie).get(API, {"form": "pdf"}).status_code == 400
