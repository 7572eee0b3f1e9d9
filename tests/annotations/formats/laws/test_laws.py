import random
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from annotations.formats import FORMATS, Bundle, Document, File, Format, FormatError, plain
from annotations.formats.losses.reduction import merge_losses, reduce_document
from annotations.formats.model.features import Feature
from tests.shared.cases import examples
from tests.shared.documents import documents, plain_of, spoiled

WRITTEN = [format_ for format_ in FORMATS.values() if format_.write is not None]
every_written = pytest.mark.parametrize("format_", WRITTEN, ids=lambda format_: format_.key)
TABLES = [format_ for format_ in WRITTEN if format_.names_coders]
SLOW = examples(60, HealthCheck.too_slow)
# Sample files of each format; what a reader is fuzzed with besides what its writer made.
SAMPLES = {
    "brat": ["ezcoref/brat/coder2/*", "litbank/*_brat.[at]*"],
    "casjson": ["cas/*.json"],
    "conllu": ["gum/*.conllu"],
    "mmax2": ["mmax2/**/*.*"],
    "muc": ["muc/*.sgm"],
    "webanno": ["gum/*.tsv", "webanno/*.tsv"],
    "xmi": ["cas/*.x*"],
    "conll2012": ["litbank/*.conll", "gum/*.conll", "ezcoref/conll2012/coder1/masque-2.conll"],
}
LOST_OF_SAMPLES = {"muc": Feature.ANTECEDENTS, "conllu": Feature.SEGMENTS, "gum/*.conll": Feature.ENTITY_NAMES}


def written(format_: Format, *kept: Document) -> dict[str, bytes]:
    assert format_.write is not None
    files: list[File] = format_.write([coded_by_ann(format_, document) for document in kept])
    paths = [file.path for file in files]
    assert len(set(paths)) == len(paths)
    return {file.path: file.data for file in files}


def coded_by_ann(format_: Format, document: Document) -> Document:
    """Return the document as an export passes it to the writer."""
    return replace(document, coder="ann") if format_.names_coders else document


def held(format_: Format, documents: Iterable[Document]) -> dict[str, Document]:
    """Return the documents by name, without texts for tables that name coders."""
    if not format_.names_coders:
        return {document.name: plain_of(document) for document in documents}
    bare = (replace(document, content="", without_text=True, coder="ann") for document in documents)
    return {document.name: plain_of(document) for document in bare}


def read_all(format_: Format, files: dict[str, bytes]) -> list[Document]:
    found = []
    for names in format_.bundles(sorted(files), format_.suffixes):
        found += format_.read(Bundle(names[0], {name: files[name] for name in names}))
    return found


@every_written
@SLOW
@given(document=documents())
def test_written_document_is_read_back(format_, document):
    kept, _ = reduce_document(document, format_.supported_features)
    assert held(format_, read_all(format_, written(format_, kept))) == held(format_, [kept])


@every_written
@examples(10, HealthCheck.too_slow)
@given(one=documents(st.just("one")), other=documents(st.just("other")))
def test_written_documents_are_read_back(format_, one, other):
    other = replace(other, scheme=one.scheme) if one.links == other.links else replace(one, name="other")
    kept = [reduce_document(document, format_.supported_features)[0] for document in (one, other)]
    assert held(format_, read_all(format_, written(format_, *kept))) == held(format_, kept)


@pytest.mark.parametrize("format_", TABLES, ids=lambda format_: format_.key)
@SLOW
@given(document=documents())
def test_read_table_is_written_unchanged(format_, document):
    files = written(format_, reduce_document(document, format_.supported_features)[0])
    assert written(format_, *read_all(format_, files)) == files


@every_written
@SLOW
@given(document=documents())
def test_second_reduction_loses_nothing(format_, document):
    kept, _ = reduce_document(document, format_.supported_features)
    again, lost = reduce_document(kept, format_.supported_features)
    assert plain_of(again) == plain_of(kept)
    assert lost == []


