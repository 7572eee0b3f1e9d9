"""Names of texts whose files have equal names in different folders."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import batched
from pathlib import PurePosixPath

from annotations.core.database.bulk import MAX_KEYS
from annotations.formats import Finding, FormatError
from annotations.formats.model.alignment import skeleton_of
from annotations.models import Project, Text
from annotations.transfers.importing.files.addresses import slugs_of_name
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.report import Failure

MAX_FOLDERS = 20
MAX_SHOWN_LENGTH = 60

Folder = tuple[str, ...]


def text_folder(file: str, coder_from: str) -> Folder:
    """Return the last folders of a file, without the coder's folder."""
    parts = [part for part in PurePosixPath(file).parent.parts if part != "/"]
    return tuple((parts[:-1] if coder_from == "parent" else parts)[-MAX_FOLDERS:])


def names_in_folders(folder: Folder, name: str) -> list[str]:
    """Return the names of a text with its last folders before it, from one folder to all."""
    return [" ".join([*folder[-depth:], name]) for depth in range(1, len(folder) + 1)]


@dataclass
class KnownTexts:
    """The titles of a project's texts, and the contents that were loaded."""

    project: Project
    contents: dict[str, str] = field(default_factory=dict)

    @cached_property
    def titles(self) -> dict[str, str]:
        """The titles of all texts, by slug."""
        return dict(Text.objects.filter(project=self.project).values_list("slug", "title"))

    def find(self, name: str) -> str:
        """Return the slug of the text with a name, possibly of an earlier version; empty if there is none."""
        first, *earlier = slugs_of_name(name)
        if first in self.titles:
            return first
        known = (slug for slug in earlier if slug in self.titles)
        return next((slug for slug in known if slugs_of_name(self.titles[slug])[0] != slug), "")

    def load(self, slugs: Iterable[str]) -> None:
        """Read the contents of the texts with these slugs."""
        for batch in batched(dict.fromkeys(slug for slug in slugs if slug not in self.contents), MAX_KEYS):
            found = Text.objects.filter(project=self.project, slug__in=batch)
            self.contents |= dict(found.values_list("slug", "content"))

    def has_text(self, slug: str, content: str) -> bool:
        """Return whether a loaded text has the characters of the content."""
        known = self.contents[slug]
        return known == content or skeleton_of(known).characters == skeleton_of(content).characters


def _choose_names(
    sources: Sequence[SourceDocument], coder_from: str, known: KnownTexts | None
) -> list[str | FormatError]:
    """Return for each file of one name the name of its text, or an error if none can be chosen."""
    name = sources[0].document.name
    folders = [text_folder(source.document.file, coder_from) for source in sources]
    are_several = _are_several(sources, folders, coder_from)
    by_folder = _distinct_names(folders, name) if are_several else [name] * len(sources)
    if known is None or not known.titles:
        return [*by_folder]
    # By folder, the project's slugs that files there may have, by name.
    known_in = {
        folder: {each: slug for each in (name, *names_in_folders(folder, name)) if (slug := known.find(each))}
        for folder in set(folders)
    }
    addresses = [known_in[folder] for folder in folders]
    if not any(each != name for names in addresses for each in names) and not (are_several and any(addresses)):
        return [*by_folder]
    known.load(slug for names in addresses for slug in names.values())
    chosen = [
        _choose_name(source, own, of_file, known, are_several=are_several)
        for source, own, of_file in zip(sources, by_folder, addresses, strict=True)
    ]
    in_project = {each for each, of_file in zip(chosen, addresses, strict=True) if each in of_file}
    if are_several or len(in_project) != 1:
        return chosen
    # They are one text, and the project has it.
    [known_name] = in_project
    return [known_name if each == name else each for each in chosen]


def _are_several(sources: Sequence[SourceDocument], folders: Sequence[Folder], coder_from: str) -> bool:
    """Return whether files are several texts: a coder has two, or coders' folders differ in characters."""
    if len(set(folders)) == 1:
        return False
    seen: dict[str | None, Folder] = {}
    for source, folder in zip(sources, folders, strict=True):
        if seen.setdefault(source.coder, folder) != folder:
            return True
    # Without coders' folders another folder may mean another coder.
    if coder_from != "parent":
        return False
    first_of = dict(zip(reversed(folders), reversed(sources), strict=True))
    return len({skeleton_of(source.document.content).characters for source in first_of.values()}) > 1


def _choose_name(
    source: SourceDocument, name: str, addresses: Mapping[str, str], known: KnownTexts, *, are_several: bool
) -> str | FormatError:
    """Return the name of the project's text with this content, or else `name`; an error if there are two such texts."""
    document = source.document
    fitting = [each for each, slug in addresses.items() if known.has_text(slug, document.content)]
    if name in fitting and are_several:
        return name
    if len({addresses[each] for each in fitting}) > 1:
        places = " and ".join(addresses[each] for each in fitting)
        message = (
            f"the project has its text twice, as {places}; name the file after one of them, or import it together "
            "with the files that it came with"
        )
        return FormatError(message, document.file)
    if fitting:
        return fitting[0]
    # A text with this name and other content; the comparison of the texts reports it later.
    named = [each for each, slug in addresses.items() if each != document.name and known.titles[slug] == each]
    return named[0] if named and document.name not in addresses else name


def _distinct_names(folders: Sequence[Folder], name: str) -> list[str]:
    """Return the name for each folder, after the fewest last folders that distinguish all folders."""
    different = set(folders)
    depths = range(1, max(map(len, folders)) + 1)
    depth = next((number for number in depths if len({folder[-number:] for folder in different}) == len(different)), 0)
    return [" ".join([*folder[-(depth or MAX_FOLDERS) :], name]) for folder in folders]


def name_by_folder(
    documents: Sequence[SourceDocument], coder_from: str, project: Project | None = None
) -> tuple[list[SourceDocument], list[Failure]]:
    """Return the documents, with folder names before equal names of different texts, and the refusals.

    Texts differ if one coder has both, or if coders' folders differ in characters, in these files or in the project.
    So a file gets the same name alone as with other files.
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
            continue  # folders do not distinguish them
        sources = [documents[number] for number in numbers]
        for number, source, chosen in zip(numbers, sources, _choose_names(sources, coder_from, known), strict=True):
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
    shown = name if len(name) <= MAX_SHOWN_LENGTH else f"{name[: MAX_SHOWN_LENGTH - 1]}…"
    message = f"{document.name} is another text in another folder"
    finding = Finding("folders", message, document.file, fix=f"this one is called {shown}")
    return replace(source, document=replace(document, name=name, findings=[*document.findings, finding]))
