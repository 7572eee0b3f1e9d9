"""File formats: pure functions between bytes and the dataclasses of `document`. One module a format.

A reader is `read(data, file) -> list[Document]`; it raises FormatError and nothing else on bad input.
"""

from annotations.formats import conll2012, plain
from annotations.formats.document import Document, FormatError, Mark, Stretch
from annotations.formats.reader import Reader

READERS: dict[str, Reader] = {reader.key: reader for reader in (conll2012.READER, plain.READER)}

__all__ = ["READERS", "Document", "FormatError", "Mark", "Reader", "Stretch"]
