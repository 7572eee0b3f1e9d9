from typing import Any

from annotations.formats import Links
from tests.annotations.formats.dialects import Dialect, check_dialect, each_of

TEXT = "Anna saw her dog. She waved."
EMOJI = "😀😀 Anna saw her dog. She waved."
ANNA, DOG, HER, SHE = "Mention 0 4\tAnna", "Mention 9 16\ther dog", "Mention 9 12\ther", "Mention 18 21\tShe"
MENTIONS = [f"T{number}\t{line}" for number, line in enumerate((ANNA, DOG, HER, SHE), 1)]
CHAINS = [["Anna", "her", "She"], ["her dog"]]
POINTERS = {"her": ["Anna"], "She": ["her"]}
WORDS = ["Anna", "her dog", "her", "She"]


def brat(*lines: str, text: str | bytes = TEXT, content: str = "", **expected: Any) -> Dialect:
    """Return a pair of files. content: the text as read, if different."""
    files = {"walk.ann": "".join(f"{line}\n" for line in lines), "walk.txt": text}
    return Dialect(files=files, text=content or (text if isinstance(text, str) else text.decode()), **expected)


def typed(*types: str) -> list[str]:
    return [line.replace("Mention", kind) for line, kind in zip(MENTIONS, types, strict=True)]


