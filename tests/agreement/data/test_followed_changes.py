"""What is followed from look to look is what would be computed of the present codings anew, whatever has happened."""

import random
from dataclasses import replace
from datetime import timedelta
from threading import Event, Thread

import numpy as np
import pytest
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db import connection, transaction
from django.utils import timezone

from agreement.data import reading
from agreement.data.reading import read_answers
from agreement.reports import basis
from agreement.reports.items import compute_items, find_highest
from annotations.adjudication.ownership import open_gold
from annotations.coding.decisions import OperationRejected
from annotations.coding.status import reopen_coding, submit_coding
from annotations.formats import plain
from annotations.formats.model.scheme import CATEGORY, AttributeSpec, CategorySpec, ValueSpec
from annotations.models import Coding, Membership, Operation, Project, Round, User
from annotations.models.coding import pointing_categories
from annotations.planning.plans.plans import apply_plan
from annotations.planning.pool import take_next_text
from annotations.planning.repeats import RepeatRequest, apply_repeats, withdraw_repeats
from annotations.planning.rounds import add_texts, change_round, create_round, delete_round, move_to_round
from annotations.planning.work.assignments import assign_texts, release_idle, replace_coder, unassign
from annotations.projects.anonymization import forget_person
from annotations.projects.people.members import add_member, remove_membership
from annotations.revision.saving import SchemeRefused, save_scheme
from annotations.revision.undoing import undo_merges
from annotations.schemes.changes import Merge
from annotations.schemes.project_scheme import read_scheme
from annotations.texts.changes import delete_text, deletion_figures
from annotations.texts.correction import correct_text
from annotations.texts.correction_plan import plan_correction
from annotations.transfers.importing import documents as documents_module
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.options import ImportOptions
from annotations.transfers.importing.report import ImportFailed
from annotations.web.forms.texts import TextForm
from tests.shared.agreeing import WALK, answer, coded_project, convention, judge_again
from tests.shared.cases import cases
from tests.shared.coding import close_gold
from tests.shared.coding import judge as judge_one
from tests.shared.following import another_process, figures
from tests.shared.plans import plan_request
from tests.shared.schemes import change_rows

# What is raised where there is nothing of the kind to change.
REFUSED = (ValidationError, ValueError, IndexError, OperationRejected, SchemeRefused, ImportFailed, ObjectDoesNotExist)
CODERS = ("alice", "bob", "carol", "dora")
TEXTS = [WALK, *(f"{WALK} {word}" for word in ("twice", "thrice", "again", "once more", "for long"))]


@pytest.fixture
def project(db, monkeypatch):
    monkeypatch.setattr(reading, "MIN_STORED", 1)
    monkeypatch.setattr(basis, "MIN_REMEMBERED", 0)
    monkeypatch.setattr(basis, "MAX_TEXTS_AT_ONCE", 2)
    project = answer(coded_project("tea", "poesio-artstein-2005", *TEXTS, coders=CODERS[:3]))
    create_round(project, "second")
    return project


def any_coding(project, chance, **conditions):
    return chance.choice(
        list(
            Coding.objects.of_people()
            .filter(text__project=project, **conditions)
            .select_related("coder", "text__project", "round")
        )
    )


def judge(project, chance):
    coding = any_coding(project, chance)
    if coding.status == "submitted":
        reopen_coding(coding, coding.coder)
        coding.refresh_from_db()
    keys = [
        *project.categories.exclude(pk__in=pointing_categories()).order_by("pk").values_list("key", flat=True),
        None,
    ]
    more = {}
    if project.attributes.filter(key="sort").exists() and chance.random() < 0.5:
        more["answers"] = {"sort": chance.choice(["new", "old"])}
    judge_again(coding, chance.choice(list(coding.text.markables.order_by("start"))).key, chance.choice(keys), **more)


def submit(project, chance):
    coding = any_coding(project, chance)
    submit_coding(coding, coding.coder)


def reopen(project, chance):
    coding = any_coding(project, chance)
    reopen_coding(coding, coding.coder)


def assign(project, chance):
    text, coder = chance.choice(list(project.texts.all())), User.objects.get(username=chance.choice(CODERS[:3]))
    assign_texts(project, [text], [coder], round_=chance.choice(list(project.rounds.all())))


