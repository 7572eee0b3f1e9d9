"""The addresses of results and what they are asked for, written down: one that vanishes is noticed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

# Pages by the name that they have in the API of tables, with their addresses in a project.
PAGES = {
    "agreement": "agreement/",
    "grid": "agreement/grid/",
    "compare": "agreement/compare/",
    "difference": "agreement/difference/",
    "groups": "agreement/groups/",
    "texts": "agreement/texts/",
    "coders": "agreement/coders/",
    "coreference": "agreement/coreference/",
    "models": "agreement/models/",
    "gold": "agreement/gold/",
    "categories": "agreement/categories/",
    "course": "agreement/course/",
    "planning": "agreement/planning/",
    "items": "agreement/items/",
    "methods": "agreement/methods/",
    "data": "agreement/data/",
    "datasheet": "datasheet/",
    "allows": "scheme/allows/",
    "scores": "agreement/scores/",
    "study": "agreement/study/",
    "scus": "agreement/scus/",
    "peers": "agreement/peers/",
}
OF_PYRAMIDS = ("scores", "study", "scus", "peers")
# Pages that show figures, but no tables that the API lists.
OTHER_PAGES = ("agreement/headline/", "agreement/flags/", "agreement/texts/round/")
# Addresses of the API in a project.
API = (
    "agreement/",
    "agreement/data/",
    "agreement/compare/",
    "agreement/groups/",
    "agreement/models/",
    "agreement/gold/",
    "agreement/repeats/",
    "agreement/planning/",
    "agreement/coreference/",
    "agreement/grid/",
    "agreement/scores/",
    "agreement/study/",
    "agreement/scus/",
    "agreement/peers/",
    "agreement/items/",
    "agreement/mappings/",
    "agreement/tables/",
    "datasheet/",
    "tasks/",
)
REPORTS = (
    "alt-test",
    "categories",
    "compare",
    "coreference",
    "gold",
    "groups",
    "peers",
    "planning",
    "repeats",
    "scores",
    "scus",
    "study",
)
# Ways to compute for which the first page is asked of each project.
ALWAYS = ("preset", "question", "interval")
FORMS = ("csv", "json", "latex", "markdown")
COEFFICIENTS = ("alpha", "fleiss_kappa", "multi_kappa", "gwet_ac1", "beta", "bennett_s")
FOR_TWO = ("scott_pi", "cohen_kappa", "weighted_kappa")
SETS = ("nominal", "passonneau", "jaccard", "dice", "masi", "masi-product")
PRESETS = {
    "pointers": (
        "poesio-artstein-2005",
        "poesio-artstein-2005-exclusive",
        "poesio-artstein-2005-antecedents",
        "poesio-artstein-2005-k",
        "alpha-nominal",
    ),
    "indices": ("passonneau-2004", "passonneau-2004-nominal", "masi", "passonneau-2006"),
    "scus": (
        "passonneau-2006-words",
        "passonneau-2006-jaccard",
        "passonneau-2006-nominal",
        "passonneau-2006-spans",
        "passonneau-2006-spans-jaccard",
        "masi-words",
    ),
    "categories": ("kappa", "alpha-nominal"),
    "labels": ("masi-labels", "jaccard-labels"),
    "numbers": ("interval", "ordinal"),
}
CHOICES = {
    "pointers": {
        "distance": SETS,
        "chains": ("none", "partial", "full"),
        "top": ("category", "chain"),
        "readings": ("union", "matched"),
        "exclude_unit": ("none", "observed", "both"),
        "empty": ("subset", "disjoint"),
        "thirds": ("exact", "rounded"),
        "unmarked": ("missing", "singleton", "label"),
    },
    "indices": {
        "distance": SETS,
        "readings": ("matched",),
        "exclude_unit": ("none", "observed", "both"),
        "empty": ("disjoint",),
        "thirds": ("exact", "rounded"),
        "unmarked": ("missing", "singleton", "label"),
    },
    "scus": {
        "distance": SETS,
        "units": ("words", "spans"),
        "exclude_unit": ("none", "observed", "both"),
        "empty": ("disjoint",),
    },
    "categories": {"unmarked": ("missing", "label")},
}
# What no page takes, once each.
WRONG = (
    ("agreement/", "distance=ghost"),
    ("agreement/", "ghost=1"),
    ("agreement/", "preset=x"),
    ("agreement/", "coders=ghost"),
    ("agreement/", "texts=ghost"),
    ("agreement/", "rounds=ghost"),
    ("agreement/", "rounds=training"),
    ("agreement/", "without=ghost"),
    ("agreement/", "include=gold"),
    ("agreement/", "include=ghost"),
    ("agreement/", "versions=9"),
    ("agreement/", "versions=x"),
    ("agreement/", "question=ghost"),
    ("agreement/", "groups=ghost"),
    ("agreement/", "interval=ghost"),
    ("agreement/", "unmarked=%00"),
    ("agreement/coders/", "measure=ghost"),
    ("agreement/coders/nobody/none/", ""),
    ("agreement/texts/", "sort=ghost"),
    ("agreement/course/", "by=ghost"),
    ("agreement/planning/", "margin=0"),
    ("agreement/planning/", "power=2"),
    ("agreement/planning/", "sample=coders"),
    ("agreement/categories/", "merge=ghost:x"),
    ("agreement/categories/", "merge=x"),
    ("agreement/difference/", "by=ghost"),
    ("agreement/difference/", "by=round&first=ghost&second=ghost"),
    ("agreement/coreference/", "first=ghost"),
    ("agreement/models/", "candidate=ghost"),
    ("agreement/models/", "epsilon=-1"),
    ("agreement/gold/", "coder=ghost"),
    ("agreement/items/", "relation=ghost"),
    ("agreement/items/", "sort=ghost"),
    ("agreement/items/", "page=x"),
    ("agreement/items/ghost/phrase:0-1/", ""),
    ("agreement/scores/", "docset=ghost"),
    ("agreement/scores/", "mean=ghost"),
    ("agreement/study/", "first=ghost&second=ghost"),
    ("agreement/scus/", "kind=ghost"),
    ("agreement/peers/", "docset=ghost"),
)
WRONG_FILES = ("as=ghost&table=distances", "as=csv&table=ghost", "as=csv")


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a project is asked for: names that it has, and how much.

    answers: how its values are made. coders: two who have coded the same texts. questions: attributes and relations, by
    how their values are made. reader: a coder who reads the results when they are open. full: whether pages are asked
    for every way to compute, and for what they refuse; API and command are asked for every way anyhow. rich: whether
    pages besides the first are asked for choices of the data. small: nobody asks for other ways than the default.
    """

    answers: str
    coders: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    rounds: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    questions: Mapping[str, str] = field(default_factory=dict)
    includes: tuple[str, ...] = ()
    docsets: tuple[str, ...] = ()
    model: str = ""
    versions: tuple[str, ...] = ()
    reader: str = ""
    other: str = ""
    full: bool = False
    rich: bool = False
    small: bool = False


