"""Files -> documents."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from annotations.formats.conll.conllu.building import build_document
from annotations.formats.conll.conllu.draft import Draft, Fields, parse_fields
from annotations.formats.conll.conllu.names import COLUMNS, META
from annotations.formats.model.document import LONGEST_INDEX, LONGEST_SPEAKER, Document, FormatError, decode
from annotations.formats.model.format import Bundle, name_documents

LANGUAGE = re.compile(r"[A-Za-z0-9_-]{1,35}")
LONGEST_SHOWN = 100
LEFT_OUT, ETYPE = "none", "etype"


def read(bundle: Bundle, categories: str = LEFT_OUT) -> list[Document]:
    """Return the documents of a file. Raises FormatError with file and line on anything that is not CoNLL-U."""
    reader = _Reader(bundle.main)
    lines = decode(bundle.data, bundle.main).split("\n")
    for number, line in enumerate(lines, start=1):
        if line.startswith("#"):
            reader.comment(number, line)
        elif line.strip():
            reader.token(number, line)
        else:
            reader.end_sentence()
    reader.end_document()
    if not reader.drafts:
        raise FormatError("there is no word in this file", bundle.main, 1)
    names = name_documents(bundle.main, [(draft.name, draft.line) for draft in reader.drafts])
    return [
        build_document(draft, name, typed=categories == ETYPE) for name, draft in zip(names, reader.drafts, strict=True)
    ]


@dataclass(slots=True)
class _Reader:
    """What goes on from line to line, and the documents so far."""

    file: str
    drafts: list[Draft] = field(default_factory=list)
    draft: Draft | None = None
    fields: Fields | None = None
    begun: int | None = None
    name: str = ""
    meta: dict[str, str] = field(default_factory=dict)
    paragraph: bool = False
    speaker: str = ""
    columns: Sequence[str] = ()

    def comment(self, number: int, line: str) -> None:
        key, _, value = line[1:].partition("=")
        key, value = key.strip(), value.strip()
        if key in ("newdoc", "newdoc id"):
            if self.draft is not None and self.draft.in_sentence:
                raise FormatError("a document begins inside a sentence (an empty line is missing)", self.file, number)
            self.end_document()
            if len(value) > LONGEST_INDEX:
                raise FormatError(f"a document's name has more than {LONGEST_INDEX} characters", self.file, number)
            self.begun, self.name, self.meta = number, value, {}
        elif key in ("newpar", "newpar id"):
            self.paragraph = True
        elif key == "speaker":
            if len(value) > LONGEST_SPEAKER:
                raise FormatError(f"a speaker's name has more than {LONGEST_SPEAKER} characters", self.file, number)
            self.speaker = "" if value == "_" else value
        elif key == "global.Entity":
            self.fields = parse_fields(value, self.file, number)
        elif key == "global.columns":
            self.columns = value.split()
        elif key in META and self._fits(key, value):
            self.meta[META[key]] = value

    def _fits(self, key: str, value: str) -> bool:
        if key == "meta::direction":
            return value in ("ltr", "rtl")
        return key != "meta::language" or LANGUAGE.fullmatch(value) is not None

    def token(self, number: int, line: str) -> None:
        if len(self.columns) > COLUMNS and len(line.split("\t")) != COLUMNS:
            message = (
                f"this is CoNLL-U Plus with the further columns {' '.join(self.columns[COLUMNS:])[:LONGEST_SHOWN]}, as "
                "the exploded form of Universal Anaphora has them, which is not read; give its form with Entity in MISC"
            )
            raise FormatError(message, self.file, number)
        if self.draft is None:
            self.draft = Draft(self.file, self.begun or number, self.name, self.meta)
            self.drafts.append(self.draft)
        if not self.draft.in_sentence:
            self.draft.begin_sentence(self.speaker, self.paragraph)
            self.speaker, self.paragraph = "", False
        self.draft.add(number, line, self.fields)

    def end_sentence(self) -> None:
        if self.draft is not None:
            self.draft.end_sentence()

    def end_document(self) -> None:
        if self.draft is not None:
            self.draft.finish()
        elif self.begun is not None:
            raise FormatError("this document has no word", self.file, self.begun)
        self.draft = self.begun = None
