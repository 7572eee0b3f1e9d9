from django.db import migrations, models

from annotations.schemes.singletons import mark_singletons


def mark_former_singletons(apps, schema_editor):
    """Keep the figures of projects that follow Passonneau 2004."""
    categories = apps.get_model("annotations", "Category").objects.using(schema_editor.connection.alias)
    mark_singletons(categories.filter(points_to=None))


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0009_plain_names"),
    ]

    operations = [
        migrations.AddField(
            model_name="category",
            name="singleton",
            field=models.BooleanField(
                default=False,
                help_text="Where coders index: what has this answer refers to itself alone. Off: the answer is a value of its own, the same for all that have it.",
            ),
        ),
        migrations.RunPython(mark_former_singletons, migrations.RunPython.noop, elidable=True),
        migrations.AddConstraint(
            model_name="category",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("singleton", False), models.Q(("points_to__isnull", True), ("takes_index", False)), _connector="OR"
                ),
                name="category_singleton_refers_to_nothing_else",
            ),
        ),
    ]
