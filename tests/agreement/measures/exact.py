"""The definitions, written out slowly in exact fractions. Nothing here comes from the library."""

from collections import namedtuple
from fractions import Fraction
from itertools import combinations, permutations

# A value with several readings: a frozenset of two sets or more.
Several = namedtuple("Several", "sets")

THIRDS = {
    "exact": (Fraction(1, 3), Fraction(2, 3)),
    "rounded": (Fraction(33, 100), Fraction(67, 100)),
}


def united(sets):
    """Return the value with these readings."""
    sets = frozenset(sets)
    return Several(sets) if len(sets) > 1 else next(iter(sets))


def without(value, unit):
    if isinstance(value, Several):
        return united(members - {unit} for members in value.sets)
    return value - {unit} if isinstance(value, frozenset) else value


def distance(a, b, name, empty="subset", thirds="exact"):
    if a == b:
        return Fraction(0)
    if not (isinstance(a, frozenset | Several) and isinstance(b, frozenset | Several)):
        return Fraction(1)
    few, other = sorted((list(v.sets) if isinstance(v, Several) else [v] for v in (a, b)), key=len)
    similar = [
        sum((1 - set_distance(r, s, name, empty, thirds) for r, s in zip(few, some, strict=True)), Fraction(0))
        for some in permutations(other, len(few))
    ]
    return 1 - max(similar) / len(other)


def set_distance(a, b, name, empty, thirds):
    if a == b:
        return Fraction(0)
    if name == "nominal":
        return Fraction(1)
    third, two = THIRDS[thirds]
    if not a or not b:
        step = third if empty == "subset" else Fraction(1)
    elif a < b or b < a:
        step = third
    else:
        step = two if a & b else Fraction(1)
    jaccard = Fraction(len(a & b), len(a | b))
    return {
        "passonneau": step,
        "jaccard": 1 - jaccard,
        "dice": 1 - Fraction(2 * len(a & b), len(a) + len(b)),
        "masi": 1 - jaccard * (1 - step),
        "masi-product": step * (1 - jaccard),
    }[name]


def alpha(table, name, exclude_unit="none", empty="subset", thirds="exact", own=lambda unit: unit):
    """Return (alpha, Do, De) of {unit: [value or None per coder]}; None stands for an undefined figure.

    own: the member that a unit of the table is, where it is a copy of one.
    """

    def d(a, b):
        return name(a, b) if callable(name) else distance(a, b, name, empty, thirds)

    def reduced(unit, value):
        return without(value, own(unit))

    judged = {u: [v for v in row if v is not None] for u, row in table.items()}
    judged = {u: row for u, row in judged.items() if len(row) > 1}
    n = sum(len(row) for row in judged.values())
    if n == 0:
        return None, None, None
    do = Fraction(0)
    for unit, row in judged.items():
        values = row if exclude_unit == "none" else [reduced(unit, v) for v in row]
        pairs = [d(a, b) for a, b in permutations(values, 2)]
        do += Fraction(len(row), n) * sum(pairs, Fraction(0)) / len(pairs)
    pool = [reduced(u, v) if exclude_unit == "both" else v for u, row in judged.items() for v in row]
    de = sum((2 * d(a, b) for a, b in combinations(pool, 2)), Fraction(0)) / (n * (n - 1))
    return (1 - do / de if de else None), do, de


def closure(start, edges):
    """Return everything that `start` reaches, `start` included."""
    found = set(start)
    while True:
        more = {b for a, b in edges if a in found} - found
        if not more:
            return found
        found |= more


def readings_of(targets):
    """Return the readings that pointers say: a set has alternatives, a list has readings, each a target or a set."""
    if isinstance(targets, list | tuple):
        return {frozenset(target) if isinstance(target, set | frozenset) else frozenset({target}) for target in targets}
    return {frozenset({target}) for target in targets}


def chain(m, readings, plural):
    """Return all that m reaches, and what reaches that by the pointers of readings with one target."""
    edges = {(source, t) for source, several in readings.items() for reading in several for t in reading}
    alone = {
        (source, t) for source, several in readings.items() for reading in several if len(reading) == 1 for t in reading
    }
    return closure(closure({m}, edges if plural == "targets" else alone), {(t, source) for source, t in alone})


