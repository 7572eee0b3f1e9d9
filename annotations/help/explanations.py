"""What each number, setting and column means: a sentence, its range, and where a manual tells more.

Pages show them by `{% info KEY %}`. A column of a table of results has its own name as the key, if it names no other.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse

COEFFICIENT_RANGE = "1 is perfect agreement, 0 is chance; below 0 is worse than chance."
SCORE_RANGE = "0 to 1; higher is better."
DISTANCE_RANGE = "0 (equal) to 1 (nothing in common)."
DISAGREEMENT_RANGE = "0 to 1; 0 is no disagreement."
CORRELATION_RANGE = "−1 to 1; 1 is the same order."


@dataclass(frozen=True, slots=True)
class Explanation:
    """`place` is a manual and the anchor of one of its sections, as in glossary#alpha; `range` is for numbers."""

    sentence: str
    place: str
    range: str = ""

    @property
    def address(self) -> str:
        return address_of(self.place)


def address_of(place: str) -> str:
    """Return the address of a section of a manual, such as glossary#alpha."""
    manual, _, anchor = place.partition("#")
    return f"{reverse('help-manual', args=[manual])}#{anchor}"


def explanation(key: str) -> Explanation:
    """Return the explanation of a key; what ends an interval is explained alike. Raises KeyError."""
    for end in ("_low", "_high"):
        if key.endswith(end):
            key = end.removeprefix("_")
    return EXPLANATIONS[key]


