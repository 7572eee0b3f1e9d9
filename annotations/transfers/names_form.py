"""The form that maps the names of files onto the scheme of a project, of what a check found in the files."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from annotations.formats.model.answers import KeysByName
from annotations.formats.model.format import CATEGORY, LEVEL, QUESTION
from annotations.models import Project, Transfer
from annotations.schemes.project_scheme import read_scheme
from annotations.transfers.importing.report import ImportFailed
from annotations.transfers.importing.schemes.naming import OTHERS, format_names, parse_names, with_kind

LEFT_OUT = ("", "left out")
FOLLOWS = ("", "what follows from its links")


type Row = tuple[forms.BoundField, Mapping[str, Any]]


class NamesForm(forms.Form):
    """What each level, category, attribute and relation of the files is called in the project."""

    def __init__(self, project: Project, transfer: Transfer, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        spec = read_scheme(project.pk).spec
        found, options = (transfer.report or {}).get("found") or {}, transfer.choices["options"]
        self.options = options
        self.found: dict[str, dict[str, Mapping[str, Any]]] = {
            LEVEL.key: {level["name"]: level for level in found.get("levels", ())},
            CATEGORY.key: {name["name"]: name for name in found.get("categories", ())},
            QUESTION.key: _by_name(found.get("questions", ())),
        }
        self.n_unlisted = found.get("n_unlisted", 0)
        levels = {level.key: level.label for level in spec.levels}
        categories = {category.key: category.label for category in spec.categories if not category.retired}
        relations = {one.key: one.label for one in spec.relations if not one.retired and not one.identity}
        attributes = {one.key: one.label for one in spec.attributes if not one.retired}
        self.names = {
            LEVEL.key: _names_of(LEVEL.key, options, spec.main_level, levels),
            CATEGORY.key: _names_of(CATEGORY.key, options, "", categories),
            QUESTION.key: _names_of(QUESTION.key, options, "", relations | attributes),
        }
        self._add(LEVEL.key, levels, LEFT_OUT, spec.main_level)
        self._add(CATEGORY.key, categories, FOLLOWS, "")
        self._add_questions(relations, attributes)

    def _add(self, option: str, here: Mapping[str, str], none: tuple[str, str], only: str) -> None:
        """Add a field for each name of the files. only: what a single name that is not here is called."""
        said, found = self.names[option], self.found[option]
        for number, name in enumerate(found):
            initial = said.get(name, name if name in here else said.get(OTHERS, ""))
            if not said and name not in here and len(found) == 1:
                initial = only
            self._add_choice(f"{option}-{number}", name, here, none, initial)

    def _add_questions(self, relations: Mapping[str, str], attributes: Mapping[str, str]) -> None:
        """Add a field for each attribute and relation of the files, with those here to choose from."""
        said = self.names[QUESTION.key]
        for number, (option, one) in enumerate(self.found[QUESTION.key].items()):
            here, name = relations if one["is_relation"] else attributes, one["name"]
            initial = next((said[each] for each in (option, name) if each in said), None)
            if initial is None:
                initial = KeysByName(here).find(name) or said.get(OTHERS, "")
            self._add_choice(f"{QUESTION.key}-{number}", name, here, LEFT_OUT, initial)

    def _add_choice(self, field: str, name: str, here: Mapping[str, str], none: tuple[str, str], initial: str) -> None:
        choices = [none, *((key, f"{label} ({key})" if label != key else key) for key, label in here.items())]
        self.fields[field] = forms.ChoiceField(label=name, choices=choices, required=False, initial=initial)

    @property
    def has_names(self) -> bool:
        """Whether the files have any names."""
        return any(self.found.values())

    @property
    def rows(self) -> dict[str, list[Row]]:
        """The fields of levels, categories and questions, each with what the files say of its name."""
        return {
            option: [(self[f"{option}-{number}"], name) for number, name in enumerate(found.values())]
            for option, found in self.found.items()
        }

    @property
    def mapped_options(self) -> dict[str, str]:
        """The options of the import with the names that were chosen; a name that is not listed stays as it is."""
        mapped = dict(self.options)
        for option, found in self.found.items():
            names = {name: self.cleaned_data[f"{option}-{number}"] for number, name in enumerate(found)}
            kept = {name: ours for name, ours in self.names[option].items() if name not in names}
            mapped[option] = format_names({**kept, **names})
        return {option: value for option, value in mapped.items() if value}


def _by_name(questions: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return attributes and relations by what the option of an import calls them."""
    number = Counter(one["name"] for one in questions)
    return {
        with_kind(one["name"], is_relation=one["is_relation"]) if number[one["name"]] > 1 else one["name"]: one
        for one in questions
    }


def _names_of(option: str, options: Mapping[str, str], main: str, here: Mapping[str, str]) -> dict[str, str]:
    """Return what an option of the import says; nothing where it is wrong, which the report has said."""
    try:
        return parse_names(option, options.get(option, ""), main, here)
    except ImportFailed:
        return {}
