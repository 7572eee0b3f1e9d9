"""A process that is killed in the middle costs time, and no digit."""

import os
import signal
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import pytest

from agreement.measures import SumOptions, over
from tests.agreement.measures.corpora.corpora import frame_of, write_csv

pytestmark = pytest.mark.slow

OPTIONS = SumOptions(("masi",))
TWO_PROCESSES = partial(ProcessPoolExecutor, 2, mp_context=get_context("spawn"))


@dataclass
class Deadly:
    """A file whose reading kills the process, so many times."""

    path: Path
    times: int

    def __call__(self):
        deaths = self.path.with_suffix(".deaths")
        n = len(deaths.read_text()) if deaths.exists() else 0
        if n < self.times:
            deaths.write_text("x" * (n + 1))
            os.kill(os.getpid(), signal.SIGKILL)
        return self.path


@pytest.fixture
def files(tmp_path):
    """Files of a text each."""
    return [
        write_csv(
            tmp_path / f"{n}.csv",
            frame_of([(f"text {n}", unit, c, (unit + c * n) % 3, None) for unit in range(5) for c in range(2)]),
        )
        for n in range(8)
    ]


def test_parts_of_killed_process_are_computed_again(files):
    here = over(files, OPTIONS)
    parts = [*files[:2], Deadly(files[2], 1), *files[3:6], Deadly(files[6], 2), files[7]]
    reports = []
    assert over(parts, OPTIONS, TWO_PROCESSES, report=reports.append) == here
    assert sorted(report.n_documents for report in reports) == [1] * 8


def test_error_names_file_that_kills_every_process(files):
    parts = [*files, Deadly(files[3], 100)]
    with pytest.raises(BrokenExecutor, match=r"processes were killed \(too little memory\?\) .* part 9"):
        over(parts, OPTIONS, TWO_PROCESSES)
    assert len(files[3].with_suffix(".deaths").read_text()) == 4


def test_broken_executor_of_caller_is_not_replaced(files):
    with TWO_PROCESSES() as pool, pytest.raises(BrokenExecutor, match="before they had computed"):
        over([Deadly(files[0], 1)], OPTIONS, pool)
