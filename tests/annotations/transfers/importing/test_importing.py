"""Import documents as texts, markables and codings."""

import re
from dataclasses import asdict, replace
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.coding import status
from annotations.coding.judgements import judgements_of
from annotations.formats import Answer, Document, Links, Mark, Place, plain
from annotations.models import Coding, Index, Judgement, Markable, Membership, Operation, Project, Text, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member, get_or_create_coder
from annotations.revision.saving import save_scheme
from annotations.schemes.project_scheme import read_scheme
from annotations.schemes.ready_made import SCHEMES
from annotations.texts.correction import correct_text
from annotations.texts.correction_plan import plan_correction
from annotations.transfers.importing.batch import Batch
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.files.sources import Source, read_sources
from annotations.transfers.importing.options import ImportOptions
from annotations.transfers.importing.report import ImportFailed, Report
from tests.shared.imports import import_result
from tests.shared.projects import DIALOGUE
from tests.shared.schemes import change_rows

WALK = "[Anna](=1) took [[her](=1) dog](=2) for a walk."
OTHER_WALK = "[Anna](=x) took [her](=x) [dog](=y) for a walk."


def all_rows() -> dict[str, list[dict[str, Any]]]:
    """Return every row of every table."""
    models = set(apps.get_models())
    return {model._meta.label: list(model._base_manager.order_by("pk").values()) for model in models}


@pytest.fixture
def tea(db) -> Project:
    return create_project("tea", "Tea", SCHEMES["poesio-artstein-2005"])


def coded(marked: str, coder: str | None, name: str = "walk") -> SourceDocument:
    document = plain.parse(marked, f"{coder}/{name}.txt")
    return SourceDocument(document, coder)


def load(project: Project, *documents: SourceDocument, create: bool = True, **options: Any) -> Report:
    return import_documents(project, documents, ImportOptions(create=create, **options))


def refused(project: Project, *documents: SourceDocument, **options: Any) -> str:
    """Return the error of the only refused file; assert that it changes nothing and that all others are imported."""
    before = all_rows()
    report = load(project, *documents, **options, trial=True)
    assert all_rows() == before
    [failure] = report.failures
    others = [document for document in documents if document.file != failure.file]
    without = load(project, *others, **options, trial=True)
    assert not without.failures
    made = load(project, *documents, **options)
    assert made.failures == [failure]
    assert replace(without, failures=[failure]) == made
    if not others:
        assert all_rows() == before
    return str(failure)


def coding_of(coder: str, text: str = "walk") -> Coding:
    return Coding.objects.of_people().get(coder__username=coder, text__slug=text)


def seen_by(coder: str) -> set[str]:
    """Return the words of the markables that the coder sees."""
    coding = coding_of(coder)
    markables = Markable.objects.seen_in(coding.pk, coding.text_id)
    return {coding.text.content[markable.start : markable.end] for markable in markables}


def test_same_name_in_several_folders_is_one_text(tales):
    summary = load(tales, coded(WALK, "anna"), coded(WALK, "bea"), coded(WALK, "cem", "run"))
    assert str(summary) == "2 new texts, 6 new markables, 3 codings, 9 judgements"
    words = "Anna took her dog for a walk."
    assert list(tales.texts.values_list("slug", "title", "content")) == [("run", "run", words), ("walk", "walk", words)]
    codings = Coding.objects.of_people().order_by("text__slug", "coder__username")
    assert list(codings.values_list("text__slug", "coder__username", "status", "version")) == [
        ("run", "cem", "submitted", 2),
        ("walk", "anna", "submitted", 2),
        ("walk", "bea", "submitted", 2),
    ]
    assert (summary.failures, summary.left_out, summary.new_coders) == ([], [], ["anna", "bea", "cem"])
    assert {finding.code for finding in summary.findings} == {"chain-of-one", "same-words"}
    for anna in User.objects.filter(username="anna"):
        assert (anna.has_usable_password(), anna.is_staff) == (False, False)
        assert Membership.objects.get(user=anna, project=tales).role == Membership.Role.CODER


