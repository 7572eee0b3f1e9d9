import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.utils import timezone


def make_first_versions(apps, schema_editor):
    """Make the guidelines of each project version 1, which its members have read."""
    alias = schema_editor.connection.alias
    version, reading, project, membership = (
        apps.get_model("annotations", name).objects.using(alias)
        for name in ("GuidelinesVersion", "GuidelinesReading", "Project", "Membership")
    )
    for pk, body in project.exclude(guidelines="").values_list("pk", "guidelines").iterator():
        version.create(project_id=pk, number=1, body=body, created_at=timezone.now())
        users = membership.filter(project=pk).values_list("user", flat=True)
        reading.bulk_create([reading.model(project_id=pk, user_id=user, number=1) for user in users])


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0015_submissions_are_viewed"),
    ]

    operations = [
        migrations.CreateModel(
            name="Question",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uuid", models.UUIDField(default=uuid.uuid4, editable=False)),
                (
                    "key",
                    models.CharField(
                        blank=True, help_text="The key of the markable; empty: the text as a whole.", max_length=500
                    ),
                ),
                ("body", models.TextField(help_text="Markdown", max_length=5000)),
                ("created_at", models.DateTimeField()),
                ("needs_answer", models.BooleanField(default=True)),
                ("has_news", models.BooleanField(default=False)),
                ("resolved_at", models.DateTimeField(blank=True, null=True)),
                ("public_question", models.TextField(blank=True, max_length=5000)),
                ("public_answer", models.TextField(blank=True, max_length=5000)),
                ("published_at", models.DateTimeField(blank=True, null=True)),
                (
                    "coder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "resolved_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "text",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="questions",
                        to="annotations.text",
                    ),
                ),
            ],
            options={
                "ordering": ["created_at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Reply",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("body", models.TextField(help_text="Markdown", max_length=5000)),
                ("created_at", models.DateTimeField()),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "question",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="replies", to="annotations.question"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "replies",
                "ordering": ["created_at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="GuidelinesReading",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="guidelines_readings",
                        to="annotations.project",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("project", "user"), name="guidelines_reading_one_a_person"),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)), name="guidelines_reading_of_a_version"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="GuidelinesVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("body", models.TextField(blank=True, help_text="Markdown")),
                ("created_at", models.DateTimeField()),
                (
                    "author",
                    models.ForeignKey(
                        blank=True,
                        help_text="Who saved it; empty for what was written before there were versions, or by the server.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="guidelines_versions",
                        to="annotations.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
                "constraints": [
                    models.UniqueConstraint(fields=("project", "number"), name="guidelines_version_once_in_project"),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)), name="guidelines_version_counts_from_1"
                    ),
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="question",
            constraint=models.UniqueConstraint(fields=("text", "uuid"), name="question_once_in_text"),
        ),
        migrations.AddConstraint(
            model_name="question",
            constraint=models.CheckConstraint(
                condition=models.Q(("body", ""), _negated=True), name="question_not_empty"
            ),
        ),
        migrations.AddConstraint(
            model_name="question",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("resolved_at__isnull", True), ("resolved_by__isnull", True)),
                    models.Q(("needs_answer", False), ("resolved_at__isnull", False), ("resolved_by__isnull", False)),
                    _connector="OR",
                ),
                name="question_resolved_by_somebody",
            ),
        ),
        migrations.AddConstraint(
            model_name="question",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("public_answer", ""), ("public_question", ""), ("published_at__isnull", True)),
                    models.Q(
                        ("published_at__isnull", False),
                        models.Q(("public_question", ""), _negated=True),
                        models.Q(("public_answer", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="question_published_with_answer",
            ),
        ),
        migrations.AddConstraint(
            model_name="reply",
            constraint=models.CheckConstraint(condition=models.Q(("body", ""), _negated=True), name="reply_not_empty"),
        ),
        migrations.RunPython(make_first_versions, migrations.RunPython.noop, elidable=True),
    ]
