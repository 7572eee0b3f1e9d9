"""Relations, readings and attributes in judgements: storage, refusals, moves and corrections."""

import pytest

from annotations.coding import operations
from annotations.coding.decisions import Decision, OperationRejected
from annotations.coding.judgements import judgements_of
from annotations.coding.log.replay import log_mismatches
from annotations.coding.readings import alternatives
from annotations.coding.required_answers import AnswersMissing
from annotations.coding.rules import Rules
from annotations.coding.status import submit_coding
from annotations.formats.model.scheme import CATEGORY, Condition
from annotations.models import Attribute, AttributeAnswer, Coding, Pointer
from annotations.schemes.project_scheme import read_scheme, scheme_state
from annotations.texts.correction import correct_text, plan_correction
from tests.shared.coding import change, judge
from tests.shared.schemes import change_rows, coding_of, rich_project


@pytest.fixture
def coding(alice) -> Coding:
    return coding_of(rich_project("rich", coder=alice, coders_mark=True))


@pytest.fixture
def marks(coding) -> dict[str, str]:
    return dict(coding.text.markables.values_list("label", "key"))


@pytest.fixture
def send(coding, marks):
    """Return a function that judges markable c; labels stand for keys of markables."""

    def named(value):
        if isinstance(value, list):
            return [named(label) for label in value]
        return marks.get(value, value)

    def apply(category="phrase", markable="c", **more):
        coding.refresh_from_db(fields=["version"])
        if "pointers" in more:
            more["pointers"] = named(more["pointers"])
        if isinstance(more.get("relations"), dict):
            more["relations"] = {key: named(readings) for key, readings in more["relations"].items()}
        payload = {"markable": named(markable), "category": category, **more}
        return operations.apply(coding, coding.coder, coding.version, [change(**payload)])

    return apply


def answer_of(coding, key):
    return judgements_of(coding)[key]


def test_judgement_stores_readings_relations_and_attributes(coding, marks, send):
    attributes = {"gender": "f", "gender-2": "n", "kinds": ["c", "a"], "count": 2, "gloss": "so", "part": "whole"}
    send(pointers=[["b", "a"], ["a"]], relations={"bridging": ["b", "a"]}, attributes=attributes)
    found = answer_of(coding, marks["c"])
    assert found["pointers"] == [[marks["a"]], [marks["a"], marks["b"]]]
    assert found["relations"] == {"bridging": [marks["a"], marks["b"]]}
    assert found["attributes"] == attributes
    assert list(found["attributes"]) == sorted(attributes)
    coding.refresh_from_db()
    assert list(log_mismatches(coding)) == []


def test_second_judgement_replaces_relations_and_attributes(coding, marks, send):
    send(relations={"bridging": ["a"]}, attributes={"gender": "f", "kinds": ["a", "b"]}, pointers=["a"])
    send(attributes={"kinds": ["b"]})
    assert answer_of(coding, marks["c"])["attributes"] == {"kinds": ["b"]}
    assert "relations" not in answer_of(coding, marks["c"])
    assert (Pointer.objects.count(), AttributeAnswer.objects.count()) == (0, 1)
    coding.refresh_from_db(fields=["version"])
    operations.apply(coding, coding.coder, coding.version, [change("clear", markable=marks["c"])])
    assert not AttributeAnswer.objects.exists()


def test_payload_without_relations_and_attributes_has_fields_of_0_1_0(coding, marks, send):
    send(pointers=["a"])
    assert answer_of(coding, marks["c"]) == Decision(marks["c"], category="phrase", pointers=((marks["a"],),)).payload()
    assert list(answer_of(coding, marks["c"])) == [
        *("markable", "category", "pointers", "indices", "note", "name", "head", "unsure", "optional")
    ]


def test_empty_answers_are_omitted(coding, marks, send):
    send(relations={"bridging": []}, attributes={"kinds": [], "gloss": ""})
    assert not {"relations", "attributes"} & answer_of(coding, marks["c"]).keys()


