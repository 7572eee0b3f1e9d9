"""Docsets, and the content units (SCUs) of their pyramids, which judgements name by index (decision 0017)."""

from django.db import models
from django.db.models import Q

from annotations.models.coding import ENTITY_LENGTH, Coding
from annotations.models.project import Project

DOCSET_SLUG_LENGTH = 80
LABEL_LENGTH = 500
COMMENT_LENGTH = 10_000


class Docset(models.Model):
    """A set of model summaries of the same source. One text has them all as segments; each peer is a text."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="docsets", db_index=False)
    slug = models.SlugField(max_length=DOCSET_SLUG_LENGTH)
    title = models.CharField(max_length=200)
    boundary = models.CharField(
        max_length=200, blank=True, help_text="DUCView's startDocumentRegEx: it finds the headers of the summaries."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["slug"]
        constraints = [models.UniqueConstraint(fields=["project", "slug"], name="docset_slug_unique_in_project")]

    def __str__(self) -> str:
        return self.title


class SCU(models.Model):
    """The label and comment of an SCU in a pyramid. An SCU without either has no row."""

    coding = models.ForeignKey(Coding, on_delete=models.CASCADE, related_name="scus", db_index=False)
    key = models.CharField(max_length=ENTITY_LENGTH, help_text="The index that its contributors carry.")
    label = models.CharField(max_length=LABEL_LENGTH, blank=True)
    comment = models.TextField(max_length=COMMENT_LENGTH, blank=True)

    class Meta:
        verbose_name = "SCU"
        verbose_name_plural = "SCUs"
        constraints = [
            models.UniqueConstraint(fields=["coding", "key"], name="scu_once_in_coding"),
            models.CheckConstraint(condition=~Q(key=""), name="scu_has_key"),
            models.CheckConstraint(condition=~Q(label="", comment=""), name="scu_says_something"),
        ]

    def __str__(self) -> str:
        return self.label or self.key
