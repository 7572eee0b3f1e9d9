import contextlib

import pytest

from annotations.formats import Answer, Bundle, Document, FormatError, Links, Mark, Place, brat
from annotations.formats.conll import conll2012
from annotations.formats.model.slips import WAY
from annotations.formats.model.text import MAX_INDEX_LENGTH, MAX_LABEL_LENGTH
from tests.shared.documents import plain_of
from tests.shared.growth import assert_grows_with_input

TEXT = "Anna saw her dog and it saw her"
ANNA, HER = "T1\tMention 0 4\tAnna\n", "T2\tMention 9 12\ther\n"
HER_DOG, IT = "T3\tMention 9 16\ther dog\n", "T4\tMention 21 23\tit\n"
ALL = ANNA + HER + HER_DOG + IT
IN_CHAIN = Answer(indices=("1",))


def test_options_read_types_as_attributes_and_relation_names():
    lines = "T1\tThing 0 4\tAnna\nT2\tMention 5 9\ttook\nT3\tThing 10 13\ther\nR1\tAnaphora Arg1:T3 Arg2:T1\n"
    document = read(lines + "R2\tPartOf Arg1:T2 Arg2:T1", "Anna took her dog.", types="attribute", relations="names")
    anna = document.marks[0].place
    assert [said(mark) for mark in document.marks] == [
        Answer(attributes=(("type", "Thing"),)),
        Answer(attributes=(("type", "Mention"),), relations=(("PartOf", ((anna,),)),)),
        Answer(attributes=(("type", "Thing"),), pointers=(anna,)),
    ]


def read(annotations: str | bytes, text: str | bytes = TEXT, **options: str) -> Document:
    files = {
        "anna/walk.ann": annotations.encode() if isinstance(annotations, str) else annotations,
        "anna/walk.txt": text.encode() if isinstance(text, str) else text,
    }
    [document] = brat.read(Bundle("anna/walk.ann", files), **options)
    return document


def refused(annotations: str | bytes, text: str | bytes = TEXT) -> tuple[str, int | None, str]:
    """Return file, line and message of the error."""
    with pytest.raises(FormatError) as caught:
        read(annotations, text)
    return caught.value.file, caught.value.line, caught.value.message.removesuffix(f"{WAY}the line")


def said(mark: Mark) -> Answer:
    assert mark.answer is not None
    return mark.answer


def words(document: Document, mark: Mark | Place) -> str:
    return " … ".join(document.content[start:end] for start, end in mark.parts)


def entities(document: Document) -> dict[str, tuple[str, ...]]:
    assert document.links == Links.INDICES
    return {words(document, mark): said(mark).indices for mark in document.marks}


def pointers(document: Document) -> dict[str, list[str]]:
    assert document.links == Links.POINTERS
    marks = document.marks
    return {words(document, mark): [words(document, target) for target in said(mark).pointers] for mark in marks}


def found(document: Document) -> list[str]:
    """Return the findings, without the file."""
    return [str(finding).removeprefix("anna/walk.ann:") for finding in document.findings]


def written(document: Document) -> dict[str, str]:
    return {file.path: file.data.decode() for file in brat.write([document])}


def again(document: Document) -> Document:
    """Write the document, read it back and return it."""
    files = written(document)
    return read(files["walk.ann"], files["walk.txt"])


def test_annotation_files_are_paired_with_texts():
    names = ["b/x.txt", "b/x.ann", "a/x.ann", "a/x.txt", "annotation.conf", "c/Y.ANN", "c/Y.txt"]
    found = brat.pair_files(names, brat.FORMAT.suffixes)
    assert found == [("b/x.ann", "b/x.txt"), ("a/x.ann", "a/x.txt"), ("c/Y.ANN", "c/Y.txt")]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a/x.ann", "a/x.ann: the text of this file, a/x.txt, cannot be found"),
        ("a/x.txt", "a/x.txt: the annotations of this file, a/x.ann, cannot be found"),
    ],
)
def test_unpaired_file_is_refused_with_missing_name(name, message):
    assert brat.pair_files([name, "b/x.txt.gz"], brat.FORMAT.suffixes) == [(name,)]
    with pytest.raises(FormatError, match=f"^{message}"):
        brat.read(Bundle.of(name, b"x"))