@pytest.mark.parametrize("number", [0, -2.5, 10**15])
def test_number_keeps_its_form(coding, marks, send, number):
    send(attributes={"count": number})
    assert repr(answer_of(coding, marks["c"])["attributes"]["count"]) == repr(number)
    send(attributes={"count": float(number)})
    assert repr(answer_of(coding, marks["c"])["attributes"]["count"]) == repr(number)


REFUSED = [
    ("unknown_relation", "'ghost'", {"relations": {"ghost": ["a"]}}),
    ("identity_is_pointers", "phrase", {"relations": {"phrase": ["a"]}}),
    ("relation_not_asked", "bridging is asked only where", {"category": "segment", "relations": {"bridging": ["a"]}}),
    ("wrong_level", "bridging points at level phrase", {"relations": {"bridging": ["1"]}}),
    ("too_many_pointers", "at most 3", {"markable": "f", "relations": {"bridging": ["a", "b", "c", "d"]}}),
    ("double_pointer", "twice", {"relations": {"bridging": [["a", "a"]]}}),
    ("double_reading", "bridging", {"relations": {"bridging": [["a", "b"], ["b", "a"]]}}),
    ("points_at_itself", "own antecedent", {"relations": {"bridging": ["c"]}}),
    ("points_later", "later in the text", {"relations": {"bridging": ["d"]}}),
    ("bad_markable", "no markable", {"relations": {"bridging": ["turn:900-901"]}}),
    ("double_reading", "phrase", {"pointers": [["a", "b"], ["b", "a"]]}),
    ("no_pointer_here", "'none'", {"category": "none", "pointers": [["a", "b"]]}),
    ("unknown_attribute", "'ghost'", {"attributes": {"ghost": "a"}}),
    ("attribute_not_asked", "is phrase or place", {"category": "none", "attributes": {"gender": "f"}}),
    ("attribute_not_asked", "only where gender is f or m", {"attributes": {"gender": "n", "gender-2": "f"}}),
    ("attribute_not_asked", "part is asked only where bridging is set", {"attributes": {"part": "whole"}}),
    ("unknown_value", "gender has no value 'x'", {"attributes": {"gender": "x"}}),
    ("unknown_value", "kinds has no value 'x'", {"attributes": {"kinds": ["a", "x"]}}),
    ("double_value", "kinds", {"attributes": {"kinds": ["a", "a"]}}),
    ("bad_value", "gender is one value", {"attributes": {"gender": ["f"]}}),
    ("bad_value", "kinds is a list", {"attributes": {"kinds": "a"}}),
    ("bad_value", "count is a number", {"attributes": {"count": "3"}}),
    ("bad_value", "gloss is a text", {"attributes": {"gloss": 3}}),
    ("text_too_long", "gloss", {"attributes": {"gloss": "x" * 1001}}),
    ("bad_payload", "at most 50", {"pointers": [["a"] * 51]}),
    ("bad_payload", "at most 50 targets", {"pointers": ["a"] * 30, "relations": {"bridging": ["a"] * 30}}),
    ("bad_payload", "at most 50 answers", {"attributes": {"kinds": ["a"] * 51}}),
]  # fmt: skip


@pytest.mark.parametrize(("code", "message", "payload"), REFUSED)
def test_wrong_answer_is_refused_by_name_and_changes_nothing(coding, send, code, message, payload):
    with pytest.raises(OperationRejected, match=message) as refused:
        send(**payload)
    assert refused.value.code == code
    assert not Pointer.objects.exists()
    assert not AttributeAnswer.objects.exists()
    assert not coding.operations.exists()


def test_joint_targets_are_refused_unless_relation_allows_them(coding, send):
    change_rows(coding.text.project.relations.all(), joint=False)
    for refused in ({"pointers": [["a", "b"]]}, {"relations": {"bridging": [["a", "b"], ["a"]]}}):
        with pytest.raises(OperationRejected, match="meant together") as error:
            send(**refused)
        assert error.value.code == "not_joint"
    send(pointers=[["a"], ["b"]])


