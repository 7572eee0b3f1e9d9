"""Plan the correction of a text that is coded: what moves with its words, and what has no single meaning then."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import batched

from django.core.exceptions import ValidationError

from annotations.coding.markables.corrections import (
    MAX_EDITED_CHARACTERS,
    MAX_EDITS,
    Edit,
    apply_edits,
    correction_payload,
    find_edits,
    is_inside_word,
    map_key,
    map_parts,
    map_span,
    map_spans,
)
from annotations.coding.markables.markables import lies_within
from annotations.coding.markables.tokenization import WORD_LEVEL, token_spans
from annotations.core.database.bulk import MAX_KEYS
from annotations.core.differences import TooManyDifferences
from annotations.core.http.etags import etag_of
from annotations.core.text import is_storable
from annotations.formats.model.keys import markable_key
from annotations.formats.model.spans import Span, lie_in
from annotations.models import Coding, Judgement, Markable, Segment, Text

MAX_TEXT_LENGTH = 1_000_000
LONGEST_WORDS = 200
EXCERPT_LENGTH = 40  # characters to each side of a place
FARTHEST_SHIFT = 50  # of deleted words along equal ones ("the the"), so that they cut through nothing
# What to do about an obstacle.
IN_STEPS = "Correct the words inside and outside of it one after the other."
DELETE_ONE = "Let whoever marked one of them delete it first, or leave the words between them."
LEAVE_WORDS = "All its words would be deleted. Leave some of them"
GIVEN, MARKED = "it came with the text.", "let whoever marked it delete it first."
KEY_LENGTH = Markable._meta.get_field("key").max_length or 0


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What a correction would delete or cut through: what it is, its words, and why that is refused."""

    noun: str
    words: str
    reason: str


@dataclass(frozen=True, slots=True)
class WordChange:
    level: str
    old: str
    new: str


@dataclass(slots=True)
class CorrectionPlan:
    """What a correction does, and what stands against it."""

    edits: list[Edit]
    content: str
    obstacles: list[Obstacle] = field(default_factory=list)
    changes: list[WordChange] = field(default_factory=list)
    moved: int = 0  # markables that are elsewhere afterwards
    markables: list[Markable] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    judgements: list[Judgement] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)  # markables that nobody has marked any more
    new_words: list[Span] = field(default_factory=list)  # words of summaries that get markables
    word_level: int | None = None
    codings: int = 0
    submitted: int = 0

    def refuse(self, noun: str, words: str, reason: str) -> None:
        self.obstacles.append(Obstacle(noun, _short(words), reason))

    @property
    def tag(self) -> str:
        """A tag by which it is noticed that other words change than somebody saw."""
        return etag_of(
            {
                "edits": correction_payload(self.edits),
                "changes": [[change.level, change.old, change.new] for change in self.changes],
            }
        )


def plan_correction(text: Text, content: str) -> CorrectionPlan:
    """Return what it means that the text is to have this content. Raise ValidationError for what no text can have."""
    if not is_storable(content) or not content.strip():
        raise ValidationError("A text has words, and no characters that cannot be stored.")
    try:
        edits = find_edits(text.content, content)
    except TooManyDifferences:
        raise ValidationError(
            f"This is more than a correction: at most {MAX_EDITS} places and {MAX_EDITED_CHARACTERS:,} characters "
            "change at a time. Correct it in steps, or add it as a new text."
        ) from None
    if not edits:
        raise ValidationError("Nothing has changed.")
    markables = list(Markable.objects.filter(text=text).select_related("level"))
    segments = list(Segment.objects.filter(text=text))
    spans = [(start, end) for one in markables for start, end in one.parts]
    edits = list(place_edits(text.content, edits, spans + [(one.start, one.end) for one in segments]))
    edits = list(add_segments(edits, segments))
    plan = CorrectionPlan(edits, apply_edits(text.content, edits))
    if len(plan.content) > MAX_TEXT_LENGTH:
        raise ValidationError(f"A text has at most {MAX_TEXT_LENGTH:,} characters.")
    _plan_segments(plan, text, segments)
    words, others = list[Markable](), list[Markable]()
    for one in markables:
        is_word = text.role != Text.Role.SOURCE and one.level.key == WORD_LEVEL and not one.level.coded
        (words if is_word else others).append(one)
    starts, ends = {one.start for one in words}, {one.end for one in words}
    whole = {one.pk for one in others if _consists_of(one, starts, ends)}
    in_use = _plan_markables(plan, text, others)
    _plan_heads(plan, text)
    if words:
        _plan_words(plan, text, words, [one for one in in_use if one.pk in whole])
    statuses = list(Coding.objects.of_people().filter(text=text).order_by().values_list("status", flat=True))
    plan.codings, plan.submitted = len(statuses), statuses.count(Coding.Status.SUBMITTED)
    return plan


