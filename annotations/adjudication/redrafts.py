"""The parts of gold or an agreed pyramid that a repeated draft keeps: all that people decided or touched. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from annotations.adjudication.decisions.log import GoldLog
from annotations.adjudication.proposal import Item, Proposal, free_key, item_order
from annotations.adjudication.pyramid_proposal import (
    PyramidContent,
    PyramidProposal,
    Summaries,
    WordPyramid,
    key_of_words,
    match_scus,
)
from annotations.coding.decisions import Decision, Description
from annotations.coding.markables.corrections import map_links
from annotations.coding.pyramids.pyramid_rules import Contributor, pyramid_violations, summary_index
from annotations.formats.model.keys import key_order, split_key
from annotations.formats.model.scheme import CATEGORY


def keep_decided(
    proposal: Proposal, log: GoldLog, gold: Mapping[str, Decision], came_with_text: Collection[str]
) -> Proposal:
    """Return the proposal with the judgements of gold on decided and touched markables."""
    # came_with_text: the keys of predefined markables.
    # Decided items are contested, and so are markables whose target has another judgement in gold.
    decided = log.decisions()
    theirs = log.touched | {item.markable for item in decided}
    kept = {key: gold[key] for key in theirs if key in gold}
    removed = {key for key in theirs if key not in gold and key not in came_with_text}
    proposed = {row.markable: row for row in proposal.decisions}
    contested = {*proposal.contested, *decided}
    result = dict(kept)

    def remaining(target: str) -> str | None:
        return None if target in removed else target

    for key, decision in proposed.items():
        if key in theirs:
            continue
        result[key] = map_links(decision, remaining)
        targets = {target for target in decision.targets() if target in theirs}
        if any(proposed.get(target, Decision(target)) != kept.get(target, Decision(target)) for target in targets):
            contested.add(Item(key, CATEGORY))
    for decision in kept.values():
        for target in decision.targets():
            if target not in came_with_text:
                result.setdefault(target, Decision(target))
    contested = {item for item in contested if item.markable not in removed or item in decided}
    return Proposal(
        tuple(sorted(result.values(), key=lambda row: key_order(row.markable))),
        tuple(sorted(contested, key=item_order)),
    )


class PyramidRedraft:
    """The decided and touched contributors of an agreed pyramid, kept in a new proposal with their SCUs.

    An SCU that matches one of the agreed pyramid by words has its key, label and comment. Other contributors lose the
    words of kept ones, and are contested where their words were decided otherwise.
    """

    def __init__(self, proposal: PyramidProposal, log: GoldLog, agreed: PyramidContent, summaries: Summaries) -> None:
        self.agreed, self.summaries = agreed, summaries
        self.decided = log.decisions()
        self.theirs = log.touched | {item.markable for item in self.decided}
        self.kept = [row for row in agreed.contributors if row.key in self.theirs]
        self.proposed = self._with_known_scus(proposal)
        self.kept_words = frozenset[int]().union(*(self.summaries.words_of(row.key) for row in self.kept))
        self.their_words = frozenset[int]().union(*map(self.summaries.words_of, self.theirs))
        # the summaries where a kept contributor fills the SCU's only place
        self.occupied = {
            (scu, summary_index(contributor.parts, summaries.spans))
            for contributor in self.kept
            for scu in contributor.scus
            if summaries.options.one_contributor
        }

    def _with_known_scus(self, proposal: PyramidProposal) -> PyramidProposal:
        """Return the proposal with the keys that the agreed pyramid has for its SCUs."""
        described = {row.scu: row for row in proposal.descriptions}
        proposed = WordPyramid(PyramidContent(proposal.contributors, described), self.summaries)
        now = WordPyramid(PyramidContent(self.agreed.contributors, {}), self.summaries)
        matched = match_scus(proposed.scus, now.scus)
        used = {*matched.values(), *(scu for row in self.kept for scu in row.scus)}
        used |= self.agreed.descriptions.keys()
        names: dict[str, str] = {}
        for description in proposal.descriptions:
            names[description.scu] = matched.get(description.scu) or free_key([description.scu], used)
            used.add(names[description.scu])
        return PyramidProposal(
            tuple(replace(row, scus=tuple(names[scu] for scu in row.scus)) for row in proposal.contributors),
            tuple(Description(names[row.scu], row.label, row.comment) for row in proposal.descriptions),
            proposal.contested,
        )

    def proposal(self) -> PyramidProposal:
        contributors = list(self.kept)
        contested = {*self.decided}
        of_proposal = {item.markable for item in self.proposed.contested}
        for contributor in self.proposed.contributors:
            remaining = self._remaining(contributor)
            if remaining is not None and not self._is_in_the_way(remaining, contributors):
                contributors.append(remaining)
                if contributor.key in of_proposal or self.summaries.words_of(contributor.key) & self.their_words:
                    contested.add(Item(remaining.key, CATEGORY))
        lacking = of_proposal - {row.key for row in self.proposed.contributors} - self.theirs
        contested |= {Item(key, CATEGORY) for key in lacking if not self.summaries.words_of(key) & self.their_words}
        contributors.sort(key=lambda row: ([list(part) for part in row.parts], row.key))
        return PyramidProposal(
            tuple(contributors), tuple(self._descriptions(contributors)), tuple(sorted(contested, key=item_order))
        )

    def _remaining(self, contributor: Contributor) -> Contributor | None:
        """Return a contributor with the words of a proposed one that kept ones leave; None if nothing is left."""
        summary = summary_index(contributor.parts, self.summaries.spans)
        scus = tuple(scu for scu in contributor.scus if (scu, summary) not in self.occupied)
        words = self.summaries.words_of(contributor.key)
        free = words - self.kept_words if self.summaries.options.words_exclusive else words
        if contributor.key in self.theirs or not scus or not free:
            return None
        key = contributor.key if free == words else key_of_words(free, self.summaries, contributor.key)
        split = split_key(key)
        assert split is not None
        return None if key in self.theirs else Contributor(key, split.parts, scus)

    def _is_in_the_way(self, contributor: Contributor, chosen: Sequence[Contributor]) -> bool:
        """Return whether a contributor would break a rule together with the chosen ones."""
        violations = pyramid_violations([*chosen, contributor], self.summaries.options, summaries=self.summaries.spans)
        return any(contributor.key in violation.contributors for violation in violations)

    def _descriptions(self, contributors: Sequence[Contributor]) -> list[Description]:
        """Return the descriptions of SCUs; those of the agreed pyramid take precedence, also without contributors."""
        used = {scu for contributor in contributors for scu in contributor.scus}
        contributed = {scu for contributor in self.agreed.contributors for scu in contributor.scus}
        proposed = {row.scu: row for row in self.proposed.descriptions}
        empty = self.agreed.descriptions.keys() - contributed
        known = {**{scu: Description(scu) for scu in used}, **proposed, **self.agreed.descriptions}
        return [description for scu, description in sorted(known.items()) if scu in used or scu in empty]
