"""Import coded texts from files."""

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.db import transaction

from annotations.core.text import pluralize
from annotations.formats import FORMATS, PYRAMID_FORMATS, Format, FormatError, Option, PyramidFormat
from annotations.formats.model.encodings import find_encoding
from annotations.formats.model.format import CATEGORY, ENCODING, LEVEL, QUESTION
from annotations.formats.syntax.archive import is_litter
from annotations.management.base import ProgramCommand, parse_date, refusals
from annotations.models import Project
from annotations.projects.creation import create_project
from annotations.projects.people.members import find_adjudicator
from annotations.projects.people.model_coders import ModelDescription
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.importing.documents import import_sources
from annotations.transfers.importing.files.addresses import compose
from annotations.transfers.importing.files.sources import Source, StoredFile, open_sources
from annotations.transfers.importing.options import ImportOptions
from annotations.transfers.importing.report import ImportFailed, Report
from annotations.transfers.importing.schemes.naming import format_names, load_names
from annotations.transfers.project_formats import docset_option

READ = FORMATS | PYRAMID_FORMATS
FROM_FILES = "files"
# The parts of a file of name mappings, and the import options that they fill.
NAMED = {"levels": LEVEL.key, "categories": CATEGORY.key, "questions": QUESTION.key}
MAX_IGNORED = 20


