"""A methods text for a paper, with its references as lines of text and entries of BibTeX."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from statistics import median

import numpy as np

from agreement.data.documents import NEXT_DOCUMENT
from agreement.data.project_answers import CHAINED, ProjectAnswers
from agreement.data.reliability import units_of_anybody
from agreement.measures.results import pluralize
from agreement.reports.basis import count_unanswered, pick_texts
from agreement.reports.coders.differences import CodedAgain, GroupsReport, RepeatsReport, SelfAgreement
from agreement.reports.fields import GroupInterval
from agreement.reports.gold import GoldReport
from agreement.reports.overall import AgreementReport
from agreement.reports.parameters import COEFFICIENTS, SETTINGS, Parameters, distances_for, load_words
from agreement.reports.wording import Nouns, be, name_versions, nouns_for
from annotations.core.processes.installed import program_version

ANSWERS = {"pointers": "pointers to antecedents", "indices": "indices of entities", "categories": "categories"}
# The BibTeX field of the place of publication, by kind of entry.
VENUE_FIELDS = {"article": "journal", "book": "publisher", "inproceedings": "booktitle"}


@dataclass(frozen=True, slots=True)
class Reference:
    """A source from `references.toml`; `kind` is one of VENUE_FIELDS."""

    key: str
    kind: str
    authors: Sequence[str]
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
        fields = {
            "author": " and ".join(self.authors),
            "title": f"{{{self.title}}}",  # braces keep the capitals
            "year": str(self.year),
            VENUE_FIELDS[self.kind]: self.venue,
            "volume": self.volume,
        }
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
        return f"@{self.kind}{{{self.key},\n{lines}}}"


REFERENCES = {name: Reference(**fields) for name, fields in load_words("references").items()}


@dataclass(frozen=True, slots=True)
class MethodsText:
    """A paragraph and its references."""

    paragraph: str
    references: tuple[Reference, ...]

    @property
    def bibtex(self) -> str:
        return "\n\n".join(reference.bibtex for reference in self.references)


def program_name() -> str:
    """Return the name of this program with its version."""
    return f"Coindex {program_version()}"


def describe_methods(
    extract: ProjectAnswers,
    report: AgreementReport,
    comparison: GroupsReport | None = None,
    repeats: RepeatsReport | None = None,
    gold: GoldReport | None = None,
) -> MethodsText:
    """Return the conventions and figures of a report in words, with figures of the coders from other reports."""
    p, nouns, between = report.parameters, nouns_for(extract), _describe_groups(comparison)
    by_distance = p.takes_distance and len(distances_for(extract.kind)) > 1
    alone = "in no SCU, alone" if extract.units else "referring to nothing else"
    sentences = [
        *_describe_data(extract, report),
        *_describe_values(extract, report, nouns, by_distance=by_distance),
        _say("unmarked", p.unmarked, unit=nouns.unit, alone=alone),
        _say("missing", p.missing, units=nouns.units) if "missing" in COEFFICIENTS[p.coefficient].options else "",
        *_describe_left_out(report, nouns),
        _describe_figures(report, nouns),
        *between,
        _describe_coded_again(repeats.parts[0], "without being told which") if repeats else "",
        _describe_coded_again(repeats.parts[1], "knowingly, in a recheck") if repeats else "",
        *_describe_gold(gold),
        f"Computed with {program_name()}; fingerprint of the input {report.fingerprint}.",
    ]
    cited = {
        p.coefficient: True,
        "passonneau": by_distance and p.distance == "passonneau",
        "masi": by_distance and p.distance.startswith("masi"),
        "pyramids": p.units,
        "chains": extract.kind == "pointers",
        "jackknife": report.interval.low is not None,
        "cross_alpha": between,
    }
    references = tuple(REFERENCES[key] for key, is_cited in cited.items() if is_cited)
    return MethodsText(" ".join(filter(None, sentences)), references)


def _say(setting: str, choice: str, **words: str) -> str:
    """Return the wording of a choice in a methods text."""
    return SETTINGS[setting].methods[choice].format(**words)


def _describe_data(extract: ProjectAnswers, report: AgreementReport) -> list[str]:
    data, texts = describe_data(report.extract, report.parameters), "docset" if extract.units else "text"
    answers = ANSWERS.get(extract.kind, "")
    if extract.question:
        answers = f"answers to the question “{extract.question.label}”"
    elif extract.units:
        answers = "the content units (SCUs) of their model summaries"
    by_round = f", in {data.n_places} pairs of {texts} and round," if data.n_places > data.n_texts else ""
    return [
        f"{pluralize(data.n_coders, 'coder')} annotated {pluralize(data.n_texts, texts)}{by_round} by {answers},"
        f" {pluralize(data.n_judgements, 'judgement')} in all.",
        *_describe_question(report),
        _describe_versions(report),
        f"{data.n_managers} of the coders also managed the project, blind to the work of the others."
        if data.n_managers
        else "",
        _describe_design(data, texts),
        "" if extract.units or not data.n_texts else _describe_markables(data),
    ]


def _describe_question(report: AgreementReport) -> list[str]:
    question = report.extract.question
    if question is None:
        return []
    n_not_asked, n_not_answered = count_unanswered(report.extract, report.parameters)
    asked, weight = _say("unasked", report.parameters.unasked), report.parameters.primary_weight
    second = report.parameters.coefficient == "augmented_kappa" and question.second
    return [
        f"Of {pluralize(n_not_asked, 'judgement')} the question was not asked; {asked}." if n_not_asked else "",
        f"{pluralize(n_not_answered, 'judgement')} without an answer to it are left out." if n_not_answered else "",
        f"A first choice has the weight {weight} beside a second one." if second else "",
    ]


def _describe_versions(report: AgreementReport) -> str:
    n = report.judgements_of_other_versions
    if n is None:
        return ""
    versions = name_versions(report.extract.versions)
    left_out = f"; {pluralize(n, 'judgement')} under other versions {be(n)} taken as missing" if n else ""
    return f"Only judgements last given under {versions} of the scheme were used, with their links{left_out}."


def _describe_values(extract: ProjectAnswers, report: AgreementReport, nouns: Nouns, *, by_distance: bool) -> list[str]:
    p, kind = report.parameters, extract.kind
    how = _say("coefficient", p.coefficient)
    if by_distance:
        one, two = ("1/3", "2/3") if p.thirds == "exact" else (".33", ".67")
        how += f" with {_say('distance', p.distance, one=one, two=two)}"
    columns = report.extract.restrict(pick_texts(report.extract, p)).columns
    matched = p.readings == "matched" or bool((columns.is_judgement & (columns.n_readings > 1)).any())
    excluded = _say("exclude_unit", p.exclude_unit if p.is_alpha else "none", unit=nouns.unit)
    return [
        f"Reliability is {how}.",
        _say("units", extract.units) if extract.units else "",
        f"{_say('chains', p.chains)}; {_say('top', p.top)}." if kind == "pointers" else "",
        f"{_say('readings', p.readings, unit=nouns.unit)}." if kind in (*CHAINED, "targets") and matched else "",
        "The value of a markable is the set of its targets, or that it has none." if kind == "targets" else "",
        excluded if by_distance and extract.has_chains else "",
        "The empty set was taken to be disjoint from all others." if by_distance and p.empty == "disjoint" else "",
        *(_describe_singletons(extract) if kind == "indices" and not extract.units else []),
    ]


def _describe_singletons(extract: ProjectAnswers) -> list[str]:
    """Return sentences on the values of answers without an index; empty texts if coders gave none."""
    columns = extract.columns
    is_linked = np.bincount(columns.mark_of_link, minlength=len(columns.marks)) > 0
    alone_complete = columns.is_judgement & columns.marks["complete"] & ~is_linked
    given = {extract.categories[number] for number in set(columns.marks["category"][alone_complete].tolist())}
    singletons = set(extract.singletons)
    alone, own = (", ".join(map(extract.label, sorted(names))) for names in (given & singletons, given - singletons))
    return [
        f"A markable called {alone} counts as referring to itself alone." if alone else "",
        f"The value of a markable called {own} is that category." if own else "",
    ]


@dataclass(frozen=True, slots=True)
class DataDescription:
    """The data behind a figure. Only texts with an answer count, and only coders with an answer in a text."""

    n_coders: int
    n_texts: int
    n_documents: int  # a text once for each occasion of each round
    n_judgements: int
    coders_per_document: tuple[int, ...]
    n_given: int
    n_marked: int
    n_managers: int = 0
    n_places: int = 0  # pairs of text and round


def describe_data(extract: ProjectAnswers, parameters: Parameters) -> DataDescription:
    """Return the counts of the coders' work in the chosen texts, and of given and marked markables."""
    chosen = extract.restrict(pick_texts(extract, parameters))
    answered, columns = chosen.has_answered, chosen.columns
    numbers = answered.sum(axis=1)
    texts = list(compress(chosen.texts, (numbers > 0).tolist()))
    in_answered_text = (numbers > 0)[columns.document_of_unit]
    is_given = columns.units["given"]
    given, marked = (
        len(set((columns.units["key"][in_answered_text & units] % NEXT_DOCUMENT).tolist()))
        for units in (is_given, units_of_anybody(chosen) & ~is_given)
    )
    coders = set(compress(chosen.coders, answered.any(axis=0).tolist()))
    return DataDescription(
        len(coders),
        len({text.text_pk for text in texts}),
        len(texts),
        int(columns.n_judgements[columns.is_answer].sum()),
        tuple(sorted(numbers[numbers > 0].tolist())),
        given,
        marked,
        len(coders.intersection(extract.managers)),
        len({(text.text_pk, text.round) for text in texts}),
    )


