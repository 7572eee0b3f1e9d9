"""Shared steps of programs that code: find assignments, read mentions, save judgements."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import batched
from typing import Any

from coindex.client import ApiError, Client, ClientError, Coding, Operation, judge
from coindex.client.answers import CodingState, Scheme

# Operations in a request: the server takes at most 500.
BATCH = 200

# The key of each mention's antecedent, by the key of the mention; None for a mention that is new in the text. A missing
# mention is undecided.
type Antecedents = Mapping[str, str | None]


class CannotCode(Exception):
    """The error for a scheme that asks for answers that this program cannot give."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A markable to code: its words, its head if the text marks one, and its speaker."""

    key: str
    words: str
    parts: tuple[tuple[int, int], ...]
    head: str = ""
    speaker: str = ""

    @property
    def start(self) -> int:
        return self.parts[0][0]

    @property
    def end(self) -> int:
        return self.parts[-1][1]


@dataclass(frozen=True, slots=True)
class Categories:
    """The categories of linked and new mentions; `by_index` if chains are indices, not pointers."""

    linked: str
    new: str
    by_index: bool
    level: str


def categories_of(scheme: Scheme, new: str | None = None) -> Categories:
    """Return the categories of linked and new mentions. Raises CannotCode if there is none, or `new` is ambiguous."""
    answers = scheme["answers"]
    if answers not in ("pointers", "indices"):
        what = {"categories": "categories alone", "scus": "pyramids"}.get(answers, answers)
        raise CannotCode(f"The scheme asks for {what}: this program codes chains, by pointers or indices.")
    coded = {level["key"] for level in scheme["levels"] if level["coded"]}
    constraints = scheme["constraints"]
    offered = {key: found for key, found in constraints["categories"].items() if not found["retired"]}
    for key, found in offered.items():
        relation = constraints["relations"].get(found["identity"])
        targets = set(relation["to_levels"]) if relation and not relation["retired"] else set()
        levels = [level for level in found["levels"] if level in coded]
        if answers == "indices" and found["takes_index"] and levels:
            return Categories(key, key, True, levels[0])
        if answers == "pointers" and (both := [level for level in levels if level in targets]):
            return Categories(key, _category_of_new(offered, both[0], new), False, both[0])
    raise CannotCode("The scheme has no category by which a mention is linked to an earlier one.")


def _category_of_new(offered: Mapping[str, Mapping[str, Any]], level: str, wanted: str | None) -> str:
    plain = [key for key, found in offered.items() if level in found["levels"] and not found["identity"]]
    if wanted in plain:
        return wanted
    likely = [key for key in plain if key in ("none", "new")] or plain
    if wanted is None and len(likely) == 1:
        return likely[0]
    raise CannotCode(f"Say by --new which category a mention has that is new: {', '.join(plain) or 'there is none'}.")


def mentions_of(state: CodingState, level: str) -> list[Mention]:
    """Return the mentions of a level in text order; of mentions with the same start, the longest comes first."""
    content, segments = state["text"]["content"], state["text"]["segments"]
    found = []
    for markable in state["markables"]:
        if markable["level"] == level:
            parts = tuple(sorted((start, end) for start, end in markable["parts"]))
            speaker = next((s["speaker"] for s in segments if s["start"] <= parts[0][0] < s["end"]), "") or ""
            words, head = (" ".join(content[a:b] for a, b in spans) for spans in (parts, markable["head"]))
            found.append(Mention(markable["key"], words, parts, head, speaker))
    return sorted(found, key=lambda mention: (mention.start, -mention.end, mention.parts))


