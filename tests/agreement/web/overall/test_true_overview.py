"""The sentences of the overview match the rows of the database, also in unusual projects."""

import re
from collections import Counter
from datetime import timedelta
from html import unescape

import pytest
from django.utils import timezone

from agreement.data.reading import read_answers
from agreement.reports import overall
from agreement.reports.parameters import default_preset
from annotations.coding.status import submit_coding
from annotations.formats import plain
from annotations.models import Coding, Membership, Operation, PlanText, Text
from annotations.planning.plans.plans import apply_plan
from annotations.planning.pool import take_next_text
from annotations.planning.rounds import add_texts, change_round, create_round
from annotations.planning.work.assignments import assign_texts
from annotations.projects.creation import create_project
from annotations.projects.locks import set_archived
from annotations.projects.people.members import add_member
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from tests.shared.agreeing import hand_in, table
from tests.shared.coding import judge
from tests.shared.plans import plan_request
from tests.shared.projects import person
from tests.shared.pyramids import build, docset, pyramid_project

MARKED = "[Anna](a) took [her](b) dog out"
PLAIN = "Anna took her dog out"
PEOPLE = ("ann", "ben")


def make(*contents, coders_mark=False, assigned=True):
    project = create_project("odd", "Odd", SCHEMES["poesio-artstein-2005"], coders_mark=coders_mark)
    documents = [plain.parse(content, f"text-{number}.txt") for number, content in enumerate(contents, start=1)]
    import_documents(project, [SourceDocument(document, None) for document in documents])
    for name in PEOPLE:
        add_member(project, person(name), Membership.Role.CODER)
    add_member(project, person("charlie"), Membership.Role.MANAGER)
    if assigned:
        assign_texts(project, project.texts.all(), [person(name) for name in PEOPLE])
    return project


def codings_of(project, *coders):
    codings = Coding.objects.of_people().filter(text__project=project, coder__username__in=coders or PEOPLE)
    return list(codings.select_related("coder", "text").order_by("text__slug", "coder__username"))


def code_text(coding, *, submit=True):
    """Judge every given markable: the first as a place, the others as none."""
    for number, markable in enumerate(coding.text.markables.filter(predefined=True, level__coded=True)):
        judge(coding, markable.key, "none" if number else "place")
    if submit:
        submit_coding(coding, coding.coder)


def code(project, *coders, submit=True):
    for coding in codings_of(project, *coders):
        code_text(coding, submit=submit)
    return project


def add_training(project, texts):
    round_ = create_round(project, "training", kind="training")
    add_texts(round_, texts)
    assign_texts(project, texts, [person(name) for name in PEOPLE], round_)
    return project


def training_alone():
    project = make(MARKED, assigned=False)
    return add_training(project, project.texts.all())


def training_and_main():
    project = make(*[MARKED] * 4, assigned=False)
    add_training(project, project.texts.filter(slug="text-1"))
    assign_texts(project, project.texts.filter(slug__in=["text-2", "text-3"]), [person(name) for name in PEOPLE])
    for coding in codings_of(project):
        if coding.text.slug == "text-2":
            code_text(coding)
    return project


def own_marks():
    return make(PLAIN, f"{PLAIN} again", coders_mark=True)


def own_marks_half_made():
    project = own_marks()
    judge(codings_of(project, "ann")[0], "phrase:0-4", "place")
    return project


def pool_of_all():
    project = make(MARKED, MARKED, MARKED, assigned=False)
    apply_plan(project, plan_request(pool=True))
    return project


def pool_half_taken():
    project = pool_of_all()
    for name in PEOPLE:
        code_text(take_next_text(project, person(name)))
    return project


def archived():
    project = code(make(MARKED, MARKED))
    set_archived(project, archived=True)
    return project


def closed_round():
    project = code(make(MARKED, MARKED), "ann")
    change_round(project.rounds.get(), closed=True)
    return project


def adjudicator_alone():
    project = code(make(MARKED), "ann")
    project.memberships.filter(user=person("ann")).update(role=Membership.Role.ADJUDICATOR)
    return project


def no_docset():
    project = pyramid_project("odd")
    add_member(project, person("charlie"), Membership.Role.MANAGER)
    return project


def docsets():
    project = no_docset()
    docset(project, person("ann"), person("ben"))
    docset(project, slug="other", title="Another")
    return project


def docsets_submitted():
    project = docsets()
    for coding, words in zip(codings_of(project), ("The ferry sank", "The ferry"), strict=True):
        build(coding, {"s": [words]})
    return project