def chain_labels(order, categories, pointers, discourse, mode, top, choice="union", plural="targets"):
    readings = {m: readings_of(targets) for m, targets in pointers.items()}
    pointed_at = {t for several in readings.values() for reading in several for t in reading}

    def value(m, readings):
        if mode == "none":
            return frozenset().union(*readings.get(m, ()))
        members = chain(m, readings, plural)
        if mode == "full":
            return frozenset(members)
        before = set(order[: order.index(m)])
        return frozenset(x for x in members if x != m and (x in before or x in discourse))

    values = {}
    for m, category in categories.items():
        own = readings.get(m, set())
        if not own and not (top == "chain" and m in pointed_at):
            values[m] = category
        elif choice == "matched" and len(own) > 1:
            values[m] = united(value(m, readings | {m: {reading}}) for reading in own)
        else:
            values[m] = value(m, readings)
    return values


def ordered_distance(name, table):
    """Return the interval or ratio distance, or the ordinal one of these data."""
    pool = sorted(v for row in judgements(table).values() for v in row)

    def ordinal(a, b):
        low, high = min(a, b), max(a, b)
        ends = Fraction(pool.count(low) + pool.count(high), 2)
        return (sum(low <= v <= high for v in pool) - ends) ** 2

    return {
        "ordinal": lambda a, b: Fraction(0) if a == b else ordinal(a, b),
        "interval": lambda a, b: Fraction((a - b) ** 2),
        "ratio": lambda a, b: Fraction(a - b, a + b) ** 2 if a + b else Fraction(0),
    }[name]


def judgements(table):
    judged = {u: [v for v in row if v is not None] for u, row in table.items()}
    return {u: row for u, row in judged.items() if len(row) > 1}


def shares(values):
    return {v: Fraction(values.count(v), len(values)) for v in values}


def similarity(name="nominal", empty="subset", thirds="exact"):
    if callable(name):
        return lambda a, b: 1 - name(a, b)
    return lambda a, b: 1 - distance(a, b, name, empty, thirds)


def agreed(first, second, similar):
    """Return the agreement of a draw from each of two distributions."""
    return sum((p * q * similar(a, b) for a, p in first.items() for b, q in second.items()), Fraction(0))


def kappa(coefficient, table, missing="available", similar=None, q=None, total=None):
    """Return (value, Ao, Ae) of a coefficient, by its name in FAMILY, of {unit: [value or None per coder]}.

    q: the number of categories, where it is not that of the values in use. total: the sum of all similarities of two
    categories, for AC2.
    """
    similar = similar or similarity()
    rows = list(table.values())
    if missing == "drop":
        rows = [row for row in rows if row and None not in row]
    rows = [row for row in rows if any(v is not None for v in row)]
    given = [[v for v in row if v is not None] for row in rows]
    paired = [row for row in given if len(row) > 1]
    if not paired:
        return None, None, None
    ao = sum(
        sum((similar(a, b) for a, b in permutations(row, 2)), Fraction(0)) / (len(row) * (len(row) - 1))
        for row in paired
    ) / len(paired)
    pool = {}
    for row in given:
        for v, share in shares(row).items():
            pool[v] = pool.get(v, Fraction(0)) + share / len(given)
    own = [shares([v for v in column if v is not None]) for column in zip(*rows, strict=True)]
    q = q or len(pool)
    if coefficient == "Ao":
        return ao, ao, None
    if coefficient == "S":
        ae = Fraction(1, q)
    elif coefficient in ("K", "pi"):
        ae = agreed(pool, pool, similarity())
    elif coefficient == "AC1":
        ae = Fraction(1) if q < 2 else (total or q) * (1 - agreed(pool, pool, similarity())) / (q * (q - 1))
    elif coefficient in ("multi-kappa", "kappa", "beta"):
        pairs = [agreed(a, b, similar) for a, b in combinations([s for s in own if s], 2)]
        ae = sum(pairs) / len(pairs)
    else:
        raise ValueError(f"{coefficient} has no definition in fractions: give it one here")
    return (None if ae == 1 else (ao - ae) / (1 - ae)), ao, ae


def augmented(table, p):
    """Return Rosenberg & Binkowski's kappa; a value is a label, a pair of labels or a set of alternatives."""

    def votes(value):
        if isinstance(value, frozenset):
            return {member: Fraction(1, len(value)) for member in value} or {value: Fraction(1)}
        return {value[0]: p, value[1]: 1 - p} if isinstance(value, tuple) else {value: Fraction(1)}

    def product(a, b):
        return sum((share * b.get(label, 0) for label, share in a.items()), Fraction(0))

    rows = [[votes(v) for v in row if v is not None] for row in table.values()]
    rows = [row for row in rows if len(row) > 1]
    if not rows:
        return None
    ao = sum(sum(product(a, b) for a, b in permutations(r, 2)) / Fraction(len(r) * (len(r) - 1)) for r in rows)
    ao /= len(rows)
    own = []
    for column in zip(*table.values(), strict=True):
        given = [votes(v) for v in column if v is not None]
        if given:
            labels = {label for vote in given for label in vote}
            own.append({label: sum(vote.get(label, Fraction(0)) for vote in given) / len(given) for label in labels})
    pairs = [product(a, b) for a, b in combinations(own, 2)]
    ae = sum(pairs) / len(pairs)
    return None if ae == 1 else (ao - ae) / (1 - ae)


