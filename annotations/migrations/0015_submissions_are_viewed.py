from django.db import migrations, models
from django.utils import timezone


ROLES = [
    ("manager", "manager"),
    ("adjudicator", "adjudicator"),
    ("coder", "coder"),
    ("viewer", "viewer"),
    ("manager-coder", "manager and coder"),
]


def view_submissions(apps, schema_editor):
    """Let what was submitted count as viewed: nobody recorded who has looked at it."""
    codings = apps.get_model("annotations", "Coding").objects.using(schema_editor.connection.alias)
    codings.filter(status="submitted").update(viewed_at=timezone.now())


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0014_invitation_uses"),
    ]

    operations = [
        migrations.AddField(
            model_name="coding",
            name="reopen_request",
            field=models.CharField(
                blank=True,
                help_text="Why the coder asks a manager to reopen it; empty: does not ask.",
                max_length=500,
            ),
        ),
        migrations.AddField(
            model_name="coding",
            name="viewed_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When answers or figures of the submission were first shown to somebody else.",
                null=True,
            ),
        ),
        migrations.RunPython(view_submissions, migrations.RunPython.noop, elidable=True),
    ]
    for model in ("invitation", "membership"):
        name = f"{model}_role_known"
        operations += [
            migrations.RemoveConstraint(model_name=model, name=name),
            migrations.AlterField(
                model_name=model, name="role", field=models.CharField(choices=ROLES, max_length=16)
            ),
            migrations.AddConstraint(
                model_name=model,
                constraint=models.CheckConstraint(
                    condition=models.Q(role__in=["manager", "adjudicator", "coder", "viewer", "manager-coder"]), name=name
                ),
            ),
        ]