@pytest.mark.parametrize("name", ["README.txt", "a/readme.TXT", "LICENSE.txt", "Licence-CC-BY.txt", "README.en.txt"])
def test_readme_is_text_only_with_annotations(name):
    pair = ("b/x.ann", "b/x.txt")
    assert brat.pair_files([name, *pair], brat.FORMAT.suffixes) == [pair]
    annotations = f"{name[:-4]}.ann"
    assert brat.pair_files([name, annotations], brat.FORMAT.suffixes) == [(annotations, name)]


@pytest.mark.parametrize("name", ["noticed.txt", "my-readme.txt", "licensing.txt"])
def test_text_with_similar_name_is_text(name):
    assert brat.pair_files([name], brat.FORMAT.suffixes) == [(name,)]


def test_text_and_markables_are_read_in_order():
    document = read(IT + HER + HER_DOG + ANNA)
    assert (document.name, document.file, document.content) == ("walk", "anna/walk.ann", TEXT)
    spans = {(0, 4): 4, (9, 16): 3, (9, 12): 2, (21, 23): 1}
    assert document.marks == [Mark((span,), answer=Answer(), line=line) for span, line in spans.items()]
    assert (document.links, document.findings) == (Links.NONE, [])
    assert len(read(("\ufeff" + ALL).replace("\n", "\r\n")).marks) == 4


@pytest.mark.parametrize(
    ("text", "line", "parts"),
    [
        ("😀é 𝒳b. c", "3 6\t𝒳b.", [(3, 6)]),
        ("a\r\nbc\rd\n", "3 5\tbc", [(3, 5)]),
        (TEXT, "9 12;0 4;12 14;13 16\ther Anna d dog", [(0, 4), (9, 16)]),
        (TEXT, "9 12;13 16\ther dog", [(9, 12), (13, 16)]),
        ("the old\nand  \r\n grey dog ran", "0 3;21 24\tthe dog", [(0, 3), (21, 24)]),
        ("the old\nand  \r\n grey dog ran", "4 7;8 11;16 20\told and grey", [(4, 20)]),
    ],
    ids=["code points", "line ends", "fragments that touch", "a blank between", "a gap", "a broken line"],
)
def test_offsets_count_code_points_of_fragments(text, line, parts):
    document = read(f"T1\tMention {line}\n", text)
    assert document.content == text
    assert document.marks[0].parts == tuple(parts)


def test_words_may_contain_markup():
    document = read("T1\tMention 0 4\t>HRN\nT2\tMention 5 9\tMR>H\nT3\tMention 10 15\t<&;\\t\n", ">HRN MR>H <&;\\t")
    assert [words(document, mark) for mark in document.marks] == [">HRN", "MR>H", "<&;\\t"]


@pytest.mark.parametrize("quoted", ["her dog", "her  dog ", "her\tdog"])
def test_quoted_white_space_may_differ(quoted):
    assert len(read(f"T1\tMention 9 16\t{quoted}\n").marks) == 1


@pytest.mark.parametrize(
    ("lines", "options", "expected"),
    [
        (ALL + "*\tCoref T4 T3\n*\tEquiv T2 T1\t\n", {}, "1 2 1 2"),
        (ALL + "*\tCoref T4 T3\n", {}, "1 2 3 2"),
        (ALL + "*\tCoref T1 T2\n*\tCoref T2 T4\n", {}, "1 2 1|3 3"),
        (ALL + "*\tCoref T1 T2\n*\tCoref T3 T4\n*\tCoref T2 T4\n", {"shared": "merge"}, "1 1 1 1"),
        ("*\tCoref T1 T4\n" + ANNA + IT, {}, "1 1"),
        (ANNA + "*\tCoref T1\n", {}, "1"),
    ],
)
def test_star_lines_become_entities(lines, options, expected):
    assert " ".join("|".join(indices) for indices in entities(read(lines, **options)).values()) == expected