class Command(ProgramCommand):
    help = "Import coded texts: files or folders of one format. A file that is refused does not spoil the others."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("format", choices=sorted(READ))
        parser.add_argument(
            "paths", nargs="+", metavar="PATH", type=Path, help="a file, a zip, or a folder to be searched"
        )
        parser.add_argument("--project", required=True, metavar="SLUG")
        whose = parser.add_mutually_exclusive_group()
        whose.add_argument(
            "--coder-from",
            choices=["parent", "name"],
            help="the coder is the folder that holds the file, or the last dotted part of its name",
        )
        whose.add_argument("--coder", metavar="NAME", help="all files are this coder's")
        whose.add_argument(
            "--model",
            metavar="NAME",
            help="all files are of this model, which is added to the project if it is not there; in tables it is the "
            "coder that they name. Its codings are in no figure of people",
        )
        whose.add_argument("--texts-only", action="store_true", help="texts and their markables, no coding")
        which = "of a model that is not there yet; of one that is, it has to be as it is known"
        parser.add_argument("--model-version", metavar="VERSION", help=f"which version, {which}")
        parser.add_argument("--model-hash", metavar="HASH", help=f"a digest of prompt or weights, {which}")
        parser.add_argument("--model-date", metavar="YYYY-MM-DD", type=parse_date, help=f"when it was called, {which}")
        parser.add_argument(
            "--create", action="store_true", help="create the project and missing coders, who become members"
        )
        parser.add_argument(
            "--scheme",
            choices=[FROM_FILES, *sorted(SCHEMES)],
            help="of a project made by --create: clusters, or pyramid for DUCView. files: a project without texts gets "
            "the levels, categories, attributes and relations of the files",
        )
        parser.add_argument(
            "--map",
            metavar="FILE.json",
            type=Path,
            help='what names of the files are called in the project: {"levels": {"coref": "mention", "chunk": null}, '
            '"categories": {"NP": "phrase"}, "questions": {"genus": "gender"}}, null for what is left out, and for '
            "categories that follow from links",
        )
        parser.add_argument(
            "--round",
            default="",
            metavar="NAME",
            help="where texts come into; without it each keeps its latest round, and new ones get the open one",
        )
        parser.add_argument(
            "--gold",
            action="store_true",
            help="the codings are gold, which coders’ work is compared with and which is in no figure of agreement; "
            "who --coder or the files name is a manager or adjudicator; notes explain. Tables that are exports of gold "
            "take --coder, too",
        )
        parser.add_argument("--trial", action="store_true", help="show what would happen, and change nothing")
        parser.add_argument(
            "--option", action="append", default=[], metavar="KEY=VALUE", help="an option of the format"
        )
        parser.add_argument(
            "--predefined", action="store_true", help="the markables are given with the texts: every coder sees them"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        format_ = READ[options["format"]]
        is_pyramid_format = format_.key in PYRAMID_FORMATS
        sources = _sources(options["paths"], format_)
        coder_from = _coder_from(format_, options)
        new_scheme = options["scheme"] == FROM_FILES
        if options["gold"] and coder_from == "nobody":
            raise CommandError("--gold is of somebody who codes: leave out --texts-only.")
        model = _model(options)
        default = "pyramid" if is_pyramid_format else "clusters"
        scheme = default if new_scheme else options["scheme"] or default
        trial, n_written = options["trial"], [0]
        is_new = not Project.objects.filter(slug=options["project"]).exists()
        try:
            with transaction.atomic() if trial else nullcontext():
                project = _project(options["project"], options["create"], scheme)
                options_read = [docset_option(project)] if is_pyramid_format else format_.options_read
                selected = parse_options(format_, options_read, options["option"])
                if options["map"] is not None:
                    selected |= _mapped_names(options["map"], format_, selected)
                # for files that name no adjudicator although they export gold
                is_adjudicators = options["gold"] and format_.names_coders and options["coder"] is not None
                with refusals("Nothing was imported."):
                    adjudicator = find_adjudicator(project, options["coder"]) if is_adjudicators else None
                choices = ImportOptions(
                    by=adjudicator,
                    predefined=options["predefined"],
                    create=options["create"],
                    trial=options["trial"],
                    gold=options["gold"],
                    join=options["create"],
                    new_scheme=new_scheme,
                    round_name=options["round"],
                    model=model,
                    of_format=selected,
                )
                report = import_sources(project, format_.key, sources, coder_from, choices, written=n_written.append)
                if trial:
                    transaction.set_rollback(True)
        except ImportFailed as error:
            stays = f"What has come in before stays: {pluralize(n_written[-1], 'document')}. Run it again to go on."
            raise CommandError(f"{error}\n{stays if n_written[-1] else 'Nothing was imported.'}") from error
        finally:
            if is_new:
                Project.objects.filter(slug=options["project"], texts=None, docsets=None).delete()
        verbose = options["verbosity"] > 1
        self.warn(report.findings if verbose else report.warnings())
        self.warn(_left_out(report, verbose))
        if report.new_scheme is not None and not report.empty:
            self.stdout.write(f"Scheme from the files: {_scheme_summary(report.new_scheme)}")
        if report.failures or report.empty:
            raise CommandError(_failure_message(project, report, verbose))
        self.stdout.write(f"{project.slug}: {'would be ' if trial else ''}{report}")


def _left_out(report: Report, verbose: bool) -> Iterator[str]:
    """Yield warnings about answers and files that are not read."""
    if report.left_out_answers:
        message = report.left_out_answers.capitalize()
        yield f"{message}; --texts-only leaves that out. If it is somebody’s work, say --coder NAME or --coder-from."
    if report.left_out:
        shown = report.left_out if verbose else report.left_out[:MAX_IGNORED]
        more = f" and {len(report.left_out) - len(shown)} more" * (len(report.left_out) > len(shown))
        yield f"Ignored, as the format does not read them: {', '.join(shown)}{more}."


def _coder_from(format_: Format | PyramidFormat, options: dict[str, Any]) -> str:
    """Return `coder_from` for `read_sources`. Raise CommandError if missing, or if the files name their coders."""
    if options["model"] is not None:
        return "" if format_.names_coders else f"={options['model']}"
    coder_from: str = options["coder_from"] or (f"={options['coder']}" if options["coder"] is not None else "")
    if options["texts_only"]:
        coder_from = "nobody"
    names_adjudicator = options["gold"] and options["coder"] is not None  # for tables in which the coder is gold
    if coder_from and format_.names_coders and not names_adjudicator:
        arguments = "--coder-from, --coder and --texts-only"
        raise CommandError(f"{format_.label}: these files name their coders themselves; leave out {arguments}.")
    if not coder_from and not format_.names_coders:
        raise CommandError("one of the arguments --coder-from --coder --model --texts-only is required")
    return coder_from


def _model(options: Mapping[str, Any]) -> ModelDescription | None:
    """Return the model that made the codings. Raise CommandError for gold, and for model options without a name."""
    fields = {key: value for key in ("version", "hash", "date") if (value := options[f"model_{key}"]) is not None}
    if options["model"] is None:
        if fields:
            raise CommandError(f"{', '.join(f'--model-{key}' for key in fields)}: of which model? Name it by --model.")
        return None
    if options["gold"]:
        raise CommandError("--gold is of a manager or adjudicator, and a model decides nothing: leave out --model.")
    return ModelDescription(options["model"], **fields)


def _failure_message(project: Project, report: Report, verbose: bool) -> str:
    lines = [str(failure) for failure in report.failures] if verbose else report.refusals()
    if report.reason:
        lines.append(f"{report.reason}.")
    lines.append("Nothing was imported." if report.empty else f"The others are imported: {project.slug}: {report}")
    return "\n".join(lines)


def parse_options(format_: Format | PyramidFormat, options: Iterable[Option], arguments: list[str]) -> dict[str, str]:
    """Return the options by key. Raise CommandError for an option or value that the format does not have."""
    by_key = {option.key: option for option in options}
    selected = {}
    for argument in arguments:
        key, _, value = argument.partition("=")
        value = find_encoding(value) if key == ENCODING.key else value
        option = by_key.get(key)
        if option is None or (option.choices and value not in [choice for choice, _ in option.choices]):
            taken = {
                name: "|".join(choice for choice, _ in option.choices) or option.example
                for name, option in by_key.items()
            }
            available = "; ".join(f"{name}={values}" for name, values in taken.items()) or "none"
            raise CommandError(f"--option {argument}: {format_.label} has these: {available}.")
        selected[key] = value
    return selected


def _mapped_names(path: Path, format_: Format | PyramidFormat, selected: Mapping[str, str]) -> dict[str, str]:
    """Return the import options in a file of name mappings. Raise CommandError if the file is invalid."""
    options = {option.key for option in format_.options_read}
    try:
        data = load_names(path.read_bytes())
    except OSError as error:
        raise CommandError(f"--map {path}: {error.strerror}.") from error
    except ValueError as error:
        raise CommandError(f"--map {path}: this is not JSON that maps names: {error}.") from error
    if not isinstance(data, dict) or not data.keys() <= NAMED.keys():
        raise CommandError(f"--map {path}: it holds an object with {', '.join(NAMED)}.")
    mapped = {}
    for name, names in data.items():
        option = NAMED[name]
        if option not in options or option in selected:
            reason = "it is said by --option too" if option in selected else f"{format_.label} has none"
            raise CommandError(f"--map {path}: {name}: {reason}.")
        if not isinstance(names, dict) or not all(ours is None or isinstance(ours, str) for ours in names.values()):
            raise CommandError(f"--map {path}: {name}: it is an object of names, each with one of the project or null.")
        mapped[option] = format_names({theirs: ours or "" for theirs, ours in names.items()})
    return {option: value for option, value in mapped.items() if value}


def _scheme_summary(scheme: Mapping[str, Any]) -> str:
    """Return the keys of a scheme by kind."""
    kinds = (kind for kind in ("levels", "categories", "relations", "attributes") if scheme[kind])
    return "; ".join(f"{kind} {', '.join(row['key'] for row in scheme[kind])}" for kind in kinds)


def _sources(paths: list[Path], format_: Format | PyramidFormat) -> list[Source]:
    """Return the named files, the files in named zips, and the files in named folders except hidden ones."""
    files: list[Path] = []
    named_files = {path for path in paths if not path.is_dir()}
    for path in paths:
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if file.is_file())
            visible = [file for file in inside if not is_litter(file.relative_to(path).as_posix())]
            if not format_.bundles([str(file) for file in visible], format_.suffixes):
                raise CommandError(f"{path}: no file here ends in {' or '.join(format_.suffixes)}.")
            files += visible
        elif path.is_file():
            files.append(path)
        else:
            raise CommandError(f"{path}: there is no such file or folder.")
    sources: list[Source] = []
    try:
        for file in dict.fromkeys(files):
            if file in named_files and file.suffix.lower() == ".zip":
                sources += open_sources([(str(file), file.open("rb"))])
            else:
                content = StoredFile(file, file.stat().st_size)
                sources.append(Source(compose(str(file)), content, in_folder=file not in named_files))
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}.") from error
    except FormatError as error:
        raise CommandError(str(error)) from error
    return sources


def _project(slug: str, create: bool, scheme: str) -> Project:
    project = Project.objects.filter(slug=slug).first()
    if project is not None:
        return project
    if not create:
        raise CommandError(f"There is no project {slug!r}; --create makes it.")
    try:
        return create_project(slug, slug, SCHEMES[scheme])
    except ValidationError as error:
        raise CommandError(f"--project {slug!r}: {' '.join(error.messages)}") from error