@dataclass(frozen=True, slots=True)
class Excerpt:
    """An edit with some of the words around it."""

    before: str
    old: str
    new: str
    after: str


def excerpts(content: str, plan: CorrectionPlan) -> list[Excerpt]:
    """Return the edits of the content that a plan makes, as they are read."""
    return [
        Excerpt(_words_before(content, edit.start), edit.old, edit.new, _words_after(content, edit.end))
        for edit in plan.edits
    ]


def _words_before(content: str, end: int) -> str:
    start = max(end - EXCERPT_LENGTH, 0)
    _, space, words = content[start:end].partition(" ")
    return content[start:end] if not start or not space else f"… {words}"


def _words_after(content: str, start: int) -> str:
    end = min(start + EXCERPT_LENGTH, len(content))
    words, space, _ = content[start:end].rpartition(" ")
    return content[start:end] if end == len(content) or not space else f"{words} …"


def _plan_segments(plan: CorrectionPlan, text: Text, segments: Sequence[Segment]) -> None:
    before = _summaries(segments)
    taken: dict[tuple[str, Span], str] = {}
    for segment in segments:
        words = text.content[segment.start : segment.end]
        span = map_span((segment.start, segment.end), plan.edits)
        if span is None or _loses_words(words, plan.content[slice(*span)]):
            plan.refuse(segment.get_kind_display(), words, _reason((segment.start, segment.end), plan))
        elif (segment.kind, span) in taken:
            reason = f"It would have the same words as “{taken[segment.kind, span]}”. Leave the words between them."
            plan.refuse(segment.get_kind_display(), words, reason)
        else:
            taken[segment.kind, span] = _short(words)
            if span != (segment.start, segment.end):
                segment.start, segment.end = span
                plan.segments.append(segment)
    if text.role == Text.Role.MODELS:
        after, growth = _summaries(segments), 0
        for edit in plan.edits:
            start = edit.start + growth
            growth += edit.growth
            is_inside = lie_in([(edit.start, edit.end)], before) and lie_in([(start, start + len(edit.new))], after)
            if not is_inside:
                plan.refuse("between summaries", edit.old or edit.new, "What names the summaries stays.")


def _summaries(segments: Iterable[Segment]) -> tuple[Span, ...]:
    return tuple(sorted((one.start, one.end) for one in segments if one.kind == Segment.Kind.SUMMARY))


def _plan_markables(plan: CorrectionPlan, text: Text, markables: Sequence[Markable]) -> list[Markable]:
    """Plan where the markables are; return those that came with the text or that somebody marks."""
    judged = set(Judgement.objects.filter(coding__text=text).order_by().values_list("markable", flat=True))
    in_use = [one for one in markables if one.predefined or one.pk in judged]
    unused = [one for one in markables if not (one.predefined or one.pk in judged)]
    taken: dict[str, str] = {}
    for markable in in_use:
        words = _words(text.content, markable.parts)
        parts, head, key = _mapped(markable, plan.edits)
        noun = markable.level.label or markable.level.key
        if parts is None or key is None or _loses_words(words, _words(plan.content, parts)):
            plan.refuse(noun, words, _reason((markable.start, markable.end), plan, given=markable.predefined))
        elif head is None or not lies_within(head, parts):
            plan.refuse(noun, words, "Its head would be deleted or cut. " + IN_STEPS)
        elif len(key) > KEY_LENGTH:
            plan.refuse(noun, words, "It has too many parts to be moved.")
        elif key in taken:
            plan.refuse(noun, words, f"It would have the same words as “{taken[key]}”. {DELETE_ONE}")
        else:
            taken[key] = _short(words)
            plan.moved += _move(plan, markable, parts, head, key)
            new = _words(plan.content, parts)
            if words != new:
                plan.changes.append(WordChange(noun, _short(words), _short(new)))
    lost = []
    for markable in unused:
        parts, head, key = _mapped(markable, plan.edits)
        if parts is None or head is None or key is None or key in taken or len(key) > KEY_LENGTH:
            lost.append(markable)
        else:
            taken[key] = ""
            _move(plan, markable, parts, head, key)
    _plan_losses(plan, text, lost)
    return in_use