@SLOW
@given(document=documents())
def test_format_with_all_features_loses_nothing(document):
    assert reduce_document(document, frozenset(Feature)) == (document, [])


@every_written
@SLOW
@given(document=documents())
def test_losses_are_reported_with_examples(format_, document):
    kept, losses = reduce_document(document, format_.supported_features)
    for loss in losses:
        assert loss.feature not in format_.supported_features
        assert loss.count >= len(loss.examples) > 0
        assert str(loss).startswith(f"{loss.count} × ")
    if not losses:
        assert len(kept.marks) == len(document.marks)
        assert kept.content.split() == document.content.split()
    doubled = merge_losses([*losses, *losses])
    assert [(loss.feature, loss.count) for loss in doubled] == [(loss.feature, 2 * loss.count) for loss in losses]


def read_or_refused(format_: Format, files: dict[str, bytes]) -> bool:
    """Return whether the files were read. Fail on any error other than FormatError."""
    try:
        found = read_all(format_, files)
    except FormatError as error:
        return not (error.file and error.message)
    for document in found:
        assert document.without_text != bool(document.content)
        assert len({mark.place for mark in document.marks}) == len(document.marks)
        for mark in document.marks:
            assert all(0 <= start < end for start, end in (*mark.parts, *mark.head))
            assert all(first[1] < second[0] for first, second in pairwise(mark.parts))
            assert document.without_text or mark.parts[-1][1] <= len(document.content)
    return True


@every_written
@examples(60, HealthCheck.too_slow)
@given(document=documents(), seed=st.integers(0, 2**32))
def test_spoiled_files_are_read_or_refused(format_, document, seed):
    chance = random.Random(seed)
    files = written(format_, reduce_document(document, format_.supported_features)[0])
    name = chance.choice(sorted(files))
    read_or_refused(format_, files | {name: spoiled(files[name], chance)})


each_sample = pytest.mark.parametrize(("key", "pattern"), [(key, each) for key, of in SAMPLES.items() for each in of])


@each_sample
def test_samples_are_written_and_read_back(samples, key, pattern):
    format_, files = FORMATS[key], sample_files(samples, pattern)
    reduced = [reduce_document(document, format_.supported_features) for document in read_all(format_, files)]
    told = {loss.feature for _, losses in reduced for loss in losses}
    assert told == {LOST_OF_SAMPLES[each] for each in (key, pattern) if each in LOST_OF_SAMPLES}
    kept = [replace(document, name=f"d{number}") for number, (document, _) in enumerate(reduced)]
    found = [document for each in kept for document in read_all(format_, written(format_, each))]
    assert held(format_, found) == held(format_, kept)


@each_sample
def test_spoiled_samples_are_read_or_refused(samples, key, pattern):
    format_, files = FORMATS[key], sample_files(samples, pattern)
    assert read_or_refused(format_, files)
    chance = random.Random(1)
    for _ in range(40):
        name = chance.choice(sorted(files))
        read_or_refused(format_, files | {name: spoiled(files[name], chance)})


def sample_files(samples: Path, pattern: str) -> dict[str, bytes]:
    files = {str(file.relative_to(samples)): file.read_bytes() for file in samples.glob(pattern)}
    assert files
    return files


# Files of these hold the text with its own line ends.
VERBATIM = ("brat", "muc")


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
@pytest.mark.parametrize("format_", [each for each in WRITTEN if each.key not in VERBATIM], ids=lambda each: each.key)
def test_line_ends_and_byte_order_marks_do_not_matter(format_, end):
    text = plain.parse("[Anna](=1) ran.\n[She](=1) won.", "walk")
    text = replace(text, marks=[replace(mark, level="phrase") for mark in text.marks])
    document, _ = reduce_document(text, format_.supported_features)
    files = written(format_, document)
    ended = {name: b"\xef\xbb\xbf" + data.replace(b"\n", end) for name, data in files.items()}
    for each in (ended, files):
        assert held(format_, read_all(format_, each)) == held(format_, [document])
