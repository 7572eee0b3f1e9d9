"""CoNLL-2012 coreference files: one token a line, the last column holds the chains' brackets.

Read are the columns of the shared task (document, part, number, word, …, chains), the form of three columns (number,
word, chains), and others of two columns and more: there the words are the first column that is neither numbers, nor
the same in every line, nor `_` and `-`, in all documents of the file; the option `word` names another. Columns are
tab-separated where the line has a tab, else parted by white space; an empty last column, `-` and `_` say "none". Lines
that begin with # are comments, unless words come first and the line has the columns of the others. The text is the
tokens joined by a blank, one sentence a line. Every part of a document is a text of its own.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from annotations.formats.conll.columns import (
    BEGIN,
    END,
    LONGEST_COMMENT,
    NONE,
    STANDARD_COLUMNS,
    USUAL_WORD_COLUMN,
    Layout,
    is_boundary,
    split,
    usual_word_column,
)
from annotations.formats.model.document import (
    LONGEST_INDEX,
    LONGEST_SPEAKER,
    Answer,
    Document,
    Finding,
    FormatError,
    Links,
    Mark,
    Stretch,
    decode,
)
from annotations.formats.model.features import Feature
from annotations.formats.model.format import Bundle, File, Format, Option, stem, write_each
from annotations.formats.syntax.caching import cache_recent
from annotations.formats.syntax.tokens import Tokens, tokenize

BRACKET = re.compile(r"\((?P<open>[^()|]+)(?P<closed>\))?|(?P<close>[^()|]+)\)|\|")
CHAINS = re.compile(r"(?:\([^()|]++\)?|[^()|]++\)|\|)++")
SPEAKER_COLUMN = 9
LONGEST_SHOWN = 50
MOST_FINDINGS = 1000


def read(bundle: Bundle, word: str = "") -> list[Document]:
    """Return the documents of a file. Raises FormatError with file and line on anything that is not CoNLL-2012.

    word: the column of the words, from 1, where it is not found.
    """
    file = bundle.main
    if word and not (word.isdecimal() and int(word)):
        raise FormatError(f"word={word[:LONGEST_SHOWN]}: columns are numbered from 1", file)
    lines = decode(bundle.data, file).split("\n")
    layout = Layout.of(lines)
    drafts: list[_Draft] = []
    draft: _Draft | None = None
    for number, line in enumerate(lines, start=1):
        if line.startswith("#") and not (draft is not None and draft.has_token(line)):
            opened = draft
            draft = _read_comment(file, number, line, draft, drafts)
            if draft is not None and draft is not opened and number in layout.first_lines:
                draft.find_columns(layout.first_lines[number], lines, layout, int(word or 0))
        elif not line.strip():
            if draft is not None:
                draft.end_sentence()
        elif draft is None:
            raise FormatError("a token is outside a document ('#begin document' comes first)", file, number)
        else:
            draft.add(number, line)
    if draft is not None:
        draft.end_with_file(len(lines))
    if not drafts:
        raise FormatError("there is no '#begin document' in this file", file, 1)
    return _build_documents(drafts)


def _read_comment(file: str, number: int, line: str, draft: "_Draft | None", drafts: "list[_Draft]") -> "_Draft | None":
    """Return the document that is open after a line that begins with #; a new one is added to the drafts."""
    if len(line) > LONGEST_COMMENT:
        raise FormatError(f"a comment line has more than {LONGEST_COMMENT} characters", file, number)
    begin = BEGIN.match(line)
    if begin:
        if draft is not None:
            raise FormatError(f"a document begins before the one of line {draft.line} has ended", file, number)
        drafts.append(_Draft(file, number, begin["quoted"] or begin["plain"] or "", int(begin["part"] or 0)))
        return drafts[-1]
    if END.match(line):
        if draft is None:
            raise FormatError("a document ends here that has not begun", file, number)
        draft.finish()
        return None
    return draft


