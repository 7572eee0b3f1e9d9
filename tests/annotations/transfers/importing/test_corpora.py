"""Files of real corpora that version 0.1.0 refused, each as a small made-up corpus."""

import io
import random
import unicodedata
import zipfile
from collections import defaultdict

import pytest
from django.core.management import CommandError, call_command

from agreement.data.reading import read_answers
from agreement.reports.coreference import compare_chains
from agreement.reports.parameters import Parameters
from annotations.formats import Answer, Document, FormatError, Links, Mark, plain
from annotations.models import Coding, Index, Judgement, Markable, Project, Text
from annotations.projects.creation import create_project
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.exporting.dispatch import export_files
from annotations.transfers.importing.documents import import_documents, import_sources
from annotations.transfers.importing.files.folders import name_by_folder
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.files.sources import Source, open_sources
from annotations.transfers.importing.options import ImportOptions
from annotations.transfers.importing.report import ImportFailed, Report
from tests.reference import conll_scorer
from tests.shared.growth import assert_grows_with_input

WALK = "Zoë took her dog’s lead.\nIt’s late, she said.\n"
SPANS = [("Zoë", 1), ("her", 1), ("her dog", 2), ("It", 3), ("she", 1)]


def ann(text: str, spans=SPANS) -> str:
    """Return brat's annotations of the words in a text, each with the number of its entity."""
    rows, entities, place = [], defaultdict(list), 0
    for number, (words, entity) in enumerate(spans, start=1):
        written = next(form for form in (words, unicodedata.normalize("NFD", words)) if form in text)
        start = text.index(written, place)
        rows.append(f"T{number}\tMention {start} {start + len(written)}\t{written}")
        entities[entity].append(f"T{number}")
        place = start
    rows += [f"*\tCoreference {' '.join(members)}" for members in entities.values()]
    return "\n".join(rows) + "\n"


def load(
    project: Project, format_key: str, files, coder_from: str = "parent", create: bool = True, **options
) -> Report:
    sources = [
        Source(name, content.encode() if isinstance(content, str) else content, in_folder=True)
        for name, content in files.items()
    ]
    return import_sources(
        project, format_key, sources, coder_from, ImportOptions(of_format=options, create=create, join=create)
    )


def chains_of(coder: str, text: str | None = None) -> set[frozenset[str]]:
    """Return the chains of a coder, each as the words of its members with their places."""
    chains = defaultdict(set)
    rows = Index.objects.filter(judgement__coding__coder__username=coder)
    for index in rows.select_related("judgement__markable__text"):
        markable = index.judgement.markable
        if text in (None, markable.text.slug):
            words = markable.text.content[markable.start : markable.end]
            chains[markable.text_id, index.entity].add(f"{words} {markable.start}")
    return {frozenset(chain) for chain in chains.values()}


# Several coders of one text.

COPIES = {
    "the same": WALK,
    "no last line end": WALK.rstrip("\n"),
    "two last line ends": WALK + "\n",
    "CR LF": WALK.replace("\n", "\r\n"),
    "a byte order mark": "\ufeff" + WALK,
    "a blank line more": WALK.replace("\n", "\n\n", 1),
    "NFD": unicodedata.normalize("NFD", WALK),
    "other words": WALK.replace("dog’s", "dog ’s").replace("It’s", "It ’s").replace("late,", "late ,"),
    "all of it": unicodedata.normalize("NFD", WALK.replace("dog’s", "dog ’s")).replace("\n", " \r\n\r\n"),
}


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_copies_with_invisible_differences_are_one_text(tales, copy):
    files = {"anna/walk.txt": WALK, "anna/walk.ann": ann(WALK), "ben/walk.txt": copy, "ben/walk.ann": ann(copy)}
    report = load(tales, "brat", files)
    assert report.failures == []
    assert Text.objects.get().content == WALK
    assert chains_of("ben") == chains_of("anna")
    assert Markable.objects.count() == len(SPANS)
    told = [finding for finding in report.findings if finding.code == "aligned"]
    assert len(told) == (copy.removeprefix("\ufeff") != WALK)
    assert all(finding.file == "ben/walk.ann" for finding in told)


def test_copy_is_aligned_with_text_of_project(tales):
    load(tales, "brat", {"anna/walk.txt": WALK, "anna/walk.ann": ann(WALK)})
    copy = COPIES["all of it"]
    report = load(tales, "brat", {"ben/walk.txt": copy, "ben/walk.ann": ann(copy)})
    assert (report.failures, report.texts, report.codings) == ([], 0, 1)
    assert chains_of("ben") == chains_of("anna")
    assert load(tales, "brat", {"ben/walk.txt": copy, "ben/walk.ann": ann(copy)}).unchanged == 1


def conll(tokens: list[tuple[str, str]]) -> str:
    rows = "".join(f"walk\t0\t{number}\t{word}\t-\t{chain}\n" for number, (word, chain) in enumerate(tokens))
    return f"#begin document (walk); part 000\n{rows}\n#end document\n"