_GLOSSARY = {
    # Coefficients and what they are made of
    "value": ("The coefficient that the settings name, of what the row is about.", "alpha", COEFFICIENT_RANGE),
    "alpha": ("Krippendorff’s alpha: 1 minus observed by expected disagreement.", "alpha", COEFFICIENT_RANGE),
    "alpha_dice": ("Krippendorff’s alpha with the Dice distance.", "dice-distance", COEFFICIENT_RANGE),
    "kappa": (
        "Agreement corrected for chance, with all categories or this one against the rest.",
        "kappa",
        COEFFICIENT_RANGE,
    ),
    "cohen": ("Cohen’s kappa of two coders: chance is taken from each coder’s own shares.", "kappa", COEFFICIENT_RANGE),
    "link_kappa": ("Kappa of the decisions whether two mentions are linked.", "kappa", COEFFICIENT_RANGE),
    "low": ("The lower end of the 95% confidence interval.", "confidence-interval", ""),
    "high": ("The upper end of the 95% confidence interval.", "confidence-interval", ""),
    "observed": (
        "Observed disagreement for alpha, observed agreement for all others: the mean of pairs of coders.",
        "observed-and-expected-disagreement",
        "0 to 1.",
    ),
    "expected": (
        "The same as expected by chance, when values are put together at random.",
        "observed-and-expected-disagreement",
        "0 to 1.",
    ),
    "distance": ("How far two values are apart, by the distance that the row names.", "distance", DISTANCE_RANGE),
    "nominal": ("By the nominal distance: 0 for equal values, 1 for all others.", "nominal-distance", ""),
    "passonneau": (
        "By Passonneau’s distance: 0 identical, 1/3 subset, 2/3 overlap, 1 disjoint.",
        "passonneau-distance",
        "",
    ),
    "jaccard": ("By the Jaccard distance: 1 minus shared members by all members.", "jaccard-distance", ""),
    "dice": ("By the Dice distance: 1 minus twice the shared members by the sum of both sizes.", "dice-distance", ""),
    "masi": ("By MASI: the Jaccard coefficient weighted by how the sets lie.", "masi", ""),
    "masi-product": ("By the product form of MASI: Jaccard distance times Passonneau’s distance.", "masi", ""),
    "ordinal": ("By the ordinal distance: the squared difference of ranks.", "distances-of-numbers", ""),
    "interval": ("By the interval distance: the squared difference.", "distances-of-numbers", ""),
    "ratio": ("By the ratio distance: the square of difference by sum.", "distances-of-numbers", ""),
    "relation_kappa": (
        "Cohen’s kappa of two coders, each possible link decided as given or not.",
        "relation",
        COEFFICIENT_RANGE,
    ),
    "links_both": ("Links that both coders gave.", "relation", ""),
    "links_one": ("Links that one of the two coders gave alone.", "relation", ""),
    "links_possible": ("Links that the scheme allows from these markables.", "relation", ""),
    "links_units": ("Markables of which both coders were asked.", "relation", ""),
    "together": ("How many judgements give both labels; on the diagonal, the label.", "attribute", ""),
    "set-distance": ("The Jaccard distance of the words of the two SCUs.", "jaccard-distance", DISTANCE_RANGE),
    "specific": (
        "If one coder chose the category, how often another coder chose it too.",
        "specific-agreement",
        SCORE_RANGE,
    ),
    "bias": ("The coder’s share of the category minus the mean share of all coders.", "bias", "−1 to 1; 0 is no bias."),
    "relation": ("How two values lie: identical, subset, overlap, disjoint, or different category.", "relation", ""),
    "share_of_relation": ("The part of all compared pairs that have this relation.", "relation", "0 to 100%."),
    "members": ("How many members a chain has.", "chain", "1 or more."),
    "chains_of_coder": ("How many chains of this coder have so many members.", "chain", ""),
    "links_of_coder": ("How many links of this coder lead so far back.", "antecedent", ""),
    "back": (
        "How many units back a link leads; 1 is the unit before.",
        "antecedent",
        "1 or more.",
    ),
    "values": ("How many different values coders gave to the item.", "value-of-an-item", "1 is full agreement."),
    "ambiguous": ("How many judgements of the coder have several pointers or indices.", "ambiguity", ""),
    "category": ("A category of the scheme.", "category", ""),
    "coder": ("A member who codes; nobody sees another’s work before the results are open.", "coder", ""),
    "text": ("The text that the row is about.", "text", ""),
    "item": ("What agreement compares: a markable, or a word of a summary.", "item", ""),
    "units": ("How many items enter the coefficient.", "item", ""),
    "judgements": ("How many decisions of coders are counted.", "judgement", ""),
    "round": ("A part of the texts, such as pilot or main, coded under the same guidelines.", "round", ""),
    "round-kind": (
        "What is coded in rounds of training and rechecks stays out of figures unless they include it.",
        "round",
        "",
    ),
    "round-assigned": ("Codings that nobody has begun.", "coding", ""),
    "round-versions": ("The versions of guidelines and scheme when somebody first worked in the round.", "round", ""),
    "markables": ("Which units are compared.", "markable", ""),
    "muc_recall": (
        "Recall of MUC: the part of the key’s links that the response has.",
        "muc-b-cubed-ceaf-blanc-lea",
        SCORE_RANGE,
    ),
    "muc_precision": (
        "Precision of MUC: the part of the response’s links that the key has.",
        "muc-b-cubed-ceaf-blanc-lea",
        SCORE_RANGE,
    ),
    "muc_f1": ("The harmonic mean of recall and precision of MUC.", "muc-b-cubed-ceaf-blanc-lea", SCORE_RANGE),
    "recall": (
        "The part of the key that the response has, as the score counts.",
        "muc-b-cubed-ceaf-blanc-lea",
        SCORE_RANGE,
    ),
    "precision": (
        "The part of the response that the key has, as the score counts.",
        "muc-b-cubed-ceaf-blanc-lea",
        SCORE_RANGE,
    ),
    "f1": ("The harmonic mean of recall and precision.", "muc-b-cubed-ceaf-blanc-lea", SCORE_RANGE),
    "score": (
        "The measure of the row: links, mentions or entities are counted differently.",
        "muc-b-cubed-ceaf-blanc-lea",
        "",
    ),
    "convention": ("All settings of a published study at once.", "preset", ""),
    "markable": ("Words of a text that coders judge or point at.", "markable", ""),
    "level": ("A kind of markable, such as phrase or turn.", "level", ""),
    "chain-members": ("The markables that this coder put into one chain with the item.", "chain", ""),
    # Pyramids
    "contributor": ("The words of each summary that express the SCU.", "contributor", ""),
    "docset": ("Summaries of the same sources, with their pyramids and peers.", "docset", ""),
    "scu": ("A Summary Content Unit: words of several summaries that say the same.", "scu", ""),
    "scus": ("How many SCUs the coder found in the peer.", "scu", ""),
    "weight": ("How many model summaries express the SCU.", "weight", "1 to the number of summaries."),
    "peer": ("A summary that is scored against a pyramid.", "peer", ""),
    "peers": ("How many peer summaries are counted.", "peer", ""),
    "against": ("The pyramid that the score is computed with.", "pyramid", ""),
    "original": (
        "The weight found by the best weight with as many SCUs: like precision.",
        "original-score",
        SCORE_RANGE,
    ),
    "modified": (
        "The weight found by the best weight with as many SCUs as a model summary has: like recall.",
        "modified-score",
        "0 to 1, more for a peer with more SCUs than that.",
    ),
    "comprehensive": ("The harmonic mean of the original and the modified score.", "modified-score", SCORE_RANGE),
    "found": ("The sum of the weights of the SCUs that the peer expresses.", "weight", ""),
    "best_original": ("The largest weight that as many SCUs can have.", "original-score", ""),
    "best_modified": (
        "The largest weight of as many SCUs as a model summary has on the average.",
        "modified-score",
        "",
    ),
    "outside": ("How many of the peer’s SCUs are not in the pyramid.", "original-score", ""),
}

