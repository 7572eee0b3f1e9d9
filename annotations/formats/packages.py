"""Zips that people bring: their files, arranged as the readers of the formats expect them."""

from typing import IO

from annotations.formats.syntax.archive import Package, list_entries
from annotations.formats.uima import inception


def open_package(data: bytes | IO[bytes], file: str, *, most_files: int, most_bytes: int) -> Package:
    """Return the files of the zip `file`; of a project export of INCEpTION or WebAnno those of its coders.

    Files are read when they are needed; those of a project export, whose coders' zips are opened, at once. The bounds
    are for all that is unpacked, zips in the zip and what comes out of them. Raises FormatError.
    """
    entries = list_entries(data, file, most_files=most_files, most_bytes=most_bytes)
    if not inception.is_export(entry.path for entry in entries):
        return Package([(entry.path, entry) for entry in entries])
    unpacked = sum(map(len, entries))
    contents = [(entry.path, entry.read()) for entry in entries]
    return inception.arrange(contents, file, most_files=most_files - len(entries), most_bytes=most_bytes - unpacked)
