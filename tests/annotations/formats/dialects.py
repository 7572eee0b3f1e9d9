"""Shared helpers for tests of dialects of file formats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from annotations.formats import FORMATS, Bundle, Document, FormatError, Links, Mark

type ByWords = dict[str, list[str]]


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """Files with the expected document, or with words of the expected error.

    chains: words of the markables of each entity, by name or in text order. pointers: words of the antecedents by words
    of the markable. relations: the same for other relations, by name. findings: words of each finding. None is not
    compared.
    """

    files: Mapping[str, str | bytes]
    text: str = ""
    chains: Mapping[str, Sequence[str]] | Sequence[Sequence[str]] = field(default_factory=list)
    pointers: ByWords = field(default_factory=dict)
    findings: tuple[str, ...] = ()
    refused: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    markables: Sequence[str] | None = None
    categories: Sequence[str] | None = None
    attributes: Mapping[str, Mapping[str, object]] | None = None
    relations: Mapping[str, ByWords] | None = None
    links: Links | None = None


def each_of(dialects: Mapping[str, Dialect]) -> pytest.MarkDecorator:
    """Return the parametrisation of a test by `dialect`."""
    return pytest.mark.parametrize("dialect", [pytest.param(each, id=name) for name, each in dialects.items()])


def check_dialect(format_key: str, dialect: Dialect) -> None:
    """Assert that a dialect is read as expected with exactly its findings, or refused."""
    if dialect.refused:
        with pytest.raises(FormatError) as caught:
            read_files(format_key, dialect)
        assert dialect.refused in str(caught.value)
        return
    [document] = read_files(format_key, dialect)
    told = [str(finding) for finding in document.findings]
    assert all(any(words in finding for finding in told) for words in dialect.findings), told
    assert len(told) == len(dialect.findings), told
    assert all(each.left_out and each.line for each in document.findings if each.code in ("slip", "slips"))
    assert document.content == dialect.text
    chains: ByWords = {}
    pointers: ByWords = {}
    relations: dict[str, ByWords] = {}
    words = {mark.place: words_of(document, mark) for mark in document.marks}
    for mark in document.marks:
        if mark.answer:
            for index in mark.answer.indices:
                chains.setdefault(index, []).append(words[mark.place])
            if mark.answer.pointers:
                pointers[words[mark.place]] = [words[target] for target in mark.answer.pointers]
            for name, readings in mark.answer.relations:
                targets = [words[target] for reading in readings for target in reading]
                relations.setdefault(name, {})[words[mark.place]] = targets
    assert (chains if isinstance(dialect.chains, Mapping) else list(chains.values())) == dialect.chains
    assert pointers == dialect.pointers
    answers = [mark.answer for mark in document.marks]
    attributes = {words[mark.place]: dict(mark.answer.attributes) for mark in document.marks if mark.answer}
    for expected, found in (
        (dialect.markables, list(words.values())),
        (dialect.categories, [answer.category if answer else "" for answer in answers]),
        (dialect.attributes, {key: values for key, values in attributes.items() if values}),
        (dialect.relations, relations),
        (dialect.links, document.links),
    ):
        assert expected is None or found == expected


def read_files(format_key: str, dialect: Dialect) -> list[Document]:
    """Return the documents of the files, bundled as an import bundles them."""
    format_ = FORMATS[format_key]
    data = {
        name: content if isinstance(content, bytes) else content.encode() for name, content in dialect.files.items()
    }
    bundles = format_.bundles(data, format_.suffixes)
    assert bundles, f"none of {list(data)} is read"
    return [
        document
        for names in bundles
        for document in format_.read(Bundle(names[0], {name: data[name] for name in names}), **dialect.options)
    ]


def words_of(document: Document, mark: Mark) -> str:
    """Return the words of a markable, its parts joined by spaces."""
    return " ".join(document.content[start:end] for start, end in mark.parts)
