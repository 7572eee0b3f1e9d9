"""Requests next to each rule of the schema of the API, kept and broken: none is an error of the server."""

import logging
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck
from schemathesis import Case
from schemathesis.generation.meta import CoveragePhaseData

from tests.annotations.api.test_anything import described, send, world
from tests.shared.cases import Selection, examples

__all__ = ["world"]

SCHEMA = described("coverage")
# Rules of which a request was sent.
TRIED: set[tuple[object, ...]] = set()


@pytest.fixture
def quiet() -> Iterator[None]:
    logging.disable(logging.WARNING)  # thousands of refusals
    yield
    logging.disable(logging.NOTSET)


@SCHEMA.parametrize()
@examples(1, *HealthCheck)
def test_no_request_next_to_a_rule_is_an_error_of_the_server(case, world, quiet):
    if Selection.full or is_first(case):
        send(case)


def is_first(case: Case) -> bool:
    """Return whether the request is the first that keeps or breaks this rule of the operation."""
    assert case.meta is not None
    data = case.meta.phase.data
    assert isinstance(data, CoveragePhaseData)
    rule = (case.operation.label, data.scenario, data.location, data.parameter)
    if rule in TRIED:
        return False
    TRIED.add(rule)
    return True
