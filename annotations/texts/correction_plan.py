"""Plan the correction of a text that is coded: new offsets, and obstacles."""

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
MAX_WORDS_LENGTH = 200
EXCERPT_LENGTH = 40  # characters on each side of an edit
FARTHEST_SHIFT = 50  # of deleted words along equal ones ("the the"), so that they cut through nothing
# The ways around an obstacle.
IN_STEPS = "Correct the words inside and outside of it one after the other."
DELETE_ONE = "Let whoever marked one of them delete it first, or leave the words between them."
LEAVE_WORDS = "All its words would be deleted. Leave some of them"
GIVEN, MARKED = "it came with the text.", "let whoever marked it delete it first."
KEY_LENGTH = Markable._meta.get_field("key").max_length or 0


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A row that a correction would delete or cut: its kind, its words, and the reason for rejection."""

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
    """The effects of a correction, and the obstacles to it."""

    edits: list[Edit]
    content: str
    obstacles: list[Obstacle] = field(default_factory=list)
    changes: list[WordChange] = field(default_factory=list)
    moved: int = 0  # markables with new offsets
    markables: list[Markable] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    judgements: list[Judgement] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)  # markables that nobody marks any more
    new_words: list[Span] = field(default_factory=list)  # words of summaries that get markables
    word_level: int | None = None
    codings: int = 0
    submitted: int = 0

    def refuse(self, noun: str, words: str, reason: str) -> None:
        self.obstacles.append(Obstacle(noun, _short(words), reason))

    @property
    def tag(self) -> str:
        """A tag that changes with the edits and changed words, to detect changes since a user saw the plan."""
        return etag_of(
            {
                "edits": correction_payload(self.edits),
                "changes": [[change.level, change.old, change.new] for change in self.changes],
            }
        )


def plan_correction(text: Text, content: str) -> CorrectionPlan:
    """Return the plan for giving the text this content. Raise ValidationError for invalid content."""
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
    spans = [(start, end) for markable in markables for start, end in markable.parts]
    edits = list(place_edits(text.content, edits, spans + [(segment.start, segment.end) for segment in segments]))
    edits = list(add_segments(edits, segments))
    plan = CorrectionPlan(edits, apply_edits(text.content, edits))
    if len(plan.content) > MAX_TEXT_LENGTH:
        raise ValidationError(f"A text has at most {MAX_TEXT_LENGTH:,} characters.")
    _plan_segments(plan, text, segments)
    words, others = list[Markable](), list[Markable]()
    for markable in markables:
        is_word = text.role != Text.Role.SOURCE and markable.level.key == WORD_LEVEL and not markable.level.coded
        (words if is_word else others).append(markable)
    starts, ends = {word.start for word in words}, {word.end for word in words}
    whole = {row.pk for row in others if _consists_of(row, starts, ends)}
    in_use = _plan_markables(plan, text, others)
    _plan_heads(plan, text)
    if words:
        _plan_words(plan, text, words, [row for row in in_use if row.pk in whole])
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
    """Return the edits of a plan with their context in the content."""
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
    return tuple(sorted((segment.start, segment.end) for segment in segments if segment.kind == Segment.Kind.SUMMARY))


def _plan_markables(plan: CorrectionPlan, text: Text, markables: Sequence[Markable]) -> list[Markable]:
    """Plan the new offsets of the markables; return those that are predefined or in use."""
    judged = set(Judgement.objects.filter(coding__text=text).order_by().values_list("markable", flat=True))
    in_use = [markable for markable in markables if markable.predefined or markable.pk in judged]
    unused = [markable for markable in markables if not (markable.predefined or markable.pk in judged)]
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
    """Plan the new offsets of the markable; return whether they differ."""
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
    """Plan the new offsets of heads that coders have set."""
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
    """Plan the words of summaries: unchanged words move, others are deleted or created."""
    # `contributors` are the markables that consist of whole words, and must still do so.
    plan.word_level = words[0].level_id
    new = _summary_words(plan, text)
    remaining = set(new)
    lost = []
    for markable in words:
        [(start, end)] = markable.parts
        span = map_span((start, end), plan.edits)
        if span in remaining:
            remaining.discard(span)
            _move(plan, markable, [span], [], markable_key(WORD_LEVEL, [span]))
        else:
            lost.append(markable)
    plan.new_words = sorted(remaining)
    _plan_losses(plan, text, lost)
    if plan.obstacles:
        return
    starts, ends = {start for start, _ in new}, {end for _, end in new}
    for markable in contributors:
        if not _consists_of(markable, starts, ends):
            noun, covered = markable.level.label or markable.level.key, _words(plan.content, markable.parts)
            plan.refuse(noun, covered, f"It would begin or end inside of a word. {IN_STEPS}")


def _consists_of(markable: Markable, starts: Collection[int], ends: Collection[int]) -> bool:
    """Return whether each part of the markable begins at a start and ends at an end of a word."""
    return all(start in starts and end in ends for start, end in markable.parts)


def _summary_words(plan: CorrectionPlan, text: Text) -> list[Span]:
    """Return the words of the summaries after the correction."""
    if text.role == Text.Role.PEER:
        return token_spans(plan.content)
    moved = {segment.pk: segment for segment in plan.segments}
    segments = Segment.objects.filter(text=text, kind=Segment.Kind.SUMMARY)
    spans = sorted((moved.get(row.pk, row).start, moved.get(row.pk, row).end) for row in segments)
    return [(first + a, first + b) for first, last in spans for a, b in token_spans(plan.content[first:last])]


def _plan_losses(plan: CorrectionPlan, text: Text, markables: Sequence[Markable]) -> None:
    """Plan to delete markables that nobody marks any more; one that is referred to is an obstacle."""
    referred = set(_referred([markable.pk for markable in markables]))
    for markable in markables:
        if markable.pk in referred:
            words = _words(text.content, markable.parts)
            plan.refuse("item", words, "It would be deleted, and somebody has discussed it.")
        else:
            plan.lost.append(markable.pk)


def _referred(keys: Sequence[int]) -> Iterator[int]:
    """Yield the markables that a row of any table refers to."""
    for relation in Markable._meta.related_objects:
        if relation.many_to_many:
            continue  # its rows belong to a model of ours
        name = relation.field.name
        for batch in batched(keys, MAX_KEYS):
            rows = relation.related_model._base_manager.filter(**{f"{name}__in": batch})
            yield from rows.values_list(name, flat=True)


def _reason(span: Span, plan: CorrectionPlan, *, given: bool = True) -> str:
    """Return why a span cannot be mapped."""
    start, end = span
    cut = any(edit.start < start < edit.end or edit.start < end < edit.end for edit in plan.edits)
    deleted = any(edit.start <= start and end <= edit.end for edit in plan.edits)
    deletion = f"{LEAVE_WORDS}: {GIVEN}" if given else f"{LEAVE_WORDS}, or {MARKED}"
    return f"The correction cuts through it. {IN_STEPS}" if cut and not deleted else deletion


def _loses_words(old: str, new: str) -> bool:
    """Return whether words would be reduced to white space."""
    return bool(old.replace("…", "").strip()) and not new.replace("…", "").strip()


def _words(content: str, parts: Iterable[Sequence[int]]) -> str:
    return " … ".join(content[start:end] for start, end in parts)


def _short(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= MAX_WORDS_LENGTH else f"{words[: MAX_WORDS_LENGTH - 1]}…"


def place_edits(content: str, edits: Sequence[Edit], spans: Sequence[Span]) -> Iterator[Edit]:
    """Yield the edits; pure deletions or insertions are shifted to where they cut through least."""
    # Next to equal words ("the the") it is open which of them are new or deleted.
    for number, edit in enumerate(edits):
        if edit.new and edit.old:
            yield edit
            continue
        lowest = edits[number - 1].end + 1 if number else 0
        highest = edits[number + 1].start - 1 if number + 1 < len(edits) else len(content)
        candidates = [own for own in _shifted(content, edit) if lowest <= own.start and own.end <= highest]
        if not candidates:
            yield edit
            continue
        near = [
            (start, end)
            for start, end in spans
            if start < edit.end + FARTHEST_SHIFT and edit.start - FARTHEST_SHIFT < end
        ]
        yield min([edit, *candidates], key=lambda candidate: (*_damage(content, candidate, near), candidate != edit))


def _damage(content: str, edit: Edit, spans: Iterable[Span]) -> tuple[int, int, int]:
    """Return how many spans the edit deletes or cuts, how many words it cuts, and how many spans it changes."""
    spans = list(spans)
    lost = sum(map_span(span, [edit]) is None for span in spans)
    in_words = is_inside_word(content, edit.start) + is_inside_word(content, edit.end)
    return lost, in_words, sum(start < edit.end and edit.start < end for start, end in spans)


def _shifted(content: str, edit: Edit) -> Iterator[Edit]:
    """Yield the edits with the same result, nearest first on each side."""
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
    """Yield the edits, insertions with the segments that include them: of two adjacent ones of a kind, the first."""
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
        following = {(segment.start, segment.end) for segment in after if segment.kind in kinds}
        spans = {(segment.start, segment.end) for segment in (*before, *after)} - following
        yield replace(edit, segments=tuple(sorted(spans)))
