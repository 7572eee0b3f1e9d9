"""Which text a file is of, where folders tell apart files of equal names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import batched
from pathlib import PurePosixPath

from annotations.core.database.bulk import MAX_KEYS
from annotations.formats import Finding, FormatError
from annotations.formats.model.alignment import skeleton_of
from annotations.models import Project, Text
from annotations.transfers.importing.files.addresses import may_be_of_name, slugs_of_name
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.report import Failure

# So many folders above a file may stand in the name of its text.
MOST_FOLDERS = 20
LONGEST_SHOWN = 60

Folder = tuple[str, ...]


def text_folder(file: str, coder_from: str) -> Folder:
    """Return the last folders of a file, without that of its coder."""
    folder = PurePosixPath(file).parent
    parts = [part for part in folder.parts if part != "/"]
    return tuple((parts[:-1] if coder_from == "parent" else parts)[-MOST_FOLDERS:])


def names_in_folders(folder: Folder, name: str) -> list[str]:
    """Return what a text of that name may be called after its folders, the last alone first."""
    return [" ".join([*folder[-depth:], name]) for depth in range(1, len(folder) + 1)]


@dataclass
class KnownTexts:
    """The texts of a project, as far as files may be of them."""

    project: Project
    contents: dict[str, str] = field(default_factory=dict)

    @cached_property
    def titles(self) -> dict[str, str]:
        """The titles of all texts by their addresses."""
        return dict(Text.objects.filter(project=self.project).values_list("slug", "title"))

    def find(self, name: str) -> str:
        """Return the address of the text of that name; empty where there is none."""
        known = (slug for slug in slugs_of_name(name) if slug in self.titles)
        return next((slug for slug in known if may_be_of_name(slug, self.titles[slug], name)), "")

    def load(self, slugs: Iterable[str]) -> None:
        """Read the contents of the texts with those addresses."""
        for batch in batched(dict.fromkeys(slug for slug in slugs if slug not in self.contents), MAX_KEYS):
            found = Text.objects.filter(project=self.project, slug__in=batch)
            self.contents |= dict(found.values_list("slug", "content"))

    def has_text(self, slug: str, content: str) -> bool:
        """Return whether the text of that address, which was loaded, has the characters of the content."""
        known = self.contents[slug]
        return known == content or skeleton_of(known).characters == skeleton_of(content).characters


@dataclass
class FileNames:
    """Says what the texts of files of one name are called. known: the texts of the project, if there is one."""

    sources: Sequence[SourceDocument]
    coder_from: str
    known: KnownTexts | None

    @property
    def name(self) -> str:
        """What all files are called."""
        return self.sources[0].document.name

    @cached_property
    def folders(self) -> list[Folder]:
        """The folder of each file."""
        return [text_folder(source.document.file, self.coder_from) for source in self.sources]

    @cached_property
    def addresses(self) -> list[dict[str, str]]:
        """For each file the addresses in the project that it may have, by name."""
        known = self.known
        if known is None or not known.titles:
            return [{} for _ in self.sources]
        by_folder: dict[Folder, dict[str, str]] = {}
        for folder in self.folders:
            if folder not in by_folder:
                names = [self.name, *names_in_folders(folder, self.name)]
                by_folder[folder] = {name: slug for name in names if (slug := known.find(name))}
        return [by_folder[folder] for folder in self.folders]

    @cached_property
    def are_several(self) -> bool:
        """Whether these are several texts: two of one coder, or, in other folders, of other characters."""
        if len(set(self.folders)) == 1:
            return False
        seen: dict[str | None, Folder] = {}
        for source, folder in zip(self.sources, self.folders, strict=True):
            if seen.setdefault(source.coder, folder) != folder:
                return True
        # Elsewhere another folder may be another coder.
        if self.coder_from != "parent":
            return False
        first_of = dict(zip(reversed(self.folders), reversed(self.sources), strict=True))
        return len({skeleton_of(source.document.content).characters for source in first_of.values()}) > 1

    def choose(self) -> list[str | FormatError]:
        """Return the name of each text, or why none can be chosen."""
        by_folder = _distinct_names(self.folders, self.name) if self.are_several else [self.name] * len(self.sources)
        if not any(name != self.name for names in self.addresses for name in names) and not (
            self.are_several and any(self.addresses)
        ):
            return [*by_folder]
        chosen = [
            self._choose_one(source, name, addresses)
            for source, name, addresses in zip(self.sources, by_folder, self.addresses, strict=True)
        ]
        known = {name for name, addresses in zip(chosen, self.addresses, strict=True) if name in addresses}
        if self.are_several or len(known) != 1:
            return chosen
        # They are one text, and the project has it.
        [name] = known
        return [name if each == self.name else each for each in chosen]

    def _choose_one(self, source: SourceDocument, name: str, addresses: Mapping[str, str]) -> str | FormatError:
        """Return the name of a text: that of one in the project, if it has it. name: the one that it has otherwise."""
        assert self.known is not None
        self.known.load(addresses.values())
        fitting = [each for each, slug in addresses.items() if self.known.has_text(slug, source.document.content)]
        if name in fitting and self.are_several:
            return name
        if len({addresses[each] for each in fitting}) > 1:
            places = " and ".join(addresses[each] for each in fitting)
            message = (
                f"the project has its text twice, as {places}; name the file after one of them, or import it together "
                "with the files that it came with"
            )
            return FormatError(message, source.document.file)
        if fitting:
            return fitting[0]
        # A text that was named so, and differs: which is told where the texts are held against each other.
        named = [each for each, slug in addresses.items() if each != self.name and self.known.titles[slug] == each]
        return named[0] if named and self.name not in addresses else name


def _distinct_names(folders: Sequence[Folder], name: str) -> list[str]:
    """Return the name after as many of the last folders of each as it takes to tell them apart."""
    different = set(folders)
    depths = range(1, max(map(len, folders)) + 1)
    depth = next((each for each in depths if len({folder[-each:] for folder in different}) == len(different)), 0)
    return [" ".join([*folder[-(depth or MOST_FOLDERS) :], name]) for folder in folders]


def name_by_folder(
    documents: Sequence[SourceDocument], coder_from: str, project: Project | None = None
) -> tuple[list[SourceDocument], list[Failure]]:
    """Return the documents, with the names of folders before equal names that are not one text, and what is refused.

    These are two of one coder, or of two coders in folders besides their own whose characters differ, in these files or
    in the project: a file that comes alone has the name that it has with others.
    """
    by_name: dict[str, list[int]] = {}
    in_folders = set[str]()
    for number, source in enumerate(documents):
        if not source.document.coder:
            by_name.setdefault(source.document.name, []).append(number)
            if text_folder(source.document.file, coder_from):
                in_folders.add(source.document.name)
    known = KnownTexts(project) if project is not None else None
    is_known = known is not None and bool(known.titles)
    names: dict[int, str] = {}
    failures: dict[str, Failure] = {}
    for name, numbers in by_name.items():
        if name not in in_folders or (len(numbers) == 1 and not is_known):
            continue  # no folder tells them apart
        sources = [documents[number] for number in numbers]
        for number, source, chosen in zip(
            numbers, sources, FileNames(sources, coder_from, known).choose(), strict=True
        ):
            if isinstance(chosen, FormatError):
                failures[source.file] = Failure(source.file, str(chosen))
            elif chosen != name:
                names[number] = chosen
    named = [
        _named(source, names[number]) if number in names else source
        for number, source in enumerate(documents)
        if source.file not in failures
    ]
    return named, [*failures.values()]


def _named(source: SourceDocument, name: str) -> SourceDocument:
    document = source.document
    shown = name if len(name) <= LONGEST_SHOWN else f"{name[: LONGEST_SHOWN - 1]}…"
    message = f"{document.name} is another text in another folder"
    finding = Finding("folders", message, document.file, fix=f"this one is called {shown}")
    return replace(source, document=replace(document, name=name, findings=[*document.findings, finding]))