def test_unknown_members_and_relations_are_left_out():
    document = read(ANNA + IT + "*\tCoref T1 T9 T4\n*\tCoref T8\n")
    assert entities(document) == {"Anna": ("1",), "it": ("1",)}
    assert [each[:8] for each in found(document)] == ["3: 'T9' ", "4: 'T8' "]
    document = read(ANNA + "R1\tCoref Arg1:T1 Arg2:T9\nR2\tCoref Arg1:T1 Arg2:T1\nR3\tCoref Arg1:E1 Arg2:T1\n")
    assert document.links == Links.NONE
    assert [each[:4] for each in found(document)] == ["2: '", "3: a", "4: '"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("R1\tCoref Arg1:T2 Arg2:T1\t\nR2\tAnaphora Anaphor:T4 Antecedent:T3\n", {"her": ["Anna"], "it": ["her dog"]}),
        ("R1\tCoref Arg1:T2 Arg2:T1\nR2\tCoref Arg1:T2 Arg2:T4\nR3\tC Arg1:T2 Arg2:T1\n", {"her": ["Anna", "it"]}),
    ],
)
def test_relation_points_from_first_to_second_argument(lines, expected):
    assert {mention: targets for mention, targets in pointers(read(ALL + lines)).items() if targets} == expected


def test_relations_are_left_out_beside_star_lines():
    lines = "R1\tcop Arg1:T2 Arg2:T1\nR2\tcop Arg1:T4 Arg2:T3\n*\tCoref T1 T2\nR3\tappos Arg1:T4 Arg2:T1\n"
    document = read(ALL + lines)
    assert entities(document)["her"] == ("1",)
    assert all(not mark.answer.pointers for mark in document.marks)
    assert found(document) == ["5: 2 relations cop (left out)", "8: 1 relations appos (left out)"]
    document = read(ALL + "R1\tcop Arg1:T2 Arg2:T1\n", relations="leave")
    assert (document.links, found(document)) == (Links.NONE, ["5: 1 relations cop (left out)"])


TYPED = "T1\tPER 0 4\tAnna\nT2\tMention 9 12\ther\nT3\tPER 21 23\tit\nT4\tNOM 21 23\tit\n"


@pytest.mark.parametrize(
    ("options", "expected", "told"),
    [
        ({}, ["Anna PER", "her", "it NOM", "it PER"], []),
        ({"types": "categories"}, ["Anna /PER", "her", "it /PER"], ["4: T4 has the same words as another"]),
        ({"types": "none"}, ["Anna", "her", "it"], ["4: T4 has the same words as another"]),
    ],
)
def test_option_reads_types_as_levels_or_categories(options, expected, told):
    document = read(TYPED, **options)
    shown = [f"{words(document, mark)} {mark.level}/{mark.answer.category}".rstrip("/ ") for mark in document.marks]
    assert shown == expected
    assert [each.partition(" (")[0] for each in found(document)] == told


def test_option_reads_types_as_entities():
    lines = "T1\tPER 0 4\tAnna\nT2\tAnna-7 0 4\tAnna\nT3\tAnna-7 9 12\ther\nT4\tX 21 23\tit\nT5\tdog-12 9 16\ther dog\n"
    document = read(lines + "R1\tcop Arg1:T1 Arg2:T4\n", types="chains")
    assert entities(document) == {"Anna": ("Anna-7",), "her dog": ("dog-12",), "her": ("Anna-7",), "it": ("1",)}
    assert found(document) == ["6: 1 relations cop (left out)"]


