import re
from dataclasses import replace

import pytest
from lxml import etree

from annotations.formats import Answer, Bundle, Document, FormatError, Links, Mark, Place, Stretch, mmax2
from annotations.formats.model.links import implied_category
from annotations.formats.model.scheme import CategorySpec, LevelSpec, SchemeSpec
from annotations.formats.model.text import MAX_INDEX_LENGTH, MAX_LABEL_LENGTH, MAX_SPEAKER_LENGTH
from tests.shared.documents import INDEXING, POINTING, SORTING, plain_of
from tests.shared.growth import assert_grows_with_input

WORDS = ["Anna", "took", "her", "dog", ".", "It", "barked", "at", "it", "."]
MMAX = "<mmax_project>\n<words>walk_words.xml</words>\n</mmax_project>"
COMMON = """\
<common_paths>
<basedata_path>Basedata/</basedata_path>
<scheme_path>Schemes/</scheme_path>
<markable_path>Markables/</markable_path>
<annotations>
<level name="np" schemefile="np_scheme.xml">$_np_level.xml</level>
<level name="sentence" schemefile="sentence_scheme.xml">$_sentence_level.xml</level>
</annotations>
</common_paths>"""
SETS = """\
<annotationscheme>
<attribute id="level_class" name="Coref_Class" type="markable_set"/>
<attribute id="level_form" name="Form" type="nominal_list"><value id="v1" name="NE"/></attribute>
</annotationscheme>"""
POINTERS = """\
<annotationscheme>
<attribute id="At_Type" name="refType" type="nominal_button" text="What does it refer to?">
<value id="v1" name="New"/>
<value id="v2" name="old" text="named before" next="AT_ante"/>
<value id="v3" name="event" next="at_event,at_optional"/>
</attribute>
<attribute id="at_Ante" name="anteNP" type="markable_pointer" max_size="1" target_domain="np"/>
<attribute id="at_event" name="anteEvent" type="markable_pointer" target_domain="sentence"/>
<attribute id="at_optional" name="Optional" type="nominal_button"><value name="no"/><value name="yes"/></attribute>
</annotationscheme>"""
EMPTY = "<annotationscheme/>"
SENTENCES = ('id="markable_91" span="word_6..word_10"', 'id="markable_90" span="word_1..word_5"')


def without_further(scheme: SchemeSpec) -> SchemeSpec:
    """Return the scheme with only levels and categories."""
    return replace(scheme, relations=(), attributes=())


def words_file(*words: str, first: int = 1, step: int = 1, head: str = "") -> str:
    lines = [f'<word id="word_{first + step * number}">{word}</word>' for number, word in enumerate(words)]
    return "\n".join([f"{head}<words>", *lines, "</words>"])


def level_file(*markables: str) -> str:
    """Return a markables file; the first markable is in line 3."""
    lines = [f"<markable {markable_attributes(each, number)}/>" for number, each in enumerate(markables, start=1)]
    head = '<!DOCTYPE markables SYSTEM "markables.dtd">\n<markables xmlns="www.eml.org/NameSpaces/np">'
    return "\n".join([head, *lines, "</markables>"])


def markable_attributes(markable: str, number: int) -> str:
    """Return the attributes of a markable. "3..4 form=ne" is short for its number, the words 3 to 4 and its form."""
    if '"' in markable:
        return markable
    span, *attributes = markable.split()
    words = re.sub("[0-9]+", r"word_\g<0>", span)
    given = (re.sub("=(.*)", r'="\1"', each) for each in attributes)
    return " ".join([f'id="markable_{number}" span="{words}"', *given])


def project(
    *markables: str,
    scheme: str | None = SETS,
    sentences: tuple[str, ...] = (),
    common: str | None = COMMON,
    words: str | None = None,
    **more: str,
) -> dict[str, str]:
    """Return a project of one text in the folder p. more: files by names in which __ stands for / and _x for .x."""
    files = {
        "p/walk.mmax": MMAX,
        "p/common_paths.xml": common,
        "p/Basedata/walk_words.xml": words_file(*WORDS) if words is None else words,
        "p/Schemes/np_scheme.xml": scheme,
        "p/Schemes/sentence_scheme.xml": EMPTY,
        "p/Markables/walk_np_level.xml": level_file(*markables),
        "p/Markables/walk_sentence_level.xml": level_file(*sentences),
    }
    return {name: text for name, text in (files | more).items() if text is not None}


def read_all(files: dict[str, str | bytes], **options: str) -> list[Document]:
    data = {name: text.encode() if isinstance(text, str) else text for name, text in files.items()}
    found = []
    for names in mmax2.bundle_projects(sorted(data), (".mmax",)):
        found += mmax2.read(Bundle(names[0], {name: data[name] for name in names}), **options)
    return found


def read(files: dict[str, str | bytes], **options: str) -> Document:
    [document] = read_all(files, **options)
    return document


def refused(files: dict[str, str | bytes], **options: str) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read_all(files, **options)
    assert len(str(caught.value)) < 400
    return caught.value


def shown(document: Document, parts: tuple[tuple[int, int], ...]) -> str:
    return " … ".join(document.content[start:end] for start, end in parts)


def answers(document: Document) -> list[tuple[str, str, list[str], tuple[str, ...]]]:
    """Return the words of each coded markable with category, antecedents and entities."""
    found = []
    for mark, answer in ((mark, mark.answer) for mark in document.marks if mark.answer):
        targets = [f"{target.level}: {shown(document, target.parts)}" for target in answer.pointers]
        found.append((shown(document, mark.parts), answer.category, targets, answer.indices))
    return found


def findings(document: Document) -> list[tuple[str, str, int | None]]:
    return [(finding.code, finding.file.removeprefix("p/"), finding.line) for finding in document.findings]


def written(*kept: Document, attribute: str = "") -> dict[str, bytes]:
    return {file.path: file.data for file in mmax2.write(kept, attribute)}


def again(document: Document) -> Document:
    return read(written(document))


def test_words_and_markables_are_read_in_order():
    lines = ["6 coref_class=set_2", "3..4 coref_class=set_2", "3 coref_class=set_1", "1 coref_class=set_1"]
    document = read(project(*lines, "9 coref_class=empty"))
    assert (document.name, document.file, document.content) == ("walk", "p/walk.mmax", " ".join(WORDS))
    assert (document.links, document.findings) == (Links.INDICES, ())
    sets = {"Anna": "set_1", "her dog": "set_2", "her": "set_1", "It": "set_2", "it": "1"}
    assert answers(document) == [(words, "", [], (name,)) for words, name in sets.items()]
    assert [mark.line for mark in document.marks] == [6, 4, 5, 3, 7]
    assert {mark.level for mark in document.marks} == {"np"}


