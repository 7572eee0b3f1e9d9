"""What counts as the same markable in MUC-6: MIN strings, leading articles, optional markables (MUC-6 1995, v2.3)."""

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

_ARTICLE = re.compile(r"\s*(?:(?:the|an|a)\s+)?", re.IGNORECASE)


@dataclass(frozen=True)
class KeyMarkable:
    """A markable of the key: [start, end) in the text, the MIN string (alternatives apart by |), and if it is optional.

    Without MIN the whole string, but for a leading article, has to be in the response.
    """

    start: int
    end: int
    minimum: str | None = None
    optional: bool = False


@dataclass(frozen=True)
class MarkableAlignment:
    """Key and response as clusters of the same names: to be given to any coreference score."""

    key: list[set[Hashable]]
    response: list[set[Hashable]]
    pairs: dict[Hashable, Hashable]


def match_muc6(
    text: str,
    key: Mapping[Hashable, KeyMarkable],
    response: Mapping[Hashable, tuple[int, int]],
    key_clusters: Iterable[Iterable[Hashable]],
    response_clusters: Iterable[Iterable[Hashable]],
) -> MarkableAlignment:
    """Match the markables of a response to those of a key, and rename them so that the sides can be compared.

    A response markable is that of the key if it has the MIN string in it and nothing outside the key's markable;
    leading articles ("the", "a", "an") and spaces do not count on either side. Each markable is matched once; the same
    string goes first, then the shorter key markable. An optional markable of the key that nothing matches is left out
    of its cluster. `pairs` says which response markable is which of the key; the others keep a name of their own.
    Raises ValueError for a markable outside the text, a MIN that is not in its markable and an unknown name in a
    cluster.

    >>> text = "the Lowell Bay Port Authority said it may sell"
    >>> key = {1: KeyMarkable(0, 29, "Authority"), 2: KeyMarkable(35, 37)}
    >>> matched = match_muc6(text, key, {"x": (15, 29), "y": (35, 37)}, [{1, 2}], [{"x", "y"}])
    >>> matched.pairs, matched.key == matched.response
    ({'y': 2, 'x': 1}, True)
    """
    spans = {name: _strip_article(text, name, markable.start, markable.end) for name, markable in key.items()}
    minima = {name: _find_minimal_spans(text, name, markable, spans[name]) for name, markable in key.items()}
    candidates: list[tuple[bool, int, int, Hashable, Hashable]] = []
    for name, (start, end) in response.items():
        span = _strip_article(text, name, start, end)
        for other, whole in spans.items():
            inside = whole[0] <= span[0] and span[1] <= whole[1]
            if inside and any(span[0] <= low and high <= span[1] for low, high in minima[other]):
                candidates.append((span != whole, whole[1] - whole[0], len(candidates), name, other))
    pairs: dict[Hashable, Hashable] = {}
    matched: set[Hashable] = set()
    for *_, name, other in sorted(candidates, key=lambda candidate: candidate[:3]):
        if name not in pairs and other not in matched:
            pairs[name] = other
            matched.add(other)
    left_out = {name for name, markable in key.items() if markable.optional and name not in matched}
    return MarkableAlignment(
        key=[names for cluster in key_clusters if (names := _check_cluster(cluster, key) - left_out)],
        response=[
            {pairs.get(name, ("response", name)) for name in _check_cluster(cluster, response)}
            for cluster in response_clusters
        ],
        pairs=pairs,
    )


def _strip_article(text: str, name: Hashable, start: int, end: int) -> tuple[int, int]:
    """Return the place without a leading article and spaces around; the whole if nothing would be left."""
    if not 0 <= start < end <= len(text):
        raise ValueError(f"markable {name!r} is at {start} to {end} in a text of {len(text)} characters")
    string = text[start:end].rstrip()
    begin = _ARTICLE.match(string).end()  # type: ignore[union-attr]  # it matches anything
    return (start + begin, start + len(string)) if begin < len(string) else (start, end)


def _find_minimal_spans(
    text: str, name: Hashable, markable: KeyMarkable, span: tuple[int, int]
) -> list[tuple[int, int]]:
    """Return where the MIN string is in the markable; it may come more than once."""
    if markable.minimum is None:
        return [span]
    spans = []
    for alternative in markable.minimum.split("|"):
        words = r"\s+".join(map(re.escape, alternative.split()))
        inside = re.finditer(f"(?={words})", text[markable.start : markable.end]) if words else ()
        for at in inside:
            length = re.match(words, text[markable.start + at.start() :]).end()  # type: ignore[union-attr]
            begin = markable.start + at.start()
            # a MIN may begin with an article, which does not count
            spans.append((_strip_article(text, name, begin, begin + length)[0], begin + length))
    spans = [(low, high) for low, high in spans if high <= markable.end]
    if not spans:
        raise ValueError(f"the MIN {markable.minimum!r} of markable {name!r} is not in it")
    return spans


def _check_cluster(cluster: Iterable[Hashable], markables: Mapping[Hashable, object]) -> set[Hashable]:
    names = set(cluster)
    for name in sorted(names - markables.keys(), key=repr):
        raise ValueError(f"{name!r} is in a cluster and is no markable")
    return names