def test_imported_answers_equal_answers_of_file(tales):
    summary = load(tales, coded("[Anna](=1) met [Bob](=2) and [they](=2|1) saw [it](=) [there]", "anna"))
    assert summary.judgements == 4
    answers = judgements_of(coding_of("anna"))
    assert {key: (answer["category"], answer["indices"]) for key, answer in answers.items()} == {
        "mention:0-4": ("refers", ["1"]),
        "mention:9-12": ("refers", ["2"]),
        "mention:17-21": ("refers", ["2", "1"]),
        "mention:26-28": ("none", []),
        "mention:29-34": (None, []),
    }


def test_coders_see_only_their_own_markables(tales):
    load(tales, coded(WALK, "anna"), coded(OTHER_WALK, "bea"))
    assert Markable.objects.count() == 4
    newcomer = get_or_create_coder(tales, "newcomer", create=True)
    assign_texts(tales, tales.texts.all(), [newcomer])
    assert seen_by("anna") == {"Anna", "her", "her dog"}
    assert seen_by("bea") == {"Anna", "her", "dog"}
    assert seen_by("newcomer") == set()
    assert not Markable.objects.filter(predefined=True).exists()


@pytest.mark.parametrize("together", [True, False])
def test_every_coder_sees_predefined_markables(tales, together):
    if not together:
        load(tales, coded(WALK, "anna"))
    load(tales, *[coded(WALK, "anna")] * together, coded(OTHER_WALK, "bea"), predefined=True)
    everything = {"Anna", "her", "her dog", "dog"}
    assert Markable.objects.get(key="mention:0-4").predefined
    assert seen_by("anna") == everything
    assert seen_by("bea") == (everything if together else {"Anna", "her", "dog"})
    assert coding_of("anna").judgements.count() == 3


@pytest.mark.parametrize("order", [1, -1])
def test_markables_of_text_without_coder_are_predefined(tales, order):
    load(tales, *[coded(WALK, "anna"), coded("[Anna] took her dog for a walk.", None)][::order])
    predefined = Markable.objects.filter(predefined=True)
    assert [markable.key for markable in predefined] == ["mention:0-4"]


@pytest.mark.parametrize(("marked", "count"), [("[Anna] took her dog", "1 markable"), ("Anna ran", "0 markables")])
def test_file_without_codings_is_refused_unless_accepted(tales, marked, count):
    empty, coding = coded(marked, "anna"), coded("[Anna](=1) took her cat", "bea", "run")
    assert refused(tales, empty, coding) == (
        f"anna/walk.txt: nothing is coded in it, of {count}; if anna has coded nothing, say that a file "
        "in which nothing is coded is a coding (empty=take); if it is only a text, import texts only (--texts-only)"
    )
    report = load(tales, empty, of_format={"empty": "take"})
    assert report.codings == 1
    assert [str(finding) for finding in report.findings] == ["anna/walk.txt: no markable is coded in walk"]


@pytest.mark.parametrize("order", [1, -1])
def test_empty_coding_beside_other_coding_is_imported_and_reported(tales, order):
    empty, coding = coded("Anna took her dog", "anna"), coded("[Anna](=1) took her dog", "bea")
    report = load(tales, *[empty, coding][::order])
    assert (report.failures, report.codings) == ([], 2)
    told = [str(finding) for finding in report.findings if finding.code == "nothing-coded"]
    assert told == ["anna/walk.txt: no markable is coded in walk"]


def test_empty_coding_with_left_out_markables_is_refused(tales):
    document = coded("[Anna](=1) took her dog", "anna").document
    passed_over = replace(document, marks=[replace(mark, level="chunk") for mark in document.marks])
    other = replace(document, file="bea/walk.txt")
    report = load(
        tales, SourceDocument(passed_over, "anna"), SourceDocument(other, "bea"), of_format={"level": "chunk:"}
    )
    assert [failure.file for failure in report.failures] == ["anna/walk.txt"]
    assert "(1 markable of the level 'chunk', which the scheme does not have)" in str(report.failures[0])


