"""Requests that keep or just break each rule of the API schema cause no server error."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck
from schemathesis import Case
from schemathesis.core.result import Ok
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.generation.meta import CoveragePhaseData
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.schemas import APIOperation

from tests.annotations.api.schema.test_anything import described, make_world, send
from tests.shared.cases import examples, is_full

SCHEMA = described("coverage")


def find_operations() -> Iterator[APIOperation[Any, Any, Any, Any]]:
    """Yield the operations of the schema, all of which can be read."""
    for found in SCHEMA.get_all_operations():
        assert isinstance(found, Ok), found
        yield found.ok()


OPERATIONS = {operation.label: operation for operation in find_operations()}
# Rules of which a request was sent.
TRIED: set[tuple[object, ...]] = set()


@pytest.fixture(scope="module")
def clients(module_rows: None) -> dict[str, Client]:
    """Make one world for all operations: what a request changes is taken back."""
    return make_world()


@pytest.fixture
def quiet() -> Iterator[None]:
    logging.disable(logging.WARNING)  # thousands of refusals
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_boundary_requests_cause_no_server_error(operation, clients, db, quiet):
    """The requests, of which there are thousands, are made here and not where tests are collected."""

    @examples(1, *HealthCheck)  # type: ignore[untyped-decorator]
    def send_first(case: Case) -> None:
        if is_full() or is_first(case):
            with transaction.atomic():
                send(case, clients)
                transaction.set_rollback(True)

    build_operation_test(
        config=SCHEMA.config, operation=operation, test_func=send_first, given_kwargs={}, feedback=FeedbackSources()
    )()


def is_first(case: Case) -> bool:
    """Return whether the request is the first that keeps or breaks this rule, in the operation or of the parameter.

    Parameters of one name and schema have one rule, as those by which lists are paged.
    """
    assert case.meta is not None
    data = case.meta.phase.data
    assert isinstance(data, CoveragePhaseData)
    rule = data.scenario, data.location
    new = {(case.operation.label, *rule), (data.parameter, describe_parameter(case, data), *rule)} - TRIED
    TRIED.update(new)
    return bool(new)


def describe_parameter(case: Case, data: CoveragePhaseData) -> str:
    """Return the schema of the parameter that the request is about, as JSON; of a body nothing."""
    schemas = [field.raw_schema for field in case.operation.iter_parameters() if field.name == data.parameter]
    return json.dumps(schemas, sort_keys=True, default=str)
