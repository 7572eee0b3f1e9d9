from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotations", "0002_coders_mark_name_and_undo")]

    operations = [
        migrations.AddField(
            model_name="text",
            name="round",
            field=models.SlugField(
                blank=True,
                db_index=False,
                default="",
                help_text="The round of annotation it belongs to: pilot, main.",
                max_length=50,
            ),
            preserve_default=False,
        ),
    ]
