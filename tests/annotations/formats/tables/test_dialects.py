import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from annotations.formats import FORMATS, Bundle, FormatError
from annotations.formats.model.keys import markable_key

ANN, HER, DOG = "phrase:0-4", "phrase:9-12", "phrase:13-16"
NAMED = {("ann", "walk"): {ANN: "refers {Anna}", HER: "refers {Anna}"}, ("ben", "walk"): {ANN: "none"}}


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """A table with the expected answers by coder, text and unit, or with words of the expected error."""

    table: str | bytes
    answers: Mapping[tuple[str, str], Mapping[str, str]] = field(default_factory=lambda: NAMED)
    findings: tuple[str, ...] = ()
    refused: str = ""
    options: Mapping[str, str] = field(default_factory=dict)


def describe(answer) -> str:
    members = [*answer.indices, *(markable_key(place.level, place.parts) for place in answer.pointers)]
    return " ".join(filter(None, [answer.category, f"{{{'|'.join(members)}}}" if members else ""]))


HEADER = "text,unit,coder,label,value\n"
ROWS = f"walk,{ANN},ann,refers,Anna\nwalk,{HER},ann,refers,Anna\nwalk,{ANN},ben,none,\n"
LONG = HEADER + ROWS


def judged(label: str, value: str = "") -> str:
    return f"{HEADER}walk,{ANN},ann,{label},{value}\n"


JUDGEMENTS = {
    "semicolons of a German Excel": Dialect(table=LONG.replace(",", ";")),
    "Excel's line that names the separator": Dialect(table=f"sep=;\r\n{LONG.replace(',', ';')}"),
    "the same, quoted, with a byte order mark": Dialect(table=f'\ufeff"sep=,"\n{LONG}'),
    "Excel's empty columns behind": Dialect(table=LONG.replace(",", ";").replace("\n", ";;\r\n")),
    "a cell in a column without a name": Dialect(
        table=LONG.replace("\n", ",\n") + f"walk,{DOG},ann,none,,x\n",
        refused="data/t:5: a cell stands in a column with",
    ),
    "R: every word in quotes, missing values as NA": Dialect(
        table='"text","unit","coder","label"\n"walk","phrase:0-4","ann","new"\n"walk","phrase:9-12","ann","NA"\n',
        answers={("ann", "walk"): {ANN: "new", HER: "NA"}},
        findings=("1 values 'NA' of ann are read as labels (leave a cell empty where nothing was coded)",),
    ),
    "pandas: a column of row numbers": Dialect(
        table=f",{HEADER}0,walk,{ANN},ann,refers,Anna\n", refused="data/t:1: there is no use for a column ''; known are"
    ),
    "names of the measures' library": Dialect(
        table=LONG.replace("text,unit,coder,label,value", "document,unit,coder,category,chain")
    ),
    "Document, Unit in capitals, columns in another order": Dialect(
        table=f"Coder,Unit,Document,Label\nann,{ANN},walk,new\n", answers={("ann", "walk"): {ANN: "new"}}
    ),
    "crowd workers: items, times and confidence": Dialect(
        table="item_id,annotator_id,label,seconds\nw1,7,new,3\nw2,7,new,\n",
        refused="the columns 'item_id' (2 values), 'annotator_id' (2 values), 'seconds' (1 values); known are",
    ),
    "a workbook": Dialect(
        table=b"PK\x03\x04\x14\x00", refused="this is a workbook or a zip, not a table: save the sheet"
    ),
    "empty rows": Dialect(table=f"{LONG}\n,,,,\n"),
    "a text in which a coder marked nothing": Dialect(
        table=f"{LONG}run,,ben,,\n", answers=NAMED | {("ben", "run"): {}}
    ),
    "a key with a comma that is not in quotes": Dialect(
        table=f"{HEADER}walk,phrase:0-4,9-12,ann,none,\n", refused="data/t:2: this row has 6 cells, the header has 5"
    ),
    "several names parted by semicolons": Dialect(
        table=judged("refers", "Anna; Ben"),
        answers={("ann", "walk"): {ANN: "refers {Anna; Ben}"}},
        findings=("1 names of entities of ann have a comma or semicolon, such as 'Anna; Ben' (each is one entity; |",),
    ),
    "a title above the header": Dialect(table=f"Reliability\n{LONG}", refused="no use for a column 'Reliability'"),
    "sums below": Dialect(table=f"{LONG}Total,,,2,\n", refused="data/t:5: column 'coder' is empty"),
}


WIDE = f"text,unit,ann,ben\nwalk,{ANN},{{Anna}},none\nwalk,{HER},{{Anna}},\n"
SETS = {("ann", "walk"): {ANN: "{Anna}", HER: "{Anna}"}, ("ben", "walk"): {ANN: "none"}}


def cell(value: str) -> str:
    return f'text,unit,ann\nwalk,{ANN},"{value}"\n'


def read_as(label: str) -> dict[tuple[str, str], dict[str, str]]:
    return {("ann", "walk"): {ANN: label}}