def test_markables_separated_by_white_space_are_joined_and_reported(tales):
    first = Document("walk", "anna/walk.x", "ab", [Mark(((0, 2),), answer=Answer(indices=("1",)))], links=Links.INDICES)
    marks = [
        Mark(((0, 3),), answer=Answer(indices=("1",))),
        Mark(((0, 1), (2, 3)), answer=Answer(indices=("2",))),
        Mark(((1, 2),), answer=Answer(indices=("3",))),
    ]
    second = Document("walk", "ben/walk.x", "a b", marks, links=Links.INDICES)
    report = import_documents(
        tales, [SourceDocument(first, "anna"), SourceDocument(second, "ben")], ImportOptions(create=True)
    )
    assert {finding.code: finding.message for finding in report.findings if finding.code in ("joined", "left-out")} == {
        "left-out": "1 markable of white space alone",
        "joined": "1 markable stands on the words of another once their text is aligned",
    }
    entities = Index.objects.filter(judgement__coding__coder__username="ben").values_list("entity", flat=True)
    assert sorted(entities) == ["1", "2"]


# Nothing understood.


TSV = (
    "#FORMAT=WebAnno TSV 3.3\n#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|value\n\n\n"
    "#Text=Anna saw\n1-1\t0-4\tAnna\tX\t\n1-2\t5-8\tsaw\tY\t\n"
)
NOT_UNDERSTOOD = {
    "conll2012": ("walk.conll", conll([("Anna", "-"), ("saw", "-")])),
    "webanno": ("walk.tsv", TSV),
    "conllu": ("walk.conllu", "1\tAnna\t_\t_\t_\t_\t_\t_\t_\t_\n\n"),
    "jsonlines": ("walk.jsonlines", '{"doc_key": "walk", "sentences": [["Anna", "saw"]], "clusters": []}\n'),
    "plain": ("walk.txt", "Anna saw"),
    "muc": ("walk.sgm", "<DOC><TXT>Anna saw</TXT></DOC>"),
}


@pytest.mark.parametrize(("format_key", "file"), NOT_UNDERSTOOD.items(), ids=NOT_UNDERSTOOD)
def test_file_without_annotations_is_refused_unless_accepted(tales, format_key, file):
    name, content = file
    report = load(tales, format_key, {f"anna/{name}": content})
    assert [failure.message.split(",")[0] for failure in report.failures] == [f"anna/{name}: nothing is coded in it"]
    assert not Text.objects.exists()
    assert not Coding.objects.of_people().exists()
    assert load(tales, format_key, {f"anna/{name}": content}, empty="take").codings == 1
    assert Coding.objects.of_people().get().status == Coding.Status.SUBMITTED


XMI = """<?xml version="1.0" encoding="UTF-8"?>
<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:own="http:///own.ecore"
 xmlns:type="http:///de/tudarmstadt/ukp/dkpro/core/api/coref/type.ecore" xmi:version="2.0">
<cas:NULL xmi:id="0"/>
<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="Anna saw"/>
{}
<cas:View sofa="1" members="{}"/>
</xmi:XMI>
"""
# A file of one coder that is read, and one of another coder with markup of which nothing is.
UNREAD = {
    "xmi": (
        "walk.xmi",
        XMI.format(
            '<type:CoreferenceLink xmi:id="2" sofa="1" begin="0" end="4"/>'
            '<type:CoreferenceChain xmi:id="3" sofa="1" first="2"/>',
            "2 3",
        ),
        XMI.format('<own:Mention xmi:id="2" sofa="1" begin="0" end="4"/>', "2"),
    ),
    "brat": ("walk.ann", "T1\tMention 0 4\tAnna\n", "E1\tSee:T1 Who:T2\nN1\tReference T1 Wikidata:Q1\tAnna\n"),
}


@pytest.mark.parametrize(("format_key", "files"), UNREAD.items(), ids=UNREAD)
def test_file_with_unknown_markup_is_refused(tales, format_key, files):
    name, read, unread = files
    texts = {"anna/walk.txt": "Anna saw", "ben/walk.txt": "Anna saw"} if format_key == "brat" else {}
    report = load(tales, format_key, {f"anna/{name}": read, f"ben/{name}": unread, **texts})
    [failure] = report.failures
    assert failure.message.startswith(f"ben/{name}: nothing is coded in it, of 0 markables (")
    assert (report.codings, Coding.objects.of_people().get().coder.username) == (1, "anna")


@pytest.mark.parametrize("content", ["_ _ _", "- - - _", "* * *"])
def test_text_of_placeholders_is_refused(tales, content):
    document = Document(
        "walk", "walk.x", content, [Mark(((0, 1),), answer=Answer(indices=("1",)))], links=Links.INDICES
    )
    [failure] = import_documents(tales, [SourceDocument(document, "anna")], ImportOptions(create=True)).failures
    assert str(failure) == f"walk.x: its text would be {content!r}: its words stand elsewhere in the file"


