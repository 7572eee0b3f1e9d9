"""Documents that a reader made of files -> rows.

Documents of equal name are one text, coded by different people. Markables of equal level and parts are one. A file
is imported wholly or not at all, and does not keep the others from it; all that is written is written at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import batched

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from annotations import actions
from annotations.bulk import MOST_KEYS, seldom_collecting
from annotations.formats import Finding, FormatError
from annotations.formats.lint import lint
from annotations.importing.checking import (
    Checked,
    Known,
    Scheme,
    check,
    new_text,
    refuse_other_text,
    slug_of,
    slugged,
    with_content,
    without_doubles,
)
from annotations.importing.report import Failure, Report
from annotations.importing.sources import Brought, Coded, Source, read_sources, sources_of
from annotations.importing.writing import Plan, PlannedText, write
from annotations.models import Coding, Markable, Operation, Project, Text, User
from annotations.progress import Progress

__all__ = [
    "Brought",
    "Coded",
    "Failure",
    "ImportFailed",
    "Report",
    "Source",
    "import_brought",
    "import_documents",
    "read_sources",
    "sources_of",
]


class ImportFailed(Exception):
    """Why nothing could be imported at all, ready to be shown."""


def import_brought(project: Project, brought: Brought, **options: object) -> Report:
    """Import what the files brought; the report names those that could not be read too. Options: import_documents."""
    report = import_documents(project, brought.coded, **options)  # type: ignore[arg-type]
    report.failures[:0] = brought.failures
    report.left_out = brought.left_out
    return report


@seldom_collecting()
def import_documents(
    project: Project,
    coded: Sequence[Coded],
    *,
    by: User | None = None,
    predefined: bool = False,
    create: bool = False,
    trial: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Write the documents into the project and say what that did. Raises ImportFailed, and then nothing is changed.

    by: who imports; None: each coder for themself (command line). predefined: the markables of these files are
    given with the texts, so every coder sees them. create: make coders that lack. trial: say what would happen and
    change nothing. progress: called with how many documents are checked, of how many.
    """
    scheme = Scheme.of(project)
    if scheme.spec.main_level == "":
        raise ImportFailed(f"The scheme of {project.slug} has no level that is coded.")
    checking = _Checking.of(project, scheme, predefined, coded)
    for number, entry in enumerate(coded):
        if progress is not None and number % 50 == 0:
            progress(number, len(coded))
        checking.take(entry)
    try:
        with transaction.atomic():
            plan = checking.planned(create)
            report = checking.report(plan)
            write(project, plan, by)
            if trial:
                transaction.set_rollback(True)
    except IntegrityError as error:
        raise ImportFailed("The project changed while the files were read; try again.") from error
    return report


@dataclass(slots=True)
class _OfText:
    """What is known of a text while documents come in."""

    text: Text
    where: str
    known: Known
    documents: list[Coded] = field(default_factory=list)
    checked: list[Checked] = field(default_factory=list)


