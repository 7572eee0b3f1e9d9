"""Active time becomes a column of codings, counted once from their logs; projects get a stamp of their scheme."""

from datetime import timedelta
from itertools import groupby, pairwise
from uuid import uuid4

from django.db import migrations, models
from django.db.models.functions import Coalesce, Least
from django.utils import timezone

PAUSE = timedelta(minutes=5)
NO_WORK = ('correct', 'merge', 'draft', 'assign', 'import')


def count_active_time(apps, schema_editor):
    Coding, Operation = (apps.get_model('annotations', name) for name in ('Coding', 'Operation'))
    log = Operation.objects.exclude(kind__in=NO_WORK).order_by('coding_id')
    log = log.annotate(time=Least(Coalesce('made_at', 'applied_at'), 'applied_at'))
    log = log.values_list('coding_id', 'time', 'user_id', 'coding__coder_id').iterator(chunk_size=5000)
    counted = list(counted_codings(log, Coding))
    Coding.objects.bulk_update(counted, ['active_time', 'last_active'], batch_size=1000)


def counted_codings(log, Coding):
    for key, rows in groupby(log, key=lambda row: row[0]):
        times = sorted(time for _, time, user, coder in rows if user == coder)
        if times:
            gaps = [later - earlier for earlier, later in pairwise(times)]
            counted = sum((gap for gap in gaps if gap <= PAUSE), timedelta())
            yield Coding(pk=key, active_time=counted, last_active=times[-1])


class Migration(migrations.Migration):

    dependencies = [
        ('annotations', '0043_no_stamps'),
    ]

    operations = [
        migrations.DeleteModel(
            name='CountedTime',
        ),
        migrations.AddField(
            model_name='coding',
            name='active_time',
            field=models.DurationField(
                db_default=timedelta(),
                default=timedelta,
                help_text='How long its coder has worked on it, without pauses, by its log.',
            ),
        ),
        migrations.AddField(
            model_name='coding',
            name='last_active',
            field=models.DateTimeField(
                blank=True,
                help_text="When its coder last changed it, by the coder's clock unless that is ahead.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name='project',
            name='scheme_stamp',
            field=models.UUIDField(
                default=uuid4, editable=False, help_text='Another one after each change of the scheme.'
            ),
        ),
        # Nothing changes in the database, and SQLite would copy the log.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name='operation',
                    name='applied_at',
                    field=models.DateTimeField(default=timezone.now, editable=False),
                ),
            ]
        ),
        migrations.RunPython(count_active_time, migrations.RunPython.noop),
    ]
