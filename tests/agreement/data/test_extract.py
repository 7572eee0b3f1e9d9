"""From rows to reliability data."""

import pytest
from django.db import connection, transaction

from agreement.data.reading import forget_answers, read_answers
from agreement.data.reliability import reliability_data
from agreement.data.texts import read_keys
from annotations.coding.status import submit_coding
from annotations.formats import plain
from annotations.formats.model.keys import markable_key
from annotations.models import Coding, Markable, Membership, Project
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from tests.shared.coding import in_another_connection, judge
from tests.shared.following import another_process
from tests.shared.projects import DIALOGUE, make_project
from tests.shared.schemes import change_rows

PLAIN = {"chains": "full", "top": "category", "unmarked": "missing"}


def values(project, coder, **options):
    """Return the coder's values, with labels for markables."""
    label = dict(Markable.objects.filter(text__project=project).values_list("pk", "label"))
    data = reliability_data(read_answers(project).select(["open"], [coder]), **(PLAIN | options))
    codes = data.codes[:, 0].tolist()
    found = {unit: data.value(code) for unit, code in zip(data.units, codes, strict=True) if code >= 0}
    return {
        label[unit]: "".join(sorted(label[member] for member in value)) if isinstance(value, frozenset) else value
        for unit, value in found.items()
    }


@pytest.fixture
def answers_of_alice(codings, keys):
    judge(codings["alice"], keys["a"], "none")
    judge(codings["alice"], keys["c"], "phrase", keys["a"])
    judge(codings["alice"], keys["d"], "segment", keys["1"])
    judge(codings["alice"], keys["f"], "phrase")


def test_answer_without_antecedent_is_missing(project, answers_of_alice):
    assert values(project, "alice") == {"a": "none", "c": "ac", "d": "1d"}


@pytest.mark.parametrize("unmarked", ["singleton", "label", "missing"])
def test_answer_without_antecedent_stays_missing_after_submission(project, alice, codings, answers_of_alice, unmarked):
    submit_coding(codings["alice"], alice)
    left_out = {"singleton": {"b": "b", "e": "e"}, "label": {"b": "unmarked", "e": "unmarked"}, "missing": {}}
    found = values(project, "alice", unmarked=unmarked)
    assert found == {"a": "none", "c": "ac", "d": "1d"} | left_out[unmarked]


@pytest.mark.parametrize("unmarked", ["singleton", "label", "missing"])
def test_unmarked_units_of_open_coding_are_missing(project, answers_of_alice, unmarked):
    assert set(values(project, "alice", unmarked=unmarked)) == {"a", "c", "d"}


def test_judgement_without_category_is_excluded(project, alice, codings, keys):
    judge(codings["alice"], keys["a"], None, note="?")
    assert read_answers(project).coders == read_answers(project).select(["open"]).coders == ()
    judge(codings["alice"], keys["b"], "none")
    submit_coding(codings["alice"], alice)
    found = values(project, "alice", unmarked="label")
    assert (found["a"], found["b"]) == ("unmarked", "none")


def test_incomplete_antecedent_stays_in_chain(project, codings, keys):
    judge(codings["alice"], keys["c"], "phrase")
    judge(codings["alice"], keys["d"], "phrase", keys["c"])
    assert values(project, "alice", top="chain") == {"d": "cd"}


def test_equal_indices_are_one_class_and_empty_index_is_missing(alice):
    project = make_project("walk", "passonneau-2004", "[a](a) [b](b) [c](c) [d](d) [e](e)")
    add_member(project, alice, Membership.Role.CODER)
    assign_texts(project, project.texts.all(), [alice])
    coding = Coding.objects.of_people().get(text__project=project)
    keys = dict(coding.text.markables.values_list("label", "key"))
    for label, indices in {"a": ["1"], "b": ["1", "2"], "c": ["2"], "e": []}.items():
        judge(coding, keys[label], "refers", indices=indices)
    judge(coding, keys["d"], "none")
    assert values(project, "alice") == {"a": "ab", "b": "abc", "c": "bc", "d": "d"}


def test_marks_of_one_coder_are_units_unmarked_by_other_coder(alice, bob):
    project = make_project("walk", "passonneau-2004", "[Anna](a) took her dog")
    for coder in (alice, bob):
        add_member(project, coder, Membership.Role.CODER)
    for name, file in (("alice", "[Anna](a=1) took [her](h=1) dog"), ("bob", "[Anna](a=1) took her [dog](g=2)")):
        import_documents(project, [SourceDocument(plain.parse(file, "tea.txt"), name)])
    extracted = read_answers(project)
    found = reliability_data(extracted, **(PLAIN | {"unmarked": "singleton"}))
    anna, her, dog = found.units
    together = frozenset({anna, her})
    assert [[found.value(code) for code in row] for row in found.codes.tolist()] == [
        [together, {anna}],
        [together, {her}],
        [{dog}, {dog}],
    ]
    data = reliability_data(extracted, **PLAIN)
    assert (data.codes < 0).tolist() == [[False, False], [False, True], [True, False]]


def test_markables_added_to_coded_text_become_units(project, alice, codings, keys):
    judge(codings["alice"], keys["a"], "none")
    submit_coding(codings["alice"], alice)
    before = len(read_answers(project).columns.units)
    more = plain.parse(DIALOGUE.replace("[the stove](b)", "[the [stove](g)](b)"), "tea.txt")
    import_documents(project, [SourceDocument(more, None)])
    assert len(read_answers(project).columns.units) == before + 1
    assert len(reliability_data(read_answers(project).select(["open"]), **PLAIN).units) == before + 1