def test_question_of_other_level_is_refused(coding, send, marks):
    project = coding.text.project
    change_rows(project.levels.filter(key="turn"), coded=True)
    phrase = project.levels.get(key="phrase")
    change_rows(project.categories.filter(key="none"), level=phrase)
    for code, payload in (
        ("category_not_here", {"category": "none"}),
        ("relation_not_here", {"category": "place", "relations": {"bridging": ["1"]}}),
        ("attribute_not_here", {"category": "place", "attributes": {"kinds": ["a"]}}),
    ):
        with pytest.raises(OperationRejected) as refused:
            send(markable="2", **payload)
        assert refused.value.code == code
    send("place", markable="2", attributes={"gender": "f"})


def test_relation_without_target_levels_is_refused(coding, send):
    coding.text.project.relations.get(key="bridging").to_levels.clear()
    coding.text.project.relations.get(key="phrase").to_levels.clear()
    sent = {"relation_not_here": {"relations": {"bridging": ["a"]}}, "no_pointer_here": {"pointers": ["a"]}}
    for code, payload in sent.items():
        with pytest.raises(OperationRejected) as refused:
            send(**payload)
        assert refused.value.code == code


def own(start, end):
    return f"phrase:{start}-{end}"


def test_pointers_of_all_relations_follow_moves_and_deletions(coding, marks, send):
    first, second, moved = own(0, 2), own(0, 3), own(0, 4)
    send(pointers=[[first, second], [second]], relations={"bridging": [[first], [first, "a"]]})
    coding.refresh_from_db()
    operations.apply(coding, coding.coder, coding.version, [change("move", markable=first, to=moved)])
    found = answer_of(coding, marks["c"])
    assert found["pointers"] == [[moved, second], [second]]
    assert found["relations"] == {"bridging": [[moved], [moved, marks["a"]]]}
    coding.refresh_from_db()
    assert list(log_mismatches(coding)) == []
    operations.apply(coding, coding.coder, coding.version, [change("unmark", markable=moved)])
    found = answer_of(coding, marks["c"])
    assert found["pointers"] == [second]  # two readings that have become one
    assert found["relations"] == {"bridging": [marks["a"]]}
    coding.refresh_from_db()
    assert list(log_mismatches(coding)) == []
    operations.apply(coding, coding.coder, coding.version, [change("unmark", markable=second)])
    assert answer_of(coding, marks["c"])["pointers"] == []


def test_deletion_of_last_target_removes_relation(coding, marks, send):
    send(relations={"bridging": [own(0, 2)]}, attributes={"part": "whole"})
    coding.refresh_from_db()
    operations.apply(coding, coding.coder, coding.version, [change("unmark", markable=own(0, 2))])
    found = answer_of(coding, marks["c"])
    assert "relations" not in found
    assert found["attributes"] == {"part": "whole"}  # until the coder judges again
    coding.refresh_from_db()
    assert list(log_mismatches(coding)) == []
    send(markable=own(4, 6), category="none", relations={"bridging": []})
    coding.refresh_from_db()
    operations.apply(coding, coding.coder, coding.version, [change("move", markable=own(4, 6), to=own(4, 8))])


def test_correction_moves_targets_of_relations_and_readings(coding, marks, send, charlie):
    send(pointers=[["a", "b"]], relations={"bridging": [["a"], ["a", "b"]]}, attributes={"gender": "f"})
    text = coding.text
    content = text.content.replace("kettle", "old kettle")
    correct_text(text, content, charlie, plan_correction(text, content).tag)
    coding.refresh_from_db()
    assert list(log_mismatches(coding)) == []
    now = dict(text.markables.values_list("label", "key"))
    found = answer_of(coding, now["c"])
    assert found["pointers"] == [[now["a"], now["b"]]]
    assert found["relations"] == {"bridging": [[now["a"]], [now["a"], now["b"]]]}
    assert found["attributes"] == {"gender": "f"}


