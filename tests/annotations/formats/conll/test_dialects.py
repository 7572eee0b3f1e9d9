from dataclasses import replace
from typing import Any

from annotations.formats import Links
from tests.annotations.formats.dialects import Dialect, check_dialect, each_of

WORDS = ["Anna", "saw", "her", "dog"]
TAGS = ["PROPN", "VERB", "PRON", "NOUN"]
FINE = ["NNP", "VBD", "PRP$", "NN"]
LEMMAS = ["Anna", "see", "she", "dog"]
CHAINS = ["(1)", "-", "(2|(1)", "2)"]
ALL = {"1": ["Anna", "her"], "2": ["her dog"]}


def read_as(
    content: str, text: str = "Anna saw her dog", chains: dict[str, list[str]] = ALL, **expected: Any
) -> Dialect:
    return Dialect(files={"walk.conll": content}, text=text, chains=chains, **expected)


def conll(line, begin="#begin document (walk); part 000", end="#end document\n", separator="\t", **chosen) -> str:
    """Return a document of the four words. line: the cells of a word by its number."""
    rows = [separator.join(str(cell) for cell in line(number)) for number in range(4)]
    return "\n".join([begin, *rows, "", end])


def shared_task(n: int, *, word: str = "", chain: str | None = None) -> list[object]:
    chains = CHAINS[n] if chain is None else chain
    return ["walk", 0, n, word or WORDS[n], FINE[n], "*", "-", "-", "-", "-", "*", chains]


def parsed(n: int, *behind: object, word: str | None = None) -> list[object]:
    """Return the columns of CoNLL-U or CoNLL-X as written by parsers."""
    form = WORDS[n] if word is None else word
    return [n + 1, form, LEMMAS[n], TAGS[n], FINE[n], "_", [2, 0, 4, 2][n], "dep", "_", "_", *behind]


TASK: dict[str, Dialect] = {
    "the shared task, with columns of verbs": read_as(
        conll(lambda n: [*shared_task(n)[:-1], *[["(A0*)", "(V*)", "(A1*", "*)"][n]], CHAINS[n]], separator="  ")
    ),
    "LitBank: nothing in the last field": read_as(
        conll(lambda n: ["walk_brat", 0, n, WORDS[n], *"_" * 8, CHAINS[n].replace("-", "")])
    ),
    "GUM: number, word, chains": read_as(
        conll(lambda n: [n, WORDS[n], CHAINS[n].replace("-", "_").replace("1", "person-1").replace("|", "")]).replace(
            "#begin document (walk); part 000", "# begin document GUM_walk"
        ),
        chains={"person-1": ["Anna", "her"], "2": ["her dog"]},
    ),
    "GerDraCor: 11 columns": read_as(
        conll(lambda n: ["walk", 0, n, WORDS[n], FINE[n], "-", "-", LEMMAS[n], "-", "ANNA", CHAINS[n]]), findings=()
    ),
    "made by stanza or spaCy: CoNLL-U's columns and one more": read_as(
        conll(lambda n: parsed(n, "-", CHAINS[n])), findings=("the words are those of column 2 of 12",)
    ),
    "CoNLL-X's columns and one more": read_as(
        conll(lambda n: parsed(n, CHAINS[n])), findings=("the words are those of column 2 of 11",)
    ),
    "corefconversion: 15 columns, number and word first": read_as(
        conll(lambda n: parsed(n, "_", "_", "_", "_", CHAINS[n])), findings=("the words are those of column 2 of 15",)
    ),
    "the scorer's tests: names of items that vary": read_as(
        conll(lambda n: [f"conf/{WORDS[n]}", 0, 0, "junk", CHAINS[n]], begin="#begin document (dummy)"),
        text="conf/Anna conf/saw conf/her conf/dog",
        chains={"1": ["conf/Anna", "conf/her"], "2": ["conf/her conf/dog"]},
        findings=("the words are those of column 1 of 5",),
    ),
    "a release without its words": read_as(
        conll(lambda n: shared_task(n, word="_" * len(WORDS[n]))), refused="this document has no words"
    ),
    "a parsed release without its words": read_as(
        conll(lambda n: parsed(n, CHAINS[n], word="_")), refused="if one holds words, say word=N"
    ),
    "corpus, text, part, sentence, number, word": read_as(
        conll(lambda n: ["corpus", "walk", "part", 1, n, WORDS[n], FINE[n], CHAINS[n]]),
        findings=("the words are those of column 6 of 8",),
    ),
    "a line with a tab more": read_as(
        conll(lambda n: [*shared_task(n), ""]), findings=("the chains are those of column 12 of 13",)
    ),
    "named entities behind the chains": read_as(
        conll(lambda n: [n, WORDS[n], CHAINS[n], "B-PER" if n == 0 else "O"]),
        findings=("the chains are those of column 3 of 4",),
    ),
    "a word with a no-break space": read_as(
        conll(lambda n: shared_task(n, word="d\u00a0o\u202fg\u3000\x0c\x85s" if n == 3 else "")),
        text="Anna saw her d\u00a0o\u202fg\u3000\x0c\x85s",
        chains={"1": ["Anna", "her"], "2": ["her d\u00a0o\u202fg\u3000\x0c\x85s"]},
    ),
    "a carriage return behind a word": read_as(
        conll(lambda n: shared_task(n, word="saw\r" if n == 1 else ""), separator=" "),
        findings=("a bare carriage return stands here between two cells",),
    ),
    "a carriage return behind the first word, cells parted by tabs": read_as(
        conll(lambda n: shared_task(n, word="Anna\r" if n == 0 else "")),
        findings=("a bare carriage return stands here between two cells",),
    ),
    "a carriage return in a word": read_as(
        conll(lambda n: shared_task(n, word="sa\rw" if n == 1 else ""), separator=" "),
        refused="a bare carriage return stands here",
    ),
    "a carriage return at the end of a line": read_as(
        conll(lambda n: shared_task(n)).replace("*\t-\n", "*\t-\r"), findings=("a bare carriage return stands here",)
    ),
    "CoNLL-U": read_as(
        "# sent_id = 1\n" + "".join("\t".join(map(str, parsed(n))) + "\n" for n in range(4)),
        refused="this looks like CoNLL-U: choose CorefUD / CoNLL-U (conllu)",
    ),
    "the same, left out": read_as(
        conll(lambda n: shared_task(n, chain=["(1)|(9", "232)", "x|(1)", "(2"][n])),
        chains={"1": ["Anna"]},
        findings=("232) closes nothing", "not a list of chain brackets: 'x|(1)'", "(9 is never", "(2 is never"),
        options={"slips": "leave-out"},
    ),
    "a document that is left out": read_as(
        conll(lambda n: shared_task(n, word="a b" if n == 1 else ""), begin="#begin document (bad); part 0")
        + conll(shared_task)
        + "#begin document (cut); part 000\nwalk\t0\t0\tAnna\tNNP\n",
        findings=("the word column is empty", "the file ends inside the document that begins in line 15"),
        options={"slips": "leave-out"},
    ),
}


