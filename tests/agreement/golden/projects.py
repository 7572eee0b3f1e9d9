"""The projects whose figures are kept: how each is made, and what it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from django.core.management import call_command

from tests.agreement.golden.addresses import Asked
from tests.agreement.golden.made import MANAGER, make_empty, make_marks, make_small, make_towers, make_wide


@dataclass(frozen=True, slots=True)
class Golden:
    """A project: how it is made, and what it is asked for, by somebody who manages it."""

    make: Callable[[], object]
    asked: Asked
    manager: str = MANAGER


def demo(*names: str) -> Callable[[], object]:
    return partial(call_command, "load_demo", *names, verbosity=0)


PROJECTS = {
    "news": Golden(
        demo("news"),
        Asked(
            "indices",
            coders=("ra1", "ra2"),
            texts=("mooring-ban",),
            rounds=("main",),
            categories=("refers", "none"),
            full=True,
            reader="ra1",
        ),
    ),
    "dialogue": Golden(
        demo("dialogue"),
        Asked(
            "pointers",
            coders=("ann", "dev"),
            texts=("generator",),
            rounds=("main",),
            groups=("expert", "naive"),
            categories=("none", "segment"),
            includes=("models",),
            model="baseline",
            versions=("1",),
            full=True,
            reader="ann",
        ),
    ),
    "notices": Golden(
        demo("notices"),
        Asked(
            "pointers",
            coders=("ben", "ewa", "finn"),
            texts=("bread", "cat", "pier"),
            rounds=("main",),
            groups=("expert", "naive"),
            categories=("none", "new"),
            includes=("models", "open"),
            model="baseline-notices",
            reader="dev",
        ),
    ),
    "sortal": Golden(
        demo("sortal"),
        Asked(
            "categories",
            coders=("mo", "sue"),
            texts=("bulletin", "match"),
            rounds=("main", "pilot"),
            categories=("concept", "event"),
            full=True,
            reader="mo",
        ),
    ),
    "links": Golden(
        demo("links"), Asked("pointers", small=True, coders=("alice", "bob"), texts=("lamp",), reader="alice")
    ),
    "letters": Golden(
        demo("letters"),
        Asked(
            "pointers",
            coders=("eva", "tom"),
            texts=("ferry", "lamp"),
            rounds=("main", "pilot"),
            categories=("none", "new"),
            questions={
                "bridging": "targets",
                "bridging-kind": "values",
                "genericity": "values",
                "generic-kind": "values",
                "empty-kind": "values",
                "gender": "values",
                "number": "values",
            },
            full=True,
            reader="noor",
        ),
    ),
    "topics": Golden(
        demo("topics"),
        Asked(
            "categories",
            coders=("eva", "noor"),
            texts=("crane", "fees"),
            rounds=("main",),
            questions={"topics": "labels", "stance": "values"},
            full=True,
            reader="eva",
        ),
    ),
    "summaries": Golden(
        demo("summaries"),
        Asked(
            "scus",
            coders=("ida", "jon"),
            texts=("bridge",),
            rounds=("main",),
            docsets=("bridge",),
            full=True,
            reader="ida",
        ),
    ),
    "chronicle": Golden(
        demo("chronicle"),
        Asked(
            "pointers",
            coders=("kim", "lou", "ute"),
            texts=("news-oil", "pilot-market"),
            rounds=("main", "pilot"),
            categories=("none", "new"),
            includes=("repeats", "practice", "open"),
            reader="kim",
        ),
    ),
    "wide": Golden(
        make_wide,
        Asked(
            "pointers",
            coders=("amy", "dan", "gus"),
            texts=("text-04", "text-20", "text-33"),
            rounds=("main", "pilot", "recheck"),
            groups=("expert", "student"),
            categories=("place", "none"),
            questions={
                "bridging": "targets",
                "gender": "values",
                "topics": "labels",
                "count": "numbers",
                "part": "values",
                "animacy": "values",
            },
            includes=("models", "repeats", "open", "practice", "models,repeats,open"),
            model="robot",
            versions=("1",),
            reader="cleo",
            rich=True,
        ),
    ),
    "marks": Golden(
        make_marks,
        Asked(
            "categories",
            coders=("ivy", "jan", "max"),
            texts=("text-04", "text-50"),
            rounds=("pooled", "shared"),
            groups=("early", "late"),
            categories=("event", "other"),
            includes=("open",),
            reader="kit",
            rich=True,
        ),
    ),
    "towers": Golden(
        make_towers,
        Asked(
            "scus",
            coders=("ida", "jon"),
            texts=("set-0", "set-8"),
            rounds=("main", "second"),
            docsets=("set-0", "set-8"),
            reader="kay",
            rich=True,
        ),
    ),
    "nobody": Golden(partial(make_small, "nobody", 1, 0), Asked("pointers", small=True, texts=("text-00",))),
    "nothing": Golden(
        partial(make_small, "nothing", 0, 2), Asked("pointers", small=True, coders=("amy", "bert"), reader="amy")
    ),
    "alone": Golden(
        partial(make_small, "alone", 1, 1),
        Asked("pointers", small=True, coders=("amy",), texts=("text-00",), reader="amy"),
    ),
    "two": Golden(
        partial(make_small, "two", 1, 2),
        Asked("pointers", small=True, coders=("amy", "bert"), texts=("text-00",), reader="bert"),
    ),
    "empty": Golden(
        make_empty, Asked("categories", small=True, coders=("ivy", "jan"), texts=("text-00",), reader="ivy")
    ),
}