@dataclass(slots=True)
class _Checking:
    project: Project
    scheme: Scheme
    predefined: bool
    texts: dict[str, _OfText] = field(default_factory=dict)
    failed: dict[str, Failure] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    unchanged: int = 0
    new_coders: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, project: Project, scheme: Scheme, predefined: bool, coded: Sequence[Coded]) -> _Checking:
        """With the texts of the project that the documents name, and their markables: two queries for 30,000."""
        checking = cls(project, scheme, predefined)
        slugs = {slugged(entry.document) for entry in coded}
        for some in batched(slugs, MOST_KEYS):
            for text in Text.objects.filter(project=project, slug__in=some):
                checking.texts[text.slug] = _OfText(text, f"the text {text.slug} of the project", Known())
        texts = {of.text.pk: of for of in checking.texts.values()}
        for keys in batched(texts, MOST_KEYS):
            for markable in Markable.objects.filter(text__in=keys).select_related("level"):
                texts[markable.text_id].known.markables[markable.key] = markable
        return checking

    def take(self, coded: Coded) -> None:
        """Check the document; what is wrong with it fails its file."""
        if coded.file in self.failed:
            return
        try:
            if coded.document.bare:
                there = self.texts.get(slugged(coded.document))
                coded = replace(coded, document=with_content(coded.document, there.text if there else None))
            slug = slug_of(coded.document)
            text = new_text(self.project, slug, coded.document)
            of = self.texts.setdefault(slug, _OfText(text, coded.document.file, Known()))
            of.documents.append(coded)
            without_doubles(of.documents)
            refuse_other_text(of.text.content, of.where, coded.document)
            of.checked.append(check(coded, self.scheme, of.known, self.predefined))
        except FormatError as error:
            self._fail(coded, str(error))
            return
        self.findings += [*coded.document.findings, *lint(coded.document, self.scheme.spec)]
        if coded.coder is not None and not any(mark.answer for mark in coded.document.marks):
            self.findings.append(Finding("nothing-coded", "no markable is coded in it", coded.document.file))

    def _fail(self, coded: Coded, message: str) -> None:
        self.failed.setdefault(coded.file, Failure(coded.file, message))

    def planned(self, create: bool) -> Plan:
        """What is to be written. Call it in the transaction that writes.

        Where a file fails here, all is planned again without it, so that no coder is made for a file that is refused.
        """
        while True:
            failed = len(self.failed)
            with transaction.atomic():
                plan = self.plan(self.coders(create))
                if len(self.failed) == failed:
                    return plan
                transaction.set_rollback(True)

    def coders(self, create: bool) -> dict[str, User]:
        """The coders by their names in the files; the files of those that cannot be fail."""
        found: dict[str, User] = {}
        self.new_coders = []
        for name in sorted({entry.coder for entry in self._good() if entry.coder is not None}):
            known = set(self.project.members.values_list("pk", flat=True))
            try:
                found[name] = actions.coder_of(self.project, name, create=create)
            except ValidationError as error:
                for entry in self._good():
                    if entry.coder == name:
                        self._fail(entry, f"coder {name!r}: {' '.join(error.messages)}")
            else:
                if found[name].pk not in known:
                    self.new_coders.append(found[name].get_username())
        self._refuse_doubles(found)
        return found

    def _refuse_doubles(self, coders: dict[str, User]) -> None:
        """Fail files with a text that its coder, written in another case, has in another file too."""
        for of in self.texts.values():
            first: dict[int, Coded] = {}
            for coded in [checked.coded for checked in of.checked]:
                coder = coders.get(coded.coder or "")
                if coder is None or coded.file in self.failed:
                    continue
                other = first.setdefault(coder.pk, coded)
                if other is not coded:
                    name, where = coded.document.name, coded.document.file
                    self._fail(coded, f"{where}: {name} coded by {coder} stands in {other.document.file} too")

    def _good(self) -> Iterable[Coded]:
        return [
            checked.coded
            for of in self.texts.values()
            for checked in of.checked
            if checked.coded.file not in self.failed
        ]

    def plan(self, coders: dict[str, User]) -> Plan:
        """What is to be written: all of the files that did not fail."""
        known = {
            (coding.text_id, coding.coder_id): coding
            for some in batched((of.text.pk for of in self.texts.values() if of.text.pk), MOST_KEYS)
            for coding in Coding.objects.select_for_update(of=("self",)).filter(
                text__in=some, coder__in=coders.values()
            )
        }
        touched = self._touched(known, coders)
        texts = []
        for slug in sorted(self.texts):
            of = self.texts[slug]
            checked = [one for one in of.checked if one.coded.file not in self.failed]
            if checked:
                first = checked[0].coded.document
                text = of.text if of.text.pk else new_text(self.project, slug, first)
                texts.append(PlannedText(text, first, checked))
        return Plan(texts, coders, known, touched)

    def _touched(self, known: dict[tuple[int, int], Coding], coders: dict[str, User]) -> set[int]:
        """The codings that hold already just what the file says; a file that says something else fails."""
        begun = {coding.pk for coding in known.values() if coding.version}
        if not begun:
            return set()
        imported: dict[int, list[object]] = {}
        for some in batched(begun, MOST_KEYS):
            log = Operation.objects.filter(coding__in=some).order_by("coding", "sequence")
            for key, kind, payload in log.values_list("coding_id", "kind", "payload"):
                imported.setdefault(key, []).append((kind, payload))
        same = set()
        for of in self.texts.values():
            for checked in of.checked:
                coder = coders.get(checked.coded.coder or "")
                coding = known.get((of.text.pk, coder.pk)) if coder else None
                if coding is None or coding.pk not in begun:
                    continue
                payload = {"judgements": [decision.payload() for decision in checked.decisions]}
                if imported[coding.pk] == [("import", payload), ("submit", {})]:
                    same.add(coding.pk)
                else:
                    message = f"{coder} has coded {of.text.slug} already; it stays as it is"
                    self._fail(checked.coded, f"{checked.coded.document.file}: {message}")
        self.unchanged = len(same)
        return same

    def report(self, plan: Plan) -> Report:
        report = plan.report()
        report.unchanged = self.unchanged
        report.new_coders = self.new_coders
        report.failures = list(self.failed.values())
        report.findings = [finding for finding in self.findings if finding.file not in self.failed]
        return report
