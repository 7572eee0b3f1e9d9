import io
import zipfile

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from agreement.data.reading import read_answers
from agreement.data.reliability import reliability_data
from agreement.measures import alpha
from agreement.models import Remark
from annotations.coding import operations, state
from annotations.coding.chains import chains_by_pointers, members_of
from annotations.coding.decisions import OperationRejected
from annotations.coding.judgements import judgements_of
from annotations.coding.log.replay import log_mismatches
from annotations.coding.markables.corrections import (
    apply_edits,
    correction_payload,
    find_edits,
    map_key,
    map_span,
    parse_correction,
)
from annotations.coding.operations import VersionConflict
from annotations.coding.readings import parse_readings
from annotations.coding.state import coding_state, corrections_of
from annotations.coding.status import submit_coding
from annotations.core.differences import TooManyDifferences
from annotations.formats.model.keys import markable_key
from annotations.models import Coding, Judgement, Operation, Project, Question, Segment, Text
from annotations.planning.work.assignments import unassign
from annotations.schemes.project_scheme import set_coder_marked_levels
from annotations.texts.correction import correct_text
from annotations.texts.correction_plan import place_edits, plan_correction
from annotations.texts.questions import Seen, ask
from annotations.transfers.archiving.restoring import restore_project
from annotations.transfers.archiving.tables import archive_project
from annotations.transfers.exporting.dispatch import export_files
from tests.shared.cases import examples
from tests.shared.coding import change, judge
from tests.shared.exports import documents_of
from tests.shared.projects import make_project
from tests.shared.pyramids import build, codings_of, contributor, docset, models_of, pyramid_project

WORDS = st.text(alphabet="abcé \n.", max_size=24)


def correct(text, user, *replacements):
    """Correct words of the text: plan each correction, then confirm it."""
    text.refresh_from_db()
    content = text.content
    for old, new in replacements:
        assert old in content
        content = content.replace(old, new, 1)
    plan = correct_text(text, content, user, plan_correction(text, content).tag)
    text.refresh_from_db()
    assert text.content == content == plan.content
    return plan


def words_of(text, key):
    markable = text.markables.get(key=key)
    return " ".join(text.content[start:end] for start, end in markable.parts)


def mismatches(project):
    codings = Coding.objects.of_people().filter(text__project=project)
    return [each for coding in codings for each in log_mismatches(coding)]


@examples(200)
@given(before=WORDS, after=WORDS, line_end=st.sampled_from(["\n", "\r\n"]))
def test_edits_turn_old_version_into_new_one(before, after, line_end):
    before = before.replace("\n", line_end)
    edits = find_edits(before, after)
    assert apply_edits(before, edits).replace(line_end, "\n") == after
    assert all(before[edit.start : edit.end] == edit.old for edit in edits)
    if edits:
        assert parse_correction(correction_payload(edits)) == tuple(edits)


@examples(200)
@given(before=WORDS, after=WORDS, start=st.integers(0, 24), length=st.integers(1, 24))
def test_spans_outside_edits_stay_and_around_edits_change(before, after, start, length):
    end = min(start + length, len(before))
    edits = find_edits(before, after)
    if start >= end:
        return
    mapped = map_span((start, end), edits)
    if all(edit.end <= start or end <= edit.start for edit in edits):
        assert mapped is not None
        assert after[slice(*mapped)] == before[start:end]
    elif all(edit.end <= start or end <= edit.start or (start <= edit.start and edit.end <= end) for edit in edits):
        inside = [edit for edit in edits if start <= edit.start < end and start < edit.end <= end]
        first, last = mapped or (0, 0)
        whole = apply_edits(before[start:end], [type(edit)(edit.start - start, edit.old, edit.new) for edit in inside])
        assert after[first:last] == whole


