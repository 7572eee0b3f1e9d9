"""What was read of projects, in memory: a text is read again only after somebody has changed it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from threading import Lock

from agreement.data.codings.table import CodingTable
from agreement.data.extract.extract import Extract
from agreement.data.storage.tables import TextTables

# How many projects a process remembers, and how many questions: one of 240,000 judgements takes some 20 MB.
CACHED_PROJECTS = 8
CACHED_QUESTIONS = 16

# By project, and what is counted or asked.
type Key = tuple[int, str]


class ExtractCache[Text]:
    """The texts of each key with their versions, what is made of all of them with its state, and their tables."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.texts: OrderedDict[Key, dict[int, tuple[Hashable, Text]]] = OrderedDict()
        self.extracts: OrderedDict[Key, tuple[Hashable, Extract]] = OrderedDict()
        self.recent: OrderedDict[Key, tuple[Hashable, int, Extract]] = OrderedDict()
        self.tables: OrderedDict[Key, TextTables] = OrderedDict()
        self.lock = Lock()

    def read_changed(
        self, key: Key, versions: Mapping[int, Hashable], read: Callable[[list[int]], Mapping[int, Text]]
    ) -> dict[int, Text]:
        """Return the texts as of these versions: those that have changed are read, the others are in memory."""
        with self.lock:
            known = dict(self.texts.get(key, {}))
        changed = [text for text in versions if text not in known or known[text][0] != versions[text]]
        if changed:
            answers = read(changed)
            known |= {text: (versions[text], answers[text]) for text in changed}
        known = {text: known[text] for text in versions}
        with self.lock:
            store_bounded(self.texts, key, known, self.size)
        return {text: answers for text, (_, answers) in known.items()}

    def read_some(
        self, key: Key, versions: Mapping[int, Hashable], read: Callable[[list[int]], Mapping[int, Text]]
    ) -> dict[int, Text]:
        """Return some texts as of these versions; the others of the key stay as they are."""
        with self.lock:
            known = self.texts.get(key, {})
            found = {text: known[text][1] for text in versions if text in known and known[text][0] == versions[text]}
        changed = [text for text in versions if text not in found]
        answers = {**found, **(read(changed) if changed else {})}
        with self.lock:
            store_bounded(
                self.texts,
                key,
                self.texts.get(key, {}) | {one: (versions[one], answers[one]) for one in changed},
                self.size,
            )
        return answers

    def assemble(self, key: Key, state: Hashable, build: Callable[[], Extract]) -> Extract:
        """Return the extract of a state: the one before where nothing has changed."""
        with self.lock:
            before = self.extracts.get(key)
        if before is not None and before[0] == state:
            return before[1]
        extracted = build()
        with self.lock:
            store_bounded(self.extracts, key, (state, extracted), self.size)
        return extracted

    def recall(self, key: Key, about: Hashable, codings: CodingTable) -> tuple[Extract, frozenset[int]] | None:
        """Return the last extract, and the documents whose codings alone are others; None where more may be."""
        with self.lock:
            found = self.recent.get(key)
        if found is None or found[0] != about:
            return None
        changed = codings.changed_since(found[1])
        return None if changed is None or not found[2].has(changed) else (found[2], changed)

    def remember(self, key: Key, about: Hashable, codings: CodingTable, extracted: Extract) -> Extract:
        """Remember of which codings an extract was made."""
        with self.lock:
            store_bounded(self.recent, key, (about, codings.number, extracted), self.size)
        return extracted

    def tables_of(self, key: Key, build: Callable[[], TextTables]) -> TextTables:
        """Return the tables of a key."""
        with self.lock:
            tables = self.tables.get(key) or build()
            store_bounded(self.tables, key, tables, self.size)
        return tables

    def known(self, key: Key) -> list[Text]:
        """Return the texts of a key that are in memory."""
        with self.lock:
            return [text for _, text in self.texts.get(key, {}).values()]

    def forget(self, key: Key) -> None:
        """Forget the texts of a key, and what is made of them."""
        with self.lock:
            for one in (self.texts, self.extracts, self.recent):
                one.pop(key, None)

    def clear(self) -> None:
        """Forget everything."""
        with self.lock:
            for one in (self.texts, self.extracts, self.recent, self.tables):
                one.clear()


def store_bounded[K, V](cache: OrderedDict[K, V], key: K, value: V, size: int) -> None:
    cache[key] = value
    cache.move_to_end(key)
    while len(cache) > size:
        cache.popitem(last=False)
