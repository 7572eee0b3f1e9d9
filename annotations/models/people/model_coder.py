"""Models that code."""

from django.db import models

from annotations.models.project import Membership

VERSION_LENGTH = 100
HASH_LENGTH = 128


class ModelCoder(models.Model):
    """That a member is a model and no person, and which: a language model with its prompt, or a trained one.

    Its name is that of its account, which cannot sign in and is of this project alone.
    """

    membership = models.OneToOneField(Membership, on_delete=models.CASCADE, related_name="model")
    version = models.CharField(
        max_length=VERSION_LENGTH, blank=True, default="", help_text="Which version, as its makers or you call it."
    )
    hash = models.CharField(
        max_length=HASH_LENGTH, blank=True, default="", help_text="A digest of its prompt or of its weights."
    )
    date = models.DateField(null=True, blank=True, help_text="When it was called or trained.")

    class Meta:
        ordering = ["membership__user__username"]

    def __str__(self) -> str:
        return f"{self.membership.user} {self.version}".rstrip()
