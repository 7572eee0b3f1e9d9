"""Compare results with exact figures, and data with the tables they are made of."""

import pytest


def close(found, expected, tolerance=1e-12):
    """Return whether a figure is the exact one; None stands for an undefined figure."""
    return found is None if expected is None else found == pytest.approx(float(expected), abs=tolerance, rel=1e-12)


def assert_result(result, expected, tolerance=1e-12):
    """Assert that a result has this exact (value, observed, expected), and a note if it has no value."""
    for name, figure in zip(("value", "observed", "expected"), expected, strict=True):
        assert close(getattr(result, name), figure, tolerance), name
    assert bool(result.note) == (result.value is None)


def values_of(data):
    """Return {unit: [value or None per coder]}."""
    rows = [[None if code < 0 else data.value(code) for code in row] for row in data.codes.tolist()]
    return dict(zip(data.units, rows, strict=True))
