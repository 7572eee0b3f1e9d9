"""Count the uses of an invitation, which may be for a group."""

from django.db import migrations, models


def count_uses(apps, schema_editor):
    """Count what was used before as used once."""
    invitations = apps.get_model("annotations", "Invitation").objects.using(schema_editor.connection.alias)
    invitations.filter(used_at__isnull=False).update(uses=1)


class Migration(migrations.Migration):
    dependencies = [("annotations", "0013_plain_words")]

    operations = [
        migrations.AddField(
            model_name="invitation",
            name="max_uses",
            field=models.PositiveSmallIntegerField(default=1, help_text="How many people may use it."),
        ),
        migrations.AddField(
            model_name="invitation",
            name="uses",
            field=models.PositiveSmallIntegerField(default=0, help_text="How many people have used it."),
        ),
        migrations.RunPython(count_uses, migrations.RunPython.noop, elidable=True),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.CheckConstraint(
                condition=models.Q(("max_uses__gte", 1), ("max_uses__lte", 200), ("uses__lte", models.F("max_uses"))),
                name="invitation_used_as_often_as_it_may",
            ),
        ),
    ]
