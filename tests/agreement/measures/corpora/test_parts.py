"""Data in parts, computed in one process or several, give the digits of all data at once."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from threading import Event

import numpy as np
import pytest

from agreement import measures
from agreement.measures import ReliabilityData, SumOptions, alpha, combine, interval_sums, over
from tests.agreement.measures.strategies import one_document

OPTIONS = SumOptions(("nominal", "masi"), exclude_unit="both")


def chains(texts, seed):
    """Return data of three coders, 20 units a text, with gaps."""
    random = np.random.default_rng(seed)
    return ReliabilityData.from_chain_ids(random.integers(-1, 7, (20 * len(texts), 3)), np.repeat(texts, 20).tolist())


def write_csv(path, texts, seed):
    """Write such data as one judgement a line; return the path."""
    lines = ["document,unit,coder,chain"]
    ids = np.random.default_rng(seed).integers(-1, 7, (20 * len(texts), 3))
    for unit, row in enumerate(ids.tolist()):
        text = texts[unit // 20]
        lines += [f"{text},{seed}-{unit},c{coder},{chain}" for coder, chain in enumerate(row) if chain >= 0]
    path.write_text("\n".join(lines))
    return path


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """Three files of several texts, whose names are not in their order."""
    folder = tmp_path_factory.mktemp("parts")
    texts = [["t9", "t2"], ["t1"], ["t10", "t3", "t5", "t4"]]
    return [
        partial(ReliabilityData.from_csv, write_csv(folder / f"{seed}.csv", own, seed))
        for seed, own in enumerate(texts)
    ]


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_sums_do_not_depend_on_processes_or_order_of_parts(parts, workers, tmp_path):
    here = over(parts, OPTIONS)
    assert here.documents == ["t1", "t10", "t2", "t3", "t4", "t5", "t9"]
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn")) if workers else ThreadPoolExecutor(2)
    with pool:
        assert over(reversed(parts), OPTIONS, pool) == here
    lines = [part.args[0].read_text().splitlines() for part in parts]
    whole = tmp_path / "whole.csv"
    whole.write_text("\n".join([lines[0][0], *(line for own in lines for line in own[1:])]))
    data = ReliabilityData.from_csv(whole)
    together = measures.documents_sums(data, OPTIONS.distances, exclude_unit="both").sort()
    assert (here.documents, here.coders) == (together.documents, together.coders)
    # chains have other numbers there, and coders another order
    assert here == together
    for name in here:
        assert combine(here[name]) == alpha(data, name, exclude_unit="both")
        assert interval_sums(here[name]) == interval_sums(together[name])


def test_parts_may_be_data_functions_or_tables():
    first, second = chains(["a"], 1), chains(["b"], 2)
    assert over(iter([second, first]), OPTIONS) == over([first, lambda: second], OPTIONS)
    nothing = over([], OPTIONS)
    assert nothing.options == OPTIONS
    assert combine(nothing["masi"]).note == "there is no data"
    labels = over([[["a", "b"], ["b", "b"]]], SumOptions(("nominal",)))
    assert combine(labels["nominal"]) == alpha(one_document([["a", "b"], ["b", "b"]]))


def test_errors_of_parts_are_raised(tmp_path):
    with pytest.raises(ValueError, match="document 'a' is in two parts"):
        over([chains(["a", "b"], 1), chains(["a"], 2)], OPTIONS)
    with pytest.raises(FileNotFoundError, match=r"none\.csv"):
        over([partial(ReliabilityData.from_csv, tmp_path / "none.csv")], OPTIONS)


def test_sum_options_are_validated_and_deduplicated():
    assert SumOptions(["masi", "dice", "masi"]).distances == ("masi", "dice")
    with pytest.raises(ValueError, match="empty is 'none'; it must be one of 'subset', 'disjoint'"):
        SumOptions(("masi",), empty="none")


def test_error_in_part_cancels_parts_that_have_not_begun():
    begun = []

    def part(number):
        begun.append(number)
        if number == 0:
            raise ValueError("of part 0")
        return chains([str(number)], number)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(Event().wait, 0.2)  # all parts are handed over before the first begins
        with pytest.raises(ValueError, match="of part 0"):
            over([partial(part, number) for number in range(1000)], OPTIONS, pool)
    assert 1 <= len(begun) < 1000
