"""A seeded synthetic corpus in CoNLL-2012 files: several coders' chains over the same markables."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data.documents import make_lexicon

WORDS_BETWEEN = (2, 3, 4, 5, 6, 7, 8, 9)  # gives seven words of text per markable, as in LitBank
NESTED = 0.25  # share of phrases that contain another one
SENTENCE = 18  # words, or a few more
SINGLETONS = 0.2  # share of markables that are the only one of their entity
ENTITIES = 12  # other entities of a text; the first are the most frequent
CHANGED = 0.1  # share of a coder's markables with another entity than in the shared start


@dataclass(frozen=True, slots=True)
class Tokens:
    """A text: its sentences, and its markables as first and last word, counted through the text."""

    sentences: list[list[str]]
    spans: list[tuple[int, int]]


def write_corpus(folder: Path, texts: int, coders: int, markables: int, seed: int = 1) -> None:
    """Write a folder for each coder with a file for each text."""
    draw = random.Random(seed)
    lexicon = make_lexicon(draw, 3000, 4)
    for coder in range(coders):
        (folder / f"coder{coder + 1}").mkdir(parents=True)
    for number in range(texts):
        text = _text(draw, lexicon, markables)
        shared = [_entity(draw, position) for position in range(markables)]
        for coder in range(coders):
            entities = [
                _entity(draw, position) if draw.random() < CHANGED else entity for position, entity in enumerate(shared)
            ]
            path = folder / f"coder{coder + 1}" / f"text-{number:04}.conll"
            path.write_text("".join(_lines(f"text-{number:04}", text, entities)), encoding="utf-8")


def _text(draw: random.Random, lexicon: list[str], markables: int) -> Tokens:
    sentences: list[list[str]] = [[]]
    spans: list[tuple[int, int]] = []
    position = 0
    while len(spans) < markables:
        between, phrase = draw.choice(WORDS_BETWEEN), draw.randint(1, 3)
        first = position + between
        if len(spans) + 1 < markables and draw.random() < NESTED:
            spans += [(first, first + phrase), (first, first + phrase - 1)]
            phrase += 1
        else:
            spans.append((first, first + phrase - 1))
        sentences[-1] += draw.choices(lexicon, k=between + phrase)
        position = first + phrase
        if len(sentences[-1]) >= SENTENCE:
            sentences.append([])
    sentences[-1].append(".")
    return Tokens(sentences, spans)


def _entity(draw: random.Random, position: int) -> str:
    """Draw the entity of the markable at a position: one of its own, or one of a few, the first most frequently."""
    if draw.random() < SINGLETONS:
        return str(1000 + position)
    return str(min(int(draw.expovariate(0.3)), ENTITIES - 1))


def _lines(name: str, text: Tokens, entities: list[str]) -> Iterator[str]:
    opened: dict[int, list[str]] = {}
    closed: dict[int, list[str]] = {}
    for (first, last), entity in zip(text.spans, entities, strict=True):
        if first == last:
            opened.setdefault(first, []).append(f"({entity})")
        else:
            opened.setdefault(first, []).append(f"({entity}")
            closed.setdefault(last, []).insert(0, f"{entity})")
    yield f"#begin document ({name}); part 000\n"
    position = 0
    for sentence in text.sentences:
        for number, word in enumerate(sentence):
            brackets = "|".join([*closed.get(position, ()), *opened.get(position, ())]) or "-"
            yield f"{name}\t0\t{number}\t{word}\t-\t-\t-\t-\t-\t-\t*\t{brackets}\n"
            position += 1
        yield "\n"
    yield "#end document\n"
