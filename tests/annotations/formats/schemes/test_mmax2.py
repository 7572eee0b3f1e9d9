import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from annotations.formats import FormatError
from annotations.formats.mmax2.scheme import ALWAYS_ASKED, NO_ANSWER
from annotations.formats.model.scheme import AnswerKind, AttributeSpec, Condition, Subject
from annotations.formats.schemes import read_scheme
from annotations.formats.schemes.mmax2_reading import read
from annotations.formats.schemes.mmax2_writing import write
from annotations.schemes.consistency import check_scheme
from annotations.schemes.ready_made import SCHEMES
from tests.shared.cases import examples
from tests.shared.growth import assert_grows_with_input
from tests.shared.schemes import RICH, any_scheme

# What annotators of reference are asked, in mixed case as MMAX2's editors write it: whether it is new, then to what it
# goes back, with a second reading, then what kind of thing is meant.
REFERENCE = b"""<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE annotationscheme SYSTEM "scheme.dtd">
<annotationscheme>
<attribute id="at_Reference" name="Reference" text="Is it new?" type="nominal_button">
  <value id="v_1" name="new" text="first mention" next="at_Category"/>
  <value id="v_2" name="old" next="at_Ref_Type,at_Category"/>
  <value id="v_3" name="non_referring"/>
</attribute>
<attribute id="at_ref_type" name="Ref_Type" type="nominal_button">
  <value id="v_4" name="phrase" next="at_phrase_antecedent"/>
  <value id="v_5" name="segment" next="at_segment_antecedent"/>
</attribute>
<attribute id="at_phrase_antecedent" name="Phrase_Antecedent" type="markable_pointer" target_domain="phrase"
  max_size="1"/>
<attribute id="at_phrase_antecedent_2" name="Phrase_Antecedent_2" type="markable_pointer" target_domain="phrase"/>
<attribute id="at_segment_antecedent" name="Segment_Antecedent" type="markable_pointer" target_domain="utterance"/>
<attribute id="at_category" name="Sort" type="nominal_list">
  <value id="v_6" name="person" next="at_gender"/><value id="v_7" name="concrete"/><value id="v_8" name="abstract"/>
</attribute>
<attribute id="at_gender" name="Gender" type="nominal_button">
  <value id="v_9" name="fem"/><value id="v_10" name="masc"/></attribute>
<attribute id="at_related" name="Related_Object" type="markable_pointer" target_domain="phrase">
  <value id="v_11" name="not_set"/><value id="v_12" name="set" next="at_rel"/>
</attribute>
<attribute id="at_rel" name="Related_Rel" type="nominal_list">
  <value id="v_13" name="poss"/><value id="v_14" name="element"/></attribute>
<attribute id="at_comment2" name="Remarks" type="freetext"><value id="v_15" name="Remarks"/></attribute>
<attribute id="at_min_ids" name="Min_IDs" type="freetext"/>
</annotationscheme>
"""


def read_file(data: bytes):
    return read_scheme(data, "phrase_scheme.xml")


def by_key(specs):
    return {spec.key: spec for spec in specs}


def test_branching_attributes_become_categories_and_attributes():
    file = read_file(REFERENCE)
    assert (check_scheme(file.spec), file.answers, file.losses) == ([], "pointers", ())
    assert {level.key: level.coded for level in file.spec.levels} == {"phrase": True, "utterance": False}
    assert {spec.key: (spec.label, spec.points_to) for spec in file.spec.categories} == {
        "new": ("first mention", ""),
        "non_referring": ("non_referring", ""),
        "phrase": ("phrase", "phrase"),
        "segment": ("segment", "utterance"),
    }
    relations, attributes = by_key(file.spec.relations), by_key(file.spec.attributes)
    assert {key for key, spec in relations.items() if spec.identity} == {"phrase", "segment"}
    assert relations["related_object"].to_levels == ("phrase",)
    assert set(attributes["sort"].asked_if.values) == {"new", "phrase", "segment"}
    assert attributes["gender"].asked_if == Condition("sort", ("person",))
    assert (attributes["related_rel"].of, attributes["related_rel"].relation) == (Subject.RELATION, "related_object")
    assert attributes["remarks"].kind == AnswerKind.TEXT
    assert "min_ids" not in attributes


def test_markable_sets_become_indices():
    file = read_file(
        b"""<annotationscheme><attribute id="a" name="Mention" type="nominal_list"><value id="v" name="np"/>
        <value id="w" name="vp"/></attribute><attribute id="b" name="Coref_class" type="markable_set">
        <value id="x" name="Coref_class"/></attribute></annotationscheme>"""
    )
    assert file.answers == "indices"
    assert [spec.key for spec in file.spec.categories if spec.takes_index] == ["coref_class"]
    assert [(spec.key, spec.label) for spec in file.spec.attributes] == [("mention", "Mention")]


@given(st.integers(0, 2**32))
@examples(150)
def test_random_schemes_are_read_back_except_losses(seed):
    assert_read_back(any_scheme(random.Random(seed)))


@pytest.mark.parametrize("scheme", [RICH, *(each for each in SCHEMES.values() if each.answers != "scus")])
def test_built_in_schemes_are_read_back_except_losses(scheme):
    assert_read_back(scheme)


def assert_read_back(scheme):
    spec, answers = scheme.spec, scheme.answers
    if check_scheme(spec):
        return
    files, losses = write(spec, answers)
    if not any(b"<attribute " in file.data for file in files):
        return
    again = read_files(files)
    assert again.losses == ()
    assert check_scheme(again.spec) == []
    assert write(again.spec, again.answers) == (files, [])
    if not losses:
        assert again.answers == answers
        assert sorted_keys(again.spec) == sorted_keys(spec)


