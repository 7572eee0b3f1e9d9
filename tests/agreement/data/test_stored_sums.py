"""Sums of texts in the database: the same digits as without them, never of other versions than those of the codings."""

import struct
from contextlib import contextmanager
from io import BytesIO

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agreement.data.answers.given_answers import read_marks
from agreement.data.extract import reading
from agreement.data.extract.reading import clear_cache, extract
from agreement.data.storage import store
from agreement.data.storage.store import TableStore
from agreement.data.storage.versions import find_versions, join_versions, split_versions
from agreement.measures import ReliabilityData
from agreement.measures.options import Options
from agreement.measures.sums.distributions import TextDistances, count_distances
from agreement.measures.sums.overlaps import PairableUnits
from agreement.models import StoredSums
from agreement.reports.coders import coders as coder_reports
from agreement.reports.coders.days import count_days
from agreement.reports.coders.profiles import compute_profiles, mean_seconds
from agreement.reports.coders.texts import compute_text_distances
from agreement.reports.coders.timing import read_times, summarize_times
from agreement.reports.items import categories
from agreement.reports.items.ambiguity import summarize_ambiguity
from agreement.reports.items.highest import find_highest
from agreement.reports.items.items import compute_items
from agreement.reports.overall import overall
from agreement.reports.overall.distances import distribute_distances
from agreement.reports.request import basis
from agreement.reports.request.resolution import resolve
from annotations.coding.status import reopen_coding
from annotations.core.database import locks
from annotations.models import Coding, Membership, Project, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.anonymization import forgetting_person
from annotations.projects.locks import lock_project
from annotations.projects.people.members import remove_membership
from annotations.texts.changes import delete_text, deletion_figures
from annotations.texts.correction import correct_text
from annotations.texts.correction_plan import plan_correction
from annotations.texts.project_deletion import delete_project, project_deletion_figures
from annotations.transfers.archiving.reading import archive_project
from annotations.transfers.archiving.restoring import restore_project
from tests.conftest import in_another_connection
from tests.shared.agreeing import WALK, answer, coded_project, convention, judge_again

CODERS = ("alice", "bob", "carol")
TEXTS = (WALK, f"{WALK} twice", "[Anna](a) saw [him](b), and [he](c) saw [her](d)", f"{WALK} again, [it](f) rained")
# Tables of records: items, the highest of them, categories, ambiguity, coders, their distances, times, days and marks.
RECORDS = 9
# More than any project has: nothing is stored.
NEVER = 10**9


@pytest.fixture(autouse=True)
def small_projects_are_stored(monkeypatch):
    monkeypatch.setattr(store, "LEAST_TEXTS", 1)
    clear_cache()


@pytest.fixture
def project(db):
    project = answer(coded_project("tea", "poesio-artstein-2005", *TEXTS, coders=CODERS))
    # carol left something out
    coding_of(project, "text-4", "carol").judgements.order_by("markable__start").last().delete()
    return project


def figures(project, **asked):
    """Return what the pages say of a project, to the last digit, by what is said."""
    found, parameters = extract(project), convention(project, **({"distance": "masi", "unmarked": ""} | asked))
    report = overall.compute_report(found, parameters)
    matrix = coder_reports.compute_pair_matrix(found, parameters)
    without = coder_reports.leave_out_each_coder(found, parameters)
    return {
        "result": report.result,
        "interval": (report.interval.low, report.interval.high, report.interval.note),
        "texts": [(one.text.slug, one.result, one.shift) for one in report.texts],
        "fingerprint": report.fingerprint,
        "left out": report.codings_left_out,
        "distances": [(cell.distance, one.value, one.low, one.high) for cell, one in compare(found, parameters)],
        "distribution": distribute_distances(found, parameters),
        "pairs": (matrix.coders, dict(matrix.values)),
        "without each": [(part.name, part.result, part.change) for part in without.parts],
        "intervals without each": {
            coder: (one.result, one.low, one.high)
            for coder, one in coder_reports.intervals_without_each_coder(found, parameters).items()
        },
        **pages_of_records(project, found, parameters),
    }


