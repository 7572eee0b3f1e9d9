"""How reliable annotations are whose values are sets: a library on NumPy and pandas, without Django.

>>> from agreement.measures import ReliabilityData, alpha
>>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 1], [2, 1], [2, 2]], documents=["text"] * 4)
>>> alpha(data, "passonneau", exclude_unit="both").n_values
4
"""

from agreement.measures.chains import chain_labels, index_labels
from agreement.measures.coefficients import Contribution, alpha, contributions, fleiss_kappa
from agreement.measures.data import ReliabilityData
from agreement.measures.distances import distance, from_counts
from agreement.measures.options import DISTANCES
from agreement.measures.relations import RELATIONS, relation
from agreement.measures.results import Result
from agreement.measures.sums import DocumentSums, combine, document_sums

__all__ = [
    "DISTANCES",
    "RELATIONS",
    "Contribution",
    "DocumentSums",
    "ReliabilityData",
    "Result",
    "alpha",
    "chain_labels",
    "combine",
    "contributions",
    "distance",
    "document_sums",
    "fleiss_kappa",
    "from_counts",
    "index_labels",
    "relation",
]
