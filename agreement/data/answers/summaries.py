"""What is known of each text without its answers, as bytes: a summary of each coding, and a digest of the keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from agreement.data.answers.answers import CodingSummary
from agreement.data.answers.contents import TextContent
from agreement.data.storage.versions import Version, find_versions, join_versions, split_versions
from agreement.measures.sums.storage import pack, unpack

DIGEST_SIZE = 32
TEXT = np.dtype([("pk", "<i8"), ("codings", "<i8"), ("digest", "u1", (DIGEST_SIZE,))])
CODING = np.dtype(
    [
        ("coder", "<i4"),
        ("reason", "<i4"),
        ("coding", "<i8"),
        ("judgements", "<i8"),
        ("other_versions", "<i8"),
        ("digest", "u1", (DIGEST_SIZE,)),
    ]
)

type Summary = tuple[bytes, tuple[CodingSummary, ...]]


def pack_summaries(contents: Sequence[TextContent]) -> bytes:
    """Return the summaries of some documents, all of which have a version, as bytes."""
    codings = [one for content in contents for one in content.codings]
    coders = {name: number for number, name in enumerate(dict.fromkeys(one.coder for one in codings))}
    reasons = {name: number for number, name in enumerate(dict.fromkeys(one.reason for one in codings))}
    texts = np.zeros(len(contents), TEXT)
    texts["pk"] = [content.pk for content in contents]
    texts["codings"] = [len(content.codings) for content in contents]
    texts["digest"] = _as_bytes([content.digest_of_keys for content in contents])
    rows = np.zeros(len(codings), CODING)
    rows["coder"] = [coders[one.coder] for one in codings]
    rows["reason"] = [reasons[one.reason] for one in codings]
    rows["coding"] = [one.coding for one in codings]
    rows["judgements"] = [one.n_judgements for one in codings]
    rows["other_versions"] = [one.n_other_versions for one in codings]
    rows["digest"] = _as_bytes([one.digest for one in codings])
    names = {"coders": tuple(coders), "reasons": tuple(reasons)}
    versions = [content.version for content in contents if content.version]
    return join_versions(versions, pack({}, names, [texts, rows]))


def unpack_summaries(stored: bytes, wanted: Mapping[int, Version]) -> dict[int, Summary]:
    """Return the summaries of documents in the versions that are wanted. Raises ValueError for bytes of another form.

    What is not stored is left out.
    """
    versions, rest = split_versions(stored)
    _, names, (texts, rows) = unpack(rest, lambda _: [TEXT, CODING])
    keys, (found, places) = list(wanted), find_versions(texts["pk"].tolist(), versions, list(wanted.items()))
    coders, reasons = ([str(one) for one in names[name]] for name in ("coders", "reasons"))
    codings = list(
        map(
            CodingSummary,
            [coders[coder] for coder in rows["coder"].tolist()],
            [reasons[reason] for reason in rows["reason"].tolist()],
            *(rows[name].tolist() for name in ("coding", "judgements", "other_versions")),
            _split_digests(rows["digest"].tobytes()),
        )
    )
    digests, ends = _split_digests(texts["digest"].tobytes()), np.cumsum(texts["codings"])
    cuts = zip(places.tolist(), (ends - texts["codings"])[places].tolist(), ends[places].tolist(), strict=True)
    return {
        keys[number]: (digests[place], tuple(codings[begin:end]))
        for number, (place, begin, end) in zip(found.tolist(), cuts, strict=True)
    }


def _split_digests(digests: bytes) -> list[bytes]:
    return [digests[begin : begin + DIGEST_SIZE] for begin in range(0, len(digests), DIGEST_SIZE)]


def _as_bytes(digests: Sequence[bytes]) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    return np.frombuffer(b"".join(digests), np.uint8).reshape(-1, DIGEST_SIZE)
