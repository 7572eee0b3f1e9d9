"""How reliable annotations are whose values are sets: a library on NumPy and SciPy, without Django.

It is imported as `agreement.measures` in Coindex and as `coindex_measures` where it is installed on its own.
SciPy is imported in the functions that need it, so that importing the library takes a fraction of the time. So is
what may be missing (an extra): an error says which of them a function needs.

>>> alpha([["a", "a"], ["b", "b"], ["a", "b"], [None, "a"]])
<alpha = 0.4444: 3 units, 2 coders, 6 judgements, 2 values; 1 coded by fewer than two coders>
>>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 1], [2, 1], [2, 2]] * 3, documents=[*"aaaabbbbcccc"])
>>> f"{alpha(data, 'passonneau', exclude_unit='both'):.3f}"
'0.361'
"""

from .coefficients.alpha import (
    RELATIONS,
    Contribution,
    alpha,
    alphas,
    contributions,
    count_alpha,
    count_dice,
    relation,
    relation_counts,
)
from .coefficients.augmented import augmented_kappa
from .coefficients.cross import cross_alpha
from .coefficients.kappas import (
    bennett_s,
    beta,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    multi_kappa,
    observed_agreement,
    scott_pi,
)
from .coreference.matching import KeyMarkable, Overlap, match_muc6, match_sets
from .coreference.scores import Score, b_cubed, blanc, ceaf_e, ceaf_m, conll_average, lea, link_kappa, muc
from .corpora.files import find_files
from .corpora.judgements import Columns
from .corpora.parts import PartReport, over
from .data.answers import Answers, indexed_values, labelled_values, pointed_values
from .data.chains import chain_labels, index_labels
from .data.components import split_components
from .data.inputs import as_data
from .data.reliability_data import ReliabilityData
from .data.subsets import collapse
from .displays import plot
from .distances import distance, distance_from_sizes
from .drafts.consensus import Card, CardRow, Consensus, antecedents, cards, consensus
from .models.alt_test import AltTest, LeftOutHuman, alt_test
from .models.ambiguity import Ambiguity, UnitReadings, ambiguity
from .options import DISTANCES, ORDERED_DISTANCES, SET_DISTANCES, SumOptions
from .pyramids import Correlation, PeerScore, Pyramid, comprehensive, modified, original, score_correlation, scu_labels
from .results import CategoryKappa, KappaResult, Result
from .sums.documents import combine, document_sums, documents_sums
from .sums.text_sums import DistanceSums, DocumentSums, TextSums
from .uncertainty.binomial import BinomialInterval, binomial_interval
from .uncertainty.bootstrap import bootstrap, bootstrap_sums
from .uncertainty.breakdowns import LeaveOneOut, LeftOut, Pairwise, leave_one_out, pairwise
from .uncertainty.default_interval import interval, interval_sums
from .uncertainty.differences import difference, permutation_test
from .uncertainty.forecasts import Forecast, forecast, forecast_interval
from .uncertainty.intervals import Comparison, Difference, Interval, Jackknife
from .uncertainty.jackknife import jackknife, jackknife_sums
from .uncertainty.score_intervals import (
    CorrelationInterval,
    ScoreInterval,
    ScoreIntervals,
    mean_interval,
    score_correlation_interval,
    score_interval,
    share_interval,
)
from .values import Readings

__all__ = [
    "DISTANCES",
    "ORDERED_DISTANCES",
    "RELATIONS",
    "SET_DISTANCES",
    "AltTest",
    "Ambiguity",
    "Answers",
    "BinomialInterval",
    "Card",
    "CardRow",
    "CategoryKappa",
    "Columns",
    "Comparison",
    "Consensus",
    "Contribution",
    "Correlation",
    "CorrelationInterval",
    "Difference",
    "DistanceSums",
    "DocumentSums",
    "Forecast",
    "Interval",
    "Jackknife",
    "KappaResult",
    "KeyMarkable",
    "LeaveOneOut",
    "LeftOut",
    "LeftOutHuman",
    "Overlap",
    "Pairwise",
    "PartReport",
    "PeerScore",
    "Pyramid",
    "Readings",
    "ReliabilityData",
    "Result",
    "Score",
    "ScoreInterval",
    "ScoreIntervals",
    "SumOptions",
    "TextSums",
    "UnitReadings",
    "alpha",
    "alphas",
    "alt_test",
    "ambiguity",
    "antecedents",
    "as_data",
    "augmented_kappa",
    "b_cubed",
    "bennett_s",
    "beta",
    "binomial_interval",
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
    "find_files",
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
    "over",
    "pairwise",
    "permutation_test",
    "plot",
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
