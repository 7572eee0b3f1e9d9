"""Suspicious names of labels, coders, documents and units."""

from collections.abc import Hashable, Iterable, Iterator
from math import isfinite
from numbers import Real
from unicodedata import normalize

# What other programs write for a value that is missing.
MISSING_WORDS = frozenset(("NA", "N/A", "n/a", "#N/A", "<NA>", "nan", "NaN", "NAN", "None", "null", "NULL", "-"))


def find_lookalikes(noun: str, names: Iterable[Hashable]) -> Iterator[str]:
    """Yield a sentence on names that differ only in outer blanks, in how letters are composed, or in type.

    >>> list(find_lookalikes("coder", ["Ann", "Bob", "Ann "]))
    ["coders 'Ann ' and 'Ann' are two: they differ only in outer blanks"]
    """
    if isinstance(names, range):
        return
    first: dict[Hashable, Hashable] = {}
    alike: dict[Hashable, set[Hashable]] = {}
    for name in names:
        key = _simplify(name)
        known = first.setdefault(key, name)
        if known != name:
            alike.setdefault(key, {known}).add(name)
    if alike:
        groups = sorted((sorted(group, key=repr) for group in alike.values()), key=repr)
        a, b = groups[0][:2]
        n_more = sum(len(group) - 1 for group in groups) - 1
        why, show = "in their type", repr
        if isinstance(a, str) and isinstance(b, str):
            blank = a.strip() == b.strip()
            why, show = ("in outer blanks", repr) if blank else ("in how letters are composed", ascii)
        more = f" ({n_more} more)" if n_more else ""
        yield f"{noun}s {show(a)} and {show(b)} are two: they differ only {why}{more}"


def find_odd_labels(labels: Iterable[Hashable]) -> Iterator[str]:
    """Yield sentences on labels that look like a missing value, and what `find_lookalikes` finds.

    >>> list(find_odd_labels(["x", "NA"]))
    ["label 'NA' counts as a category: a missing judgement is None, or an empty cell of a file"]
    """
    labels = list(labels)
    odd = sorted(label for label in labels if isinstance(label, str) and (label in MISSING_WORDS or not label.strip()))
    if odd:
        named = f"label {odd[0]!r} counts" if len(odd) == 1 else f"labels {', '.join(map(repr, odd))} count"
        kind = "a category" if len(odd) == 1 else "categories"
        yield f"{named} as {kind}: a missing judgement is None, or an empty cell of a file"
    yield from find_lookalikes("label", labels)


def _simplify(name: Hashable) -> Hashable:
    """Return a form that is equal for names that look alike."""
    if isinstance(name, str):
        return name.strip() if name.isascii() else normalize("NFC", name).strip()
    if isinstance(name, tuple | frozenset):
        return type(name)(map(_simplify, name))
    if isinstance(name, Real) and not isinstance(name, bool) and isfinite(name):
        return str(int(name)) if name == int(name) else str(name)
    return name