MATRICES = {
    "semicolons of a German Excel": Dialect(table=WIDE.replace(",", ";"), answers=SETS),
    "Excel's line that names the separator": Dialect(table=f"sep=;\n{WIDE.replace(',', ';')}", answers=SETS),
    "Excel's empty columns behind": Dialect(table=WIDE.replace("\n", ",,\r\n"), answers=SETS),
    "document for text, capitals": Dialect(table=WIDE.replace("text,unit", "Document,Unit"), answers=SETS),
    "R: NA": Dialect(
        table=f"text,unit,ann\nwalk,{ANN},new\nwalk,{HER},NA\n",
        answers={("ann", "walk"): {ANN: "new", HER: "NA"}},
        findings=("1 values 'NA' of ann are read as labels",),
    ),
    "numbers for labels": Dialect(table=cell("1"), answers=read_as("1")),
    "items by coders, without texts": Dialect(
        table="item,ann,ben\n1,A,B\n", refused="one for each coder; this one begins with 'item, ann'"
    ),
    "Krippendorff: coders by items": Dialect(
        table="coder,u1,u2\nann,1,2\n", refused="one for each coder; this one begins with 'coder, u1'"
    ),
    "pandas: a column of row numbers": Dialect(
        table=f",text,unit,ann\n0,walk,{ANN},none\n", refused="this one begins with ', text'"
    ),
    "a judgement a row": Dialect(
        table=LONG, refused="this looks like a table of judgements: choose it (judgements-csv)"
    ),
    "sets as Python writes them": Dialect(
        table=cell("{'Anna', 'Ben'}"),
        answers=read_as("{'Anna', 'Ben'}"),
        findings=("1 names of entities of ann have a comma or semicolon",),
    ),
    "sets with commas": Dialect(
        table=cell("{Anna,Ben}"), answers=read_as("{Anna,Ben}"), findings=("such as 'Anna,Ben' (each is one entity; |",)
    ),
    "a text in which a coder marked nothing": Dialect(table=f"{WIDE}run,,,{{}}\n", answers=SETS | {("ben", "run"): {}}),
    "readings": Dialect(
        table=cell("{Anna||Ben}"), refused="has several readings of a chain, which are no answer of a coder"
    ),
}


ROW = {"text": "walk", "unit": ANN, "values": {"ann": ["Anna"], "ben": "none"}}
READ = {("ann", "walk"): {ANN: "{Anna}"}, ("ben", "walk"): {ANN: "none"}}


def listed(*rows: object) -> str:
    return json.dumps(rows)


def valued(value: object) -> str:
    return listed(ROW | {"values": {"ann": value}})


IN_JSON = {
    "a list of objects": Dialect(table=listed(ROW), answers=READ),
    "objects with line ends": Dialect(table=json.dumps([ROW], indent=2), answers=READ),
    "pandas: a row a record": Dialect(
        table=listed({"text": "walk", "unit": ANN, "ann": "none"}), refused="'ann' is not known; known are text, unit,"
    ),
    "pandas: columns by row numbers": Dialect(
        table=json.dumps({"text": {"0": "walk"}}), refused="a list of objects is expected: [{...}, ...]"
    ),
    "pandas: NaN": Dialect(table=valued(float("nan")), refused="NaN is not JSON"),
    "JSON lines": Dialect(table=f"{json.dumps(ROW)}\n{json.dumps(ROW)}\n", refused="a list of objects is expected"),
    "R: missing values as NA": Dialect(
        table=valued("NA"), answers=read_as("NA"), findings=("1 values 'NA' of ann are read as labels",)
    ),
    "numbers for labels": Dialect(table=valued(1), refused="'ann' is a list of strings"),
    "null, and coders who are not named": Dialect(
        table=listed(ROW, {"text": "walk", "unit": HER, "values": {"ann": None}}), answers=READ
    ),
    "a text in which a coder marked nothing": Dialect(
        table=listed(ROW, {"text": "run", "unit": "", "values": {"ben": []}}), answers=READ | {("ben", "run"): {}}
    ),
    "values in the order of the coders": Dialect(
        table=listed(ROW | {"values": ["none", "none"]}), refused="'values' is an object with a value for each coder"
    ),
    "several names in one": Dialect(
        table=valued(["Anna, Ben"]), answers=read_as("{Anna, Ben}"), findings=("have a comma or semicolon",)
    ),
}


TABLES = {"judgements-csv": JUDGEMENTS, "matrix-csv": MATRICES, "matrix-json": IN_JSON}
CASES = [pytest.param(key, each, id=f"{key}, {name}") for key, of in TABLES.items() for name, each in of.items()]


@pytest.mark.parametrize(("key", "dialect"), CASES)
def test_dialect_is_read_or_refused(key, dialect):
    data = dialect.table if isinstance(dialect.table, bytes) else dialect.table.encode()
    bundle = Bundle.of("data/t", data)
    if dialect.refused:
        with pytest.raises(FormatError) as caught:
            FORMATS[key].read(bundle, **dialect.options)
        assert dialect.refused in str(caught.value)
        return
    documents = FORMATS[key].read(bundle, **dialect.options)
    assert dialect.answers == {
        (document.coder, document.name): {
            markable_key(mark.level, mark.parts): describe(mark.answer) for mark in document.marks if mark.answer
        }
        for document in documents
    }
    told = [str(finding) for document in documents for finding in document.findings]
    assert len(told) == len(dialect.findings), told
    assert all(any(words in finding for finding in told) for words in dialect.findings), told