@pytest.mark.parametrize(
    ("before", "after", "words", "expected"),
    [
        ("teh cat", "the cat", "teh", "the"),
        ("teh cat", "the cat", "cat", "cat"),
        ("teh cat", "the cat", "teh cat", "the cat"),
        ("a cat", "a big cat", "cat", "cat"),  # inserted at its edge: outside
        ("a cat", "a big cat", "a cat", "a big cat"),
        ("cat", "cats", "cat", "cats"),  # a letter at its edge is of the word
        ("a lot", "alot", "lot", "lot"),  # joined: it cuts the word, and only the space goes
        ("don't", "do n't", "n't", "n't"),
        ("the the cat", "the cat", "the", None),
        ("big dog", "cat", "dog", None),
        ("𝄞 teh", "𝄞 the", "teh", "the"),
    ],
)
def test_markable_follows_its_words(before, after, words, expected):
    start = before.rindex(words) if expected is None else before.index(words)
    span = map_span((start, start + len(words)), find_edits(before, after))
    assert (after[slice(*span)] if span else None) == expected


def test_rewritten_text_has_too_many_differences():
    with pytest.raises(TooManyDifferences):
        find_edits("one " * 2000, "two " * 2000)
    with pytest.raises(TooManyDifferences):
        find_edits("word", "x" * 30_000)


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"edits": []},
        {"edits": [{"start": 0, "end": 2, "old": "a", "new": "b", "segments": []}]},
        {"edits": [{"start": 0, "end": 1, "old": "a", "new": "a", "segments": []}]},
        {"edits": [{"start": 4, "end": 4, "old": "", "new": "b", "segments": []}] * 2 + [{}]},
        {"edits": [{"start": s, "end": s + 1, "old": "a", "new": "b", "segments": []} for s in (4, 1)]},
    ],
)
def test_invalid_correction_payloads_are_refused(payload):
    with pytest.raises(OperationRejected):
        parse_correction(payload)


@pytest.fixture
def coded(project, codings, keys, alice, bob):
    """Let Alice and Bob judge the dialogue, with a markable and a head of Alice's own, and Alice submit it."""
    set_coder_marked_levels(project, project.levels.filter(coded=True))
    text = codings["alice"].text
    minute = text.content.index("a minute")
    own = f"phrase:{minute}-{minute + 8}"
    for name in ("alice", "bob"):
        judge(codings[name], keys["a"], "none")
        judge(codings[name], keys["c"], "phrase", keys["a"])
        judge(codings[name], keys["d"], "phrase", keys["c"] if name == "alice" else keys["b"])
    judge(codings["alice"], own, "none", head=[[minute + 2, minute + 8]])
    codings["alice"].refresh_from_db()
    submit_coding(codings["alice"], alice)
    return text


def figures(project):
    """Return alpha, and the chains of each coding as labels or words of markables."""
    extracted = read_answers(project)
    data = reliability_data(extracted.select("open"), chains="full", top="category", unmarked="missing")
    chains = {}
    for coding in Coding.objects.of_people().filter(text__project=project):
        judgements = judgements_of(coding)
        order = list(coding.text.markables.order_by("start", "-end", "key").values_list("key", "pk"))
        numbers = dict(order)
        pointers = {key: parse_readings(judgement["pointers"]) for key, judgement in judgements.items()}
        found = members_of(chains_by_pointers([key for key, _ in order], pointers))
        chains[coding.pk] = sorted(sorted(numbers[key] for key in chain) for chain in found.values())
        answers = {numbers[key]: (answer["category"], len(answer["head"])) for key, answer in judgements.items()}
        chains[-coding.pk] = sorted(answers.items())
    return alpha(data), chains


def test_correction_moves_markables_and_keeps_figures(coded, project, charlie, keys):
    before = figures(project)
    words = {markable.pk: [coded.content[s:e] for s, e in markable.parts] for markable in coded.markables.all()}
    turns = [coded.content[turn.start : turn.end] for turn in coded.segments.all()]
    plan = correct(coded, charlie, ("kettle", "big old kettle"), ("minute", "minut"))
    assert figures(project) == before
    for markable in coded.markables.all():
        now = [coded.content[start:end] for start, end in markable.parts]
        expected = [each.replace("kettle", "big old kettle").replace("minute", "minut") for each in words[markable.pk]]
        assert now == expected, markable.key
        assert markable.key.endswith(",".join(f"{start}-{end}" for start, end in markable.parts))
    now = [coded.content[turn.start : turn.end] for turn in coded.segments.all()]
    assert now == [turn.replace("kettle", "big old kettle").replace("minute", "minut") for turn in turns]
    head = Judgement.objects.exclude(head=[]).get().head
    assert [coded.content[slice(*span)] for span in head] == ["minut"]
    assert sorted(change.new for change in plan.changes if change.level != "Turn")[:1]
    assert mismatches(project) == []


