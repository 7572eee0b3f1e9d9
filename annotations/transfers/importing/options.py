"""What is asked of an import, besides its files."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from annotations.models import User
from annotations.projects.people.model_coders import ModelDescription

NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    by: User | None = None  # who imports; None if each coder counts as the author (command line)
    predefined: bool = False  # every coder sees the markables of the files
    create: bool = False  # accounts for missing coders
    join: bool = False  # those who have accounts become members
    trial: bool = False  # report what would happen, and change nothing
    new_scheme: bool = False  # a project without texts gets the scheme of the files
    round_name: str = ""  # where all texts go; else each keeps its latest round, and new ones come into the open one
    gold: bool = False  # one of each text in a round, of a manager or adjudicator; what an export has is `by`'s
    model: ModelDescription | None = None  # whose the codings are: added if missing; other coders are refused
    of_format: Mapping[str, str] = NOTHING  # the options of the format (`Format.options_read`), by key
    ways: Mapping[str, str] = NOTHING  # `Format.ways`


DEFAULTS = ImportOptions()