def _describe_design(data: DataDescription, text: str) -> str:
    if data.n_texts < 2 or data.n_coders < 2:
        return ""
    least, most = data.coders_per_document[0], data.coders_per_document[-1]
    rounds = " in each of its rounds" if data.n_documents > data.n_texts else ""
    if least == data.n_coders:
        return f"Every coder coded every {text}{rounds}."
    if least == most:
        return f"Each {text} was coded by {least} of them{rounds}."
    return f"Each {text} was coded by {least} to {most} of them{rounds} (median {median(data.coders_per_document):g})."


def _describe_markables(data: DataDescription) -> str:
    if not data.n_marked:
        return "The markables were given with the texts."
    if not data.n_given:
        return "Coders marked the markables themselves."
    given = f"{pluralize(data.n_given, 'markable')} {'was' if data.n_given == 1 else 'were'} given with the texts"
    return f"{given}, and coders marked {data.n_marked} more."


def _describe_left_out(report: AgreementReport, nouns: Nouns) -> list[str]:
    p, left_out = report.parameters, report.result.left_out
    sentences = [f"{pluralize(n, nouns.unit)} {reason} {be(n)} left out." for reason, n in left_out.items()]
    if p.without:
        names = ", or to which they give ".join(map(report.extract.label, p.without.split(",")))
        sentences.append(f"Markables to which more than half of their coders give {names} are left out.")
    chosen = [(name, getattr(p, name).replace(",", ", ")) for name in ("coders", "texts", "rounds")]
    sentences += [f"Only these {name} were used: {names}." for name, names in chosen if names]
    return [*sentences, f"Not counted: {report.not_counted}." if report.not_counted else ""]


