"""What is asked of an import, besides its files."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from annotations.models import User
from annotations.projects.people.model_coders import ModelDescription

NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """What is asked of an import.

    by: the user who imports; None if each coder counts as the author (command line).
    predefined: the markables of the files are predefined: every coder sees them.
    create, join: accounts are created for missing coders; those who have accounts become members.
    trial: report what would happen, and change nothing.
    new_scheme: a project without texts gets the scheme of the files.
    round_name: where all texts go; else each keeps its latest round, and new ones come into the open one.
    gold: the codings are gold: of each text in a round there is one, of a manager or adjudicator; what an export of
    gold or silver has is `by`'s.
    model: whose the codings are; it is added where it is not there, and files of other coders are refused.
    of_format: the options of the format (`Format.options_read`), by key; `ways` are those of the format.
    """

    by: User | None = None
    predefined: bool = False
    create: bool = False
    join: bool = False
    trial: bool = False
    new_scheme: bool = False
    round_name: str = ""
    gold: bool = False
    model: ModelDescription | None = None
    of_format: Mapping[str, str] = NOTHING
    ways: Mapping[str, str] = NOTHING


DEFAULTS = ImportOptions()