def test_second_correction_restores_first_state(coded, project, charlie):
    def rows():
        return (
            list(coded.markables.order_by("pk").values_list("pk", "key", "parts", "head", "start", "end")),
            list(coded.segments.order_by("pk").values_list("pk", "start", "end")),
            [judgements_of(coding) for coding in coded.codings.of_people().order_by("pk")],
        )

    before = rows()
    correct(coded, charlie, ("the kettle", "a very old kettle"))
    assert rows() != before
    correct(coded, charlie, ("a very old kettle", "the kettle"))
    assert rows() == before
    assert mismatches(project) == []


def test_shifted_keys_do_not_collide(coded, project, charlie, codings):
    text = coded
    # "is it" and "it": after a letter is gone before them, each key is that of its neighbour before
    for start in range(30, 36):
        judge(codings["bob"], f"phrase:{start}-{start + 3}", "none")
    n = text.markables.count()
    correct(text, charlie, ("put", "pu"))
    correct(text, charlie, ("pu", "put"))
    assert text.markables.count() == n
    assert mismatches(project) == []


@pytest.mark.parametrize(
    ("old", "new", "words", "reason"),
    [
        ("the stove", "", "the stove", "deleted"),
        ("kettle on the", "pot", "the kettle", "cuts"),
        ("it hot", "hot", "it", "deleted"),
    ],
)
def test_correction_that_deletes_markable_is_refused(coded, project, charlie, old, new, words, reason):
    content = coded.content.replace(old, new, 1)
    plan = plan_correction(coded, content)
    assert any(obstacle.words == words and reason in obstacle.reason for obstacle in plan.obstacles), plan.obstacles
    with pytest.raises(ValidationError, match=words):
        correct_text(coded, content, charlie, plan.tag)
    coded.refresh_from_db()
    assert old in coded.content
    assert not Operation.objects.filter(kind="correct").exists()


def test_correction_that_makes_markables_equal_is_refused(coded, codings):
    start = coded.content.index("will be,")
    judge(codings["bob"], f"phrase:{start}-{start + 7}", "none")
    judge(codings["bob"], f"phrase:{start}-{start + 8}", "none")
    [obstacle] = plan_correction(coded, coded.content.replace("be,", "be")).obstacles
    assert (obstacle.words, "the same words as “will be,”" in obstacle.reason) == ("will be", True)


def test_correction_accepts_marked_blanks(coded, codings, charlie, project):
    blank = coded.content.index(" kettle")
    judge(codings["bob"], f"phrase:{blank}-{blank + 1}", "none")
    correct(coded, charlie, ("minute", "while"))
    assert mismatches(project) == []


def test_deleting_doubled_word_keeps_markable(coded, charlie, project):
    correct(coded, charlie, ("put the kettle", "put the the kettle"))
    plan = correct(coded, charlie, ("put the the kettle", "put the kettle"))
    assert plan.obstacles == []
    assert {words_of(coded, markable.key) for markable in coded.markables.filter(label="a")} == {"the kettle"}


def test_insertion_at_end_of_segment_extends_segment(coded, charlie, keys, project):
    correct(coded, charlie, ("is fine", "is fine now"))
    turn = coded.segments.order_by("-start").first()
    assert coded.content[turn.start : turn.end].endswith("is fine now")
    markable = coded.markables.filter(level__coded=False).order_by("-start").first()
    assert words_of(coded, markable.key).endswith("is fine now")
    assert mismatches(project) == []