def selections(asked: Asked) -> Iterator[str]:
    """Yield a query for each way to choose of the data."""
    if len(asked.coders) > 1:
        yield f"coders={','.join(asked.coders)}"
    if asked.texts:
        yield f"texts={','.join(asked.texts)}"
    yield from (f"rounds={name}" for name in asked.rounds)
    yield from (f"groups={name}" for name in asked.groups)
    yield from (f"without={name}" for name in asked.categories[:1])
    yield from (f"include={name}" for name in asked.includes)
    yield from (f"versions={name}" for name in asked.versions)
    yield from (f"question={name}" for name in asked.questions)


def few_selections(asked: Asked) -> Iterator[str]:
    """Yield a query for one choice of each kind."""
    seen = set()
    for query in selections(asked):
        name = query.partition("=")[0]
        if name not in seen:
            seen.add(name)
            yield query


def conventions(asked: Asked) -> Iterator[str]:
    """Yield a query for each way to compute."""
    if asked.small:
        return
    yield from (f"preset={name}" for name in PRESETS[asked.answers])
    for name, choices in CHOICES[asked.answers].items():
        yield from (f"{name}={choice}" for choice in choices)
    yield from (f"coefficient={name}" for name in COEFFICIENTS[1:])
    yield "coefficient=fleiss_kappa&missing=drop"
    if len(asked.coders) > 1:
        yield from (f"coefficient={name}&coders={','.join(asked.coders[:2])}" for name in FOR_TWO)
    for question, kind in asked.questions.items():
        yield from (f"question={question}&preset={name}" for name in PRESETS.get(kind, ())[1:])
        yield f"question={question}&unasked=label"
        yield f"question={question}&coefficient=fleiss_kappa"
    yield "interval=bootstrap"


