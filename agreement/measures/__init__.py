"""How reliable annotations are whose values are sets: a library on NumPy and pandas, without Django.

>>> from agreement.measures import ReliabilityData, alpha
>>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 1], [2, 1], [2, 2]], documents=["text"] * 4)
>>> alpha(data, "passonneau", exclude_unit="both").n_values
4
"""

from agreement.measures.answers import Answers, indexed_values, labelled_values, pointed_values
from agreement.measures.augmented import augmented_kappa
from agreement.measures.chains import chain_labels, index_labels
from agreement.measures.coefficients import Contribution, alpha, alphas, contributions
from agreement.measures.comparisons import LeaveOneOut, LeftOut, Pairwise, collapse, leave_one_out, pairwise
from agreement.measures.coreference import (
    Score,
    b_cubed,
    blanc,
    ceaf_e,
    ceaf_m,
    conll_average,
    lea,
    link_kappa,
    muc,
)
from agreement.measures.counts import count_alpha, count_dice
from agreement.measures.data import ReliabilityData
from agreement.measures.distances import distance, from_counts
from agreement.measures.intervals import Comparison, Interval, Jackknife
from agreement.measures.kappas import (
    bennett_s,
    beta,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    multi_kappa,
    observed_agreement,
    scott_pi,
)
from agreement.measures.matching import Overlap, match_sets
from agreement.measures.muc6 import KeyMarkable, match_muc6
from agreement.measures.options import DISTANCES, ORDERED_DISTANCES, SET_DISTANCES
from agreement.measures.pyramids import (
    Correlation,
    PeerScore,
    Pyramid,
    comprehensive,
    modified,
    original,
    score_correlation,
    scu_labels,
)
from agreement.measures.relations import RELATIONS, relation, relation_counts
from agreement.measures.results import CategoryKappa, KappaResult, Result
from agreement.measures.score_intervals import (
    CorrelationInterval,
    ScoreInterval,
    mean_interval,
    score_correlation_interval,
)
from agreement.measures.sums import DocumentSums, combine, document_sums, documents_sums
from agreement.measures.uncertainty import bootstrap, bootstrap_sums, jackknife, jackknife_sums, permutation_test

__all__ = [
    "DISTANCES",
    "ORDERED_DISTANCES",
    "RELATIONS",
    "SET_DISTANCES",
    "Answers",
    "CategoryKappa",
    "Comparison",
    "Contribution",
    "Correlation",
    "CorrelationInterval",
    "DocumentSums",
    "Interval",
    "Jackknife",
    "KappaResult",
    "KeyMarkable",
    "LeaveOneOut",
    "LeftOut",
    "Overlap",
    "Pairwise",
    "PeerScore",
    "Pyramid",
    "ReliabilityData",
    "Result",
    "Score",
    "ScoreInterval",
    "alpha",
    "alphas",
    "augmented_kappa",
    "b_cubed",
    "bennett_s",
    "beta",
    "blanc",
    "bootstrap",
    "bootstrap_sums",
    "ceaf_e",
    "ceaf_m",
    "chain_labels",
    "cohen_kappa",
    "collapse",
    "combine",
    "comprehensive",
    "conll_average",
    "contributions",
    "count_alpha",
    "count_dice",
    "distance",
    "document_sums",
    "documents_sums",
    "fleiss_kappa",
    "from_counts",
    "gwet_ac1",
    "index_labels",
    "indexed_values",
    "jackknife",
    "jackknife_sums",
    "labelled_values",
    "lea",
    "leave_one_out",
    "link_kappa",
    "match_muc6",
    "match_sets",
    "mean_interval",
    "modified",
    "muc",
    "multi_kappa",
    "observed_agreement",
    "original",
    "pairwise",
    "permutation_test",
    "pointed_values",
    "relation",
    "relation_counts",
    "score_correlation",
    "score_correlation_interval",
    "scott_pi",
    "scu_labels",
]
