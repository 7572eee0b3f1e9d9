"""Zips of files: what comes out, and what is refused."""

import io
import random
import stat
import tracemalloc
import zipfile
from collections.abc import Iterable

import pytest

from annotations.formats import FormatError
from annotations.formats.syntax.archive import unpack

FILES = [("b/walk.conll", b"two"), ("a/walk.conll", b"one" * 100), ("c.txt", b"")]


def zipped(files: Iterable[tuple[str, bytes]] = FILES, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return buffer.getvalue()


def unpacked(data: bytes, most_files: int = 10, most_bytes: int = 2**20) -> list[tuple[str, bytes]]:
    return unpack(data, "upload.zip", most_files=most_files, most_bytes=most_bytes)


def refused(data: bytes, most_files: int = 10, most_bytes: int = 2**20) -> str:
    with pytest.raises(FormatError) as caught:
        unpacked(data, most_files, most_bytes)
    assert caught.value.file == "upload.zip"
    return caught.value.message


def with_flag(data: bytes, bit: int) -> bytes:
    """Return the zip with a bit set in both copies of the flags of every entry."""
    changed = bytearray(data)
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = changed.find(signature)
        while place >= 0:
            changed[place + offset] |= bit
            place = changed.find(signature, place + 4)
    return bytes(changed)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_files_come_in_the_order_of_their_names(method):
    assert unpacked(zipped(method=method)) == sorted(FILES)


def test_an_empty_zip_has_no_file():
    assert unpacked(zipped([])) == []


@pytest.mark.parametrize("name", ["Ära/Übung.conll", "漢字.txt", "a b/c d.txt", "a/b/c/d.txt", "..a.txt/b", "a..b"])
def test_names_stay_as_they_are(name):
    assert unpacked(zipped([(name, b"x")])) == [(name, b"x")]


@pytest.mark.parametrize(
    "name",
    [
        "__MACOSX/a/._walk.conll",
        ".DS_Store",
        "a/.DS_Store",
        "a/._walk.conll",
        "a/",
        "a/b/",
        ".hidden",
        ".git/config.conll",
        "a/.svn/walk.conll",
    ],
)
def test_litter_and_folders_are_left_out_and_do_not_count(name):
    data = zipped([(name, b""), *FILES])
    assert unpacked(data, most_files=3) == sorted(FILES)


def test_a_file_more_than_allowed_is_refused():
    assert len(unpacked(zipped(), most_files=3)) == 3
    assert refused(zipped(), most_files=2) == "the zip holds 3 files; at most 2 are read"
    assert "at most 0" in refused(zipped(), most_files=0)


def test_a_byte_more_than_allowed_is_refused_counted_over_all_files():
    assert len(unpacked(zipped(), most_bytes=303)) == 3
    assert "the zip holds more than" in refused(zipped(), most_bytes=302)
    assert "more than 2 MB" in refused(zipped([("a", bytes(2**21)), ("b", b"x")], zipfile.ZIP_STORED), most_bytes=2**21)


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd",
        "../walk.conll",
        "a/../../walk.conll",
        "..a/../x",
        "C:\\a.conll",
        "a\\..\\x",
        "../export-of-another/a",
    ],
)
def test_an_unsafe_name_is_refused(name):
    message = refused(zipped([("good.conll", b"x"), (name, b"x")]))
    assert message == f"the zip holds a file with the unsafe name {name!r}"


def test_backslashes_of_old_programs_are_folders():
    entries = [("anna\\walk.conll", b"x"), ("anna\\", b""), (".hidden\\a", b"x"), ("bea/walk.conll", b"y")]
    assert unpack(zipped(entries), "a.zip", most_files=10, most_bytes=100) == [
        ("anna/walk.conll", b"x"),
        ("bea/walk.conll", b"y"),
    ]


@pytest.mark.parametrize("data", [b"", b"x", b"PK\x03\x04", b"#begin document (a)\n", bytes(1000)])
def test_what_is_no_zip_is_refused(data):
    assert "this zip cannot be read" in refused(data)


def test_a_link_is_refused():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        entry = zipfile.ZipInfo("a/walk.conll")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    assert refused(buffer.getvalue()) == "a/walk.conll is a link, not a file"


def test_a_file_that_grows_too_much_is_refused_before_it_is_unpacked():
    assert refused(bomb(4 * 2**20), most_bytes=2**30).endswith("would grow to more than 200 times its size")
    assert len(unpacked(bomb(2**19), most_bytes=2**30)) == 1


def test_what_the_zip_says_of_its_size_is_not_trusted():
    """A megabyte that says it is a byte: what comes is counted, and found to be wrong."""
    data = bytearray(zipped([("a", random.Random(1).randbytes(2**20))], zipfile.ZIP_STORED))
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = data.index(signature) + offset
        data[place : place + 4] = (1).to_bytes(4, "little")
    assert "cannot be read" in refused(bytes(data), most_bytes=2**10)


def test_an_encrypted_zip_is_refused():
    assert "encrypted" in refused(with_flag(zipped(), 1))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_method_that_cannot_be_bounded_is_refused(method):
    assert "compressed by a method that is not read here" in refused(zipped(method=method))


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_changed_byte_in_a_file_is_refused(method):
    data = bytearray(zipped(method=method))
    place = data.index(b"a/walk.conll") + len(b"a/walk.conll")
    data[place] ^= 0xFF
    assert "this zip cannot be read" in refused(bytes(data))


def test_a_zip_cut_anywhere_is_refused():
    data = zipped()
    for length in range(len(data)):
        assert "this zip cannot be read" in refused(data[:length])


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_zip_gives_files_or_a_format_error(method):
    data, chance = zipped(method=method), random.Random(method)
    outcomes: set[type] = set()
    for _ in range(500):
        damaged = bytearray(data)
        for _ in range(chance.randint(1, 3)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        try:
            outcomes.add(type(unpacked(bytes(damaged))))
        except FormatError:
            outcomes.add(FormatError)
    assert FormatError in outcomes


def test_a_bomb_is_refused_in_bounded_memory():
    """50 MB of zeros in 50 kB: not more than a few times the bound is ever held."""
    data = bomb(50 * 2**20)
    assert len(data) < 2**16
    tracemalloc.start()
    try:
        assert "more than 200 times its size" in refused(data)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 8 * 2**20


def test_a_bomb_that_understates_its_size_is_refused():
    """The size that the zip gives is not believed."""
    data = bytearray(bomb(8 * 2**20))
    directory = data.index(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = (1000).to_bytes(4, "little")
    message = refused(bytes(data))
    assert "cannot be read" in message or "more than 1 MB" in message


def bomb(size: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("zeros.txt", "w") as zeros:
        for _ in range(size // 2**20):
            zeros.write(bytes(2**20))
    return buffer.getvalue()


def test_many_small_bombs_share_one_bound():
    files = [(f"{number}.txt", bytes(2**20 // 3)) for number in range(4)]
    assert len(unpacked(zipped(files[:3]))) == 3
    assert "more than 1 MB" in refused(zipped(files))
