"""Formats are detected by file names and first bytes."""

import pytest

from annotations.formats import FORMATS, plain
from annotations.formats.detection import Kind, detect_format, recognise
from annotations.formats.losses.reduction import reduce_document
from tests.annotations.formats.laws.test_laws import WRITTEN, written

WALK = "[Anna](a=1) took [[her](b=1) dog](c=2) for a walk. [It](d=2) was fun."


@pytest.mark.parametrize("format_", WRITTEN, ids=lambda format_: format_.key)
def test_written_files_are_detected(format_):
    document, _ = reduce_document(plain.parse(WALK, "walk.txt"), format_.supported_features)
    assert detect_format(written(format_, document).items()) == format_.key


@pytest.mark.parametrize(
    ("files", "key"),
    [
        ({"a.txt": "Anna took her dog."}, "text"),
        ({"a.txt": "As it says [3] (see below) and [sic]."}, "text"),
        ({"a.txt": "[Anna](a) took [her] dog."}, "plain"),
        ({"a.TXT": "#title: A walk\nAnna took [her] dog."}, "plain"),
        ({"a.ann": "", "a.txt": "Anna"}, "brat"),
        ({"a.csv": "document,unit,coder,chain\n"}, "judgements-csv"),
        ({"a.tsv": "text\tunit\tann\tbob\n"}, "matrix-csv"),
        ({"a.csv": "sep=;\r\nText;Unit;Coder;Label\r\n"}, "judgements-csv"),
        ({"a.csv": "name;age\n"}, ""),
        ({"a.json": '{"a": 1}'}, ""),
        ({"a.conll": "# newdoc id = a\n1\tAnna\n"}, "conllu"),
        ({"a.pdf": "%PDF", "b.doc": ""}, ""),
        ({"x/exportedproject.json": "{}", "x/source/a.txt": "Anna"}, ""),
        ({"x/exportedproject.json": "{}", "x/annotation/a/ann.tsv": "#FORMAT=WebAnno TSV 3.3\n"}, "webanno"),
        ({}, ""),
    ],
)
def test_detection_distinguishes_formats(files, key):
    assert detect_format((name, content.encode()) for name, content in files.items()) == key


def test_detection_accepts_binary_files():
    for suffix in {suffix for format_ in FORMATS.values() for suffix in format_.suffixes}:
        assert detect_format([(f"a{suffix}", b"\xff\x00\xfe" * 2000)]) in {"", *FORMATS}


def test_cas_with_tei_source_is_not_tei():
    source = 'Attributes=" xmlns=&quot;http://www.tei-c.org/ns/1.0&quot;"'
    assert recognise("walk.xmi", f'<xmi:XMI><type:XMLElement Tag="TEI" {source}/>'.encode()) == Kind("xmi")
    assert recognise("walk.xml", b'<TEI xmlns="http://www.tei-c.org/ns/1.0"/>').name == "TEI"
