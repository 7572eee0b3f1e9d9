"""Published figures beside the figures that this library computes from the published data.

The table of docs/measures.md is this module's output. What cannot be computed because its data were not published is in
it too, and says so.
"""

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import mean

from .coefficients.alpha import alpha, relation
from .coefficients.kappas import fleiss_kappa, multi_kappa
from .coreference.scores import muc
from .data.chains import index_labels
from .data.reliability_data import ReliabilityData
from .distances import distance
from .values import Value

# Passonneau 2004, Table 1: what index each coder gave each of eleven noun phrases; 0 is none
MARKABLES = "ABCDEFGHJKL"
INDICES = {
    "RA.1": (1, 2, 3, 1, 2, 2, 4, 3, 4, 4, 2),
    "RA.2": (1, 2, 3, 1, 2, 2, 4, 5, 0, 4, 2),
    "RA.3": (1, 2, 3, 1, 2, 2, 4, 3, 3, 3, 2),
}
# Passonneau 2006, Figures 2 and 3: two coders' sets for x, y and z; Figure 4: SCUs of seven spans
FIGURE_2 = (("xy", "xyz"), ("xy", "xyz"), ("z", "xyz"))
FIGURE_3 = (("xy", "x"), ("xy", "yz"), ("z", "yz"))
SPANS = ("1234", "1234", "1234", "1234", "57", "6", "57")
# Warrens 2012, example 2a: how often four raters gave each combination of two categories
WARRENS = {"1111": 6, "1000": 5, "0000": 4}
MARKS = ("<!-- conformance: begin -->", "<!-- conformance: end -->")


@dataclass(frozen=True)
class Row:
    """One published figure, the computed figure, and the conventions or the reason for a difference."""

    source: str
    published: str
    computed: str
    how: str

    @property
    def reproduces(self) -> bool | None:
        """Return whether the computed figure rounds to the published one; None if nothing can be computed."""
        if not self.computed:
            return None
        if not re.fullmatch(r"-?\d*\.\d+", self.published):
            return self.published == self.computed
        step = 10.0 ** -len(self.published.partition(".")[2])
        # a figure may have been cut off where it should have been rounded
        return -0.5 * step <= abs(float(self.computed)) - abs(float(self.published)) < step


def rows() -> Iterator[Row]:
    """Yield every published figure, in the order of the sources."""
    yield from _passonneau_2004()
    yield from _poesio_artstein_2005()
    yield from _passonneau_2006()
    yield from _slides()
    yield from _others()


def table() -> str:
    """Return the rows as a table in Markdown."""
    lines = ["| source | published | computed | same | convention, or why not |", "|---|---:|---:|---|---|"]
    for row in rows():
        same = {True: "yes", False: "**no**", None: "–"}[row.reproduces]
        lines.append(f"| {row.source} | {row.published} | {row.computed or 'not reproducible'} | {same} | {row.how} |")
    return "\n".join(lines)


def _news_data() -> ReliabilityData:
    """Return the eleven noun phrases of Passonneau 2004, Table 2."""
    given = (dict(zip(MARKABLES, indices, strict=True)) for indices in INDICES.values())
    coders = [index_labels(MARKABLES, {markable: {index} - {0} for markable, index in own.items()}) for own in given]
    values = [[values[markable] for values in coders] for markable in MARKABLES]
    return ReliabilityData.from_values(MARKABLES, list(INDICES), values, ["news"] * len(MARKABLES))


def _passonneau_2004() -> Iterator[Row]:
    news = _news_data()
    source = "Passonneau 2004, Table 2"

    def value(distance: str, exclude_unit: str, thirds: str = "exact") -> str:
        return f"{alpha(news, distance, exclude_unit=exclude_unit, thirds=thirds).value:.6f}"

    four = 'four steps, `exclude_unit="both"`, `empty="subset"`'
    yield Row(f"{source}, nominal", ".45", value("nominal", "none"), "values compared as they are")
    how = "by the definition; the paper compares whole values here"
    yield Row(f"{source}, nominal, unit removed", ".45", value("nominal", "both"), how)
    yield Row(f"{source}, distance", ".74", value("passonneau", "both", "rounded"), f'{four}, `thirds="rounded"`')
    yield Row(f"{source}, distance, exact thirds", ".74", value("passonneau", "both"), f'{four}, `thirds="exact"`')
    how = "the unit makes all values of a unit intersect, so that they seem closer"
    yield Row(f"{source}, distance, unit not removed", ".74", value("passonneau", "none"), how)
    cells = dict(zip(news.units, news.codes.tolist(), strict=True))
    pairs = ("C", 0, 2, "subsumption"), ("J", 0, 2, "intersection"), ("K", 1, 2, "disjunction")
    for unit, first, second, published in pairs:
        a, b = (news.value(cells[unit][coder]) for coder in (first, second))
        coders = f"{news.coders[first]}, {news.coders[second]}"
        yield Row(f"the same, section 2, {unit}, {coders}", published, relation(a, b, unit), "unit removed")
    recall = muc([{"C", "H", "J", "K"}], [{"C", "H"}, {"J", "K"}]).recall
    fraction = Fraction(recall).limit_denominator(100)
    yield Row("the same, example of Vilain et al. 1995", "2/3", str(fraction), "recall of {C, H, J, K} cut in two")
    why = "its counts are described in a report of 1997 only; `link_kappa` answers the same question"
    yield Row("the same, Table 3, EQ kappa", ".65 to .93", "", why)