def test_words_are_found_in_other_column(tales):
    rows = "".join(f"{word}\t0\t{n}\t_\t{chain}\n" for n, (word, chain) in enumerate([("Anna", "(0)"), ("saw", "-")]))
    report = load(tales, "conll2012", {"anna/walk.conll": f"#begin document walk\n{rows}#end document\n"})
    assert report.failures == []
    assert Text.objects.get().content == "Anna saw"


@pytest.mark.parametrize("format_key", ["brat", "conll2012", "conllu", "jsonlines", "mmax2", "webanno", "xmi"])
def test_coding_without_judgements_is_exported_and_imported(tales, format_key):
    first = {"anna/walk.txt": "[Anna](=1) saw [her](=1)", "ben/walk.txt": "Anna saw her"}
    assert load(tales, "plain", first).codings == 2
    report = load(create_project("other", "Other", SCHEMES["clusters"]), format_key, exported(tales, format_key))
    assert (report.failures, report.codings, report.judgements) == ([], 2, 2)
    told = [finding.message for finding in report.findings if finding.code == "nothing-coded"]
    assert told == ["no markable is coded in walk"]


def zipped(files) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_zip_without_fitting_file_names_expected_files(tales, tmp_path):
    path = tmp_path / "up.zip"
    path.write_bytes(zipped({"anna/a.xmi": b"x", "anna/b.xmi": b"x", "bea/walk.zip": b"x", "c.xmi.gz": b"x"}))
    with pytest.raises(CommandError) as caught:
        call_command("import_codings", "conll2012", str(path), "--project", "tales", "--coder-from", "parent")
    assert str(caught.value) == (
        "No file ends in .conll or _conll, as those of CoNLL-2012 do; there are 2 × .xmi (which may be xmi), "
        "1 × .zip (a zip in a zip is not opened), 1 × .gz (unpack it, or give a zip).\nNothing was imported."
    )
    assert caught.value.returncode == 1


# Levels and categories that are called otherwise.

COREF_SCHEME = """<annotationscheme>
<attribute id="a1" name="coref_class" type="markable_set"><value id="v1" name="set"/></attribute>
</annotationscheme>"""
CHECKS_SCHEME = """<annotationscheme>
<attribute id="c1" name="comment" type="freetext"><value id="w1" name="text"/></attribute>
</annotationscheme>"""


def mmax(level: str, coders: tuple[str, ...] = ("anna", "ben")) -> dict[str, str]:
    """Return an MMAX2 project with a level of chains and a level of notes."""
    files: dict[str, str] = {}
    for number, coder in enumerate(coders):
        folder = f"corpus/{coder}"
        tokens = enumerate(["Anna", "saw", "her", "dog", "."], start=1)
        words = "".join(f'<word id="word_{n}">{word}</word>' for n, word in tokens)
        spans = [("word_1", 1), ("word_3", 1), ("word_3..word_4", 2 + number)]
        markables = "".join(
            f'<markable id="m{n}" span="{span}" coref_class="set_{chain}" mmax_level="{level}"/>'
            for n, (span, chain) in enumerate(spans)
        )
        files |= {
            f"{folder}/walk.mmax": "<mmax_project><words>walk_words.xml</words></mmax_project>",
            f"{folder}/common_paths.xml": "<common_paths><basedata_path/><scheme_path/><markable_path/><annotations>"
            f'<level name="{level}" schemefile="coref_scheme.xml">$_{level}_level.xml</level>'
            '<level name="checks" schemefile="checks_scheme.xml">$_checks_level.xml</level>'
            "</annotations></common_paths>",
            f"{folder}/coref_scheme.xml": COREF_SCHEME,
            f"{folder}/checks_scheme.xml": CHECKS_SCHEME,
            f"{folder}/walk_words.xml": f"<words>{words}</words>",
            f"{folder}/walk_{level}_level.xml": f"<markables>{markables}</markables>",
            f"{folder}/walk_checks_level.xml": '<markables><markable id="k1" span="word_5"/></markables>',
        }
    return files


def test_unknown_level_is_refused_with_option_to_map_it(tales):
    report = load(tales, "mmax2", mmax("coref"))
    assert len(report.failures) == 2
    assert "the scheme has no level 'coref', only mention; level=coref reads it as the coded one" in str(
        report.failures[0]
    )
    assert len(report.refusals()) == 1
    assert report.refusals()[0].endswith("(and 1 file more like this)")


@pytest.mark.parametrize(
    "option", ["coref", "coref:mention", "coref:mention,checks:", " coref : mention ", "*:mention,checks:"]
)
def test_option_reads_unknown_level_as_coded_level(tales, option):
    report = load(tales, "mmax2", mmax("coref"), level=option)
    assert report.failures == []
    assert chains_of("anna") == {frozenset({"Anna 0", "her 9"}), frozenset({"her dog 9"})}
    assert {finding.message for finding in report.findings if finding.code == "level-left-out"} == {
        "1 markable of the level 'checks', which the scheme does not have"
    }


def test_unknown_levels_without_answers_are_left_out_and_reported(tales):
    report = load(tales, "mmax2", mmax("mention"))
    assert report.failures == []
    assert [finding.code for finding in report.findings].count("level-left-out") == 2
    assert set(Markable.objects.values_list("level__key", flat=True)) == {"mention"}


