"""What an export reads of a project."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from annotations.core.database.queries import read_snapshot
from annotations.formats import FORMATS, Document
from annotations.formats.model.features import ALL_FEATURES
from annotations.models import Project
from annotations.transfers.exporting import codings
from annotations.transfers.exporting.codings import Selection

EVERYTHING = replace(FORMATS["text"], supported_features=ALL_FEATURES)


def documents_of(project: Project, **which) -> Iterator[tuple[str, Document]]:
    """Yield the documents of the selected codings, each with its coder, text by text."""
    with read_snapshot():
        chosen, _ = codings._codings(project, Selection(**which))
        documents = list(codings._documents(project, chosen, "", EVERYTHING))
    for coder, document, _, _ in documents:
        yield coder, document
