"""Measure the reliability of annotations whose values are sets: a library on NumPy and SciPy, without Django.

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
from .distances import distance, distance_from_sizes
from .drafts.consensus import Card, CardRow, Consensus, antecedents, cards, consensus
from .models.alt_test import AltTest, LeftOutHuman, alt_test
from .models.ambiguity import Ambiguity, UnitReadings, ambiguity
from .options import DISTANCES, ORDERED_DISTANCES, SET_DISTANCES, SumOptions
from .pyramids import Correlation, PeerScore, Pyramid, comprehensive, modified, original, score_correlation, scu_labels
from .results import CategoryKappa, KappaResult, Result, plot
from .sums.text_sums import DistanceSums, DocumentSums, TextSums
from .sums.totals import combine, document_sums, documents_sums
from .uncertainty.bootstrap import bootstrap, bootstrap_sums
from .uncertainty.breakdowns import LeaveOneOut, LeftOut, Pairwise, leave_one_out, pairwise
from .uncertainty.differences import difference, permutation_test
from .uncertainty.forecasts import Forecast, forecast, forecast_interval
from .uncertainty.intervals import BinomialInterval, Comparison, Difference, Interval, Jackknife, binomial_interval
from .uncertainty.jackknife import interval, interval_sums, jackknife, jackknife_sums
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

# data
__all__ = ["Answers", "Readings", "ReliabilityData", "as_data", "collapse", "split_components"]
__all__ += ["chain_labels", "index_labels", "indexed_values", "labelled_values", "pointed_values", "scu_labels"]
# distances and relations
__all__ += ["DISTANCES", "ORDERED_DISTANCES", "RELATIONS", "SET_DISTANCES"]
__all__ += ["distance", "distance_from_sizes", "relation", "relation_counts"]
# coefficients
__all__ += ["alpha", "alphas", "contributions", "count_alpha", "count_dice", "cross_alpha"]
__all__ += ["augmented_kappa", "bennett_s", "beta", "cohen_kappa", "fleiss_kappa"]
__all__ += ["gwet_ac1", "multi_kappa", "observed_agreement", "scott_pi"]
# results
__all__ += ["CategoryKappa", "Contribution", "KappaResult", "Result", "plot"]
# sums over documents
__all__ += ["DistanceSums", "DocumentSums", "SumOptions", "TextSums", "combine", "document_sums", "documents_sums"]
# corpora in files
__all__ += ["Columns", "PartReport", "find_files", "over"]
# intervals
__all__ += ["BinomialInterval", "Interval", "Jackknife", "binomial_interval", "interval", "interval_sums"]
__all__ += ["bootstrap", "bootstrap_sums", "jackknife", "jackknife_sums"]
# forecasts
__all__ += ["Forecast", "forecast", "forecast_interval"]
# comparisons
__all__ += ["Comparison", "Difference", "LeaveOneOut", "LeftOut", "Pairwise"]
__all__ += ["difference", "leave_one_out", "pairwise", "permutation_test"]
# coreference
__all__ += ["KeyMarkable", "Overlap", "Score", "match_muc6", "match_sets"]
__all__ += ["b_cubed", "blanc", "ceaf_e", "ceaf_m", "conll_average", "lea", "link_kappa", "muc"]
# scores with intervals
__all__ += ["ScoreInterval", "ScoreIntervals", "mean_interval", "score_interval", "share_interval"]
# pyramids
__all__ += ["Correlation", "PeerScore", "Pyramid", "comprehensive", "modified", "original"]
__all__ += ["CorrelationInterval", "score_correlation", "score_correlation_interval"]
# drafts
__all__ += ["Card", "CardRow", "Consensus", "antecedents", "cards", "consensus"]
# models and ambiguity
__all__ += ["AltTest", "Ambiguity", "LeftOutHuman", "UnitReadings", "alt_test", "ambiguity"]
