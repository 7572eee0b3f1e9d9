"""How the names of files were mapped when files of a format were imported last."""

from django.db import models

from annotations.models.project import Project


class ImportNames(models.Model):
    """Names of files and those of the project for them, by the option of an import that says them."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="import_names")
    format = models.CharField(max_length=20)
    names = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "format"], name="import_names_once_a_format"),
        ]

    def __str__(self) -> str:
        return f"{self.project}: {self.format}"
