"""Projects -> documents, one for each coder."""

import posixpath
from collections.abc import Iterable
from dataclasses import replace

from annotations.formats.mmax2.coder import Coder
from annotations.formats.mmax2.levels import Levels
from annotations.formats.mmax2.project import read_project, read_words
from annotations.formats.model.document import Answer, Document, implied_category, text_order
from annotations.formats.model.format import Bundle
from annotations.formats.model.scheme import CategorySpec, LevelSpec, SchemeSpec
from annotations.formats.model.slips import LEAVE_OUT, Slips


def read(bundle: Bundle, attribute: str = "", slips: str = "") -> list[Document]:
    """Return one document for each coder. Raises FormatError with file and line on anything that is not such a project.

    attribute: the one that says what goes together, where a scheme has several.
    """
    project = read_project(bundle)
    words = read_words(bundle.files[project.words], project.words)
    levels = Levels(bundle, project, words, attribute.strip().lower(), Slips(bundle.main, slips == LEAVE_OUT))
    files = _document_files(levels.folders, bundle.main, levels.name)
    documents = [Coder(levels, folder, file).document() for folder, file in zip(levels.folders, files, strict=True)]
    if not documents:
        documents = [Document(levels.name, bundle.main, levels.text.content, [], levels.segments)]
    scheme = _build_scheme(levels, documents)
    documents[0] = replace(documents[0], findings=(*levels.findings.listed(bundle.main), *documents[0].findings))
    return [replace(document, scheme=scheme) for document in documents]


def _build_scheme(levels: Levels, documents: Iterable[Document]) -> SchemeSpec | None:
    """Return what the scheme files say. A category may point to later markables if it does so somewhere."""
    if not any(level.scheme for level in levels.project.levels):
        return None
    categories: dict[str, CategorySpec] = {}
    for question in levels.questions.values():
        categories = {category.key: category for category in question.categories} | categories
    level_specs = tuple(
        LevelSpec(level.key, level.name, levels.question(level).coded)
        for level in levels.project.levels
        if any(levels.stands_for(level, row) != "segment" for row in levels.rows_of(level))
        or not level.layout
        or level.key in levels.marked
    )
    spec = SchemeSpec(level_specs, tuple(categories.values()))
    for answer in _answers_pointing_later(documents):
        key = answer.category or implied_category(answer, spec)
        if key in categories:
            categories[key] = replace(categories[key], allow_later=True)
    return replace(spec, categories=tuple(categories.values()))


def _document_files(folders: list[str], main: str, name: str) -> list[str]:
    """Return the files after which documents are named.

    These are the .mmax file of a single coder, or what holds its words and markables, else the text in their folders.
    """
    if len(folders) == 1 and main.lower().endswith(".xml"):
        return [posixpath.join(posixpath.commonpath([posixpath.dirname(main), folders[0]]), name)]
    if len(folders) < 2:
        return [main] * len(folders)
    distinct = folders
    # a/Markables and b/Markables differ further up.
    while len({posixpath.basename(folder) for folder in distinct}) < len(distinct) and any(
        map(posixpath.dirname, distinct)
    ):
        distinct = [posixpath.dirname(folder) or folder for folder in distinct]
    return [posixpath.join(folder, name) for folder in distinct]


def _answers_pointing_later(documents: Iterable[Document]) -> Iterable[Answer]:
    for document in documents:
        order = {mark.place: text_order(mark) for mark in document.marks}
        for mark in document.marks:
            if mark.answer and any(order[target] > order[mark.place] for target in mark.answer.pointers):
                yield mark.answer
