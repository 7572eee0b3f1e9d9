"""What was read of a document is stored, and is the same as what is read of its rows."""

import fcntl
import random
from collections import OrderedDict
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from agreement.data import reading
from agreement.data.reading import read_answers
from agreement.models import FiguresVersion, StoredAnswers
from agreement.reports import basis
from agreement.reports.overall import compute_report
from annotations.coding.status import submit_coding
from annotations.models import Coding, Judgement, User
from annotations.planning.rounds import add_texts, create_round, delete_round
from annotations.planning.work.assignments import assign_texts, unassign
from annotations.schemes.project_scheme import set_coder_marked_levels
from annotations.texts.changes import delete_text, deletion_figures
from tests.shared.agreeing import WALK, answer, coded_project, convention, decide_gold, judge_again
from tests.shared.coding import in_another_connection, judge
from tests.shared.following import another_process
from tests.shared.pyramids import build, codings_of, docset, models_of, pyramid_project
from tests.shared.questions import any_answers, question_project

TEXTS = [WALK, f"{WALK} twice", f"{WALK} thrice"]


@pytest.fixture(autouse=True)
def store_all_answers(db, monkeypatch):
    monkeypatch.setattr(reading, "MIN_STORED", 1)
    monkeypatch.setattr(reading, "_answers", OrderedDict())


@pytest.fixture
def project(db):
    return answer(coded_project("walk", "poesio-artstein-2005", *TEXTS))


def everything(answers):
    """Return all that is known of answers, to the last byte."""
    columns = answers.columns
    tables = [table.tobytes() for table in columns.tables]
    return tables, columns.indices, answers.texts, answers.names, answers.coders, answers.fingerprint, answers.state


def read_stored(project, *asked, **options):
    """Return the answers as a process reads them that knows nothing yet."""
    reading._answers.clear()
    return read_answers(project, *asked, **options)


def project_with_pyramids():
    alice, bob = (User.objects.create(username=name) for name in ("alice", "bob"))
    project = pyramid_project()
    for coding in codings_of(models_of(docset(project, alice, bob))).values():
        build(coding, {coding.coder.username: ["the"]})
    return project


def project_with_gold_and_model():
    project = answer(coded_project("walk", "poesio-artstein-2005", *TEXTS, coders=("alice", "bob", "carol")))
    decide_gold(project, "alice")
    Coding.objects.of_people().filter(coder__username="carol").update(by_model=True)
    return project


def project_with_questions():
    return question_project("asked", any_answers(random.Random(4)))


GOLD, MODELS = {"gold": True}, {"models": True}
QUESTIONS = ("gender", "topics", "gloss", "part", "bridging", "animacy")


@pytest.mark.parametrize(
    ("make", "reads"),
    [
        (lambda: answer(coded_project("walk", "poesio-artstein-2005", *TEXTS)), [((), {})]),
        (lambda: answer(coded_project("walk", "passonneau-2004", *TEXTS)), [((), {})]),
        (project_with_pyramids, [(("words",), {}), (("spans",), {})]),
        (project_with_gold_and_model, [((), options) for options in ({}, GOLD, MODELS, GOLD | MODELS)]),
        (
            project_with_questions,
            [(more, {}) for more in ((), *(("", name) for name in QUESTIONS), ("", "gender", "label"))],
        ),
    ],
)
def test_stored_answers_equal_answers_from_rows(make, reads, monkeypatch):
    project = make()
    for asked, options in reads:
        StoredAnswers.objects.all().delete()
        first = everything(read_stored(project, *asked, **options))
        assert StoredAnswers.objects.filter(project=project).count() == len(first[2]) > 0
        with monkeypatch.context() as patch:
            for name in ("read_judgements", "read_words"):
                patch.setattr(reading, name, refuse_to_read_rows)
            assert everything(read_stored(project, *asked, **options)) == first
        with another_process(monkeypatch):
            assert everything(read_answers(project, *asked, **options)) == first


def coding_of_bob():
    codings = Coding.objects.of_people().select_related("text__project", "coder")
    return codings.get(text__slug="text-2", coder__username="bob")


def refuse_to_read_rows(*_, **__):
    raise AssertionError("rows were read")


def test_answers_of_selected_scheme_versions_are_not_stored(project, monkeypatch):
    all_answers = read_answers(project)
    chosen = read_answers(project, scheme_versions=frozenset([project.scheme_version]))
    of_another = read_answers(project, scheme_versions=frozenset([project.scheme_version + 1]))
    assert (chosen.n_judgements, of_another.n_judgements) == (all_answers.n_judgements, 0)
    assert StoredAnswers.objects.count() == len(all_answers.texts)


def test_only_changed_document_is_read_again(project, monkeypatch):
    read_answers(project)
    coding = coding_of_bob()
    judge_again(coding, coding.text.markables.order_by("start").first().key, None)
    read, whole = [], reading.read_judgements

    def count(project, categories, documents, *more, **options):
        read.extend(part.document.slug for part in documents)
        return whole(project, categories, documents, *more, **options)

    with monkeypatch.context() as patch:
        patch.setattr(reading, "read_judgements", count)
        followed = everything(read_stored(project))
    assert read == ["text-2"]
    assert everything(read_stored(project)) == followed
    with another_process(monkeypatch):
        assert everything(read_answers(project)) == followed