def test_deleted_mark_is_an_obstacle_only_if_discussed(coded, charlie, codings, project):
    start = coded.content.index("be,")
    key = f"phrase:{start}-{start + 2}"
    judge(codings["bob"], key, "none")
    codings["bob"].refresh_from_db()
    operations.apply(codings["bob"], codings["bob"].coder, codings["bob"].version, [change("unmark", markable=key)])
    markable = coded.markables.get(key=key)
    remark = Remark.objects.create(markable=markable, author=charlie, body="Why?")
    content = coded.content.replace(" be,", ",")
    [obstacle] = plan_correction(coded, content).obstacles
    assert obstacle.words == "be"
    remark.delete()
    correct(coded, charlie, (" be,", ","))
    assert not coded.markables.filter(pk=markable.pk).exists()
    assert mismatches(project) == []


def test_outdated_page_is_refused_and_gets_correction(coded, charlie, codings, project, keys):
    bob = codings["bob"]
    bob.refresh_from_db()
    version, late = bob.version, change(markable=keys["f"], category="none")
    correct(coded, charlie, ("kettle", "pot"))
    with pytest.raises(VersionConflict) as conflict:
        operations.apply(bob, bob.coder, version, [late])
    [missed] = conflict.value.missed
    assert missed["kind"] == "correct"
    key = map_key(keys["f"], parse_correction(missed["payload"]))
    operations.apply(bob, bob.coder, version + 1, [change(markable=key, category="none")])
    assert words_of(coded, key) == "that"
    assert mismatches(project) == []


def test_concurrent_correction_gives_consistent_coding_state(
    coded, project, charlie, codings, monkeypatch, django_assert_num_queries
):
    bob = codings["bob"]
    bob.refresh_from_db()
    original = state.read_scheme

    def correct_once(found):
        monkeypatch.setattr(state, "read_scheme", original)
        correct(coded, charlie, ("kettle", "big old kettle"))
        return original(found)

    monkeypatch.setattr(state, "read_scheme", correct_once)
    shown = coding_state(bob, project)
    content = shown["text"]["content"]
    words = {content[markable["parts"][0][0] : markable["parts"][0][1]] for markable in shown["markables"]}
    assert {"the big old kettle", "the stove", "it"} <= words
    assert (shown["coding"]["version"], bob.version) == (Coding.objects.of_people().get(pk=bob.pk).version,) * 2
    assert set(shown["judgements"]) <= {markable["key"] for markable in shown["markables"]}
    assert [entry["sequence"] for entry in corrections_of(bob)] == [bob.version]
    version = bob.version
    correct(coded, charlie, ("big old kettle", "kettle"))
    assert [entry["sequence"] for entry in corrections_of(bob)] == [version]  # only corrections of this text


def test_correction_does_not_begin_coding(text, codings, charlie, alice, keys):
    correct(text, charlie, ("kettle", "pot"))
    alices = codings["alice"]
    with pytest.raises(VersionConflict):  # a page that was open shows the old words
        operations.apply(alices, alice, 0, [change(markable=keys["a"], category="none")])
    alices.refresh_from_db()
    assert (alices.version, alices.corrections, alices.is_begun) == (1, 1, False)
    assert unassign(text, "alice") == 1


def test_question_follows_words_or_moves_to_text(coded, charlie, alice, keys):
    minute = coded.content.index("give")
    kept, lost = ask(coded, alice, "Which?", keys["c"]), ask(coded, alice, "Mine?", f"phrase:{minute}-{minute + 4}")
    words = words_of(coded, keys["c"])
    correct(coded, charlie, ("the kettle", "the old kettle"), ("give it", "it"))
    kept.refresh_from_db()
    lost.refresh_from_db()
    assert (kept.key != keys["c"], words_of(coded, kept.key)) == (True, words)
    assert lost.key == ""


def test_question_with_too_long_key_moves_to_text(alice, charlie):
    project = make_project("long", marked="[a](a) " + "b " * 300)
    text = project.texts.get()
    parts, key = [], ""
    while len(f"{key},300-301") <= Question._meta.get_field("key").max_length:
        parts.append([10 + 2 * len(parts), 11 + 2 * len(parts)])
        key = markable_key("phrase", parts)
    question = ask(text, alice, "All of them?", key)
    correct(text, charlie, ("a b", "a" + " c" * 45 + " b"))
    question.refresh_from_db()
    assert question.key == ""


