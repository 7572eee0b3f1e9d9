"""What is known of each text without its answers: a summary of each coding, and a digest of the keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from agreement.data.storage.versions import Version, find_versions, join_versions, split_versions
from agreement.measures.data.arrays import run_offsets
from agreement.measures.sums.storage import pack, unpack

# So many sets of coders are shared by texts.
MOST_SETS = 1_024
DIGEST_SIZE = 32
TEXT = np.dtype([("pk", "<i8"), ("codings", "<i8"), ("digest", "u1", (DIGEST_SIZE,))])
CODING = np.dtype(
    [
        ("coder", "<i4"),
        ("reason", "<i4"),
        ("submitted", "?"),
        ("coding", "<i8"),
        ("judgements", "<i8"),
        ("other_versions", "<i8"),
        ("digest", "u1", (DIGEST_SIZE,)),
    ]
)


class CodingSummary(NamedTuple):
    """What is known of a coding without its answers: how many there are, and what is equal for equal ones.

    `submitted`, `reason` and `coding` are as in `CoderAnswers`, and `n_other_versions` is the length of its
    `other_versions`.
    """

    coder: str
    submitted: bool
    reason: str
    coding: int
    n_judgements: int
    n_other_versions: int
    digest: bytes

    @property
    def is_answer(self) -> bool:
        """Whether the coder has answered: to submit a text without a judgement is an answer, too."""
        return self.n_judgements > 0 or self.submitted


class CoderSets(NamedTuple):
    """Who has answered in a document, and why these codings do not count, empty for those that do.

    `of_other_versions` are those who judged under other versions of the scheme than were read, and `assigned` all who
    have a coding.
    """

    coders: frozenset[str]
    reasons: frozenset[str]
    of_other_versions: frozenset[str]
    assigned: frozenset[str]


class TextSummary(Protocol):
    """What is known of a document without its answers."""

    @property
    def codings(self) -> tuple[CodingSummary, ...]:
        """A summary of each coding."""

    @property
    def coder_sets(self) -> CoderSets:
        """Who has answered. Of equal ones there is mostly one object: texts are many."""

    @property
    def n_judgements(self) -> int:
        """How many judgements all codings have."""

    @property
    def digest_of_keys(self) -> bytes:
        """What is equal for equal keys of the members."""


class AnswerSummary(NamedTuple):
    """The summary of a document whose answers were read, or of some of its codings."""

    codings: tuple[CodingSummary, ...]
    coder_sets: CoderSets
    n_judgements: int
    digest_of_keys: bytes

    @classmethod
    def of(cls, codings: Sequence[CodingSummary], digest_of_keys: bytes) -> AnswerSummary:
        """Return the summary of these codings."""
        answered = [(coding.coder, coding.reason, coding.is_answer, coding.n_other_versions > 0) for coding in codings]
        n_judgements = sum(coding.n_judgements for coding in codings)
        return cls(tuple(codings), _sets_of(tuple(answered)), n_judgements, digest_of_keys)


@lru_cache(MOST_SETS)
def _sets_of(codings: tuple[tuple[str, str, bool, bool], ...]) -> CoderSets:
    """Return the sets of coders, each with the reason, and whether it is an answer and has some of other versions."""
    answered = [(coder, reason) for coder, reason, is_answer, _ in codings if is_answer]
    others = frozenset(coder for coder, _, _, has_others in codings if has_others)
    coders, reasons = (frozenset(names[place] for names in answered) for place in range(2))
    return CoderSets(coders, reasons, others, frozenset(coder for coder, *_ in codings))


@dataclass(frozen=True, slots=True, eq=False)
class StoredSummaries:
    """The summaries of many documents as columns: `codings` has those of the first document, then of the next.

    `ends` are the places behind the last coding of each. `digests` has those of all codings together, and
    `digests_of_keys` those of documents.
    """

    coders: Sequence[str]
    reasons: Sequence[str]
    codings: NDArray[np.void]
    ends: Sequence[int]
    digests: bytes
    digests_of_keys: bytes

    def summarize(self) -> list[StoredSummary]:
        """Return the summary of each document."""
        is_answer = (self.codings["judgements"] > 0) | self.codings["submitted"]
        columns = [self.codings["coder"], self.codings["reason"], is_answer, self.codings["other_versions"] > 0]
        codes = np.zeros(len(self.codings), "<i4,<i4,?,?")
        for name, column in zip(codes.dtype.names or (), columns, strict=True):
            codes[name] = column
        sums = np.concatenate(([0], np.cumsum(self.codings["judgements"]))).tolist()
        together, size = codes.tobytes(), codes.itemsize
        sets, summaries, begin = dict[bytes, CoderSets](), list[StoredSummary](), 0
        for place, end in enumerate(self.ends):
            code = together[begin * size : end * size]
            coder_sets = sets.get(code)
            if coder_sets is None:
                found = codes[begin:end].tolist()
                coder_sets = sets[code] = _sets_of(
                    tuple([(self.coders[coder], self.reasons[reason], *has) for coder, reason, *has in found])
                )
            summaries.append(StoredSummary(self, place, coder_sets, sums[end] - sums[begin]))
            begin = end
        return summaries

    def bounds(self, place: int) -> tuple[int, int]:
        """Return the places of the first coding of a document, and behind the last one."""
        return self.ends[place - 1] if place else 0, self.ends[place]


class StoredSummary(NamedTuple):
    """The summary of a document that was stored, by its place; its codings are put together when they are needed."""

    stored: StoredSummaries
    place: int
    coder_sets: CoderSets
    n_judgements: int

    @property
    def codings(self) -> tuple[CodingSummary, ...]:
        """A summary of each coding."""
        coders, reasons, digests = self.stored.coders, self.stored.reasons, self.stored.digests
        begin, end = self.stored.bounds(self.place)
        rows = self.stored.codings[begin:end].tolist()
        return tuple(
            [
                CodingSummary(
                    coders[coder], submitted, reasons[reason], key, n_judgements, n_others, _digest_at(digests, number)
                )
                for number, (coder, reason, submitted, key, n_judgements, n_others) in enumerate(rows, begin)
            ]
        )

    @property
    def digest_of_keys(self) -> bytes:
        """What is equal for equal keys of the members."""
        return _digest_at(self.stored.digests_of_keys, self.place)


def pack_summaries(summaries: Mapping[int, TextSummary], versions: Sequence[Version]) -> bytes:
    """Return the summaries of some documents, by key, in these versions, as bytes."""
    of_texts = [one.codings for one in summaries.values()]
    codings = [one for several in of_texts for one in several]
    coders = {name: number for number, name in enumerate(dict.fromkeys(one.coder for one in codings))}
    reasons = {name: number for number, name in enumerate(dict.fromkeys(one.reason for one in codings))}
    texts = np.zeros(len(summaries), TEXT)
    texts["pk"] = list(summaries)
    texts["codings"] = list(map(len, of_texts))
    texts["digest"] = _as_bytes([one.digest_of_keys for one in summaries.values()])
    rows = np.zeros(len(codings), CODING)
    rows["coder"] = [coders[one.coder] for one in codings]
    rows["reason"] = [reasons[one.reason] for one in codings]
    rows["submitted"] = [one.submitted for one in codings]
    rows["coding"] = [one.coding for one in codings]
    rows["judgements"] = [one.n_judgements for one in codings]
    rows["other_versions"] = [one.n_other_versions for one in codings]
    rows["digest"] = _as_bytes([one.digest for one in codings])
    names = {"coders": tuple(coders), "reasons": tuple(reasons)}
    return join_versions(versions, pack({}, names, [texts, rows]))


def unpack_summaries(stored: bytes, wanted: Mapping[int, Version]) -> dict[int, StoredSummary]:
    """Return the summaries of documents in the versions that are wanted. Raises ValueError for bytes of another form.

    What is not stored is left out. Nothing is kept of documents that are not wanted.
    """
    versions, rest = split_versions(stored)
    _, names, (texts, rows) = unpack(rest, lambda _: [TEXT, CODING])
    keys, (found, places) = list(wanted), find_versions(texts["pk"].tolist(), versions, list(wanted.items()))
    coders, reasons = ([str(one) for one in names[name]] for name in ("coders", "reasons"))
    sizes = texts["codings"][places]
    rows = rows[np.repeat((np.cumsum(texts["codings"]) - texts["codings"])[places], sizes) + run_offsets(sizes)]
    codings = np.zeros(len(rows), [(name, CODING[name]) for name in CODING.names or () if name != "digest"])
    for name in codings.dtype.names or ():
        codings[name] = rows[name]
    digests, digests_of_keys = rows["digest"].tobytes(), texts["digest"][places].tobytes()
    stored_summaries = StoredSummaries(coders, reasons, codings, np.cumsum(sizes).tolist(), digests, digests_of_keys)
    return {keys[number]: one for number, one in zip(found.tolist(), stored_summaries.summarize(), strict=True)}


def _digest_at(digests: bytes, place: int) -> bytes:
    return digests[place * DIGEST_SIZE : (place + 1) * DIGEST_SIZE]


def _as_bytes(digests: Sequence[bytes]) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join(digests), np.uint8).reshape(-1, DIGEST_SIZE)