UNKNOWN = "coders create the markables, so how many are left is not known."
TO_SUBMIT = "codings are not submitted."
CASES = {
    "no text": (make, []),
    "one text": (lambda: make(MARKED), ["No answers yet.", f"2 {TO_SUBMIT} 4 markables are left to decide."]),
    "nothing assigned": (lambda: make(MARKED, MARKED, assigned=False), []),
    "training alone": (training_alone, ["Only texts of training and recheck rounds are assigned, which agreement"]),
    "training and main": (
        training_and_main,
        ["1 text is not assigned.", f"2 {TO_SUBMIT} 4 markables are left to decide. Training is not counted here."],
    ),
    "no markables": (lambda: make(PLAIN, PLAIN), ["No answers yet.", f"4 {TO_SUBMIT} No markable is left to decide."]),
    "own marks": (own_marks, [f"4 {TO_SUBMIT} In these codings (22 words) {UNKNOWN}"]),
    "own marks half made": (own_marks_half_made, [f"4 {TO_SUBMIT} In these codings (22 words) {UNKNOWN}"]),
    "own marks beside given ones": (
        lambda: make(MARKED, PLAIN, coders_mark=True),
        [f"4 {TO_SUBMIT} 4 markables are left to decide so far. In 2 of these codings (10 words) {UNKNOWN}"],
    ),
    "own marks submitted empty": (lambda: code(own_marks()), []),
    "pool of all": (pool_of_all, ["No text is taken from the pool yet."]),
    "pool half taken": (pool_half_taken, []),
    "everything decided": (
        lambda: code(make(MARKED, MARKED), submit=False),
        ["No coding is submitted yet.", f"4 {TO_SUBMIT} No markable is left to decide."],
    ),
    "everything submitted": (lambda: code(make(MARKED, MARKED)), ["No coding is left to submit."]),
    "archived": (archived, ["No coding is left to submit."]),
    "closed round": (closed_round, ["Only ann has submitted a coding that counts: agreement needs two coders."]),
    "adjudicator alone": (adjudicator_alone, ["No submitted coding counts: 1 coding by adjudicators."]),
    "no docset": (no_docset, []),
    "docsets": (docsets, ["No answers yet."]),
    "docsets submitted": (docsets_submitted, ["1 docset is not assigned."]),
}


def sentences_of(client, project):
    page = client.get(f"/projects/{project.slug}/").content.decode()
    card = client.get(f"/projects/{project.slug}/agreement/headline/").content.decode()
    words = unescape(re.sub(r"<[^>]*>", " ", page + card))
    return page, " ".join(words.split())


@pytest.mark.parametrize(("make_case", "sentences"), CASES.values(), ids=CASES)
def test_sentences_of_overview_agree_with_rows(signed_in, charlie, make_case, sentences):
    project = make_case()
    page, said = sentences_of(signed_in(charlie), project)
    texts = list(Text.objects.filter(project=project).exclude(role=Text.Role.PEER))
    codings = list(Coding.objects.of_people().filter(text__project=project).select_related("round", "coder", "text"))
    counted = [coding for coding in codings if coding.round.kind != "training"]
    left = [coding for coding in counted if coding.status == "open" and coding.round.closed_at is None]
    coded = {coding.text_id for coding in codings}
    pooled = set(PlanText.objects.filter(plan__round__project=project).values_list("text", flat=True)) - coded
    noun = "docset" if project.answers == "scus" else "text"

    for sentence in sentences:
        assert sentence in said, said
    claims = {
        rf"(\d+) {noun}s? (?:is|are) not assigned": len({text.pk for text in texts} - coded - pooled),
        rf"(\d+) {noun}s? of a pool (?:is|are) not taken yet": len(pooled),
        r"(\d+) codings? of \d+ (?:is|are) not submitted": sum(coding.status == "open" for coding in counted),
        r"(\d+) codings? (?:is|are) not submitted\.": len(left),
        r"(\d+) markables? (?:is|are) left to decide": sum(map(undecided, left)),
        r"\((\d+) words?\) coders create": sum(len(row.text.content.split()) for row in left if is_open_ended(row)),
    }
    for claim, number in claims.items():
        assert {int(found) for found in re.findall(claim, said)} <= {number} - {0}, claim
    facts = {
        f"No {noun}s yet": not texts,
        f"No {noun}s are assigned yet.": bool(texts) and not codings and not pooled,
        "No text is taken from the pool yet.": bool(pooled) and not codings,
        "No coding is left to submit.": not left and bool(counted),
        "No markable is left to decide.": bool(left) and not sum(map(undecided, left)),
        "how many are left is not known": any(map(is_open_ended, left)),
        "nothing left": False,
        "Nothing is left": False,
    }
    for sentence, is_true in facts.items():
        assert sentence not in said or is_true, sentence
    done_on = {row[0]: row[-1] for row in table(page.replace('id="totals-coders"', 'id="table-coders"'), "coders")}
    open_by_coder = Counter(coding.coder.username for coding in codings if coding in left or is_open_training(coding))
    for coder, cell in done_on.items():
        assert cell == (f"{open_by_coder[coder]} to submit" if open_by_coder[coder] else "nothing open")