def pages_of_records(project, found, parameters):
    """Return what the pages of items, categories and coders say."""
    ranked, totals = compute_items(found, parameters), categories.compute_agreement_totals(found, parameters)
    times, marks = read_times(project, found), read_marks(project, found.select())
    merged = categories.compare_merged(found, parameters, {"place": "thing", "person": "thing"})
    fields = ("text", "n_values", "relations", "explicit", "camps", "pointers", "chain", "categories")
    return {
        "items": {name: getattr(ranked, name).tolist() for name in fields},
        "disagreement": [of(...).tolist() for of in (ranked.share_of, ranked.observed_of, ranked.distance_of)],
        "levels": [ranked.level_names[place] for place in ranked.level.tolist()],
        "categories": categories.compute_by_category(found, parameters),
        "kappa": categories.compute_category_kappa(found, parameters),
        "totals": [getattr(totals, name).tolist() for name in ("rows_of_texts", "counts", "agreeing", "judged")],
        "merged": [(one.result, one.low, one.high, one.note) for one in (merged.before, merged.after)],
        "categories in use": (merged.n_before, merged.n_after),
        "confusion": coder_reports.confusion_matrix(found, parameters).tolist(),
        "agreeing": coder_reports.count_agreeing_coders(found, parameters),
        "profiles": compute_profiles(found, parameters),
        "ambiguous": summarize_ambiguity(found, parameters),
        "distances of coders": [
            (one.text.slug, one.coders, one.mean) for one in compute_text_distances(found, parameters)
        ],
        "highest": [(one.text.slug, one.share, one.relations) for one in find_highest(found, parameters)],
        "days": count_days(project, found),
        "times": summarize_times(found, parameters, times),
        "seconds": mean_seconds(found, parameters, times),
        "marks": (marks.note, marks.unsure),
    }


def compare(found, parameters):
    return overall.compare_distances(found, parameters)


@contextmanager
def nothing_stored():
    """Let nothing be read from the database or memory, and nothing be written."""
    least = store.LEAST_TEXTS
    store.LEAST_TEXTS = NEVER
    clear_cache()
    try:
        yield
    finally:
        store.LEAST_TEXTS = least
        clear_cache()


def computed_anew(project, **asked):
    with nothing_stored():
        return figures(project, **asked)


def queries_for_judgements(project, **asked):
    """Return the figures, and how many queries read judgements."""
    with CaptureQueriesContext(connection) as queries:
        found = figures(project, **asked)
    return found, sum("annotations_judgement" in query["sql"] for query in queries)


def coding_of(project, text="text-2", coder="bob"):
    return Coding.objects.get(text__project=project, text__slug=text, coder__username=coder)


def change_an_answer(project):
    coding = coding_of(project)
    judge_again(coding, coding.text.markables.order_by("start")[1].key, "place")


def reopen(project):
    coding = coding_of(project)
    reopen_coding(coding, coding.coder)


def correct(project):
    text = project.texts.get(slug="text-3")
    content = text.content.replace("Anna", "Johanna")
    correct_text(text, content, User.objects.get(username="charlie"), plan_correction(text, content).tag)


def remove_coder(project):
    remove_membership(Membership.objects.get(project=project, user__username="carol"))


def retire(project):
    """Carol adjudicates from now on: what she coded counts no longer."""
    Membership.objects.filter(project=project, user__username="carol").update(role=Membership.Role.ADJUDICATOR)


def remove_text(project):
    text = project.texts.get(slug="text-1")
    delete_text(text, deletion_figures(project.texts.filter(pk=text.pk)).tag)


def change_settings(project):
    Project.objects.filter(pk=project.pk).update(unmarked="label")
    project.refresh_from_db()


def rename_category(project):
    project.categories.filter(key="place").update(key="site")


def rename_coder(project):
    User.objects.filter(username="alice").update(username="zoe")


def give_another_coder(project):
    """Bob's coding of a text turns out to be Dora's: somebody says so who holds the lock of the project."""
    lock_project(project.pk)
    coding = coding_of(project)
    Coding.objects.filter(pk=coding.pk).update(coder=User.objects.create(username="dora"))


CHANGES = [
    change_an_answer,
    reopen,
    correct,
    remove_coder,
    retire,
    remove_text,
    change_settings,
    rename_category,
    rename_coder,
    give_another_coder,
]