def test_question_from_outdated_page_keeps_words(coded, project, charlie, alice, codings, keys):
    before = Coding.objects.of_people().select_related("text").get(pk=codings["alice"].pk)
    seen, words = Seen(before, before.version), words_of(coded, keys["f"])
    minute = coded.content.index("give")
    correct(coded, charlie, ("the kettle", "the old kettle"), ("give it", "it"))
    assert words_of(coded, ask(before.text, alice, "Which?", keys["f"], seen=seen).key) == words
    assert ask(before.text, alice, "Mine?", f"phrase:{minute}-{minute + 4}", seen=seen).key == ""
    end = len(coded.content)
    with pytest.raises(ValidationError, match="no place"):
        ask(before.text, alice, "This?", f"phrase:{end}-{end + 9}", seen=seen)
    with pytest.raises(ValidationError, match="no place"):
        ask(before.text, alice, "This?", "phrase", seen=seen)


def test_correction_of_deleted_text_is_refused(text, charlie):
    content = text.content.replace("kettle", "pot")
    tag = plan_correction(text, content).tag
    Text.objects.filter(pk=text.pk).delete()
    with pytest.raises(ValidationError, match="deleted meanwhile"):
        correct_text(text, content, charlie, tag)


def test_correction_that_moves_head_out_of_markable_is_refused(coded, codings):
    turn = coded.segments.order_by("-start").first()
    judge(codings["bob"], f"phrase:{turn.start - 5}-{turn.end}", "none", head=[[turn.start, turn.end]])
    [obstacle] = plan_correction(coded, coded.content.replace("is fine", "is fine now")).obstacles
    assert obstacle.noun == "head"


def test_correction_that_makes_segments_equal_is_refused(coded):
    for end in (3, 4):
        Segment.objects.create(text=coded, kind="sentence", start=0, end=end)
    [obstacle] = plan_correction(coded, coded.content.replace("put ", "put", 1)).obstacles
    assert (obstacle.noun, "the same words as “put”" in obstacle.reason) == ("sentence", True)


def test_insertion_between_segments_extends_first_segment(coded, charlie, project):
    for kind, start, end in (("header", 0, 4), ("sentence", 0, 4), ("sentence", 4, 8), ("paragraph", 4, 8)):
        Segment.objects.create(text=coded, kind=kind, start=start, end=end)
    correct(coded, charlie, ("put the", "put 1, the"))
    found = coded.segments.exclude(kind="turn").order_by("start", "kind").values_list("kind", "start", "end")
    assert list(found) == [("header", 0, 7), ("sentence", 0, 7), ("paragraph", 7, 11), ("sentence", 7, 11)]


def test_confirming_outdated_plan_is_refused(text, charlie, codings, keys):
    content = text.content.replace("kettle", "pot")
    tag = plan_correction(text, content).tag
    start = text.content.index("kettle")
    set_coder_marked_levels(text.project, text.project.levels.filter(coded=True))
    judge(codings["bob"], f"phrase:{start}-{start + 6}", "none")
    with pytest.raises(ValidationError, match="changed since"):
        correct_text(text, content, charlie, tag)


@pytest.mark.parametrize("content", ["", "  ", "a\0b", "tea"])
def test_invalid_new_content_is_refused(text, content):
    with pytest.raises(ValidationError):
        plan_correction(text, text.content if content == "tea" else content)


def test_archive_restores_corrected_text_and_logs(coded, project, charlie):
    correct(coded, charlie, ("kettle", "big old kettle"))
    out = io.BytesIO()
    archive_project(project, out)
    restored = restore_project(out.getvalue(), slug="again").project
    assert isinstance(restored, Project)
    assert mismatches(restored) == []
    before, after = (
        Coding.objects.of_people().filter(text__project=each).order_by("coder__username")
        for each in (project, restored)
    )
    for coding, copy in zip(before, after, strict=True):
        assert (coding.version, coding.corrections) == (copy.version, copy.corrections)
        assert judgements_of(coding) == judgements_of(copy)
    correct(restored.texts.get(), charlie, ("big old kettle", "kettle"))
    assert mismatches(restored) == []


