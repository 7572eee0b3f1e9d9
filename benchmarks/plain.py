"""A plain application on the same database, without sign-in, checks and rules: the minimum cost of ORM and server."""

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
    """Return a text with the judgements of one coder, or save judgements."""
    from annotations.models import Coding, Judgement, Markable, Pointer

    if request.method == "POST":
        return JsonResponse({"version": save(pk, json.loads(request.body)["operations"])})
    row = Coding.objects.of_people().select_related("text").get(pk=pk)
    pointers: dict[int, list[str]] = {}
    rows = Pointer.objects.filter(judgement__coding=pk)
    for judgement, target in rows.values_list("judgement_id", "target__key"):
        pointers.setdefault(judgement, []).append(target)
    judgements = Judgement.objects.filter(coding=pk).values_list("pk", "markable__key", "category__key", "note")
    return JsonResponse(
        {
            "text": row.text.content,
            "markables": list(Markable.objects.filter(text=row.text_id).values("key", "parts")),
            "version": row.version,
            "judgements": [
                {"markable": key, "category": category, "pointers": pointers.get(pk, []), "note": note}
                for pk, key, category, note in judgements
            ],
        }
    )


@transaction.atomic
def save(pk: int, changes: list[dict[str, Any]]) -> int:
    """Write judgements, their pointers and the log, without checks."""
    from annotations.models import Category, Coding, Judgement, Markable, Operation, Pointer, Relation

    payloads = [change["payload"] for change in changes]
    coding = Coding.objects.of_people().select_for_update().get(pk=pk)
    keys = {key for payload in payloads for key in (payload["markable"], *payload["pointers"])}
    markables = dict(Markable.objects.filter(text=coding.text_id, key__in=keys).values_list("key", "pk"))
    categories = dict(Category.objects.filter(project__texts=coding.text_id).values_list("key", "pk"))
    rows = Judgement.objects.bulk_create(
        [
            Judgement(
                coding=coding, markable_id=markables[payload["markable"]], category_id=categories[payload["category"]]
            )
            for payload in payloads
        ],
        update_conflicts=True,
        unique_fields=["coding", "markable"],
        update_fields=["category"],
    )
    Pointer.objects.filter(judgement__in=rows).delete()
    relations = dict(Relation.objects.filter(project__texts=coding.text_id).values_list("key", "pk"))
    Pointer.objects.bulk_create(
        Pointer(judgement=row, relation_id=relations[payload["category"]], reading=number, target_id=markables[target])
        for row, payload in zip(rows, payloads, strict=True)
        for number, target in enumerate(payload["pointers"])
    )
    Operation.objects.bulk_create(
        Operation(
            coding=coding,
            sequence=coding.version + number,
            uuid=change["uuid"],
            kind="judge",
            payload=change["payload"],
            user_id=coding.coder_id,
        )
        for number, change in enumerate(changes, start=1)
    )
    coding.version += len(changes)
    coding.save(update_fields=["version"])
    return coding.version


def texts(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - a view's signature
    """Return all texts, without their content."""
    from annotations.models import Text

    rows = Text.objects.order_by("slug").values("slug", "title", "language", "direction")[:100]
    return JsonResponse({"results": list(rows)})


urlpatterns = [path("codings/<int:pk>/", coding), path("texts/", texts)]
