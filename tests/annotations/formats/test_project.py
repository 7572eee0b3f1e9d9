import io
import json
import random
import zipfile
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.formats import FormatError
from annotations.formats.project import VERSION, Field, Kind, Shape, Table, read, write
from tests.shared.cases import examples
from tests.shared.documents import spoiled

PLACES = Shape("places", (Field("name", Kind.TEXT), Field("height", Kind.WHOLE, null=True)))
WALKS = Shape(
    "walks",
    (
        Field("by", Kind.PERSON),
        Field("to", Kind.ROW, null=True, to="places"),
        Field("long", Kind.FLAG),
        Field("began", Kind.TIME),
        Field("key", Kind.UUID, null=True),
        Field("notes", Kind.JSON),
    ),
)
SHAPES = [PLACES, WALKS]
NOW = f'"version":{VERSION}'
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
KEY = UUID("12345678-1234-5678-1234-567812345678")
TABLES: dict[str, dict[str, list[Any]]] = {
    "places": {"name": ["hill", "sea\u2028\r\n\x01"], "height": [-12, None]},
    "walks": {
        "by": ["anna", "Ärzu"],
        "to": [2, None],
        "long": [True, False],
        "began": [NOON, NOON.replace(microsecond=5)],
        "key": [KEY, None],
        "notes": [{"b": [1, [2.5, None]], "a": "😀"}, []],
    },
}

storable = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
texts = st.text(storable, max_size=6)
numbers = st.integers(-(10**17), 10**17)
values = st.recursive(
    st.none() | st.booleans() | numbers | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
times = st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=st.just(UTC))


@st.composite
def projects(draw: st.DrawFn) -> dict[str, dict[str, list[Any]]]:
    places, walks = draw(st.integers(0, 4)), draw(st.integers(0, 4))
    to = st.integers(1, places) | st.none() if places else st.none()

    def column(rows: int, of: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(of, min_size=rows, max_size=rows))

    return {
        "places": {"name": column(places, texts), "height": column(places, numbers | st.none())},
        "walks": {
            "by": column(walks, texts),
            "to": column(walks, to),
            "long": column(walks, st.booleans()),
            "began": column(walks, times),
            "key": column(walks, st.uuids() | st.none()),
            # What is null in JSON cannot be told from nothing.
            "notes": column(walks, values.filter(lambda value: value is not None)),
        },
    }


def zipped(tables: dict[str, dict[str, list[Any]]] = TABLES) -> bytes:
    out = io.BytesIO()
    write([Table(shape, tables[shape.name]) for shape in SHAPES], out)
    return out.getvalue()


