"""What a draft that is made again keeps of gold or an agreed pyramid: all that people have decided or touched. Pure."""

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
    """Return the proposal with the judgements of gold on the markables that were decided or touched."""
    # came_with_text: the keys of given markables.
    # Contested is also what was decided, and what points at a markable of which the gold says something else.
    decided = log.decisions()
    theirs = log.touched | {item.markable for item in decided}
    kept = {key: gold[key] for key in theirs if key in gold}
    removed = {key for key in theirs if key not in gold and key not in came_with_text}
    proposed = {one.markable: one for one in proposal.decisions}
    contested = {*proposal.contested, *decided}
    result = dict(kept)

    def remaining(target: str) -> str | None:
        return None if target in removed else target

    for key, decision in proposed.items():
        if key in theirs:
            continue
        result[key] = map_links(decision, remaining)
        others = {target for target in decision.targets() if target in theirs}
        if any(proposed.get(target, Decision(target)) != kept.get(target, Decision(target)) for target in others):
            contested.add(Item(key, CATEGORY))
    for decision in kept.values():
        for target in decision.targets():
            if target not in came_with_text:
                result.setdefault(target, Decision(target))
    contested = {item for item in contested if item.markable not in removed or item in decided}
    return Proposal(
        tuple(sorted(result.values(), key=lambda one: key_order(one.markable))),
        tuple(sorted(contested, key=item_order)),
    )


class PyramidKeeping:
    """The contributors of an agreed pyramid that were decided or touched, to be kept in a proposal, in their SCUs.

    An SCU that matches one of the agreed pyramid by words has its key, label and comment. Other contributors lose the
    words that a kept one has, and are contested where their place was decided otherwise.
    """

    def __init__(self, proposal: PyramidProposal, log: GoldLog, agreed: PyramidContent, summaries: Summaries) -> None:
        self.agreed, self.summaries = agreed, summaries
        self.decided = log.decisions()
        self.theirs = log.touched | {item.markable for item in self.decided}
        self.kept = [one for one in agreed.contributors if one.key in self.theirs]
        self.proposed = self._with_known_scus(proposal)
        self.kept_words = frozenset[int]().union(*(self.summaries.words_of(one.key) for one in self.kept))
        self.their_words = frozenset[int]().union(*map(self.summaries.words_of, self.theirs))
        # where a summary expresses an SCU once, and a kept contributor does
        self.occupied = {
            (scu, summary_index(one.parts, summaries.spans))
            for one in self.kept
            for scu in one.scus
            if summaries.options.one_contributor
        }

    def _with_known_scus(self, proposal: PyramidProposal) -> PyramidProposal:
        """Return the proposal with the keys that the agreed pyramid has for its SCUs."""
        described = {one.scu: one for one in proposal.descriptions}
        proposed = WordPyramid(PyramidContent(proposal.contributors, described), self.summaries)
        now = WordPyramid(PyramidContent(self.agreed.contributors, {}), self.summaries)
        matched = match_scus(proposed.scus, now.scus)
        used = {*matched.values(), *(scu for one in self.kept for scu in one.scus)}
        used |= self.agreed.descriptions.keys()
        names: dict[str, str] = {}
        for one in proposal.descriptions:
            names[one.scu] = matched.get(one.scu) or free_key([one.scu], used)
            used.add(names[one.scu])
        return PyramidProposal(
            tuple(replace(one, scus=tuple(names[scu] for scu in one.scus)) for one in proposal.contributors),
            tuple(Description(names[one.scu], one.label, one.comment) for one in proposal.descriptions),
            proposal.contested,
        )

    def proposal(self) -> PyramidProposal:
        contributors = list(self.kept)
        contested = {*self.decided}
        of_proposal = {item.markable for item in self.proposed.contested}
        for one in self.proposed.contributors:
            remaining = self._remaining(one)
            if remaining is not None and not self._is_in_the_way(remaining, contributors):
                contributors.append(remaining)
                if one.key in of_proposal or self.summaries.words_of(one.key) & self.their_words:
                    contested.add(Item(remaining.key, CATEGORY))
        lacking = of_proposal - {one.key for one in self.proposed.contributors} - self.theirs
        contested |= {Item(key, CATEGORY) for key in lacking if not self.summaries.words_of(key) & self.their_words}
        contributors.sort(key=lambda one: ([list(part) for part in one.parts], one.key))
        return PyramidProposal(
            tuple(contributors), tuple(self._descriptions(contributors)), tuple(sorted(contested, key=item_order))
        )

    def _remaining(self, one: Contributor) -> Contributor | None:
        """Return what of a contributor of the proposal stays beside those that are kept."""
        summary = summary_index(one.parts, self.summaries.spans)
        scus = tuple(scu for scu in one.scus if (scu, summary) not in self.occupied)
        words = self.summaries.words_of(one.key)
        free = words - self.kept_words if self.summaries.options.words_exclusive else words
        if one.key in self.theirs or not scus or not free:
            return None
        key = one.key if free == words else key_of_words(free, self.summaries, one.key)
        place = split_key(key)
        assert place is not None
        return None if key in self.theirs else Contributor(key, place.parts, scus)

    def _is_in_the_way(self, one: Contributor, others: Sequence[Contributor]) -> bool:
        """Return whether a contributor would break a rule together with those that stand already."""
        violations = pyramid_violations([*others, one], self.summaries.options, summaries=self.summaries.spans)
        return any(one.key in violation.contributors for violation in violations)

    def _descriptions(self, contributors: Sequence[Contributor]) -> list[Description]:
        """Return what is said of SCUs: that of the agreed pyramid stays, and of an SCU without contributors, too."""
        used = {scu for one in contributors for scu in one.scus}
        had = {scu for one in self.agreed.contributors for scu in one.scus}
        proposed = {one.scu: one for one in self.proposed.descriptions}
        empty = self.agreed.descriptions.keys() - had
        known = {**{scu: Description(scu) for scu in used}, **proposed, **self.agreed.descriptions}
        return [one for scu, one in sorted(known.items()) if scu in used or scu in empty]
