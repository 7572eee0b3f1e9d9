import django.db.models.deletion
from django.db import migrations, models


# The task that stored sums of texts, which are stored no longer.
STORE_SUMS = "agreement.sections.stored_sums.store_sums"


def delete_tasks(apps, schema_editor):
    """Take what was ordered out of the queue: no worker finds it any more."""
    queue = apps.get_model("django_tasks_database", "DBTaskResult").objects.using(schema_editor.connection.alias)
    queue.filter(task_path=STORE_SUMS).delete()


class Migration(migrations.Migration):

    dependencies = [
        ('agreement', '0006_results'),
        ('annotations', '0043_no_stamps'),
    ]

    operations = [
        migrations.RunPython(delete_tasks, migrations.RunPython.noop, elidable=True),
        migrations.CreateModel(
            name='FiguresVersion',
            fields=[
                ('project', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='annotations.project')),
                ('number', models.PositiveIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='StoredAnswers',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('occasion', models.PositiveSmallIntegerField()),
                ('reading', models.CharField(blank=True, max_length=20)),
                ('version', models.BinaryField()),
                ('content', models.BinaryField()),
                ('names', models.TextField(blank=True)),
            ],
            options={
                'verbose_name_plural': 'stored answers',
            },
        ),
        migrations.RemoveConstraint(
            model_name='storedsums',
            name='stored_sums_once',
        ),
        migrations.AddField(
            model_name='storedanswers',
            name='project',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotations.project'),
        ),
        migrations.AddField(
            model_name='storedanswers',
            name='round',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotations.round'),
        ),
        migrations.AddField(
            model_name='storedanswers',
            name='text',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotations.text'),
        ),
        migrations.RemoveField(
            model_name='storedsums',
            name='project',
        ),
        migrations.DeleteModel(
            name='SumsOrder',
        ),
        migrations.AddConstraint(
            model_name='storedanswers',
            constraint=models.UniqueConstraint(fields=('text', 'round', 'occasion', 'reading'), name='stored_answers_once'),
        ),
        migrations.DeleteModel(
            name='StoredSums',
        ),
    ]