@pytest.mark.parametrize("change", CHANGES)
def test_figures_are_those_of_the_present_codings_after_any_change(project, change):
    before = figures(project)
    change(project)
    in_memory = figures(project)
    clear_cache()
    assert in_memory == figures(project) == computed_anew(project)
    assert before == computed_anew(project) if change is remove_coder else before != in_memory


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"coders": "alice,bob"},
        {"texts": "text-1,text-4"},
        {"texts": "text-3"},
        {"without": "place"},
        {"include": "open"},
        {"exclude_unit": "both", "empty": "disjoint"},
        {"unmarked": "missing", "chains": "partial"},
        {"distance": "nominal", "top": "chain"},
    ],
)
def test_digits_are_equal_with_and_without_stored_sums(project, asked):
    reopen(project)
    first = figures(project, **asked)
    clear_cache()
    assert first == figures(project, **asked) == computed_anew(project, **asked)


def test_digits_are_equal_where_coders_code_some_of_the_texts(project):
    Coding.objects.filter(text__slug__in=("text-1", "text-2"), coder__username="carol").delete()
    Coding.objects.filter(text__slug="text-3", coder__username="alice").delete()
    first = figures(project)
    clear_cache()
    assert first == figures(project) == computed_anew(project)


def test_a_restored_archive_has_the_figures_of_the_project_and_no_stored_sums(project):
    before = figures(project)
    out = BytesIO()
    archive_project(project, out)
    copy = restore_project(out.getvalue(), slug="copy").project
    assert not StoredSums.objects.filter(project=copy).exists()
    assert figures(copy) == before == computed_anew(copy)


def test_the_first_look_of_a_process_reads_no_judgement(project):
    first = figures(project)
    clear_cache()
    assert queries_for_judgements(project) == (first, 0)


def test_after_an_answer_one_text_is_read_and_the_others_are_not(project):
    figures(project)
    change_an_answer(project)
    read = []
    load = reading._ProjectAnswers._read_answers

    def read_answers(self, categories, codings, texts):
        read.append(len(texts))
        return load(self, categories, codings, texts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading._ProjectAnswers, "_read_answers", read_answers)
        after = figures(project)
    assert read == [1]
    assert after == computed_anew(project)


def test_all_but_the_only_coder_are_nobody_and_not_all(project):
    Coding.objects.filter(text__project=project).exclude(coder__username="alice").delete()
    found, parameters = extract(project), convention(project, distance="masi")
    [part] = coder_reports.leave_out_each_coder(found, parameters).parts
    assert part.result.note == "there is no data"
    assert overall.compute_report(found, parameters).result.note == "no unit is coded by two coders"
    clear_cache()
    assert overall.compute_report(extract(project), parameters).result.note == "no unit is coded by two coders"


def test_of_many_texts_some_are_computed_at_a_time_with_equal_digits(project, monkeypatch):
    before = computed_anew(project)
    for module in (reading, basis):
        monkeypatch.setattr(module, "MOST_READ_AT_ONCE", 1)
        monkeypatch.setattr(module, "READ_AT_ONCE", 2)
    monkeypatch.setattr(reading, "MOST_JUDGEMENTS", 0)
    clear_cache()
    found = extract(project)
    assert not any(text.content.is_loaded for text in found.texts)
    basis.compute_sums(*resolve(found, convention(project, distance="masi")))
    assert not any(text.content.is_loaded for text in found.texts)
    assert figures(project) == before == computed_anew(project)


def test_each_pair_and_all_but_each_are_stored_of_ten_coders_at_most(project, monkeypatch):
    figures(project)
    assert StoredSums.objects.count() == 1 + 1 + 1 + 3 + RECORDS  # summaries, sums, distances, pairs (all but each)
    StoredSums.objects.all().delete()
    clear_cache()
    monkeypatch.setattr(basis, "MOST_CODERS_STORED", 2)
    figures(project)
    assert StoredSums.objects.count() == 1 + 1 + 1 + RECORDS


@pytest.mark.slow
@pytest.mark.django_db
def test_the_tables_of_ten_coders_have_room_beside_those_of_the_pages():
    coders = [f"coder-{number}" for number in range(10)]
    project = answer(coded_project("ten", "poesio-artstein-2005", *TEXTS[:2], coders=coders))
    first = figures(project)
    for _ in range(2):
        clear_cache()
        written = set(StoredSums.objects.values_list("stored_at", flat=True))
        assert queries_for_judgements(project) == (first, 0)
        assert set(StoredSums.objects.values_list("stored_at", flat=True)) == written