def unassign_coder(project, chance):
    coding = any_coding(project, chance)
    unassign(coding.text, coding.coder.username)


def move_text(project, chance):
    move_to_round(project, [chance.choice(list(project.texts.all()))], chance.choice(["main", "second"]))


def rename_round(project, chance):
    change_round(chance.choice(list(project.rounds.all())), kind=chance.choice([Round.Kind.PILOT, Round.Kind.MAIN]))


def rename_text(project, chance):
    text = chance.choice(list(project.texts.all()))
    form = TextForm(text)
    data = {"title": f"{text.title} {chance.random()}", "round": form.round_name}
    form = TextForm(text, data | {name: form[name].initial for name in form.fields if name not in data})
    if form.is_valid():
        form.save()


def correct_random_text(project, chance):
    text = chance.choice(list(project.texts.all()))
    content = text.content.replace("Anna", "Johanna", 1)
    if content != text.content:
        correct_text(text, content, User.objects.get(username="charlie"), plan_correction(text, content).tag)


def remove_text(project, chance):
    text = chance.choice(list(project.texts.all()))
    if project.texts.count() > 3:
        delete_text(text, deletion_figures(project.texts.filter(pk=text.pk)).tag)


def toggle_adjudicator(project, chance):
    memberships = Membership.objects.filter(project=project, user__username=chance.choice(CODERS[:3]))
    memberships.update(role=chance.choice([Membership.Role.ADJUDICATOR, Membership.Role.CODER]))


def remove_member(project, chance):
    membership = Membership.objects.filter(project=project, user__username=chance.choice(CODERS[:3])).first()
    if membership is not None:
        remove_membership(membership)


def rename_category(project, chance):
    category = project.categories.order_by("pk").last()
    change_rows(project.categories.filter(pk=category.pk), label=f"{category.label} {chance.random()}")


def import_text(project, chance):
    number = project.texts.count() + 20
    import_documents(
        project, [SourceDocument(plain.parse(f"[Anna](a) saw [her](b) {number}", f"n-{number}.txt"), None)]
    )


def add_markables(project, chance):
    text = project.texts.filter(slug="text-1").first()
    if text is not None and text.content.startswith("Anna took"):
        import_documents(project, [SourceDocument(plain.parse(f"[{text.content}](z)", "text-1.txt"), None)])


def import_several(project, chance):
    """Import into texts that are there and others, some at a time; sometimes the second time fails."""
    number, names = project.texts.count() + 50, list(project.texts.values_list("slug", flat=True)[:2])
    parsed = [plain.parse(f"[Bea](a) met [Cem](b) {number} {n}", f"m-{number}-{n}.txt") for n in range(4)]
    documents = [SourceDocument(document, None) for document in parsed]
    most, lock = documents_module.MAX_DOCUMENTS, documents_module.lock_project
    left = chance.choice([1, 10])

    def lock_some(pk):
        nonlocal left
        left -= 1
        if left < 0:
            raise ImportFailed("The program ended.")
        return lock(pk)

    documents_module.MAX_DOCUMENTS, documents_module.lock_project = 2, lock_some
    try:
        import_documents(project, documents, ImportOptions(join=True))
    except ImportFailed:
        assert project.texts.count() > len(names)
    finally:
        documents_module.MAX_DOCUMENTS, documents_module.lock_project = most, lock


def merge_category(project, chance):
    spec = read_scheme(project.pk).spec
    pointing = set(pointing_categories().filter(project=project).values_list("key", flat=True))
    plain_ones = [category.key for category in spec.categories if category.key not in pointing]
    old, into = chance.sample(plain_ones, 2)
    rest = tuple(category for category in spec.categories if category.key != old)
    save_scheme(project, replace(spec, categories=rest), charlie(), merges=[Merge(CATEGORY, old, into)])


def undo_merge(project, chance):
    undo_merges(project, project.scheme_version, charlie())


def add_category(project, chance):
    spec = read_scheme(project.pk).spec
    added = CategorySpec(f"more-{chance.randrange(3)}", "More", singleton=True)
    save_scheme(project, replace(spec, categories=(*spec.categories, added)), charlie())


def toggle_attribute(project, chance):
    spec = read_scheme(project.pk).spec
    sort = AttributeSpec("sort", "sort", values=(ValueSpec("new", "new"), ValueSpec("old", "old")))
    save_scheme(project, replace(spec, attributes=() if spec.attributes else (sort,)), charlie())


