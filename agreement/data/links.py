"""Links of judgements and their readings: targets that are meant together, and alternatives."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from agreement.measures.coreference.matching import first_class
from agreement.measures.data.arrays import run_offsets, run_starts, sorted_unique
from agreement.measures.values import Bools, Ints


def tidy_readings(link_of: Ints, link_to: Ints, reading: Ints) -> tuple[Ints, Ints, Ints]:
    """Return links sorted by judgement and target, without duplicate readings, which are numbered from 0 by target."""
    order = np.lexsort((reading, link_to, link_of))
    link_of, link_to, reading = link_of[order], link_to[order], reading[order]
    # Only readings of judgements with a repeated target or joint targets, which are few, are compared as sets.
    twice = (link_of[1:] == link_of[:-1]) & (link_to[1:] == link_to[:-1])
    special = np.concatenate((link_of[1:][twice], link_of[share_reading(link_of, reading)]))
    links = np.stack((link_of, link_to, number_alternatives(link_of)))
    if not len(special):
        return links[0], links[1], links[2]
    chosen = np.isin(link_of, special)
    together = defaultdict[tuple[int, int], list[int]](list)
    for judgement, target, number in zip(*(one[chosen].tolist() for one in (link_of, link_to, reading)), strict=True):
        together[judgement, number].append(target)
    rows, numbers = list[tuple[int, int, int]](), Counter[int]()
    for judgement, targets in sorted({(judgement, tuple(targets)) for (judgement, _), targets in together.items()}):
        rows += [(judgement, target, numbers[judgement]) for target in targets]
        numbers[judgement] += 1
    links = np.concatenate((links[:, ~chosen], np.array(rows, dtype=np.int64).T), axis=1)
    link_of, link_to, reading = links[:, np.lexsort((links[2], links[1], links[0]))]
    return link_of, link_to, reading


def number_alternatives(link_of: Ints) -> Ints:
    """Return a separate reading number for each link of a judgement; links are sorted by judgement."""
    return run_offsets(np.bincount(link_of))


def count_readings(link_of: Ints, reading: Ints, n: int) -> Ints:
    """Return the number of readings of each of n judgements; two or more make a judgement ambiguous."""
    width = int(reading.max(initial=0)) + 1
    return np.bincount(sorted_unique(link_of * width + reading) // width, minlength=n)


def share_reading(link_of: Ints, reading: Ints) -> Bools:
    """Return which links share their reading with another link."""
    key = link_of * (int(reading.max(initial=0)) + 1) + reading
    order = np.argsort(key, kind="stable")
    same = key[order][1:] == key[order][:-1]
    share = np.zeros(len(key), dtype=np.bool_)
    share[order[1:][same]] = True
    share[order[:-1][same]] = True
    return share


def number_indices(
    marks: Mapping[tuple[int, str], list[int]], n_codings: int
) -> tuple[Ints, Ints, list[tuple[str, ...]]]:
    """Return links from marks to numbers of indices, and the names of the indices of each coding by number."""
    names: list[list[str]] = [[] for _ in range(n_codings)]
    links = list[tuple[int, int]]()
    # sorted by marks in text order, prefixes first; names decide only between indices with equal marks
    for coding, name in sorted(marks, key=lambda index: (index[0], sorted(marks[index]), index[1])):
        links += [(mark, len(names[coding])) for mark in marks[coding, name]]
        names[coding].append(name)
    of, to = np.array(links, dtype=np.int64).reshape(-1, 2).T
    return of, to, [tuple(own) for own in names]


def find_first_classes(link_of: Ints, link_to: Ints) -> Bools:
    """Return which links lead to the class in which their judgement is scored (`first_class`)."""
    is_first = np.ones(len(link_of), dtype=np.bool_)
    links = np.flatnonzero(np.bincount(link_of)[link_of] > 1)
    chosen = np.isin(link_to, link_to[links])
    classes = defaultdict[int, list[int]](list)
    for number, judgement in sorted(zip(link_to[chosen].tolist(), link_of[chosen].tolist(), strict=True)):
        classes[number].append(judgement)
    for begin, end in pairwise([*run_starts(link_of[links]).tolist(), len(links)]):
        of_judgement = links[begin:end]
        first = first_class(int(link_of[of_judgement[0]]), [classes[one] for one in link_to[of_judgement].tolist()])
        is_first[of_judgement] = np.arange(len(of_judgement)) == first
    return is_first
