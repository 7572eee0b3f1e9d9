"""CoNLL-2012 coreference files: one token per line, brackets of chains in the last column; one document per part."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise

from annotations.formats.conll import columns as layouts
from annotations.formats.conll.documents import DocumentDraft, DocumentReader
from annotations.formats.model.document import Answer, Document, Links, Mark, Stretch
from annotations.formats.model.encodings import decode
from annotations.formats.model.features import CHAINS_OF_WORDS
from annotations.formats.model.findings import Finding, FormatError
from annotations.formats.model.format import SLIPS, Bundle, File, Format, Option, stem, write_each
from annotations.formats.model.slips import LEAVE_OUT, Slips
from annotations.formats.model.text import MAX_INDEX_LENGTH, MAX_SPEAKER_LENGTH
from annotations.formats.syntax.tokens import Tokens, join_words, tokenize

# An opened chain, with a bracket if it closes at once; or a closed chain.
BRACKET = re.compile(r"\(([^()|]+)(\))?|([^()|]+)\)|\|")
BARE_RETURN = re.compile(rb"\r(?!\n)")
LINE_END = re.compile(rb"\r\n?|\n")
INNER_RETURN = re.compile(rb"(?<=[^\s])\r(?=[ \t]+[^\s])")
CARRIAGE_RETURN = "a bare carriage return stands here"
# Signs of CoNLL-U: its comments, or a word with ten columns.
CONLLU = re.compile(r"# *(?:newdoc|global\.Entity|sent_id|text)\b|\d+\t(?:[^\t]*\t){8}[^\t]*\Z")
SPEAKER_COLUMN = 9
MAX_SHOWN_LENGTH = 50
MAX_FINDINGS = 1000


def read(bundle: Bundle, word: str = "", slips: str = "") -> list[Document]:
    """Return the documents of a file. Raises FormatError with file and line on anything that is not CoNLL-2012.

    word: the column of the words, from 1, instead of the detected one. slips: the treatment of mentions and documents
    with a slip.
    """
    file = bundle.main
    if word and not (word.isdecimal() and int(word)):
        raise FormatError(f"word={word[:MAX_SHOWN_LENGTH]}: columns are numbered from 1", file)
    data = INNER_RETURN.sub(b"", bundle.data) if b"\n" in bundle.data and b"\r" in bundle.data else bundle.data
    lines = decode(data, file).split("\n")
    runs = layouts.part(lines)
    layout = layouts.Layout(runs)
    returns = _bare_returns(data)
    left_out = Slips(file, slips == LEAVE_OUT, several=len(layout.first_lines) > 1)
    reader = _Reader(file, left_out, lines=lines, layout=layout, word=int(word or 0))
    try:
        documents = reader.read(runs)
    except FormatError as error:
        if error.line is None or {error.line - 1, error.line}.isdisjoint(returns):
            raise
        raise FormatError(f"{error.message}; {CARRIAGE_RETURN}", file, error.line) from None
    findings = []
    if len(data) < len(bundle.data):
        number = len(bundle.data) - len(data)
        message = f"{CARRIAGE_RETURN} between two cells" + f", as {number} do" * (number > 1)
        findings.append(Finding("inner-return", message, file, _bare_returns(bundle.data)[0], "taken for a blank"))
    if returns:
        message = CARRIAGE_RETURN if len(returns) == 1 else f"{CARRIAGE_RETURN}, as {len(returns)} lines do"
        findings.append(Finding("carriage-return", message, file, returns[0], "a line ends there"))
    documents[0] = replace(documents[0], findings=[*documents[0].findings, *findings])
    return documents


def _bare_returns(data: bytes) -> list[int]:
    """Return the numbers of lines that end with a bare carriage return in a file that also has line feeds."""
    if b"\n" not in data or not BARE_RETURN.search(data):
        return []
    return [number for number, end in enumerate(LINE_END.finditer(data), start=1) if end[0] == b"\r"]


@dataclass(slots=True, kw_only=True)
class _Reader(DocumentReader["_Draft", Sequence[str]]):
    """The reader of a file. word: the user's column of the words, from 1; 0 for none."""

    lines: Sequence[str]
    layout: layouts.Layout
    word: int

    def read(self, runs: Sequence[layouts.Run]) -> list[Document]:
        self.read_lines(runs)
        if not self.drafts and not self.slips.errors:
            raise FormatError(f"there is no '#begin document' in this file{self._other_format()}", self.file, 1)
        drafts = self.named_drafts(holds_one=len(self.drafts) == 1 and not self.slips.several)
        return self.add_findings([draft.build(name) for name, draft in drafts.items()])

    def read_line(self, number: int, lines: Sequence[str]) -> None:
        line, draft = lines[0], self.draft
        if line.startswith("#") and not (draft is not None and draft.has_token(line)):
            self._read_comment(number, line)
        elif self.skips:
            return
        elif not line.strip(" \t"):
            if draft is not None:
                draft.end_sentence()
        elif draft is None:
            message = f"a token is outside a document ('#begin document' comes first){self._other_format()}"
            raise FormatError(message, self.file, number)
        else:
            draft.add(number, lines)

    def _read_comment(self, number: int, line: str) -> None:
        """Begin or end a document at a line of '#begin document' or '#end document'; skip other comments."""
        if len(line) > layouts.MAX_COMMENT_LENGTH:
            raise FormatError(
                f"a comment line has more than {layouts.MAX_COMMENT_LENGTH} characters", self.file, number
            )
        begin = layouts.BEGIN.match(line)
        if begin:
            if self.draft is not None:
                message = f"a document begins before the one of line {self.draft.line} has ended"
                self.leave_out(FormatError(message, self.file, number))
            name, part = begin["quoted"] or begin["plain"] or "", int(begin["part"] or 0)
            shown = f"document ({name}) part {part}"
            self.draft = _Draft(self.file, number, f"{name or stem(self.file)} {part}", shown, self.slips)
            self.skips = False
            self.drafts.append(self.draft)
            if number in self.layout.first_lines:
                self.draft.find_columns(self.layout.first_lines[number], self.lines, self.layout, self.word)
        elif layouts.END.match(line):
            if self.draft is not None:
                self.draft.finish()
            elif not self.skips:
                raise FormatError("a document ends here that has not begun", self.file, number)
            self.draft, self.skips = None, False

    def end_file(self) -> None:
        """End the document with the file. Raises FormatError except in short forms, which have no closing line."""
        if self.draft is None:
            return
        if not 0 < self.draft.columns < layouts.STANDARD_COLUMNS:
            begin = f"the document that begins in line {self.draft.line}"
            raise FormatError(f"the file ends inside {begin}: '#end document' is missing", self.file, len(self.lines))
        self.draft.finish()

    def _other_format(self) -> str:
        """Return the end of a message if the file looks like CoNLL-U; else an empty string."""
        seen = any(CONLLU.match(line) for line in self.lines)
        return "; this looks like CoNLL-U: choose CorefUD / CoNLL-U (conllu)" if seen else ""


