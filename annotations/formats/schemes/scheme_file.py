"""What every kind of scheme file offers, and what their readers share."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from annotations.formats.mmax2.scheme import make_key
from annotations.formats.model import scheme as specs
from annotations.formats.model.findings import Finding, Findings
from annotations.formats.model.format import File

LONGEST_LABEL = 100
LONGEST_HELP = 1000
MAX_LOSSES = 200


@dataclass(frozen=True, slots=True)
class SchemeFile:
    """A scheme that was read: how its coders answer, and what the file says besides that a scheme here cannot say."""

    spec: specs.SchemeSpec
    answers: str
    losses: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class SchemeFormat:
    """A kind of scheme file."""

    key: str
    label: str
    # `read(files, name)` of the files of an upload called `name`, by their paths; raises FormatError and nothing else.
    read: Callable[[Mapping[str, bytes], str], SchemeFile]
    # `write(spec, answers)` returns the files and what they cannot say.
    write: Callable[[specs.SchemeSpec, str], tuple[list[File], list[str]]] | None = None


class SchemeReader(Findings):
    """A file while it becomes a scheme, with what a scheme here cannot say. used: the keys of its questions."""

    def __init__(self, file: str) -> None:
        super().__init__(file, most=MAX_LOSSES, code="scheme-loss", noun="things")
        self.used = {specs.CATEGORY}

    def make_key(self, name: str) -> str:
        """Return a key for a question that is made of the name and not used yet."""
        return make_keys([name], self.used)[name]

    def identity_categories(self, name: str, label: str, to: str, level: str = "") -> tuple[specs.CategorySpec, ...]:
        """Return the categories of a scheme that asks for identity alone: what points to a level, and what does not."""
        key = self.make_key(name)
        pointing = specs.CategorySpec(key, fit_label(label, key), points_to=to, allow_later=True, level=level)
        none = specs.CategorySpec("none" if key != "none" else "no-antecedent", "none", level=level)
        self.used.add(none.key)
        return pointing, none

    def scheme_file(
        self,
        levels: Iterable[specs.LevelSpec],
        categories: Collection[specs.CategorySpec],
        relations: Iterable[specs.RelationSpec],
        attributes: Iterable[specs.AttributeSpec],
        answers: str,
    ) -> SchemeFile:
        every_relation = (*specs.identity_relations(categories), *relations)
        spec = specs.SchemeSpec(tuple(levels), tuple(categories), every_relation, tuple(attributes))
        return SchemeFile(spec, answers, self.listed())


def make_keys(names: Iterable[str], used: set[str] | None = None) -> dict[str, str]:
    """Return a key for each name, no two alike and none among those that are used, to which they are added."""
    used = set() if used is None else used
    keys: dict[str, str] = {}
    for name in dict.fromkeys(names):
        keys[name] = make_key(name, used)
        used.add(keys[name])
    return keys


def fit_label(text: str, other: str = "") -> str:
    """Return the text as a label: on one line, cut where it is too long, and `other` where it is empty."""
    label = " ".join(text.split()) or " ".join(other.split())
    return label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 1]}…"


def fit_help(text: str) -> str:
    text = text.strip()
    return text if len(text) <= LONGEST_HELP else f"{text[: LONGEST_HELP - 1]}…"


def fit_question(text: str, name: str) -> tuple[str, str]:
    """Return the label and the help of a question: where its text is too long for a label, the name and the text."""
    return (fit_label(name), fit_help(text)) if len(text) > LONGEST_LABEL else (fit_label(text, name), "")