def files(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {entry.filename: archive.read(entry) for entry in archive.infolist()}


def rezipped(of: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in of.items():
            archive.writestr(name, content)
    return out.getvalue()


def back(data: bytes, **bounds: int) -> dict[str, dict[str, list[Any]]]:
    tables = read(data, SHAPES, "upload.zip", **{"most_files": 10, "most_bytes": 2**22, **bounds})
    return {name: {field: list(column) for field, column in table.columns.items()} for name, table in tables.items()}


def refused(data: bytes, **bounds: int) -> FormatError:
    with pytest.raises(FormatError) as caught:
        back(data, **bounds)
    return caught.value


def changed(file: str, old: str, new: str) -> bytes:
    """Return the archive with text replaced in one of its files."""
    of = files(zipped())
    assert old.encode() in of[file]
    return rezipped(of | {file: of[file].replace(old.encode(), new.encode("utf-8", "surrogateescape"), 1)})


@given(tables=projects())
@examples(100)
def test_archive_is_read_back_and_written_equal(tables):
    data = zipped(tables)
    found = back(data)
    assert found == tables
    assert zipped(found) == data


def test_archive_depends_on_neither_compression_nor_key_order():
    nothing = {name: [] for name in TABLES["walks"]}
    for tables in (TABLES, {"places": {"name": ["a" * 2**21], "height": [1]}, "walks": nothing}):
        assert back(zipped(tables)) == tables
    other = {**TABLES["walks"], "notes": [{"a": "😀", "b": [1, [2.5, None]]}, []]}
    assert zipped({**TABLES, "walks": other}) == zipped()


def test_older_archive_may_lack_newer_fields_and_tables():
    later = Field("depth", Kind.WHOLE, since=15)
    shapes = [Shape("places", (*PLACES.fields, later)), WALKS, Shape("boats", PLACES.fields, since=15)]
    older = changed("manifest.json", NOW, '"version":14')
    tables = read(older, shapes, "a.zip", most_files=9, most_bytes=10**6)
    assert (len(tables["boats"]), list(tables["places"].columns)) == (0, ["name", "height"])
    with pytest.raises(FormatError, match="the field 'depth' is missing"):
        read(zipped(), shapes, "a.zip", most_files=9, most_bytes=10**6)


def test_manifest_counts_rows():
    of = files(zipped())
    assert list(of) == ["places.jsonl", "walks.jsonl", "manifest.json"]
    manifest = {"format": "coindex project", "version": VERSION, "rows": {"places": 2, "walks": 2}}
    assert json.loads(of["manifest.json"]) == manifest
    assert of["places.jsonl"].decode().split("\n")[0] == '{"height":-12,"name":"hill"}'
    assert [len(content.decode().split("\n")) for content in of.values()] == [3, 3, 2]


def test_unsupported_values_are_not_written():
    with pytest.raises(ValueError, match="Out of range float values"):
        zipped({**TABLES, "places": {"name": ["hill"], "height": [float("nan")]}})
    with pytest.raises(TypeError, match="cannot be archived"):
        zipped({**TABLES, "places": {"name": ["hill"], "height": [b"x"]}})


@pytest.mark.parametrize(
    ("file", "old", "new", "line", "said"),
    [
        ("places.jsonl", '"hill"', "3", 1, "name is not a text"),
        ("places.jsonl", '"hill"', "null", 1, "name is not a text"),
        ("places.jsonl", "null", "1.0", 2, "height is not a whole number"),
        ("places.jsonl", "null", "true", 2, "height is not a whole number"),
        ("places.jsonl", "null", '"1"', 2, "height is not a whole number"),
        ("places.jsonl", "null", "1" * 19, 2, "a number of 19 digits"),
        ("places.jsonl", "null", "1" * 5000, 2, "a number of 5000 digits"),
        ("places.jsonl", "null", "NaN", 2, "NaN is not JSON"),
        ("places.jsonl", "null", "-Infinity", 2, "-Infinity is not JSON"),
        ("places.jsonl", "null", "1e999", 2, "a number is too large"),
        ("places.jsonl", "null", "[" * 100_000, 2, "nested too deeply"),
        ("places.jsonl", "null", '{"a":' * 100_000, 2, "nested too deeply"),
        ("places.jsonl", "sea", "se\udcff", 2, "not UTF-8"),
        ("places.jsonl", "hill", "\\u0000", 1, "a NUL or half a surrogate pair"),
        ("places.jsonl", "hill", "\\ud83d", 1, "a NUL or half a surrogate pair"),
        ("places.jsonl", '"name":"hill"', '"name":"hill","name":"sea"', 1, "appears twice"),
        ("places.jsonl", '"name":"hill"', '"name":"hill","size":1', 1, "no field 'size'"),
        ("places.jsonl", ',"name":"hill"', "", 1, "the field 'name' is missing"),
        ("places.jsonl", '{"height":-12,"name":"hill"}', "[]", 1, "one JSON object"),
        ("places.jsonl", '{"height":-12,"name":"hill"}', "", 1, "not JSON"),
        ("places.jsonl", '"hill"}', '"hill"} {}', 1, "not JSON"),
        ("places.jsonl", '{"height":-12,"name":"hill"}\n', "", 2, "1 rows stand here; manifest.json says 2"),
        ("walks.jsonl", '"to":2', '"to":3', 1, "to is line 3 of places, which has 2"),
        ("walks.jsonl", '"to":2', '"to":0', 1, "to is line 0 of places"),
        ("walks.jsonl", '"to":2', '"to":-1', 1, "to is line -1 of places"),
        ("walks.jsonl", '"to":2', '"to":true', 1, "to is not the number of a line"),
        ("walks.jsonl", '"long":true', '"long":1', 1, "long is not true or false"),
        ("walks.jsonl", '"anna"', "[]", 1, "by is not the name of a person"),
        ("walks.jsonl", "2026-01-31T12:00:00+00:00", "2026-01-31T12:00:00", 1, "began is not a time"),
        ("walks.jsonl", "2026-01-31T12:00:00+00:00", "2026-01-31T12:00:00Z", 1, "began is not a time"),
        ("walks.jsonl", "2026-01-31T12:00:00+00:00", "2026-01-31T12:00:00+01:00", 1, "began is not a time"),
        ("walks.jsonl", "2026-01-31T12:00:00+00:00", "2026-02-31T12:00:00+00:00", 1, "began is not a time"),
        ("walks.jsonl", "2026-01-31T12:00:00+00:00", "0001-01-31T12:00:00+00:00", 1, "began is not a time"),
        ("walks.jsonl", "2026-01-31T12:00:00+00:00", "", 1, "began is not a time"),
        ("walks.jsonl", str(KEY), str(KEY).replace("-", ""), 1, "key is not a UUID"),
        ("walks.jsonl", str(KEY), "x", 1, "key is not a UUID"),
        ("walks.jsonl", '"notes":[]', '"notes":null', 2, "notes is not JSON"),
        ("walks.jsonl", "😀", "\\udc00", 1, "a NUL or half a surrogate pair"),
        ("walks.jsonl", '"a"', '"\\u0000"', 1, "a NUL or half a surrogate pair"),
        ("manifest.json", NOW, f'"version":{VERSION + 1}', None, f"has version {VERSION + 1}; versions 14"),
        ("manifest.json", NOW, '"version":1', None, f"this archive has version 1; versions 14 to {VERSION} are read"),
        ("manifest.json", NOW, '"version":true', None, "this archive has version True"),
        ("manifest.json", NOW, '"version":"1"', None, f"versions 14 to {VERSION} are read"),
        ("manifest.json", "coindex project", "coindex", None, "this is no archive of a project"),
        ("manifest.json", NOW, f'{NOW},"by":"anna"', 1, "no field 'by'"),
        ("manifest.json", '{"places":2,"walks":2}', "[2,2]", None, "'rows' is not a number for each table"),
        ("manifest.json", '"walks":2', '"walks":"2"', None, "'rows' is not a number for each table"),
        ("manifest.json", NOW, '"version":', 1, "not JSON"),
    ],
)  # fmt: skip
def test_error_names_file_line_and_problem(file, old, new, line, said):
    error = refused(changed(file, old, new))
    assert (error.file, error.line) == (file, line)
    assert said in error.message


@pytest.mark.parametrize("missing", ["places.jsonl", "walks.jsonl", "manifest.json"])
def test_missing_file_is_reported(missing):
    of = files(zipped())
    del of[missing]
    error = refused(rezipped(of))
    assert (error.file, missing in error.message) == ("upload.zip", True)


def test_unknown_files_and_tables_are_refused():
    of = files(zipped())
    assert "'hikes.jsonl'" in refused(rezipped(of | {"hikes.jsonl": b""})).message
    assert "'hikes'" in refused(changed("manifest.json", '"walks"', '"hikes":0,"walks"')).message
    assert "manifest.json says None" in refused(changed("manifest.json", ',"walks":2', "")).message


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_duplicate_file_is_refused():
    out = io.BytesIO(zipped())
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("places.jsonl", b"")
    assert "places.jsonl appears twice in the zip" in refused(out.getvalue()).message


def test_caller_sets_bounds():
    assert "at most 2 are read" in refused(zipped(), most_files=2).message
    assert "more than 0 MB" in refused(zipped(), most_bytes=100).message
    assert "cannot be read" in refused(b"no zip").message


def test_damaged_archives_are_read_or_refused():
    chance, data = random.Random(2), zipped()
    of, places, read_again = files(data), list[str](), 0
    for _ in range(1500):
        name = chance.choice(["upload.zip"] * len(of) + list(of))
        damaged = spoiled(data, chance) if name == "upload.zip" else rezipped(of | {name: spoiled(of[name], chance)})
        try:
            tables = back(damaged)
        except FormatError as error:
            places.append(error.file)
        else:
            assert {len(column) for table in tables.values() for column in table.values()} == {2}
            read_again += 1
    assert set(places) == {"upload.zip", *of}
    assert read_again > 20
