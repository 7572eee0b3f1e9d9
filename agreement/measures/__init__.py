"""How reliable annotations are whose values are sets: a library on NumPy, pandas and SciPy, without Django.

pandas and SciPy are imported in the functions that need them, and nothing else is: importing the library takes about
a fifth of the time that it would take with them.

>>> from agreement.measures import ReliabilityData, alpha, interval
>>> alpha([["a", "a"], ["b", "b"], ["a", "b"], [None, "a"]])
<alpha = 0.4444: 3 units, 2 coders, 6 judgements, 2 values; 1 coded by fewer than two coders>
>>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 1], [2, 1], [2, 2]] * 3, documents=[*"aaaabbbbcccc"])
>>> f"{alpha(data, 'passonneau', exclude_unit='both'):.3f}"
'0.361'
"""

from agreement.measures.coefficients.alpha import Contribution, alpha, alphas, contributions
from agreement.measures.coefficients.augmented import augmented_kappa
from agreement.measures.coefficients.counts import count_alpha, count_dice
from agreement.measures.coefficients.cross import cross_alpha
from agreement.measures.coefficients.kappas import (
    bennett_s,
    beta,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    multi_kappa,
    observed_agreement,
    scott_pi,
)
from agreement.measures.coefficients.relations import RELATIONS, relation, relation_counts
from agreement.measures.coreference.matching import Overlap, match_sets
from agreement.measures.coreference.muc6 import KeyMarkable, match_muc6
from agreement.measures.coreference.scores import (
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
from agreement.measures.data.answers import Answers, indexed_values, labelled_values, pointed_values
from agreement.measures.data.chains import chain_labels, index_labels
from agreement.measures.data.components import split_components
from agreement.measures.data.inputs import as_data
from agreement.measures.data.reliability_data import ReliabilityData
from agreement.measures.data.subsets import collapse
from agreement.measures.distances import distance, distance_from_sizes
from agreement.measures.drafts.antecedents import antecedents
from agreement.measures.drafts.cards import Card, CardRow, cards
from agreement.measures.drafts.consensus import Consensus, consensus
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
from agreement.measures.results import CategoryKappa, KappaResult, Result
from agreement.measures.sums.documents import DocumentSums, combine, document_sums, documents_sums
from agreement.measures.uncertainty.bootstrap import bootstrap, bootstrap_sums
from agreement.measures.uncertainty.default_interval import interval, interval_sums
from agreement.measures.uncertainty.differences import difference
from agreement.measures.uncertainty.forecasts import Forecast, forecast, forecast_interval
from agreement.measures.uncertainty.intervals import Comparison, Difference, Interval, Jackknife
from agreement.measures.uncertainty.jackknife import jackknife, jackknife_sums
from agreement.measures.uncertainty.leave_one_out import LeaveOneOut, LeftOut, leave_one_out
from agreement.measures.uncertainty.pairwise import Pairwise, pairwise
from agreement.measures.uncertainty.permutation import permutation_test
from agreement.measures.uncertainty.score_intervals import (
    CorrelationInterval,
    ScoreInterval,
    ScoreIntervals,
    mean_interval,
    score_correlation_interval,
    score_interval,
    share_interval,
)
from agreement.measures.values import Readings

__all__ = [
    "DISTANCES",
    "ORDERED_DISTANCES",
    "RELATIONS",
    "SET_DISTANCES",
    "Answers",
    "Card",
    "CardRow",
    "CategoryKappa",
    "Comparison",
    "Consensus",
    "Contribution",
    "Correlation",
    "CorrelationInterval",
    "Difference",
    "DocumentSums",
    "Forecast",
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
    "Readings",
    "ReliabilityData",
    "Result",
    "Score",
    "ScoreInterval",
    "ScoreIntervals",
    "alpha",
    "alphas",
    "antecedents",
    "as_data",
    "augmented_kappa",
    "b_cubed",
    "bennett_s",
    "beta",
    "blanc",
    "bootstrap",
    "bootstrap_sums",
    "cards",
    "ceaf_e",
    "ceaf_m",
    "chain_labels",
    "cohen_kappa",
    "collapse",
    "combine",
    "comprehensive",
    "conll_average",
    "consensus",
    "contributions",
    "count_alpha",
    "count_dice",
    "cross_alpha",
    "difference",
    "distance",
    "distance_from_sizes",
    "document_sums",
    "documents_sums",
    "fleiss_kappa",
    "forecast",
    "forecast_interval",
    "gwet_ac1",
    "index_labels",
    "indexed_values",
    "interval",
    "interval_sums",
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
    "score_interval",
    "scott_pi",
    "scu_labels",
    "share_interval",
    "split_components",
]
