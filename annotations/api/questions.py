"""The REST API of coders' questions and of the versions of the guidelines."""

from typing import Any, cast
from uuid import UUID

from django.db.models import Prefetch, QuerySet, prefetch_related_objects
from django_filters import rest_framework as filters
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.api.http.endpoints import endpoint
from annotations.api.lists import ProjectListView
from annotations.api.serializers.requests import StrictSerializer, from_form, validated
from annotations.models import GuidelinesVersion, Project, Question, Reply, User
from annotations.models.people.rights import Right
from annotations.projects.people.peer_names import hide_name, is_blind_to_peers
from annotations.projects.permissions import own_coding
from annotations.texts.forms import QuestionForm, ReplyForm
from annotations.texts.questions import Seen, ask, find_question, reply_to


class ReplySerializer(serializers.ModelSerializer[Reply]):
    author = serializers.CharField(source="author.username", read_only=True)

    class Meta:
        model = Reply
        fields = ["author", "body", "created_at"]


class QuestionSerializer(serializers.ModelSerializer[Question]):
    id = serializers.UUIDField(source="uuid", read_only=True)
    text = serializers.SerializerMethodField()
    markable = serializers.CharField(source="key", read_only=True, help_text='"": the text as a whole')
    coder = serializers.CharField(source="coder.username", read_only=True)
    resolved_by = serializers.CharField(source="resolved_by.username", read_only=True, default=None, allow_null=True)
    needs_answer = serializers.BooleanField(read_only=True, help_text="its coder wrote last")
    has_news = serializers.BooleanField(read_only=True, help_text="its coder has not read the last answer")
    replies = ReplySerializer(many=True, read_only=True)

    class Meta:
        model = Question
        fields = ["id", "text", "markable", "coder", "body", "created_at", "needs_answer", "has_news"]
        fields += ["resolved_by", "resolved_at", "replies"]

    def get_text(self, question: Question) -> str:
        """Return the slug of the text; a coded one for users who are blind to the names of peers."""
        if self.context.get("blind"):
            hide_name(question.text, self.context["user"])
        return question.text.slug


class NewQuestionSerializer(StrictSerializer):
    text = serializers.CharField(max_length=100, help_text="a text that is assigned to you")
    markable = from_form(QuestionForm, "markable", allow_blank=True, default="")
    version = serializers.IntegerField(
        min_value=0, default=None, allow_null=True, help_text="of your coding when you read the text, if not the latest"
    )
    agreed = serializers.BooleanField(default=False, help_text="of the agreed pyramid, or a peer against it")
    body = from_form(QuestionForm, "body", help_text="Markdown")


class NewReplySerializer(StrictSerializer):
    body = from_form(ReplyForm, "body", help_text="Markdown")
    resolve = serializers.BooleanField(default=False, help_text="and resolve the question")


class QuestionFilters(filters.FilterSet):
    resolved = filters.BooleanFilter(field_name="resolved_at", lookup_expr="isnull", exclude=True)

    class Meta:
        model = Question
        fields = ["needs_answer", "has_news"]


class QuestionList(ProjectListView):
    """Your questions, the oldest first; managers and adjudicators see all coders' questions."""

    serializer_class = QuestionSerializer
    filterset_class = QuestionFilters
    ordering = ["created_at", "uuid"]
    right = Right.VIEW_PROJECT
    annotates = True

    def rows_of(self, project: Project) -> QuerySet[Question]:
        self.project = project
        questions = Question.objects.visible_in(project, cast(User, self.request.user)).defer("text__content")
        return questions.select_related("text", "coder", "resolved_by").prefetch_related(_replies())

    def get_serializer_context(self) -> dict[str, Any]:
        project = getattr(self, "project", None)
        return {**super().get_serializer_context(), **(_names(project, self.request) if project else {})}

    @endpoint(once=True, request=NewQuestionSerializer, responses={201: QuestionSerializer})
    def post(self, request: Request, project: Project) -> Response:
        """Ask about a text that you code, or about one of its markables."""
        fields = validated(NewQuestionSerializer(data=request.data))
        user = cast(User, request.user)
        coding = own_coding(user, project, fields["text"], agreed=fields["agreed"])
        seen = Seen(coding, coding.version if fields["version"] is None else fields["version"])
        question = ask(coding.text, user, fields["body"], fields["markable"], seen=seen)
        return Response(_shown(request, project, question.uuid), status=status.HTTP_201_CREATED)


class QuestionDetail(APIView):
    """A question with its replies."""

    @endpoint(responses=QuestionSerializer)
    def get(self, request: Request, project: Project, question: UUID) -> Response:
        return Response(_shown(request, project, question))


class ReplyList(APIView):
    """The replies in the thread of a question."""

    @endpoint(once=True, request=NewReplySerializer, responses={201: QuestionSerializer})
    def post(self, request: Request, project: Project, question: UUID) -> Response:
        """Reply to the question; a reply by its coder reopens it."""
        user = cast(User, request.user)
        row = find_question(project, user, question)
        fields = validated(NewReplySerializer(data=request.data))
        reply_to(row, user, fields["body"], resolve=fields["resolve"])
        return Response(_shown(request, project, question), status=status.HTTP_201_CREATED)


def _replies() -> Prefetch[str]:
    return Prefetch("replies", Reply.objects.select_related("author"))


def _names(project: Project, request: Request) -> dict[str, Any]:
    """Return the serializer context that decides under which names texts are shown."""
    return {"blind": is_blind_to_peers(project), "user": request.user.pk}


def _shown(request: Request, project: Project, uuid: UUID) -> dict[str, Any]:
    question = find_question(project, cast(User, request.user), uuid)
    prefetch_related_objects([question], _replies())
    return cast(dict[str, Any], QuestionSerializer(question, context=_names(project, request)).data)


class GuidelinesVersionSerializer(serializers.ModelSerializer[GuidelinesVersion]):
    author = serializers.CharField(source="author.username", read_only=True, default=None, allow_null=True)

    class Meta:
        model = GuidelinesVersion
        fields = ["number", "author", "created_at", "body"]


class GuidelinesVersionList(ProjectListView):
    """The versions of the guidelines, the latest first; the latest is the project's current text."""

    serializer_class = GuidelinesVersionSerializer
    ordering = ["-number"]
    right = Right.VIEW_PROJECT

    def rows_of(self, project: Project) -> QuerySet[GuidelinesVersion]:
        return GuidelinesVersion.objects.filter(project=project).select_related("author")