@pytest.mark.parametrize("order", [1, -1])
def test_file_may_have_documents_without_chains(tales, order):
    def in_file(marked: str, name: str, coder: str) -> SourceDocument:
        return coded_in(coded(marked, coder, name), "all.txt")

    found = [in_file("[Anna](=1) ran", "one", "anna"), in_file("Bob ran", "two", "anna")][::order]
    report = load(tales, *found)
    assert (report.failures, report.texts, report.codings) == ([], 2, 2)
    told = [str(finding) for finding in report.findings if finding.code == "nothing-coded"]
    assert told == ["anna/all.txt: no markable is coded in two"]
    report = load(tales, in_file("Cem ran", "three", "bea"), in_file("Cem sat", "four", "bea"))
    assert [failure.file for failure in report.failures] == ["bea/all.txt"]


def coded_in(source: SourceDocument, name: str) -> SourceDocument:
    """Return the document as part of a file of that name."""
    return replace(source, document=replace(source.document, file=f"{source.coder}/{name}"))


@pytest.mark.parametrize("importer", ["charlie", None])
def test_import_logs_one_operation_with_all_judgements(tales, charlie, importer):
    load(tales, coded(WALK, "anna"), coded(OTHER_WALK, "bea"), by=charlie if importer else None)
    for coder in ("anna", "bea"):
        coding = coding_of(coder)
        log = list(coding.operations.values_list("sequence", "kind", "user__username"))
        assert log == [(1, "import", importer or coder), (2, "submit", importer or coder)]
        judgements = coding.operations.get(kind=Operation.Kind.IMPORT).payload["judgements"]
        assert len(judgements) == 3
        assert {judgement["markable"]: judgement for judgement in judgements} == judgements_of(coding)


@pytest.mark.parametrize(
    ("other", "word", "difference"),
    [
        ("[Anna](=1) took their dog for a walk.", "3 is 'their' (U+0074) here, 'her' (U+0068) there", "4 of 23"),
        ("Ann\u00e1 took her dog for a walk.", "1 is 'Ann\u00e1' (U+00E1) here, 'Anna' (U+0061) there", "1 of 23"),
        ("\u0410nna took her dog for a walk.", "1 is '\u0410nna' (U+0410) here, 'Anna' (U+0041) there", "1 of 23"),
        ("Anna took [her cat](=1) for a long walk. So", "4 is 'cat' (U+0063) here, 'dog' (U+0064) there", ""),
    ],
)
def test_text_that_differs_between_coders_is_refused(tales, other, word, difference):
    if difference:
        verb = "differs" if difference.startswith("1 ") else "differ"
        difference = f"{difference} characters {verb}: align=near aligns the rest"
    else:
        difference = "the copies are more than 2 insertions and deletions apart"
    message = refused(tales, coded(WALK, "anna", "before"), coded(WALK, "anna"), coded(other, "bea"))
    assert message == f"bea/walk.txt: the text differs from anna/walk.txt: word {word}; {difference}"
    load(tales, coded(WALK, "anna"))
    message = refused(tales, coded(WALK, "bea", "run"), coded(other, "bea"))
    assert message.startswith(f"bea/walk.txt: the text differs from the text walk of the project: word {word}")


def test_rows_made_after_import_get_new_keys(tales):
    load(tales, coded("[Anna](=1) took [her](=1) dog.", "anna"))
    imported = Judgement.objects.get(markable__key="mention:10-13")
    Judgement.objects.filter(pk=imported.pk).delete()
    assert Judgement.objects.create(coding=imported.coding, markable=imported.markable).pk > imported.pk


def test_importing_twice_changes_nothing(tales):
    load(tales, coded(WALK, "anna"))
    before = all_rows()
    report = load(tales, coded(WALK, "anna"))
    assert str(report) == "0 new texts, 0 new markables, 0 codings, 0 judgements, 1 coding already imported"
    assert all_rows() == before


def test_import_keeps_existing_coding(tales):
    load(tales, coded(WALK, "anna"))
    message = refused(tales, coded(WALK, "bea"), coded(OTHER_WALK, "anna"))
    assert message == "anna/walk.txt: anna has already coded walk; the existing coding is kept"


def test_import_limits_number_of_new_accounts(tales, settings):
    settings.ACCOUNTS_OF_PROJECT = 2
    message = refused(tales, *(coded(WALK, name) for name in ("anna", "bea", "carl")))
    assert message.startswith("coder 'carl': At most 2 accounts can be made for a project. ")