@pytest.mark.parametrize(
    ("first", "second", "is_told"),
    [
        (Answer(note="one"), Answer(note="two"), True),
        (Answer(name="one"), Answer(), True),
        (Answer(), Answer(unsure=True), True),
        (Answer(optional=True), Answer(), True),
        (Answer(category="none"), Answer(category="refers"), True),
        (
            Answer(category="refers", indices=("1",), note="one"),
            Answer(category="refers", indices=("2",), note="one"),
            False,
        ),
        (None, Answer(note="two"), False),
        (Answer(note="one"), None, False),
    ],
)
@pytest.mark.parametrize("way", ["levels", "copies"])
def test_contradictory_answers_of_joined_markables_are_reported(tales, first, second, is_told, way):
    spans = [((0, 4),), ((0, 4),)] if way == "levels" else [((0, 4),), ((0, 5),)]
    levels = ["NE", "coref"] if way == "levels" else ["mention"] * 2
    marks = [Mark(spans[n], level=levels[n], answer=answer) for n, answer in enumerate((first, second))]
    marks.append(Mark(((6, 9),), level=levels[1], answer=Answer(indices=("1",))))
    document = Document("walk", "anna/walk.x", "Anna  saw", marks, links=Links.INDICES)
    Text.objects.create(project=tales, slug="walk", title="walk", content="Anna saw")
    report = import_documents(
        tales,
        [SourceDocument(document, "anna")],
        ImportOptions(create=True, of_format={"level": "NE:mention,coref:mention"}),
    )
    assert report.failures == []
    assert [str(finding) for finding in report.findings if finding.code == "contradiction"] == [
        "anna/walk.x: 1 answer of markables that are one now says something else than the first "
        "(category, attributes, note, name, unsure or optional) (the first stays)"
    ] * is_told


@pytest.mark.parametrize("option", ["coref:nothing", "coref,coref", ":mention", ","])
def test_mapping_to_unknown_level_names_known_levels(tales, option):
    with pytest.raises(ImportFailed, match=r"^level=.*each name once; here there are mention\.$"):
        load(tales, "mmax2", mmax("coref"), level=option)


def test_refusal_of_unknown_types_names_options_that_help(tales):
    files = {"anna/walk.txt": WALK, "anna/walk.ann": "T1\tPER-1 0 3\tZoë\nT2\tPER-1 9 12\ther\n"}
    [failure] = load(tales, "brat", files).failures
    assert str(failure).startswith("anna/walk.ann:1: the scheme has no level 'PER-1', only mention; level=PER-1 reads")
    assert str(failure).endswith("or say types=categories, types=attribute, types=chains or types=none")
    assert load(tales, "brat", files, types="chains").failures == []
    [failure] = load(
        tales, "brat", {"ben/walk.txt": WALK, "ben/walk.ann": files["anna/walk.ann"]}, types="categories"
    ).failures
    assert "the scheme has no category 'PER-1', only refers, none; category=PER-1:HERE says which" in str(failure)


def test_option_maps_or_ignores_unknown_categories(db):
    project = create_project("sorts", "Sorts", SCHEMES["sortal-classes"])
    [known, *_] = project.categories.values_list("key", flat=True)
    files = {"anna/walk.txt": WALK, "anna/walk.ann": "T1\tPER 0 3\tZoë\n"}
    assert load(project, "brat", files, types="categories", category=f"PER:{known}").failures == []
    assert Judgement.objects.get().category.key == known
    tales = create_project("tales", "Tales", SCHEMES["clusters"])
    assert load(tales, "brat", files, types="categories", category="*:").failures == []
    assert Judgement.objects.get(coding__text__project=tales).category.key == "refers"


# Names, folders, encodings, zips.

NAMES = {
    "資料一": "ziliaoyi",
    "תהילים": "thylym",
    "книга-1": "kniga-1",
    "Ελλάδα": "ellada",
    "Größe": "grosse",
    "1.1": "1-1",
    "St. Ives": "st-ives",
    "…": "text-2026",
}


@pytest.mark.parametrize(("name", "slug"), NAMES.items())
def test_names_in_any_script_give_address_and_title(tales, name, slug):
    files = {f"anna/{name}.txt": WALK, f"anna/{name}.ann": ann(WALK)}
    assert load(tales, "brat", files).failures == []
    assert Text.objects.values_list("slug", "title").get() == (slug, name)
    assert load(tales, "brat", files).unchanged == 1


@pytest.mark.parametrize(("slug", "name"), [("1", "資料1"), ("11", "1.1"), ("ab", "a.b")])
def test_text_is_found_by_address_of_earlier_version(tales, slug, name):
    Text.objects.create(project=tales, slug=slug, title=name, content="Anna saw")
    report = load(tales, "plain", {f"anna/{name}.txt": "[Anna](=1) saw"})
    assert (report.failures, report.texts, Text.objects.count()) == ([], 0, 1)


