"""MUC and B-cubed of two CoNLL-2012 files, from the definitions, in exact fractions.

It shares nothing with the program: it splits lines itself, takes the last column, and, as the scorers of the shared
task do, compares tokens by their places; it refuses files whose tokens differ instead of shifting them.
"""

import re
from collections.abc import Iterable
from fractions import Fraction

Mention = tuple[str, int, int]
Chains = list[frozenset[Mention]]
PIECE = re.compile(r"\(([^()|]+)\)|\(([^()|]+)|([^()|]+)\)")


def read_file(text: str) -> tuple[list[str], Chains]:
    """Return the tokens of a file with one document, and its chains."""
    tokens: list[str] = []
    chains: dict[str, set[Mention]] = {}
    opened: dict[str, list[int]] = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        cells = line.split("\t")
        place = len(tokens)
        tokens.append(cells[3])
        for single, begun, ended in PIECE.findall(cells[-1]):
            if single:
                chains.setdefault(single, set()).add(("", place, place))
            elif begun:
                opened.setdefault(begun, []).append(place)
            else:
                chains.setdefault(ended, set()).add(("", opened[ended].pop(), place))
    return tokens, [frozenset(chain) for chain in chains.values()]


def align(keys: dict[str, str], responses: dict[str, str]) -> tuple[Chains, Chains]:
    """Return the chains of both sides over all files of equal name. Raise ValueError where tokens differ."""
    both: tuple[Chains, Chains] = ([], [])
    for name in sorted(keys.keys() & responses.keys()):
        (tokens, key), (others, response) = read_file(keys[name]), read_file(responses[name])
        if tokens != others:
            raise ValueError(f"{name}: the tokens differ")
        for side, chains in zip(both, (key, response), strict=True):
            side += [frozenset((name, first, last) for _, first, last in chain) for chain in chains]
    return both


def muc(key: Chains, response: Chains) -> tuple[Fraction, Fraction]:
    """Return recall and precision (Vilain et al. 1995)."""
    return _muc_recall(key, response), _muc_recall(response, key)


def _muc_recall(key: Chains, response: Chains) -> Fraction:
    found = wanted = 0
    for chain in key:
        parts = {
            next((number for number, other in enumerate(response) if mention in other), mention) for mention in chain
        }
        found += len(chain) - len(parts)
        wanted += len(chain) - 1
    return Fraction(found, wanted)


def b_cubed(key: Chains, response: Chains) -> tuple[Fraction, Fraction]:
    """Return recall and precision (Bagga and Baldwin 1998)."""
    return _b_cubed_recall(key, response), _b_cubed_recall(response, key)


def _b_cubed_recall(key: Chains, response: Chains) -> Fraction:
    shares = [Fraction(len(chain & _chain_of(mention, response)), len(chain)) for chain in key for mention in chain]
    return sum(shares, Fraction(0)) / len(shares)


def _chain_of(mention: Mention, chains: Iterable[frozenset[Mention]]) -> frozenset[Mention]:
    return next((chain for chain in chains if mention in chain), frozenset())


def f1(recall: Fraction, precision: Fraction) -> Fraction:
    return 2 * recall * precision / (recall + precision) if recall + precision else Fraction(0)
