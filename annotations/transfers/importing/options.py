"""The options of an import."""

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
    join: bool = False  # coders with accounts become members
    trial: bool = False  # report what would happen, and change nothing
    new_scheme: bool = False  # a project without texts gets the scheme of the files
    round_name: str = ""  # the round of all texts; else each keeps its latest round, and new texts get the open one
    gold: bool = False  # one gold of each text in a round, by a manager or adjudicator; gold of an export is `by`'s
    model: ModelDescription | None = None  # the coder, added if missing; other coders are refused
    of_format: Mapping[str, str] = NOTHING  # the options of the format (`Format.options_read`), by key
    ways: Mapping[str, str] = NOTHING  # `Format.ways`


DEFAULTS = ImportOptions()