def test_set_attribute_becomes_category_with_index():
    document = read(project("1 coref_class=set_8"))
    assert answers(document) == [("Anna", "", [], ("set_8",))]
    assert document.scheme == SchemeSpec(
        (LevelSpec("np", "np"),),
        (CategorySpec("coref_class", "coref_class", takes_index=True), CategorySpec("none", "none")),
    )
    assert [implied_category(Answer(indices=each), document.scheme) for each in (("1",), ())] == ["coref_class", "none"]


@pytest.mark.parametrize("unset", ['coref_class=""', 'coref_class="empty"', 'COREF_CLASS="None"', 'form="ne"'])
def test_markable_without_set_is_singleton(unset):
    document = read(project("3 coref_class=1", f'id="markable_2" span="word_1" {unset}'))
    assert answers(document) == [("Anna", "", [], ("2",)), ("her", "", [], ("1",))]


def test_values_may_differ_in_case_or_be_absent():
    document = read(project("1 label=a min_ids=word_1"))
    assert document.marks == [Mark(((0, 4),), "np", "a", ((0, 4),), None, 3)]
    files = project("1 reftype=OLD", "2 reftype=old", scheme=POINTERS.replace('name="New"', 'name="OLD"'))
    assert [category for _, category, _, _ in answers(read(files))] == ["OLD", "old"]


def test_sets_have_further_readings_and_belong_to_levels():
    scheme = SETS.replace("</ann", '<attribute id="x" name="coref_class_2" type="markable_set"/>\n</ann')
    document = read(project("1 coref_class=set_8 coref_class_2=set_3", scheme=scheme))
    assert answers(document) == [("Anna", "", [], ("set_8", "set_3"))]
    common = COMMON.replace("</ann", '<level name="vp" schemefile="np_scheme.xml">$_vp_level.xml</level>\n</ann')
    files = project("1 coref_class=set_1", common=common)
    files["p/Markables/walk_vp_level.xml"] = level_file("2 coref_class=set_1")
    assert answers(read(files)) == [("Anna", "", [], ("set_1",)), ("took", "", [], ("vp:set_1",))]


def test_pointers_are_read_with_their_categories():
    it = "9 reftype=EVENT anteevent=sentence:markable_90;sentence:markable_91"
    lines = ["1 REFTYPE=new antenp=empty", "3 reftype=old antenp=markable_1", it]
    document = read(project(*lines, scheme=POINTERS, sentences=SENTENCES))
    assert (document.links, document.findings) == (Links.POINTERS, ())
    assert answers(document) == [
        ("Anna", "New", [], ()),
        ("her", "old", ["np: Anna"], ()),
        ("it", "event", ["sentence: Anna took her dog .", "sentence: It barked at it ."], ()),
    ]
    assert document.scheme == SchemeSpec(
        (LevelSpec("np", "np"), LevelSpec("sentence", "sentence", coded=False)),
        (
            CategorySpec("New", "New"),
            CategorySpec("old", "named before", points_to="np", max_pointers=1),
            CategorySpec("event", "event", points_to="sentence", takes_optional=True),
        ),
    )


def test_pointers_may_have_other_levels_and_later_targets():
    new, event = 'id="markable_90" span="word_1" reftype="new"', "9 reftype=event anteevent=markable_90;markable_91"
    document = read(project(new, event, scheme=POINTERS, sentences=SENTENCES))
    assert answers(document)[1][2] == ["np: Anna", "sentence: It barked at it ."]
    document = read(project("1 reftype=new", scheme=POINTERS.replace(' target_domain="np"', "")))
    assert document.scheme.categories[1].points_to == "np"
    document = read(project("1 reftype=old antenp=markable_2", "3 reftype=new", scheme=POINTERS))
    assert [category.allow_later for category in document.scheme.categories] == [False, True, False]


ARRAU = """\
<annotationscheme>
<attribute id="a1" name="reference" type="nominal_button">
<value name="new"/><value name="non_referring"/><value name="old" next="a2,a7"/>
</attribute>
<attribute id="a2" name="ref_type" type="nominal_button">
<value name="phrase" next="a3"/><value name="segment" next="a6"/>
</attribute>
<attribute id="a3" name="phrase_antecedent" type="nominal_list">
<value name="single_phrase" next="a4"/><value name="multiple_phrases" next="a5"/>
</attribute>
<attribute id="a4" name="single_phrase_antecedent" type="markable_pointer" target_domain="np"/>
<attribute id="a5" name="multiple_phrase_antecedents" type="markable_pointer" target_domain="np"/>
<attribute id="a6" name="segment_antecedent" type="markable_pointer" target_domain="sentence"/>
<attribute id="a7" name="ambiguity" type="nominal_button">
<value name="unambiguous"/><value name="ambiguous" next="a8,a9"/>
</attribute>
<attribute id="a8" name="single_phrase_antecedent_2" type="markable_pointer" target_domain="np"/>
<attribute id="a9" name="segment_antecedent_2" type="markable_pointer" target_domain="sentence"/>
<attribute id="a10" name="related_object"><value name="no"/><value name="yes" next="a11"/></attribute>
<attribute id="a11" name="related_phrase" type="markable_pointer" target_domain="np"/>
<attribute id="a12" name="coref_set" type="markable_set"/>
</annotationscheme>"""


def test_second_reading_adds_antecedents():
    old = "reference=old ref_type=phrase phrase_antecedent"
    lines = [
        "1 reference=new",
        "3..4 reference=non_referring related_object=yes related_phrase=markable_1",
        f"6 {old}=single_phrase single_phrase_antecedent=markable_2 ambiguity=ambiguous"
        " single_phrase_antecedent_2=markable_1",
        "9 reference=old ref_type=segment ambiguity=ambiguous segment_antecedent=sentence:markable_90"
        " segment_antecedent_2=sentence:markable_91",
        f"8 {old}=multiple_phrases multiple_phrase_antecedents=markable_1;markable_2",
    ]
    document = read(project(*lines, scheme=ARRAU, sentences=SENTENCES))
    assert answers(document) == [
        ("Anna", "new", [], ()),
        ("her dog", "non_referring", [], ()),
        ("It", "phrase", ["np: her dog", "np: Anna"], ()),
        ("at", "phrase", ["np: Anna", "np: her dog"], ()),
        ("it", "segment", ["sentence: Anna took her dog .", "sentence: It barked at it ."], ()),
    ]
    points_to = {"new": "", "non_referring": "", "phrase": "np", "segment": "sentence"}
    assert {each.key: each.points_to for each in document.scheme.categories} == points_to
    [related] = [mark.answer for mark in document.marks if mark.answer and mark.answer.relations]
    assert related.relations == (("related_phrase", ((Place("np", ((0, 4),)),),)),)
    assert dict(related.attributes)["related_object"] == "yes"
    assert document.findings == ()


