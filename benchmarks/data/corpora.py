"""A seeded synthetic corpus in CoNLL-2012 files: several coders' chains over the same markables."""

import random
from dataclasses import replace
from pathlib import Path

from annotations.formats import FORMATS, plain
from annotations.formats.model.document import Answer
from benchmarks.data.documents import marked_text

WORDS_PER_MARKABLE = 7  # as in LitBank
SINGLETONS = 0.2  # share of markables that are the only one of their entity
ENTITIES = 12  # other entities of a text; the first are the most frequent
CHANGED = 0.1  # share of a coder's markables with another entity than in the shared start


def write_corpus(folder: Path, texts: int, coders: int, markables: int) -> None:
    """Write a folder for each coder with a file for each text."""
    draw, write = random.Random(1), FORMATS["conll2012"].write
    assert write is not None
    folders = [folder / f"coder{coder + 1}" for coder in range(coders)]
    for of_coder in folders:
        of_coder.mkdir(parents=True)
    for number in range(texts):
        text = marked_text(markables, seed=number, words=WORDS_PER_MARKABLE)
        document = plain.parse(text, f"text-{number:04}.txt")
        shared = [draw_entity(draw, position) for position in range(markables)]
        for of_coder in folders:
            entities = [
                draw_entity(draw, position) if draw.random() < CHANGED else entity
                for position, entity in enumerate(shared)
            ]
            answers = [Answer(indices=(entity,)) for entity in entities]
            marks = [mark.with_answer(answer) for mark, answer in zip(document.marks, answers, strict=True)]
            [file] = write([replace(document, marks=marks)])
            (of_coder / file.path).write_bytes(file.data)


def draw_entity(draw: random.Random, position: int) -> str:
    """Draw the entity of the markable at a position: one of its own, or one of a few, the first most frequently."""
    if draw.random() < SINGLETONS:
        return str(1000 + position)
    return str(min(int(draw.expovariate(0.3)), ENTITIES - 1))
