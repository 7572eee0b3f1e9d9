"""Reading valid files takes linear time in every format."""

import tracemalloc
from dataclasses import replace
from math import isqrt

import pytest

from annotations.formats import FORMATS, Answer, Bundle, Document, Links, Mark, Place, ducview, plain
from annotations.formats.losses.reduction import reduce_document
from annotations.formats.model.links import remove_marks
from annotations.formats.model.scheme import CategorySpec, LevelSpec, SchemeSpec
from annotations.formats.syntax.headers import join_summaries
from tests.shared.cases import cases
from tests.shared.growth import FACTOR, assert_grows_with_input

WRITTEN = {key: format_ for key, format_ in FORMATS.items() if format_.write}
WORD = "Anna "


def many_marks(n: int, links: Links, *, of_one: bool) -> Document:
    """Return a text of n markables: one chain of all, or a chain (or pointer to the previous word) for each."""
    places = [Place("phrase", ((len(WORD) * number, len(WORD) * number + 4),)) for number in range(n)]
    if links == Links.POINTERS:
        categories = [CategorySpec("phrase", "phrase", points_to="phrase"), CategorySpec("none", "none")]
        before = [places[0]] * n if of_one else [places[0], *places]
        answers = [Answer(category="phrase", pointers=(before[number],)) for number in range(n)]
        answers[0] = Answer(category="none")
    else:
        categories = [CategorySpec("refers", "refers", takes_index=True)]
        answers = [Answer(category="refers", indices=("0" if of_one else str(number),)) for number in range(n)]
    marks = [Mark(place.parts, "phrase", answer=answer) for place, answer in zip(places, answers, strict=True)]
    scheme = SchemeSpec((LevelSpec("phrase", "phrase"),), tuple(categories))
    return Document("walk", "", (WORD * n).rstrip(), marks, links=links, scheme=scheme, coder="anna")


# The deepest chain, each markable pointing to the one before, and as many chains as markables.
EACH_PUSH = [(Links.POINTERS, False), (Links.INDICES, False)]
OF_ONE = [(Links.POINTERS, True), (Links.INDICES, True)]


@pytest.mark.parametrize("format_", WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize(("links", "of_one"), cases(EACH_PUSH, full=OF_ONE))
def test_reading_markables_takes_linear_time(format_, links, of_one):
    most = 4_000
    bundles = {}
    for n in (most, most // FACTOR):
        document, _ = reduce_document(many_marks(n, links, of_one=of_one), format_.supported_features)
        files = {f"anna/{file.path}": file.data for file in format_.write([document])}
        [names] = format_.bundles(list(files), format_.suffixes)
        bundles[n] = Bundle(names[0], {name: files[name] for name in names})

    def read(n: int) -> None:
        assert len(format_.read(bundles[n])) == 1

    assert_grows_with_input(read, most)


def test_reading_plain_markables_takes_linear_time():
    assert_grows_with_input(lambda n: FORMATS["plain"].read(Bundle.of("a.txt", b"[Anna](=1) " * n)), 20_000)


def test_removing_marks_takes_linear_time():
    """Remove half of the marks. Every mark points to every removed mark."""

    def leave_out(n: int) -> None:
        parts = [((place, place + 1),) for place in range(isqrt(n))]
        gone = [Place("gone", part) for part in parts]
        answer = Answer(category="phrase", pointers=tuple(gone))
        marks = [Mark(part, level, answer=answer) for part in parts for level in ("gone", "phrase")]
        document = remove_marks(Document("t", "", "x" * n, marks, links=Links.POINTERS), set(gone))
        assert [mark.answer.pointers for mark in document.marks if mark.answer] == [()] * len(parts)

    assert_grows_with_input(leave_out, 10_000)


def test_reading_pyramid_takes_linear_time():
    def read(n: int) -> None:
        text = join_summaries([("A", "Rain fell. " * n)]).text
        start = text.index("Rain")
        scus = "".join(
            f'<scu uid="{number + 1}" label="x"><contributor label="Rain">'
            f'<part label="Rain" start="{start + 11 * number}" end="{start + 11 * number + 4}"/></contributor></scu>'
            for number in range(n)
        )
        lines = "".join(f"<line>{line}</line>" for line in text.split("\n"))
        pyramid = ducview.read_pyramid(Bundle.of("a.pyr", f"<pyramid><text>{lines}</text>{scus}</pyramid>".encode()))
        assert len(pyramid.scus) == n

    assert_grows_with_input(read, 4_000)


TABLES = [key for key in WRITTEN if key.startswith(("judgements-", "matrix-"))]


@pytest.mark.slow
@pytest.mark.parametrize("key", TABLES)
def test_writing_table_takes_twice_its_size_of_memory(key):
    documents: list[Document] = []
    for number in range(500):
        words = " ".join(f"[w{word}](={word % 3})" for word in range(6))
        documents.append(replace(plain.parse(f"{words} {number}", f"t{number}.txt"), coder="anna"))
    write = FORMATS[key].write
    assert write is not None
    tracemalloc.start()
    (file,) = write(documents)
    size, (_, peak) = len(file.data), tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(TABLES) == 4
    assert peak < 2 * size + 400_000  # all rows at once take more than two million
