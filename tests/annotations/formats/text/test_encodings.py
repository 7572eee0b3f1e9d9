import pytest

from annotations.formats import FormatError
from annotations.formats.model.encodings import ENCODINGS, decode, find_encoding, guess_encoding

SENTENCES = [
    ("cp1252", "Zoë a déjà ouvert la fenêtre à côté, où les élèves français rêvaient. "),
    ("cp1252", "El niño cantó mañana, señor, y la canción sonó después. "),
    ("cp1252", "Åsa gick över ängen där en räv låg och såg på måsen. "),
    ("cp1252", "Jürgen hört gern Größen der Straßenmusik und fährt über Bäche. "),
    ("cp1252", "“It’s only a walk” – so Anna said. "),
    ("cp1250", "Zażółć gęślą jaźń, bo Łucja śpi już źle pod dębem. "),
    ("cp1250", "Příliš žluťoučký kůň běžel k řece, kde žába něco říkala. "),
    ("cp1250", "Az őrült kutyája fűben ült és egy nőt látott a tóparton. "),
    ("cp1251", "Анна видела собаку у реки, и она долго лаяла на кошку. "),
    ("koi8-r", "Анна видела собаку у реки, и она долго лаяла на кошку. "),
    ("cp1253", "Η Άννα είδε τον σκύλο στο ποτάμι και εκείνος γάβγιζε. "),
    ("cp1255", "אנה ראתה את הכלב ליד הנהר והוא נבח על החתול. "),
    ("cp1256", "رأت آنا الكلب قرب النهر وكان ينبح على القط طويلا. "),
    ("gb18030", "安娜在河边看见一只狗，它对着猫叫了很久。后来他们一起回家去了。"),
    ("big5", "安娜在河邊看見一隻狗，牠對著貓叫了很久。後來他們一起回家去了。"),
    ("euc_kr", "안나는 강가에서 개를 보았고 그 개는 고양이를 보고 짖었다. "),
    ("shift_jis", "アンナは川のそばで犬を見た。その犬は猫に長い間ほえていた。"),
    ("euc_jp", "アンナは川のそばで犬を見た。その犬は猫に長い間ほえていた。"),
    ("utf-16", "Anna took her dog. "),
    ("utf-16-le", "Anna took her dog. "),
    ("utf-16-be", "Zoë took her dog. "),
]


def refusal(data: bytes) -> str:
    """Return the error message for a file that is not UTF-8."""
    with pytest.raises(FormatError) as refused:
        decode(data, "walk.txt")
    return refused.value.message


@pytest.mark.parametrize("length", [20, 3000])
@pytest.mark.parametrize(("encoding", "sentence"), SENTENCES)
def test_refusal_guesses_encoding(encoding, sentence, length):
    text = (sentence * length)[:length]
    assert refusal(text.encode(encoding)).endswith(f"save it as UTF-8, or say encoding={encoding}")


def test_refusal_shows_words_in_both_encodings():
    message = refusal("Anna est à la fenêtre.".encode("cp1252"))
    assert "it looks like cp1252 (“à la fenêtre.”, which cp1250 makes “ŕ la fenętre.”)" in message


def test_mixed_languages_are_guessed_as_western():
    assert guess_encoding("Zoë déjà là; señor".encode("cp1252"), 2)[0] == "cp1252"


def test_encoding_must_decode_whole_file():
    data = "Zoë déjà là. ".encode("cp1252") * 2000 + b"\x81"
    assert "cp1252" not in refusal(data).partition("say ")[2]


@pytest.mark.parametrize(
    ("spelling", "key"),
    [
        ("latin-1", "iso-8859-1"),
        ("Latin1", "iso-8859-1"),
        ("utf-16-le", "utf-16-le"),
        ("UTF16", "utf-16"),
        ("koi8_r", "koi8-r"),
        ("windows-1252", "cp1252"),
        ("gb18030", "gb18030"),
        ("ghost", "ghost"),
        ("base64", "base64"),
        ("\0", "\0"),
        *((key, key) for key in ENCODINGS),
    ],
)
def test_python_spellings_of_encodings_are_accepted(spelling, key):
    assert find_encoding(spelling) == key
