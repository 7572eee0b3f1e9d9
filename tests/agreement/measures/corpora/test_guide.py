"""The programs of docs/corpora.md run as they are printed."""

import re

from agreement.measures import combine
from tests.agreement.measures.corpora.corpora import frame_of, sums_of, write_parquet
from tests.conftest import ROOT

PROGRAMS = re.findall(r"(?:^    .*\n|^\n(?=    ))+", (ROOT / "docs" / "corpora.md").read_text(), re.MULTILINE)


def test_programs_of_guide_prepare_and_sum_files(tmp_path, monkeypatch):
    by_duckdb, by_pandas, over_files = (
        re.sub(r"^    ", "", program, flags=re.MULTILINE) for program in PROGRAMS if "import" in program
    )
    frame = frame_of(
        [(f"text {t}", u, c, (u + c * t) % 3, None) for t in range(20) for u in range(4) for c in range(2)]
    )
    monkeypatch.chdir(tmp_path)
    for folder in ("raw", "corpus"):
        (tmp_path / folder).mkdir()
    write_parquet(tmp_path / "raw" / "all.parquet", frame)
    exec(by_duckdb.replace("100", "5"))
    exec(by_pandas.replace("100", "5"), {"frame": frame})
    over_files = over_files.replace("ProcessPoolExecutor", "ThreadPoolExecutor")
    for end in ("parquet", "csv"):
        names = {}
        exec(over_files.replace("parquet", end), names)
        expected = sums_of(frame, names["options"])
        assert len(names["find_files"]([f"corpus/*.{end}"])) > 3
        assert combine(names["sums"]["masi"]) == combine(expected["masi"])