@pytest.mark.parametrize(("dotted", "undotted"), [("1.1", "11"), ("a.b", "ab")])
@pytest.mark.parametrize("together", [True, False])
def test_names_with_and_without_dots_are_two_texts(tales, dotted, undotted, together):
    files = {f"anna/{dotted}.txt": "[Anna](=1) saw", f"anna/{undotted}.txt": "[She](=1) saw"}
    steps = [files] if together else [{name: content} for name, content in reversed(files.items())]
    assert [failure for step in steps for failure in load(tales, "plain", step).failures] == []
    assert set(Text.objects.values_list("slug", "title")) == {(dotted.replace(".", "-"), dotted), (undotted, undotted)}


@pytest.mark.parametrize("name", ["11", "1.1"])
def test_annotations_with_dotted_name_need_text_of_that_name(tales, name):
    Text.objects.create(project=tales, slug="11", title="11", content=WALK)
    report = load(tales, "brat", {f"anna/{name}.ann": ann(WALK)})
    assert [bool(report.failures), report.codings] == ([False, 1] if name == "11" else [True, 0])


@pytest.mark.parametrize(
    ("content", "direction"),
    [("[שלום](=1) (hi)", "rtl"), ("12. [مرحبا](=1)", "rtl"), ("[Anna](=1) שלום", "ltr"), ("[1](=1) 2", "ltr")],
)
def test_first_letter_sets_direction_of_text(tales, content, direction):
    assert load(tales, "plain", {"anna/walk.txt": content}).failures == []
    assert Text.objects.get().direction == direction


@pytest.mark.parametrize(
    ("files", "coder_from", "slugs"),
    [
        ({"news/05.txt": "[a](=1)", "bio/05.txt": "[b](=1)"}, "=anna", ["bio-05", "news-05"]),
        ({"news/anna/05.txt": "[a](=1)", "bio/anna/05.txt": "[b](=1)"}, "parent", ["bio-05", "news-05"]),
        ({"news/anna/05.txt": "[a](=1)", "bio/ben/05.txt": "[b](=1)"}, "parent", ["bio-05", "news-05"]),
        ({"one/anna/05.txt": "[a](=1)", "two/ben/05.txt": "[a](=1)"}, "parent", ["05"]),
        ({"anna/05.anna.txt": "[a](=1)", "ben/05.ben.txt": "[a](=1)"}, "name", ["05"]),
        ({"x/news/05.txt": "[a](=1)", "y/news/05.txt": "[b](=1)", "06.txt": "[c](=1)"}, "=anna",
         ["06", "x-news-05", "y-news-05"]),
    ],
)  # fmt: skip
def test_equal_names_with_different_words_are_different_texts(tales, files, coder_from, slugs):
    report = load(tales, "plain", files, coder_from)
    assert report.failures == []
    assert list(Text.objects.order_by("slug").values_list("slug", flat=True)) == slugs
    assert ("folders" in {finding.code for finding in report.findings}) == (len(slugs) > 1)


NEWS, BIO = "[a](=1)", "[b](=1)"


def slugs_and_contents() -> dict[str, str]:
    return dict(Text.objects.order_by("slug").values_list("slug", "content"))


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (
            [{"news/anna/05.txt": NEWS}, {"news/anna/05.txt": NEWS, "bio/anna/05.txt": BIO}, {"bio/ben/05.txt": BIO},
             {"news/ben/05.txt": NEWS}],
            {"05": "a", "bio-05": "b"},
        ),
        (
            [{"news/anna/05.txt": NEWS, "bio/anna/05.txt": BIO}, {"bio/ben/05.txt": BIO}, {"news/ben/05.txt": NEWS}],
            {"bio-05": "b", "news-05": "a"},
        ),
        (
            [{"x/news/anna/05.txt": NEWS, "y/news/anna/05.txt": BIO}, {"y/news/ben/05.txt": BIO},
             {"x/news/ben/05.txt": NEWS, "z/bio/ben/05.txt": "[c](=1)"}],
            {"x-news-05": "a", "y-news-05": "b", "bio-05": "c"},
        ),
        (
            [{"anna/05.txt": NEWS, "news/anna/05.txt": NEWS}, {"anna/05.txt": NEWS, "news/anna/05.txt": NEWS}],
            {"05": "a", "news-05": "a"},
        ),
        (
            [{"news/anna/05.txt": NEWS, "bio/anna/05.txt": BIO}, {"news/ben/05.txt": NEWS, "x/cem/05.txt": NEWS}],
            {"bio-05": "b", "news-05": "a"},
        ),
    ],
)  # fmt: skip
def test_later_imports_find_text_of_file(tales, steps, expected):
    for files in [*steps, *steps[1:]]:
        assert load(tales, "plain", files).failures == []
        assert Text.objects.count() <= len(expected)
    assert slugs_and_contents() == expected
    assert load(tales, "plain", steps[-1]).unchanged == len(steps[-1])


