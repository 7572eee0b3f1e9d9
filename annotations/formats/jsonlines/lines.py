"""The JSON objects of a file, one a line or in one list, with their findings and spans."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from annotations.formats.model.encodings import decode_lines
from annotations.formats.model.findings import Finding, FormatError
from annotations.formats.model.text import is_storable
from annotations.formats.syntax.table import decode_json, decode_object, read_records, strict_decoder

# Only answers may have this many digits; offsets and mention numbers are smaller.
DECODER = strict_decoder(most_digits=20, parse_float=str)
MAX_SHOWN = 3
STARTS, ENDS = ("start", "begin", "start_offset"), ("end", "end_offset")
# A longer list of numbers is no span: it numbers the words of a sentence.
MAX_SPAN = 5
MAX_NAMED, MAX_KEY = 6, 50

type Json = dict[str, Json] | list[Json] | str | int | float | bool | None


@dataclass(slots=True)
class Line:
    """An object of a file. keeps_going: a slip is noted and its part left out, rather than raised."""

    file: str
    number: int
    record: Mapping[str, Json]
    keeps_going: bool = False
    findings: list[Finding] = field(default_factory=list)
    slips: list[str] = field(default_factory=list)

    def error(self, message: str) -> FormatError:
        return FormatError(message, self.file, self.number)

    def report(self, code: str, message: str, fix: str, *, left_out: bool = False) -> None:
        self.findings.append(Finding(code, message, self.file, self.number, fix, left_out))

    def note_slip(self, error: FormatError) -> None:
        """Note an error whose part is left out. Raises the error unless the line keeps going."""
        if not self.keeps_going:
            raise error
        self.slips.append(error.message)

    def report_slips(self) -> None:
        if self.slips:
            more = f" (and {len(self.slips) - MAX_SHOWN} more)" if len(self.slips) > MAX_SHOWN else ""
            message = f"{len(self.slips)} slip{'s' * (len(self.slips) > 1)}: {'; '.join(self.slips[:MAX_SHOWN])}{more}"
            self.report("slips", message, "left out", left_out=True)

    def list_of(self, value: Json, name: str) -> list[Json]:
        if not isinstance(value, list):
            raise self.error(f"{name} is not a list")
        return value

    def string(self, value: Json, name: str) -> str:
        if not isinstance(value, str):
            raise self.error(f"{name} is not a string")
        return self.storable(value, name)

    def strings(self, value: Json, name: str) -> list[str]:
        return [self.string(item, f"{name}[{number}]") for number, item in enumerate(self.list_of(value, name))]

    def storable(self, text: str, name: str) -> str:
        if not is_storable(text):
            raise self.error(f"{name} has a NUL or half a surrogate pair in it")
        return text


def read_objects(
    file: str, data: Iterable[bytes], refuse: Callable[[FormatError], None]
) -> Iterator[tuple[int, dict[str, Json]]]:
    """Yield each line number with its object; errors go to `refuse`. A .json file may be one object or list."""
    lines = decode_lines(data, file)
    is_first = file.lower().endswith(".json")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = decode_object(DECODER, line, file, number)
        except FormatError as error:
            if is_first:
                yield from _read_whole("\n" * (number - 1) + "\n".join([line, *lines]), file)
                return
            refuse(error)
            continue
        is_first = False
        yield number, record


def _read_whole(text: str, file: str) -> Iterator[tuple[int, dict[str, Json]]]:
    start = len(text) - len(text.lstrip())
    if not text.startswith("[", start):
        yield text.count("\n", 0, start) + 1, decode_object(DECODER, text, file, 1)
        return
    values = decode_json(DECODER, text, file, 1)
    for (number, _), value in zip(read_records(text, file), values if isinstance(values, list) else (), strict=True):
        if not isinstance(value, dict):
            raise FormatError("a list of objects is expected here, this is something else", file, number)
        yield number, value


def count_unread(record: Mapping[str, Json], read: Collection[str]) -> list[tuple[str, int]]:
    """Return unread keys with spans, or with “cluster” in the name, and their numbers of spans, most first."""
    counts = [(key, sum(1 for _ in spans_in(value))) for key, value in record.items() if key not in read]
    named = ((key, count) for key, count in counts if count or ("cluster" in key and record[key]))
    return sorted(named, key=lambda pair: -pair[1])


def show_unread(counts: Sequence[tuple[str, int]]) -> str:
    shown = ", ".join(
        f'"{key[:MAX_KEY]}" ({count or "no"} span{"s" * (count != 1)})' for key, count in counts[:MAX_NAMED]
    )
    return shown + f" and {len(counts) - MAX_NAMED} more keys" * (len(counts) > MAX_NAMED)


def spans_in(value: Json) -> Iterator[Json]:
    """Yield the spans in a value at any depth."""
    stack = [value]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            if all(any(type(value.get(key)) is int for key in keys) for keys in (STARTS, ENDS)):
                yield value
            else:
                stack += value.values()
        elif isinstance(value, list):
            if value and all(_is_span(item) for item in value):
                yield from value
            else:
                stack += value


def _is_span(value: Json) -> bool:
    if not isinstance(value, list) or not 2 <= len(value) <= MAX_SPAN:
        return False
    first, last = to_offset(value[0]), to_offset(value[1])
    return first is not None and last is not None and (first <= last or len(value) > 2)


def to_offset(value: Json) -> int | None:
    """Return an offset as an integer; some corpora write it as a string. None if it is no whole number."""
    if type(value) is int:
        return value
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20 else None