def test_option_chooses_attribute():
    it = "6 reference=old single_phrase_antecedent=markable_1 coref_set=set_4"
    files = project("1 reference=new coref_set=set_4", it, scheme=ARRAU)
    assert read(files).links == Links.POINTERS
    [told] = read(files).findings
    assert (told.code, "coref_set" in told.fix) == ("not-read", True)
    document = read(files, attribute="Coref_Set")
    assert (document.links, document.findings) == (Links.INDICES, ())
    assert answers(document) == [("Anna", "", [], ("set_4",)), ("It", "", [], ("set_4",))]
    kinds = read(files, attribute="reference")
    assert (kinds.links, [category for _, category, _, _ in answers(kinds)]) == (Links.NONE, ["new", "old"])
    assert "'colour'" in refused(files, attribute="colour").message


BRIDGING = """\
<annotationscheme>
<attribute id="a1" name="Coref_class" type="markable_set"/>
<attribute id="a2" name="Type" type="nominal_list"><value name="none"/><value name="bridging" next="a3"/></attribute>
<attribute id="a3" name="Bridging_antecedent" type="markable_pointer"/>
</annotationscheme>"""


def test_sets_make_chains_beside_bridging_pointers():
    bridging = "type=bridging bridging_antecedent=markable_1"
    document = read(project("1 coref_class=set_1 type=none", f"3 coref_class=set_1 {bridging}", scheme=BRIDGING))
    anna, her = document.marks
    relations = (("bridging_antecedent", ((anna.place,),)),)
    assert anna.answer == Answer(indices=("set_1",), attributes=(("type", "none"),))
    assert her.answer == Answer(indices=("set_1",), attributes=(("type", "bridging"),), relations=relations)
    assert (document.links, document.findings) == (Links.INDICES, ())
    scheme = BRIDGING.replace('<attribute id="a1" name="Coref_class" type="markable_set"/>', "")
    document = read(project("1 type=none", f"3 {bridging}", scheme=scheme))
    assert answers(document) == [("Anna", "none", [], ()), ("her", "bridging", ["np: Anna"], ())]


def test_bridging_pointers_make_no_chains():
    scheme = """\
<annotationscheme>
<attribute id="a1" name="Referential" type="nominal_button">
<value name="new"/><value name="old" next="a2"/><value name="bridged" next="a3"/>
</attribute>
<attribute id="a2" name="Antecedent" type="markable_pointer" target_domain="np" max_size="1"/>
<attribute id="a3" name="Bridging" type="markable_pointer" target_domain="np"/>
</annotationscheme>"""
    bridged, old = "3 referential=bridged bridging=markable_1", "4 referential=old antecedent=markable_2"
    document = read(project("1 referential=new", bridged, old, scheme=scheme))
    found = [(category, pointers) for _, category, pointers, _ in answers(document)]
    assert found == [("new", []), ("bridged", []), ("old", ["np: her"])]
    assert document.marks[1].answer.relations == (("bridging", ((document.marks[0].place,),)),)
    assert {spec.key: spec.points_to for spec in document.scheme.categories} == {"new": "", "old": "np", "bridged": ""}


def test_independent_pointers_have_no_categories():
    scheme = """<annotationscheme>
<attribute id="p" name="preferred" type="nominal_button"><value name="true"/><value name="false"/></attribute>
<attribute id="a" name="anaphref" type="markable_pointer" max_size="1" target_domain="np">
<value name="set"/><value name="not_set"/></attribute>
</annotationscheme>"""
    lines = ["1 anaphref=empty preferred=true", "3 anaphref=markable_1 preferred=true"]
    document = read(project(*lines, scheme=scheme))
    assert answers(document) == [("Anna", "", [], ()), ("her", "", ["np: Anna"], ())]
    anaphref = CategorySpec("anaphref", "anaphref", points_to="np", max_pointers=1)
    assert document.scheme.categories == (anaphref, CategorySpec("none", "none"))


def test_scheme_without_links_has_categories():
    scheme = """<annotationscheme>
<attribute id="g" name="gender" type="nominal_button"><value name="m"/></attribute>
<attribute id="c" name="Category" type="nominal_button"><value name="person"/><value name="a thing"/></attribute>
</annotationscheme>"""
    thing = 'id="markable_2" span="word_4" category="a thing"'
    document = read(project("1 category=person gender=m", thing, scheme=scheme, sentences=SENTENCES))
    assert document.links == Links.NONE
    assert answers(document) == [("Anna", "person", [], ()), ("dog", "a-thing", [], ())]
    categories = CategorySpec("person", "person"), CategorySpec("a-thing", "a thing")
    assert document.scheme == SchemeSpec((LevelSpec("np", "np"),), categories)


@pytest.mark.parametrize(
    ("spans", "words", "expected"),
    [
        (["7,1..2", "2,1", "2..4,3..5,6"], None, ["Anna took … barked", "Anna took", "took her dog . It"]),
        (["700..714,763"], words_file(*WORDS, first=700, step=7), ["Anna took her … ."]),
        (["2..1"], "<words><word id='word_2'>𝒳</word><word id='word_1'>b</word></words>", ["𝒳 b"]),
    ],
)
def test_spans_follow_order_of_words_in_file(spans, words, expected):
    document = read(project(*(f"{span} coref_class=set_1" for span in spans), words=words))
    assert [shown(document, mark.parts) for mark in document.marks] == expected


def test_empty_words_are_ignored():
    words = words_file("Anna", "", " took\n her ", "<b>d</b>og", "  ")
    spans = ("1..2", "2", "2..5", "1,3")
    document = read(project(*(f"{span} coref_class=set_1" for span in spans), words=words))
    assert document.content == "Anna took her dog"
    assert [shown(document, mark.parts) for mark in document.marks] == ["Anna took her", "Anna", "took her dog"]
    assert findings(document) == [("no-words", "Markables/walk_np_level.xml", 4)]


def test_markables_on_same_words_are_merged():
    lines = ["1 reftype=new", "3 reftype=old antenp=markable_1 note=first", "4 reftype=new"]
    again_ = "3,3 reftype=old antenp=markable_3;markable_2;markable_1 label=x"
    document = read(project(*lines, again_, scheme=POINTERS))
    assert answers(document)[1] == ("her", "old", ["np: Anna", "np: dog"], ())
    assert (document.marks[1].label, document.marks[1].answer.note) == ("x", "first")
    codes = [(code, line) for code, _, line in findings(document)]
    assert codes == [("pointer-to-itself", 6), ("duplicate-markable", 6)]


