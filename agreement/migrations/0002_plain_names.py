from django.db import migrations

BEFORE, NOW = "agreement.computations.compute", "agreement.sections.computations.compute"


def rename_tasks(apps, schema_editor):
    """Name the computations in the queue by where their function is: what waits for a worker is found again."""
    queue = apps.get_model("django_tasks_database", "DBTaskResult").objects.using(schema_editor.connection.alias)
    queue.filter(task_path=BEFORE).update(task_path=NOW)


def restore_tasks(apps, schema_editor):
    """Name the computations in the queue as 0.1.0 did."""
    queue = apps.get_model("django_tasks_database", "DBTaskResult").objects.using(schema_editor.connection.alias)
    queue.filter(task_path=NOW).update(task_path=BEFORE)


class Migration(migrations.Migration):

    dependencies = [
        ("agreement", "0001_initial"),
        ("django_tasks_database", "0021_conditional_partial_index_ordering"),
    ]

    operations = [
        migrations.RenameField("computation", "told_at", "heartbeat_at"),
        migrations.RunPython(rename_tasks, restore_tasks, elidable=True),
    ]