@dataclass(slots=True, kw_only=True)
class _Draft(DocumentDraft):
    """A document that is built line by line."""

    words: list[str] = field(default_factory=list)
    sentence_ends: list[int] = field(default_factory=lambda: [0])
    speakers: list[str] = field(default_factory=list)  # of the first word of each sentence
    open: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    spans: dict[tuple[int, int], tuple[int, dict[str, None]]] = field(default_factory=dict)
    columns: int = 0
    word_column: int = 0
    chains: int = 1
    has_speakers: bool = False
    has_tabs: bool = False

    def find_columns(self, number: int, lines: Sequence[str], layout: layouts.Layout, word: int) -> None:
        """Set the columns. number: of the first line of tokens. word: the user's column of the words, from 1, or 0."""
        self.has_tabs = "\t" in lines[number - 1]
        self.columns = len(layouts.split(lines[number - 1]))
        if self.columns < 2:
            raise self.error("a token has at least 2 columns, its word and its chains, this line has 1", number)
        found = layout.columns(self.columns)
        self.chains = found.chains
        if self.chains > 1:
            column = self.columns + 1 - self.chains
            message = f"the chains are those of column {column} of {self.columns}: the last has none"
            self.findings.append(Finding("chain-column", message, self.file, number, "the others are not read"))
        self.word_column = word - 1 if word else found.words
        self.has_speakers = self.word_column == layouts.TASK_WORD_COLUMN and (found.is_plain or bool(word))
        if word:
            if self.word_column > self.columns - self.chains - 1:
                raise self.error(f"there is no column {word} before that of the chains", number)
        elif self.word_column < 0:
            message = "its columns are numbers, or signs for nothing, or the same in every line"
            raise self.error(f"this document has no words: {message}; if one holds words, say word=N", number)
        elif not found.is_plain:
            message = f"the words are those of column {self.word_column + 1} of {self.columns}"
            self.findings.append(Finding("word-column", message, self.file, number, "word=N reads others"))

    def has_token(self, line: str) -> bool:
        """Return whether a line that begins with # is a token such as #metoo, if words are in the first column."""
        if not self.columns or self.word_column or ("\t" in line) != self.has_tabs or layouts.is_boundary(line):
            return False
        cells = layouts.split(line)
        chains = cells[-min(self.chains, len(cells))]
        return len(cells) == self.columns and (chains in layouts.NONE or layouts.CHAINS.fullmatch(chains) is not None)

    def add(self, first: int, lines: Sequence[str]) -> None:
        """Add the tokens of lines. first: the number of the first line."""
        for number, cells in enumerate(map(layouts.split, lines), start=first):
            size = len(cells)
            if size != self.columns and min(size, self.columns) < layouts.TASK_COLUMNS:
                raise self.error(f"this line has {size} columns, the first had {self.columns}", number)
            word = cells[self.word_column] if self.word_column < size - self.chains else ""
            if not word.strip() or " " in word:
                raise self.error("the word column is empty or holds white space", number)
            self.words.append(word)
            speaker = cells[SPEAKER_COLUMN].strip() if self.has_speakers and size > SPEAKER_COLUMN + 1 else ""
            if len(speaker) > MAX_SPEAKER_LENGTH:
                raise self.error(f"a speaker's name has more than {MAX_SPEAKER_LENGTH} characters", number)
            if len(self.speakers) < len(self.sentence_ends):
                self.speakers.append("" if speaker in layouts.NONE else speaker)
            brackets = cells[-self.chains]
            if brackets not in layouts.NONE:
                self._brackets(number, brackets)

    def _brackets(self, number: int, cell: str) -> None:
        token, position = len(self.words) - 1, 0
        while position < len(cell):
            bracket = BRACKET.match(cell, position)
            if bracket is None:
                self.slip(f"this is not a list of chain brackets: {cell[:50]!r}", number)
                return
            position = bracket.end()
            opened, closes, closed = bracket.groups()
            if len(opened or closed or "") > MAX_INDEX_LENGTH:
                self.slip(f"a chain's name has more than {MAX_INDEX_LENGTH} characters", number)
            elif opened is not None and closes:
                self._span(opened, token, token, number)
            elif opened is not None:
                self.open.setdefault(opened, []).append((token, number))
            elif closed is not None and not self.open.get(closed):
                self.slip(f"the bracket {closed}) closes nothing", number)
            elif closed is not None:
                first, line = self.open[closed].pop()
                self._span(closed, first, token, line)

    def _span(self, chain: str, first: int, last: int, number: int) -> None:
        line, chains = self.spans.setdefault((first, last), (number, {}))
        if chain in chains and len(self.findings) < MAX_FINDINGS:
            message = f"the chain {chain[:MAX_SHOWN_LENGTH]} has the words from line {line} on twice"
            self.findings.append(Finding("duplicate", message, self.file, number, "they are one markable"))
        chains[chain] = None

    def end_sentence(self) -> None:
        if self.sentence_ends[-1] < len(self.words):
            self.sentence_ends.append(len(self.words))

    def finish(self) -> None:
        if not self.words:
            raise self.error("this document has no token", self.line)
        for chain, started in self.open.items():
            for _, line in reversed(started):
                self.slip(f"the bracket ({chain} is never closed", line)
        self.end_sentence()

    def build(self, name: str) -> Document:
        sentences = list(pairwise(self.sentence_ends))
        content, words = join_words(self.words[first:end] for first, end in sentences)
        answers = {chains: Answer(indices=chains) for chains in {tuple(chains) for _, chains in self.spans.values()}}
        marks = [
            Mark(((words[first][0], words[last][1]),), answer=answers[tuple(chains)], line=line)
            for (first, last), (line, chains) in sorted(self.spans.items(), key=lambda span: (span[0][0], -span[0][1]))
        ]
        segments = [
            Stretch("sentence", words[first][0], words[end - 1][1], speaker=speaker)
            for (first, end), speaker in zip(sentences, self.speakers, strict=True)
        ]
        return Document(name, self.file, content, marks, segments, Links.INDICES, findings=self.findings)


