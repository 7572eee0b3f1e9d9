"""Assertions of the helper that the tables of dialects share show their values."""

import pytest

pytest.register_assert_rewrite("tests.annotations.formats.dialects")