def test_min_ids_are_read_as_heads():
    spans = {"3..5": "word_4", "6..7": "word_8", "8": "word_80", "9": "empty"}
    document = read(project(*(f"{span} coref_class=set_1 min_ids={least}" for span, least in spans.items())))
    assert [shown(document, mark.head) for mark in document.marks] == ["dog", "", "", ""]
    assert [(code, line) for code, _, line in findings(document)] == [("min-outside", 4), ("min-outside", 5)]


def test_notes_and_flags_are_read():
    said = "coref_class=set_1 optional=yes unsure=true note=why&#10;so? chain_name=Anna"
    anna, took = (mark.answer for mark in read(project(f"1 {said}", "2 form=ne comment=x")).marks)
    assert anna == Answer(indices=("set_1",), optional=True, unsure=True, note="why\nso?", name="Anna")
    assert took == Answer(indices=("1",), note="x", attributes=(("form", "NE"),))


def test_sentences_end_lines():
    document = read(project(sentences=SENTENCES))
    assert document.content == "Anna took her dog .\nIt barked at it ."
    assert document.segments == (Stretch("sentence", 0, 19), Stretch("sentence", 20, 37))
    assert (document.marks, document.scheme.levels) == ([], (LevelSpec("np", "np"),))


def layered(*names: str) -> dict[str, str]:
    """Return a project with levels of these names, each with one markable on the next three words."""
    levels = "".join(f'<level name="{name}">$_{name}_level.xml</level>' for name in names)
    files = project(common=f"<common_paths>{levels}</common_paths>")
    for number, name in enumerate(names):
        span = f"word_{3 * number + 1}..word_{3 * number + 3}"
        files[f"p/Markables/walk_{name}_level.xml"] = level_file(
            f'id="markable_1" span="{span}" label="L{number}" number="9" speaker=" S "'
        )
    return files


THREE_LINES = "Anna took her\ndog . It\nbarked at it ."


@pytest.mark.parametrize(
    ("levels", "content", "segments", "marks"),
    [
        (["turn", "sentence"], THREE_LINES, ["turn 0-13 L0", "sentence 14-22 L1"], 0),
        (["paragraph", "turns"], THREE_LINES, ["paragraph 0-13 L0", "turn 14-22 L1"], 0),
        (["header", "line"], THREE_LINES, ["header 0-13 L0"], 0),
        (["utterance"], "Anna took her\ndog . It barked at it .", ["sentence 0-13 L0"], 0),
        (["utterances", "sentence"], THREE_LINES, ["sentence 14-22 L1"], 1),
    ],
)
def test_turns_lines_and_utterances_end_lines(levels, content, segments, marks):
    document = read(layered(*levels))
    assert document.content == content
    assert [f"{each.kind} {each.start}-{each.end} {each.label}" for each in document.segments] == segments
    assert {each.speaker for each in document.segments} == {"S"}
    assert len(document.marks) == marks


def test_turn_has_number_as_label():
    def turn(markable: str) -> Document:
        return read(layered("turn") | {"p/Markables/walk_turn_level.xml": level_file(markable)})

    assert turn("1 number=17.1").segments == (Stretch("turn", 0, 4, "17.1"),)
    assert [mark.label for mark in turn("1 number=17 stands_for=both").marks] == ["17"]
    assert read(project("1 form=ne number=sg")).marks[0].label == ""
    pieces = turn("1,3 speaker=M")
    assert pieces.content == "Anna\ntook\nher\ndog . It barked at it ."
    assert pieces.segments == (Stretch("turn", 0, 4, "", "M"), Stretch("turn", 10, 13, "", "M"))


def test_stands_for_distinguishes_markables_from_segments():
    uses = ("markable", "segment", "both", "else")
    sentences = tuple(f"{number} stands_for={use}" for number, use in enumerate(uses, start=1))
    document = read(project("9 reftype=new", scheme=POINTERS, sentences=sentences))
    assert [mark.parts[0] for mark in document.marks if mark.level == "sentence"] == [(0, 4), (10, 13), (14, 17)]
    assert [(each.start, each.end) for each in document.segments] == [(5, 9), (10, 13), (14, 17)]


def test_bundle_has_files_of_its_project():
    base = [f"p/Basedata/{name}" for name in ("walk_words.xml", "walk_on_words.xml", "words.dtd")]
    levels = [f"walk_{name}" for name in ("np_level.xml", "np_level.xml.bak", "on_np_level.xml", "on_level.xml")]
    inner = ["p/Schemes/np_scheme.xml", "p/inner/walk.mmax", "p/inner/walk_words.xml", "q/walk_words.xml"]
    names = ["p/common_paths.xml", "p/walk.mmax", "p/walk_on.mmax", *base, *inner]
    names[6:6] = [f"p/Markables/{each}" for each in (*levels, ".walk_np_level.xml")]
    assert [" ".join(each) for each in mmax2.bundle_projects(names, (".mmax",))] == [
        "p/walk.mmax p/Basedata/walk_words.xml p/Markables/walk_np_level.xml p/Markables/walk_on_level.xml"
        " q/walk_words.xml p/common_paths.xml p/Schemes/np_scheme.xml",
        "p/walk_on.mmax p/Basedata/walk_on_words.xml p/Markables/walk_on_np_level.xml p/common_paths.xml"
        " p/Schemes/np_scheme.xml",
        "p/inner/walk.mmax p/inner/walk_words.xml",
    ]


def test_hostile_file_names_are_bundled():
    names = ["_" * 60_000 + ".xml", "a/" * 30_000 + "b.xml", "a.mmax"]
    assert mmax2.bundle_projects(names, (".mmax",)) == [("a.mmax", names[0])]
    mains, others = [f"p/d{number}.mmax" for number in range(300)], [f"p/x{number}.xml" for number in range(3000)]
    assert [len(names) for names in mmax2.bundle_projects([*mains, *others], (".mmax",))] == [1001] * 300


def test_words_may_be_outside_folders_of_coders():
    files = {"corpus/basedata/1.walk.words.xml": words_file(*WORDS), "corpus/scheme/np_scheme.xml": SETS}
    for coder in ("anna", "otto"):
        files[f"corpus/{coder}/1.walk.mmax"] = MMAX.replace("walk_words", "1.walk.words")
        files[f"corpus/{coder}/markables/1.walk_np_level.xml"] = level_file("1 coref_class=set_1")
    found = {document.file: (document.name, answers(document)) for document in read_all(files)}
    expected = ("1.walk", [("Anna", "", [], ("set_1",))])
    assert found == {"corpus/anna/1.walk.mmax": expected, "corpus/otto/1.walk.mmax": expected}