def components(table):
    """Return {unit: component} of {unit: [value or None per coder]}: what hangs together through sets."""
    edges = set()
    for unit, row in table.items():
        for value in row:
            value = frozenset().union(*value.sets) if isinstance(value, Several) else value
            if isinstance(value, frozenset):
                edges |= {(("unit", unit), ("unit", m)) for m in value}
    edges |= {(b, a) for a, b in edges}
    return {unit: frozenset(closure({("unit", unit)}, edges)) for unit in table}


def without_each(table, group_of_unit, coefficient):
    """Return {group: coefficient without it} for the groups that have a unit with two values."""
    groups = dict.fromkeys(group_of_unit[unit] for unit in judgements(table))
    return {
        group: coefficient({unit: row for unit, row in table.items() if group_of_unit[unit] != group})
        for group in groups
    }


def jackknife_variance(values):
    """Return (g - 1)/g times the sum of squared deviations of g values from their mean."""
    g, center = len(values), sum(values, Fraction(0)) / len(values)
    return Fraction(g - 1, g) * sum(((value - center) ** 2 for value in values), Fraction(0))


def cross_alpha(table, n_first, name, exclude_unit="none", empty="subset", thirds="exact"):
    """Return (1 - Do/De, Do, De) between the first coders and the others, pair by pair; None where undefined."""

    def d(a, b):
        return name(a, b) if callable(name) else distance(a, b, name, empty, thirds)

    def seen(unit, value, rules):
        return without(value, unit) if exclude_unit in rules else value

    units = {}
    for unit, row in table.items():
        groups = [[value for value in part if value is not None] for part in (row[:n_first], row[n_first:])]
        if all(groups):
            units[unit] = groups
    if not units:
        return None, None, None
    total, weights = Fraction(0), 0
    for unit, (first, second) in units.items():
        pairs = [
            d(seen(unit, a, ("observed", "both")), seen(unit, b, ("observed", "both"))) for a in first for b in second
        ]
        total += (len(first) + len(second)) * sum(pairs, Fraction(0)) / len(pairs)
        weights += len(first) + len(second)
    pools = [
        [seen(unit, value, ("both",)) for unit, groups in units.items() for value in groups[side]] for side in (0, 1)
    ]
    distances = [d(a, b) for a in pools[0] for b in pools[1]]
    do, de = total / weights, sum(distances, Fraction(0)) / len(distances)
    return (1 - do / de if de else None), do, de


def members(value):
    """Return all members of a set or of several; None of what is no set."""
    if isinstance(value, Several):
        return frozenset().union(*value.sets)
    return value if isinstance(value, frozenset) else None


def joins(values, first, second):
    """Say whether one coder ({unit: value or None}) joins (1) two nodes, parts (-1) them or says nothing (0).

    What has no entry among the values is only a member of sets, as a turn.
    """
    sets = [members(value) for value in values.values()]
    units = [node for node in (first, second) if node in values]
    own = [members(values[unit]) for unit in units]
    if None in own:
        return 0
    if units:
        joined = all({first, second} <= value for value in own)
    else:
        joined = any({first, second} <= value for value in sets if value is not None)
    return 1 if joined else -1


def pair_votes(table, documents):
    """Return {(node, node): coders who join the pair minus coders who part it} of two nodes of one document each."""
    votes = {}
    for document in dict.fromkeys(documents.values()):
        rows = {unit: row for unit, row in table.items() if documents[unit] == document}
        nodes = list(rows)
        for row in rows.values():
            for value in row:
                nodes += sorted(set(members(value) or ()) - set(nodes))
        columns = [column for column in zip(*rows.values(), strict=True) if set(column) != {None}]
        coders = [dict(zip(rows, column, strict=True)) for column in columns]
        for pair in combinations(nodes, 2):
            votes[pair] = sum(joins(coder, *pair) for coder in coders)
    return votes


def partitions(things):
    """Return all partitions of a list, each as a number of a cluster for every thing."""
    clusterings = [[]]
    for _ in things:
        clusterings = [
            [*clustering, number] for clustering in clusterings for number in range(max(clustering, default=-1) + 2)
        ]
    return clusterings