def test_what_coders_do_is_stored_once_whatever_the_options_of_the_coefficient(project):
    found = extract(project)
    for asked in ({}, {"empty": "subset"}, {"exclude_unit": "none"}, {"distance": "dice"}):
        compute_profiles(found, convention(project, **({"distance": "masi"} | asked)))
    assert StoredSums.objects.count() == 1 + 1  # summaries, coders


def test_a_category_that_nobody_gives_any_longer_is_not_in_use(project):
    def in_use(**asked):
        parameters = convention(project, distance="masi", **asked)
        return categories.compare_merged(extract(project), parameters, {"place": "thing"}).n_before

    before, coding = in_use(), coding_of(project)
    markable = coding.text.markables.order_by("start")[1]
    given = coding.judgements.get(markable=markable).category.key
    unused = project.categories.exclude(judgements__coding__text__project=project).first()
    judge_again(coding, markable.key, unused.key)
    assert (in_use(), in_use(texts="text-1")) == (before + 1, before)
    judge_again(coding, markable.key, given)
    assert in_use() == before
    clear_cache()
    assert in_use() == before


def test_of_a_choice_of_coders_nothing_is_stored(project):
    figures(project, coders="alice,bob")
    assert (
        StoredSums.objects.count() == 1 + 3
    )  # what is known of the codings, and what is read of all: times, days and marks


def test_where_few_texts_have_changed_the_tables_are_not_written(project, monkeypatch):
    figures(project)
    monkeypatch.setattr(store, "LEAST_SHARE", 1)
    written = dict(StoredSums.objects.values_list("key", "stored_at"))
    change_an_answer(project)
    clear_cache()
    assert figures(project) == computed_anew(project)
    assert dict(StoredSums.objects.values_list("key", "stored_at")) == written


def test_an_older_table_written_last_is_only_less_use(project):
    figures(project)
    older = dict(StoredSums.objects.values_list("key", "content"))
    change_an_answer(project)
    figures(project)
    for key, content in older.items():
        StoredSums.objects.filter(key=key).update(content=content)
    clear_cache()
    assert figures(project) == computed_anew(project)


@pytest.mark.parametrize("damage", [lambda content: b"", lambda content: content[:-1], lambda content: content[::-1]])
def test_damaged_tables_are_computed_again(project, damage):
    before = figures(project)
    for row in StoredSums.objects.all():
        StoredSums.objects.filter(pk=row.pk).update(content=damage(bytes(row.content)))
    clear_cache()
    assert figures(project) == before
    clear_cache()
    assert queries_for_judgements(project) == (before, 0)


def test_the_oldest_tables_go_first(project, monkeypatch):
    monkeypatch.setattr(store, "MOST_STORED", 3)
    for empty in ("subset", "disjoint"):
        figures(project, empty=empty)
    latest = list(StoredSums.objects.order_by("-stored_at").values_list("key", flat=True))
    assert len(latest) == 3
    TableStore(project.pk, "").save(("another",), b"x")
    assert set(StoredSums.objects.values_list("key", flat=True)) >= set(latest[:2])
    assert StoredSums.objects.count() == 3


def test_a_deleted_project_leaves_no_table(project):
    figures(project)
    other = TableStore(Project.objects.create(slug="other", title="Other", answers="categories").pk, "")
    other.save(("one",), b"x")
    delete_project(project, project_deletion_figures(project).tag)
    assert StoredSums.objects.get().project.slug == "other"


def test_nothing_stored_names_a_person_who_is_forgotten(project):
    figures(project)
    forgetting_person.send(User, user=User.objects.get(username="alice"))
    assert not StoredSums.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_who_compute_at_once_both_show_the_present_figures(monkeypatch):
    project = answer(coded_project("tea", "poesio-artstein-2005", *TEXTS, coders=CODERS))
    compute, looks = basis.tabulate, []

    def look_in_between(*args, **options):
        if not looks:
            looks.append(None)
            looks.append(in_another_connection(lambda: change_and_look()))
        return compute(*args, **options)

    def change_and_look():
        change_an_answer(project)
        clear_cache()
        return figures(project)

    monkeypatch.setattr(basis, "tabulate", look_in_between)
    figures(project)  # of the codings as they were when it began
    now = looks[1]
    assert figures(project) == now == computed_anew(project)
    clear_cache()
    assert figures(project) == now


