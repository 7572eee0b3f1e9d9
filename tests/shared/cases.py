"""Which cases each push tries, and which only the profile full: `make test ARGS="--hypothesis-profile full"`."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, settings

# How many times as many examples of a property are tried, by the profile of Hypothesis; 1 with any other profile.
FACTORS = {"quick": 0.1, "full": 5.0}
MIN_EXAMPLES = 3


def is_full() -> bool:
    """Return whether the profile is full."""
    return settings.get_current_profile_name() == "full"


def register_profiles() -> None:
    """Register the profiles quick and full for `--hypothesis-profile`."""
    for name in FACTORS:
        settings.register_profile(name, max_examples=_scaled(100, name), deadline=None)


def cases[Case](each_push: Iterable[Case], *, full: Iterable[Case]) -> list[Case]:
    """Return the cases of a parametrisation: those of each push, and with the profile full those of `full`, too."""
    return [*each_push, *full] if is_full() else list(each_push)


def first_of[Case](every: Iterable[Case]) -> list[Case]:
    """Return the first case, as the rule is the same for all; return all with the profile full."""
    first, *rest = every
    return cases([first], full=rest)


def only_in_full(reason: str) -> pytest.MarkDecorator:
    """Return the marker of a test that only the profile full runs."""
    return pytest.mark.skipif(not is_full(), reason=f"{reason}: --hypothesis-profile full")


def examples(number: int, *suppressed: HealthCheck) -> settings:
    """Return settings for a property: so many examples, fewer with the profile quick and more with full."""
    scaled = _scaled(number, settings.get_current_profile_name())
    return settings(max_examples=scaled, deadline=None, suppress_health_check=suppressed)


def _scaled(number: int, profile: str) -> int:
    return max(min(number, MIN_EXAMPLES), round(number * FACTORS.get(profile, 1.0)))