def test_file_that_matches_two_texts_is_refused_naming_both(tales):
    load(tales, "plain", {"anna/05.txt": NEWS, "news/anna/05.txt": NEWS, "news/anna/06.txt": NEWS})
    report = load(tales, "plain", {"news/ben/05.txt": NEWS, "news/ben/06.txt": NEWS})
    assert [str(failure) for failure in report.failures] == [
        "news/ben/05.txt: the project has its text twice, as 05 and news-05; name the file after one of them, or "
        "import it together with the files that it came with"
    ]
    assert (report.texts, report.codings) == (0, 1)
    assert load(tales, "plain", {"ben/news-05.txt": NEWS}).failures == []
    assert slugs_and_contents() == {"05": "a", "06": "a", "news-05": "a"}


def test_file_that_differs_from_text_of_its_folder_is_refused(tales):
    load(tales, "plain", {"news/anna/05.txt": NEWS, "bio/anna/05.txt": BIO})
    [failure] = load(tales, "plain", {"news/ben/05.txt": "[c](=1)"}).failures
    assert str(failure).startswith("news/ben/05.txt: the text differs from the text news-05 of the project: ")
    assert len(slugs_and_contents()) == 2


def test_annotations_without_text_find_text_of_their_folder(tales):
    other = WALK.replace("Zoë", "Eva")
    both = {"news/anna/05.txt": WALK, "news/anna/05.ann": ann(WALK)}
    both |= {"bio/anna/05.txt": other, "bio/anna/05.ann": ann(other, [("Eva", 1)])}
    assert load(tales, "brat", both).failures == []
    report = load(tales, "brat", {"bio/ben/05.ann": ann(other, [("Eva", 1)]), "news/ben/05.ann": ann(WALK)})
    assert (report.failures, report.texts, report.codings) == ([], 0, 2)
    assert chains_of("ben") == chains_of("anna")


def test_naming_by_folder_takes_time_proportional_to_depth():
    def name_deep(n: int) -> None:
        documents = [
            SourceDocument(Document("05", "/".join([first, *"a" * n, "anna", "05.txt"]), content, []), "anna")
            for first, content in (("x", "a"), ("y", "b"))
        ]
        found, failures = name_by_folder(documents, "parent")
        assert (len(found), failures) == (2, [])
        assert all(len(source.document.name) < 60 for source in found)

    assert_grows_with_input(name_deep, 20_000)


def test_copy_with_other_words_in_folder_of_coder_is_refused(tales):
    report = load(tales, "plain", {"anna/05.txt": "[a](=1)", "ben/05.txt": "[b](=1)"})
    assert [failure.file for failure in report.failures] == ["ben/05.txt"]


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "iso-8859-15"])
def test_refusal_names_encoding_that_option_accepts(tales, encoding):
    text = "[Zoë](=1) hört gern Größen der Straßenmusik, und [sie](=1) fährt über Bäche."
    [failure] = load(tales, "plain", {"anna/walk.txt": text.encode(encoding)}).failures
    said = "utf-16" if encoding == "utf-16" else "cp1252"
    assert str(failure).endswith(f"save it as UTF-8, or say encoding={said}")
    assert load(tales, "plain", {"anna/walk.txt": text.encode(encoding)}, encoding=said).failures == []
    assert Text.objects.get().content == plain.parse(text, "").content


@pytest.mark.parametrize("encoding", ["cp1252", "iso-8859-15", "mac_roman", "koi8-r"])
def test_utf_8_files_are_read_despite_encoding_option(tales, encoding):
    text = "[Jürgen](=1) и [она](=1)" if encoding == "koi8-r" else "[Zoë](=1) hört gern Größen"
    old = text.replace("Jürgen", "Юра")
    files = {
        "anna/old.txt": old.encode(encoding),
        "anna/new.txt": text.encode(),
        "anna/bom.txt": f"\ufeff{text}".encode(),
    }
    report = load(tales, "plain", files, encoding=encoding)
    assert report.failures == []
    said = slugs_and_contents()
    assert (said["new"], said["bom"], said["old"]) == tuple(plain.parse(each, "").content for each in (text, text, old))
    assert [str(finding) for finding in report.findings if finding.code == "utf-8"] == [
        f"anna/{name}.txt: it is not in {encoding} but in UTF-8 (read as UTF-8)" for name in ("new", "bom")
    ]


def test_text_and_annotations_may_have_different_encodings(tales):
    files = {"anna/walk.txt": WALK.encode(), "anna/walk.ann": ann(WALK).encode("cp1252")}
    files["anna/walk.ann"] = files["anna/walk.ann"].replace("’".encode("cp1252"), b"\x92")
    report = load(tales, "brat", files, encoding="cp1252")
    assert report.failures == []
    assert [finding.file for finding in report.findings if finding.code == "utf-8"] == ["anna/walk.txt"]