@dataclass(slots=True)
class _Draft:
    """A document while its lines come in."""

    file: str
    line: int
    document: str
    part: int
    words: list[str] = field(default_factory=list)
    sentence_ends: list[int] = field(default_factory=list)
    speakers: list[str] = field(default_factory=list)
    open: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    spans: dict[tuple[int, int], tuple[int, dict[str, None]]] = field(default_factory=dict)
    columns: int = 0
    word_column: int = 0
    has_tabs: bool = False
    findings: list[Finding] = field(default_factory=list)

    def end_with_file(self, number: int) -> None:
        """End with the file, as the short forms do, which have no closing line. Raises FormatError on others."""
        if not 0 < self.columns < STANDARD_COLUMNS:
            message = f"the file ends inside the document that begins in line {self.line}: '#end document' is missing"
            raise FormatError(message, self.file, number)
        self.finish()

    def find_columns(self, number: int, lines: Sequence[str], layout: Layout, word: int) -> None:
        """Find out how many columns there are, from the first line of tokens, and in which the words stand.

        word: the column of the words, from 1, where a user names it, else 0.
        """
        self.has_tabs = "\t" in lines[number - 1]
        self.columns = len(split(lines[number - 1]))
        if self.columns < 2:
            raise FormatError(
                "a token has at least 2 columns, its word and its chains, this line has 1", self.file, number
            )
        if word:
            self.word_column = word - 1
            if self.word_column > self.columns - 2:
                raise FormatError(f"there is no column {word} before that of the chains", self.file, number)
            return
        self.word_column = layout.word_column(self.columns)
        if self.word_column < 0:
            message = "no column holds words: all are numbers, or the same in every line; say word=N if one is"
            raise FormatError(message, self.file, number)
        usual = usual_word_column(self.columns)
        if self.word_column != max(usual, 0):
            message = f"the words are those of column {self.word_column + 1} of {self.columns}"
            self.findings.append(Finding("word-column", message, self.file, number, "word=N reads others"))

    def has_token(self, line: str) -> bool:
        """Return whether a line that begins with # is a token, such as #metoo, where words come first."""
        if not self.columns or self.word_column or ("\t" in line) != self.has_tabs or is_boundary(line):
            return False
        cells = split(line)
        chains = cells[-1].strip()
        return len(cells) == self.columns and (chains in NONE or CHAINS.fullmatch(chains) is not None)

    def add(self, number: int, line: str) -> None:
        cells = split(line)
        if len(cells) != self.columns and min(len(cells), self.columns) < STANDARD_COLUMNS:
            message = f"this line has {len(cells)} columns, the first had {self.columns}"
            raise FormatError(message, self.file, number)
        words = cells[self.word_column].split() if self.word_column < len(cells) - 1 else []
        if len(words) != 1:
            raise FormatError("the word column is empty or holds white space", self.file, number)
        self.words += words
        is_standard = self.word_column == USUAL_WORD_COLUMN[STANDARD_COLUMNS]
        speaker = cells[SPEAKER_COLUMN].strip() if is_standard and len(cells) > SPEAKER_COLUMN + 1 else ""
        if speaker in NONE:
            speaker = ""
        elif len(speaker) > LONGEST_SPEAKER:
            raise FormatError(f"a speaker's name has more than {LONGEST_SPEAKER} characters", self.file, number)
        self.speakers.append(speaker)
        brackets = cells[-1].strip()
        if brackets not in NONE:
            self._brackets(number, brackets)

    def _brackets(self, number: int, cell: str) -> None:
        token = len(self.words) - 1
        for bracket in self._tokens(number, cell):
            opened, closed = bracket["open"], bracket["close"]
            if len(opened or closed or "") > LONGEST_INDEX:
                raise FormatError(f"a chain's name has more than {LONGEST_INDEX} characters", self.file, number)
            if opened is not None and bracket["closed"]:
                self._span(opened, token, token, number)
            elif opened is not None:
                self.open.setdefault(opened, []).append((token, number))
            elif closed is not None:
                started = self.open.get(closed)
                if not started:
                    raise FormatError(f"the bracket {closed}) closes nothing", self.file, number)
                first, line = started.pop()
                self._span(closed, first, token, line)

    def _tokens(self, number: int, cell: str) -> Iterator[re.Match[str]]:
        position = 0
        while position < len(cell):
            bracket = BRACKET.match(cell, position)
            if bracket is None:
                raise FormatError(f"this is not a list of chain brackets: {cell[:50]!r}", self.file, number)
            yield bracket
            position = bracket.end()

    def _span(self, chain: str, first: int, last: int, number: int) -> None:
        line, chains = self.spans.setdefault((first, last), (number, {}))
        if chain in chains and len(self.findings) < MOST_FINDINGS:
            message = f"the chain {chain[:LONGEST_SHOWN]} has the words from line {line} on twice"
            self.findings.append(Finding("duplicate", message, self.file, number, "they are one markable"))
        chains[chain] = None

    def end_sentence(self) -> None:
        if self.words and (not self.sentence_ends or self.sentence_ends[-1] < len(self.words)):
            self.sentence_ends.append(len(self.words))

    def finish(self) -> None:
        if not self.words:
            raise FormatError("this document has no token", self.file, self.line)
        for chain, started in self.open.items():
            if started:
                raise FormatError(f"the bracket ({chain} is never closed", self.file, started[-1][1])
        self.end_sentence()

    def build(self, name: str) -> Document:
        starts = [0, *accumulate(len(word) + 1 for word in self.words)]
        stops = [start - 1 for start in starts[1:]]
        marks = [
            Mark(((starts[first], stops[last]),), answer=Answer(indices=tuple(chains)), line=line)
            for (first, last), (line, chains) in sorted(self.spans.items(), key=lambda span: (span[0][0], -span[0][1]))
        ]
        firsts = [0, *self.sentence_ends[:-1]]
        segments = [
            Stretch("sentence", starts[first], stops[end - 1], speaker=self.speakers[first])
            for first, end in zip(firsts, self.sentence_ends, strict=True)
        ]
        lines = [" ".join(self.words[first:end]) for first, end in zip(firsts, self.sentence_ends, strict=True)]
        return Document(name, self.file, "\n".join(lines), marks, segments, Links.INDICES, findings=self.findings)