def undecided(coding):
    given = coding.text.markables.filter(predefined=True, level__coded=True).count()
    own = coding.judgements.filter(markable__predefined=False).count()
    return given + own - coding.judgements.filter(category__isnull=False).count()


def is_open_ended(coding):
    project = coding.text.project
    marks = project.answers != "scus" and project.levels.filter(coders_mark=True).exists()
    return marks and not coding.text.markables.filter(predefined=True, level__coded=True).exists()


def is_open_training(coding):
    return coding.round.kind == "training" and coding.status == "open" and coding.round.closed_at is None


def test_overview_predicts_no_date_if_coders_create_markables(signed_in, charlie):
    project = own_marks()
    for days, coding in enumerate(codings_of(project, "ann")):
        judge(coding, "phrase:0-4", "place")
        judge(coding, "phrase:5-9", None, unsure=True)
        moment = timezone.now() - timedelta(days=days)
        Operation.objects.filter(coding=coding).update(applied_at=moment, made_at=None)
    page, said = sentences_of(signed_in(charlie), project)
    assert "At the present pace 2 markables are decided on" in said
    assert (
        "4 codings are not submitted. 2 markables are left to decide so far. In these codings (22 words) coders create"
        in said
    )
    assert [row[-1] for row in table(page.replace("totals-coders", "table-coders"), "coders")] == ["2 to submit"] * 2


def test_empty_round_has_its_own_message(signed_in, charlie):
    create_round(make(MARKED), "pilot", kind="pilot")
    page = signed_in(charlie).get("/projects/odd/?round=pilot").content.decode()
    assert ("No texts yet" in page, "The round pilot has no texts." in page) == (False, True)


def test_pool_counts_as_assigned_in_checklist(signed_in, charlie):
    page = signed_in(charlie).get(f"/projects/{pool_of_all().slug}/").content.decode()
    assert "Assign texts to coders." not in page


def test_text_with_own_markables_is_not_complete(signed_in, charlie):
    own_marks_half_made()
    pages = {charlie: ("", "texts/"), person("ann"): ("",)}
    for user, addresses in pages.items():
        for address in addresses:
            assert "complete, not submitted" not in signed_in(user).get(f"/projects/odd/{address}").content.decode()
    [row] = signed_in(charlie).get("/api/v1/projects/odd/codings/?coder=ann&text=text-1").json()["results"]
    assert (row["state"], row["decided"], row["to_decide"]) == ("begun", 1, 1)


URL = "/projects/tea/agreement/headline/"


def test_headline_has_value_of_report(signed_in, charlie, codings, keys, project):
    for name, category in (("alice", "place"), ("bob", "none")):
        judge(codings[name], keys["a"], category)
        judge(codings[name], keys["b"], "place")
        judge(codings[name], keys["c"], "phrase", keys["a"])
    hand_in(project)
    report = overall.compute_report(read_answers(project), default_preset(project.preset, project.answers).parameters)
    page = signed_in(charlie).get(URL).content.decode()
    assert f'<data value="{report.result.value!r}">' in page
    assert "3 units of 2 coders" in page


def test_headline_ignores_parameters(signed_in, charlie, alice, codings):
    submit_coding(codings["alice"], alice)
    client = signed_in(charlie)
    assert client.get(URL, {"distance": "ghost"}).content == client.get(URL).content


def test_headline_shows_remaining_work_and_finish_date(signed_in, charlie, codings, keys, project):
    client = signed_in(charlie)
    assert 'id="pace"' in client.get(URL).content.decode()
    assert "2 codings are not submitted. 12 markables are left to decide." in client.get(URL).content.decode()
    for name in ("alice", "bob"):
        for label in "abc":
            judge(codings[name], keys[label], "none")
    assert "At the present pace" not in client.get(URL).content.decode()  # all on one day
    yesterday = timezone.now() - timedelta(days=1)
    Operation.objects.filter(coding=codings["alice"]).update(applied_at=yesterday)
    page = client.get(URL).content.decode()
    finish = timezone.localdate() + timedelta(days=2)  # six in two days, six are left
    assert f'<time datetime="{finish.isoformat()}">' in page
    assert "6 markables are left to decide. 6 judged from" in page
    assert page.count('aria-label="3 judgements in 28 days"') == 2
    hand_in(project)
    page = client.get(URL).content.decode()
    assert "No coding is left to submit." in page
    assert "At the present pace" not in page