def corefud(*miscs: str, header: str = "eid-etype-head-other", words: list[str] | None = None) -> str:
    lines = [f"# global.Entity = {header}"] if header else []
    for number, misc in enumerate(miscs):
        word = (words or WORDS)[number]
        lines.append("\t".join([str(number + 1), word, *"_" * 7, misc or "_"]))
    return "\n".join(["# newdoc id = walk", *lines, "", ""])


COLUMNS = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC"
COPTIC = corefud("Entity=(person-Anna_B.)", "", "Entity=(animal(person)", "Entity=animal)", header="etype-identity")
EARLY = "entity-GRP-infstat-MIN-coref_type-identity"
TYPES = "3 values of the field 'etype' (left out; categories=etype reads them)"
UD: dict[str, Dialect] = {
    "CorefUD": read_as(
        corefud("Entity=(1-person-1-)", "", "Entity=(2-animal-2-gstype:spec(1-person-1-)", "Entity=2)|SpaceAfter=No"),
        findings=(TYPES,),
    ),
    "GUM": read_as(
        corefud(
            "Discourse=x:1->2|Entity=(1-person-new-cf1-1-ana-Anna_B.)",
            "Bridge=1<2",
            "Entity=(2-animal-new-cf2-2-sgl(1-person-giv-cf1-1-ana)",
            "Entity=2)",
            header="GRP-etype-infstat-centering-minspan-link-identity",
        ),
        findings=(
            TYPES,
            *(f"3 values of the field {name!r} (left out)" for name in ("infstat", "centering", "link")),
            "1 value of the field 'identity' (left out)",
        ),
    ),
    "early GUM: the type before the entity, and in closing brackets": read_as(
        corefud("Entity=(person-1-new)", "", "Entity=(animal-2-new(person-1-giv)", "Entity=animal-2)", header=EARLY),
        findings=(TYPES, "3 values of the field 'infstat' (left out)"),
    ),
    "early CorefUD: ClusterId": read_as(
        corefud("ClusterId=1", "", "ClusterId=1", "", header=""), chains={}, findings=("2 mentions are those of early",)
    ),
    "UD Coptic: types and identities": read_as(
        COPTIC,
        chains={},
        findings=(
            "3 mentions have a type and no entity: categories=etype reads the types",
            "1 value of the field 'identity' (left out)",
        ),
        links=Links.NONE,
        categories=["", "", ""],
    ),
    "UD Coptic, its types": read_as(
        COPTIC,
        chains={},
        options={"categories": "etype"},
        findings=("1 value of the field 'identity' (left out)",),
        links=Links.NONE,
        categories=["person", "animal", "person"],
    ),
    "UD Hebrew: types without a header": read_as(
        corefud("Entity=(PER)", "", "Entity=(ANI(PER)", "Entity=ANI)", header=""),
        chains={},
        options={"categories": "etype"},
        findings=("whose names have no numbers (3 lines) (read as types; fields=eid reads entities)",),
        links=Links.NONE,
        categories=["PER", "ANI", "PER"],
    ),
    "UD Hebrew: the first bracket is never closed": read_as(
        corefud("Entity=(GPE", "", "", "", header=""), refused="(GPE is never closed; slips=leave-out leaves out"
    ),
    "a proposal of Universal Anaphora: numbers alone, without a header": read_as(
        corefud("Entity=(1)", "", "Entity=(2(1)", "Entity=2)", header=""),
        findings=("no '# global.Entity' line comes before the entities (3 lines)",),
    ),
    "Universal Anaphora, exploded": read_as(
        f"# global.columns = {COLUMNS} IDENTITY\n1\tAnna{'\t_' * 8}\t(EntityID=1)\n",
        refused="CoNLL-U Plus with the further columns IDENTITY",
    ),
    "a release without its words": read_as(
        corefud("Entity=(1--1)", "", "", "", words=["____", "___", "___", "_"]), refused="this document has no words"
    ),
    "names without numbers that are entities": read_as(
        corefud("Entity=(anna)", "", "Entity=(dog(anna)", "Entity=dog)", header=""),
        chains={"anna": ["Anna", "her"], "dog": ["her dog"]},
        options={"fields": "eid"},
    ),
    "hyphens in names of entities": read_as(
        corefud("Entity=(e-1-person-1-)", "", "Entity=(e-2-animal-2-(e-1-person-1-)", "Entity=e-2)"),
        refused="walk.conllu:3: (e-1-person-1- has 5 values for the 4 fields eid-etype-head-other: a hyphen in a value",
    ),
    "the same, left out": read_as(
        corefud("Entity=(e-1-person-1-)", "", "Entity=(2-animal-1-)", ""),
        chains={"2": ["her"]},
        options={"slips": "leave-out"},
        findings=("(e-1-person-1- has 5 values for the 4 fields", "1 value of the field 'etype'"),
    ),
    "hyphens in the last field, which is free": read_as(
        corefud("Entity=(1-person-1-gstype:spec-x)", "", "Entity=(2-animal-2-(1-person-1-)", "Entity=2)"),
        findings=(TYPES,),
    ),
    "CoNLL-2012": read_as(conll(shared_task), refused="this looks like CoNLL-2012: choose it (conll2012)"),
    "a word with a no-break space": read_as(
        corefud("Entity=(1)", "", "", "", words=["10\u00a0000", "saw", "her", "dog"]),
        text="10\u00a0000 saw her dog",
        chains={"1": ["10\u00a0000"]},
    ),
    "slips, left out": read_as(
        corefud("Entity=(1)(3", "Entity=7)", "Entity=(2(1)", "Entity=2)|SplitAnte=x"),
        options={"slips": "leave-out"},
        findings=("7) closes nothing", "this is not ANTECEDENT<ANAPHOR: 'x'", "(3 is never closed"),
    ),
    "a document that is left out": read_as(
        corefud("Entity=(1)", "", "Entity=(2(1)", "Entity=2)")
        + "# newdoc id = bad\n1\tw\n\n# newdoc id = walk\n1\tw\t_\t_\t_\t_\t_\t_\t_\t_\n\n",
        options={"slips": "leave-out"},
        findings=("this one has 2", "the document walk appears twice"),
    ),
}


@each_of(TASK)
def test_conll_2012_dialect_is_read_or_refused(dialect):
    check_dialect("conll2012", dialect)


@each_of(UD)
def test_conllu_dialect_is_read_or_refused(dialect):
    [content] = dialect.files.values()
    check_dialect("conllu", replace(dialect, files={"walk.conllu": content}))