DIALECTS = {
    "fr-litbank: types of entities, R lines to the first mention": brat(
        *typed("PER", "HIST", "PER", "PER"),
        "R1\tCoreference Arg1:T3 Arg2:T1\t",
        "R1431\tCoreference Arg1:T4 Arg2:T1\t",
        options={"types": "none"},
        pointers={"her": ["Anna"], "She": ["Anna"]},
        markables=WORDS,
    ),
    "LitBank: chains are types of further T lines": brat(
        *typed("PROP_PER", "NOM_ANI", "PRON_PER", "PRON_PER"),
        "T11\tAnna_B-38 0 4\tAnna",
        "T12\tAnna_B-38 9 12\ther",
        "T13\tAnna_B-38 18 21\tShe",
        "T14\ther_dog-700 9 16\ther dog",
        "R1\tcop Arg1:T2 Arg2:T1",
        "R2\tappos Arg1:T2 Arg2:T1",
        "R3\tcop Arg1:T4 Arg2:T1",
        options={"types": "chains"},
        chains={"Anna_B-38": ["Anna", "her", "She"], "her_dog-700": ["her dog"]},
        findings=("2 relations cop (left out)", "1 relations appos (left out)"),
    ),
    "BioNLP 2011: least words behind the words, named roles, several antecedents": brat(
        "T1\tExp 0 4\tAnna",
        "T2\tExp 9 16\ther dog\t13 16\tdog",
        "T3\tExp 9 12\ther",
        "T4\tExp 18 21\tShe",
        "R1\tCoref Anaphora:T3 Antecedent:T1",
        "R2\tCoref Antecedent:T1 Anaphora:T4 Antecedent2:T2\t[T9, T8]",
        options={"types": "none"},
        pointers={"her": ["Anna"], "She": ["Anna", "her dog"]},
    ),
    "BioNLP 2009: Equiv lines, triggers, events, modifications": brat(
        *typed("Protein", "Protein", "Protein", "Protein"),
        "*\tEquiv T1 T3",
        "*\tEquiv T3 T4",
        "T9\tBinding 5 8\tsaw",
        "E1\tBinding:T9 Theme:T1 Theme2:T2",
        "M1\tNegation E1",
        options={"types": "none", "shared": "merge"},
        chains=[["Anna", "her", "She"], ["saw"], ["her dog"]],
        findings=("1 events (left out)", "1 modifications (left out)"),
    ),
    "Chinese literary texts: R lines of social relations beside chains": brat(
        *typed("Person-Name", "Thing-Nominal", "Person-Pronoun", "Person-Pronoun"),
        "R1\tSocial Arg1:T1 Arg2:T2\t",
        "*\tCoreference T1 T3 T4",
        "R2\tSocial Arg1:T2 Arg2:T3\t",
        options={"types": "attribute"},
        chains=CHAINS,
        findings=("2 relations Social (left out)",),
        attributes={"Anna": {"type": "Person-Name"}, "her dog": {"type": "Thing-Nominal"}}
        | {words: {"type": "Person-Pronoun"} for words in ("her", "She")},
    ),
    "R lines of roles beside coreference": brat(
        *MENTIONS,
        "T9\tMention 5 8\tsaw",
        "R30\tAgent Arg1:T9 Arg2:T1",
        "R31\tPatient Arg1:T9 Arg2:T2",
        "R56\tCoreference Arg1:T3 Arg2:T1",
        "R61\tCoreference Arg1:T4 Arg2:T3",
        pointers=POINTERS,
        relations={"Agent": {"saw": ["Anna"]}, "Patient": {"saw": ["her dog"]}},
    ),
    "R lines of other relations alone": brat(
        *MENTIONS,
        "R1\tlives_with Arg1:T2 Arg2:T1",
        "R2\towns Arg1:T1 Arg2:T2",
        "R3\towns Arg1:T3 Arg2:T2",
        pointers={"her dog": ["Anna"], "Anna": ["her dog"], "her": ["her dog"]},
        findings=("2 relations owns are read", "1 relations lives_with are read"),
    ),
    "the same, that are relations": brat(
        *MENTIONS, "R2\towns Arg1:T1 Arg2:T2", options={"relations": "names"}, relations={"owns": {"Anna": ["her dog"]}}
    ),
    "concepts with colons, gaps, normalisations and notes (CRAFT)": brat(
        "T1\tCHEBI:36080 0 4\tAnna",
        "T2\tGO:0005488 9 12;13 16\ther dog",
        "T3\tCHEBI:36080 18 21;22 27\tShe waved",
        "*\tIDENT T1 T3",
        "N1\tReference T1 PR:000012\tAnna",
        "N2\tReference T3 PR:000012\tAnna",
        "#1\tAnnotatorNotes T1\tsee p. 3",
        options={"types": "none"},
        chains=[["Anna", "She waved"], ["her dog"]],
        findings=("2 normalisations (left out)",),
    ),
    "* lines of several names": brat(
        *MENTIONS,
        "*\tCoreference T1 T3 T4",
        "*\tBridging T2 T1",
        chains=CHAINS,
        findings=("1 equivalences Bridging (left out)",),
    ),
    "a text with emojis, as browsers count": brat(
        "T1\tMention 5 9\tAnna",
        "T2\tMention 23 26\tShe",
        "*\tC T1 T2",
        text=EMOJI,
        chains=[["Anna", "She"]],
        findings=("the offsets count UTF-16 units",),
    ),
    "line ends of Windows, saved anew": brat(
        "T1\tMention 0 4\tAnna",
        "T2\tMention 18 21\tShe",
        "R1\tCoref Arg1:T2 Arg2:T1",
        text="Anna saw her dog.\r\nShe waved.\r\n",
        content="Anna saw her dog.\nShe waved.\n",
        pointers={"She": ["Anna"]},
        findings=("the offsets do not count the CR of its line ends",),
    ),
    "a text that begins with a byte order mark, which counts": brat(
        "T1\tMention 1 5\tAnna",
        "T2\tMention 19 22\tShe",
        "*\tC T1 T2",
        text="\ufeff" + TEXT,
        content=TEXT,
        chains=[["Anna", "She"]],
    ),
    "attributes of several kinds": brat(
        *MENTIONS,
        "A1\tGender T1 f",
        "A2\tNamed T1",
        "A3\tNegation E1",
        "A4\tCertain R1 low",
        "A5\tCertain R2 low",
        "R1\tCoref Arg1:T3 Arg2:T1",
        "R2\tCoref Arg1:T4 Arg2:T3",
        pointers=POINTERS,
        attributes={"Anna": {"Gender": "f", "Named": "true"}},
        findings=("2 attributes Certain (left out)", "1 attributes Negation (left out)"),
    ),
    "no lines at all": brat(markables=[], links=Links.NONE),
    "spans without their words": brat(
        *(line.rpartition("\t")[0] for line in MENTIONS),
        "*\tCoref T1 T3 T4",
        chains=CHAINS,
        findings=("4 spans without the words that they mark",),
    ),
    "ends that are included": brat(
        "T1\tMention 0 3\tAnna", refused="T1 quotes 'Anna', but from 0 on the text has 'Ann'; slips=leave-out"
    ),
    "slips, left out": brat(
        *MENTIONS,
        "T4\tMention 0 4\tAnna",
        "T5\tMention 6 9\tsaw",
        "T6\tMention 5 90\tsaw",
        "*\tCoref T1 T3 T4 T5",
        "x",
        chains=CHAINS,
        options={"slips": "leave-out"},
        findings=(
            "T4 is given twice",
            "T5 quotes 'saw'",
            "the text ends before 90",
            "'T5' is no span",
            "a line begins",
        ),
    ),
    "nothing but slips": brat(
        "T1\tMention 0 3\tAnna", options={"slips": "leave-out"}, refused="T1 quotes 'Anna', but from 0"
    ),
}


@each_of(DIALECTS)
def test_dialect_is_read_or_refused(dialect):
    check_dialect("brat", dialect)
