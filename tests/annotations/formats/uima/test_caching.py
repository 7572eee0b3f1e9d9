"""Results that are kept for the next coder of a text."""

from annotations.formats.syntax.caching import CACHE_SIZE, cache_recent


def test_what_is_asked_again_is_worked_out_once():
    asked = []

    @cache_recent
    def doubled(number):
        asked.append(number)
        return 2 * number

    assert [doubled(1), doubled(2), doubled(1), doubled(2)] == [2, 4, 2, 4]
    assert asked == [1, 2]


def test_only_the_last_are_kept():
    asked = []

    @cache_recent
    def told(number):
        asked.append(number)

    for number in range(CACHE_SIZE + 1):
        told(number)
    told(1)
    assert len(asked) == CACHE_SIZE + 1
    told(0)
    assert asked[-1] == 0


def test_what_need_not_be_hashable_is_compared():
    length = cache_recent(len)
    assert length([1, 2]) == 2
    assert length([1, 2]) == 2
    assert length([1]) == 1
