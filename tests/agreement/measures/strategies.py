"""Small random reliability data."""

from hypothesis import strategies as st

from agreement.measures import Readings, ReliabilityData
from tests.agreement.measures.exact import Several, united

LABELS = ("place", "none", "new")
CONVENTIONS = {"empty": st.sampled_from(["subset", "disjoint"]), "thirds": st.sampled_from(["exact", "rounded"])}
OPTIONS = st.fixed_dictionaries({"exclude_unit": st.sampled_from(["none", "observed", "both"])} | CONVENTIONS)


@st.composite
def tables(draw, sets=True, labels=True, readings=False):
    """Draw ({unit: row}, {unit: document}): documents, labels, sets with and without the unit, turns, gaps.

    With readings, some values are several sets.
    """
    n_coders = draw(st.integers(1, 4))
    table, documents = {}, {}
    for d in range(draw(st.integers(1, 3))):
        units = [f"{d}.{i}" for i in range(draw(st.integers(0, 5)))]
        members = [*units, f"turn {d}.1", f"turn {d}.2"]
        choices = [st.none()]
        if labels:
            choices.append(st.sampled_from(LABELS))
        for unit in units:
            # few distinct sets, so that they come back and overlap
            some_sets = st.frozensets(st.sampled_from(members), max_size=4)
            own = some_sets.map(frozenset({unit}).union)
            several = st.frozensets(some_sets | own, min_size=2, max_size=4).map(Several)
            cells = st.one_of(*choices, *([some_sets, own, own] if sets else []), *([several] * 3 if readings else []))
            table[unit] = draw(st.lists(cells, min_size=n_coders, max_size=n_coders))
            documents[unit] = f"text {d}"
    return table, documents


@st.composite
def number_tables(draw, low=0):
    """Draw ({unit: row}, {unit: document}) with whole numbers as labels, and gaps."""
    n_coders = draw(st.integers(1, 4))
    cells = st.one_of(st.none(), st.integers(low, 4), st.integers(low, 4))
    rows = draw(
        st.lists(st.tuples(st.lists(cells, min_size=n_coders, max_size=n_coders), st.sampled_from("xyz")), max_size=9)
    )
    return {f"u{i}": row for i, (row, _) in enumerate(rows)}, {f"u{i}": text for i, (_, text) in enumerate(rows)}


def data_of(table, documents, coders=None):
    """Return the data in the order of the table, with letters as names of coders unless `coders` names them."""
    n_coders = len(next(iter(table.values()), []))
    names = "ABCDEFGH"[:n_coders] if coders is None else coders
    rows = [[as_given(value) for value in row] for row in table.values()]
    return ReliabilityData.from_values(list(table), names, rows, [documents[u] for u in table])


def as_given(value):
    """Return a value of the exact definitions as the library takes it."""
    return Readings(value.sets) if isinstance(value, Several) else value


def one_document(rows, coders=None):
    """Return data from rows of values; the units are numbers from 0 unless `rows` is a mapping."""
    table = rows if isinstance(rows, dict) else dict(enumerate(rows))
    return data_of(table, dict.fromkeys(table, "text"), coders)


def map_members(value, change):
    """Return a value whose members are changed; a label as it is."""
    if isinstance(value, Several):
        return Several(frozenset(map_members(members, change) for members in value.sets))
    return frozenset(map(change, value)) if isinstance(value, frozenset) else value


def rename(value, suffix):
    """Return a set with the suffix behind each member; a label as it is."""
    return map_members(value, lambda member: f"{member}{suffix}")


def rearrange(table, documents, order, units):
    """Return the same data with coders and units in another order, and with other names of everything."""

    def renamed(value):
        return f"label {value}" if isinstance(value, str) else map_members(value, lambda member: ("new", member))

    return (
        {("new", unit): [renamed(table[unit][coder]) for coder in order if coder < len(table[unit])] for unit in units},
        {("new", unit): ("document", document) for unit, document in documents.items()},
    )


@st.composite
def chain_tables(draw, n_coders=None, most_units=6, ambiguous=True):
    """Draw ({unit: row}, {unit: document}) of whole chains: one unit in several, labels, turns, gaps, other documents.

    A chain is what a coder gave one number; a unit with two numbers is ambiguous, and has `Several` sets, or their
    union. Some chains have a turn in them.
    """
    n_coders = draw(st.integers(1, 5)) if n_coders is None else n_coders
    table, documents = {}, {}
    for d in range(draw(st.integers(1, 2))):
        units = [f"{d}.{i}" for i in range(draw(st.integers(0, most_units)))]
        columns = [_chain_values(draw, units, f"turn {d}", ambiguous) for _ in range(n_coders)]
        for unit in units:
            table[unit] = [column.get(unit) for column in columns]
            documents[unit] = f"text {d}"
    return table, documents


def _chain_values(draw, units, turn, ambiguous):
    """Return what one coder says: the value of each unit that the coder marked."""
    single = st.integers(0, 2).map(lambda number: (number,))
    several = st.sampled_from([(0, 1), (1, 2)])
    choices = [st.none(), st.sampled_from(LABELS), single, single, single, *([several] if ambiguous else [])]
    answers = {unit: draw(st.one_of(*choices)) for unit in units}
    chains = {
        number: {u for u, answer in answers.items() if isinstance(answer, tuple) and number in answer}
        for number in range(3)
    }
    if draw(st.booleans()):
        chains[0].add(turn)
    union = draw(st.booleans())
    values = {}
    for unit, answer in answers.items():
        if isinstance(answer, tuple):
            sets = [frozenset(chains[number]) for number in answer]
            values[unit] = frozenset().union(*sets) if union else united(sets)
        elif answer is not None:
            values[unit] = answer
    return values