@pytest.mark.django_db(transaction=True)
def test_who_writes_to_sqlite_is_not_waited_for():
    project = answer(coded_project("tea", "poesio-artstein-2005", *TEXTS, coders=CODERS))
    clear_cache()
    with locks.sqlite_write_lock():
        found = in_another_connection(lambda: figures(project))
        assert StoredSums.objects.exists() == (connection.vendor != "sqlite")
    clear_cache()
    assert figures(project) == found
    assert StoredSums.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_answers_that_are_read_later_than_their_versions_are_not_stored_under_these():
    project = answer(coded_project("tea", "poesio-artstein-2005", *TEXTS, coders=CODERS))
    figures(project)
    StoredSums.objects.exclude(key=TableStore(project.pk, "")._key(reading.SUMMARIES)).delete()
    clear_cache()
    found = extract(project)  # from the stored summaries: no answer is read yet
    change_an_answer(project)
    basis.compute_sums(*resolve(found, convention(project, distance="masi")))
    clear_cache()
    assert figures(project) == computed_anew(project)


@pytest.mark.django_db(transaction=True)
def test_who_begins_after_the_versions_were_read_counts_at_the_next_look():
    project = answer(coded_project("tea", "poesio-artstein-2005", *TEXTS, coders=CODERS))
    Coding.objects.filter(coder__username="carol").delete()
    figures(project)
    StoredSums.objects.exclude(key=TableStore(project.pk, "")._key(reading.SUMMARIES)).delete()
    clear_cache()
    found, parameters = extract(project), convention(project, distance="masi")
    text, carol = project.texts.get(slug="text-1"), User.objects.get(username="carol")
    assign_texts(project, [text], [carol])
    judge_again(coding_of(project, "text-1", "carol"), text.markables.order_by("start")[0].key, "place")
    assert [one.coder for one in pages_of_records(project, found, parameters)["profiles"]] == ["alice", "bob"]
    assert figures(project) == computed_anew(project)


def version_of(low: int, high: int) -> bytes:
    """Return the version that stands in a stored table as these two numbers."""
    return struct.pack("<QQ", low, high)


def test_versions_stand_before_what_they_are_of():
    versions = [version_of(1, 2**64 - 1), version_of(0, 3)]
    found, rest = split_versions(join_versions(versions, b"rest"))
    assert (found.tolist(), rest) == ([[1, 2**64 - 1], [0, 3]], b"rest")
    with pytest.raises(ValueError, match="damaged"):
        split_versions(join_versions(versions, b"")[:-1])


@pytest.mark.parametrize(
    ("wanted", "found", "places"),
    [
        ([(7, version_of(1, 2)), (5, version_of(3, 2**64 - 1)), (9, version_of(0, 0))], [0, 1], [1, 0]),
        ([(7, version_of(2, 1)), (6, version_of(1, 2)), (8, version_of(1, 2))], [], []),
        ([(7, None)], [], []),
        ([], [], []),
    ],
)
def test_documents_are_found_in_the_version_that_is_wanted_alone(wanted, found, places):
    versions = np.array([(3, 2**64 - 1), (1, 2)], dtype=np.uint64)
    assert [one.tolist() for one in find_versions([5, 7], versions, wanted)] == [found, places]
    assert [one.tolist() for one in find_versions([], versions[:0], wanted)] == [[], []]


def test_distances_of_texts_are_put_together_by_name():
    def distances(units, rows, document):
        data = ReliabilityData.from_values(units, ["a", "b"], rows, [document] * len(units))
        counts = count_distances(PairableUnits.from_data(data), Options("nominal"))
        return TextDistances.from_counts(data.documents, data.labels, counts)

    first, second = distances("AB", ["xy", "yy"], 1), distances("CD", ["zy", "zz"], 2)
    both = TextDistances.concatenate([second, first])
    again = TextDistances.from_bytes(both.select(np.array([1, 0])).to_bytes())
    assert list(again.documents) == [1, 2]
    given = [dict(zip(again.labels, row, strict=True)) for row in again.rows["labels"].tolist()]
    assert given == [{"x": 1, "y": 3, "z": 0}, {"x": 0, "y": 1, "z": 3}]
    assert again.rows["judgements"].tolist() == [4, 4]
    assert again.rows["observed"].tolist() == [*first.rows["observed"].tolist(), *second.rows["observed"].tolist()]
