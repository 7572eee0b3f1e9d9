"""The interface of scheme files, and helpers of their readers."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from annotations.formats.mmax2.scheme import make_key
from annotations.formats.model import scheme as specs
from annotations.formats.model.findings import Finding, Findings
from annotations.formats.model.format import File

MAX_LABEL_LENGTH = 100
MAX_HELP_LENGTH = 1000
MAX_LOSSES = 200


@dataclass(frozen=True, slots=True)
class SchemeFile:
    """A scheme from a file. answers: how its coders answer. losses: parts of the file that a scheme cannot express."""

    spec: specs.SchemeSpec
    answers: str
    losses: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class SchemeFormat:
    """A kind of scheme file."""

    key: str
    label: str
    # `read(files, name)` takes the files of the upload `name` by path; raises FormatError and nothing else.
    read: Callable[[Mapping[str, bytes], str], SchemeFile]
    # `write(spec, answers)` returns the files and the losses.
    write: Callable[[specs.SchemeSpec, str], tuple[list[File], list[str]]] | None = None


class SchemeReader(Findings):
    """The base of readers of scheme files, which collects losses as findings. used: the keys of questions so far."""

    def __init__(self, file: str) -> None:
        super().__init__(file, most=MAX_LOSSES, code="scheme-loss", noun="things")
        self.used = {specs.CATEGORY}

    def make_key(self, name: str) -> str:
        """Return an unused key for a question, made from the name, and mark it as used."""
        return make_keys([name], self.used)[name]

    def identity_categories(self, name: str, label: str, to: str, level: str = "") -> tuple[specs.CategorySpec, ...]:
        """Return the categories of a scheme of identity alone: one that points to a level, and one that does not."""
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
    """Return a distinct, unused key for each name, and add the keys to `used`."""
    used = set() if used is None else used
    keys: dict[str, str] = {}
    for name in dict.fromkeys(names):
        keys[name] = make_key(name, used)
        used.add(keys[name])
    return keys


def fit_label(text: str, other: str = "") -> str:
    """Return the text as a label: on one line, cut if it is too long; `other` if it is empty."""
    label = " ".join(text.split()) or " ".join(other.split())
    return label if len(label) <= MAX_LABEL_LENGTH else f"{label[: MAX_LABEL_LENGTH - 1]}…"


def fit_help(text: str) -> str:
    text = text.strip()
    return text if len(text) <= MAX_HELP_LENGTH else f"{text[: MAX_HELP_LENGTH - 1]}…"


def fit_question(text: str, name: str) -> tuple[str, str]:
    """Return the label and help of a question: its text alone, or name and text if the text is too long for a label."""
    return (fit_label(name), fit_help(text)) if len(text) > MAX_LABEL_LENGTH else (fit_label(text, name), "")
