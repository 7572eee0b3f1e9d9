"""The definitions, written out slowly in exact fractions. Nothing here comes from the library."""

from fractions import Fraction
from itertools import combinations, permutations

THIRDS = {
    "exact": (Fraction(1, 3), Fraction(2, 3)),
    "rounded": (Fraction(33, 100), Fraction(67, 100)),
}


def distance(a, b, name, empty="subset", thirds="exact"):
    if a == b:
        return Fraction(0)
    if name == "nominal" or not (isinstance(a, frozenset) and isinstance(b, frozenset)):
        return Fraction(1)
    one, two = THIRDS[thirds]
    if not a or not b:
        step = one if empty == "subset" else Fraction(1)
    elif a < b or b < a:
        step = one
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


def alpha(table, name, exclude_unit="none", empty="subset", thirds="exact"):
    """(alpha, Do, De) of {unit: [value or None per coder]}; None for what is undefined."""

    def d(a, b):
        return name(a, b) if callable(name) else distance(a, b, name, empty, thirds)

    def reduced(unit, value):
        return value - {unit} if isinstance(value, frozenset) else value

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


def fleiss_kappa(table, missing="drop"):
    """(K, Ao, Ae) of {unit: [value or None per coder]}."""
    rows = [[v for v in row if v is not None] for row in table.values()]
    if missing == "drop":
        rows = [row for row, whole in zip(rows, table.values(), strict=True) if len(row) == len(whole)]
    rows = [row for row in rows if row]
    paired = [row for row in rows if len(row) > 1]
    if not paired:
        return None, None, None
    ao = sum(
        Fraction(sum(a == b for a, b in combinations(row, 2)), len(list(combinations(row, 2)))) for row in paired
    ) / len(paired)
    values = {v for row in rows for v in row}
    ae = sum((sum(Fraction(row.count(v), len(row)) for row in rows) / len(rows)) ** 2 for v in values)
    return (None if len(values) == 1 else (ao - ae) / (1 - ae)), ao, ae


def closure(start, edges):
    """Everything that `start` reaches, itself included."""
    found = set(start)
    while True:
        more = {b for a, b in edges if a in found} - found
        if not more:
            return found
        found |= more


def chain_labels(order, categories, pointers, discourse, mode, top):
    edges = {(m, t) for m, targets in pointers.items() for t in targets}
    back = {(b, a) for a, b in edges}
    values = {}
    for m, category in categories.items():
        targets = {b for a, b in edges if a == m}
        is_target = any(b == m for a, b in edges)
        if not targets and not (top == "chain" and is_target):
            values[m] = category
            continue
        chain = closure(closure({m}, edges), back)
        if mode == "none":
            values[m] = frozenset(targets)
        elif mode == "full":
            values[m] = frozenset(chain)
        else:
            before = set(order[: order.index(m)])
            values[m] = frozenset(x for x in chain if x != m and (x in before or x in discourse))
    return values
