"""Contributors of a file as they become markables, and what is wrong with them. Pure but for the names of options."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from annotations.formats import Finding, FormatError
from annotations.formats.pyramid import Contributor, Part, Pyramid
from annotations.marking import key_of
from annotations.models import Project
from annotations.pyramids import Contributor as OfProject
from annotations.pyramids import Options, faults

LONGEST_SHOWN = 60
# The option of the project that a fault comes from.
LIFTED_BY = {
    "second_contributor": "one_contributor",
    "several_scus": "words_exclusive",
    "words_taken": "words_exclusive",
}

type Parts = tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Marked:
    """Words of a text with the keys of the SCUs that they express, and what was said of each."""

    parts: Parts
    scus: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)

    @property
    def note(self) -> str:
        return "\n".join(dict.fromkeys(self.comments))

    def key(self, level: str) -> str:
        return key_of(level, self.parts)


def marked(
    scus: Iterable[tuple[str, Iterable[Contributor]]], content: str, file: str, findings: list[Finding]
) -> dict[Parts, Marked]:
    """The contributors, each once: equal words are one markable, which may express several SCUs."""
    found: dict[Parts, Marked] = {}
    for key, contributors in scus:
        for one in contributors:
            parts = in_order(one.parts)
            if len(parts) < len(one.parts):
                findings.append(
                    Finding("joined", f"parts of {words(content, parts)} touch", file, fix="they are one now")
                )
            spans = [(part.start, part.end) for part in one.parts]
            if one.label and _bare(one.label) != _bare("".join(content[start:end] for start, end in spans)):
                message = f"the label of a contributor is not its words {words(content, parts)}"
                findings.append(Finding("contributor-label", message, file, fix="the words hold"))
            mark = found.setdefault(parts, Marked(parts))
            if key in mark.scus:
                findings.append(
                    Finding("twice", f"SCU {key} has {words(content, parts)} twice", file, fix="it counts once")
                )
            else:
                mark.scus.append(key)
            if one.comment:
                mark.comments.append(one.comment)
    return found


def in_order(parts: Iterable[Part]) -> Parts:
    """The parts in text order; those that overlap or touch are one."""
    found: list[tuple[int, int]] = []
    for part in sorted(parts):
        if found and part.start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], part.end))
        else:
            found.append((part.start, part.end))
    return tuple(found)


def _bare(label: str) -> str:
    """A label without white space, and without the dots that DUCView puts between parts."""
    return "".join(label.replace("...", "").split())


def words(content: str, parts: Sequence[Sequence[int]]) -> str:
    """The words of a contributor and where they stand, as a message shows them."""
    said = " … ".join(" ".join(content[start:end].split()) for start, end in parts)
    said = said if len(said) <= LONGEST_SHOWN else f"{said[:LONGEST_SHOWN]}…"
    return f"“{said}” ({','.join(f'{start}-{end}' for start, end in parts)})"


def refuse_faults(
    found: Iterable[Marked],
    project: Project,
    file: str,
    content: str,
    summaries: Sequence[tuple[int, int]] | None,
) -> None:
    """Raise FormatError on contributors that the project does not allow, with their words and the option that does."""
    by_key = {mark.key(""): mark for mark in found}
    contributors = [OfProject(key, mark.parts, tuple(mark.scus)) for key, mark in by_key.items()]
    options = Options(project.one_contributor, project.words_exclusive)
    wrong = list(faults(contributors, options, summaries=summaries))
    if not wrong:
        return
    first = wrong[0]
    places = " and ".join(words(content, by_key[key].parts) for key in first.contributors)
    scus = ", ".join(dict.fromkeys(scu for key in first.contributors for scu in by_key[key].scus))
    message = f"{SAID[first.code]}: {places}, SCU {scus}"
    if len(wrong) > 1:
        message += f"; and {len(wrong) - 1} more such places"
    if first.code in LIFTED_BY:
        name = Project._meta.get_field(LIFTED_BY[first.code]).verbose_name  # type: ignore[union-attr]
        message += f". The project's option “{name}”, on the page of its scheme, lifts this"
    raise FormatError(message, file)


# What is wrong, in the words of a file.
SAID = {
    "across_summaries": "a contributor is not of the words of one summary",
    "second_contributor": "an SCU has two contributors in one summary",
    "several_scus": "words belong to several SCUs",
    "words_taken": "contributors share words",
}


def differences(file: Pyramid, here: Pyramid) -> list[str]:
    """In what the contributors of two pyramids differ, SCU by SCU; those without contributors are none."""
    in_file, known = _contributors(file), _contributors(here)
    found = [f"SCU {uid} stands only in the file" for uid in sorted(in_file.keys() - known.keys())]
    found += [f"SCU {uid} stands only here" for uid in sorted(known.keys() - in_file.keys())]
    for uid in sorted(in_file.keys() & known.keys()):
        for where, parts in (("in the file", in_file[uid] - known[uid]), ("here", known[uid] - in_file[uid])):
            found += [f"SCU {uid} has {words(file.text, one)} only {where}" for one in sorted(parts)]
    return found


def _contributors(pyramid: Pyramid) -> dict[int, set[Parts]]:
    return {
        scu.uid: {in_order(one.parts) for one in scu.contributors if one.parts}
        for scu in pyramid.scus
        if scu.contributors
    }
