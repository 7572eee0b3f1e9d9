from django.db import migrations

BEFORE, NOW = "annotations.transfers.work", "annotations.transfers.orders.run_transfer"


def rename_tasks(apps, schema_editor):
    """Name the transfers in the queue by where their function is: what waits for a worker is found again."""
    queue = apps.get_model("django_tasks_database", "DBTaskResult").objects.using(schema_editor.connection.alias)
    queue.filter(task_path=BEFORE).update(task_path=NOW)


def restore_tasks(apps, schema_editor):
    """Name the transfers in the queue as 0.1.0 did."""
    queue = apps.get_model("django_tasks_database", "DBTaskResult").objects.using(schema_editor.connection.alias)
    queue.filter(task_path=NOW).update(task_path=BEFORE)


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0008_answered"),
        ("django_tasks_database", "0021_conditional_partial_index_ordering"),
    ]

    operations = [
        migrations.RenameModel("Answered", "IdempotencyRecord"),
        migrations.RenameField("transfer", "told_at", "heartbeat_at"),
        migrations.RenameField("token", "begins", "prefix"),
        migrations.RenameField("invitation", "whom", "note"),
        migrations.RunPython(rename_tasks, restore_tasks, elidable=True),
    ]
