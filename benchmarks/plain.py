"""A plain application on the same database: what the ORM and the server take without our rules, as an honest floor.

Whoever asks gets the rows: nobody signs in, nothing is checked. It is served as Coindex is: gunicorn benchmarks.plain.
"""

import json
import os
from typing import Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import transaction
from django.http import HttpRequest, JsonResponse
from django.urls import path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
settings.ROOT_URLCONF = __name__
settings.MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
application = get_wsgi_application()


def coding(request: HttpRequest, pk: int) -> JsonResponse:
    """A text with the judgements of one coder, or more of them."""
    from annotations.models import Coding, Judgement, Markable, Pointer

    if request.method == "POST":
        return JsonResponse({"version": save(pk, json.loads(request.body)["operations"])})
    found = Coding.objects.select_related("text").get(pk=pk)
    pointers: dict[int, list[str]] = {}
    rows = Pointer.objects.filter(judgement__coding=pk)
    for judgement, target in rows.values_list("judgement_id", "target__key"):
        pointers.setdefault(judgement, []).append(target)
    judgements = Judgement.objects.filter(coding=pk).values_list("pk", "markable__key", "category__key", "note")
    return JsonResponse(
        {
            "text": found.text.content,
            "markables": list(Markable.objects.filter(text=found.text_id).values("key", "parts")),
            "version": found.version,
            "judgements": [
                {"markable": key, "category": category, "pointers": pointers.get(pk, []), "note": note}
                for pk, key, category, note in judgements
            ],
        }
    )


@transaction.atomic
def save(pk: int, changes: list[dict[str, Any]]) -> int:
    """Write judgements, their pointers and the log, as they come."""
    from annotations.models import Category, Coding, Judgement, Markable, Operation, Pointer

    said = [change["payload"] for change in changes]
    found = Coding.objects.select_for_update().get(pk=pk)
    keys = {key for one in said for key in (one["markable"], *one["pointers"])}
    markables = dict(Markable.objects.filter(text=found.text_id, key__in=keys).values_list("key", "pk"))
    categories = dict(Category.objects.filter(project__texts=found.text_id).values_list("key", "pk"))
    rows = Judgement.objects.bulk_create(
        [
            Judgement(coding=found, markable_id=markables[one["markable"]], category_id=categories[one["category"]])
            for one in said
        ],
        update_conflicts=True,
        unique_fields=["coding", "markable"],
        update_fields=["category"],
    )
    Pointer.objects.filter(judgement__in=rows).delete()
    Pointer.objects.bulk_create(
        Pointer(judgement=row, target_id=markables[target])
        for row, one in zip(rows, said, strict=True)
        for target in one["pointers"]
    )
    Operation.objects.bulk_create(
        Operation(
            coding=found,
            sequence=found.version + number,
            uuid=change["uuid"],
            kind="judge",
            payload=change["payload"],
            user_id=found.coder_id,
        )
        for number, change in enumerate(changes, start=1)
    )
    found.version += len(changes)
    found.save(update_fields=["version"])
    return found.version


def texts(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - nothing is asked
    """All texts, without their content."""
    from annotations.models import Text

    rows = Text.objects.order_by("slug").values("slug", "title", "language", "direction")[:100]
    return JsonResponse({"results": list(rows)})


urlpatterns = [path("codings/<int:pk>/", coding), path("texts/", texts)]