def test_import_fills_only_untouched_codings(tales):
    load(tales, coded(WALK, None))
    anna, bea = (get_or_create_coder(tales, name, create=True) for name in ("anna", "bea"))
    assign_texts(tales, tales.texts.all(), [anna, bea])
    coding = coding_of("bea")
    status.set_status(coding, bea, Coding.Status.SUBMITTED)
    assert "bea has already coded walk" in refused(tales, coded(WALK, "anna"), coded(WALK, "bea"))
    load(tales, coded(WALK, "anna"))
    assert coding_of("anna").judgements.count() == 3


@pytest.mark.parametrize("role", [Membership.Role.MANAGER, Membership.Role.VIEWER])
@pytest.mark.parametrize("name", ["charlie", "Charlie"])
def test_import_refuses_managers_and_viewers_as_coders(tales, charlie, role, name):
    add_member(tales, charlie, role)
    message = refused(tales, coded(WALK, "anna"), coded(WALK, name))
    assert message == f"coder {name!r}: charlie is {role} of tales and does not code."


def test_import_creates_missing_coders_only_if_asked(tales, alice):
    for name in ("anna", "alice", "Alice"):
        message = refused(tales, coded(WALK, name), create=False)
        assert message == f"coder {name!r}: {name!r} is not a member of tales. --create makes missing coders."


def test_import_hides_and_skips_accounts_of_other_users(tales, alice):
    """Users get no project and no coding without their knowledge."""
    report = {
        name: load(tales, coded(WALK, name), coded(OTHER_WALK, name, "run"), coded(WALK, name.upper()), trial=True)
        for name in ("alice", "ghost")
    }
    said = [re.sub("alice|ghost", "NAME", str(asdict(told)), flags=re.IGNORECASE) for told in report.values()]
    assert said[0] == said[1]
    assert report["alice"].new_coders == ["alice"]
    message = "somebody has it who is not a member of tales. Invite that person, or use another name."
    done = load(tales, coded(WALK, "Alice"), coded(WALK, "anna"))
    assert [str(failure) for failure in done.failures] == [
        f"coder 'Alice': no account can be made with the name 'Alice': {message}"
    ]
    assert done.new_coders == ["anna"]
    assert not alice.codings.of_people().exists()
    assert not alice.memberships.exists()


def test_coder_in_two_spellings_codes_text_once(tales, alice):
    add_member(tales, alice, "coder")
    message = refused(tales, coded(WALK, "alice"), coded(OTHER_WALK, "Alice"))
    assert message.endswith("walk coded by alice stands in alice/walk.txt too")


def test_refused_file_does_not_block_same_coding_in_other_file(tales, alice):
    add_member(tales, alice, "coder")
    refused_file = [replace(entry, source="all.csv") for entry in (coded(WALK, "alice"), coded(WALK, "a b"))]
    report = load(tales, *refused_file, coded(OTHER_WALK, "Alice"))
    assert [failure.file for failure in report.failures] == ["all.csv"]
    assert report.codings == 1


def test_refused_file_creates_no_coders(tales):
    load(tales, coded(WALK, "ben"))
    there, new = (replace(coded(OTHER_WALK, name), source="all.csv") for name in ("ben", "zoe"))
    report = load(tales, there, new, coded(WALK, "anna"))
    assert [failure.file for failure in report.failures] == ["all.csv"]
    assert report.new_coders == ["anna"]
    assert not User.objects.filter(username="zoe").exists()


def test_coder_is_found_in_any_case(tales, alice):
    add_member(tales, alice, "coder")
    load(tales, coded(WALK, "Alice"))
    assert coding_of("alice").judgements.count() == 3
    assert User.objects.count() == 1


@pytest.mark.parametrize("name", ["", "an na", "x" * 151, "a/b"])
def test_invalid_coder_name_is_refused(tales, name):
    assert refused(tales, coded(WALK, name)).startswith(f"coder {name!r}: ")


