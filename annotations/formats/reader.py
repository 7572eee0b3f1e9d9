"""What every format offers for reading."""

from collections.abc import Callable
from dataclasses import dataclass

from annotations.formats.document import Document


@dataclass(frozen=True, slots=True)
class Reader:
    """A format that can be read. `suffixes` are those looked for in a folder."""

    key: str
    label: str
    suffixes: tuple[str, ...]
    read: Callable[[bytes, str], list[Document]]