def _move(plan: CorrectionPlan, markable: Markable, parts: Sequence[Span], head: Sequence[Span], key: str) -> bool:
    """Plan that the markable is elsewhere; return whether it is."""
    if key == markable.key:
        return False
    markable.key = key
    markable.parts, markable.head = [list(span) for span in parts], [list(span) for span in head]
    markable.start, markable.end = parts[0][0], parts[-1][1]
    plan.markables.append(markable)
    return True


def _mapped(markable: Markable, edits: Sequence[Edit]) -> tuple[tuple[Span, ...] | None, list[Span] | None, str | None]:
    return map_parts(markable.parts, edits), map_spans(markable.head, edits), map_key(markable.key, edits)


def _plan_heads(plan: CorrectionPlan, text: Text) -> None:
    """Plan where the heads are that coders have given."""
    judgements = Judgement.objects.filter(coding__text=text).exclude(head=[]).select_related("markable__level")
    for judgement in judgements.order_by("pk"):
        head = map_spans(judgement.head, plan.edits)
        parts = map_parts(judgement.markable.parts, plan.edits)
        if head is None or not (parts and lies_within(head, parts)):
            words = _words(text.content, judgement.head)
            plan.refuse("head", words, "A coder chose it, and it would be deleted or cut.")
        elif (spans := [list(span) for span in head]) != judgement.head:
            judgement.head = spans
            plan.judgements.append(judgement)


def _plan_words(plan: CorrectionPlan, text: Text, words: Sequence[Markable], contributors: Sequence[Markable]) -> None:
    """Plan the words of summaries anew: those that are still words move, and the others come and go."""
    # `contributors` are the markables that consisted of whole words, and are to do so.
    plan.word_level = words[0].level_id
    new = _summary_words(plan, text)
    left = set(new)
    lost = []
    for markable in words:
        [(start, end)] = markable.parts
        span = map_span((start, end), plan.edits)
        if span in left:
            left.discard(span)
            _move(plan, markable, [span], [], markable_key(WORD_LEVEL, [span]))
        else:
            lost.append(markable)
    plan.new_words = sorted(left)
    _plan_losses(plan, text, lost)
    if plan.obstacles:
        return
    starts, ends = {start for start, _ in new}, {end for _, end in new}
    for markable in contributors:
        if not _consists_of(markable, starts, ends):
            noun, covered = markable.level.label or markable.level.key, _words(plan.content, markable.parts)
            plan.refuse(noun, covered, f"It would begin or end inside of a word. {IN_STEPS}")


def _consists_of(markable: Markable, starts: Collection[int], ends: Collection[int]) -> bool:
    """Return whether each part of the markable begins where a word begins, and ends where one ends."""
    return all(start in starts and end in ends for start, end in markable.parts)


def _summary_words(plan: CorrectionPlan, text: Text) -> list[Span]:
    """Return the words of the summaries as they are afterwards."""
    if text.role == Text.Role.PEER:
        return token_spans(plan.content)
    moved = {segment.pk: segment for segment in plan.segments}
    segments = Segment.objects.filter(text=text, kind=Segment.Kind.SUMMARY)
    places = sorted((moved.get(one.pk, one).start, moved.get(one.pk, one).end) for one in segments)
    return [
        (first + start, first + end) for first, last in places for start, end in token_spans(plan.content[first:last])
    ]


def _plan_losses(plan: CorrectionPlan, text: Text, markables: Sequence[Markable]) -> None:
    """Plan to delete markables that nobody marks any more; those that something refers to stand in the way."""
    referred = set(_referred([markable.pk for markable in markables]))
    for markable in markables:
        if markable.pk in referred:
            words = _words(text.content, markable.parts)
            plan.refuse("item", words, "It would be deleted, and somebody has discussed it.")
        else:
            plan.lost.append(markable.pk)


