"""The input and output of plans, and the checks of the input."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

WEIGHT_UNIT = 1000  # weights are rounded to thousandths
SMALLEST_WEIGHT, LARGEST_WEIGHT = 0.001, 1000
LARGEST_SEED = 10**18 - 1
MAX_PLACES = 50_000  # larger plans are split into rounds
MAX_CODERS = 200


class Design(StrEnum):
    """The number of coders for the texts of a plan: all, k, k for a share of texts, or k by blocks."""

    ALL = "all"
    K = "k"
    SHARE = "share"
    BLOCKS = "blocks"


class PlanRefused(ValueError):
    """The request cannot be met; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class PlanText:
    """A text: `work` is its size in markables or words; texts of a `stratum` are spread evenly."""

    name: str
    work: int = 1
    stratum: str = ""


@dataclass(frozen=True, slots=True)
class PlanCoder:
    """A coder, who gets work in proportion to `weight`, and no more texts than `maximum`."""

    name: str
    weight: float = 1.0
    maximum: int | None = None


@dataclass(frozen=True, slots=True)
class Assignment:
    """A coder's text at a position of their list. Begun ones stay; `released` frees the place."""

    text: str
    coder: str
    begun: bool = False
    position: int = 0
    released: bool = False


@dataclass(frozen=True, slots=True)
class PlanParameters:
    """The options of a plan."""

    design: Design = Design.K
    k: int | None = 2  # coders of a text, or of a shared text; None: all
    share: float = 0.2  # of the texts that are shared
    blocks: int | None = None  # None: one for each coder
    calibration: int = 0  # number of texts for all coders, including `calibration_texts`
    calibration_texts: tuple[str, ...] = ()
    seed: int = 0
    move: bool = False  # move assignments that have not begun, too
    allow_unconnected: bool = False
    pool: bool = False  # assign nothing: coders take texts themselves
    additions: frozenset[tuple[str, str]] = frozenset()  # pairs of text and coder, applied by hand at the end
    removals: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Load:
    """The number of texts of a coder, and their work."""

    coder: str
    texts: int
    work: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """The coders of each text, and the texts of each coder in their order."""

    assignments: dict[str, tuple[str, ...]]
    orders: dict[str, tuple[str, ...]]
    loads: tuple[Load, ...]
    pairs: tuple[tuple[str, str, int], ...]  # numbers of texts that two coders share
    connected: bool  # whether shared texts connect the coders who have texts
    calibration: tuple[str, ...]
    needed: dict[str, int]  # the number of coders for each text
    new: tuple[tuple[str, str], ...]  # pairs of text and coder that do not exist yet; `removed` are pairs to delete
    removed: tuple[tuple[str, str], ...]


def check(texts: Sequence[PlanText], coders: Sequence[PlanCoder], parameters: PlanParameters) -> None:
    """Raise PlanRefused if there is nothing to plan, or for invalid numbers."""
    if not texts:
        raise PlanRefused("There are no texts to plan. Import texts, put some into the round, or choose another round.")
    if not coders:
        raise PlanRefused("This project has no coders. Add members with the role of coder first.")
    for kind, rows in (("texts", [text.name for text in texts]), ("coders", [coder.name for coder in coders])):
        if double := [name for name, number in Counter(rows).items() if number > 1]:
            raise PlanRefused(f"These {kind} are named twice: {', '.join(double)}.")
    for coder in coders:
        if not SMALLEST_WEIGHT <= coder.weight <= LARGEST_WEIGHT:
            raise PlanRefused(
                f"The weight of {coder.name} is {coder.weight:g}: weights lie between {SMALLEST_WEIGHT} and "
                f"{LARGEST_WEIGHT}. Leave out who takes no part."
            )
        if coder.maximum is not None and coder.maximum < 0:
            raise PlanRefused(f"The maximum of {coder.name} is {coder.maximum}: it cannot be negative.")
    _check_numbers(len(texts), len(coders), parameters)


def _check_numbers(n_texts: int, n_coders: int, parameters: PlanParameters) -> None:
    design, k, blocks = parameters.design, parameters.k, parameters.blocks
    if abs(parameters.seed) > LARGEST_SEED:
        raise PlanRefused(f"The seed is {parameters.seed}: it has 18 digits at most.")
    if design != Design.ALL and k is not None and not 1 <= k <= n_coders:
        people = "one person codes" if n_coders == 1 else f"{n_coders} people code"
        way_out = "each text needs one coder at least" if k < 1 else f"{people} here. Add coders, or choose a smaller k"
        raise PlanRefused(f"k is {k}, but {way_out}.")
    if design == Design.SHARE and not 0 <= parameters.share <= 1:
        raise PlanRefused(f"The share is {parameters.share:g}: it lies between 0 and 1.")
    if not 0 <= parameters.calibration <= n_texts:
        raise PlanRefused(
            f"The calibration set has {parameters.calibration} texts, but there are {n_texts}. Choose fewer."
        )
    if design == Design.BLOCKS and blocks is not None and not 1 <= blocks <= n_texts:
        raise PlanRefused(f"{blocks} blocks cannot be made of {n_texts} texts: choose from 1 to {n_texts}.")
    if n_coders > MAX_CODERS or n_texts * (n_coders if design == Design.ALL or k is None else k) > MAX_PLACES:
        raise PlanRefused(
            f"This plan is too large: {n_texts} texts by {n_coders} coders. Plan the texts in several rounds: a plan "
            f"has up to {MAX_CODERS} coders and {MAX_PLACES:,} assignments."
        )
