"""A document to import, with its coder."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b, md5
from itertools import batched

from django.db.models.functions import MD5

from annotations.core.database.bulk import MAX_KEYS
from annotations.core.database.queries import WHITE_SPACE, without_white_space
from annotations.formats import Document, Finding
from annotations.formats.model.format import SEPARATOR
from annotations.models import Project, Text
from annotations.transfers.importing.files.addresses import slugs_of_name

MAX_NAMES, MAX_NAME_LENGTH = 3, 60
SPACES = str.maketrans("", "", f" {WHITE_SPACE}")
ONE_TEXT = "they are different texts: for one text of several coders give the files one name, each in a coder's folder"


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document and its coder's name, or None for a text without a coding."""

    document: Document
    coder: str | None
    source: str = ""  # the file imported or refused with it, if not the document's file

    @property
    def file(self) -> str:
        """The file that is imported or refused with the document."""
        return self.source or self.document.file


def find_same_words(documents: Sequence[SourceDocument]) -> list[Finding]:
    """Return a finding for each text with several names, compared by characters without white space."""
    files_by_words: dict[bytes, dict[str, str]] = {}
    for document in (source.document for source in documents):
        if not document.without_text:
            words = unicodedata.normalize("NFC", "".join(document.content.split()))
            digest = blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            files_by_words.setdefault(digest, {}).setdefault(document.name, document.file)
    return [_same_words(files) for files in files_by_words.values() if len(files) > 1]


def find_words_of_project(project: Project, documents: Sequence[SourceDocument]) -> list[Finding]:
    """Return a finding for each text of the project with the words of a document that has another name."""
    first_of: dict[str, tuple[str, str]] = {}
    for document in (source.document for source in documents):
        if not document.without_text:
            joined = document.content.translate(SPACES)
            for words in {joined, unicodedata.normalize("NFC", joined)}:
                digest = md5(words.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
                first_of.setdefault(digest, (document.name, document.file))
    texts = Text.objects.filter(project=project).order_by("slug").annotate(digest=MD5(without_white_space("content")))
    found: dict[str, str] = {}
    for batch in batched(first_of, MAX_KEYS):
        found |= dict(texts.filter(digest__in=batch).values_list("slug", "digest"))
    for name in {source.document.name for source in documents} if found else ():
        for slug in slugs_of_name(name):
            found.pop(slug, None)
    return [
        Finding(
            "same-words", f"{_cut(name)} and the text {slug} of the project have the same words", file, fix=ONE_TEXT
        )
        for slug, digest in found.items()
        for name, file in [first_of[digest]]
    ]


def _same_words(files: Mapping[str, str]) -> Finding:
    """Return the finding on several names of a text, at the file of the second name."""
    names = list(files)
    shown = [_cut(name) for name in names[:MAX_NAMES]]
    further = [f"{len(names) - MAX_NAMES} more"] if len(names) > MAX_NAMES else []
    *before, last = [*shown, *further]
    message = f"{', '.join(before)} and {last} have the same words"
    texts = {sign: {name.rpartition(sign)[0] for name in names} for sign, _ in SEPARATOR.choices}
    signs = [sign for sign, of_sign in texts.items() if len(of_sign) == 1 and "" not in of_sign]
    way = "".join(f"; if their names have the coder: --coder-from name with separator={sign}" for sign in signs[:1])
    return Finding("same-words", message, files[names[1]], fix=f"{ONE_TEXT}{way}")


def _cut(name: str) -> str:
    return name if len(name) <= MAX_NAME_LENGTH else f"{name[: MAX_NAME_LENGTH - 1]}…"
