"""Shared code of judgements and matrices: documents without their texts, as CSV and as JSON."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from annotations.formats.model.document import Answer, Document, Links, Mark, Place, text_order
from annotations.formats.model.features import LAYOUT, Feature
from annotations.formats.model.findings import Finding
from annotations.formats.model.format import Bundle, File, Format
from annotations.formats.model.keys import markable_key, parse_key
from annotations.formats.syntax import table

# Missing values as other programs write them, and separators that some put between the members of a set.
MISSING = re.compile(r"n/?a|#n/a|nan|null|\.|-|\?", re.IGNORECASE)
PARTED = re.compile(r"[,;]")

# Features of the text alone need no change, as the table leaves the text out.
FEATURES = frozenset(Feature) - LAYOUT - {Feature.LABELS, Feature.SENTENCES}


@dataclass(slots=True)
class Codings:
    """The marks and links by text and coder, collected from the rows of a table."""

    file: str
    marks: dict[tuple[str, str], dict[Place, Mark]] = field(default_factory=dict)
    links: dict[tuple[str, str], Links] = field(default_factory=dict)

    def add(self, text: str, coder: str, mark: Mark | None, source: table.Source, column: str) -> None:
        """Add a mark, or a text without one. Raises FormatError if a coder names antecedents and entities in a text."""
        marks = self.marks.setdefault((text, coder), {})
        links = self.links.setdefault((text, coder), Links.NONE)
        if mark is None:
            return
        answer = mark.answer or Answer()
        for kind, names in ((Links.POINTERS, answer.pointers), (Links.INDICES, answer.indices)):
            if names and links not in (Links.NONE, kind):
                raise source.error(column, "names antecedents and entities; a coder names either in a text")
            links = kind if names else links
        self.links[text, coder] = links
        marks[mark.place] = mark

    def documents(self) -> list[Document]:
        return [self._document(text, coder, marks) for (text, coder), marks in self.marks.items()]

    def _document(self, text: str, coder: str, marks: dict[Place, Mark]) -> Document:
        """Return the document of these marks and of the markables that they point to."""
        for mark in list(marks.values()):
            for target in mark.answer.targets() if mark.answer else ():
                if target not in marks:
                    marks[target] = Mark(target.parts, target.level, line=mark.line)
        in_order = sorted(marks.values(), key=text_order)
        findings = list(_doubt(in_order, coder, self.file))
        links = self.links[text, coder]
        return Document(text, self.file, "", in_order, links=links, without_text=True, coder=coder, findings=findings)


def place_of(key: str, source: table.Source, column: str) -> Place:
    """Return the level and parts of a markable's key. Raises FormatError if the key is invalid."""
    place = parse_key(key)
    if place is None:
        raise source.error(column, f"holds no key of a markable, such as phrase:12-18: {key[:100]!r}")
    return place


def _doubt(marks: Sequence[Mark], coder: str, file: str) -> Iterator[Finding]:
    """Yield findings about labels that look like missing values, and entity names that look like sets."""
    answers = [mark.answer for mark in marks if mark.answer]
    missing = Counter(
        name for answer in answers for name in (answer.category, *answer.indices) if MISSING.fullmatch(name)
    )
    for name, number in missing.items():
        message = f"{number} values {name!r} of {coder} are read as labels"
        yield Finding("like-missing", message, file, fix="leave a cell empty where nothing was coded")
    parted = [answer.indices[0] for answer in answers if len(answer.indices) == 1 and PARTED.search(answer.indices[0])]
    if parted and all(len(answer.indices) < 2 for answer in answers):
        message = f"{len(parted)} names of entities of {coder} have a comma or semicolon, such as {parted[0][:50]!r}"
        yield Finding("one-name", message, file, fix="each is one entity; | parts several")


def key_in(document: Document, place: Place) -> str:
    """Return the key of a markable, with the scheme's main level if the document names no level."""
    if place.level or document.scheme is None:
        return markable_key(*place)
    return markable_key(document.scheme.main_level, place.parts)


def table_formats[Rows, Lines](
    key: str,
    label: str,
    features: frozenset[Feature],
    *,
    read_csv: Callable[..., Rows],
    read_json: Callable[[Bundle], Rows],
    write_csv: Callable[..., bytes],
    write_json: Callable[[Lines], bytes],
    to_documents: Callable[[Rows, str], list[Document]],
    from_documents: Callable[[Sequence[Document]], Lines],
) -> tuple[Format, Format]:
    """Return the CSV and JSON formats of a kind of table; the key names their files."""
    csv_format = Format(
        f"{key}-csv",
        f"{label}, CSV",
        (".csv", ".tsv"),
        lambda bundle, cells="guarded": to_documents(read_csv(bundle, raw=cells == "raw"), bundle.main),
        write=lambda documents, cells="guarded": [
            File(f"{key}.csv", write_csv(from_documents(documents), raw=cells == "raw"))
        ],
        supported_features=features,
        options=(table.CELLS,),
        options_written=(table.CELLS,),
        names_coders=True,
        names_levels=True,
        names_categories=True,
        names_questions=Feature.ATTRIBUTES in features,
    )
    return csv_format, replace(
        csv_format,
        key=f"{key}-json",
        label=f"{label}, JSON",
        suffixes=(".json",),
        read=lambda bundle: to_documents(read_json(bundle), bundle.main),
        write=lambda documents: [File(f"{key}.json", write_json(from_documents(documents)))],
        options=(),
        options_written=(),
    )
