import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Count


def refuse_texts_that_are_coded_twice(apps, schema_editor):
    """Raise RuntimeError on the way back to one coding of a text and coder, where there are several."""
    codings = apps.get_model("annotations", "Coding").objects.using(schema_editor.connection.alias).order_by()
    several = codings.values("text__slug", "text__project__slug", "coder", "kind").annotate(number=Count("pk"))
    twice = several.filter(number__gt=1).first()
    if twice is not None:
        raise RuntimeError(
            f"The text {twice['text__slug']!r} of the project {twice['text__project__slug']!r} is coded by one coder in "
            "several rounds, or twice in one; earlier versions of the program can hold one coding. Delete the others, "
            "or stay with this version."
        )


class Migration(migrations.Migration):
    dependencies = [("annotations", "0026_rounds_of_labels")]

    operations = [
        migrations.AlterModelOptions(
            name="coding",
            options={
                "ordering": [
                    "text__position",
                    "text__slug",
                    "coder__username",
                    "round__position",
                    "round_id",
                    "occasion",
                ]
            },
        ),
        migrations.RemoveConstraint(model_name="coding", name="coding_one_a_coder_text_and_kind"),
        migrations.AlterField(
            model_name="coding",
            name="round",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.RESTRICT, related_name="codings", to="annotations.round"
            ),
        ),
        migrations.AddConstraint(
            model_name="coding",
            constraint=models.UniqueConstraint(
                fields=("text", "coder", "kind", "round", "occasion"), name="coding_one_a_coder_round_and_occasion"
            ),
        ),
        migrations.AddConstraint(
            model_name="coding",
            constraint=models.CheckConstraint(
                condition=models.Q(("occasion", 1), models.Q(("kind", "text"), ("occasion__gt", 1)), _connector="OR"),
                name="coding_repeats_are_of_texts",
            ),
        ),
        migrations.RemoveField(model_name="text", name="round"),
        # What comes last is first on the way back.
        migrations.RunPython(migrations.RunPython.noop, refuse_texts_that_are_coded_twice, elidable=True),
    ]
