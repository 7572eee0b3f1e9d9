import re

from django.db import migrations
from django.db.models import Count, Max, Min, OuterRef, Subquery

# The round of texts that had no label.
MAIN = "main"
# So many texts at a time are put into their round.
BATCH = 2_000


def make_rounds(apps, schema_editor):
    """Make a round of kind main of each label, in their natural order, and put texts and codings into theirs."""
    alias = schema_editor.connection.alias
    Text, Coding = apps.get_model("annotations", "Text"), apps.get_model("annotations", "Coding")
    Round, RoundText = apps.get_model("annotations", "Round"), apps.get_model("annotations", "RoundText")
    texts = Text.objects.using(alias).order_by()
    labels = {}
    for project, label in texts.values_list("project", "round").distinct():
        labels.setdefault(project, set()).add(label or MAIN)
    rounds = Round.objects.using(alias).bulk_create(
        Round(project_id=project, name=name, position=position, kind="main")
        for project, names in sorted(labels.items())
        for position, name in enumerate(sorted(names, key=natural_key))
    )
    key_of = {(one.project_id, one.name): one.pk for one in rounds}
    RoundText.objects.using(alias).bulk_create(
        (
            RoundText(text_id=text, round_id=key_of[project, label or MAIN])
            for text, project, label in texts.order_by("pk").values_list("pk", "project", "round").iterator()
        ),
        batch_size=BATCH,
    )
    round_of_text = RoundText.objects.using(alias).filter(text=OuterRef("text")).values("round")
    Coding.objects.using(alias).update(round=Subquery(round_of_text[:1]))
    record_versions(apps, alias)


def natural_key(text):
    """Return a key that sorts numbers in names as numbers."""
    parts = re.split(r"([0-9]+)", text)
    return [(False, int(part), "") if number % 2 else (True, 0, part) for number, part in enumerate(parts) if part]


def record_versions(apps, alias):
    """Record the versions of guidelines and scheme when each round began, as the log tells it."""
    Operation, Round = apps.get_model("annotations", "Operation"), apps.get_model("annotations", "Round")
    GuidelinesVersion = apps.get_model("annotations", "GuidelinesVersion")
    work = Operation.objects.using(alias).exclude(kind__in=["correct", "merge"]).order_by()
    began = work.values("coding__round").annotate(moment=Min("applied_at"), scheme=Min("scheme_version"))
    for key, moment, scheme in began.values_list("coding__round", "moment", "scheme"):
        here = Round.objects.using(alias).filter(pk=key)
        versions = GuidelinesVersion.objects.using(alias).filter(project__in=here.values("project"))
        numbers = versions.filter(created_at__lte=moment).aggregate(latest=Max("number"), first=Min("number"))
        here.update(scheme_version=scheme, guidelines_version=numbers["latest"])


def name_rounds(apps, schema_editor):
    """Give texts the label of their latest round; the round `main` alone is no label."""
    alias = schema_editor.connection.alias
    Text = apps.get_model("annotations", "Text")
    Round, RoundText = apps.get_model("annotations", "Round"), apps.get_model("annotations", "RoundText")
    latest = RoundText.objects.using(alias).filter(text=OuterRef("pk")).order_by("-round__position", "-round")
    Text.objects.using(alias).update(round=Subquery(latest.values("round__name")[:1]))
    several = Round.objects.using(alias).values("project").annotate(number=Count("pk")).filter(number__gt=1)
    Text.objects.using(alias).filter(round=MAIN).exclude(project__in=several.values("project")).update(round="")


class Migration(migrations.Migration):
    dependencies = [("annotations", "0025_rounds")]

    operations = [migrations.RunPython(make_rounds, name_rounds, elidable=True)]
