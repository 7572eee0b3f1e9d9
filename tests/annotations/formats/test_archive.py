import io
import random
import re
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


def patched(data: bytes, in_file: int, in_directory: int, new: bytes) -> bytes:
    """Return the zip with other bytes at an offset in both headers of every entry."""
    changed = bytearray(data)
    for signature, offset in ((b"PK\x03\x04", in_file), (b"PK\x01\x02", in_directory)):
        for found in re.finditer(signature, data):
            changed[found.start() + offset : found.start() + offset + len(new)] = new
    return bytes(changed)


def unpacked(data: bytes, most_files: int = 10, most_bytes: int = 2**20) -> list[tuple[str, bytes]]:
    return unpack(data, "upload.zip", most_files=most_files, most_bytes=most_bytes)


def refused(data: bytes, most_files: int = 10, most_bytes: int = 2**20) -> str:
    with pytest.raises(FormatError) as caught:
        unpacked(data, most_files, most_bytes)
    assert caught.value.file == "upload.zip"
    return caught.value.message


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_files_are_sorted_by_name(method):
    assert unpacked(zipped(method=method)) == sorted(FILES)
    assert unpacked(zipped([])) == []


@pytest.mark.parametrize("name", ["Ära/Übung.conll", "漢字.txt", "a b/c d.txt", "a/b/c/d.txt", "..a.txt/b", "a..b"])
def test_file_names_are_kept(name):
    assert unpacked(zipped([(name, b"x")])) == [(name, b"x")]


@pytest.mark.parametrize(
    "name", ["__MACOSX/a/._walk", ".DS_Store", "a/.DS_Store", "a/._walk", "a/", "a/b/", ".hidden", ".git/c", "a/.svn/w"]
)
def test_system_files_and_folders_are_ignored(name):
    assert unpacked(zipped([(name, b""), *FILES]), most_files=3) == sorted(FILES)


def test_too_many_files_or_bytes_are_refused():
    assert len(unpacked(zipped(), most_files=3)) == len(unpacked(zipped(), most_bytes=303)) == 3
    assert refused(zipped(), most_files=2) == "the zip holds 3 files; at most 2 are read"
    assert "at most 0" in refused(zipped(), most_files=0)
    assert "the zip holds more than" in refused(zipped(), most_bytes=302)
    assert "more than 2 MB" in refused(zipped([("a", bytes(2**21)), ("b", b"x")], zipfile.ZIP_STORED), most_bytes=2**21)


@pytest.mark.parametrize(
    "name",
    ["/etc/passwd", "../walk.conll", "a/../../walk.conll", "..a/../x", "C:\\a.conll", "a\\..\\x", "../another/a"],
)
def test_unsafe_name_is_refused(name):
    assert f"the unsafe name {name!r}" in refused(zipped([("good.conll", b"x"), (name, b"x")]))


def test_truncated_and_other_data_is_refused():
    cut = [zipped()[:length] for length in range(len(zipped()))]
    for data in (b"x", b"PK\x03\x04", b"#begin document (a)\n", bytes(1000), *cut):
        assert "this zip cannot be read" in refused(data)


def test_links_and_encryption_are_refused_and_backslashes_read():
    entry = zipfile.ZipInfo("a/walk.conll")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    assert refused(zipped([(entry, "/etc/passwd")])) == "a/walk.conll is a link, not a file"
    assert "encrypted" in refused(patched(zipped(), 6, 8, b"\1\0"))
    entries = [("anna\\walk.conll", b"x"), ("anna\\", b""), (".hidden\\a", b"x"), ("bea/walk.conll", b"y")]
    assert unpacked(zipped(entries)) == [("anna/walk.conll", b"x"), ("bea/walk.conll", b"y")]


def test_too_high_compression_is_refused():
    assert refused(bomb(4 * 2**20), most_bytes=2**30).endswith("would grow to more than 200 times its size")
    assert len(unpacked(bomb(2**19), most_bytes=2**30)) == 1
    files = [(f"{number}.txt", bytes(2**20 // 3)) for number in range(4)]
    assert len(unpacked(zipped(files[:3]))) == 3
    assert "more than 1 MB" in refused(zipped(files))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_unsupported_compression_is_refused(method):
    assert "compressed by a method that is not read here" in refused(zipped(method=method))


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_changed_byte_is_refused(method):
    data = bytearray(zipped(method=method))
    data[data.index(b"a/walk.conll") + len(b"a/walk.conll")] ^= 0xFF
    assert "this zip cannot be read" in refused(bytes(data))


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damaged_zip_is_read_or_refused(method):
    data, chance, refusals = zipped(method=method), random.Random(method), 0
    for _ in range(500):
        damaged = bytearray(data)
        for _ in range(chance.randint(1, 3)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        try:
            unpacked(bytes(damaged))
        except FormatError:
            refusals += 1
    assert refusals


def test_bomb_is_refused_in_bounded_memory():
    """Refuse 50 MB of zeros in 50 kB within a few times the allowed size."""
    data = bomb(50 * 2**20)
    assert len(data) < 2**16
    tracemalloc.start()
    try:
        assert "more than 200 times its size" in refused(data)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 8 * 2**20


def test_understated_sizes_are_refused():
    understated = patched(bomb(8 * 2**20), 22, 24, (1000).to_bytes(4, "little"))
    message = refused(understated)
    assert "cannot be read" in message or "more than 1 MB" in message
    stored = zipped([("a", random.Random(1).randbytes(2**20))], zipfile.ZIP_STORED)
    assert "cannot be read" in refused(patched(stored, 22, 24, (1).to_bytes(4, "little")), most_bytes=2**10)


def bomb(size: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("zeros.txt", "w") as zeros:
        for _ in range(size // 2**20):
            zeros.write(bytes(2**20))
    return buffer.getvalue()
