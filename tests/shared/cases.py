"""Which cases each push tries, and which only `make test ARGS=--full`."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, settings

# How many times as many examples of a property are tried, by the profile of Hypothesis; 1 with any other profile.
FACTORS = {"quick": 0.1, "full": 5.0}
FEWEST_EXAMPLES = 3


class Selection:
    """What the command line asks for; tests/conftest.py sets it before the modules of tests are imported."""

    full = False


def register_profiles() -> None:
    """Register the profiles quick and full for `--hypothesis-profile`."""
    for name in FACTORS:
        settings.register_profile(name, max_examples=_scaled(100, name), deadline=None)


def cases[Case](each_push: Iterable[Case], *, full: Iterable[Case]) -> list[Case]:
    """Return the cases of a parametrisation: one a rule for each push, and with --full those of `full` too."""
    return [*each_push, *full] if Selection.full else list(each_push)


def first_of[Case](every: Iterable[Case]) -> list[Case]:
    """Return the first case, which stands for a rule that is the same for all; with --full return them all."""
    first, *rest = every
    return cases([first], full=rest)


def only_in_full(reason: str) -> pytest.MarkDecorator:
    """Return the marker of a test that only `make test ARGS=--full` runs."""
    return pytest.mark.skipif(not Selection.full, reason=f"{reason}: make test ARGS=--full")


def examples(number: int, *suppressed: HealthCheck) -> settings:
    """Return settings for a property: so many examples, fewer with the profile quick and more with full."""
    scaled = _scaled(number, settings.get_current_profile_name())
    return settings(max_examples=scaled, deadline=None, suppress_health_check=suppressed)


def _scaled(number: int, profile: str) -> int:
    return max(min(number, FEWEST_EXAMPLES), round(number * FACTORS.get(profile, 1.0)))
