"""What coders are asked, as files hold it."""

from dataclasses import dataclass

from annotations.formats.document import Answer


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


@dataclass(frozen=True, slots=True)
class SchemeSpec:
    """The levels and categories of a project, in the order in which they are shown."""

    levels: tuple[LevelSpec, ...]
    categories: tuple[CategorySpec, ...]

    @property
    def main_level(self) -> str:
        """The key of the first level that is coded: that of markables whose file names none."""
        return next((level.key for level in self.levels if level.coded), "")

    def implied(self, answer: Answer) -> str:
        """The category that follows from what the answer links; empty where none does.

        With indices the first that takes an index, with pointers the first that points to the level of the first
        target; with neither `none`, or else the only one that takes neither.
        """
        # Asked of every answer, and a loop takes a third of the time of `next`.
        if answer.indices:
            for category in self.categories:
                if category.takes_index:
                    return category.key
            return ""
        if answer.pointers:
            level = answer.pointers[0].level or self.main_level
            for category in self.categories:
                if category.points_to == level:
                    return category.key
            return ""
        plain = [category.key for category in self.categories if not category.takes_index and not category.points_to]
        return "none" if "none" in plain else plain[0] if len(plain) == 1 else ""
