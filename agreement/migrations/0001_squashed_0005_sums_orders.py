import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('agreement', '0001_initial'), ('agreement', '0002_plain_names'), ('agreement', '0003_flag_resolution'), ('agreement', '0004_stored_sums'), ('agreement', '0005_sums_orders')]

    initial = True

    dependencies = [
        ('annotations', '0001_squashed_0040_counted_times_and_written'),
        ('django_tasks_database', '0021_conditional_partial_index_ordering'),
    ]

    operations = [
        migrations.CreateModel(
            name='Computation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='computations', to='annotations.project')),
                ('kind', models.CharField(max_length=20)),
                ('state', models.CharField(max_length=16)),
                ('parameters', models.JSONField()),
                ('own', models.JSONField(default=dict)),
                ('done', models.PositiveIntegerField(default=0)),
                ('total', models.PositiveIntegerField(default=0)),
                ('result', models.JSONField(null=True)),
                ('error', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('heartbeat_at', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(null=True)),
            ],
            options={
                'indexes': [models.Index(fields=['project', 'kind', 'state'], name='computation_of_state')],
            },
        ),
        migrations.CreateModel(
            name='Flag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('markable', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='flag', to='annotations.markable')),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('reason', models.CharField(blank=True, max_length=500)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('resolved_at', models.DateTimeField(blank=True, null=True)),
                ('resolved_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('resolved_at__isnull', True), ('resolved_by__isnull', True)), models.Q(('resolved_at__isnull', False), ('resolved_by__isnull', False)), _connector='OR'), name='flag_resolved_by_somebody')],
            },
        ),
        migrations.CreateModel(
            name='Mapping',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mappings', to='annotations.project')),
                ('name', models.CharField(max_length=50)),
                ('classes', models.JSONField(help_text='{category: what it becomes}; what is not in it stays')),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['name'],
                'constraints': [models.UniqueConstraint(fields=('project', 'name'), name='mapping_name_unique_in_project'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='mapping_has_a_name')],
            },
        ),
        migrations.CreateModel(
            name='Remark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('markable', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='remarks', to='annotations.markable')),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('body', models.TextField(max_length=5000)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['created_at', 'pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(('body', ''), _negated=True), name='remark_not_empty')],
            },
        ),
        migrations.CreateModel(
            name='StoredSums',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stored_sums', to='annotations.project')),
                ('key', models.CharField(max_length=32)),
                ('content', models.BinaryField()),
                ('stored_at', models.DateTimeField()),
            ],
            options={
                'verbose_name_plural': 'stored sums',
                'constraints': [models.UniqueConstraint(fields=('project', 'key'), name='stored_sums_once')],
            },
        ),
        migrations.CreateModel(
            name='SumsOrder',
            fields=[
                ('project', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='annotations.project')),
                ('ordered_at', models.DateTimeField()),
            ],
        ),
    ]