def test_levels_need_no_common_paths():
    others = {"p/Markables/walk_np_level.xml.bak": "<", "p/Markables/other_np_level.xml": "<"}
    files = project("1 coref_class=set_1", common=None, sentences=SENTENCES, **others)
    assert read(files) == read(files | {"p/common_paths.xml": COMMON})
    levels = COMMON[COMMON.index("<annotations>") : COMMON.index("</common")]
    files = project("1 coref_class=set_1", common=None) | {"p/walk.mmax": MMAX.replace("</mmax", f"{levels}</mmax")}
    assert read(files).scheme.levels == (LevelSpec("np", "np"),)


def test_paths_may_differ_in_separators_case_and_folders():
    common = COMMON.replace("Basedata/", "Basedata\\").replace("Schemes/", "..\\..\\..\\etc\\")
    files = project("1 coref_class=set_1", common=common)
    files["p/MARKABLES/walk_NP_level.xml"] = files.pop("p/Markables/walk_np_level.xml")
    assert answers(read(files)) == [("Anna", "", [], ("set_1",))]
    other = project(common=COMMON.replace("$_np_level.xml", "$.np.xml"))
    other["p/Markables/walk.np.xml"] = files["p/MARKABLES/walk_NP_level.xml"]
    del other["p/Markables/walk_np_level.xml"]
    assert len(read(other).marks) == 1


def test_names_of_levels_become_keys():
    names = ("Erwähnung 1", "Erwähnung-1", "n" * 60, "n" * 61, "§")
    common = "".join(f'<level name="{name}">x</level>' for name in names)
    scheme = {"p/Schemes/Erwähnung 1_scheme.xml": SETS}
    document = read(project(common=f"<common_paths>{common}</common_paths>") | scheme)
    keys = [level.key for level in document.scheme.levels]
    assert keys == ["Erwahnung-1", "Erwahnung-1-2", "n" * 50, "n" * 42 + "-2", "level"]


def test_project_without_markables_is_read_as_text():
    files = project()
    del files["p/Markables/walk_np_level.xml"], files["p/Markables/walk_sentence_level.xml"]
    document = read(files)
    assert (document.content, document.marks, document.links) == (" ".join(WORDS), [], Links.NONE)
    del files["p/Schemes/np_scheme.xml"], files["p/Schemes/sentence_scheme.xml"]
    assert read(files).scheme is None


def two_coders(**more: str) -> dict[str, str]:
    files = project("1 reftype=new", "3 reftype=old antenp=markable_1", scheme=POINTERS, sentences=SENTENCES)
    files["p/Coder2/walk_np_level.xml"] = level_file("1 reftype=new", "3 reftype=event anteevent=sentence:markable_91")
    return files | more


def test_each_folder_with_coded_level_is_coder():
    found = read_all(two_coders())
    assert [(each.file, each.name) for each in found] == [("p/Markables/walk", "walk"), ("p/Coder2/walk", "walk")]
    second = [answers(document)[1][1:3] for document in found]
    assert second == [("old", ["np: Anna"]), ("event", ["sentence: It barked at it ."])]
    files = two_coders()
    files["p/Shared/walk_sentence_level.xml"] = files.pop("p/Markables/walk_sentence_level.xml")
    shared = {document.file: len(document.segments) for document in read_all(files)}
    assert shared == {"p/Markables/walk": 2, "p/Coder2/walk": 2}
    error = refused(two_coders(**{"p/Coder2/walk_np_level.xml": level_file("99")}))
    assert (error.file, error.line) == ("p/Coder2/walk_np_level.xml", 3)


def test_first_coder_provides_text_and_segments():
    own = level_file('id="markable_91" span="word_1..word_3"', 'id="markable_5" span="word_4" speaker="X"')
    found = read_all(two_coders(**{"p/Coder2/walk_sentence_level.xml": own}))
    assert {document.content for document in found} == {"Anna took her dog .\nIt barked at it ."}
    assert found[0].segments == found[1].segments == (Stretch("sentence", 0, 19), Stretch("sentence", 20, 37))
    assert answers(found[1])[1] == ("her", "event", ["sentence: Anna took her"], ())


def test_equal_folder_names_get_parent_names():
    level = level_file("1 coref_class=set_1")
    files = project() | {f"p/{coder}/Markables/walk_np_level.xml": level for coder in ("anna", "otto")}
    del files["p/Markables/walk_np_level.xml"], files["p/Markables/walk_sentence_level.xml"]
    assert [document.file for document in read_all(files)] == ["p/anna/walk", "p/otto/walk"]


def test_texts_share_common_paths_and_schemes():
    files = project("1 coref_class=set_1") | {
        "p/run.mmax": MMAX.replace("walk", "run"),
        "p/Basedata/run_words.xml": words_file("Otto", "ran"),
        "p/Markables/run_np_level.xml": level_file("1 coref_class=set_1"),
    }
    found = {document.name: (document.content, len(document.marks)) for document in read_all(files)}
    assert found == {"run": ("Otto ran", 1), "walk": (" ".join(WORDS), 1)}


def test_unknown_references_are_left_out_and_reported():
    weird = ["9 reftype=weird antenp=markable_1", "8 reftype=new antenp=markable_1"]
    her = 'id="markable_2" span="word_3" reftype="old" antenp="markable_7;; vp:markable_1 ;markable_1"'
    document = read(project("1 reftype=new", her, *weird, scheme=POINTERS))
    found = [(category, pointers) for _, category, pointers, _ in answers(document)]
    assert found == [("New", []), ("old", ["np: Anna"]), ("New", ["np: Anna"]), ("", ["np: Anna"])]
    told = [(code, line) for code, _, line in findings(document)]
    assert told == [*[("unknown-reference", 4)] * 2, ("unknown-category", 5), ("category-and-pointers", 6)]
    assert "antenp of markable_2 names 'markable_7'" in document.findings[0].message


def test_number_of_findings_is_bounded():
    targets = ";".join(f"markable_{number}" for number in range(100_000))
    document = read(project(f"1 reftype=old antenp={targets}", scheme=POINTERS))
    assert len(document.findings) == 501
    assert "99500" in document.findings[-1].message


MAIN, PATHS, WORDS_FILE = "p/walk.mmax", "p/common_paths.xml", "p/Basedata/walk_words.xml"
WALK, SCHEME = "p/Markables/walk_np_level.xml", "p/Schemes/np_scheme.xml"


def of_length(attribute: str, length: int) -> str:
    return level_file(f"1 {attribute}={'x' * length}")