def _poesio_artstein_2005() -> Iterator[Row]:
    why = "the annotations of the 18 coders are not published; every setting can be computed"
    yield Row("Poesio & Artstein 2005, Table 3, K and alpha", ".450 to .677", "", why)
    yield Row("the same, Table 4, alpha in 36 conditions", ".418 to .691", "", why)


def _passonneau_2006() -> Iterator[Row]:
    for name, figure, published in (("2", FIGURE_2, ("5/9", "10/27")), ("3", FIGURE_3, ("4/9", "6/27"))):
        for measure, expected in zip(("jaccard", "masi"), published, strict=True):
            similar = mean(1 - distance(frozenset(a), frozenset(b), measure) for a, b in figure)
            fraction = Fraction(similar).limit_denominator(100)
            how = "unit not removed, the z of A3 read as {z}"
            if expected == "6/27":
                how = "the text misstates two of the Jaccard values (1/3, 2/3, 1/3 for 1/2, 1/3, 1/2; the same mean)"
            shown = str(fraction)
            if expected.endswith("/27"):
                shown = f"{fraction.numerator * (27 // fraction.denominator)}/27"
            yield Row(f"Passonneau 2006, Figure {name}, {measure}", expected, shown, how)
    rest: Value = frozenset("1234567")
    values = [[frozenset(first), rest] for first in SPANS]
    spans = ReliabilityData.from_values("1234567", ["A1", "A2"], values, ["docset"] * 7)

    def value(distance: str, exclude_unit: str) -> str:
        return f"{alpha(spans, distance, exclude_unit=exclude_unit, thirds='rounded').value:z.4f}"

    source = "the same, Table 1, spans"
    conventions = '`empty="subset"`, `thirds="rounded"`'
    yield Row(f"{source}, Jaccard", "-.44", value("jaccard", "observed"), f'`exclude_unit="observed"`, {conventions}')
    how = f'`masi-product`, `exclude_unit="observed"`, {conventions}'
    yield Row(f"{source}, MASI", ".14", value("masi-product", "observed"), how)
    how = '`exclude_unit="both"`; no single convention gives the whole row'
    yield Row(f"{source}, nominal", ".0", value("nominal", "both"), how)
    how = "the convention that gives the other two of the row"
    yield Row(f"{source}, nominal", ".0", value("nominal", "observed"), how)
    why = "the full pyramids are not published"
    yield Row("the same, Table 1, words", "0, .64, .81", "", why)
    yield Row("the same, Table 2, five pyramids", ".01 to .80", "", why)
    why = "the peers as they were annotated are not published"
    yield Row("Passonneau et al. 2005, peers, kappa and alpha with Dice", ".57, .62", "", why)
    yield Row("Passonneau 2005, Pearson of scores by two pyramids", ".84 to .91", "", why)


def _slides() -> Iterator[Row]:
    def value(unanimous: str, last: str) -> str:
        values = [[label] * len(last) for label in unanimous] + [list(last)]
        data = ReliabilityData.from_values(range(10), range(len(last)), values, ["text"] * 10)
        return f"{fleiss_kappa(data).value:.6f}"

    yield Row("Strube's slides, two coders, balanced", ".85", value("AAABBBCCC", "AB"), "K")
    yield Row("the same, two coders, skewed", ".46", value("AAAAAAAAA", "BC"), "K")
    yield Row("the same, three coders, balanced", ".85", value("AAABBBCCC", "ABC"), "K")
    yield Row("the same, three coders, skewed", ".21", value("AAAAAAAAA", "ABC"), "K")
    how = "(PA - PE)/(1 - PE) of the printed PA and PE; 10 of 50 units are published"
    for name, published, agreed, expected in (("ten", ".5174", 0.6, 0.1712), ("three", ".7958", 0.88, 0.4122)):
        yield Row(f"the same, {name} classes", published, f"{(agreed - expected) / (1 - expected):.6f}", how)


def _others() -> Iterator[Row]:
    values = [list(row) for row, count in WARRENS.items() for _ in range(count)]
    data = ReliabilityData.from_values(range(len(values)), range(4), values, ["text"] * len(values))
    why = "by the definition; another program's authors found the same error in print"
    yield Row("Warrens 2012, example 2a, multi-kappa", ".645", f"{multi_kappa(data).value:.6f}", why)


def main(arguments: list[str] | None = None) -> None:
    """Print the table, or write it between the marks of a Markdown file."""
    parser = argparse.ArgumentParser(prog=f"python -m {__package__}.conformance", description=__doc__)
    parser.add_argument("--write", type=Path, help="a file that has the marks")
    options = parser.parse_args(arguments)
    if options.write is None:
        print(table())  # noqa: T201
        return
    begin, end = MARKS
    head, _, rest = options.write.read_text(encoding="utf-8").partition(begin)
    _, separator, tail = rest.partition(end)
    if not separator:
        raise SystemExit(f"{options.write}: the marks {begin} and {end} are not in it")
    options.write.write_text(f"{head}{begin}\n{table()}\n{end}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
