"""Turn the contributors of a file into markables, and check them. No queries."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from annotations.coding.pyramids.pyramid_rules import Contributor as ProjectContributor
from annotations.coding.pyramids.pyramid_rules import PyramidOptions, pyramid_violations
from annotations.formats import Finding, FormatError
from annotations.formats.model.keys import markable_key
from annotations.formats.model.pyramid import Contributor, ContributorPart, Pyramid
from annotations.formats.model.spans import merge_spans
from annotations.models import Project

MAX_SHOWN = 60
# The option of the project that forbids a violation.
OPTION_OF_VIOLATION = {
    "second_contributor": "one_contributor",
    "several_scus": "words_exclusive",
    "words_taken": "words_exclusive",
}
EXPLANATIONS = {
    "across_summaries": "a contributor is not of the words of one summary",
    "second_contributor": "an SCU has two contributors in one summary",
    "several_scus": "words belong to several SCUs",
    "words_taken": "contributors share words",
}

type Parts = tuple[tuple[int, int], ...]


@dataclass(slots=True)
class ImportedContributor:
    """A contributor of a file with the keys of its SCUs and its comments."""

    parts: Parts
    scus: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)

    @property
    def note(self) -> str:
        """The distinct comments, as the note of the judgement."""
        return "\n".join(dict.fromkeys(self.comments))

    def key(self, level: str) -> str:
        return markable_key(level, self.parts)


def imported_contributors(
    scus: Iterable[tuple[str, Iterable[Contributor]]], content: str, file: str, findings: list[Finding]
) -> dict[Parts, ImportedContributor]:
    """Return the contributors by parts; equal parts are one markable, which may express several SCUs."""
    by_parts: dict[Parts, ImportedContributor] = {}
    for key, contributors in scus:
        for contributor in contributors:
            parts = merge_parts(contributor.parts)
            words = describe_words(content, parts)
            if len(parts) < len(contributor.parts):
                findings.append(Finding("joined", f"parts of {words} touch", file, fix="they are one now"))
            whole = "".join(content[part.start : part.end] for part in contributor.parts)
            if contributor.label and _normalized_label(contributor.label) != _normalized_label(whole):
                message = f"the label of a contributor is not its words {words}"
                findings.append(Finding("contributor-label", message, file, fix="the words hold"))
            imported = by_parts.setdefault(parts, ImportedContributor(parts))
            if key in imported.scus:
                findings.append(Finding("twice", f"SCU {key} has {words} twice", file, fix="it counts once"))
            else:
                imported.scus.append(key)
            if contributor.comment:
                imported.comments.append(contributor.comment)
    return by_parts


def merge_parts(parts: Iterable[ContributorPart]) -> Parts:
    """Return the parts in text order, with overlapping and adjacent ones merged."""
    return tuple(merge_spans((part.start, part.end) for part in parts))


def _normalized_label(label: str) -> str:
    """Return a label without white space and without DUCView's dots between parts."""
    return "".join(label.replace("...", "").split())


def describe_words(content: str, parts: Sequence[Sequence[int]]) -> str:
    """Return the words of a contributor and their spans, as messages show them."""
    words = " … ".join(" ".join(content[start:end].split()) for start, end in parts)
    words = words if len(words) <= MAX_SHOWN else f"{words[:MAX_SHOWN]}…"
    return f"“{words}” ({','.join(f'{start}-{end}' for start, end in parts)})"


def refuse_violations(
    imported: Iterable[ImportedContributor],
    project: Project,
    file: str,
    content: str,
    summaries: Sequence[tuple[int, int]] | None,
) -> None:
    """Raise FormatError, with the words and the option, if the project does not allow the contributors."""
    by_key = {contributor.key(""): contributor for contributor in imported}
    contributors = [
        ProjectContributor(key, contributor.parts, tuple(contributor.scus)) for key, contributor in by_key.items()
    ]
    options = PyramidOptions(project.one_contributor, project.words_exclusive)
    violations = list(pyramid_violations(contributors, options, summaries=summaries))
    if not violations:
        return
    first = violations[0]
    places = " and ".join(describe_words(content, by_key[key].parts) for key in first.contributors)
    scus = ", ".join(dict.fromkeys(scu for key in first.contributors for scu in by_key[key].scus))
    message = f"{EXPLANATIONS[first.code]}: {places}, SCU {scus}"
    if len(violations) > 1:
        message += f"; and {len(violations) - 1} more such places"
    if first.code in OPTION_OF_VIOLATION:
        name = Project._meta.get_field(OPTION_OF_VIOLATION[first.code]).verbose_name  # type: ignore[union-attr]
        message += f". The project's option “{name}”, on the page of its scheme, lifts this"
    raise FormatError(message, file)


def differences(file: Pyramid, project_pyramid: Pyramid) -> list[str]:
    """Return the differences between the contributors of two pyramids by SCU; SCUs without contributors are ignored."""
    in_file, in_project = (
        {
            scu.uid: {merge_parts(contributor.parts) for contributor in scu.contributors if contributor.parts}
            for scu in pyramid.scus
            if scu.contributors
        }
        for pyramid in (file, project_pyramid)
    )
    messages = [f"SCU {uid} stands only in the file" for uid in sorted(in_file.keys() - in_project.keys())]
    messages += [f"SCU {uid} stands only here" for uid in sorted(in_project.keys() - in_file.keys())]
    for uid in sorted(in_file.keys() & in_project.keys()):
        for location, parts in (
            ("in the file", in_file[uid] - in_project[uid]),
            ("here", in_project[uid] - in_file[uid]),
        ):
            messages += [
                f"SCU {uid} has {describe_words(file.text, difference)} only {location}" for difference in sorted(parts)
            ]
    return messages
