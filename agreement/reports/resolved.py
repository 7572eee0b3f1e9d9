"""Reports of answers and parameters: resolved first, then computed once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Concatenate, Protocol

from agreement.data.project_answers import ProjectAnswers
from agreement.reports.request.basis import cached, remembered
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.resolution import resolve

type Report[**P, R] = Callable[Concatenate[ProjectAnswers, Parameters, P], R]


class Keep(Protocol):
    """`cached` or `remembered`."""

    def __call__[T](self, answers: ProjectAnswers, key: tuple[Hashable, ...], compute: Callable[[], T]) -> T: ...


def cached_report[**P, R](compute: Report[P, R]) -> Report[P, R]:
    """Let a report take answers and parameters as asked, and be computed once in a request. Raises InvalidParameter."""
    return _kept(cached, compute)


def remembered_report[**P, R](compute: Report[P, R]) -> Report[P, R]:
    """Let a report take answers and parameters as asked, and be remembered. Raises InvalidParameter."""
    return _kept(remembered, compute)


def _kept[**P, R](keep: Keep, compute: Report[P, R]) -> Report[P, R]:
    @wraps(compute)
    def report(answers: ProjectAnswers, parameters: Parameters, /, *args: P.args, **kwargs: P.kwargs) -> R:
        answers, parameters = resolve(answers, parameters)
        key = (f"{compute.__module__}.{compute.__qualname__}", parameters, *args, *kwargs.values())
        return keep(answers, key, lambda: compute(answers, parameters, *args, **kwargs))

    return report
