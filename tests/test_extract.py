"""From rows to reliability data."""

import pytest

from agreement.extract import extract, reliability_data, values_of
from annotations import actions
from annotations.formats import plain
from annotations.importing import Coded, import_documents
from annotations.models import Coding, Membership, Project
from tests.conftest import DIALOGUE, judge, make_project

PLAIN = {"chains": "full", "top": "category", "unmarked": "missing"}


def values(project, coder, **options):
    """The coder's values with labels for markables."""
    extracted = extract(project)
    [text] = extracted.texts
    label = {unit.pk: unit.label for unit in text.units}
    found = values_of(text, coder, extracted.answers, **(PLAIN | options))
    return {
        label[unit]: "".join(sorted(label[one] for one in value)) if isinstance(value, frozenset) else value
        for unit, value in found.items()
    }


@pytest.fixture
def alice_judged(codings, keys):
    judge(codings["alice"], keys["a"], "none")
    judge(codings["alice"], keys["c"], "phrase", keys["a"])
    judge(codings["alice"], keys["d"], "segment", keys["1"])
    judge(codings["alice"], keys["f"], "phrase")


def test_an_answer_that_lacks_its_antecedent_is_missing(project, alice_judged):
    assert values(project, "alice") == {"a": "none", "c": "ac", "d": "1d"}


@pytest.mark.parametrize("unmarked", ["singleton", "label", "missing"])
def test_an_answer_that_lacks_its_antecedent_stays_missing_when_handed_in(
    project, alice, codings, alice_judged, unmarked
):
    actions.submit(codings["alice"], alice)
    left_out = {"singleton": {"b": "b", "e": "e"}, "label": {"b": "unmarked", "e": "unmarked"}, "missing": {}}
    found = values(project, "alice", unmarked=unmarked)
    assert found == {"a": "none", "c": "ac", "d": "1d"} | left_out[unmarked]


@pytest.mark.parametrize("unmarked", ["singleton", "label", "missing"])
def test_what_an_open_coding_leaves_out_is_missing(project, alice_judged, unmarked):
    assert set(values(project, "alice", unmarked=unmarked)) == {"a", "c", "d"}


def test_a_judgement_without_a_category_is_left_out(project, alice, codings, keys):
    judge(codings["alice"], keys["a"], None, note="?")
    assert extract(project).coders == ()
    actions.submit(codings["alice"], alice)
    assert values(project, "alice", unmarked="label")["a"] == "unmarked"


def test_an_antecedent_that_is_a_member_but_incomplete_itself_stays_in_the_chain(project, codings, keys):
    judge(codings["alice"], keys["c"], "phrase")
    judge(codings["alice"], keys["d"], "phrase", keys["c"])
    assert values(project, "alice", top="chain") == {"d": "cd"}


def test_equal_indices_are_one_class_and_an_index_that_lacks_is_missing(alice):
    project = make_project("walk", "passonneau-2004", "[a](a) [b](b) [c](c) [d](d) [e](e)")
    actions.add_member(project, alice, Membership.Role.CODER)
    actions.assign(project, project.texts.all(), [alice])
    coding = Coding.objects.get(text__project=project)
    keys = dict(coding.text.markables.values_list("label", "key"))
    for label, indices in {"a": ["1"], "b": ["1", "2"], "c": ["2"], "e": []}.items():
        judge(coding, keys[label], "refers", indices=indices)
    judge(coding, keys["d"], "none")
    assert values(project, "alice") == {"a": "ab", "b": "abc", "c": "bc", "d": "d"}


def test_marks_of_one_coder_are_units_that_the_other_left_out(alice, bob):
    project = make_project("walk", "passonneau-2004", "[Anna](a) took her dog")
    for coder in (alice, bob):
        actions.add_member(project, coder, Membership.Role.CODER)
    for name, file in (("alice", "[Anna](a=1) took [her](h=1) dog"), ("bob", "[Anna](a=1) took her [dog](g=2)")):
        import_documents(project, [Coded(plain.read(file.encode(), "tea.txt")[0], name)])
    extracted = extract(project)
    [text] = extracted.texts
    anna, her, dog = (unit.pk for unit in text.coded_units)
    found = {
        name: values_of(text, name, extracted.answers, **(PLAIN | {"unmarked": "singleton"}))
        for name in ("alice", "bob")
    }
    together = frozenset({anna, her})
    assert found["alice"] == {anna: together, her: together, dog: {dog}}
    assert found["bob"] == {anna: {anna}, her: {her}, dog: {dog}}
    data = reliability_data(extracted.texts, extracted.coders, extracted.answers, **PLAIN)
    assert (data.codes < 0).tolist() == [[False, False], [False, True], [True, False]]


def test_reading_costs_five_queries(project, alice_judged, django_assert_num_queries):
    with django_assert_num_queries(5):
        extract(project)


@pytest.fixture
def fingerprint(project):
    return lambda: extract(project).fingerprint


def test_the_fingerprint_changes_with_every_answer(fingerprint, project, alice, codings, keys):
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
        judge(coding, keys[label], category, *(keys[one] for one in pointers))
        assert changed()
    judge(codings["bob"], keys["a"], "place")
    assert changed()
    actions.submit(coding, alice)
    assert changed()
    Project.objects.update(unmarked="label")
    project.refresh_from_db()
    assert changed()


def test_the_fingerprint_does_not_change_with_what_is_no_answer(fingerprint, project, codings, keys):
    judge(codings["alice"], keys["a"], "none")
    before = fingerprint()
    judge(codings["alice"], keys["a"], "none", note="hm", unsure=True, optional=True)
    judge(codings["alice"], keys["b"], None)
    Project.objects.update(title="Other", guidelines="x")
    assert fingerprint() == before


def test_equal_answers_have_an_equal_fingerprint_whatever_the_keys_of_the_rows(alice, bob):
    prints = []
    for slug, coders in (("one", [alice, bob]), ("two", [bob, alice])):
        project = make_project(slug, marked=DIALOGUE)
        for coder in coders:
            actions.add_member(project, coder, Membership.Role.CODER)
            actions.assign(project, project.texts.all(), [coder])
            coding = Coding.objects.get(text__project=project, coder=coder)
            keys = dict(coding.text.markables.values_list("label", "key"))
            for label in "ab" if coders[0] == alice else "ba":
                judge(coding, keys[label], "none")
            judge(coding, keys["d"], "phrase", keys["a"], keys["b"])
        prints.append(extract(project).fingerprint)
    assert prints[0] == prints[1]
