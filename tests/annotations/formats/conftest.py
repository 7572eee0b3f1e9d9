"""Show the values of failed assertions in the shared helper of dialect tests."""

import pytest

pytest.register_assert_rewrite("tests.annotations.formats.dialects")