def test_read_takes_seven_queries_and_three_if_nothing_changed(
    project, codings, keys, answers_of_alice, django_assert_num_queries
):
    with django_assert_num_queries(7):
        first = read_answers(project)
    with django_assert_num_queries(3):
        assert read_answers(project).fingerprint == first.fingerprint
    judge(codings["alice"], keys["a"], "place")
    with django_assert_num_queries(7):
        assert read_answers(project).fingerprint != first.fingerprint


@pytest.mark.django_db(transaction=True)
def test_concurrent_saves_do_not_change_answers_being_read(project, codings, keys, answers_of_alice, monkeypatch):
    before = read_answers(project).fingerprint
    saves = []

    def execute_and_save(execute, sql, params, many, context):
        result = execute(sql, params, many, context)
        if sql.startswith("SELECT") and ("annotations_category" in sql or saves):  # with which the snapshot begins
            category = "place" if len(saves) % 2 else "none"
            saves.append(in_another_connection(lambda: judge(codings["bob"], keys["a"], category)))
        return result

    with another_process(monkeypatch), connection.execute_wrapper(execute_and_save):
        extracted = read_answers(project)
    assert len(saves) == 7
    assert (extracted.fingerprint, extracted.coders) == (before, ("alice",))
    assert read_answers(project).coders == ("alice", "bob")


def test_rolled_back_answers_are_not_kept(project, codings, keys, fingerprint):
    with transaction.atomic():
        judge(codings["alice"], keys["a"], "place")
        undone = fingerprint()
        transaction.set_rollback(True)
    judge(codings["alice"], keys["a"], "none")
    assert fingerprint() != undone
    assert values(project, "alice") == {"a": "none"}


def test_scheme_change_changes_answers(project, codings, keys, answers_of_alice):
    assert values(project, "alice")["a"] == "none"
    change_rows(project.categories.filter(key="none"), key="new")
    assert values(project, "alice")["a"] == "new"
    relation = project.relations.create(
        key="new", label="new", identity=True, asked_if={"question": "category", "values": ["new"]}
    )
    assert values(project, "alice")["a"] == "new"
    relation.to_levels.add(project.levels.get(key="phrase"))
    assert "a" not in values(project, "alice")


def test_answers_of_many_texts_equal_answers_of_few(project, alice, monkeypatch, codings, keys, answers_of_alice):
    few = read_answers(project).fingerprint
    forget_answers()
    monkeypatch.setattr("agreement.data.judgements.MAX_TEXTS_IN_QUERY", 0)
    assert read_answers(project).fingerprint == few


@pytest.fixture
def fingerprint(project):
    return lambda: read_answers(project).fingerprint


def test_fingerprint_changes_with_every_answer(fingerprint, project, alice, codings, keys):
    seen = [fingerprint()]

    def changed():
        seen.append(fingerprint())
        return len(set(seen)) == len(seen)

    coding = codings["alice"]
    for label, category, *pointers in [
        ("a", "none"),
        ("a", "place"),
        ("d", "phrase"),
        ("d", "phrase", "a"),
        ("d", "phrase", "a", "c"),
        ("d", "phrase", "c"),
        ("d", "segment", "1"),
    ]:
        judge(coding, keys[label], category, *(keys[pointer] for pointer in pointers))
        assert changed()
    judge(codings["bob"], keys["a"], "place")
    assert changed()
    submit_coding(coding, alice)
    assert changed()
    Project.objects.update(unmarked="label")
    project.refresh_from_db()
    assert changed()


def test_fingerprint_ignores_notes_and_project_settings(fingerprint, project, codings, keys):
    judge(codings["alice"], keys["a"], "none")
    before = fingerprint()
    judge(codings["alice"], keys["a"], "none", note="hm", unsure=True, optional=True)
    judge(codings["alice"], keys["b"], None)
    Project.objects.update(title="Other", guidelines="x")
    assert fingerprint() == before


def test_equal_answers_have_equal_fingerprint(alice, bob):
    prints = []
    for slug, coders in (("one", [alice, bob]), ("two", [bob, alice])):
        project = make_project(slug, marked=DIALOGUE)
        for coder in coders:
            add_member(project, coder, Membership.Role.CODER)
            assign_texts(project, project.texts.all(), [coder])
            coding = Coding.objects.of_people().get(text__project=project, coder=coder)
            keys = dict(coding.text.markables.values_list("label", "key"))
            for label in "ab" if coders[0] == alice else "ba":
                judge(coding, keys[label], "none")
            judge(coding, keys["d"], "phrase", keys["a"], keys["b"])
        prints.append(read_answers(project).fingerprint)
    assert prints[0] == prints[1]


def test_units_of_text_have_order_of_markables(project, codings):
    text = codings["alice"].text
    phrase, turn = (project.levels.get(coded=coded) for coded in (True, False))
    many = [
        (phrase, [[0, 9]]),
        (phrase, [[0, 2], [4, 9]]),
        (phrase, [[0, 1], [4, 9]]),
        (turn, [[0, 9]]),
        (phrase, [[0, 3]]),
    ]
    for level, parts in many:
        key = markable_key(level.key, parts)
        rows = {"parts": parts, "start": parts[0][0], "end": parts[-1][1]}
        Markable.objects.get_or_create(text=text, key=key, level=level, defaults=rows)
    answers = read_answers(project)
    for coded, members in ((True, answers.columns.units), (False, answers.columns.others)):
        assert members["key"].tolist() == list(text.markables.filter(level__coded=coded).values_list("pk", flat=True))
    assert answers.columns.units["key"].tolist() == answers.units_in(answers.texts[0])
    names = dict(text.markables.values_list("pk", "key"))
    assert read_keys(answers.texts) == names