@pytest.mark.parametrize(
    ("file", "text", "line", "message"),
    [
        (MAIN, "<mmax_project/>", 1, "names no words file"),
        (MAIN, "\n<mmax", 2, "not well-formed XML"),
        (MAIN, MMAX.replace("walk_", "run_"), 1, "the words file 'run_words.xml' is not here"),
        (PATHS, "<a>\n<level/></a>", 2, "a level has no name"),
        (PATHS, "<a>\n" + '<level name="x"/>\n' * 51 + "</a>", 52, "there are more than 50 levels"),
        (WORDS_FILE, "<words>\n</words>", 1, "there is no word"),
        (WORDS_FILE, "<words>\n<word/></words>", 2, "a word has no id"),
        (WORDS_FILE, words_file("a", "b", step=0), 3, "the word 'word_1' appears twice"),
        (WALK, "\n<words/>", 2, "a markables file holds <markables>, not <words>"),
        (WALK, level_file('span="word_1"'), 3, "a markable has no id"),
        (WALK, level_file(*['id="m" span="word_1"'] * 2), 4, "the id 'm' is given twice (also in line 3)"),
        (WALK, level_file('id="m"'), 3, "m: a word is missing in the span"),
        (WALK, level_file("1,"), 3, "markable_1: a word is missing in the span"),
        (WALK, level_file("1..11"), 3, "markable_1: the word 'word_11' is not in the text"),
        (WALK, level_file("2..1"), 3, "markable_1: the span 'word_2..word_1' ends before"),
        (WALK, level_file("x" * 10**6), 3, "markable_1: the word 'xxx"),
        (WALK, of_length("label", MAX_LABEL_LENGTH + 1), 3, "a label has more"),
        (WALK, of_length("coref_class", MAX_INDEX_LENGTH + 1), 3, "a set's name has more than 200 characters"),
        (
            WALK.replace("np", "sentence"),
            of_length("speaker", MAX_SPEAKER_LENGTH + 1),
            3,
            "a speaker has more than 100",
        ),
        (SCHEME, "\n<scheme/>", 2, "holds <annotationscheme>"),
        (SCHEME, "<annotationscheme>\n<attribute name='x'/></annotationscheme>", 2, "has an id and a name"),
        (SCHEME, f"<annotationscheme>{'<attribute id="a" name="a"/>' * 201}</annotationscheme>", 1, "at most 200 attr"),
    ],
)
def test_error_names_file_and_line(file, text, line, message):
    error = refused(project() | {file: text})
    assert (error.file, error.line) == (file, line)
    assert message in error.message


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "US-ASCII", "UTF-8", "UTF-16"])
def test_declared_encodings_are_read(encoding):
    data = words_file("grün", "Há", head=f'<?xml version="1.0" encoding="{encoding}"?>').encode(
        encoding, "xmlcharrefreplace"
    )
    assert read(project() | {"p/Basedata/walk_words.xml": data}).content == "grün Há"


def test_circular_values_are_read():
    scheme = """<annotationscheme>
<attribute id="a" name="a"><value name="x" next="b"/><value name="y" next="a,c,d"/></attribute>
<attribute id="b" name="b"><value name="x" next="a"/></attribute>
<attribute id="c" name="c" type="markable_pointer" target_domain="np"/>
<attribute id="d" name="d" type="markable_pointer" target_domain="sentence"/>
</annotationscheme>"""
    document = read(project("1 a=x b=x", "2 a=y c=markable_1", scheme=scheme))
    assert answers(document) == [("Anna", "x", [], ()), ("took", "y", ["np: Anna"], ())]


def test_long_chain_of_attributes_is_read():
    attributes = [
        f'<attribute id="a{number}" name="a{number}"><value name="v" next="a{number + 1},p,q"/></attribute>'
        for number in range(198)
    ]
    pointer = '<attribute id="{0}" name="{0}" type="markable_pointer" target_domain="{1}"/>'
    links = [pointer.format("p", "np"), pointer.format("q", "sentence")]
    scheme = "\n".join(["<annotationscheme>", *attributes, *links, "</annotationscheme>"])
    document = read(project(" ".join(["1", *(f"a{number}=v" for number in range(198))]), scheme=scheme))
    assert answers(document) == [("Anna", "v", [], ())]


def test_reading_discontinuous_markable_takes_linear_time():
    def read_pieces(n):
        pieces = ",".join(f"word_{number}" for number in range(1, n, 2))
        markables = level_file(f'id="markable_1" span="{pieces}" min_ids="{pieces}"')
        document = read(project(words=words_file(*["a"] * n)) | {WALK: markables})
        assert document.marks[0].head == document.marks[0].parts
        assert len(document.marks[0].parts) == n // 2

    assert_grows_with_input(read_pieces, 60_000)


TURN, PHRASE, HER_DOG = Place("turn", ((0, 19),)), Place("phrase", ((0, 4),)), Place("phrase", ((10, 17),))
FIRST, SECOND, *OTHERS = POINTING.categories
IN_SEGMENT = Answer(category="segment", pointers=(TURN,), optional=True, unsure=True)
SMALL = Document(
    "walk",
    "",
    "Anna took her dog .\nIt barked .",
    [
        Mark(TURN.parts, "turn", "1"),
        Mark(PHRASE.parts, "phrase", answer=Answer(category="none")),
        Mark(HER_DOG.parts, "phrase", "b", ((14, 17),), Answer(category="none", note='"why" & <so>?\n')),
        Mark(((10, 13),), "phrase"),
        Mark(((20, 22), (30, 31)), "phrase", answer=Answer(category="phrase", pointers=(PHRASE, HER_DOG))),
        Mark(((23, 29),), "phrase", answer=IN_SEGMENT),
    ],
    [Stretch("sentence", 0, 19, "", "M"), Stretch("turn", 0, 19, "1", "M"), Stretch("sentence", 20, 31, "", "S & co")],
    Links.POINTERS,
    scheme=SchemeSpec(POINTING.levels, (replace(FIRST, max_pointers=2), replace(SECOND, takes_optional=True), *OTHERS)),
)


def lines_of(files: dict[str, bytes], name: str) -> list[str]:
    """Return the lines of a file without its header and root element."""
    text = files[name].decode()
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n')
    assert text.endswith(">\n")
    return [line for line in text.splitlines() if line.startswith(("<markable ", "<attribute", "<value", "<level"))]