def test_long_entity_names_are_shortened_and_stay_different():
    middle = "x" * MAX_INDEX_LENGTH
    lines = f"T1\tA{middle}-1 0 4\tAnna\nT2\tA{middle}-2 9 12\ther\nT3\tA{middle}x-1 9 16\ther dog\n"
    names = [index for (index,) in entities(read(lines, types="chains")).values()]
    assert len(set(names)) == 3
    assert all(len(name) < MAX_INDEX_LENGTH for name in names)
    assert names[0].startswith("Axxx")


def test_duplicate_spans_are_merged_with_their_links():
    document = read(ALL + "T5\tMention 21 23\tit\n*\tCoref T4 T3\n*\tCoref T5 T1\n")
    assert sorted(entities(document)["it"]) == ["1", "2"]
    assert found(document) == ["5: T5 has the same words as another (they are one markable)"]


@pytest.mark.parametrize(
    ("lines", "answers"),
    [
        (
            "A1\tCategory T1 person\nA2\tOptional T1\nA3\tUnsure T2\nA4\tUncoded T3\nA5\tOptional T3\nA6\tUncoded T4\n",
            [Answer(category="person", optional=True), Answer(optional=True), Answer(unsure=True), None],
        ),
        ("*\tCoref T1 T2\nA1\tUncoded T3\nA2\tUnlinked T4\n", [IN_CHAIN, None, IN_CHAIN, Answer()]),
    ],
)
def test_attributes_set_category_and_flags(lines, answers):
    assert [mark.answer for mark in read(ALL + lines).marks] == answers


def test_notes_hold_names_labels_and_heads():
    lines = "#1\tChainName T1\tAnna & Co\n#2\tLabel T1\tA.1\n#3\tMin T3\t13 16\n#1\tAnnotatorNotes T1\twhy?\n"
    more = "#2\tAnnotatorNotes T1\t\n#7\tAnnotatorNotes T1\t a\tb \n#3\tMin T9\t0 4\n#4\tMin T4\t20 22\n"
    document = read(ALL + lines + more)
    anna, dog, _, it = document.marks
    assert (anna.answer, anna.label) == (Answer(note="why?\n\n a\tb ", name="Anna & Co"), "A.1")
    assert (dog.head, it.head) == (((13, 16),), ())
    assert [each[:3] for each in found(document)] == ["11:", "12:"]


def test_ignored_lines_are_reported():
    lines = (
        "E1\tSee:T1 Who:T2\nE2\tSee:T1 Who:T2\nM1\tNegation E1\nN1\tReference T1 Wikipedia:534366\tAnna\n"
        "A1\tGender T1 f\nA2\tGender T2 f\nA3\tOptional T9\nA4\tCategory T1\nA5\tCategory T1 a\nA6\tCategory T1 b\n"
        "#1\tAnnotatorNotes R1\tx\n#2\tNormalizationNotes T1\ty\n#3\tAnnotatorNotes T9\tz\n"
    )
    document = read(ALL + lines)
    assert [each.partition(" (")[0] for each in found(document)] == [
        "5: 2 events",
        "7: 1 modifications",
        "8: 1 normalisations",
        "11: 'T9' is no span",
        "12: T1 has a category without a name",
        "14: T1 is 'b', but 'a' before",
        "15: 1 notes on R lines",
        "17: 'T9' is no span",
    ]
    attributes = (("Gender", "f"), ("NormalizationNotes", "y"))
    assert document.marks[0].answer == Answer(category="a", attributes=attributes)


@pytest.mark.parametrize(("kind", "longest"), [("Label", MAX_LABEL_LENGTH), ("ChainName", 200)])
def test_too_long_names_are_left_out(kind, longest):
    document = read(ANNA + f"#1\t{kind} T1\t{'x' * (longest + 1)}\n")
    assert document.marks == [Mark(((0, 4),), answer=Answer(), line=1)]
    assert found(document) == [f"2: the {kind} of T1 has more than {longest} characters (it is left out)"]