def test_project_of_categories_refuses_chains(db):
    project = create_project("tea", "Tea", SCHEMES["sortal-classes"])
    assert refused(project, coded(WALK, "anna")) == (
        "anna/walk.txt: this file has coreference chains; the scheme asks for categories only"
    )
    assert str(load(project, coded(WALK, None))) == "1 new text, 3 new markables, 0 codings, 0 judgements"


def test_chains_become_pointers_in_project_of_pointers(tea):
    load(tea, coded("[Anna](=1) met [Bob](=2), [she](=1) saw [him](=2), [they](=1|2) left [it](=)", "anna"))
    answers = judgements_of(coding_of("anna"))
    assert {key: (answer["category"], answer["pointers"]) for key, answer in answers.items()} == {
        "phrase:0-4": ("none", []),
        "phrase:9-12": ("none", []),
        "phrase:14-17": ("phrase", ["phrase:0-4"]),
        "phrase:22-25": ("phrase", ["phrase:9-12"]),
        "phrase:27-31": ("phrase", ["phrase:14-17", "phrase:22-25"]),
        "phrase:37-39": ("none", []),
    }


def test_pointers_become_indices_in_project_of_indices(tales):
    anna, her, dog, it = (Place("", (span,)) for span in ((0, 4), (10, 13), (14, 17), (18, 20)))
    marks = [
        Mark(anna.parts, answer=Answer()),
        Mark(her.parts, answer=Answer(category="phrase", pointers=(anna,), note="sure?")),
        Mark(dog.parts, answer=Answer()),
        Mark(it.parts, answer=Answer(optional=True)),
    ]
    document = Document("walk", "walk.sgm", "Anna took her dog it", marks, links=Links.POINTERS)
    load(tales, SourceDocument(document, "anna"))
    answers = judgements_of(coding_of("anna"))
    assert {key: (answer["category"], answer["indices"]) for key, answer in answers.items()} == {
        "mention:0-4": ("refers", ["1"]),
        "mention:10-13": ("refers", ["1"]),
        "mention:14-17": ("refers", ["2"]),
        "mention:18-20": ("refers", ["3"]),
    }
    assert (answers["mention:10-13"]["note"], answers["mention:18-20"]["optional"]) == ("sure?", True)


def test_import_keeps_every_field_of_answer(db):
    project = create_project("tea", "Tea", SCHEMES["muc-ident"])
    anna, her = Place("", ((0, 4),)), Place("", ((10, 17),))
    answer = Answer(
        category="", pointers=(anna,), indices=(), optional=True, unsure=True, note="a note", name="the dog"
    )
    marks = [Mark(anna.parts, answer=Answer(category="none")), Mark(her.parts, head=((14, 17),), answer=answer)]
    load(
        project, SourceDocument(Document("walk", "walk.sgm", "Anna took her dog", marks, links=Links.POINTERS), "anna")
    )
    assert Markable.objects.get(key="phrase:10-17").head == []
    assert judgements_of(coding_of("anna"))["phrase:10-17"] == {
        "markable": "phrase:10-17",
        "category": "ident",
        "pointers": ["phrase:0-4"],
        "indices": [],
        "note": "a note",
        "name": "the dog",
        "head": [[14, 17]],
        "unsure": True,
        "optional": True,
    }


def pointer_to(span: tuple[int, int]) -> Answer:
    return Answer(category="phrase", pointers=(Place("", (span,)),))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            Answer(category="verb"),
            "the scheme has no category 'verb', only phrase, segment, place, none; "
            "category=verb:HERE says which it is, or category=*: passes all over",
        ),
        (pointer_to((18, 20)), "'phrase:18-20' comes later in the text than 'phrase:10-13'."),
        (pointer_to((1, 3)), "phrase:10-13 points to what is not marked"),
        (pointer_to((10, 13)), "'phrase:10-13' cannot be its own antecedent."),
        (Answer(category="phrase", note="x" * 10_001), "A note has at most 10000 characters."),
    ],
)
def test_answer_that_scheme_does_not_allow_is_refused(tea, answer, message):
    marks = [Mark(((10, 13),), answer=answer, line=4), Mark(((18, 20),), answer=Answer(category="none"), line=5)]
    document = Document("walk", "walk.sgm", "Anna took her dog it", marks, links=Links.POINTERS)
    assert refused(tea, SourceDocument(document, "anna")) == f"walk.sgm:4: {message}"


