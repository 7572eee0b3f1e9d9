"""Zips that people bring: their files, arranged as the readers of the formats expect them."""

from annotations.formats.syntax.archive import Package, unpack
from annotations.formats.uima import inception


def open_package(data: bytes, file: str, *, most_files: int, most_bytes: int) -> Package:
    """Return the files of the zip `file`; of a project export of INCEpTION or WebAnno those of its coders.

    The bounds are for all that is unpacked, zips in the zip and what comes out of them. Raises FormatError.
    """
    entries = unpack(data, file, most_files=most_files, most_bytes=most_bytes)
    unpacked = sum(len(content) for _, content in entries)
    return inception.arrange(entries, file, most_files=most_files - len(entries), most_bytes=most_bytes - unpacked)
