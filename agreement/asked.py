"""What a page is asked for: the parameters of its address, and what is its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.http import urlencode

from agreement.extract import Extract, extract
from agreement.parameters import SELECTIONS, Parameters, WrongParameter, asked_for, opening
from agreement.reports.basis import effective
from annotations.models import Project

# Of every page: the page of a long table, and the form and key in which a table is taken along.
ALWAYS = ("page", "as", "table")


@dataclass(slots=True)
class Asked:
    """The project's answers, the parameters of the address or the opening ones with what is `wrong`, and the rest."""

    project: Project
    extract: Extract
    parameters: Parameters
    own: dict[str, str]
    wrong: WrongParameter | None = None

    @property
    def query(self) -> str:
        """The parameters for the address of another page."""
        return urlencode(self.parameters.query())

    def with_own(self, **changed: str) -> str:
        """The address of this page with some of what is its own made otherwise."""
        own = {name: value for name, value in (self.own | changed).items() if value}
        return f"?{urlencode(self.parameters.query() | own)}"

    def compute[T](self, report: Callable[[Parameters, dict[str, str]], T]) -> T:
        """The report of what is asked; where that is wrong, of the project's convention without the page's own."""
        try:
            return report(self.parameters, self.own)
        except WrongParameter as wrong:
            self.wrong, self.own = wrong, {}
            parameters = opening(self.project.preset, self.project.answers)
            self.extract = extract(self.project, parameters.units)
            self.parameters = effective(self.extract, parameters)
            return report(self.parameters, self.own)


def given_in(query: QueryDict) -> dict[str, str]:
    """What an address says, names of a selection with commas between, however often it comes."""
    return {name: ",".join(query.getlist(name)) if name in SELECTIONS else str(query[name]) for name in query}


def asked(project: Project, query: QueryDict, own: Sequence[str] = ()) -> Asked:
    """What the address asks for. `own` names what the page takes besides the parameters."""
    given = given_in(query)
    mine = {name: value for name in own if (value := given.pop(name, ""))}
    for name in ALWAYS:
        given.pop(name, None)
    try:
        chosen = asked_for(given, project.preset, project.answers)
        extracted = extract(project, chosen.units)
        return Asked(project, extracted, effective(extracted, chosen), mine)
    except WrongParameter as wrong:
        chosen = opening(project.preset, project.answers)
        extracted = extract(project, chosen.units)
        return Asked(project, extracted, effective(extracted, chosen), {}, wrong)


def asked_again(project: Project, parameters: Mapping[str, str], own: Mapping[str, str]) -> Asked:
    """What was asked for before, of the answers as they are now. Raises WrongParameter."""
    chosen = Parameters(**parameters)
    extracted = extract(project, chosen.units)
    return Asked(project, extracted, effective(extracted, chosen), dict(own))
