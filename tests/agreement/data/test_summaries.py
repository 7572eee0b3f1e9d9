"""What is known of documents without their answers comes back from storage as it was."""

import hashlib

import pytest

from agreement.data.answers.summaries import AnswerSummary, CodingSummary, pack_summaries, unpack_summaries
from agreement.data.storage.versions import digest_version


def digest(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()


def summary(name: str, *codings: tuple[str, bool, str, int, int, int]) -> AnswerSummary:
    return AnswerSummary.of([CodingSummary(*one, digest(f"{name} {one}")) for one in codings], digest(name))


SUMMARIES = {
    7: summary("tea", ("ann", True, "", 3, 80, 0), ("ben", False, "open", 4, 0, 2), ("cid", True, "", 5, 0, 0)),
    5: summary("empty"),
    9: summary("sea", ("ben", True, "", 6, 1, 0)),
}
VERSIONS = {key: digest_version(key) for key in SUMMARIES}
STORED = pack_summaries(SUMMARIES, list(VERSIONS.values()))


@pytest.mark.parametrize("wanted", [[7, 5, 9], [9, 5], [7], [5], []])
def test_summaries_that_are_wanted_come_back_equal_and_nothing_is_kept_of_others(wanted):
    found = unpack_summaries(STORED, {key: VERSIONS[key] for key in wanted})
    assert list(found) == wanted
    for key, one in found.items():
        before = SUMMARIES[key]
        assert (one.codings, one.coder_sets, one.n_judgements) == (
            before.codings,
            before.coder_sets,
            before.n_judgements,
        )
        assert one.digest_of_keys == before.digest_of_keys
        assert len(one.stored.codings) == sum(len(SUMMARIES[key].codings) for key in wanted)


def test_summaries_of_other_versions_and_documents_are_none():
    assert unpack_summaries(STORED, {7: digest_version("later"), 8: VERSIONS[7]}) == {}


def test_who_submits_without_a_judgement_has_answered():
    sets = SUMMARIES[7].coder_sets
    assert (sets.coders, sets.assigned, sets.reasons) == ({"ann", "cid"}, {"ann", "ben", "cid"}, {""})
    assert sets.of_other_versions == {"ben"}
