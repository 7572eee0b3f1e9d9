"""Tests that need something that a machine may lack."""

import os
from typing import NoReturn

import pytest


def skip_or_fail_in_ci(reason: str) -> NoReturn:
    """Skip the test, which needs something that this machine lacks; fail in CI."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
