"""What coders are asked, as files hold it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LevelSpec:
    key: str
    label: str
    coded: bool = True


@dataclass(frozen=True, slots=True)
class CategorySpec:
    key: str
    label: str
    points_to: str = ""
    max_pointers: int | None = None
    allow_later: bool = False
    takes_index: bool = False
    takes_optional: bool = False
    singleton: bool = False


@dataclass(frozen=True, slots=True)
class SchemeSpec:
    """The levels and categories of a project, in the order in which they are shown."""

    levels: tuple[LevelSpec, ...]
    categories: tuple[CategorySpec, ...]

    @property
    def main_level(self) -> str:
        """The key of the first level that is coded: that of markables whose file names none."""
        return next((level.key for level in self.levels if level.coded), "")


@dataclass(frozen=True, slots=True)
class ReadyMadeScheme:
    """A scheme. `agreement` names the conventions that its agreement page opens with."""

    key: str
    label: str
    description: str
    answers: str
    levels: tuple[LevelSpec, ...]
    categories: tuple[CategorySpec, ...]
    agreement: str
    unmarked: str = "missing"
