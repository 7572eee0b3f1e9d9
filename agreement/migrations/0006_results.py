from django.db import migrations

BEFORE, NOW = "agreement.sections.computations.compute", "agreement.results.computations.compute"


def rename_tasks(apps, schema_editor):
    """Name the computations in the queue by where their function is: what waits for a worker is found again."""
    queue = apps.get_model("django_tasks_database", "DBTaskResult").objects.using(schema_editor.connection.alias)
    queue.filter(task_path=BEFORE).update(task_path=NOW)


def restore_tasks(apps, schema_editor):
    """Name them as before."""
    queue = apps.get_model("django_tasks_database", "DBTaskResult").objects.using(schema_editor.connection.alias)
    queue.filter(task_path=NOW).update(task_path=BEFORE)


class Migration(migrations.Migration):

    dependencies = [("agreement", "0001_squashed_0005_sums_orders")]

    operations = [migrations.RunPython(rename_tasks, restore_tasks, elidable=True)]