def operations_for(
    mentions: Sequence[Mention], antecedents: Antecedents, categories: Categories, judged: Mapping[str, object]
) -> Iterator[Operation]:
    """Yield a judgement for each decided mention that is not in `judged`."""
    # the index of a chain is the number of its first mention, so that it is the same in every run
    numbers = {mention.key: number for number, mention in enumerate(mentions, 1)}
    first: dict[str, str] = {}
    for mention in mentions:
        antecedent = antecedents.get(mention.key)
        first[mention.key] = first[antecedent] if antecedent is not None else mention.key
        if mention.key in judged or mention.key not in antecedents:
            continue
        if categories.by_index:
            yield judge(mention.key, categories.linked, indices=[str(numbers[first[mention.key]])])
        elif antecedent is not None:
            yield judge(mention.key, categories.linked, pointers=[antecedent])
        else:
            yield judge(mention.key, categories.new)


def assignments(client: Client, project: str | None, text: str | None) -> Iterator[tuple[str, Coding]]:
    """Yield the open codings of the key's owner with their labels, only of the project and text if given."""
    for slug in [project] if project else [row["slug"] for row in client.projects(archived=False)]:
        for row in list(client.codings(slug, text=text, kind="text", status="open")):
            try:
                coding = client.coding(slug, row["text"], round=row["round"])
            except ApiError as error:
                if error.status != 404:
                    raise
                continue  # managers also see the codings of others
            if coding.state["user"] == row["coder"] and coding.state["coding"]["status"] == "open":
                yield f"{slug}/{row['text']} ({row['round']})", coding


type Decide = Callable[[CodingState, Sequence[Mention]], tuple[Antecedents, list[str]]]


def code(client: Client, coding: Coding, decide: Decide, *, new: str | None, submit: bool) -> tuple[str, list[str]]:
    """Judge the open mentions of a text, submit it if wanted and complete, and return a summary and the problems."""
    state, judged = coding.state, coding.state["judgements"]
    categories = categories_of(state["scheme"], new)
    mentions = mentions_of(state, categories.level)
    if all(mention.key in judged for mention in mentions):
        antecedents: Antecedents = dict.fromkeys(judged)
        problems: list[str] = []
    else:
        antecedents, problems = decide(state, mentions)
    operations = list(operations_for(mentions, antecedents, categories, judged))
    # Operations have uuids: if a response is lost, the client sends them again, and the server applies them once.
    for batch in batched(operations, BATCH):
        client.save(coding, batch)
    coded = {level["key"] for level in state["scheme"]["levels"] if level["coded"]}
    done = {*judged, *(operation["payload"]["markable"] for operation in operations)}
    left = sum(markable["level"] in coded and markable["key"] not in done for markable in state["markables"])
    if left:
        problems.append(f"undecided markables: {left}")
    if required := [attribute["key"] for attribute in state["scheme"]["attributes"] if attribute.get("required")]:
        problems.append(f"attributes are not answered: {', '.join(required)}")
    if submit and not problems:
        client.submit(coding)
    return f"{len(operations)} judged" + ("; submitted" if submit and not problems else ""), problems


def parser_of(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options that all programs share."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--project", help="the address of a project; without it all that you are in")
    parser.add_argument("--text", help="the address of a text in it; without it all that are assigned to you")
    parser.add_argument("--new", metavar="CATEGORY", help="the category of a mention that is new")
    parser.add_argument("--submit", action="store_true", help="submit the texts in which nothing is undecided")
    return parser


def run(options: argparse.Namespace, decide: Decide) -> int:
    """Code all assignments at the server COINDEX_URL with the key COINDEX_KEY, and return the exit status."""
    try:
        address, key = os.environ["COINDEX_URL"], os.environ["COINDEX_KEY"]
    except KeyError as missing:
        print(f"Set {missing.args[0]}: the address of the site is COINDEX_URL, your key COINDEX_KEY.", file=sys.stderr)
        return 2
    status = 0
    try:
        with Client(address, key) as client:
            for name, coding in assignments(client, options.project, options.text):
                try:
                    said, problems = code(client, coding, decide, new=options.new, submit=options.submit)
                except CannotCode as error:
                    said, problems = "not coded", [str(error)]
                print(f"{name}: {said}")
                for problem in problems:
                    print(f"{name}: {problem}", file=sys.stderr)
                status = 1 if problems else status
    except ClientError as error:
        print(error, file=sys.stderr)
        return 1
    return status
