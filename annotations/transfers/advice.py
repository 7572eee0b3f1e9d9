"""Advice in the messages of an import, in the words of the page and as controls of its form."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotations.formats import FORMATS, Option
from annotations.formats.model.format import CATEGORY, LEVEL, QUESTION, SEPARATOR
from annotations.transfers.forms import OPTION_PREFIX

CODER_IN_NAME = "--coder-from name"
# The labels of the page for arguments of the command.
LABELS_OF_ARGUMENTS = {
    "--scheme files": "Create the scheme from the files",
    "--texts-only": "Texts only",
    CODER_IN_NAME: "Coder in the file name",
    "--coder-from": "Content of the files",
    "--coder": "One coder’s work",
    "--create": "Create missing accounts",
    "--predefined": "Share the markables with all coders",
    "--gold": "These are gold",
    "--round": "Round",
    "--option ": "",
}
ARGUMENT = "|".join(map(re.escape, LABELS_OF_ARGUMENTS))
NAMES = "|".join((LEVEL.key, CATEGORY.key, QUESTION.key))
# The two ways to map a name in one message: to another name, or left out.
WAYS_OF_NAMES = re.compile(rf"\b({NAMES})=[^;]*?, (?:or )?\1=[^;.]*")
# Names such as London-1 name entities; the option of the format reads them as entities.
NUMBERED = re.compile(r".+-\d{1,9}", re.ASCII)
MIN_NUMBERED = 50
OPTION_OF_NUMBERED = {"brat": ("types", "chains")}


@dataclass(frozen=True, slots=True)
class Control:
    """A field of the import form with the value that a message advises."""

    field: str
    value: str
    label: str


@dataclass(slots=True)
class Advice:
    """A translator of the messages on an import of a format, which collects the controls that they name."""

    format_key: str
    choices: Mapping[str, str]  # chosen values are not advised again
    has_names: bool = False  # the page maps the names of the files
    controls: dict[Control, None] = field(default_factory=dict)

    @property
    def _options(self) -> dict[str, Option]:
        format_ = FORMATS.get(self.format_key)
        return {option.key: option for option in format_.options_read if option.choices} if format_ else {}

    def translate(self, message: str) -> str:
        """Return a message with the page's labels instead of options and arguments of the command."""
        pattern = rf"(?<![\w-])(?:({ARGUMENT})|({NAMES})=[^\s;,)]+|(\w+)=([\w-]+)|the format ([a-z0-9-]+)\b)"
        options = self._options
        if self.has_names:
            message = WAYS_OF_NAMES.sub("“Names in the files” says what it is", message)
        return re.sub(pattern, lambda match: self._name(match, options), message)

    def _name(self, match: re.Match[str], options: Mapping[str, Option]) -> str:
        argument, names, key, value, format_key = match.groups()
        if argument:
            label = LABELS_OF_ARGUMENTS[argument]
            if argument == CODER_IN_NAME and SEPARATOR.key in options:
                self.controls[Control("whose", "name", f"Content of the files: {label}")] = None
            return f"“{label}”" if label else ""
        if names:
            return "“Names in the files”" if self.has_names else match[0]
        if format_key:
            if format_key not in FORMATS:
                return match[0]
            label = f"Format: {FORMATS[format_key].label}"
            self.controls[Control("format", format_key, label)] = None
            return f"“{label}”"
        if key not in options or not (label := self.add_option(options[key], value)):
            return match[0]
        return f"“{label.replace('“', '‘').replace('”', '’')}”"

    def add_option(self, option: Option, value: str) -> str:
        """Offer a choice of an option unless it is chosen already. Return its label, or an empty string if unknown."""
        choice = dict(option.choices).get(value)
        if choice is None:
            return ""
        label = f"{option.label}: {choice}"
        if self.choices.get(option.key, option.choices[0][0]) != value:
            self.controls[Control(f"{OPTION_PREFIX}{option.key}", value, label)] = None
        return label

    def numbered_names(self, found: Mapping[str, Any]) -> list[str]:
        """Return the numbered names of the files if there are many, and offer the option that reads them."""
        names = [name["name"] for kind in ("levels", "categories") for name in found.get(kind, ())]
        numbered = [name for name in names if NUMBERED.fullmatch(name)]
        if len(numbered) < MIN_NUMBERED:
            return []
        key, value = OPTION_OF_NUMBERED.get(self.format_key, ("", ""))
        if option := self._options.get(key):
            self.add_option(option, value)
        return numbered

    def translate_groups(self, groups: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return groups of refusals or findings of a report in the words of the page."""
        return [
            {
                **group,
                "places": [self.translate(place) for place in group["places"]],
                **({"line": self.translate(group["line"])} if "line" in group else {}),
            }
            for group in groups
        ]
