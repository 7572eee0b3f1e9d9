"""Write checked documents as rows, in a fixed number of statements."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import batched
from operator import attrgetter

from annotations.coding import imported_codings
from annotations.core.database.bulk import MAX_KEYS, insert, reserve_keys
from annotations.formats import Mark
from annotations.models import Coding, Markable, Project, Round, Segment, Text, User
from annotations.projects.rounds import put_into_round
from annotations.schemes.project_scheme import read_scheme
from annotations.texts.changes import markables_changed
from annotations.transfers.importing.checking import CheckedDocument, NewMarkable
from annotations.transfers.importing.report import MAX_PREVIEWS, Report, TextPreview

SAMPLE_LINES, SAMPLE_LENGTH = 3, 200
# The fields of a markable, without the keys of other tables.
OWN_FIELDS = ("key", "label", "parts", "head", "start", "end", "predefined")


@dataclass(frozen=True, slots=True)
class PlannedText:
    """A text and the documents to write for it; a new text gets the segments of the first document."""

    text: Text
    checked: list[CheckedDocument]
    codings: list[tuple[CheckedDocument, User, Coding | None]]  # None: a new coding
    round: Round
    joins: bool  # whether the import puts it into the round

    def markables(self) -> dict[str, Markable | NewMarkable]:
        """Return all markables of the documents, by key."""
        return {key: markable for checked in self.checked for key, markable in checked.markables.items()}

    def predefined(self) -> dict[str, Mark]:
        """Return the predefined markables by key, each as in the first document that contains it."""
        return {key: mark for checked in reversed(self.checked) for key, mark in checked.predefined.items()}

    def preview(self) -> TextPreview:
        """Return the preview of the text for the page of the import."""
        content = self.text.content
        lines = [" ".join(line.split()) for line in content[: 10 * SAMPLE_LENGTH].splitlines() if line.strip()]
        sample = "\n".join(lines[:SAMPLE_LINES])
        if len(sample) > SAMPLE_LENGTH:
            sample = f"{sample[: SAMPLE_LENGTH - 1]}…"
        words, markables = len(content.split()), len(self.markables())
        return TextPreview(self.text.slug, self.text.title, self.text.pk is None, words, markables, sample)


def report_plan(texts: Sequence[PlannedText]) -> Report:
    report = Report(previews=[planned.preview() for planned in texts[:MAX_PREVIEWS]])
    for planned in texts:
        report.documents += len(planned.checked)
        report.texts += planned.text.pk is None
        # A markable that one coder has marked counts as new, so that the number reveals nothing of coders' marks.
        given = planned.predefined()
        report.markables += sum(
            markable.pk is None or (key in given and not markable.predefined)
            for key, markable in planned.markables().items()
        )
        report.codings += len(planned.codings)
        report.judgements += sum(
            decision.category is not None or bool(decision.attributes)
            for checked, _, _ in planned.codings
            for decision in checked.decisions
        )
    return report


def write_plan(project: Project, texts: Sequence[PlannedText], kind: Coding.Kind, by: User | None) -> None:
    """Write all rows, inside a transaction; new codings have this kind."""
    new = [planned for planned in texts if planned.text.pk is None]
    position = Text.objects.next_position(project.pk) if new else 0
    for planned in new:
        planned.text.position = position
    Text.objects.bulk_create([planned.text for planned in new])
    joining: dict[str, tuple[Round, list[Text]]] = {}
    for planned in texts:
        if planned.joins:
            joining.setdefault(planned.round.name, (planned.round, []))[1].append(planned.text)
    for round_, of_round in joining.values():
        if round_.pk is None:
            round_.save()
        put_into_round(round_, of_round)
    insert(
        Segment,
        ["text", "kind", "start", "end", "label", "speaker"],
        (
            (planned.text.pk, segment.kind, segment.start, segment.end, segment.label, segment.speaker)
            for planned in new
            for segment in planned.checked[0].source.document.segments
        ),
    )
    if _write_markables(texts) - {planned.text.pk for planned in new}:
        markables_changed.send(Text, project=project.pk)
    scheme = read_scheme(project.pk).keys
    filled = []
    for planned in texts:
        keys = {key: markable.pk for key, markable in planned.markables().items() if markable.pk is not None}
        for checked, coder, coding in planned.codings:
            coding = coding or Coding(text=planned.text, coder=coder, round=planned.round, kind=kind)
            filled.append(imported_codings.ImportedCoding(coding, by or coder, checked.decisions, keys, scheme))
    imported_codings.import_codings(filled)


def _write_markables(texts: Sequence[PlannedText]) -> set[int]:
    """Save new markables, make existing ones predefined as in the files, and return the texts that get such."""
    given = set[int]()
    new: list[tuple[Text, NewMarkable]] = []
    newly_predefined: list[int] = []
    for planned in texts:
        predefined = planned.predefined()
        for key, markable in planned.markables().items():
            if isinstance(markable, NewMarkable):
                if key in predefined:
                    mark = predefined[key]
                    markable.predefined, markable.label, markable.head = True, mark.label, mark.head
                    given.add(planned.text.pk)
                new.append((planned.text, markable))
            elif key in predefined and not markable.predefined:
                newly_predefined.append(markable.pk)
                given.add(planned.text.pk)
    for pk, (_, markable) in zip(reserve_keys(Markable, len(new)), new, strict=True):
        markable.pk = pk
    own_values = attrgetter(*OWN_FIELDS)
    insert(
        Markable,
        ["id", "text", "level", *OWN_FIELDS],
        ((markable.pk, text.pk, markable.level.pk, *own_values(markable)) for text, markable in new),
    )
    for batch in batched(newly_predefined, MAX_KEYS):
        Markable.objects.filter(pk__in=batch).update(predefined=True)
    return given