def read_files(files):
    return read({file.path: file.data for file in files}, "scheme.zip")


def sorted_keys(spec):
    return [sorted(one.key for one in part) for part in (spec.levels, spec.categories, spec.relations, spec.attributes)]


def test_losses_are_reported():
    _, losses = write(RICH.spec, RICH.answers)
    for loss in (
        "bridging: its help is left out",
        "bridging: MMAX2 does not say that targets may be meant together",
        "gender-2: MMAX2 does not say that it is a second choice",
        "kinds: one of its values can be chosen in MMAX2, not several",
        "kinds: a: its colour is left out",
        "count: a number is a free text in MMAX2",
        "animacy: MMAX2 asks it of each markable, not once of the entity",
    ):
        assert any(told.startswith(loss) for told in losses), loss


def test_retired_questions_are_left_out_and_reported():
    retired = tuple(replace(spec, retired=spec.key == "gender") for spec in RICH.spec.attributes)
    files, losses = write(replace(RICH.spec, attributes=retired), RICH.answers)
    assert {"gender", "gender-2"}.isdisjoint(by_key(read_files(files).spec.attributes))
    assert "gender: it is retired, and left out" in losses
    assert "gender-2: the question that leads to it is not in MMAX2; it is left out" in losses


@pytest.mark.parametrize("name", sorted({"coref_class", "category", "entity_name"} | NO_ANSWER | ALWAYS_ASKED))
def test_question_with_name_reserved_by_mmax2_is_renamed(name):
    attribute = AttributeSpec(name, "Asked", kind=AnswerKind.TEXT)
    files, losses = write(replace(RICH.spec, attributes=(attribute,)), RICH.answers)
    assert f"{name}: MMAX2 cannot call it so; it is called x-{name}" in losses
    assert f"x-{name}" in by_key(read_files(files).spec.attributes)


def test_written_files_are_valid_in_mmax2():
    files, _ = write(RICH.spec, RICH.answers)
    by_path = {file.path: etree.fromstring(file.data) for file in files}
    assert sorted(by_path) == ["Schemes/phrase_scheme.xml", "Schemes/turn_scheme.xml", "common_paths.xml"]
    scheme = by_path["Schemes/phrase_scheme.xml"]
    ids = [element.get("id") for element in scheme.iter("attribute", "value")]
    assert len(ids) == len(set(ids))
    kinds = {"nominal_button", "nominal_list", "freetext", "markable_pointer", "markable_set"}
    assert {element.get("type") for element in scheme.iter("attribute")} <= kinds
    leads = {each for value in scheme.iter("value") for each in value.get("next", "").split(",") if each}
    assert leads <= set(ids)
    assert all(len(element) for element in scheme.iter("attribute"))  # MMAX2 wants a value in each


def test_writing_pyramid_scheme_is_refused():
    with pytest.raises(FormatError, match="pyramids"):
        write(SCHEMES["pyramid"].spec, "scus")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<annotationscheme>\n<attribute id='a'/></annotationscheme>", "phrase_scheme.xml:2: an attribute"),
        (b"<annotationscheme>\n<attribute", "phrase_scheme.xml:2"),
        (b"<annotationscheme/>", "asks nothing"),
        (b"<markables/>", "no scheme file of MMAX2"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><annotationscheme>&b;</annotationscheme>', "declares entities"),
        (b"", "phrase_scheme.xml:1"),
    ],
)
def test_invalid_files_are_refused_with_position(data, message):
    with pytest.raises(FormatError, match=message):
        read_file(data)


def test_unsupported_questions_are_reported_as_losses():
    attributes = {
        "c": ("category", "x", "k,gone"),
        "d": ("Depth", "y", "k,e"),
        "k": ("Kind", "z", ""),
        "t": ("Talk", "z", "u"),
        "u": ("Utter", "z", ""),
        "e": ("Egg", "z", "h"),
        "h": ("Hen", "z", "e2"),
        "e2": ("Loop", "z", "h2"),
        "h2": ("Pool", "z", "e2"),
    }
    rows = [
        f'<attribute id="{id_}" name="{name}" type="{"freetext" if id_ == "t" else "nominal_list"}">'
        f'<value id="v_{id_}" name="{value}" next="{after}"/></attribute>'
        for id_, (name, value, after) in attributes.items()
    ]
    empty = '<attribute id="s" name="Empty" type="nominal_list"/>'
    file = read_file(f"<annotationscheme>{''.join(rows)}{empty}</annotationscheme>".encode())
    assert check_scheme(file.spec) == []
    text = "\n".join(map(str, file.losses))
    assert "kind: it is asked by category and by depth; here it is asked always" in text
    assert "category: x leads to 'gone', which is not there" in text
    assert "utter: it is asked by talk, a text; here it is asked always" in text
    assert "empty: it has no values and is left out" in text
    assert by_key(file.spec.attributes)["kind"].asked_if is None


def test_reading_scheme_takes_linear_time():
    def work(n):
        values = "".join(f'<value id="v{number}" name="v{number}" next="b"/>' for number in range(n))
        data = f'<annotationscheme><attribute id="a" name="a" type="nominal_list">{values}</attribute>'
        data += '<attribute id="b" name="b" type="freetext"/></annotationscheme>'
        return read_file(data.encode())

    assert_grows_with_input(work, 1000)