def merge_value(project, chance):
    spec = read_scheme(project.pk).spec
    [sort] = spec.attributes
    changed = replace(sort, values=sort.values[1:])
    merge = Merge("sort", sort.values[0].key, sort.values[1].key)
    save_scheme(project, replace(spec, attributes=(changed,)), charlie(), merges=[merge])


def toggle_coded_level(project, chance):
    level = chance.choice(list(project.levels.order_by("pk")))
    spec = read_scheme(project.pk).spec
    levels = tuple(replace(row, coded=not row.coded) if row.key == level.key else row for row in spec.levels)
    save_scheme(project, replace(spec, levels=levels), charlie())


def rename_person(project, chance):
    user = any_coding(project, chance).coder
    user.username = user.username.removesuffix("-b") if user.username.endswith("-b") else f"{user.username}-b"
    user.save()


def rename_removed_member(project, chance):
    membership = project.memberships.filter(role="coder").order_by("-pk")[0]
    user = membership.user
    remove_membership(membership)
    user.username = f"{user.username}-left"
    user.save()


def delete_user(project, chance):
    user = any_coding(project, chance).coder
    if not user.username.startswith("person") and project.memberships.filter(role="coder").count() > 2:
        forget_person(user)


def replace_random_coder(project, chance):
    coding = any_coding(project, chance)
    others = User.objects.filter(memberships__project=project, memberships__role="coder").exclude(pk=coding.coder_id)
    replace_coder(project, coding.round, coding.coder, chance.choice(list(others)))


def release_idle_texts(project, chance):
    Coding.objects.of_people().filter(text__project=project).update(created_at=timezone.now() - timedelta(days=20))
    release_idle(project, any_coding(project, chance).round, 1)


def apply_random_repeats(project, chance):
    apply_repeats(project, RepeatRequest(share=0.5, seed=chance.randrange(9), round_name="main"))


def remove_repeats(project, chance):
    withdraw_repeats(project, project.rounds.get(name="main"))


def take_from_pool(project, chance):
    """Take a text; in a third of cases all that was taken has waited too long."""
    if not project.rounds.filter(name="pool").exists():
        add_texts(create_round(project, "pool"), project.texts.all())
        apply_plan(project, plan_request("pool", pool=True))
    if chance.random() < 0.3:
        Coding.objects.of_people().filter(round__name="pool").update(
            reserved_until=timezone.now() - timedelta(minutes=1)
        )
    coder = chance.choice(list(User.objects.filter(memberships__project=project, memberships__role="coder")))
    coding = take_next_text(project, coder, "pool")
    if chance.random() < 0.5:
        markable = coding.text.markables.order_by("start").first()
        judge_one(coding, markable.key, None)


def remove_round(project, chance):
    delete_round(project.rounds.get(name=chance.choice(["pool", "second"])))


def move_round_first(project, chance):
    change_round(chance.choice(list(project.rounds.all())), place=0)


def make_training_round(project, chance):
    change_round(project.rounds.get(name="second"), kind=Round.Kind.TRAINING)


def decide_gold_text(project, chance):
    """Open gold, judge a markable, and submit it, or reopen it."""
    text = chance.choice(list(project.texts.all()))
    gold = open_gold(project, text, text.rounds.order_by("position").first().name, charlie())
    if gold.status == "submitted":
        reopen_coding(gold, charlie())
    else:
        category = project.categories.exclude(pk__in=pointing_categories()).order_by("pk").first()
        judge_one(gold, text.markables.order_by("start").first().key, category.key)
        gold.refresh_from_db()
        close_gold(gold)


def charlie():
    return User.objects.get(username="charlie")


CHANGES = [
    *[judge] * 4,
    *[submit] * 3,
    *[reopen] * 2,
    assign,
    unassign_coder,
    move_text,
    rename_round,
    rename_text,
    correct_random_text,
    remove_text,
    toggle_adjudicator,
    remove_member,
    rename_category,
    import_text,
    add_markables,
]
# Rarer ones, each of which has to be seen once at least.
FURTHER = [
    import_several,
    merge_category,
    undo_merge,
    add_category,
    toggle_attribute,
    merge_value,
    toggle_coded_level,
    rename_person,
    rename_removed_member,
    delete_user,
    replace_random_coder,
    release_idle_texts,
    apply_random_repeats,
    remove_repeats,
    take_from_pool,
    remove_round,
    move_round_first,
    make_training_round,
    decide_gold_text,
]