MANY_PARTS = tuple((place, place + 1) for place in range(0, 400, 2))


@pytest.mark.parametrize("parts", [((0, 999),), ((4, 4),), ((3, 2),), ((0, 2), (2, 4)), ((4, 6), (0, 2)), MANY_PARTS])
def test_markable_that_does_not_fit_text_is_refused(tales, parts):
    document = Document("walk", "walk.x", "ab" * 200, [Mark(parts, line=3)])
    message = "a markable of 200 parts is too much" if parts == MANY_PARTS else ""
    assert refused(tales, SourceDocument(document, None)).startswith(f"walk.x:3: {message}")


def test_documents_of_file_are_imported_together_or_not_at_all(tales):
    good, bad, other = coded(WALK, "anna", "a"), coded("#turns: turn\n1 M: [go]", None, "b"), coded(WALK, "bea", "c")
    documents = [replace(good, source="all.x"), replace(bad, source="all.x"), other]
    report = load(tales, *documents)
    assert [failure.file for failure in report.failures] == ["all.x"]
    assert list(tales.texts.values_list("slug", flat=True)) == ["c"]


def test_text_takes_nothing_from_refused_file(tales):
    refused_first = coded("#title: Wrong\n#turns: x\n1 M: [go]\n", "anna")
    load(tales, refused_first, coded("#title: Right\n[go](=1)", "bea"))
    text = Text.objects.get()
    assert (text.title, text.segments.count()) == ("Right", 0)


def test_progress_is_reported_for_every_document(tales):
    told: list[tuple[int, int]] = []
    documents = [coded(WALK, "anna", f"walk-{number}") for number in range(120)]
    import_documents(tales, documents, ImportOptions(create=True), progress=lambda *done: told.append(done))
    assert told == [(number, 120) for number in range(121)]


def test_project_without_coded_level_refuses_import(tales):
    change_rows(tales.levels.all(), coded=False)
    with pytest.raises(ImportFailed, match=r"^The scheme of tales has no level that is coded\.$"):
        load(tales, coded(WALK, None))


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        (
            [coded(WALK, "anna", "Walk 1"), coded(WALK, "bea", "walk-1")],
            "bea/walk-1.txt: the name 'walk-1' gives the same address as 'Walk 1' (anna/Walk 1.txt)",
        ),
        (
            [coded(WALK, "anna", "a b"), coded("[She](=1) saw", "anna", "a.b")],
            "anna/a.b.txt: the name 'a.b' gives the same address as 'a b' (anna/a b.txt)",
        ),
        ([coded(WALK, "anna"), coded(WALK, "anna")], "anna/walk.txt: walk coded by anna stands in anna/walk.txt too"),
        ([coded(WALK, None), coded(WALK, None)], "None/walk.txt: walk stands in None/walk.txt too"),
        (
            [coded("#turns: turn\n1 M: [go]\n", None)],
            "None/walk.txt:2: the scheme has no level 'turn', only mention; level=turn reads it as the coded one, "
            "or level=turn: leaves it out",
        ),
        (
            [coded(f"#language: {'x' * 36}\na", None)],
            "None/walk.txt: language: Ensure this value has at most 35 characters",
        ),
    ],
)
def test_conflicting_or_invalid_names_are_refused_with_file(tales, documents, message):
    assert refused(tales, coded(WALK, "zoe", "first"), *documents).startswith(message)


def test_discontinuous_markable_keeps_its_parts(tales):
    mark = Mark(((0, 4), (14, 17)), head=((14, 17),), answer=Answer(indices=("1",)))
    load(tales, SourceDocument(Document("walk", "walk.xml", "Anna took her dog", [mark]), "anna"))
    markable = Markable.objects.get()
    assert (markable.key, markable.parts) == ("mention:0-4,14-17", [[0, 4], [14, 17]])
    assert (markable.start, markable.end, markable.head) == (0, 17, [])
    load(tales, SourceDocument(Document("run", "run.xml", "Anna took her dog", [replace(mark, answer=None)]), None))
    assert Markable.objects.get(text__slug="run").head == [[14, 17]]