def _build_documents(drafts: list[_Draft]) -> list[Document]:
    """Return the documents named by the file, where it holds one, else by file, document and part."""
    file_name = stem(drafts[0].file)
    if len(drafts) == 1:
        return [drafts[0].build(file_name)]
    documents, seen = [], dict[str, int]()
    for draft in drafts:
        name = f"{draft.document or file_name} {draft.part}"
        if name in seen:
            raise FormatError(
                f"document ({draft.document}) part {draft.part} appears twice (also in line {seen[name]})",
                draft.file,
                draft.line,
            )
        seen[name] = draft.line
        documents.append(draft.build(name))
    return documents


def write(documents: Sequence[Document]) -> list[File]:
    """Return a file for each document: tokens, speakers and the brackets of the chains."""
    return write_each(documents, ".conll", _format_document)


def _format_document(document: Document) -> bytes:
    tokens = tokenize(document)
    name = re.sub(r"\s|[()]", "_", document.name)
    spoken = tuple([one for one in document.segments if one.speaker and one.kind == "sentence"])
    before, after, lines = _token_rows(name, tokens, spoken)
    lines = lines.copy()
    for token, brackets in _brackets(document, tokens).items():
        lines[token] = f"{before[token]}{brackets}{after[token]}"
    return f"#begin document ({name}); part 000\n{''.join(lines)}#end document\n".encode()


@cache_recent
def _token_rows(name: str, tokens: Tokens, spoken: tuple[Stretch, ...]) -> tuple[list[str], list[str], list[str]]:
    """Return for each token what stands before the last column and what after it, and its line where no chain has it.

    spoken: the sentences with a speaker.
    """
    speakers = ["-"] * len(tokens.spans)
    for sentence in spoken:
        for first, last in tokens.find_runs(((sentence.start, sentence.end),)):
            speakers[first : last + 1] = [sentence.speaker] * (last + 1 - first)
    before, after = [], []
    for words in tokens.by_sentence():
        for number, token in enumerate(words):
            before.append(f"{name}\t0\t{number}\t{tokens.words[token]}\t-\t-\t-\t-\t-\t{speakers[token]}\t*\t")
            after.append("\n")
        after[-1] += "\n"
    return before, after, [f"{one}-{other}" for one, other in zip(before, after, strict=True)]


def _brackets(document: Document, tokens: Tokens) -> dict[int, str]:
    """Return what the last column has for the tokens where chains begin or end."""
    begins, ends = _token_numbers(tokens)
    opened, closed, single = [], [], []
    for mark in document.marks:
        [(start, end)] = mark.parts
        first, last = begins[start], ends[end]
        for index in mark.answer.indices if mark.answer else ():
            if first == last:
                single.append((first, last, f"({index})"))
            else:
                opened.append((first, -last, f"({index}"))
                closed.append((last, -first, f"{index})"))
    brackets: dict[int, str] = {}
    # What was opened last is closed first: readers pair brackets of one chain so.
    for token, _, bracket in sorted(closed) + sorted(opened) + single:
        brackets[token] = f"{brackets[token]}|{bracket}" if token in brackets else bracket
    return brackets


@cache_recent
def _token_numbers(tokens: Tokens) -> tuple[dict[int, int], dict[int, int]]:
    """Return the numbers of the tokens by where they begin and by where they end: a mark does both with a token."""
    numbers = range(len(tokens.spans))
    return dict(zip(tokens.starts, numbers, strict=True)), dict(zip(tokens.ends, numbers, strict=True))


FORMAT = Format(
    "conll2012",
    "CoNLL-2012",
    (".conll", "_conll"),
    read,
    write=write,
    in_words=True,
    supported_features=frozenset(
        {Feature.INDICES, Feature.SEVERAL_CHAINS, Feature.CROSSING, Feature.SPEAKERS, Feature.SENTENCES}
    ),
    options=(
        Option(
            "word",
            "The column of the words",
            (("", "the usual one, else the first that holds words"), *((str(n), f"column {n}") for n in range(1, 11))),
        ),
    ),
    ways={"words": "word=N"},
)