def _referred(keys: Sequence[int]) -> Iterator[int]:
    """Yield those of the markables that a row of any table refers to."""
    for relation in Markable._meta.related_objects:
        if relation.many_to_many:
            continue  # its rows are those of a model of ours
        name = relation.field.name
        for batch in batched(keys, MAX_KEYS):
            rows = relation.related_model._base_manager.filter(**{f"{name}__in": batch})
            yield from rows.values_list(name, flat=True)


def _reason(span: Span, plan: CorrectionPlan, *, given: bool = True) -> str:
    """Return why what stood there cannot be mapped."""
    start, end = span
    cut = any(edit.start < start < edit.end or edit.start < end < edit.end for edit in plan.edits)
    deleted = any(edit.start <= start and end <= edit.end for edit in plan.edits)
    deletion = f"{LEAVE_WORDS}: {GIVEN}" if given else f"{LEAVE_WORDS}, or {MARKED}"
    return f"The correction cuts through it. {IN_STEPS}" if cut and not deleted else deletion


def _loses_words(old: str, new: str) -> bool:
    """Return whether only blanks are left of words."""
    return bool(old.replace("…", "").strip()) and not new.replace("…", "").strip()


def _words(content: str, parts: Iterable[Sequence[int]]) -> str:
    return " … ".join(content[start:end] for start, end in parts)


def _short(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= LONGEST_WORDS else f"{words[: LONGEST_WORDS - 1]}…"


def place_edits(content: str, edits: Sequence[Edit], spans: Sequence[Span]) -> Iterator[Edit]:
    """Yield the edits, those that only delete or only insert where they cut through least."""
    # Where such words stand beside equal ones ("the the"), it is open which of them are the new or deleted ones.
    for number, edit in enumerate(edits):
        if edit.new and edit.old:
            yield edit
            continue
        before = edits[number - 1].end + 1 if number else 0
        after = edits[number + 1].start - 1 if number + 1 < len(edits) else len(content)
        candidates = [each for each in _shifted(content, edit) if before <= each.start and each.end <= after]
        if not candidates:
            yield edit
            continue
        near = [
            (start, end)
            for start, end in spans
            if start < edit.end + FARTHEST_SHIFT and edit.start - FARTHEST_SHIFT < end
        ]
        yield min([edit, *candidates], key=lambda each: (*_damage(content, each, near), each != edit))


def _damage(content: str, edit: Edit, spans: Iterable[Span]) -> tuple[int, int, int]:
    """Return how many spans the edit deletes or cuts, how many words it cuts, and how many spans it changes."""
    spans = list(spans)
    lost = sum(map_span(span, [edit]) is None for span in spans)
    in_words = is_inside_word(content, edit.start) + is_inside_word(content, edit.end)
    return lost, in_words, sum(start < edit.end and edit.start < end for start, end in spans)


def _shifted(content: str, edit: Edit) -> Iterator[Edit]:
    """Yield the edits that make the same text, nearest first to each side."""
    start, words = edit.start, edit.old or edit.new
    while start and edit.start - start < FARTHEST_SHIFT and content[start - 1] == words[-1]:
        start, words = start - 1, words[-1] + words[:-1]
        yield _moved(edit, start, words)
    start, words, end = edit.start, edit.old or edit.new, edit.end
    while end < len(content) and start - edit.start < FARTHEST_SHIFT and content[end] == words[0]:
        start, words, end = start + 1, words[1:] + words[0], end + 1
        yield _moved(edit, start, words)


def _moved(edit: Edit, start: int, words: str) -> Edit:
    return Edit(start, words, "") if edit.old else Edit(start, "", words)


def add_segments(edits: Iterable[Edit], segments: Iterable[Segment]) -> Iterator[Edit]:
    """Yield the edits, insertions with the segments that take them in: of two of a kind that touch, the first."""
    starting: dict[int, list[Segment]] = defaultdict(list)
    ending: dict[int, list[Segment]] = defaultdict(list)
    for segment in segments:
        starting[segment.start].append(segment)
        ending[segment.end].append(segment)
    for edit in edits:
        if edit.old:
            yield edit
            continue
        before, after = ending[edit.start], starting[edit.start]
        kinds = {segment.kind for segment in before}
        following = {(one.start, one.end) for one in after if one.kind in kinds}
        spans = {(one.start, one.end) for one in (*before, *after)} - following
        yield replace(edit, segments=tuple(sorted(spans)))
