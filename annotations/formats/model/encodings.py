"""Decode the text of files: UTF-8, or an encoding of older programs."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from annotations.formats.model.findings import FormatError

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
    "utf-16-le": "UTF-16 LE without a byte order mark",
    "utf-16-be": "UTF-16 BE without a byte order mark",
}
# These decode nearly every sequence of bytes, also UTF-8. If several fit equally, the first is taken.
SINGLE_BYTE = tuple(name for name in ENCODINGS if name.startswith(("cp125", "iso-8859", "koi8", "mac")))
OTHER_BYTES = tuple(name for name in ENCODINGS if name not in SINGLE_BYTE and not name.startswith("utf-16"))
UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
MAX_SAMPLE_BYTES = 20_000
# The largest numbers of bytes and words that a message shows in an encoding.
MAX_SHOWN_BYTES, MAX_SHOWN_WORDS = 60, 5
# The smallest share of letters from one language at which a single-byte encoding is accepted.
MIN_FIT = 0.9
# Letters of a language other than a to z, roughly by frequency.
LETTERS = {
    "French": "éàèêâçùûîôëïüœ",
    "Spanish": "óíáéñúü¿¡ºª",
    "Portuguese": "ãçéáóíêõúâôàü",
    "Italian": "èàòùéìîóúí",
    "German": "üäößé",
    "Swedish": "äåöéüà",
    "Danish": "øåæéäöü",
    "Icelandic": "áðíóéúæöýþ",
    "Catalan": "éàóèíòúçïü·",
    "Dutch": "ëéïèüöóáê",
    "Polish": "łąężśćóńźé",
    "Czech": "íáěéřčžšýůúňóťď",
    "Slovak": "áíčéýšžúľťôňäóďŕĺ",
    "Hungarian": "áéöíőóüúű",
    "Croatian": "čšžćđ",
    "Romanian": "ăîâșțşţ",
    "Turkish": "ıüşğçöâîû",
    "Russian": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
    "Ukrainian": "оанивтеріслкумдпязьбгйчхжюцїєшфщґ",
    "Greek": "αοιετσνηυρπκμλωδγχθφβξζψςάέήίόύώϊϋΐΰ",
    "Hebrew": "יוהלארתבמשנכדעחקפםגטצןסזךףץ",
    "Arabic": "المنيوترهبدعكسفةقحجأشطخصىضذإءثزظغئؤآ؟،",
}
N_FREQUENT = 12
# Words do not mix Latin letters with letters of another alphabet.
LAST_LATIN = "\u024f"
BESIDE_LATIN = re.compile(r"(?<=[A-Za-z])[^\x00-\x7f]+|[^\x00-\x7f]+(?=[A-Za-z])")
# Punctuation of all languages, which says nothing about the encoding.
PUNCTUATION = frozenset("“”„‘’‚‹›«»–—…€§°•\u00a0\ufeff")


class _Fit(NamedTuple):
    """The shares of non-ASCII characters that are letters of one language (all) and frequent letters of it."""

    all: float
    frequent: float


def find_encoding(name: str) -> str:
    """Return the key of an encoding named in any of Python's spellings, such as latin-1; else the name itself."""
    try:
        codec = codecs.lookup(name.strip()).name
    except (LookupError, ValueError):
        return name
    return next((key for key in ENCODINGS if codecs.lookup(key).name == codec), name)


def suggest_encoding(data: bytes, place: int) -> str:
    """Return advice on the most probable encoding; empty if none. place: the first byte that is not UTF-8."""
    encoding, second = guess_encoding(data, place)
    if not encoding:
        return ""
    if second:
        signs = zip(data[place:].decode(encoding), data[place:].decode(second), strict=True)
        place += next((number for number, (sign, other) in enumerate(signs) if sign != other), 0)
    words = f"“{_words_at(data, place, encoding)}”"
    if second:
        words += f", which {second} makes “{_words_at(data, place, second)}”"
    return f"; it looks like {encoding} ({words}): save it as UTF-8, or say encoding={encoding}"