def _describe_figures(report: AgreementReport, nouns: Nouns) -> str:
    result, interval, p = report.result, report.interval, report.parameters
    if result.value is None:
        return f"The coefficient is undefined: {result.note}."
    kind, how = "disagreement" if p.takes_distance else "agreement", interval.note
    if interval.low is not None and interval.high is not None:
        group = "text" if interval.by == "document" else "connected component"
        how = (
            f"{interval.level:.0%} interval {interval.low:z.3f} to {interval.high:z.3f}, jackknife over"
            f" {pluralize(interval.n_groups, group)} on the logarithm of the disagreement, Student’s t"
            f" with {pluralize(interval.n_groups - 1, 'degree')} of freedom; it speaks of these coders"
        )
    return (
        f"Over {pluralize(result.n_units, nouns.unit)} it is {result.value:z.3f} ({how});"
        f" observed {kind} {result.observed or 0:z.3f}, expected {result.expected or 0:z.3f}."
    )


def _describe_groups(comparison: GroupsReport | None) -> list[str]:
    if comparison is None or len(comparison.groups) < 2:
        return []
    within = [
        f"{group.name} ({pluralize(len(group.coders), 'coder')})"
        + (f" {_with_interval(group.interval)}" if group.interval.value is not None else "")
        for group in comparison.groups
    ]
    between = [
        f"{pair.first} and {pair.second} {_with_interval(pair.between)}"
        for pair in comparison.pairs
        if pair.between and pair.between.value is not None
    ]
    how = "each judgement of the one with each of the other, corrected for chance"
    return [
        f"By group of coders it is: {'; '.join(within)}.",
        f"Between groups ({how}) agreement is: {'; '.join(between)}." if between else "",
    ]


def _describe_coded_again(part: CodedAgain, how: str) -> str:
    values = [coder.value for coder in part.coders if coder.value is not None]
    whole = part.together or next((coder for coder in part.coders if coder.texts), None)
    if not values or whole is None or whole.value is None:
        return ""
    n_coders = sum(coder.texts > 0 for coder in part.coders)
    codings = f" ({whole.codings} codings)" if whole.codings > whole.texts else ""
    by_coder = f", from {min(values):z.3f} to {max(values):z.3f} by coder" if len(values) > 1 else ""
    beside = "" if whole.between is None else f"; between coders it is {whole.between:z.3f} in the same texts"
    return (
        f"{pluralize(n_coders, 'coder')} coded {pluralize(whole.texts, 'text')} of their own again{codings}, {how}:"
        f" between the two occasions of a coder it is {_with_interval(whole)}{by_coder}{beside}."
    )


def _describe_gold(gold: GoldReport | None) -> list[str]:
    """Return sentences that compare coders with gold, without names; empty without gold."""
    if gold is None or not gold.coders:
        return []
    accuracy = _describe_range([coder.accuracy.value for coder in gold.coders])
    overruled = _describe_range([coder.overruled.value for coder in gold.coders])
    return [
        f"In {pluralize(gold.n_texts, 'text')} with adjudicated gold (training left out;"
        f" {pluralize(gold.n_items, 'item')}) the"
        f" accuracy of {pluralize(len(gold.coders), 'coder')} is {accuracy} of the items that both answered.",
        f"Coders differ on {pluralize(gold.n_contested, 'item')} in these texts, whether or not gold answers them;"
        f" where both have a value there, gold has another one than the coder in {overruled}."
        if gold.n_contested
        else "",
    ]


def _describe_range(values: Sequence[float | None]) -> str:
    defined = [value for value in values if value is not None]
    ends = dict.fromkeys(f"{end(defined):z.3f}" for end in (min, max)) if defined else ["undefined"]
    return " to ".join(ends)


def _with_interval(part: GroupInterval | SelfAgreement) -> str:
    reach = "" if part.low is None or part.high is None else f" (95% interval {part.low:z.3f} to {part.high:z.3f})"
    return f"{part.value or 0:z.3f}{reach}"
