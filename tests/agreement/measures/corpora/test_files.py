"""Files of a corpus have the sums of all their judgements read at once, to the last digit."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import measures
from agreement.measures import SumOptions, alpha, combine, find_files, over
from agreement.measures.corpora import files as reading
from tests.agreement.measures.corpora.corpora import frame_of, sums_of, write_csv, write_parquet
from tests.shared.cases import examples

BOTH = SumOptions(exclude_unit="both")


@st.composite
def corpora(draw):
    """Draw the tables of some files, whole documents in each: text or numbers, chains, labels or both, in any order."""
    numbers, chains, labels = (draw(st.booleans()) for _ in range(3))
    chains |= not labels
    places = st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3))
    rows = []
    for document, unit, coder in draw(st.lists(places, unique=True, max_size=50)):
        chain = draw(st.none() | st.integers(0, 3)) if chains else None
        label = draw(st.none() | st.sampled_from("xyz")) if labels else None
        names = (document, unit, coder) if numbers else (f"text {document}", f"Ünit '{unit}'", f"coder {coder}")
        rows.append((document, (*names, chain if chain is None or numbers else f"e{chain}", label)))
    n_files = draw(st.integers(1, 3))
    frames = []
    for number in range(n_files):
        frame = pd.DataFrame(
            [row for document, row in rows if document % n_files == number],
            columns=["document", "unit", "coder", "chain", "label"],
        )
        if numbers:
            frame = frame.astype({"document": "int64", "unit": "int64", "coder": "int64", "chain": "Int64"})
        left_out = [name for name, there in (("chain", chains), ("label", labels)) if not there]
        frames.append(frame.drop(columns=left_out))
    return frames


def as_text(frame):
    """Return a table as a CSV file has it."""
    return frame.astype(object).where(frame.notna(), None).map(lambda entry: entry if entry is None else str(entry))


@examples(60)
@given(corpora(), st.booleans(), st.sampled_from([SumOptions(), BOTH]))
def test_sums_of_parquet_files_and_tables_equal_sums_of_all_data(frames, few, options):
    whole = sums_of(pd.concat(frames, ignore_index=True), options)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_FEW", 256 if few else 1)  # more names than these are read in another way
        files = [write_parquet(Path(folder) / f"{number}.parquet", frame) for number, frame in enumerate(frames)]
        assert over(reversed(files), options) == whole
    assert over(frames, options) == whole
    assert over([partial(frame.copy) for frame in frames], options) == over(frames, options)


@examples(30)
@given(corpora(), st.sampled_from([".csv", ".tsv.gz"]))
def test_csv_columns_are_read_as_text(frames, end):
    whole = sums_of(pd.concat([as_text(frame) for frame in frames], ignore_index=True), BOTH)
    with TemporaryDirectory() as folder:
        files = [Path(folder) / f"{number}{end}" for number in range(len(frames))]
        for path, frame in zip(files, frames, strict=True):
            frame.to_csv(path, index=False, sep="\t" if end.startswith(".tsv") else ",")
        assert over(files, BOTH) == whole


def test_second_hash_separates_names_with_equal_hashes(tmp_path, monkeypatch):
    rows = [(f"d{n // 8}", f"u{n // 2}", f"c{n % 2}", f"e{n % 5}", None) for n in range(64)]
    path = write_parquet(tmp_path / "one.parquet", frame_of(rows))
    whole = over([path], BOTH)
    monkeypatch.setattr(reading, "_FEW", 1)
    monkeypatch.setattr(reading, "_HASHES", ("hash(length({}))", *reading._HASHES))
    assert over([path], BOTH) == whole
    monkeypatch.setattr(reading, "_HASHES", ("hash(length({}))",))
    with pytest.raises(ValueError, match=r"one\.parquet: 8 texts cannot be told apart"):
        over([path], BOTH)


def test_columns_may_be_renamed_and_units_span_several_columns(tmp_path):
    frame = pd.DataFrame(
        [("a", 1, 1, "x", 7), ("a", 1, 2, "x", 7), ("a", 1, 1, "y", 8), ("a", 1, 2, "y", 9)],
        columns=["text", "sentence", "word", "model", 'the "cluster"'],
    )
    columns = measures.Columns("text", ["sentence", "word"], "model", 'the "cluster"')
    records = {"document": "text", "unit": ["sentence", "word"], "coder": "model", "chain": 'the "cluster"'}
    expected = alpha(measures.ReliabilityData.from_records(frame, **records), "masi")
    for part in (write_parquet(tmp_path / "a[1].parquet", frame), write_csv(tmp_path / "a.csv", frame), frame):
        assert combine(over([part], SumOptions(("masi",)), columns=columns)["masi"]) == expected


def test_units_may_be_floats_and_labels_fractions_or_booleans(tmp_path):
    rows = [
        ("a", unit, coder, None, label)
        for unit, pair in enumerate(["01", "11", "00"])
        for coder, label in enumerate(pair)
    ]
    frame = frame_of(rows).astype({"unit": "float64"})
    for label in (frame.label.astype(float) + 0.5, frame.label.astype(int), frame.label == "1"):
        changed = frame.assign(label=label)
        expected = alpha(measures.ReliabilityData.from_records(changed))
        path = write_parquet(tmp_path / "labels.parquet", changed)
        assert combine(over([path], SumOptions(("nominal",)))["nominal"]) == expected


@pytest.mark.parametrize("distance", ["ordinal", "interval", "ratio"])
def test_numeric_distances_parse_text_labels(tmp_path, distance):
    labels = [("a", "1", "2"), ("a", "2", "2.0"), ("b", "10", "9"), ("b", "3", "")]
    rows = [(text, n, c, None, pair[c] or None) for n, (text, *pair) in enumerate(labels) for c in range(2)]
    path = write_csv(tmp_path / "numbers.csv", frame_of(rows))
    sums = over([path], SumOptions((distance,)))
    data = measures.ReliabilityData.from_csv(path)
    assert combine(sums[distance]) == alpha(data, distance)
    assert measures.bootstrap_sums(sums[distance], n=50) == measures.bootstrap(data, alpha, distance, n=50)
    path.write_text(path.read_text().replace("10", "ten"))
    with pytest.raises(ValueError, match=r"numbers\.csv: line \d: 'ten' is no number"):
        over([path], SumOptions((distance,)))


def test_patterns_find_each_file_once_in_order_of_names(tmp_path):
    names = ["b/2.csv", "b/1.csv", "a/3.csv", "a[1].csv"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = find_files([tmp_path / "**/*.csv", tmp_path / "b/1.csv", tmp_path / "a[1].csv"])
    assert found == sorted(tmp_path / name for name in names)
    for nothing in ("*.parquet", "b", "none.csv"):
        with pytest.raises(FileNotFoundError, match="there is no file"):
            find_files([tmp_path / nothing])
