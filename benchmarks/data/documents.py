"""Seeded synthetic documents: several coders' chains over the same markables."""

import csv
import random
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MARKABLES = 100  # per document
WORDS_PER_MARKABLE, MARKABLES_PER_PARAGRAPH = 20, 4
CHAINS = 33  # per document, so that a chain has 3 markables on average
CHANGED = 0.1  # share of a coder's markables whose chain differs from the shared one

type Ints = NDArray[np.int64]


def documents(judgements: int, coders: int) -> tuple[Ints, Ints]:
    """Return an array (units, coders) of chain ids, and the document number of each unit."""
    draw = np.random.default_rng(1)
    units = max(judgements // coders, 2)
    start = draw.integers(0, CHAINS, units)
    ids = np.repeat(start[:, None], coders, axis=1)
    changed = draw.random(ids.shape) < CHANGED
    ids[changed] = draw.integers(0, CHAINS + 10, int(changed.sum()))
    return ids, np.arange(units) // MARKABLES


def write_csv(path: Path, ids: Ints, document: Ints) -> None:
    """Write the judgements to a file, one per line."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("document", "unit", "coder", "chain"))
        for unit, row in enumerate(ids):
            writer.writerows((document[unit], unit, coder, chain) for coder, chain in enumerate(row))


def as_sets(ids: Ints, document: Ints) -> list[list[frozenset[int]]]:
    """Return the chains as Python sets: for each unit, each coder's value."""
    columns = []
    for column in ids.T:
        members: dict[tuple[int, int], list[int]] = {}
        keys = list(zip(document.tolist(), column.tolist(), strict=True))
        for unit, key in enumerate(keys):
            members.setdefault(key, []).append(unit)
        chains = {key: frozenset(units) for key, units in members.items()}
        columns.append([chains[key] for key in keys])
    return [list(row) for row in zip(*columns, strict=True)]


def marked_text(markables: int, seed: int = 1, words: int = WORDS_PER_MARKABLE) -> str:
    """Return a text in plain format: paragraphs of made-up words, with a phrase in brackets about every twenty."""
    draw = random.Random(seed)
    syllables = [consonant + vowel for consonant in "bdfgklmnprst" for vowel in "aeiou"]
    lexicon = ["".join(draw.choices(syllables, k=draw.randint(1, 3))) for _ in range(2000)]
    names = [word.title() for word in lexicon[: max(markables // 8, 3)]]
    lines = [f"#title: {markables} phrases"]
    for first in range(0, markables, MARKABLES_PER_PARAGRAPH):
        paragraph = []
        for _ in range(first, min(first + MARKABLES_PER_PARAGRAPH, markables)):
            phrase = draw.choice(names) if draw.random() < 0.6 else f"the {draw.choice(lexicon)}"
            paragraph += [f"[{phrase}]", *draw.choices(lexicon, k=words - len(phrase.split()))]
        lines += ["", " ".join(paragraph)]
    return "\n".join(lines)