def write(documents: Sequence[Document]) -> list[File]:
    """Return a file for each document: tokens, speakers and the brackets of the chains."""
    return write_each(documents, ".conll", _format_document)


def _format_document(document: Document) -> bytes:
    tokens = tokenize(document)
    name = re.sub(r"\s|[()]", "_", document.name)
    speakers = ["-"] * len(tokens.words)
    for sentence in document.segments:
        if sentence.speaker and sentence.kind == "sentence":
            for first, last in tokens.find_runs(((sentence.start, sentence.end),)):
                speakers[first : last + 1] = [sentence.speaker] * (last + 1 - first)
    brackets = ["-"] * len(tokens.words)
    for token, cell in _brackets(document, tokens).items():
        brackets[token] = cell
    lines = [f"#begin document ({name}); part 000\n"]
    rows = zip(tokens.words, speakers, brackets, strict=True)
    for words in tokens.by_sentence():
        lines += [
            f"{name}\t0\t{number}\t{word}\t-\t-\t-\t-\t-\t{speaker}\t*\t{bracket}\n"
            for number, (word, speaker, bracket) in enumerate(islice(rows, len(words)))
        ]
        lines.append("\n")
    return "".join([*lines, "#end document\n"]).encode()


def _brackets(document: Document, tokens: Tokens) -> dict[int, str]:
    """Return the cells of the last column by token, for tokens at which mentions begin or end."""
    opened, closed, single = [], [], []
    for mark in document.marks:
        [(start, end)] = mark.parts
        first, last = bisect_left(tokens.starts, start), bisect_left(tokens.ends, end)
        for index in mark.answer.indices if mark.answer else ():
            if first == last:
                single.append((first, last, f"({index})"))
            else:
                opened.append((first, -last, f"({index}"))
                closed.append((last, -first, f"{index})"))
    brackets: dict[int, str] = {}
    # The bracket opened last is closed first: readers pair brackets of one chain in this way.
    for token, _, bracket in sorted(closed) + sorted(opened) + single:
        brackets[token] = f"{brackets[token]}|{bracket}" if token in brackets else bracket
    return brackets


FORMAT = Format(
    "conll2012",
    "CoNLL-2012",
    (".conll", "_conll"),
    read,
    write=write,
    writes_each=True,
    in_words=True,
    supported_features=CHAINS_OF_WORDS,
    options=(
        Option(
            "word",
            "The column of the words",
            (("", "the usual one, else the first that holds words"), *((str(n), f"column {n}") for n in range(1, 11))),
        ),
        SLIPS,
    ),
    ways={"words": "word=N"},
)
