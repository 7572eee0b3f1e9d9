"""Load the demo projects; existing projects stay unchanged."""

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Permission
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from annotations.coding.active_time import count_active_time
from annotations.formats.model.scheme import ReadyMadeScheme
from annotations.formats.model.scheme_json import scheme_from_json
from annotations.management import demo
from annotations.management.demo import models, pyramids, rounds
from annotations.management.demo.work import BEGINNERS, MANAGER, PASSWORD, code, decision_of, import_text, person
from annotations.models import Coding, Membership, Project, Round, Text
from annotations.planning.work.assignments import assign_texts
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member, set_group
from annotations.projects.rounds import next_position
from annotations.schemes.ready_made import SCHEMES

FILES = ("news", "dialogue", "notices", "sortal", "links", "letters", "topics", "summaries", "chronicle")
# All texts of these projects are assigned to the beginners.
ASSIGNED_PROJECTS = ("dialogue", "links", "letters", "topics", "summaries")


class Command(BaseCommand):
    help = "Load the demo projects with their people; running it again changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("projects", nargs="*", metavar="PROJECT", help=f"only these of {', '.join(FILES)}")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.LOCAL:
            raise CommandError("The demo's passwords are known to everybody: it loads with LOCAL=1 only.")
        for name in options["projects"]:
            if name not in FILES:
                raise CommandError(f"There is no demo project {name}; there are {', '.join(FILES)}.")
        for name in options["projects"] or FILES:
            source = json.loads((Path(demo.__file__).parent / "projects" / f"{name}.json").read_text(encoding="utf-8"))
            if Project.objects.filter(slug=source["project"]["slug"]).exists():
                continue
            with transaction.atomic():
                left_out = _load(source)
            for warning in left_out:
                self.stdout.write(self.style.WARNING(warning))
        self.stdout.write("Demo sign-ins (all with the password " + self.style.SUCCESS(PASSWORD) + "):")
        self.stdout.write(f"  {MANAGER:10} manages all nine projects")
        for name in BEGINNERS:
            self.stdout.write(
                f"  {name:10} has a dialogue and letters to code, a text to mark and link, a pyramid to build, and "
                "a training to pass"
            )
        self.stdout.write("  ra1, ann and mo have coded: news, dialogue and harbour notices, sortal classes")
        self.stdout.write("  eva, noor and tom have coded: letters by schemes with attributes and bridging")
        self.stdout.write("  kim, lou, sam and ute have been trained, and coded a pilot and most of a main round")
        self.stdout.write("  ida and jon have built pyramids and scored peers, vera has agreed on one pyramid")


def _load(source: dict[str, Any]) -> list[str]:
    """Create the project; return warnings about parts that were left out."""
    fields = source["project"]
    manager = person(MANAGER)
    manager.user_permissions.add(Permission.objects.get(content_type__app_label="annotations", codename="add_project"))
    project = create_project(
        fields["slug"],
        fields["title"],
        _scheme_of(fields),
        guidelines=fields["guidelines"],
        manager=manager,
        coders_mark=fields.get("coders_mark", False),
    )
    texts = source.get("texts", [])
    days = [timedelta(days=len(text.get("codings", text.get("deviations", ())))) for text in texts]
    day = timezone.localdate() - sum(days, timedelta())
    for text, duration in zip(texts, days, strict=True):
        _load_text(project, text, day)
        day += duration
    for group, names in source.get("groups", {}).items():
        chosen = Membership.objects.filter(project=project, user__username__in=names)
        set_group(project, chosen.values_list("pk", flat=True), group)
    if project.answers == Project.Answers.SCUS:
        pyramids.load(project, source)
    if "training" in source:
        rounds.load(project, source)
    if project.slug in ASSIGNED_PROJECTS:
        for name in BEGINNERS:
            beginner = person(name)
            add_member(project, beginner, Membership.Role.CODER)
            assign_texts(project, Text.objects.filter(project=project).exclude(role=Text.Role.PEER), [beginner])
    left_out = []
    if project.slug in models.NAMES:
        try:
            left_out = models.load(project)
        except ImportError as missing:
            needed = "examples/ and httpx (extra client) are needed"
            left_out = [f"{project.slug}: without a model that codes, as {needed}: {missing}"]
    count_active_time(Coding.objects.filter(text__project=project))
    return left_out


def _load_text(project: Project, source: dict[str, Any], first_day: date) -> None:
    """Import a text and its codings, one a day: the gold with each coder's deviations."""
    if "round" in source:
        kind = Round.Kind.PILOT if source["round"] == Round.Kind.PILOT else Round.Kind.MAIN
        defaults = {"kind": kind, "position": next_position(project)}
        Round.objects.get_or_create(project=project, name=source["round"], defaults=defaults)
    text, keys, gold = import_text(project, source, source.get("round", ""))
    deviations = source.get("deviations", {})
    codings = source.get("codings", {name: gold | of_coder for name, of_coder in deviations.items()})
    for number, (name, answers) in enumerate(codings.items()):
        coder = person(name)
        add_member(project, coder, Membership.Role.CODER)
        coding = Coding.objects.create(text=text, coder=coder, round=text.rounds.get())
        decisions = [decision_of(project, keys, label, answer) for label, answer in answers.items()]
        code(coding, decisions, first_day + timedelta(days=number))


def _scheme_of(fields: Mapping[str, Any]) -> ReadyMadeScheme:
    """Return the ready-made scheme that the project names, or the scheme in its file."""
    if isinstance(fields["scheme"], str):
        return SCHEMES[fields["scheme"]]
    spec, answers = scheme_from_json(fields["scheme"])
    return ReadyMadeScheme(
        fields["slug"],
        fields["title"],
        "",
        answers,
        spec.levels,
        spec.categories,
        fields["preset"],
        relations=spec.relations,
        attributes=spec.attributes,
    )