def test_longest_names_of_formats_are_stored(tales, tea):
    row = "\t".join(["d", "0", "0", "w", *["-"] * 5, "S" * 100, "*", "(" + "漢" * 200 + ")"])
    text = f"#begin document ({'d' * 900}); part 000\n{row}\n#end document\n"
    import_result(
        tales, read_sources("conll2012", [Source("a/walk.conll", text.encode())], "parent"), ImportOptions(create=True)
    )
    assert Index.objects.get().entity == "漢" * 200
    turn = f"#turns: turn\n{'t' * 50} {'M' * 99}: [go]({'l' * 50})\n"
    load(tea, coded(turn, None))
    assert set(tea.texts.get().markables.values_list("label", flat=True)) == {"t" * 50, "l" * 50}


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("options", [{}, {"predefined": True}])
def test_import_takes_fixed_number_of_queries(tales, options, known):
    def queries(size: int) -> int:
        name = f"walk{size}"
        anna, bea = (coded("[a](=1) " * size, coder, name) for coder in ("anna", "bea"))
        if known:
            load(tales, anna)
        with CaptureQueriesContext(connection) as captured:
            load(tales, *[anna] * (not known), bea, **options)
        assert Markable.objects.filter(text__slug=name, predefined=bool(options)).count() == size
        return len(captured)

    queries(1)  # makes the coders
    assert queries(2) == queries(300)


SOURCE = WALK.encode()


@pytest.mark.parametrize(
    ("file", "coder_from", "name", "coder"),
    [
        ("x/anna/walk.txt", "parent", "walk", "anna"),
        ("anna/walk.v1.txt", "parent", "walk.v1", "anna"),
        ("x/walk.anna.txt", "name", "walk", "anna"),
        ("a.walk.anna.txt", "name", "a.walk", "anna"),
        ("x/walk.txt", "nobody", "walk", None),
        ("x/walk.txt", "=anna", "walk", "anna"),
    ],
)
def test_option_determines_coder_of_file(file, coder_from, name, coder):
    [found] = read_sources("plain", [Source(file, SOURCE)], coder_from).documents
    assert (found.document.name, found.coder, found.document.file) == (name, coder, file)


@pytest.mark.parametrize(
    ("file", "coder_from", "message"),
    [
        ("walk.txt", "parent", "walk.txt: the file is in no folder, so its coder is unknown; try texts only"),
        ("walk.txt", "name", "walk.txt: the name has no coder in it; it should be TEXT.CODER.txt"),
        ("a/.anna.txt", "name", "a/.anna.txt: the name has no coder in it; it should be TEXT.CODER.txt"),
    ],
)
def test_file_that_names_no_coder_is_refused(file, coder_from, message):
    brought = read_sources("plain", [Source(file, SOURCE)], coder_from)
    assert [str(failure) for failure in brought.failures] == [message]
    assert brought.documents == []


def test_unreadable_file_does_not_block_other_files(tales):
    sources = [Source("a/walk.txt", SOURCE), Source("b/walk.txt", b"[Anna"), Source("b/walk.md", b"x", in_folder=True)]
    report = import_result(tales, read_sources("plain", sources, "parent"), ImportOptions(create=True))
    assert [str(failure) for failure in report.failures] == ["b/walk.txt:1:1: the bracket [ is never closed"]
    assert report.left_out == ["b/walk.md"]
    assert str(report) == "1 new text, 3 new markables, 1 coding, 3 judgements, 1 file refused"


@pytest.mark.parametrize("separator", ["_", "-"])
def test_option_sets_separator_of_text_and_coder(tales, separator):
    files = [Source(f"the walk{separator}{coder}.txt", SOURCE) for coder in ("anna", "ben")]
    [refused, _] = read_sources("plain", files, "name").failures
    assert str(refused).endswith(f"it should be TEXT.CODER.txt, or say what parts them: separator={separator}")
    found = read_sources("plain", files, "name", {"separator": separator}).documents
    assert [(source.document.name, source.coder) for source in found] == [("the walk", "anna"), ("the walk", "ben")]