def test_style_sheet_shows_text_with_brackets():
    """Run the style sheet as MMAX2 does, with functions for markables that begin or end at a word."""
    files = written(SMALL)
    assert b"<views>\n<stylesheet>default_style.xsl</stylesheet>\n</views>" in files["common_paths.xml"]
    words = etree.fromstring(files["Basedata/walk_words.xml"])
    levels = [data for name, data in files.items() if name.startswith("Markables/walk_")]
    marks = [mark for data in levels for mark in etree.fromstring(data)]
    registered = []

    def edges(word: str, edge: int) -> list[etree._Element]:
        return [mark for mark in marks if re.findall(r"word_[0-9]+", mark.get("span"))[edge] == word]

    def handle(_, level: list[str], key: list[str], sign: str) -> str:
        assert (level[0], key[0]) in {(mark.get("mmax_level"), mark.get("id")) for mark in marks}
        return sign

    known = {
        "registerDiscourseElement": lambda _, key: registered.append(key[0]) or "",
        "getStartedMarkables": lambda _, key: edges(key[0], 0),
        "getEndedMarkables": lambda _, key: edges(key[0], -1),
        "setDiscourseElementStart": lambda _: "",
        "setDiscourseElementEnd": lambda _: "",
        "addLeftMarkableHandle": handle,
        "addRightMarkableHandle": handle,
    }
    space = "org.eml.MMAX2.discourse.MMAX2DiscourseLoader"
    extensions = {(space, name): function for name, function in known.items()}
    shown = str(etree.XSLT(etree.fromstring(files["Styles/default_style.xsl"]), extensions=extensions)(words))
    assert registered == [word.get("id") for word in words]
    text = [line.replace("[", "").replace("]", "").split() for line in shown.splitlines() if line.strip()]
    assert text == [line.split() for line in SMALL.content.splitlines()]
    phrases = [mark for mark in marks if mark.get("mmax_level") == "phrase"]
    assert shown.count("[") == shown.count("]") == len(phrases) == 5


def test_project_is_written_with_all_files():
    files = written(SMALL)
    levels = ("phrase", "turn", "sentence")
    assert list(files) == [
        "common_paths.xml",
        "Basedata/words.dtd",
        "Markables/markables.dtd",
        *(f"Schemes/{level}_scheme.xml" for level in levels),
        *(f"Customizations/{level}_customization.xml" for level in levels),
        "Styles/default_style.xsl",
        "walk.mmax",
        "Basedata/walk_words.xml",
        *(f"Markables/walk_{level}_level.xml" for level in levels),
    ]
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    assert files["walk.mmax"].decode() == (
        f"{head}<mmax_project>\n<words>walk_words.xml</words>\n"
        "<keyactions></keyactions>\n<gestures></gestures>\n</mmax_project>\n"
    )
    start = f'{head}<!DOCTYPE words SYSTEM "words.dtd">\n<words>\n<word id="word_1">Anna</word>\n'
    assert files["Basedata/walk_words.xml"].decode().startswith(f'{start}<word id="word_2">took</word>\n')
    assert lines_of(files, "common_paths.xml") == [
        f'<level name="{level}" schemefile="{level}_scheme.xml" customization_file="{level}_customization.xml">'
        f"$_{level}_level.xml</level>"
        for level in levels
    ]
    assert lines_of(files, "Markables/walk_phrase_level.xml") == [
        '<markable id="markable_1" span="word_1" mmax_level="phrase" category="none"/>',
        '<markable id="markable_2" span="word_3..word_4" mmax_level="phrase" label="b" min_ids="word_4" category="none"'
        ' note="&quot;why&quot; &amp; &lt;so&gt;?&#10;"/>',
        '<markable id="markable_3" span="word_3" mmax_level="phrase"/>',
        '<markable id="markable_4" span="word_6,word_8" mmax_level="phrase" category="phrase"'
        ' phrase_antecedent="markable_1;markable_2"/>',
        '<markable id="markable_5" span="word_7" mmax_level="phrase" category="segment"'
        ' segment_antecedent="turn:markable_6" optional="true" unsure="true"/>',
    ]
    assert lines_of(files, "Markables/walk_turn_level.xml") == [
        '<markable id="markable_6" span="word_1..word_5" mmax_level="turn" stands_for="both" speaker="M" label="1"/>'
    ]
    assert lines_of(files, "Markables/walk_sentence_level.xml") == [
        '<markable id="markable_7" span="word_1..word_5" mmax_level="sentence" stands_for="segment" speaker="M"/>',
        '<markable id="markable_8" span="word_6..word_8" mmax_level="sentence" stands_for="segment"'
        ' speaker="S &amp; co"/>',
    ]
    assert lines_of(files, "Schemes/phrase_scheme.xml")[:9] == [
        '<attribute id="at_category" name="category" type="nominal_button">',
        '<value id="v_category_1" name="phrase" text="phrase" next="at_phrase_antecedent"/>',
        '<value id="v_category_2" name="segment" text="segment" next="at_segment_antecedent,at_optional"/>',
        '<value id="v_category_3" name="place" text="place"/>',
        '<value id="v_category_4" name="none" text="none"/>',
        '<attribute id="at_phrase_antecedent" name="phrase_antecedent" type="markable_pointer" target_domain="phrase"'
        ' max_size="2">',
        '<value id="v_phrase_antecedent_1" name="not_set"/>',
        '<value id="v_phrase_antecedent_2" name="set"/>',
        '<attribute id="at_segment_antecedent" name="segment_antecedent" type="markable_pointer" target_domain="turn"'
        ' max_size="-1">',
    ]
    back = again(SMALL)
    assert plain_of(back) == plain_of(SMALL)
    assert (back.scheme, back.findings) == (without_further(SMALL.scheme), ())


def marked(*marks: tuple[str, Answer], content: str = "a b c d", **more) -> Document:
    """Return a text of letters with a markable of the given level and answer on each."""
    found = [Mark(((2 * n, 2 * n + 1),), level, answer=answer) for n, (level, answer) in enumerate(marks)]
    return Document("t", "", content, found, **{"links": Links.INDICES, "scheme": INDEXING, **more})


def refers(*indices: str) -> Answer:
    return Answer(category="refers", indices=indices)


def test_sets_are_numbered_and_entities_named():
    said = [refers("Anna", "set_1"), refers("set_1"), refers("set_x", "Anna", "€;"), Answer(category="none")]
    document = marked(*(("mention", answer) for answer in said))
    files = written(document)
    lines = [line.split("category=")[1] for line in lines_of(files, "Markables/t_mention_level.xml")]
    assert lines == [
        '"refers" coref_class="set_2" entity_name="Anna" coref_class_2="set_1"/>',
        '"refers" coref_class="set_1"/>',
        '"refers" coref_class="set_3" entity_name="set_x" coref_class_2="set_2" entity_name_2="Anna"'
        ' coref_class_3="set_4" entity_name_3="€;"/>',
        '"none" coref_class="empty"/>',
    ]
    next_ = "at_coref_class,at_coref_class_2,at_coref_class_3"
    assert f'name="refers" text="refers" next="{next_}"/>' in files["Schemes/mention_scheme.xml"].decode()
    assert plain_of(read(files)) == plain_of(document)
    assert read(files).scheme == without_further(INDEXING)
    assert 'coref_set="set_1"' in written(document, attribute="coref_set")["Markables/t_mention_level.xml"].decode()
    assert written(document, attribute="note") == written(document, attribute="not a name") == files


