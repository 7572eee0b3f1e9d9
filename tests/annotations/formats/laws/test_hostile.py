"""Hostile files are read or refused in linear time in every format."""

from collections.abc import Callable

import pytest

from annotations.formats import FORMATS, Bundle, Document, Format, FormatError
from annotations.formats.syntax.xml import parse
from tests.shared.growth import FACTOR, assert_grows_with_input

every = pytest.mark.parametrize("format_", FORMATS.values(), ids=lambda format_: format_.key)

# What no format takes for a text, whatever stands around it.
NO_TEXT = {
    "a NUL": b"a\0b",
    "half a surrogate pair": b"a \xed\xa0\x80 b",
    "UTF-16": "#begin document (Anna); part 000".encode("utf-16"),
    "UTF-16 without a mark": '{"Anna": []}'.encode("utf-16-be"),
    "UTF-32": "Anna".encode("utf-32"),
    "Latin-1": "Bahnhofstraße".encode("latin-1"),
    "nothing": b"",
    "a byte order mark alone": b"\xef\xbb\xbf",
    "line ends alone": b"\r\n" * 100_000,
}
MANY: dict[str, Callable[[int], bytes]] = {
    "round brackets": lambda n: b"(" * n,
    "square brackets": lambda n: b"[" * n,
    "braces": lambda n: b'{"a":' * (n // 3),
    "tags": lambda n: b"<a>" * (n // 2),
    "closed tags": lambda n: b"<a>" * (n // 5) + b"</a>" * (n // 5),
    "tabs": lambda n: b"\t" * n,
    "backslashes": lambda n: b"\\" * n,
    "one word": lambda n: b"a" * (3 * n),
    "one number": lambda n: b"1" * n,
    "mixed line ends": lambda n: b"a\r\nb\rc\n" * (n // 10),
    "numbers of tokens": lambda n: b"1-1\t0-1\ta\n" * (n // 20),
}


def read(format_: Format, data: bytes) -> list[Document]:
    name = f"ann/walk{format_.suffixes[0]}"
    # A text with its annotations, of which either is hostile.
    beside = {"ann/walk.txt": data if data in NO_TEXT.values() else b"Anna"} if format_.key == "brat" else {}
    return format_.read(Bundle(name, {name: data, **beside}))


def refused(format_: Format, data: bytes) -> str | None:
    """Return why the file is refused; return None if it can be read."""
    try:
        read(format_, data)
    except FormatError as error:
        return str(error)
    return None


@every
@pytest.mark.parametrize("data", NO_TEXT.values(), ids=NO_TEXT)
def test_binary_data_is_refused_with_file_name(format_, data):
    with pytest.raises(FormatError) as caught:
        read(format_, data)
    assert caught.value.file.startswith("ann/walk.")
    assert caught.value.message


@every
@pytest.mark.parametrize("data", MANY.values(), ids=MANY)
def test_reading_repeated_input_takes_linear_time(format_, data):
    most = 1_000_000
    inputs = {n: data(n) for n in (most, most // FACTOR)}

    def read_or_refuse(n: int) -> None:
        said = refused(format_, inputs[n])
        assert said is None or (said.startswith(f"ann/walk{format_.suffixes[0]}") and len(said) < 1000)

    assert_grows_with_input(read_or_refuse, most)


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE a [<!ENTITY x "xx"><!ENTITY y "&x;&x;">]><a>&y;</a>',
        '<!DOCTYPE a [<!ENTITY x "xx">]><a b="&x;"/>',
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a/>',
        '<!DOCTYPE a [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]><a/>',
        """<!DOCTYPE a [<!ENTITY % x "<!ENTITY y 'zz'>"> %x;]><a>&y;</a>""",
        '<!DOCTYPE a SYSTEM "a.dtd"><a>&x;</a>',
        '<!DOCTYPE a SYSTEM "a.dtd"><a b="&x;"/>',
    ],
)
def test_xml_entities_are_refused(text):
    with pytest.raises(FormatError, match=r"^f\.xml:1.*entit"):
        parse(text.encode(), "f.xml")


def test_xml_parser_ignores_dtd_and_other_files():
    plain = parse(b'<!DOCTYPE a [<!ATTLIST a b CDATA "given">]><a/>', "f.xml")
    assert dict(plain.attrib) == {}
    outside = '<a xmlns:x="http://www.w3.org/2001/XInclude"><x:include href="file:///etc/passwd" parse="text"/></a>'
    assert "".join(parse(outside.encode(), "f.xml").itertext()) == ""


@pytest.mark.parametrize(
    "data",
    [
        lambda n: b"<a>" * n,
        lambda n: b"<a>" * n + b"</a>" * n,
        lambda n: b'<a b="' + b"x" * (20 * n) + b'"/>',
        lambda n: b"<a>" + b"x" * (20 * n) + b"</a>",
        lambda _: b"<a>\0</a>",
        lambda _: b"<a>&#xD800;</a>",
        lambda _: b'<?xml version="1.0" encoding="nothing"?><a/>',
    ],
    ids=["open", "deep", "attribute", "text", "NUL", "surrogate", "encoding"],
)
def test_invalid_xml_is_refused_in_linear_time(data):
    most = 4_000_000
    inputs = {n: data(n) for n in (most, most // FACTOR)}

    def refuse(n: int) -> None:
        with pytest.raises(FormatError) as caught:
            parse(inputs[n], "f.xml")
        assert caught.value.file == "f.xml"
        assert len(str(caught.value)) < 1000

    assert_grows_with_input(refuse, most)