NO_OFFSETS = "this is not a list of offsets such as 0 4;8 11: "
NO_LINE = "a line begins with T, R, *, A, M, N, E or #, a number and a tab, not "


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("T4\tMention 0 4\tAnne", "T4 quotes 'Anne', but from 0 on the text has 'Anna'"),
        ("T4\tMention 8 12\ther", "T4 quotes 'her', but from 8 on the text has ' her'"),
        ("T4\tMention 1 5\tAnna", "T4 quotes 'Anna', but from 1 on the text has 'nna '"),
        ("T4\tMention 0 4;9 12\tAnna saw", "T4 quotes 'Anna saw', but from 0 on the text has 'Anna saw her'"),
        ("T4\tMention 0 32\tx", "the text ends before 32"),
        ("T4\tMention 4 4\t", "a span ends where it begins, or before: 4 4"),
        ("T4\tMention 4 1\tx", "a span ends where it begins, or before: 4 1"),
        ("T4\tMention -1 4\tx", f"{NO_OFFSETS}'-1 4'"),
        ("T4\tMention 0 4;\tx", f"{NO_OFFSETS}'0 4;'"),
        ("T4\tMention 0 ٤\tx", f"{NO_OFFSETS}'0 ٤'"),
        ("T4\tMention 0 99999999999\tx", f"{NO_OFFSETS}'0 99999999999'"),
        ("T4 Mention 0 4 Anna", "a T line has a tab behind its number and before its words"),
        ("T1\tMention 0 4\tAnna", "T1 is given twice"),
        (f"T4\t{'x' * 1001} 0 4\tAnna", "a type has more than 1000 characters"),
        ("Anna saw her", f"{NO_LINE}'Anna saw her'"),
        ("X1\tMention 0 4", f"{NO_LINE}'X1\\tMention 0 4'"),
        ("\tMention 0 4", f"{NO_LINE}'\\tMention 0 4'"),
        ("*\tCoref", "* says nothing of anything"),
        ("A1\t", "A1 says nothing of anything"),
        ("R1\tCoref Arg1:T1", "a relation is a name and two arguments such as Arg1:T2"),
        ("R1\tCoref Arg1:T1 T1", "a relation is a name and two arguments such as Arg1:T2"),
        ("R1\tCoref Arg1:T1 Arg2:T1 Arg3:T1", "a relation is a name and two arguments such as Arg1:T2"),
        ("#1\tMin T1\t0 99", "the text ends before 99"),
    ],
)
def test_invalid_lines_are_refused(line, message):
    assert refused(f"{ANNA}\n{line}\n") == ("anna/walk.ann", 3, message)


def test_invalid_texts_are_refused_with_file_name():
    assert refused(ANNA, "Anna\n\0") == ("anna/walk.txt", 2, "a NUL character is not allowed in a text")
    assert refused("", " \n") == ("anna/walk.txt", 1, "there is no text in this file")
    assert refused("", b"a\n\xed\xa0\x80")[:2] == ("anna/walk.txt", 2)
    assert refused(ANNA.encode("utf-16"))[:2] == ("anna/walk.ann", 1)


def pieces(n):
    """Return the offsets of every other character before the n-th."""
    return ";".join(f"{start} {start + 1}" for start in range(0, n, 2))