def queries_of_page(name: str, asked: Asked) -> Iterator[str]:
    """Yield the queries of a page besides none at all."""
    own = {
        "agreement": [
            *selections(asked),
            *(query for query in conventions(asked) if asked.full or query.startswith(ALWAYS)),
        ],
        "difference": _comparisons(asked),
        "texts": ["sort=value", "sort=shift", "sort=units"],
        "coders": [f"measure={one}" for one in ("observed_agreement", "cohen_kappa", "link_kappa", "muc", "blanc")],
        "coreference": ["first={}&second={}".format(*asked.coders)] if len(asked.coders) > 1 else [],
        "models": [f"candidate={asked.model}&epsilon=.1", f"candidate={asked.model}&q=.1"] if asked.model else [],
        "gold": [f"coder={one}" for one in asked.coders[:1]],
        "categories": [f"merge={one}:x,{other}:x" for one, other in [asked.categories[:2]]]
        if len(asked.categories) > 1
        else [],
        "course": ["by=round", "by=week", "by=operations"],
        "planning": ["margin=.05", "bound=.6", "difference=.1", "difference=.1&power=.9", "sample=both"],
        "items": [
            "sort=values", "sort=links", "sort=text", "page=2", "relation=overlap", "ambiguity=explicit",
            "ambiguity=ambiguous", "flag=set", "unsure=set", "note=set",
            *(f"text={one}" for one in asked.texts[:1]), *(f"category={one}" for one in asked.categories[:1]),
        ],
        "scores": ["mean=interpolate", "score=original", *(f"docset={one}" for one in asked.docsets)],
        "study": ["score=original", *(f"docset={one}" for one in asked.docsets)],
        "scus": [
            "view=subsumption", "kind=identity", "kind=unmatched", "sort=distance",
            *(f"docset={one}" for one in asked.docsets),
        ],
        "peers": [f"docset={one}" for one in asked.docsets],
    }  # fmt: skip
    yield from own.get(name, ())
    if asked.rich and name in ("coders", "items", "gold", "course", "categories", "texts", "groups", "data", "methods"):
        yield from few_selections(asked)


def _comparisons(asked: Asked) -> list[str]:
    pairs = [
        ("round", asked.rounds[:2]),
        ("group", asked.groups[:2]),
        ("category", asked.categories[:2]),
    ]
    found = [f"by={by}&first={two[0]}&second={two[1]}" for by, two in pairs if len(two) == 2]
    return [*found, *([f"by=project&first={asked.other}"] if asked.other else [])]


def queries_of_api(path: str, asked: Asked) -> Iterator[str]:
    """Yield the queries of an address of the API besides none at all."""
    pages = {address: name for name, address in PAGES.items()}
    if path == "agreement/":
        yield from [*selections(asked), *conventions(asked), "page=2&page_size=2"]
    elif path == "agreement/compare/":
        yield from _comparisons(asked)
    elif path in ("agreement/data/", "datasheet/"):
        yield from ["form=csv", "form=raw"] if path == "agreement/data/" else ["form=markdown"]
    elif path in ("agreement/items/", "agreement/planning/", "agreement/coreference/", "agreement/models/",
                  "agreement/scores/", "agreement/study/"):  # fmt: skip
        own = [query for query in queries_of_page(pages[path], asked) if "page=" not in query]
        yield from (f"{query}&page_size=12" for query in own) if path == "agreement/items/" else own
    if asked.rich and path in ("agreement/gold/", "agreement/repeats/", "agreement/groups/", "agreement/grid/"):
        yield from few_selections(asked)


def commands(asked: Asked, slug: str) -> Iterator[tuple[str, ...]]:
    """Yield the commands, each with its arguments."""
    for form in ("table", "csv", "json"):
        yield ("agreement", slug, "--format", form)
    for query in [*selections(asked), *conventions(asked)]:
        if not query.startswith("interval"):
            given = [one.partition("=")[::2] for one in query.split("&")]
            yield ("agreement", slug, *(f"--{name.replace('_', '-')}={value}" for name, value in given))
    options: dict[str, list[tuple[str, ...]]] = {
        "alt-test": [("--candidate", asked.model, *own) for own in ((), ("--epsilon", ".1")) if asked.model],
        "categories": [("--merge", f"{one}:x,{other}:x") for one, other in [asked.categories[:2]]]
        if len(asked.categories) > 1
        else [],
        "compare": [
            tuple(f"--{one}" for one in query.split("&")) for query in _comparisons(asked)
        ],
        "coreference": [("--first", asked.coders[0], "--second", asked.coders[1])] if len(asked.coders) > 1 else [],
        "planning": [("--margin", ".05"), ("--difference", ".1", "--power", ".9"), ("--sample", "both")],
        "scores": [("--mean", "interpolate")],
    }  # fmt: skip
    for report, form in product(REPORTS, ("table", "json")):
        yield ("agreement", slug, "--report", report, "--format", form)
    for report, several in options.items():
        for own, form in product(several, ("table", "json")):
            yield ("agreement", slug, "--report", report, *own, "--format", form)
    yield ("agreement", slug, "--report", "gold", "--format", "csv")
    for query in few_selections(asked) if asked.rich else ():
        name, _, value = query.partition("=")
        for report in ("gold", "repeats", "groups"):
            yield ("agreement", slug, "--report", report, f"--{name}={value}")
    yield ("agreement", slug, "--report", "scores", "--docset", "ghost")
    yield ("agreement", slug, "--coders", "ghost")
    yield ("agreement", slug, "--merge", "x:y")
    yield ("agreement", "ghost")
    yield ("datasheet", slug)
    yield ("datasheet", slug, "--format", "json")
    yield ("datasheet", "ghost")