def test_exports_have_corrected_words(coded, project, charlie):
    correct(coded, charlie, ("kettle", "big old kettle"))
    [(coder, document)] = [each for each in documents_of(project) if each[0] == "alice"]
    assert coder == "alice"
    words = {document.content[start:end] for mark in document.marks for start, end in mark.parts}
    assert {"the big old kettle", "the stove", "a minute", "minute"} - words == {"minute"}
    for key in ("jsonlines", "brat", "conll2012"):
        out = io.BytesIO()
        export_files(project, key, out)
        with zipfile.ZipFile(out) as archive:
            contents = b"".join(archive.read(name) for name in archive.namelist())
        assert b"old" in contents


def test_correction_of_summary_moves_contributors_and_words(alice, bob, charlie):
    project = pyramid_project()
    text = models_of(docset(project, alice, bob))
    for coding in codings_of(text).values():
        build(coding, {"s": ["The ferry sank", "a ferry went down"], "t": ["at dawn", ["Boats", "saved"]]})
    word = text.markables.get(key=contributor(text, "ferry").replace("contributor", "word"))
    correct(text, charlie, ("ferry sank", "ferri sank at once"), ("Boats", "Some boats"))
    keys = text.markables.filter(level__coded=True).values_list("key", flat=True)
    contributors = {words_of(text, key) for key in keys}
    assert contributors == {"The ferri sank", "a ferry went down", "at dawn", "Some boats saved"}
    word.refresh_from_db()
    assert words_of(text, word.key) == "ferri"
    words = text.markables.filter(level__coded=False).order_by("start")
    assert [words_of(text, word.key) for word in words][:5] == ["The", "ferri", "sank", "at", "once"]
    summaries = Segment.objects.filter(text=text, kind="summary").order_by("start")
    assert [text.content[summary.start : summary.end].split()[0] for summary in summaries] == ["The", "At", "Forty"]
    assert mismatches(project) == []


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [("ferry sank", "ferrysank", "inside of a word"), ("Forty were rescued when the ferry sank.", "", "deleted")],
)
def test_correction_that_breaks_summary_is_refused(alice, old, new, reason):
    text = models_of(docset(pyramid_project(), alice))
    build(codings_of(text)["alice"], {"s": ["ferry"]})
    plan = plan_correction(text, text.content.replace(old, new, 1))
    assert any(reason in obstacle.reason for obstacle in plan.obstacles), plan.obstacles


def test_insertion_between_summaries_is_refused(alice):
    text = models_of(docset(pyramid_project(), alice))
    between = text.segments.order_by("start")[1].start - 1
    [obstacle] = plan_correction(text, f"{text.content[:between]} x{text.content[between:]}").obstacles
    assert obstacle.noun == "between summaries"


@pytest.mark.parametrize(("first", "last"), [(0, 3), (3, None), (0, None)])
def test_deletion_between_summaries_is_refused(alice, first, last):
    text = models_of(docset(pyramid_project(), alice))
    before, after, _ = text.segments.filter(kind="summary").order_by("start")
    between = text.content[before.end : after.start]
    deleted = between[first:last]
    content = text.content[: before.end] + between.replace(deleted, "") + text.content[after.start :]
    obstacles = plan_correction(text, content).obstacles
    assert {each.noun for each in obstacles} == {"between summaries"}, (between, obstacles)


@examples(60)
@given(before=WORDS, after=WORDS)
def test_placed_edits_give_same_text(before, after):
    edits = find_edits(before, after)
    spans = [(start, start + 3) for start in range(0, len(before) - 2, 2)]
    placed = list(place_edits(before, edits, spans))
    assert apply_edits(before, placed) == after
    if placed:
        assert parse_correction(correction_payload(placed)) == tuple(placed)