@pytest.mark.parametrize("options", [{}, GOLD, MODELS])
def test_marks_of_another_round_become_members_of_text(options, monkeypatch):
    project = project_with_gold_and_model()
    set_coder_marked_levels(project, project.levels.filter(coded=True))
    text = project.texts.get(slug="text-1")
    read_answers(project, **options)
    add_texts(create_round(project, "second"), [text])
    [bob] = User.objects.filter(username="bob")
    assign_texts(project, [text], [bob], round_=project.rounds.get(name="second"))
    coding = Coding.objects.of_people().select_related("text__project", "coder").get(round__name="second")
    level = project.levels.get(coded=True).key
    judge(coding, f"{level}:0-2", project.categories.order_by("pk").last().key)
    submit_coding(coding, bob)
    followed = everything(read_stored(project, **options))
    with another_process(monkeypatch):
        assert everything(read_answers(project, **options)) == followed


def test_stored_answers_are_deleted_with_text_and_round(project):
    text = project.texts.get(slug="text-1")
    second = create_round(project, "second")
    add_texts(second, [text])
    assign_texts(project, [text], User.objects.filter(username="bob"), round_=second)
    read_answers(project)
    assert StoredAnswers.objects.filter(round=second).count() == 1
    unassign(text, "bob", round_=second)
    delete_round(second)
    assert StoredAnswers.objects.count() == len(TEXTS)
    delete_text(text, deletion_figures(project.texts.filter(pk=text.pk)).tag)
    assert StoredAnswers.objects.count() == len(TEXTS) - 1
    assert [text.slug for text in read_stored(project).texts] == ["text-2", "text-3"]


def test_stored_answers_contain_no_names():
    project = answer(coded_project("walk", "passonneau-2004", *TEXTS, coders=("Annegret", "Balthasar")))
    project.texts.update(title="Chrysantheme")
    read_answers(project)
    for row in StoredAnswers.objects.all():
        stored = bytes(row.content) + row.names.encode()
        for name in (b"Annegret", b"Balthasar", b"Chrysantheme", b"text-", b"charlie"):
            assert name.lower() not in stored.lower()


def test_refresh_updates_figures_of_every_process(project, monkeypatch):
    def figures():
        return compute_report(read_answers(project), convention(project)).result

    before, another = figures(), OrderedDict()
    with monkeypatch.context() as patch:
        patch.setattr(reading, "_answers", another)
        assert figures() == before
    judgement = Judgement.objects.filter(coding__text__project=project, coding__coder__username="bob").first()
    other = project.categories.exclude(pk=judgement.category_id).order_by("pk").last()
    Judgement.objects.filter(pk=judgement.pk).update(category=other)
    call_command("refresh_figures", project.slug)
    assert FiguresVersion.objects.get(project=project).number == 1
    repaired = figures()
    assert repaired != before
    with monkeypatch.context() as patch:
        patch.setattr(reading, "_answers", another)
        assert figures() == repaired
    with another_process(monkeypatch):
        assert figures() == repaired


def test_reports_of_rolled_back_transaction_are_not_kept(project, monkeypatch):
    monkeypatch.setattr(basis, "MIN_REMEMBERED", 0)

    def judge_and_report(category):
        coding.refresh_from_db()
        judge_again(coding, key, category)
        return compute_report(read_answers(project), convention(project)).result

    coding = coding_of_bob()
    key = coding.text.markables.order_by("start").first().key
    with transaction.atomic():
        undone = judge_and_report("place")
        transaction.set_rollback(True)
    present = judge_and_report("none")
    with another_process(monkeypatch):
        assert undone != present == compute_report(read_answers(project), convention(project)).result


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL lets several connections write at a time")
def test_answers_are_not_stored_while_others_write_to_sqlite(project):
    with Path(f"{connection.settings_dict['NAME']}-turn").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        first = everything(read_answers(project))
    assert not StoredAnswers.objects.exists()
    assert everything(read_stored(project)) == first
    assert StoredAnswers.objects.count() == len(TEXTS)


@pytest.mark.django_db(transaction=True)
def test_concurrent_deletion_of_text_keeps_answers_being_read(project, monkeypatch):
    with another_process(monkeypatch):
        expected = everything(read_answers(project))
    store = reading._store

    def delete():
        text = project.texts.get(slug="text-2")
        delete_text(text, deletion_figures(project.texts.filter(pk=text.pk)).tag)
        return 0

    def store_late(*read):
        in_another_connection(delete)
        store(*read)

    with monkeypatch.context() as patch:
        patch.setattr(reading, "_store", store_late)
        assert everything(read_answers(project)) == expected
    assert [text.slug for text in read_stored(project).texts] == ["text-1", "text-3"]
    assert StoredAnswers.objects.count() == 2