def guess_encoding(data: bytes, place: int) -> tuple[str, str]:
    """Return the most probable encoding, and the next one that yields another text; each empty if there is none."""
    if utf_16 := guess_utf_16(data):
        return utf_16, ""
    sample = data[max(0, place - MAX_SAMPLE_BYTES // 2) : place + MAX_SAMPLE_BYTES // 2]
    decoded = {name: sample.decode(name) for name in SINGLE_BYTE if _decodes(data, name)}
    fits = {name: _fit(text) for name, text in decoded.items()}
    ranked = sorted(fits, key=fits.__getitem__, reverse=True)
    best = ranked[0] if ranked else ""
    if not best or fits[best].all < MIN_FIT:
        from charset_normalizer import from_bytes  # imported only for files that are not UTF-8

        names = (find_encoding(match.encoding) for match in from_bytes(sample, cp_isolation=[*OTHER_BYTES]))
        best = next((name for name in names if _decodes(data, name)), best)
    if best not in decoded:
        return best, ""
    return best, next((name for name in ranked if decoded[name] != decoded[best]), "")


def guess_utf_16(data: bytes) -> str:
    """Return the kind of UTF-16 of the data, told by byte order mark or zero bytes; empty if it is not UTF-16."""
    if data.startswith(UTF_16_MARKS):
        return "utf-16"
    sample = data[:MAX_SAMPLE_BYTES]
    for name, zeros in (("utf-16-le", sample[1::2].count(0)), ("utf-16-be", sample[::2].count(0))):
        if zeros > len(sample) // 4 and _decodes(data, name):
            return name
    return ""


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _fit(text: str) -> _Fit:
    signs = [sign for sign in text if not sign.isascii() and sign not in PUNCTUATION]
    if not signs:
        return _Fit(1, 1)
    lone = [sign for sign in BESIDE_LATIN.sub("", text) if not sign.isascii()]
    fits = []
    for letters in LETTERS.values():
        fitting = signs if letters[0] < LAST_LATIN else lone
        n_letters = sum(sign.lower() in letters for sign in fitting)
        fits.append(_Fit(n_letters / len(signs), sum(sign in letters[:N_FREQUENT] for sign in fitting) / len(signs)))
    return max(fits)


def _words_at(data: bytes, place: int, encoding: str) -> str:
    start = max(data.rfind(space, 0, place) for space in (b" ", b"\n", b"\t")) + 1
    start = 0 if encoding.startswith("utf-16") else max(start, place - MAX_SHOWN_BYTES // 2)
    shown = data[start : place + MAX_SHOWN_BYTES].decode(encoding, "ignore")
    return " ".join(shown.split("\n")[0].split()[:MAX_SHOWN_WORDS])


def is_utf_8_all_the_same(data: bytes, encoding: str) -> bool:
    """Return whether data declared to be in a single-byte encoding is UTF-8."""
    return encoding in SINGLE_BYTE and not data.isascii() and _decodes(data, "utf-8")


def decode(data: bytes, file: str) -> str:
    """Return the text of a UTF-8 file, line ends normalised. Raises FormatError at a NUL or bytes not in UTF-8."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # error.object lacks the byte order mark, and error.start does not count it.
        before = _normalize_line_ends(error.object[: error.start].decode())
        byte = error.object[error.start]
        message = f"this is not UTF-8: byte 0x{byte:02X} cannot stand here{suggest_encoding(error.object, error.start)}"
        raise FormatError(message, file, *_position_after(before)) from None
    text = _normalize_line_ends(text)
    before, nul, _ = text.partition("\0")
    if nul:
        way = suggest_encoding(data, 0) if guess_utf_16(data) else ""
        raise FormatError(f"a NUL character is not allowed in a text{way}", file, *_position_after(before))
    return text


def decode_lines(lines: Iterable[bytes], file: str) -> Iterator[str]:
    """Yield the lines of a file, decoded as by `decode`, without line ends; only one is in memory at a time."""
    number = 1
    for place, data in enumerate(lines):
        if place and data.startswith(codecs.BOM_UTF8):
            data = codecs.BOM_UTF8 + data  # a byte order mark after the first line is text
        try:
            text = decode(data, file)
        except FormatError as error:
            raise FormatError(error.message, file, number - 1 + (error.line or 1), error.column) from None
        for line in text.removesuffix("\n").split("\n"):
            yield line
            number += 1


def recode(data: bytes, file: str, encoding: str) -> bytes:
    """Return the bytes of a file converted from the encoding to UTF-8. Raise FormatError if they do not decode."""
    try:
        return data.decode(encoding).encode()
    except (UnicodeError, ValueError) as error:
        raise FormatError(f"this is not in the encoding {encoding}: {error}", file) from None


def _normalize_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _position_after(text: str) -> tuple[int, int]:
    return text.count("\n") + 1, len(text) - text.rfind("\n")