def test_more_than_1000_readings_are_refused(coding, marks):
    rules = Rules.for_coding(coding, [marks["c"]])
    with pytest.raises(OperationRejected, match="phrase takes at most 1000 readings"):
        rules.check(Decision(marks["c"], category="phrase", pointers=alternatives(map(str, range(1001)))))


def test_missing_required_attribute_is_incomplete_and_refuses_submission(coding, marks, send):
    change_rows(Attribute.objects.filter(key__in=["gender", "part"]), required=True)
    progress = Coding.objects.of_people().with_progress()
    send("place", markable="a")
    send("none", markable="b")
    assert progress.get(pk=coding.pk).decided == 1
    with pytest.raises(OperationRejected, match=r"^Answer “gender” for “[^”]+” first.$") as refused:
        submit_coding(coding, coding.coder)
    assert refused.value.code == "missing_attribute"
    coding.refresh_from_db()
    assert coding.status == "open"
    send("place", markable="a", attributes={"gender": "f"})
    send("none", markable="b", relations={"bridging": ["a"]})
    assert progress.get(pk=coding.pk).decided == 1
    with pytest.raises(OperationRejected, match=r"^Answer “part of what” for"):
        submit_coding(coding, coding.coder)
    send("none", markable="b", relations={"bridging": ["a"]}, attributes={"part": "owner"})
    assert progress.get(pk=coding.pk).decided == 2
    submit_coding(coding, coding.coder)


def test_required_entity_attribute_is_answered_once_in_chain(coding, marks, send):
    asked_if = Condition(CATEGORY, ("phrase",)).state()
    change_rows(Attribute.objects.filter(key="animacy"), required=True, asked_if=asked_if)

    def assert_refused_for(*chains: str) -> None:
        with pytest.raises(AnswersMissing, match=r"^Answer “animacy” for the chain of “[^”]+” first") as refused:
            submit_coding(coding, coding.coder)
        assert [answer.markable for answer in refused.value.missing] == [marks[name] for name in chains]

    send("place", markable="a")
    send("phrase", markable="b", pointers=["a"])
    send("phrase", markable="c", pointers=[["a", "b"]])  # it stands for both together: an entity of its own
    send("none", markable="d")
    assert Coding.objects.of_people().with_progress().get(pk=coding.pk).decided == 4  # of one judgement it is not asked
    assert_refused_for("b", "c")  # of a place it is not asked
    send("phrase", markable="b", pointers=["a"], attributes={"animacy": "yes"})
    assert_refused_for("c")
    send("phrase", markable="c", pointers=["b"])  # now it is in the chain that has an answer
    submit_coding(coding, coding.coder)


def test_bridging_does_not_replace_required_antecedent(coding, marks, send):
    send("phrase", relations={"bridging": ["a"]})
    assert Coding.objects.of_people().with_progress().get(pk=coding.pk).decided == 0
    send("phrase", pointers=["a"])
    assert Coding.objects.of_people().with_progress().get(pk=coding.pk).decided == 1


def test_scheme_without_attributes_takes_no_attribute_query(codings, keys, alice, django_assert_max_num_queries):
    coding = codings["alice"]
    judge(coding, keys["a"], "none")
    with django_assert_max_num_queries(4) as queries:
        judgements_of(coding)
    assert not any("attributeanswer" in query["sql"] for query in queries if "EXISTS" not in query["sql"])
    assert read_scheme(coding.text.project_id).further.attributes is False


def test_page_receives_constraints_of_server(coding):
    project = coding.text.project
    state = scheme_state(project)
    assert state["constraints"] == read_scheme(project.pk).constraints
    asked_if = {"question": "category", "values": ["phrase", "place", "none"]}
    assert state["constraints"]["relations"]["bridging"]["asked_if"] == asked_if
    assert [(category["key"], category["points_to"]) for category in state["categories"]] == [
        *(("phrase", "phrase"), ("segment", "turn"), ("place", None), ("none", None))
    ]
