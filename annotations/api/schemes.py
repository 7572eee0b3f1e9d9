"""The REST API of a project's scheme: reading, changes, versions and files."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, cast

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.api.http.endpoints import endpoint, etag_response, require_match
from annotations.api.http.problems import problem
from annotations.api.lists import ProjectListView
from annotations.api.serializers.coding import SchemeStateSerializer
from annotations.api.serializers.problems import SchemeProblemSerializer, SchemeViolationSerializer
from annotations.api.serializers.requests import StrictSerializer, StringsField, validated
from annotations.formats import FormatError
from annotations.formats.model.scheme import SchemeSpec
from annotations.formats.model.scheme_json import SchemeShapeError, ShapeProblem, scheme_from_json, scheme_to_json
from annotations.models import Project, SchemeVersion, User
from annotations.models.people.rights import Right
from annotations.projects.locks import lock_project
from annotations.projects.permissions import project_for
from annotations.revision.saving import SchemeRefused, save_scheme
from annotations.revision.undoing import undo_merges
from annotations.revision.versions import scheme_of_version
from annotations.schemes.changes import Merge, SchemeChange, plan_change, project_to_change
from annotations.schemes.consistency import BOUNDS
from annotations.schemes.project_scheme import read_scheme, scheme_state, set_coder_marked_levels
from annotations.transfers.scheme_files import WRITTEN, export_scheme, read_uploaded_scheme

DERIVED = ("constraints", "scheme_version")  # fields of a response that follow from the others


class SchemeChangesSerializer(StrictSerializer):
    coders_mark = StringsField(help_text="The coded levels whose markables coders mark themselves: all of them.")


class SchemeSerializer(SchemeStateSerializer):
    pass


class MergeSerializer(serializers.Serializer[Any]):
    question = serializers.CharField(help_text="`category`, or the key of an attribute")
    value = serializers.CharField(help_text="the value or category that is left out or retired")
    into = serializers.CharField(help_text="the one that its judgements get")


class SchemeDocumentSerializer(serializers.Serializer[Any]):
    """A scheme as in files (a response without `constraints`), and the merges of the change."""

    answers = serializers.ChoiceField(choices=Project.Answers.choices)
    levels = serializers.ListField(child=serializers.DictField())
    categories = serializers.ListField(child=serializers.DictField())
    relations = serializers.ListField(child=serializers.DictField(), required=False)
    attributes = serializers.ListField(child=serializers.DictField(), required=False)
    merges = MergeSerializer(many=True, required=False)


class SchemeEffectSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    question = serializers.CharField()
    change = serializers.CharField(help_text="a sentence")
    judgements = serializers.IntegerField()
    texts = serializers.IntegerField()
    coders = serializers.IntegerField()


class SchemePreviewSerializer(serializers.Serializer[Any]):
    problems = SchemeProblemSerializer(many=True, help_text="With one of them the scheme is refused.")
    effects = SchemeEffectSerializer(many=True, help_text="What is merged or retired, and how often it was given.")
    violations = SchemeViolationSerializer(many=True, help_text="Texts with answers that would not be allowed.")
    changes = serializers.BooleanField(help_text="It differs from the present scheme.")
    asks_otherwise = serializers.BooleanField(help_text="It differs in more than words and order.")


class SchemeVersionSerializer(serializers.ModelSerializer[SchemeVersion]):
    author = serializers.CharField(source="author.username", read_only=True, default=None, allow_null=True)

    class Meta:
        model = SchemeVersion
        fields = ["number", "author", "created_at"]


def _parse(data: object) -> tuple[SchemeSpec, str, list[Merge]]:
    """Return the scheme of a request, its kind of answers, and its merges. Raise SchemeShapeError."""
    merges: object = []
    if isinstance(data, dict):
        merges = data.get("merges", [])
        data = {name: value for name, value in data.items() if name not in (*DERIVED, "merges")}
    return *scheme_from_json(data), _parse_merges(merges)


def _parse_merges(data: object) -> list[Merge]:
    merges = []
    for number, merge in enumerate(data if isinstance(data, list) else [None]):
        match merge:
            case {"question": str(question), "value": str(value), "into": str(into), **others} if not others:
                merges.append(Merge(question, value, into))
            case _:
                path = f"merges[{number}]" if isinstance(data, list) else "merges"
                message = 'A merge is {"question": key, "value": key, "into": key}.'
                raise SchemeShapeError([ShapeProblem(path, message)])
    return merges


def _shape_problems(error: SchemeShapeError) -> list[dict[str, str]]:
    """Return the problems of the JSON itself, which belong to no question."""
    return [{"kind": "", "question": "", **asdict(problem)} for problem in error.problems]


def _problems(change: SchemeChange, spec: SchemeSpec) -> list[dict[str, str]]:
    """Return the problems with their paths in the JSON."""
    paths = {
        (kind, question.key): f"{name}[{number}]"
        for kind, (name, _) in BOUNDS.items()
        for number, question in enumerate(getattr(spec, name))
    }
    return [asdict(problem) | {"path": paths.get((problem.kind, problem.question), "")} for problem in change.problems]


class SchemeDetail(APIView):
    """The scheme of a project: levels, categories, relations and attributes, with their constraints."""

    @endpoint(responses=SchemeSerializer)
    def get(self, _: Request, project: Project) -> HttpResponse:
        return etag_response(scheme_state(project))

    @endpoint(Right.MANAGE, seen=True, request=SchemeDocumentSerializer, responses=SchemeSerializer)
    def put(self, request: Request, project: Project) -> HttpResponse:
        """Replace the scheme. If there are problems nothing changes; the answer lists all with their paths."""
        project = lock_project(project.pk)
        require_match(request, scheme_state(project))
        try:
            spec, answers, merges = _parse(request.data)
            project = project_to_change(request.user, project.slug, spec, answers, merges)
            save_scheme(project, spec, cast(User, request.user), answers=answers, merges=merges)
        except SchemeShapeError as error:
            return _refusal(_shape_problems(error))
        except SchemeRefused as error:
            return _refusal(_problems(error.change, spec), error.change)
        return etag_response(scheme_state(project_for(request.user, project.slug)))

    @endpoint(Right.MANAGE, seen=True, request=SchemeChangesSerializer, responses=SchemeSerializer)
    def patch(self, request: Request, project: Project) -> HttpResponse:
        """Set the levels that coders mark themselves. Existing markables stay."""
        lock_project(project.pk)
        require_match(request, scheme_state(project))
        names = validated(SchemeChangesSerializer(data=request.data))["coders_mark"]
        levels = {level.key: level for level in project.levels.filter(coded=True)}
        for name in names:
            if name not in levels:
                raise ValidationError({"coders_mark": [f"There is no coded level {name!r}."]})
        set_coder_marked_levels(project, [levels[name] for name in names])
        return etag_response(scheme_state(project))


def _refusal(problems: Sequence[Mapping[str, str]], change: SchemeChange | None = None) -> Response:
    violations = [asdict(violation) for violation in change.violations] if change is not None else []
    detail = "The scheme is not changed: it has problems."
    return problem(400, "invalid_scheme", detail, problems=problems, violations=violations)


class SchemePreview(APIView):
    """The effects of a change of the scheme."""

    @endpoint(Right.MANAGE, request=SchemeDocumentSerializer, responses=SchemePreviewSerializer)
    def post(self, request: Request, project: Project) -> Response:
        """Return the problems of a scheme and the numbers of affected answers. Nothing is changed."""
        try:
            spec, answers, merges = _parse(request.data)
        except SchemeShapeError as error:
            problems, change = _shape_problems(error), SchemeChange()
        else:
            project = project_to_change(request.user, project.slug, spec, answers, merges)
            change = plan_change(project, spec, answers=answers, merges=merges)
            problems = _problems(change, spec)
        return Response(
            {
                "problems": problems,
                "effects": [asdict(effect) for effect in change.effects],
                "violations": [asdict(violation) for violation in change.violations],
                "changes": change.changes,
                "asks_otherwise": change.asks_otherwise,
            }
        )


class SchemeVersionList(ProjectListView):
    """The versions of the scheme, the latest first; empty before the first change."""

    serializer_class = SchemeVersionSerializer
    ordering = ["-number"]
    right = Right.VIEW_PROJECT

    def rows_of(self, project: Project) -> QuerySet[SchemeVersion]:
        return SchemeVersion.objects.filter(project=project).select_related("author").defer("scheme")


class SchemeVersionDetail(APIView):
    """One version of the scheme, as in files."""

    @endpoint(responses=SchemeDocumentSerializer)
    def get(self, _: Request, project: Project, number: int) -> HttpResponse:
        scheme = scheme_of_version(project, number)
        if scheme is None:
            raise Http404(f"The scheme has no version {number}.")
        return etag_response(scheme)


class SchemeVersionUndo(APIView):
    """The reversal of the merges of a scheme version."""

    @endpoint(Right.MANAGE_WORK, request=None, responses=SchemeSerializer)
    def post(self, request: Request, project: Project, number: int) -> HttpResponse:
        """Restore the answers that the version merged, except those given again since, in a new version."""
        try:
            undo_merges(project, number, cast(User, request.user))
        except SchemeRefused as error:
            return _refusal(_problems(error.change, read_scheme(project.pk).spec), error.change)
        return etag_response(scheme_state(project_for(request.user, project.slug)))


class SchemeFileSerializer(serializers.Serializer[object]):
    file = serializers.FileField(
        help_text="JSON, XML of MMAX2, annotation.conf of brat, layers of INCEpTION, or a zip."
    )


class ReadSchemeSerializer(serializers.Serializer[object]):
    scheme = SchemeDocumentSerializer(help_text="What `PUT scheme/` and `POST scheme/preview/` take.")
    losses = StringsField(help_text="What the file says besides that a scheme here cannot say.")


class ExportScheme(APIView):
    """The scheme of a project as a file."""

    @endpoint(
        parameters=[OpenApiParameter("format", enum=list(WRITTEN), description="json, where it is not given.")],
        responses={
            (200, "application/json"): OpenApiResponse(OpenApiTypes.BINARY, description="Of the format json."),
            (200, "application/zip"): OpenApiResponse(OpenApiTypes.BINARY, description="Of the format mmax2."),
        },
    )
    def get(self, request: Request, project: Project) -> HttpResponse:
        try:
            return export_scheme(project, request.query_params.get("format", "json")).as_response()
        except FormatError as error:
            raise ValidationError({"format": [error.message]}) from None


class ReadScheme(APIView):
    """The scheme of a file, to be sent to `PUT scheme/`. Nothing is changed."""

    parser_classes = [MultiPartParser]

    @endpoint(Right.MANAGE, request=SchemeFileSerializer, responses=ReadSchemeSerializer)
    def post(self, request: Request, _: Project) -> Response:
        read = read_uploaded_scheme(validated(SchemeFileSerializer(data=request.data))["file"])
        scheme = scheme_to_json(read.spec.with_pointing(), read.answers)
        return Response({"scheme": scheme, "losses": [str(loss) for loss in read.losses]})
