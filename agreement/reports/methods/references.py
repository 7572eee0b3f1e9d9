"""What a methods text cites: each source as a line of text and as an entry of BibTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# What BibTeX calls the place of publication, by kind of entry.
VENUE_FIELDS = {"article": "journal", "book": "publisher", "inproceedings": "booktitle"}


@dataclass(frozen=True, slots=True)
class Reference:
    """A source. `kind` is one of VENUE_FIELDS; authors are as "Passonneau, R. J."; `volume` is of a journal."""

    key: str
    kind: str
    authors: tuple[str, ...]
    year: int
    title: str
    venue: str
    volume: str = ""

    def __str__(self) -> str:
        """Return the source as a line of a bibliography."""
        names = " and ".join(filter(None, [", ".join(self.authors[:-1]), self.authors[-1]]))
        venue = f"{self.venue} {self.volume}".strip()
        return f"{names} ({self.year}). {self.title}. {venue}."

    @property
    def bibtex(self) -> str:
        """The entry for BibTeX."""
        fields = {
            "author": " and ".join(self.authors),
            "title": f"{{{self.title}}}",  # capitals stay
            "year": str(self.year),
            VENUE_FIELDS[self.kind]: self.venue,
            "volume": self.volume,
        }
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
        return f"@{self.kind}{{{self.key},\n{lines}}}"


def write_bibtex(references: Sequence[Reference]) -> str:
    """Return the references as a file for BibTeX."""
    return "\n\n".join(reference.bibtex for reference in references)


REFERENCES = {
    "alpha": Reference(
        "krippendorff1980",
        "book",
        ("Krippendorff, K.",),
        1980,
        "Content Analysis: An Introduction to Its Methodology",
        "Sage",
    ),
    "fleiss_kappa": Reference(
        "siegel-castellan1988",
        "book",
        ("Siegel, S.", "Castellan, N. J."),
        1988,
        "Nonparametric Statistics for the Behavioral Sciences",
        "McGraw-Hill",
    ),
    "multi_kappa": Reference(
        "davies-fleiss1982",
        "article",
        ("Davies, M.", "Fleiss, J. L."),
        1982,
        "Measuring agreement for multinomial data",
        "Biometrics",
        "38",
    ),
    "gwet_ac1": Reference(
        "gwet2008",
        "article",
        ("Gwet, K. L.",),
        2008,
        "Computing inter-rater reliability and its variance in the presence of high agreement",
        "British Journal of Mathematical and Statistical Psychology",
        "61",
    ),
    "beta": Reference(
        "artstein-poesio2008",
        "article",
        ("Artstein, R.", "Poesio, M."),
        2008,
        "Inter-coder agreement for computational linguistics",
        "Computational Linguistics",
        "34",
    ),
    "scott_pi": Reference(
        "scott1955",
        "article",
        ("Scott, W. A.",),
        1955,
        "Reliability of content analysis: the case of nominal scale coding",
        "Public Opinion Quarterly",
        "19",
    ),
    "cohen_kappa": Reference(
        "cohen1960",
        "article",
        ("Cohen, J.",),
        1960,
        "A coefficient of agreement for nominal scales",
        "Educational and Psychological Measurement",
        "20",
    ),
    "weighted_kappa": Reference(
        "cohen1968",
        "article",
        ("Cohen, J.",),
        1968,
        "Weighted kappa: nominal scale agreement with provision for scaled disagreement or partial credit",
        "Psychological Bulletin",
        "70",
    ),
    "bennett_s": Reference(
        "bennett-alpert-goldstein1954",
        "article",
        ("Bennett, E. M.", "Alpert, R.", "Goldstein, A. C."),
        1954,
        "Communications through limited response questioning",
        "Public Opinion Quarterly",
        "18",
    ),
    "augmented_kappa": Reference(
        "rosenberg-binkowski2004",
        "inproceedings",
        ("Rosenberg, A.", "Binkowski, E."),
        2004,
        "Augmenting the kappa statistic to determine interannotator reliability for multiply labeled data points",
        "HLT-NAACL",
    ),
    "cross_alpha": Reference(
        "wong-etal2021",
        "inproceedings",
        ("Wong, K.", "Paritosh, P.", "Aroyo, L."),
        2021,
        "Cross-replication reliability: an empirical approach to interpreting inter-rater reliability",
        "ACL",
    ),
    "passonneau": Reference(
        "passonneau2004",
        "inproceedings",
        ("Passonneau, R. J.",),
        2004,
        "Computing reliability for coreference annotation",
        "LREC",
    ),
    "masi": Reference(
        "passonneau2006",
        "inproceedings",
        ("Passonneau, R.",),
        2006,
        "Measuring agreement on set-valued items (MASI)",
        "LREC",
    ),
    "pyramids": Reference(
        "nenkova-passonneau2004",
        "inproceedings",
        ("Nenkova, A.", "Passonneau, R."),
        2004,
        "Evaluating content selection in summarization: the pyramid method",
        "HLT-NAACL",
    ),
    "chains": Reference(
        "poesio-artstein2005",
        "inproceedings",
        ("Poesio, M.", "Artstein, R."),
        2005,
        "The reliability of anaphoric annotation, reconsidered",
        "ACL Workshop",
    ),
    "jackknife": Reference(
        "miller1974",
        "article",
        ("Miller, R. G.",),
        1974,
        "The jackknife: a review",
        "Biometrika",
        "61",
    ),
}