def test_entity_may_have_markables_of_two_levels():
    scheme = SchemeSpec((LevelSpec("np", "np"), LevelSpec("vp", "vp")), INDEXING.categories)
    document = marked(("np", refers("set_1")), ("vp", refers("set_1", "b")), ("np", refers("b")), scheme=scheme)
    assert plain_of(again(document)) == plain_of(document)


def test_contradictory_entity_names_are_ignored():
    scheme = SETS.replace("</ann", '<attribute id="x" name="entity_name" type="freetext"/>\n</ann')
    named = [f"{number} coref_class=set_{number} entity_name=Anna" for number in (1, 2)]
    document = read(project(*named, "3 coref_class=set_1", scheme=scheme))
    assert [indices for _, _, _, indices in answers(document)] == [("np:set_1",), ("np:set_2",), ("np:set_1",)]
    assert [code for code, _, _ in findings(document)] == ["entity-names"]


def test_lines_become_level_without_sentences_and_turns():
    document = Document("t", "", "a b\nc", [], [Stretch("paragraph", 0, 5)], scheme=SORTING)
    files = written(document)
    spans = re.findall('span="(.*?)"', files["Markables/t_line_level.xml"].decode())
    assert spans == ["word_1..word_2", "word_3"]
    assert plain_of(read(files)) == plain_of(document)
    assert not any("line" in name for name in written(replace(document, content="a b c")))


def test_document_without_scheme_is_written_by_its_marks():
    a, b = Place("", ((0, 1),)), Place("", ((2, 3),))
    said = [Answer(category="new"), Answer(category="old", pointers=(a,)), Answer(pointers=(b,)), Answer(), None]
    document = marked(*(("", answer) for answer in said), content="a b c d e", links=Links.POINTERS, scheme=None)
    back = again(document)
    expected = [("a", "new", []), ("b", "old", ["markable: a"]), ("c", "", ["markable: b"]), ("d", "", [])]
    assert answers(back) == [(*each, ()) for each in expected]
    assert len(back.marks) == 5


def test_unknown_category_gets_no_own_pointer():
    scheme = SchemeSpec((LevelSpec("np", "np"),), (CategorySpec("new", "new"),))
    old = Answer(category="old", pointers=(Place("", ((0, 1),)),))
    files = written(marked(("", Answer(category="new")), ("", old), links=Links.POINTERS, scheme=scheme))
    assert ' category="old" antecedent="markable_1"' in files["Markables/t_np_level.xml"].decode()
    assert "old_antecedent" not in files["Schemes/np_scheme.xml"].decode()


def test_control_characters_are_replaced():
    document = marked(("phrase", Answer(category="person", note="\0\x1b\ud800")), scheme=SORTING)
    assert again(document).marks[0].answer.note == "\ufffd" * 3


LEVEL_NAMES = ["phrase", "sentence", "Turn", "utterances", "line", "bridging", "a_2", "np-level"]
OTHER_NAMES = ["turn", "turns", "lines", "Paragraph", "related", "1st"]
CATEGORY_NAMES = ["phrase", "bridging", "related_2", "Empty-x", "1", "_", "old", "OLD", "event_2", "optional"]


@pytest.mark.parametrize("first", LEVEL_NAMES)
@pytest.mark.parametrize("second", OTHER_NAMES)
@pytest.mark.parametrize("links", Links)
def test_levels_and_categories_may_have_any_keys(first, second, links):
    """Let each category point to a level or take an index in turn."""
    levels = (LevelSpec(first, first), LevelSpec(second, second, coded=False))[: 2 if links is Links.POINTERS else 1]
    letter, line = Place(first, ((0, 1),)), Place(second, ((0, 3),))
    for shift in range(len(CATEGORY_NAMES)):
        names = [*CATEGORY_NAMES[shift:], *CATEGORY_NAMES[:shift]]
        targets = dict(zip(names[-3:], [letter, line, letter], strict=True)) if links is Links.POINTERS else {}
        chained = names[-2:] if links is Links.INDICES else []
        marks = [Mark(line.parts, second)] if targets else []
        for number, name in enumerate(names):
            pointers = (targets[name],) if name in targets else ()
            answer = Answer(category=name, pointers=pointers, indices=("1",) if name in chained else ())
            marks.append(Mark(((2 * number, 2 * number + 1),), first, answer=answer))
        points_to = [targets[name].level if name in targets else "" for name in names]
        categories = tuple(
            CategorySpec(name, name, points_to=level, takes_index=name in chained)
            for name, level in zip(names, points_to, strict=True)
        )
        document = marked(content="a b c d e f g h i j", links=links, scheme=SchemeSpec(levels, categories))
        document = replace(document, marks=marks)
        back = again(document)
        assert plain_of(back) == plain_of(document)
        assert back.scheme.main_level == first
        assert [(each.key, each.points_to) for each in back.scheme.categories] == list(
            zip(names, points_to, strict=True)
        )


def test_sample_is_read(samples):
    files = [file for file in (samples / "mmax2").rglob("*") if file.is_file()]
    first, second = read_all({str(file.relative_to(samples)): file.read_bytes() for file in files})
    assert [document.file for document in (first, second)] == ["mmax2/Markables/d1", "mmax2/Markables-coder2/d1"]
    assert {document.name for document in (first, second)} == {"d1"}
    assert first.content == second.content
    assert first.content.split("\n") == [
        "well we need to get the tanker at Elmira filled",
        "okay it can go with engine E1 and the boxcar",
        "and while it is there it should pick up the oranges",
        "that will take two hours so we can do that by noon",
    ]
    assert first.scheme == second.scheme == without_further(POINTING)
    assert first.links == second.links == Links.POINTERS
    assert [(each.kind, each.speaker) for each in first.segments] == [("turn", who) for who in "MSMS"]
    turns = [mark.parts for mark in first.marks if mark.level == "turn"]
    assert turns == [((each.start, each.end),) for each in first.segments]
    oranges = "turn: and while it is there it should pick up the oranges"
    assert answers(first) == [
        ("the tanker at Elmira", "none", [], ()),
        ("Elmira", "place", [], ()),
        ("it", "phrase", ["phrase: the tanker at Elmira"], ()),
        ("engine E1", "none", [], ()),
        ("the boxcar", "none", [], ()),
        ("it", "phrase", ["phrase: engine E1", "phrase: the tanker at Elmira"], ()),
        ("it", "phrase", ["phrase: it"], ()),
        ("the oranges", "none", [], ()),
        ("that", "segment", [oranges], ()),
        ("that", "phrase", ["phrase: that"], ()),
    ]
    assert [pair[1] for pair in zip(answers(first), answers(second), strict=True) if pair[0] != pair[1]] == [
        ("it", "phrase", ["phrase: the tanker at Elmira"], ()),
        ("that", "phrase", ["phrase: it"], ()),
        ("that", "segment", [oranges], ()),
    ]
    assert first.findings == second.findings == ()
