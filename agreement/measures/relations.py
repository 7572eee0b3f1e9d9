"""How two values of one unit are related (Passonneau 2004, section 2)."""

from collections.abc import Hashable

from agreement.measures.values import Value, without

RELATIONS = ("identity", "subsumption", "intersection", "disjunction", "category")


def relation(a: Value, b: Value, unit: Hashable = None) -> str:
    """One of RELATIONS, after removing `unit` (if given) from both values.

    A pair with a label in it is "identity" or "category", a clash of categories. The empty set is subsumed
    by every other set.

    >>> relation(frozenset("CH"), frozenset("CHJK"), unit="C")
    'subsumption'
    >>> relation("place", "none")
    'category'
    """
    if unit is not None:
        a, b = without(a, unit), without(b, unit)
    if a == b:
        return "identity"
    if not (isinstance(a, frozenset) and isinstance(b, frozenset)):
        return "category"
    if a <= b or b <= a:
        return "subsumption"
    return "intersection" if a & b else "disjunction"
