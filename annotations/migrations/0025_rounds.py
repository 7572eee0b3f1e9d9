import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotations", "0024_merges_of_schemes")]

    operations = [
        migrations.CreateModel(
            name="Round",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "name",
                    models.SlugField(db_index=False, help_text="For example pilot, main or main-2."),
                ),
                (
                    "position",
                    models.PositiveIntegerField(default=0, help_text="Its place among the rounds of the project."),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("training", "training"),
                            ("pilot", "pilot"),
                            ("main", "main"),
                            ("recheck", "recheck"),
                        ],
                        default="main",
                        max_length=8,
                    ),
                ),
                ("starts_on", models.DateField(blank=True, null=True, verbose_name="from")),
                ("ends_on", models.DateField(blank=True, null=True, verbose_name="until")),
                (
                    "guidelines_version",
                    models.PositiveIntegerField(
                        blank=True,
                        editable=False,
                        help_text="The version of the guidelines when the round began.",
                        null=True,
                    ),
                ),
                (
                    "scheme_version",
                    models.PositiveIntegerField(
                        blank=True,
                        editable=False,
                        help_text="The version of the scheme when the round began.",
                        null=True,
                    ),
                ),
                (
                    "closed_at",
                    models.DateTimeField(
                        blank=True,
                        editable=False,
                        help_text="Since when no work is done in it; empty: it is open.",
                        null=True,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rounds",
                        to="annotations.project",
                    ),
                ),
            ],
            options={"ordering": ["position", "pk"]},
        ),
        migrations.CreateModel(
            name="RoundText",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "round",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="annotations.round",
                    ),
                ),
                (
                    "text",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="annotations.text",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="round",
            name="texts",
            field=models.ManyToManyField(related_name="rounds", through="annotations.RoundText", to="annotations.text"),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.UniqueConstraint(fields=("project", "name"), name="round_name_unique_in_project"),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(condition=models.Q(("name", ""), _negated=True), name="round_has_a_name"),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["training", "pilot", "main", "recheck"])), name="round_kind_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("starts_on__isnull", True),
                    ("ends_on__isnull", True),
                    ("ends_on__gte", models.F("starts_on")),
                    _connector="OR",
                ),
                name="round_ends_after_it_starts",
            ),
        ),
        migrations.AddConstraint(
            model_name="round",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("guidelines_version__isnull", True), ("scheme_version__isnull", False), _connector="OR"
                ),
                name="round_has_guidelines_once_it_began",
            ),
        ),
        migrations.AddConstraint(
            model_name="roundtext",
            constraint=models.UniqueConstraint(fields=("round", "text"), name="round_has_a_text_once"),
        ),
        migrations.AddField(
            model_name="coding",
            name="round",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="codings",
                to="annotations.round",
            ),
        ),
        migrations.AddField(
            model_name="coding",
            name="occasion",
            field=models.PositiveSmallIntegerField(default=1),
        ),
    ]
