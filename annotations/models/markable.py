"""Markables: the words of a text that coders judge."""

from __future__ import annotations

from django.db import models
from django.db.models import Exists, F, OuterRef, Q

from annotations.core.database.queries import related_rows
from annotations.models.project import KEY_LENGTH
from annotations.models.scheme import Level
from annotations.models.text import Text


class MarkableQuerySet(models.QuerySet["Markable"]):
    def in_use(self) -> MarkableQuerySet:
        """Leave out what coders marked and every coder has deleted again, and what gold or models alone have."""
        of_coders = related_rows(self.model, "judgements").exclude(coding__kind="gold").exclude(coding__by_model=True)
        return self.filter(Q(predefined=True) | Exists(of_coders.filter(markable=OuterRef("pk"))))

    def seen_in(self, coding: int, text: int) -> MarkableQuerySet:
        """Return the markables that the coder of this coding of this text sees: predefined ones and the coder's own.

        For some of them, named by key: all of them are found by passing over those that other coders marked.
        """
        own = related_rows(self.model, "judgements").filter(coding=coding, markable=OuterRef("pk"))
        return self.filter(Q(predefined=True) | Exists(own), text=text)


class Markable(models.Model):
    """Words of a text, in one or more parts, that coders judge or point at.

    `key` consists of level and parts ("phrase:12-18", "phrase:10-14,20-25"): it is unique in the text because they
    are, and it reveals nothing of what other coders have marked, as a running number would.
    """

    text = models.ForeignKey(Text, on_delete=models.CASCADE, related_name="markables", db_index=False)
    level = models.ForeignKey(Level, on_delete=models.PROTECT, related_name="markables")
    key = models.CharField(max_length=500)
    label = models.CharField(max_length=KEY_LENGTH, blank=True, help_text="A short name from the source.")
    parts = models.JSONField(help_text="[[start, end], ...] in text order, ends exclusive")
    head = models.JSONField(
        default=list, blank=True, help_text="[[start, end], ...] of the least words that stand for it (MUC's MIN)"
    )
    start = models.PositiveIntegerField(help_text="start of the first part")
    end = models.PositiveIntegerField(help_text="end of the last part")
    predefined = models.BooleanField(
        default=True, help_text="Given with the text; else only coders who marked it see it."
    )

    objects = MarkableQuerySet.as_manager()

    class Meta:
        ordering = ["start", "-end", "key"]
        constraints = [
            models.UniqueConstraint(fields=["text", "key"], name="markable_once_in_text"),
            models.CheckConstraint(condition=Q(end__gt=F("start")), name="markable_not_empty"),
        ]
        indexes = [models.Index(fields=["text"], condition=Q(predefined=True), name="markable_predefined_in_text")]

    def __str__(self) -> str:
        return self.label or self.key