@pytest.mark.parametrize(
    "lines",
    [
        lambda n: "".join(f"T{k}\tM 0 {n}\ta\n" for k in range(n // 10)),
        lambda n: "".join(f"T{k}\tM 0 {n - k}\n" for k in range(n // 10)),
        lambda n: "".join(f"T{k}\tM 0 1;{n - 1 - k} {n}\n" for k in range(n // 40)),
        lambda n: f"T1\tM {pieces(n // 2)}\n",
        lambda n: f"T1\tM {pieces(n // 2)}\n#1\tMin T1\t{pieces(n // 2)}\n",
        lambda n: "T1\tM 0 1\n*\tC" + " T1" * n + "\n",
        lambda n: "T1\tM 0 1\n" + "*\tC T1\n" * (n // 4),
        lambda n: "T1\tM 0 " + "9" * (5 * n) + "\n",
        lambda n: "T1\tM 0" + " " * (5 * n) + "9\n",
    ],
    ids=range(9),
)
@pytest.mark.parametrize("text", [lambda n: "a" * n, lambda n: "a" + "\n" * (n - 2) + "a"], ids=["letters", "lines"])
def test_reading_hostile_files_takes_linear_time(lines, text):
    def read_or_refuse(n):
        with contextlib.suppress(FormatError):
            read(lines(n), text(n))

    assert_grows_with_input(read_or_refuse, 200_000)


def test_small_document_of_pointers_is_written_as_expected():
    dog = Answer(category="phrase", pointers=(Place("phrase", ((0, 4),)),), optional=True)
    marks = [
        Mark(((0, 4),), "phrase", "A"),
        Mark(((5, 12),), "phrase", answer=Answer(category="place", note="why?\nso", name="N", unsure=True)),
        Mark(((9, 12), (13, 16)), "turn", "", ((13, 16),), dog),
    ]
    document = Document("walk", "", "Anna saw\nher dog", marks, links=Links.POINTERS)
    assert written(document) == {
        "walk.txt": "Anna saw\nher dog",
        "walk.ann": (
            "T1\tphrase 0 4\tAnna\nT2\tphrase 5 8;9 12\tsaw her\nT3\tturn 9 12;13 16\ther dog\n"
            "R1\tAntecedent Arg1:T3 Arg2:T1\n"
            "A1\tUncoded T1\nA2\tCategory T2 place\nA3\tUnsure T2\nA4\tCategory T3 phrase\nA5\tOptional T3\n"
            "#1\tLabel T1\tA\n#2\tAnnotatorNotes T2\twhy?\n#3\tAnnotatorNotes T2\tso\n#4\tChainName T2\tN\n"
            "#5\tMin T3\t13 16\n"
        ),
        "annotation.conf": (
            "[entities]\nphrase\nturn\n\n[relations]\n"
            "Antecedent\tArg1:<ENTITY>, Arg2:<ENTITY>\n"
            "Coreference\tArg1:<ENTITY>, Arg2:<ENTITY>, <REL-TYPE>:symmetric-transitive\n\n"
            "[events]\n\n[attributes]\nCategory\tArg:<ENTITY>, Value:phrase|place\n"
            "Optional\tArg:<ENTITY>\nUnsure\tArg:<ENTITY>\nUncoded\tArg:<ENTITY>\nUnlinked\tArg:<ENTITY>\n"
        ),
    }
    assert plain_of(again(document)) == plain_of(document)


def test_small_document_of_entities_is_written_as_expected():
    spans = {(0, 4): ("1",), (9, 12): ("1", "2"), (21, 23): ("2",), (24, 27): ("3",), (28, 31): ()}
    marks = [Mark((span,), answer=Answer(indices=indices)) for span, indices in spans.items()]
    document = Document("walk", "", TEXT, marks, links=Links.INDICES)
    assert written(document)["walk.ann"] == (
        "T1\tMention 0 4\tAnna\nT2\tMention 9 12\ther\nT3\tMention 21 23\tit\nT4\tMention 24 27\tsaw\n"
        "T5\tMention 28 31\ther\n*\tCoreference T1 T2\n*\tCoreference T2 T3\n*\tCoreference T4\nA1\tUnlinked T5\n"
    )
    assert plain_of(again(document)) == plain_of(document)


def test_line_ends_split_spans_and_stay_in_text():
    document = Document("walk", "", "\r\na \r\n\r\n b\n", [Mark(((0, 10),), answer=Answer()), Mark(((2, 10),))])
    assert written(document)["walk.txt"] == "\r\na \r\n\r\n b\n"
    assert written(document)["walk.ann"].startswith("T1\tMention 0 3;9 10\t  a b\nT2\tMention 2 3;9 10\ta b\n")
    assert plain_of(again(document)) == plain_of(document)


def test_byte_order_mark_of_text_is_kept():
    document = Document("walk", "", "\ufeffAnna", [Mark(((1, 5),), head=((1, 2),), answer=Answer())])
    assert written(document)["walk.ann"] == "T1\tMention 2 6\tAnna\n#1\tMin T1\t2 3\n"
    assert plain_of(again(document)) == plain_of(document)


def test_documents_share_configuration():
    first, second = Document("one", "", "a", []), Document("other", "", "b", [Mark(((0, 1),), "turn")])
    files = brat.write([first, second])
    assert [file.path for file in files] == ["one.txt", "one.ann", "other.txt", "other.ann", "annotation.conf"]
    assert files[-1].data.startswith(b"[entities]\nturn\n\n[relations]\n")
    assert brat.write([]) == []


def sample(path, **options: str) -> Document:
    files = {str(file): file.read_bytes() for file in (path, path.with_suffix(".txt"))}
    [document] = brat.read(Bundle(str(path), files), **options)
    return document


def chains(document: Document) -> list[list[tuple[tuple[int, int], ...]]]:
    """Return the entities, each as the places of its members."""
    members: dict[str, list[tuple[tuple[int, int], ...]]] = {}
    for mark in document.marks:
        for index in said(mark).indices:
            members.setdefault(index, []).append(mark.parts)
    return sorted(members.values())


@pytest.mark.parametrize("coder", range(1, 6))
def test_ezcoref_has_same_chains_as_conll_files(samples, coder):
    folder = samples / "ezcoref"
    files = sorted((folder / "brat" / f"coder{coder}").glob("*.ann"))
    assert len(files) == 8
    for file in files:
        document = sample(file)
        conll = folder / "conll2012" / f"coder{coder}" / f"{file.stem}.conll"
        [expected] = conll2012.read(Bundle.of(conll.name, conll.read_bytes()))
        assert (document.findings, document.content) == ([], f"{expected.content}\n")
        assert [mark.parts for mark in document.marks] == [mark.parts for mark in expected.marks]
        # The brat files have no line for an entity of one. The CoNLL files name it even where the markable stands in
        # another entity too; from brat nobody could know.
        theirs = chains(expected)
        elsewhere = {parts for chain in theirs if len(chain) > 1 for parts in chain}
        assert chains(document) == [each for each in theirs if len(each) > 1 or each[0] not in elsewhere], file.stem


def test_option_merges_chains_with_shared_markables(samples):
    document = sample(samples / "ezcoref" / "brat" / "coder4" / "bleak-house-5.ann")
    several = [mark for mark in document.marks if len(mark.answer.indices) > 1]
    assert [words(document, mark) for mark in several] == ["the Lord Chancellor"]
    merged = sample(samples / "ezcoref" / "brat" / "coder4" / "bleak-house-5.ann", shared="merge")
    assert len(chains(merged)) == len(chains(document)) - 1


def test_litbank_has_same_chains_as_conll_file(samples):
    document = sample(samples / "litbank" / "1023_bleak_house_brat.ann", types="chains")
    file = samples / "litbank" / "1023_bleak_house_brat.conll"
    [expected] = conll2012.read(Bundle.of(file.name, file.read_bytes()))
    assert len(document.marks) == len(expected.marks) == 256
    assert (document.content.strip("\n"), chains(document)) == (expected.content, chains(expected))
    assert entities(document)["the Lord Chancellor"] == ("Lord_Chancellor-2",)
    assert [finding.message for finding in document.findings] == ["2 relations cop", "1 relations appos"]
