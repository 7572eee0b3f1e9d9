"""Read CoNLL-U files."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from annotations.formats.conll.columns import BEGIN
from annotations.formats.conll.conllu.building import Builder
from annotations.formats.conll.conllu.draft import COLUMNS, DEFAULT_FIELDS, META, Draft, Fields, parse_fields
from annotations.formats.conll.documents import DocumentReader
from annotations.formats.model.document import Document
from annotations.formats.model.encodings import decode
from annotations.formats.model.findings import FormatError
from annotations.formats.model.format import Bundle, stem
from annotations.formats.model.slips import LEAVE_OUT, Slips
from annotations.formats.model.text import LANGUAGE_TAG, MAX_INDEX_LENGTH, MAX_SPEAKER_LENGTH

MAX_SHOWN_LENGTH = 100
META_VALUES = {"meta::direction": re.compile("ltr|rtl"), "meta::language": LANGUAGE_TAG}
ANYTHING = re.compile(".*", re.DOTALL)
NEW_DOCUMENT = re.compile(r"# *newdoc\b")
NAMES = re.compile(r"\(([^()|-]+)")
LEFT_OUT, ETYPE = "none", "etype"


def read(bundle: Bundle, categories: str = LEFT_OUT, fields: str = "", slips: str = "") -> list[Document]:
    """Return the documents of a file. Raises FormatError with file and line on anything that is not CoNLL-U.

    fields: the value of `# global.Entity` if the file has none. slips: the treatment of mentions and documents with a
    slip.
    """
    file = bundle.main
    lines = decode(bundle.data, file).split("\n")
    several = sum(NEW_DOCUMENT.match(line) is not None for line in lines) > 1
    given, report = (parse_fields(fields, file), "") if fields else _guess_fields(lines, file)
    reader = _Reader(file, Slips(file, slips == LEAVE_OUT, several), fields=given, report=report)
    reader.read_lines(enumerate(lines, start=1))
    if not reader.drafts and not reader.slips.errors:
        raise FormatError("there is no word in this file", file, 1)
    drafts = reader.named_drafts(holds_one=reader.number == 1)
    return reader.add_findings([Builder(draft, categories == ETYPE).document(name) for name, draft in drafts.items()])


def _guess_fields(lines: Sequence[str], file: str) -> tuple[Fields, str]:
    """Return the default fields of mentions, or types alone if no name has a digit, and the code of the finding."""
    names = [name for line in lines if "Entity=" in line for name in NAMES.findall(line.partition("Entity=")[2])]
    if names and not any(character.isdigit() for name in names for character in name):
        return parse_fields(ETYPE, file), "no-numbers"
    return parse_fields(DEFAULT_FIELDS, file), "no-header"


@dataclass(slots=True, kw_only=True)
class _Reader(DocumentReader[Draft, str]):
    """The reader of a file. number: the number of documents that have begun."""

    fields: Fields
    report: str
    number: int = 0
    meta: dict[str, str] = field(default_factory=dict)
    paragraph: bool = False
    speaker: str = ""
    columns: Sequence[str] = ()
    begins: bool = False

    def read_line(self, number: int, line: str) -> None:
        if line.startswith("#"):
            self.comment(number, line)
        elif self.skips:
            return
        elif line.strip():
            self.token(number, line)
        elif self.draft is not None:
            self.draft.end_sentence()

    def _begin_document(self, number: int, name: str) -> Draft:
        try:
            if self.draft is not None and self.draft.in_sentence:
                raise FormatError("a document begins inside a sentence (an empty line is missing)", self.file, number)
            self.end_file()
        except FormatError as error:
            self.leave_out(error)
        self.draft, self.skips = None, False
        self.number += 1
        if len(name) > MAX_INDEX_LENGTH:
            raise FormatError(f"a document's name has more than {MAX_INDEX_LENGTH} characters", self.file, number)
        name = name or f"{stem(self.file)} {self.number}"
        self.draft = Draft(
            self.file, number, name, f"the document {name[:MAX_SHOWN_LENGTH]}", self.slips, meta=self.meta
        )
        self.drafts.append(self.draft)
        return self.draft

    def comment(self, number: int, line: str) -> None:
        key, _, value = line[1:].partition("=")
        key, value = key.strip(), value.strip()
        if key in ("newdoc", "newdoc id"):
            self.meta = {}
            self._begin_document(number, value)
        elif key == "global.Entity":
            self.fields, self.report = parse_fields(value, self.file, number), ""
        elif key == "global.columns":
            self.columns = value.split()
        elif BEGIN.match(line[:MAX_SHOWN_LENGTH]):
            self.begins = True
        elif self.skips:
            return
        elif key in ("newpar", "newpar id"):
            self.paragraph = True
        elif key == "speaker":
            if len(value) > MAX_SPEAKER_LENGTH:
                raise FormatError(f"a speaker's name has more than {MAX_SPEAKER_LENGTH} characters", self.file, number)
            self.speaker = "" if value == "_" else value
        elif key in META and META_VALUES.get(key, ANYTHING).fullmatch(value):
            self.meta[META[key]] = value

    def token(self, number: int, line: str) -> None:
        if line.count("\t") + 1 != COLUMNS and (len(self.columns) > COLUMNS or self.begins):
            message = f"a line has {COLUMNS} columns parted by tabs; this looks like CoNLL-2012: choose it (conll2012)"
            if further := " ".join(self.columns[COLUMNS:])[:MAX_SHOWN_LENGTH]:
                message = f"this is CoNLL-U Plus with the further columns {further}, as the exploded form of Universal "
                message += "Anaphora has them, which is not read; give its form with Entity in MISC"
            raise FormatError(message, self.file, number)
        draft = self.draft or self._begin_document(number, "")
        if not draft.in_sentence:
            draft.begin_sentence(self.speaker, self.paragraph)
            self.speaker, self.paragraph = "", False
        if draft.add(number, line, self.fields) and self.report:
            draft.report(self.report, number)

    def end_file(self) -> None:
        if self.draft is not None:
            self.draft.finish()