@pytest.mark.parametrize("forms", [("NFC", "NFD"), ("NFD", "NFC")])
@pytest.mark.parametrize("name", ["Zoë", "Ångström 1", "한글", "ガ1"])
def test_composed_and_decomposed_file_names_are_equal(tales, forms, name):
    first, second = (unicodedata.normalize(form, name) for form in forms)
    report = load(tales, "plain", {f"anna/{first}.txt": "[a](=1)", f"ben/{second}.txt": "[a](=1)"})
    assert (report.failures, report.texts, report.codings) == ([], 1, 2)
    assert Text.objects.get().title == unicodedata.normalize("NFC", name)
    several = "".join(f"#begin document ({each});\na\t(1)\n#end document\n" for each in ("x", "y"))
    assert load(tales, "conll2012", {f"cem/{first}.conll": several, f"dan/{second}.conll": several}).failures == []
    assert Text.objects.count() == 3


def test_text_with_decomposed_title_is_found(tales):
    title = unicodedata.normalize("NFD", "ガ1")
    Text.objects.create(project=tales, slug="1", title=title, content="Anna saw")
    report = load(tales, "plain", {f"anna/{title}.txt": "[Anna](=1) saw"})
    assert (report.failures, report.texts) == ([], 0)


def test_zip_pairs_files_with_decomposed_names(tales):
    names = "anna/Zoë.txt", f"anna/{unicodedata.normalize('NFD', 'Zoë')}.ann"
    data = zipped(dict(zip(names, (WALK, ann(WALK)), strict=True)))
    report = import_sources(tales, "brat", open_sources([("all.zip", data)]), "parent", ImportOptions(create=True))
    assert (report.failures, report.codings) == ([], 1)


def test_file_not_in_given_encoding_is_refused(tales):
    [failure] = load(tales, "plain", {"anna/walk.txt": b"abc"}, encoding="utf-16").failures
    assert str(failure).startswith("anna/walk.txt: this is not in the encoding utf-16: ")


def test_annotations_find_text_in_project_or_other_folder(tales):
    files = {"texts/walk.txt": WALK, "anna/walk.ann": ann(WALK), "ben/walk.ann": ann(WALK)}
    report = load(tales, "brat", files)
    assert (report.failures, report.texts, report.codings) == ([], 1, 2)
    report = load(tales, "brat", {"cem/walk.ann": ann(WALK)})
    assert (report.failures, report.texts, report.codings) == ([], 0, 1)
    assert chains_of("anna") == chains_of("ben") == chains_of("cem")
    [failure] = load(tales, "brat", {"cem/run.ann": ann(WALK)}).failures
    assert str(failure).endswith("cem/run.txt, cannot be found, and the project has none of that name")


@pytest.mark.parametrize(
    ("copy", "saved"), [("\ufeff" + WALK, "its byte order mark"), (WALK.replace("\n", "\r\n"), "the CR")]
)
def test_offsets_that_skip_bom_or_cr_are_corrected(tales, copy, saved):
    report = load(tales, "brat", {"anna/walk.txt": copy, "anna/walk.ann": ann(WALK)})
    assert report.failures == []
    [told] = [finding for finding in report.findings if finding.code == "saved-anew"]
    assert told.message.startswith(f"the offsets do not count {saved}")
    assert {chain.split()[0] for chains in chains_of("anna") for chain in chains} == {"Zoë", "her", "It", "she"}


def test_zip_with_backslashes_has_folders(tales):
    data = zipped({"anna\\walk.txt": WALK, "anna\\walk.ann": ann(WALK)})
    report = import_sources(tales, "brat", open_sources([("old.zip", data)]), "parent", ImportOptions(create=True))
    assert (report.failures, report.new_coders, report.codings) == ([], ["anna"], 1)


@pytest.mark.parametrize("names", [["a.zip"], ["a.txt", "b.txt"]])
def test_size_limit_names_its_setting(settings, names):
    settings.IMPORT_MAX_BYTES = 1000
    data = zipped({"x.txt": "a" * 900, "y.txt": "b" * 900}) if names == ["a.zip"] else b"a" * 900
    with pytest.raises(FormatError, match="IMPORT_MAX_BYTES"):
        open_sources([(name, data) for name in names])


def test_long_title_is_cut_and_reported(tales):
    text = f"# newdoc id = walk\n# meta::title = {'long ' * 50}\n1\tAnna\t" + "_\t" * 7 + "Entity=(e1)\n\n"
    report = load(tales, "conllu", {"anna/walk.conllu": text})
    assert report.failures == []
    assert len(Text.objects.get().title) == 200
    assert [finding.fix for finding in report.findings if finding.code == "long-title"] == ["cut after 199"]


# What goes out fits together, and comes in again.

SENTENCES = [
    "Anna's dog bit Mr. Smith's hand, and she (the walker) didn't laugh.",
    "\u201cIt's mine,\u201d Zoë-Marie said; her sister-in-law's well-known dog wasn't.",
    "They'd walk-outs in the U.S. for 2,500.50 Euro\u2026 and re-entered!",
]


