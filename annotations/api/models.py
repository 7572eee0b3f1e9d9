"""The REST API of models that code: who they are, and their API keys."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.api.http.idempotency import idempotent
from annotations.api.http.preconditions import etag_response
from annotations.api.lists import ProjectListView
from annotations.api.serializers.models import (
    ModelKeySerializer,
    ModelSerializer,
    NewModelKeySerializer,
    NewModelSerializer,
)
from annotations.api.serializers.projects import validated
from annotations.models import ModelCoder, Project
from annotations.models.people.rights import Right
from annotations.projects.people.model_coders import add_model, find_model, make_key, models_of, withdraw_keys
from annotations.projects.permissions import project_with_models


class ModelList(ProjectListView):
    """Models that code in the project; people who code do not learn of them."""

    serializer_class = ModelSerializer
    ordering = ["pk"]
    queryset = ModelCoder.objects.none()
    right = Right.MANAGE_WORK

    def find_project(self) -> Project:
        return project_with_models(self.request.user, self.kwargs["slug"])

    def rows_of(self, project: Project) -> QuerySet[ModelCoder]:
        return models_of(project)

    @extend_schema(request=NewModelSerializer, responses={201: ModelSerializer})
    @idempotent(Right.MANAGE_WORK)
    def post(self, request: Request, slug: str) -> Response:
        """Make a model a coder, with an account that cannot sign in. It codes with a key, or by imports."""
        project = project_with_models(request.user, slug)
        fields = validated(NewModelSerializer(data=request.data))
        fields["digest"] = fields.pop("hash")
        model = add_model(project, fields.pop("name"), **fields)
        return Response(ModelSerializer(model).data, status=status.HTTP_201_CREATED)


class ModelDetail(APIView):
    """A model that codes."""

    @extend_schema(responses=ModelSerializer)
    def get(self, request: Request, slug: str, username: str) -> HttpResponse:
        return etag_response(ModelSerializer(_model(request, slug, username)).data)


class ModelKey(APIView):
    """The API key of a model."""

    @extend_schema(request=NewModelKeySerializer, responses={201: ModelKeySerializer})
    @idempotent(Right.MANAGE_WORK, secret_fields=("key",))
    def post(self, request: Request, slug: str, username: str) -> Response:
        """Make its key anew: the key before ends. It is shown this once."""
        model = _model(request, slug, username)
        fields = validated(NewModelKeySerializer(data=request.data))
        token, secret = make_key(model, fields["days"])
        data = {"key": secret, "expires_at": token.expires_at.isoformat()}
        return Response(data, status=status.HTTP_201_CREATED, headers={"Cache-Control": "no-store"})

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, username: str) -> Response:
        """End it: the model codes no more until it has another one."""
        withdraw_keys(_model(request, slug, username))
        return Response(status=status.HTTP_204_NO_CONTENT)


def _model(request: Request, slug: str, username: str) -> ModelCoder:
    model = find_model(project_with_models(request.user, slug), username)
    if model is None:
        raise Http404("There is no such model.")
    return model