_MANUALS = {
    # Results
    "share": ("The part of the whole that the row has.", "dashboards#the-pages", "0 to 100%."),
    "share_of_disagreement": (
        "The part of all observed disagreement that comes from the item.",
        "dashboards#the-pages",
        "0 to 100%; all items together are 100%.",
    ),
    "note": ("What is left out, or why there is no figure.", "dashboards#the-pages", ""),
    "n": ("How many categories are in use.", "dashboards#the-pages", ""),
    "texts": ("How many texts are counted.", "dashboards#the-pages", ""),
    "coders": ("The coders whose answers are counted.", "dashboards#the-pages", ""),
    "measure": ("The coefficient or score of the row.", "measures#coefficients", ""),
    "change": ("How far the figure moves; below 0 it falls.", "dashboards#the-pages", ""),
    "shift": ("How far the figure of all texts moves when this text is left out.", "dashboards#the-pages", ""),
    "without": ("The coefficient of all other coders, without this one.", "dashboards#the-pages", COEFFICIENT_RANGE),
    "coded_again": (
        "Unmarked: shown again within a round. In a recheck: coded again knowingly, in a round of that kind.",
        "dashboards#the-pages",
        "",
    ),
    "shown_again": ("How many texts the coder was shown, or coded, again.", "managing#repeats", ""),
    "self_agreement": (
        "The coefficient between the two occasions on which the coder coded the same texts.",
        "dashboards#the-pages",
        COEFFICIENT_RANGE,
    ),
    "between_coders": (
        "The coefficient of all coders in the same texts, on the first occasion.",
        "dashboards#the-pages",
        COEFFICIENT_RANGE,
    ),
    "mean_of_pairs": (
        "The mean of the coefficients of this coder with each of the others.",
        "dashboards#the-pages",
        COEFFICIENT_RANGE,
    ),
    "pair_value": (
        "The coefficient of the coder of the row and the coder of the column.",
        "dashboards#the-pages",
        COEFFICIENT_RANGE,
    ),
    "mean_chain": (
        "How many members a chain, or words an SCU, of this coder has on the average.",
        "dashboards#the-pages",
        "",
    ),
    "mean_link": (
        "How many units back the coder’s links lead on the average.",
        "dashboards#the-pages",
        "",
    ),
    "seconds": (
        "The coder’s working time by the number of judgements, without pauses of more than five minutes.",
        "dashboards#the-pages",
        "",
    ),
    "category_count": ("How many judgements of this coder have the category.", "dashboards#the-pages", ""),
    "category_share": (
        "The part of the coder’s judgements that have the category.",
        "dashboards#the-pages",
        "0 to 100%.",
    ),
    "confusion": (
        "How often one coder chose the category of the row and another that of the column.",
        "dashboards#the-pages",
        "",
    ),
    "coders_per_category": (
        "How many coders chose the category for the item.",
        "dashboards#the-pages",
        "0 to the number of coders.",
    ),
    "items_per_coders": ("For how many items so many coders chose the category.", "dashboards#the-pages", ""),
    "s": (
        "The part of all pairs of coders that chose the same category for the item.",
        "measures#coefficients",
        SCORE_RANGE,
    ),
    "categories": ("Which categories are told apart.", "dashboards#the-pages", ""),
    "stage": ("A round, a week, or the texts that were finished at about one time.", "dashboards#the-pages", ""),
    "last": ("The text that was finished last of them.", "dashboards#the-pages", ""),
    "choice": ("The setting that is changed alone, all others stay.", "dashboards#settings-and-filter", ""),
    "published": ("The figure in the paper.", "measures#published-figures", ""),
    "where": ("The data of the paper’s figure, which are not those of this project.", "measures#published-figures", ""),
    "construction": (
        "Which set is the value of an item, and what starts a chain.",
        "glossary#value-of-an-item",
        "",
    ),
    "k": ("Siegel and Castellan’s K of the categories.", "glossary#kappa", COEFFICIENT_RANGE),
    "accuracy": (
        "The share of the items that both answered in which the answer is that of gold.",
        "dashboards#gold",
        SCORE_RANGE,
    ),
    "gold_texts": ("How many texts with gold are compared.", "dashboards#gold", ""),
    "gold_items": ("How many items both gold and the coder answered.", "dashboards#gold", ""),
    "missed_items": ("Items that gold alone answers, in texts that the coder has coded.", "dashboards#gold", ""),
    "extra_items": ("Items that the coder alone answers.", "dashboards#gold", ""),
    "contested": ("Items of the coder in which not all coders have the same value.", "dashboards#gold", ""),
    "overruled": (
        "The share of the contested items in which gold has another value than the coder.",
        "dashboards#gold",
        "0 to 1; 0 is never overruled.",
    ),
    "gold_question": ("An attribute or relation that the scheme asks for.", "dashboards#gold", ""),
    "gold_period": ("The text that was finished last of them.", "dashboards#gold", ""),
    "gold_confusion": (
        "How many items have the category of the row in gold and that of the column by coders.",
        "dashboards#gold",
        "",
    ),
    "gold_item": ("The item with the words around it; it leads to the answers of all coders.", "dashboards#gold", ""),
    "gold_answer": ("What gold answers; empty where it has no such item.", "dashboards#gold", ""),
    "coder_answer": ("What the coder answers; empty where there is no answer.", "dashboards#gold", ""),
    "error_kind": ("In what an answer differs from gold: the answer itself, or the chain.", "dashboards#gold", ""),
    "error_number": ("How many answers differ from gold in this way.", "dashboards#gold", ""),
    "error_share": ("The part of all errors.", "dashboards#gold", ""),
    "error_coders": ("How many coders have made it.", "dashboards#gold", ""),
    "error_example": ("One of these items, with the words around it.", "dashboards#gold", ""),
    "groups": ("The two groups of coders.", "dashboards#the-pages", ""),
    "who": ("The coders of the group who have judgements.", "dashboards#the-pages", ""),
    "between": (
        "How far a coder of the one group agrees with one of the other, beyond chance.",
        "measures#coefficients",
        COEFFICIENT_RANGE,
    ),
    "margin": (
        "Half the width of the 95% confidence interval that so many texts would have.",
        "dashboards#how-much-is-enough",
        "",
    ),
    "power_above": (
        "How often the interval of so many texts lies above the bound, if the value is as it is here.",
        "dashboards#how-much-is-enough",
        "0 to 100%.",
    ),
    "power_of_difference": (
        "How often two rounds, each of so many texts, are told apart that differ as much as is asked for.",
        "dashboards#how-much-is-enough",
        "0 to 100%.",
    ),
    "more": ("How many more texts it takes than are coded.", "dashboards#how-much-is-enough", ""),
    "known": ("Whether so many texts are coded, or the figures are extrapolated.", "dashboards#how-much-is-enough", ""),
    "enough": ("What so many texts are the first to reach.", "dashboards#how-much-is-enough", ""),
    "difference": ("How far the figures on the left are apart.", "dashboards#the-pages", ""),
    "counted": ("Which units are counted: words, or contributors.", "docsets#from-nothing-to-scores", ""),
    "context": ("The item in bold with the words around it.", "dashboards#the-pages", ""),
    "answers": (
        "What coders answered, the most frequent answer first.",
        "dashboards#the-pages",
        "",
    ),
    "marks": ("Flags, comments, notes and unsure judgements of the item.", "dashboards#the-pages", ""),
    "words": ("The words of the item.", "dashboards#the-pages", ""),
    "title": ("The title of the text.", "dashboards#the-pages", ""),
    "key": ("The key of the markable in files and in the API.", "api#lists", ""),
    "number_of_coders": ("How many coders gave a value.", "dashboards#the-pages", ""),
    "kind": ("What the row counts by: a category or a coder.", "dashboards#the-pages", ""),
    "name": ("The category or the coder.", "dashboards#the-pages", ""),
    "items": ("How many items are counted.", "dashboards#the-pages", ""),
    "of": ("Out of how many.", "dashboards#the-pages", ""),
    "which": ("The members of the chain that these coders agree on.", "dashboards#the-pages", ""),
    "number": ("How many members the chain of these coders has.", "glossary#chain", ""),
    "row": ("The number of the item among all of them.", "dashboards#the-pages", ""),
    "integer": (
        "The integer that stands for a value: equal values have the same one.",
        "measures#reliability-data",
        "",
    ),
    "legend": ("The items of the set that the integer stands for, or a category.", "measures#reliability-data", ""),
    "coder_value": ("The value that this coder gave.", "measures#reliability-data", ""),
    "rows": ("How many rows it has.", "dashboards#the-pages", ""),
    "part": ("What is compared: a round, coders, a category or a project.", "dashboards#the-pages", ""),
    "p_value": (
        "How likely so large a difference is by chance, by Student’s t of the texts.",
        "measures#intervals-and-tests",
        "0 to 1; small is unlikely.",
    ),
    "permutation_p_value": (
        "How likely so large a difference is by chance, by a permutation test of the texts.",
        "measures#intervals-and-tests",
        "0 to 1; small is unlikely.",
    ),
    "what": ("The measure, page or format.", "managing#1-a-new-project", ""),
    "allowed": ("Whether it makes sense for this scheme.", "managing#1-a-new-project", ""),
    "why": ("Why it does or does not.", "managing#1-a-new-project", ""),
    "coefficient": ("The coefficient of the row.", "measures#coefficients", ""),
    "distance_bin": (
        "How far two values are apart: 0 is equal, 1 nothing in common.",
        "dashboards#the-pages",
        "0 to 1.",
    ),
    "observed_share": (
        "The part of the pairs of coders on one item that have this distance.",
        "dashboards#the-pages",
        "0 to 100%; all rows together are 100%.",
    ),
    "expected_share": (
        "The same of all pairs of judgements, as if values were put together at random.",
        "dashboards#the-pages",
        "0 to 100%; all rows together are 100%.",
    ),
    "coder_distance": (
        "The mean distance of this coder’s values from those of the others on the same items.",
        "dashboards#the-pages",
        DISAGREEMENT_RANGE,
    ),
    "all_distance": (
        "The mean distance of two coders’ values on the items of the text.",
        "dashboards#the-pages",
        DISAGREEMENT_RANGE,
    ),
    "position": (
        "Where the item or items are among those of the text; the first is 1.",
        "dashboards#the-pages",
        "1 or more.",
    ),
    "most_apart": ("The item with most disagreement there.", "dashboards#the-pages", ""),
    "item_distance": (
        "The mean distance of two coders’ values of an item.",
        "dashboards#the-pages",
        DISAGREEMENT_RANGE,
    ),
    "tenth": (
        "The mean distance of two coders’ values in this tenth of the items of the text.",
        "dashboards#the-pages",
        DISAGREEMENT_RANGE,
    ),
    "chain_of_first": ("A chain of the first coder, by its first members.", "dashboards#the-pages", ""),
    "chain_of_second": ("A chain of the second coder, by its first members.", "dashboards#the-pages", ""),
    "shared_markables": ("How many markables both chains have.", "dashboards#the-pages", "0 or more."),
    "phi_4": (
        "Twice the shared markables by the members of both chains: what CEAF of entities adds up.",
        "glossary#muc-b-cubed-ceaf-blanc-lea",
        SCORE_RANGE,
    ),
    "aligned": ("Whether CEAF takes the two chains for the same entity.", "glossary#muc-b-cubed-ceaf-blanc-lea", ""),
    "timed": ("How many judgements have a time: the first change of a session has none.", "dashboards#the-pages", ""),
    "first_quartile": ("A quarter of the judgements took less.", "dashboards#the-pages", ""),
    "median": ("Half of the judgements took less.", "dashboards#the-pages", ""),
    "third_quartile": ("Three quarters of the judgements took less.", "dashboards#the-pages", ""),
    "day": ("A day on which somebody judged anything, by the clock of the server.", "dashboards#the-pages", ""),
    "judgements_of_day": (
        "How many judgements this coder made on that day; one that is changed later counts on the first day.",
        "dashboards#the-pages",
        "",
    ),
    "pairs": ("How many pairs are counted.", "dashboards#the-pages", ""),
    # Pyramids
    "choice-docset": ("The docset whose pyramids are shown, or all of them.", "dashboards#pyramids", ""),
    "choice-score": ("The score that the charts and ranks show.", "glossary#modified-score", ""),
    "choice-mean": ("How the mean number of SCUs is used where it is no whole number.", "dashboards#pyramids", ""),
    "choice-first": ("The coder whose pyramid stands on the left.", "dashboards#pyramids", ""),
    "choice-second": ("The coder whose pyramid is compared with it.", "dashboards#pyramids", ""),
    "first_scu": ("An SCU of the first coder, by its label.", "dashboards#pyramids", ""),
    "second_scu": ("The SCU of the second coder that is compared with it.", "dashboards#pyramids", ""),
    "shared": ("How many words both SCUs have.", "dashboards#pyramids", ""),
    "only_one": ("How many words this coder’s SCU has and the other’s has not.", "dashboards#pyramids", ""),
    "set_jaccard": ("Words of both SCUs by all words of the two.", "dashboards#pyramids", SCORE_RANGE),
    "matched": ("Whether the two SCUs are paired one to one.", "dashboards#pyramids", ""),
    "meaning": ("What the relation says of the two SCUs.", "dashboards#pyramids", ""),
    "summary": ("The model summary that the words stand in.", "docsets#from-nothing-to-scores", ""),
    "system": ("The system or person that wrote the peer.", "docsets#from-nothing-to-scores", ""),
    "state": ("Whether the work is submitted.", "docsets#from-nothing-to-scores", ""),
    "judged_by": ("The coder who marked the peer.", "dashboards#pyramids", ""),
    "contributors_of": (
        "1 where the summary contributes to the coder’s SCU, else 0.",
        "dashboards#pyramids",
        "0 or 1.",
    ),
    "rank_change": (
        "By how many places the peer moves from the first ranking to the second.",
        "dashboards#pyramids",
        "",
    ),
    "rank": ("The place of the peer among all by this score; 1 is the best.", "dashboards#pyramids", "1 or more."),
    "score_of": ("The modified score of the peer with this coder’s pyramid.", "dashboards#pyramids", SCORE_RANGE),
    "times_found": ("1 where the coder found the SCU in the peer, else 0.", "dashboards#pyramids", "0 or 1."),
    "pearson": ("Pearson’s correlation of the scores by two pyramids.", "dashboards#pyramids", CORRELATION_RANGE),
    "spearman": ("Spearman’s correlation of the ranks by two pyramids.", "dashboards#pyramids", CORRELATION_RANGE),
    "kendall": ("Kendall’s tau-b of the ranks by two pyramids.", "dashboards#pyramids", CORRELATION_RANGE),
    # The project
    "progress": (
        "How far each coding is, and how many markables its coder has decided, of all in the text.",
        "managing#6-how-far-it-is",
        "",
    ),
    "headline": (
        "The coefficient of all submitted codings by the project’s preset.",
        "managing#7-reading-the-agreement",
        COEFFICIENT_RANGE,
    ),
    "attention": (
        "The items with the largest share of the disagreement; of pyramids the SCUs whose words have it.",
        "managing#8-deciding-what-to-do",
        "",
    ),
    "activity": ("What coders decided, created and submitted, by day.", "managing#6-how-far-it-is", ""),
    "pace": (
        "Judgements per day since the first of the last seven days with work, idle days counted.",
        "managing#6-how-far-it-is",
        "",
    ),
    "text-words": ("How many words the text has.", "managing#2-texts", ""),
    "text-markables": ("How many markables coders decide on in the text.", "managing#2-texts", ""),
    "text-codings": ("Who codes the text, and how many markables each has decided.", "managing#2-texts", ""),
    "text-order": ("The order in which coders see the texts.", "managing#2-texts", ""),
    "plan-weight": (
        "The share of the work beside that of the others: with 0.5 half as much as with 1, which empty stands for.",
        "managing#4-who-codes-what",
        "Above 0.",
    ),
    "plan-maximum": (
        "The person gets no more texts of the round than that. Empty: any number.",
        "managing#4-who-codes-what",
        "",
    ),
    "repeats-submitted": ("Texts of the round that the coder has submitted.", "managing#repeats", ""),
    "repeats-eligible": (
        "Those that may be shown again: unchanged for so many days, in no other round, no question about them open.",
        "managing#repeats",
        "",
    ),
    "repeats-again": (
        "How many texts are submitted on both occasions, of those that the coder was shown again before.",
        "managing#repeats",
        "",
    ),
    "repeats-new": ("Texts that the coder is to be shown again now.", "managing#repeats", ""),
    "repeats-open": (
        "Other texts that the coder has yet to code, among which the repeats stand: with none they stand out.",
        "managing#repeats",
        "",
    ),
    "plan-coders": ("How many people are assigned the text.", "managing#4-who-codes-what", ""),
    "plan-hours": (
        "Active time at the pace of the texts that were submitted last: pauses above five minutes do not count.",
        "managing#4-who-codes-what",
        "",
    ),
    "gold-status": (
        "Open, decided (each contested answer of its draft was), or closed (submitted); only closed gold is compared.",
        "managing#training",
        "",
    ),
    "gold-ready": (
        "How many coders have submitted the text in this round, of how many who have it.",
        "managing#gold",
        "",
    ),
    "gold-contested": (
        "On how many answers coders differed when the draft was made, and how many nobody has decided since.",
        "managing#gold",
        "",
    ),
    "gold-by": ("Who works on the gold: a manager or adjudicator.", "managing#training", ""),
    "training-score": (
        "The mean over the judgements of the gold, by the measure of the pass rule.",
        "managing#training",
        "From 0 to 1, where all is as in the gold.",
    ),
    "training-result": (
        "Passed: one text reached the pass mark, or a manager decided so.",
        "managing#training",
        "",
    ),
    "training-decision": ("What managers decided, whatever the scores say; the latest holds.", "managing#training", ""),
    "feedback-you": ("Your category, with all members of the chain.", "coding#training", ""),
    "feedback-gold": ("The category decided for the text, with all members of the chain.", "coding#training", ""),
    "feedback-explanation": ("Why the gold is so: a note of who decided.", "coding#training", ""),
    "due": ("Until when the manager asks you to code the text.", "coding#coming-in", ""),
    "role": ("What the person may do: code, see, adjudicate or manage.", "managing#3-people", ""),
    "total-submitted": ("Codings that are submitted: only these count in the results.", "managing#6-how-far-it-is", ""),
    "total-complete": (
        "Codings in which all is decided, and which are not submitted.",
        "managing#6-how-far-it-is",
        "",
    ),
    "total-begun": (
        "Codings on which somebody has worked, and in which not all is decided.",
        "managing#6-how-far-it-is",
        "",
    ),
    "total-not-begun": (
        "Codings that are assigned, and on which nobody has worked yet.",
        "managing#6-how-far-it-is",
        "",
    ),
    "total-reopened": (
        "Codings that a manager reopened, and that are not submitted again.",
        "managing#6-how-far-it-is",
        "",
    ),
    "total-released": (
        "Codings whose place is free for others, as nobody worked on them; the work stays.",
        "managing#4-who-codes-what",
        "",
    ),
    "total-overdue": (
        "Codings that are not submitted though the date of the plan has passed; they count in another column, too.",
        "managing#6-how-far-it-is",
        "",
    ),
    "progress-submitted": (
        "How many of the codings of the text in the round are submitted.",
        "managing#6-how-far-it-is",
        "",
    ),
    "progress-hours": (
        "The time between changes of a coder; a pause of more than five minutes counts nothing.",
        "managing#6-how-far-it-is",
        "",
    ),
    "total-hour": (
        "Markables that the coder judged in the last four weeks, by hour of active time.",
        "managing#6-how-far-it-is",
        "",
    ),
    "total-finish": (
        "When the coder’s open codings are decided at the pace of the last days on which they worked.",
        "managing#6-how-far-it-is",
        "",
    ),
    "total-decided": ("How many markables are decided, of all that are assigned.", "managing#6-how-far-it-is", ""),
    "docset-progress": ("Who has which task of the docset, and how far it is.", "docsets#from-nothing-to-scores", ""),
    "summaries": ("How many model summaries the pyramid is built from.", "docsets#from-nothing-to-scores", ""),
    "pyramids": ("Who builds a pyramid of these summaries, and how far it is.", "docsets#from-nothing-to-scores", ""),
    "agreed-pyramid": (
        "The pyramid that an adjudicator made of those of coders.",
        "docsets#from-nothing-to-scores",
        "",
    ),
    "submitted-peers": (
        "How many codings of peers are submitted, of all that are assigned.",
        "docsets#from-nothing-to-scores",
        "",
    ),
    "task": ("What you code: the pyramid, or the SCUs of a peer.", "pyramids#the-workbench", ""),
    "last-active": ("When the person last coded, submitted or reopened something here.", "managing#3-people", ""),
    "group": (
        "Which kind of coder it is, such as expert or naive. Results are compared by it; coders do not see it.",
        "managing#3-people",
        "",
    ),
    "member-submitted": (
        "How many of the person’s codings are submitted, of all that are assigned.",
        "managing#3-people",
        "",
    ),
    "for-whom": ("The name that you gave the invitation; the person chooses a username.", "managing#3-people", ""),
    "invitation-status": (
        "Whether the link can be used, was used, has expired or was revoked.",
        "managing#3-people",
        "",
    ),
    "key-prefix": ("The first characters of the key: the whole of it is shown only once.", "api#a-key", ""),
    "key-scope": ("What the key may do: read, annotate or manage.", "api#a-key", ""),
    "key-expires": ("The day after which the key is refused.", "api#a-key", ""),
    "key-used": ("When a program last used the key.", "api#a-key", ""),
    "loss": ("What the format cannot hold.", "formats#exporting", ""),
    "loss-count": ("How often it occurs in what is exported.", "formats#exporting", ""),
    "loss-examples": ("The first texts and markables with it.", "formats#exporting", ""),
    "transfer-type": ("Import into the project, or export from it.", "managing#12-taking-it-along", ""),
    "transfer-format": ("The format of the files.", "formats#on-pages-and-in-the-api", ""),
    "transfer-status": ("Whether it waits, runs, has ended or failed.", "managing#12-taking-it-along", ""),
    "transfer-result": ("What came in, or the file to download.", "managing#12-taking-it-along", ""),
    "guidelines-version": ("Each save that changes the text makes a version.", "managing#guidelines", ""),
    "guidelines-saved": ("When the version was saved.", "managing#guidelines", ""),
    "guidelines-author": ("Who saved the version.", "managing#guidelines", ""),
    "text-begins": ("The first words of the text.", "managing#2-texts", ""),
    "own-decided": ("How many markables of the text you have decided.", "coding#the-task", ""),
    "own-status": ("Whether you have submitted the text; only then it counts.", "coding#submitting", ""),
    "category-asks": (
        "What a coder adds to the category: an antecedent, an index, or nothing.",
        "managing#1-a-new-project",
        "",
    ),
    "level-use": (
        "Whether coders decide on these markables, create them, or only point at them.",
        "managing#1-a-new-project",
        "",
    ),
    "category-key": ("What a coder presses to choose the category.", "coding#keys", ""),
    "scheme-relation": ("A link between markables that makes no chain, such as bridging.", "glossary#relation", ""),
    "scheme-attribute": (
        "A further question besides the category: of a markable, of its entity or of a relation.",
        "glossary#attribute",
        "",
    ),
    "asked-of": ("On which markables, once for each entity, or where a relation is set.", "glossary#attribute", ""),
    "asked-if": ("By which answers the question is asked; else it is not shown.", "glossary#attribute", ""),
}

# Settings have their sentence in sight, and a link to what tells more.
PLACES_OF_SETTINGS = {
    "preset": "glossary#preset",
    "coefficient": "measures#coefficients",
    "distance": "measures#distances",
    "chains": "glossary#value-of-an-item",
    "top": "measures#where-conventions-differ",
    "exclude_unit": "measures#where-conventions-differ",
    "unmarked": "glossary#unannotated-markables",
    "missing": "measures#coefficients",
    "thirds": "measures#where-conventions-differ",
    "empty": "measures#where-conventions-differ",
    "units": "docsets#from-nothing-to-scores",
    "readings": "glossary#reading",
    "unasked": "glossary#attribute",
    "primary_weight": "measures#coefficients",
    "question": "glossary#attribute",
}
FILTER_PLACE = "dashboards#settings-and-filter"

EXPLANATIONS: dict[str, Explanation] = {
    **{
        key: Explanation(sentence, f"glossary#{anchor}", range_)
        for key, (sentence, anchor, range_) in _GLOSSARY.items()
    },
    **{key: Explanation(*given) for key, given in _MANUALS.items()},
}