@pytest.mark.slow
@pytest.mark.parametrize("seed", cases(range(2), full=range(2, 20)))
def test_followed_figures_equal_recomputation_after_each_change(project, seed, monkeypatch):
    chance = random.Random(seed)
    figures(project)
    done = []
    while len(done) < 14:
        change = chance.choice(chance.choice([CHANGES, FURTHER]))
        try:
            with transaction.atomic():
                change(project, chance)
        except REFUSED:  # there is nothing of the kind to change
            continue
        done.append(change.__name__)
        project = Project.objects.get(pk=project.pk)
        followed = figures(project)
        with another_process(monkeypatch):
            anew = figures(project)
        assert followed == anew, done


@pytest.mark.slow
@pytest.mark.parametrize("change", FURTHER, ids=lambda change: change.__name__)
def test_next_read_includes_changes_by_managers(project, change, monkeypatch):
    if change in (undo_merge, merge_value, remove_repeats, remove_round):
        prepare = {
            undo_merge: merge_category,
            merge_value: toggle_attribute,
            remove_repeats: apply_random_repeats,
            remove_round: take_from_pool,
        }
        prepare[change](project, random.Random(1))
    done = 0
    for seed in range(4):
        project = Project.objects.get(pk=project.pk)
        figures(project)
        try:
            with transaction.atomic():
                change(project, random.Random(seed))
        except REFUSED:
            continue
        done += 1
        project = Project.objects.get(pk=project.pk)
        followed = figures(project)
        with another_process(monkeypatch):
            assert followed == figures(project)
    assert done


def test_highest_items_are_first_in_order_of_items(project):
    found, parameters = read_answers(project), convention(project, distance="masi", unmarked="")
    items = compute_items(found, parameters)
    rows = items.order(np.arange(len(items.term)), 5)
    assert [(item.text.slug, item.unit) for item in find_highest(found, parameters)] == [
        (items.texts[items.text[row]].slug, items.unit[row]) for row in rows.tolist()
    ]
    assert [item.share for item in find_highest(found, parameters)] == pytest.approx(
        items.share_of(rows).tolist(), rel=1e-12
    )


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite lets one connection write at a time")
def test_operation_committed_out_of_order_is_followed():
    project = answer(coded_project("tea", "poesio-artstein-2005", *TEXTS[:2], coders=CODERS[:2]))
    codings = {
        coding.coder.username: coding
        for coding in Coding.objects.of_people().select_related("coder", "text__project", "round")
    }
    read_answers(project)
    written, go_on = Event(), Event()

    def save_slowly():
        try:
            with transaction.atomic():
                reopen_coding(codings["bob"], codings["bob"].coder)
                written.set()
                go_on.wait(20)
        finally:
            connection.close()

    slow = Thread(target=save_slowly)
    slow.start()
    assert written.wait(20)
    reopen_coding(codings["alice"], codings["alice"].coder)
    assert Operation.objects.latest("pk").coding == codings["alice"]
    assert [part.coder for part in read_answers(project).select().left_out] == ["alice"]
    read_answers(project)
    go_on.set()
    slow.join()
    assert [part.coder for part in read_answers(project).select().left_out] == ["alice", "bob"]


@pytest.mark.parametrize(
    "change",
    [
        lambda project: add_member(project, User.objects.get(username=CODERS[0]), Membership.Role.MANAGER_CODER),
        lambda project: remove_membership(Membership.objects.get(project=project, user__username="ada")),
        lambda project: add_member(project, User.objects.get(username="ada"), Membership.Role.CODER),
    ],
)
def test_next_read_includes_role_changes(project, change, monkeypatch):
    ada = User.objects.get_or_create(username="ada")[0]
    add_member(project, ada, Membership.Role.ADJUDICATOR)
    text = project.texts.first()
    Coding.objects.create(text=text, coder=ada, round=project.rounds.first())
    figures(project)
    change(project)
    followed = figures(project)
    with another_process(monkeypatch):
        assert followed == figures(project)