@pytest.mark.parametrize(
    ("names", "told", "way"),
    [
        (["walk_anna", "walk_ben"], ["walk_anna and walk_ben have the same words"], "separator=_"),
        (["walk-anna", "walk-ben"], ["walk-anna and walk-ben have the same words"], "separator=-"),
        (["walk", "walk (1)", "a", "b"], ["walk, walk (1), a and 1 more have the same words"], ""),
        (["walk_anna", "run_ben"], ["walk_anna and run_ben have the same words"], ""),
        (["walk", "walk"], [], ""),
    ],
)
def test_same_words_under_several_names_are_reported(tales, names, told, way):
    documents = [
        SourceDocument(replace(plain.parse(WALK + " " * number, f"{number}/{name}.txt"), name=name), f"coder{number}")
        for number, name in enumerate(names)
    ]
    report = load(tales, *documents, coded("[Bob](=1) sat.", "carl", "other"))
    findings = [each for each in report.findings if each.code == "same-words"]
    assert [each.message for each in findings] == told
    assert all(each.fix.partition("--coder-from name with ")[2] == way for each in findings)


def test_parts_of_file_are_same_texts_for_every_coder(tales):
    part = "#begin document (walk); part {}\nw\t0\t0\tword{}\t-\t(1)\n#end document\n"
    data = "".join(part.format(n, n) for n in (0, 1)).encode()
    sources = [Source(f"x/walk.{coder}.conll", data) for coder in ("anna", "bea")]
    load(tales, *read_sources("conll2012", sources, "name").documents)
    assert list(tales.texts.values_list("slug", "content")) == [("walk-0", "word0"), ("walk-1", "word1")]
    assert Coding.objects.of_people().count() == 4


def test_unnamed_parts_are_named_without_coder():
    part = b"#begin document (); part 00%d\nx 0 0 One - (0)\n\n#end document\n"
    sources = [Source(f"walk.{coder}.conll", part % 0 + part % 1) for coder in ("anna", "ben")]
    found = read_sources("conll2012", sources, "name").documents
    expected = [("walk 0", "anna"), ("walk 1", "anna"), ("walk 0", "ben"), ("walk 1", "ben")]
    assert [(entry.document.name, entry.coder) for entry in found] == expected


def test_import_fails_if_text_is_corrected_meanwhile(project, text, charlie, monkeypatch):
    document = plain.parse(DIALOGUE, "tea.txt")

    def correct(self) -> None:
        content = text.content.replace("kettle", "teapot")
        correct_text(text, content, charlie, plan_correction(text, content).tag)
        refuse(self)

    refuse = Batch.refuse_corrected_texts
    monkeypatch.setattr(Batch, "refuse_corrected_texts", correct)
    with pytest.raises(ImportFailed, match="was corrected while"):
        import_documents(project, [SourceDocument(document, "dora")], ImportOptions(create=True))
    assert not Coding.objects.of_people().filter(coder__username="dora").exists()


def test_import_fails_if_scheme_is_changed_meanwhile(tales, charlie):
    def retire(done: int, _: int) -> None:
        spec = read_scheme(tales.pk).spec
        retired = tuple(replace(category, retired=True) for category in spec.categories)
        save_scheme(tales, replace(spec, categories=retired), charlie)

    with pytest.raises(ImportFailed, match="The scheme was changed while the files were read"):
        import_documents(tales, [coded(WALK, "dora")], ImportOptions(create=True), progress=retire)
    assert not Coding.objects.of_people().exists()


def test_file_with_corrected_words_counts_as_imported(tales, charlie):
    import_documents(tales, [coded(WALK, "dora")], ImportOptions(create=True))
    text = tales.texts.get()
    content = text.content.replace("dog", "old dog")
    correct_text(text, content, charlie, plan_correction(text, content).tag)
    again = import_documents(tales, [coded(WALK.replace("dog", "old dog"), "dora")], ImportOptions(create=True))
    assert (again.unchanged, again.failures) == (1, [])
    other = WALK.replace("dog](=2)", "old dog](=3)")
    assert import_documents(tales, [coded(other, "dora")], ImportOptions(create=True)).unchanged == 0
