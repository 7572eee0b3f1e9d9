"""The chains of two coders in one text beside each other, aligned as CEAF aligns them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from agreement.data.documents import Document
from agreement.data.project_answers import ProjectAnswers
from agreement.measures import match_sets
from agreement.reports.links.coreference import clusters_in, common_texts, find_clusters, select_pair
from agreement.reports.request.basis import cached, pick_texts
from agreement.reports.request.parameters import InvalidParameter, Parameters
from agreement.reports.request.resolution import resolve

type Chain = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ChainPair:
    """Chains of the two coders, by their places: with `shared` markables; `aligned` says whether CEAF aligns them.

    `similarity` is phi 4 of CEAF. A chain that shares no markable with one of the other coder stands alone.
    """

    first: int | None
    second: int | None
    shared: int
    similarity: float
    aligned: bool


@dataclass(frozen=True, slots=True)
class ChainAlignment:
    """The chains of two coders in a text, the largest first, each in text order; what is only pointed at comes last.

    `pairs`: the aligned ones first, those with most in common before others; then others that share a markable; last
    chains alone.
    """

    text: Document
    first: tuple[Chain, ...]
    second: tuple[Chain, ...]
    pairs: tuple[ChainPair, ...]

    @property
    def aligned(self) -> list[ChainPair]:
        return [one for one in self.pairs if one.aligned]


def texts_of_pair(extract: ProjectAnswers, parameters: Parameters, first: str, second: str) -> list[Document]:
    """Return the chosen texts that both coders have coded.

    There are none where coders make no chains of markables, or nothing of one of the two counts.
    """
    if not extract.has_chains or extract.units:
        return []
    selected, parameters = resolve(extract, replace(parameters, coders=f"{first},{second}"))
    if not {first, second} <= set(selected.coders):
        return []
    return common_texts(selected, pick_texts(selected, parameters), first, second)


def align_chains(
    extract: ProjectAnswers, parameters: Parameters, first: str, second: str, text: str
) -> ChainAlignment | None:
    """Return the chains of two coders in a text, or where `text` is empty in the first in which one has any.

    None where neither has any. Chains are those of the coreference scores, of the same markables: they are not
    matched by the rules of MUC-6. Raises InvalidParameter.
    """
    texts = texts_of_pair(extract, parameters, first, second)
    if text and text not in {one.name for one in texts}:
        raise InvalidParameter("text", f"there is no text {text!r} that both have coded.")
    if not texts:
        return None
    selected, parameters = select_pair(extract, parameters, first, second)
    return cached(
        selected,
        ("alignment", parameters, first, second, text),
        lambda: _align(selected, [one for one in texts if text in ("", one.name)], first, second),
    )


def _align(extract: ProjectAnswers, texts: list[Document], first: str, second: str) -> ChainAlignment | None:
    clusters = find_clusters(extract, texts)
    key, response = clusters_in(clusters, first, texts), clusters_in(clusters, second, texts)
    text = next((one for one in texts if key[one.pk] or response[one.pk]), None)
    if text is None:
        return None
    members = extract.restrict([text]).columns.members["key"].tolist()
    place = {unit: number for number, unit in enumerate(members)}

    def ordered(of_text: list[frozenset[Hashable]]) -> tuple[Chain, ...]:
        chains = [tuple(sorted((int(str(one)) for one in chain), key=place.__getitem__)) for chain in of_text]
        return tuple(sorted(chains, key=lambda chain: (-len(chain), place[chain[0]])))

    sides = ordered(key[text.pk]), ordered(response[text.pk])
    return ChainAlignment(text, *sides, tuple(_pair_chains(*sides)))


def _pair_chains(first: tuple[Chain, ...], second: tuple[Chain, ...]) -> list[ChainPair]:
    overlaps = match_sets(dict(enumerate(first)), dict(enumerate(second)), "dice")
    pairs = [
        ChainPair(int(str(one.first)), int(str(one.second)), one.shared, one.dice, one.matched) for one in overlaps
    ]
    pairs.sort(key=lambda one: (not one.aligned, -one.shared, -one.similarity, one.first, one.second))
    alone = [set(range(len(side))) for side in (first, second)]
    for pair in pairs:
        for places, place in zip(alone, (pair.first, pair.second), strict=True):
            places.discard(place if place is not None else -1)
    pairs += [ChainPair(place, None, 0, 0.0, aligned=False) for place in sorted(alone[0])]
    return pairs + [ChainPair(None, place, 0, 0.0, aligned=False) for place in sorted(alone[1])]
