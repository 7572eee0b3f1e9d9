"""Large-sample standard errors of kappas, as their sources give them."""

from math import sqrt

import numpy as np

from ..values import Floats, Ints


def cohen_errors(
    codes: Ints, n_labels: int, distances: Floats | None, kappa: float
) -> tuple[float | None, float | None]:
    """Return the standard errors of (weighted) kappa: for intervals, and where agreement is by chance only.

    `codes` has the shape (units, 2), `distances` (labels, labels) or None where labels are equal or not
    (Fleiss, Cohen & Everitt 1969). None where the variance is 0.
    """
    n = len(codes)
    table = np.bincount(codes[:, 0] * n_labels + codes[:, 1], minlength=n_labels**2).reshape(n_labels, n_labels) / n
    similar = np.eye(n_labels) if distances is None else 1 - distances
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    chance = np.outer(rows, columns)
    expected = float((similar * chance).sum())
    means = (similar @ columns)[:, None] + (similar.T @ rows)[None, :]
    room = n * (1 - expected) ** 2
    spread = float((table * (similar - means * (1 - kappa)) ** 2).sum()) - (kappa - expected * (1 - kappa)) ** 2
    null = float((chance * (similar - means) ** 2).sum()) - expected**2
    return _square_root(spread / room), _square_root(null / room)


def fleiss_error(counts: Ints, m: int, variance: str) -> float | None:
    """Return the standard error of K where agreement is by chance only, of units with m coders each.

    `counts` says how often each value was given.

    "1979": 2 ((sum pq)^2 - sum pq(q - p)) / (N m (m - 1) (sum pq)^2) under the root, with the proportions p of the
    values and q = 1 - p (Fleiss, Nee & Landis 1979). "1971": 2 (Ae - (2m - 3) Ae^2 + 2(m - 2) sum p^3) /
    (N m (m - 1) (1 - Ae)^2), Ae = sum p^2 (Fleiss 1971, since withdrawn).
    """
    n = int(counts.sum())
    p = counts[counts > 0] / n
    q = 1 - p
    room = n * (m - 1)
    if variance == "1971":
        agreed = float((p**2).sum())
        spread = agreed - (2 * m - 3) * agreed**2 + 2 * (m - 2) * float((p**3).sum())
        return _square_root(2 * spread / (room * (1 - agreed) ** 2))
    apart = float((p * q).sum())
    return _square_root(2 * (apart**2 - float((p * q * (q - p)).sum())) / (room * apart**2))


def _square_root(variance: float) -> float | None:
    return sqrt(variance) if variance > 0 else None
