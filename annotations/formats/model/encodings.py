"""Encodings other than UTF-8, in which files come from older programs."""

ENCODINGS = {
    "utf-16": "UTF-16",
    "cp1252": "Windows-1252 (Western Europe)",
    "iso-8859-1": "ISO-8859-1 (Latin 1)",
    "iso-8859-15": "ISO-8859-15 (Latin 9)",
    "cp1250": "Windows-1250 (Central Europe)",
    "iso-8859-2": "ISO-8859-2 (Latin 2)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "koi8-r": "KOI8-R (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "cp1254": "Windows-1254 (Turkish)",
    "cp1255": "Windows-1255 (Hebrew)",
    "cp1256": "Windows-1256 (Arabic)",
    "shift_jis": "Shift JIS (Japanese)",
    "euc_jp": "EUC-JP (Japanese)",
    "gb18030": "GB 18030 (Chinese)",
    "big5": "Big5 (Chinese)",
    "euc_kr": "EUC-KR (Korean)",
    "mac_roman": "Mac Roman",
}
# In these nearly every row of bytes is some text, also one of UTF-8.
SINGLE_BYTE = frozenset(name for name in ENCODINGS if name.startswith(("cp125", "iso-8859", "koi8", "mac")))
COMMONEST = "cp1252"
UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
MOST_LOOKED_AT = 20_000


def guess_encoding(data: bytes, place: int) -> str:
    """Return the encoding that the data most probably has, of those that are read; empty where none fits.

    place: where the first byte stands that is not UTF-8.
    """
    if data.startswith(UTF_16_MARKS):
        return "utf-16"
    from charset_normalizer import from_bytes  # loaded where a file is not in UTF-8

    sample = data[max(0, place - MOST_LOOKED_AT // 2) : place + MOST_LOOKED_AT // 2]
    best = from_bytes(sample, cp_isolation=[*ENCODINGS]).best()
    if best is None:
        return ""
    # Of those that say the same the one that most programs write.
    return COMMONEST if sample.decode(COMMONEST, "replace") == str(best) else best.encoding


def is_utf_8_all_the_same(data: bytes, encoding: str) -> bool:
    """Return whether the data is in UTF-8, although somebody says that it is in an encoding of single bytes."""
    if encoding not in SINGLE_BYTE or data.isascii():
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
