"""Natural order of names."""

import pytest

from annotations.core.text import natural_key


@pytest.mark.parametrize(
    "names", [["pilot 2", "pilot 10"], ["2", "10", "a"], ["round", "round 1"], ["a2b9", "a2b10", "a10b1"], ["", "1"]]
)
def test_numbers_in_names_are_sorted_as_numbers(names):
    keys = [natural_key(name) for name in names]
    assert keys == sorted(keys)