def odd_codings(chance: random.Random) -> list[SourceDocument]:
    """Return codings of three coders whose markables begin and end anywhere, also inside words.

    No two of one chain cross, which CoNLL-2012 has no brackets for.
    """
    found = []
    for number in range(4):
        content = "\n".join(" ".join(chance.sample(SENTENCES, 2)) for _ in range(3))
        places = [place for place in range(len(content)) if not content[place].isspace()]
        starts = sorted(chance.sample(range(len(places) - 30), 20))
        shared = [(places[start], places[start + chance.randrange(25)] + 1, chance.randrange(4)) for start in starts]
        for coder in ("anna", "ben", "cem"):
            chains: dict[tuple[int, int], int] = {}
            for start, end, chain in shared:
                end = end if chance.random() < 0.8 else start + 1
                chain = chain if chance.random() < 0.7 else chance.randrange(4)
                crossing = any(a < start < b < end or start < a < end < b for a, b in chains if chains[a, b] == chain)
                if chance.random() < 0.8 and not crossing:
                    chains[start, end] = chain
            marks = [Mark((span,), answer=Answer(indices=(str(chain),))) for span, chain in sorted(chains.items())]
            document = Document(f"text {number}", f"{coder}/{number}.x", content, marks, links=Links.INDICES)
            found.append(SourceDocument(document, coder))
    return found


def squeezed_chains(project: Project, coder: str) -> set[frozenset[tuple[str, int, str]]]:
    """Return the chains of a coder, by text and by the characters of their members and before them, without spaces."""
    chains = defaultdict(set)
    for index in Index.objects.filter(
        judgement__coding__coder__username=coder, judgement__coding__text__project=project
    ):
        markable = index.judgement.markable
        before, words = markable.text.content[: markable.start], markable.text.content[markable.start : markable.end]
        chains[markable.text.slug, index.entity].add(
            (markable.text.slug, len("".join(before.split())), "".join(words.split()))
        )
    return {frozenset(chain) for chain in chains.values()}


def exported(project: Project, format_key: str, **selection) -> dict[str, bytes]:
    out = io.BytesIO()
    export_files(project, format_key, out, **selection)
    with zipfile.ZipFile(out) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != "LOSSES.txt"}


def files_of(files: dict[str, bytes], coder: str) -> dict[str, str]:
    return {name.partition("/")[2]: data.decode() for name, data in files.items() if name.startswith(f"{coder}/")}


@pytest.mark.parametrize("seed", range(3))
def test_independent_scorer_confirms_scores_of_exports(tales, seed):
    import_documents(tales, odd_codings(random.Random(seed)), ImportOptions(create=True))
    files = exported(tales, "conll2012")
    for first, second in (("anna", "ben"), ("cem", "anna")):
        key, response = conll_scorer.align(files_of(files, first), files_of(files, second))
        ours = compare_chains(read_answers(tales), Parameters(), first, second).overall.scores
        for name, scorer in (("muc", conll_scorer.muc), ("b_cubed", conll_scorer.b_cubed)):
            recall, precision = scorer(key, response)
            expected = [float(figure) for figure in (recall, precision, conll_scorer.f1(recall, precision))]
            assert [ours[name].recall, ours[name].precision, ours[name].f1] == pytest.approx(expected, abs=5e-5)
            assert 0 < expected[2] < 1


@pytest.mark.parametrize("format_key", ["conll2012", "conllu", "jsonlines", "mmax2", "webanno", "xmi", "casjson"])
def test_exported_codings_are_imported_equal(tales, format_key):
    import_documents(tales, odd_codings(random.Random(7)), ImportOptions(create=True))
    files = exported(tales, format_key)
    other = create_project("other", "Other", SCHEMES["clusters"])
    report = load(other, format_key, files)
    assert report.failures == []
    assert report.codings == 12
    assert "aligned" not in {finding.code for finding in report.findings}
    for coder in ("anna", "ben", "cem"):
        assert squeezed_chains(other, coder) == squeezed_chains(tales, coder)


def test_export_of_single_coder_has_same_words(tales):
    import_documents(tales, odd_codings(random.Random(3)), ImportOptions(create=True))
    together = files_of(exported(tales, "conll2012"), "ben")
    assert files_of(exported(tales, "conll2012", coders=["ben"]), "ben") == together


def test_export_splits_punctuation_and_sentences(tales):
    import_documents(
        tales,
        [SourceDocument(plain.parse(f"[Anna](=1) {SENTENCES[0]} [She](=1) slept.", "walk.txt"), "anna")],
        ImportOptions(create=True),
    )
    [text] = files_of(exported(tales, "conll2012"), "anna").values()
    tokens, _ = conll_scorer.read_file(text)
    expected = "Anna Anna 's dog bit Mr . Smith 's hand , and she ( the walker ) did n't laugh . She slept ."
    assert " ".join(tokens) == expected
    assert text.count("\n\n") == 2


def test_imported_tokens_are_exported_unchanged(tales):
    tokens = ["Mr.", "O'Neil", "doesn't", "like", "U.S.", "well-known", "dogs", ",", "$2.50", "each", "."]
    files = {"anna/walk.conll": conll([(word, "(1)" if place < 2 else "-") for place, word in enumerate(tokens)])}
    load(tales, "conll2012", files)
    [text] = files_of(exported(tales, "conll2012"), "anna").values()
    assert conll_scorer.read_file(text)[0] == tokens
