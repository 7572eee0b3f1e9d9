"""What a methods text cites: each source as a line of text and as an entry of BibTeX."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import batched

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


# By what is cited: key, kind and authors; the title; and the venue, of a journal with its volume.
SOURCES = """
alpha | krippendorff1980 | book | Krippendorff, K.
    Content Analysis: An Introduction to Its Methodology
    Sage
fleiss_kappa | siegel-castellan1988 | book | Siegel, S. and Castellan, N. J.
    Nonparametric Statistics for the Behavioral Sciences
    McGraw-Hill
multi_kappa | davies-fleiss1982 | article | Davies, M. and Fleiss, J. L.
    Measuring agreement for multinomial data
    Biometrics | 38
gwet_ac1 | gwet2008 | article | Gwet, K. L.
    Computing inter-rater reliability and its variance in the presence of high agreement
    British Journal of Mathematical and Statistical Psychology | 61
beta | artstein-poesio2008 | article | Artstein, R. and Poesio, M.
    Inter-coder agreement for computational linguistics
    Computational Linguistics | 34
scott_pi | scott1955 | article | Scott, W. A.
    Reliability of content analysis: the case of nominal scale coding
    Public Opinion Quarterly | 19
cohen_kappa | cohen1960 | article | Cohen, J.
    A coefficient of agreement for nominal scales
    Educational and Psychological Measurement | 20
weighted_kappa | cohen1968 | article | Cohen, J.
    Weighted kappa: nominal scale agreement with provision for scaled disagreement or partial credit
    Psychological Bulletin | 70
bennett_s | bennett-alpert-goldstein1954 | article | Bennett, E. M. and Alpert, R. and Goldstein, A. C.
    Communications through limited response questioning
    Public Opinion Quarterly | 18
augmented_kappa | rosenberg-binkowski2004 | inproceedings | Rosenberg, A. and Binkowski, E.
    Augmenting the kappa statistic to determine interannotator reliability for multiply labeled data points
    HLT-NAACL
cross_alpha | wong-etal2021 | inproceedings | Wong, K. and Paritosh, P. and Aroyo, L.
    Cross-replication reliability: an empirical approach to interpreting inter-rater reliability
    ACL
passonneau | passonneau2004 | inproceedings | Passonneau, R. J.
    Computing reliability for coreference annotation
    LREC
masi | passonneau2006 | inproceedings | Passonneau, R.
    Measuring agreement on set-valued items (MASI)
    LREC
pyramids | nenkova-passonneau2004 | inproceedings | Nenkova, A. and Passonneau, R.
    Evaluating content selection in summarization: the pyramid method
    HLT-NAACL
chains | poesio-artstein2005 | inproceedings | Poesio, M. and Artstein, R.
    The reliability of anaphoric annotation, reconsidered
    ACL Workshop
jackknife | miller1974 | article | Miller, R. G.
    The jackknife: a review
    Biometrika | 61
"""


def _read_sources(text: str) -> Iterator[tuple[str, Reference]]:
    lines = [[part.strip() for part in line.split("|")] for line in text.strip().splitlines()]
    for (name, key, kind, authors), [title], venue in batched(lines, 3):
        yield name, Reference(key, kind, tuple(authors.split(" and ")), int(key[-4:]), title, *venue)


REFERENCES = dict(_read_sources(SOURCES))
