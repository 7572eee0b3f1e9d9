"""The URL map of the REST API."""

from django.urls import path

from annotations.api import codings, docsets, gold, people, projects, questions, texts, transfers
from annotations.api.planning import plans, rounds, training
from annotations.api.schemes import scheme_files, schemes

# The agreed pyramid of a docset, and peers coded against it: a coder may have codings of their own of the same texts.
AGREED = "projects/<slug:slug>/texts/<slug:text>/agreed/"
GOLD = "projects/<slug:slug>/texts/<slug:text>/gold/"
DOCSET = "projects/<slug:slug>/docsets/<slug:docset>/"

urlpatterns = [
    path("projects/", projects.ProjectList.as_view(), name="api-projects"),
    path("projects/<slug:slug>/", projects.ProjectDetail.as_view(), name="api-project"),
    path("projects/<slug:slug>/archived/", projects.ProjectArchived.as_view(), name="api-project-archived"),
    path("projects/<slug:slug>/clones/", projects.CloneList.as_view(), name="api-clones"),
    path("projects/<slug:slug>/scheme/", schemes.SchemeDetail.as_view(), name="api-scheme"),
    path("projects/<slug:slug>/scheme/preview/", schemes.SchemePreview.as_view(), name="api-scheme-preview"),
    path("projects/<slug:slug>/scheme/export/", scheme_files.ExportScheme.as_view(), name="api-scheme-export"),
    path("projects/<slug:slug>/scheme/read/", scheme_files.ReadScheme.as_view(), name="api-scheme-read"),
    path("projects/<slug:slug>/scheme/versions/", schemes.SchemeVersionList.as_view(), name="api-scheme-versions"),
    path(
        "projects/<slug:slug>/scheme/versions/<int:number>/",
        schemes.SchemeVersionDetail.as_view(),
        name="api-scheme-version",
    ),
    path(
        "projects/<slug:slug>/scheme/versions/<int:number>/undo/",
        schemes.SchemeVersionUndo.as_view(),
        name="api-scheme-version-undo",
    ),
    path("projects/<slug:slug>/members/", people.MemberList.as_view(), name="api-members"),
    path("projects/<slug:slug>/members/<str:username>/", people.MemberDetail.as_view(), name="api-member"),
    path("projects/<slug:slug>/models/", people.ModelList.as_view(), name="api-models"),
    path("projects/<slug:slug>/models/<str:username>/", people.ModelDetail.as_view(), name="api-model"),
    path("projects/<slug:slug>/models/<str:username>/key/", people.ModelKey.as_view(), name="api-model-key"),
    path("projects/<slug:slug>/invitations/", people.InvitationList.as_view(), name="api-invitations"),
    path("projects/<slug:slug>/invitations/<int:pk>/", people.InvitationDetail.as_view(), name="api-invitation"),
    path("projects/<slug:slug>/guidelines/", questions.GuidelinesVersionList.as_view(), name="api-guidelines-versions"),
    path("projects/<slug:slug>/questions/", questions.QuestionList.as_view(), name="api-questions"),
    path("projects/<slug:slug>/questions/<uuid:question>/", questions.QuestionDetail.as_view(), name="api-question"),
    path("projects/<slug:slug>/questions/<uuid:question>/replies/", questions.ReplyList.as_view(), name="api-replies"),
    path("projects/<slug:slug>/plans/", plans.PlanList.as_view(), name="api-plans"),
    path("projects/<slug:slug>/hours/", plans.Hours.as_view(), name="api-hours"),
    path("projects/<slug:slug>/repeats/", plans.Repeats.as_view(), name="api-repeats"),
    path("projects/<slug:slug>/pool/", plans.Pool.as_view(), name="api-pool"),
    path("projects/<slug:slug>/gold/", gold.GoldStates.as_view(), name="api-gold-states"),
    path("projects/<slug:slug>/gold/decisions/", gold.Decisions.as_view(), name="api-decisions"),
    path("projects/<slug:slug>/gold/own/", gold.OwnGold.as_view(), name="api-own-gold"),
    path("projects/<slug:slug>/rounds/", rounds.RoundList.as_view(), name="api-rounds"),
    path("projects/<slug:slug>/rounds/<slug:name>/", rounds.RoundDetail.as_view(), name="api-round"),
    path("projects/<slug:slug>/rounds/<slug:name>/texts/", rounds.RoundTexts.as_view(), name="api-round-texts"),
    path("projects/<slug:slug>/rounds/<slug:name>/gold/", training.GoldOfRound.as_view(), name="api-gold"),
    path("projects/<slug:slug>/rounds/<slug:name>/gold/hand-on/", gold.HandOnGold.as_view(), name="api-hand-on-gold"),
    path("projects/<slug:slug>/rounds/<slug:name>/training/", training.TrainingResults.as_view(), name="api-training"),
    path(
        "projects/<slug:slug>/rounds/<slug:name>/training/decisions/",
        training.TrainingDecisions.as_view(),
        name="api-training-decisions",
    ),
    path(
        "projects/<slug:slug>/rounds/<slug:name>/training/next/",
        training.NextAttempt.as_view(),
        name="api-training-next",
    ),
    path("projects/<slug:slug>/codings/", codings.CodingList.as_view(), name="api-codings"),
    path("projects/<slug:slug>/markables/", codings.MarkableList.as_view(), name="api-markables"),
    path("projects/<slug:slug>/judgements/", codings.JudgementList.as_view(), name="api-judgements"),
    path("projects/<slug:slug>/operations/", codings.OperationList.as_view(), name="api-all-operations"),
    path("projects/<slug:slug>/texts/", texts.TextList.as_view(), name="api-texts"),
    path("projects/<slug:slug>/texts/<slug:text>/", texts.TextDetail.as_view(), name="api-text"),
    path(
        "projects/<slug:slug>/texts/<slug:text>/corrections/", texts.Corrections.as_view(), name="api-text-corrections"
    ),
    path("projects/<slug:slug>/texts/<slug:text>/coding/", texts.OwnCoding.as_view(), name="api-coding"),
    path(
        "projects/<slug:slug>/texts/<slug:text>/coding/operations/",
        texts.OwnOperations.as_view(),
        name="api-operations",
    ),
    path(
        "projects/<slug:slug>/texts/<slug:text>/coding/feedback/", training.OwnFeedback.as_view(), name="api-feedback"
    ),
    path(
        "projects/<slug:slug>/texts/<slug:text>/codings/<str:coder>/",
        codings.CodingDetail.as_view(),
        name="api-coding-of",
    ),
    path(
        f"{AGREED}codings/<str:coder>/",
        codings.CodingDetail.as_view(),
        {"agreed": True},
        name="api-agreed-coding-of",
    ),
    path(f"{AGREED}coding/", texts.OwnCoding.as_view(), {"agreed": True}, name="api-coding-agreed"),
    path(f"{AGREED}coding/operations/", texts.OwnOperations.as_view(), {"agreed": True}, name="api-operations-agreed"),
    path(f"{AGREED}queue/", gold.GoldQueue.as_view(), {"agreed": True}, name="api-agreed-queue"),
    path(f"{GOLD}queue/", gold.GoldQueue.as_view(), name="api-gold-queue"),
    path(f"{GOLD}coding/", texts.OwnCoding.as_view(), {"gold": True}, name="api-coding-gold"),
    path(f"{GOLD}coding/operations/", texts.OwnOperations.as_view(), {"gold": True}, name="api-operations-gold"),
    path("projects/<slug:slug>/docsets/", docsets.DocsetList.as_view(), name="api-docsets"),
    path(DOCSET, docsets.DocsetDetail.as_view(), name="api-docset"),
    path(f"{DOCSET}peers/", docsets.PeerList.as_view(), name="api-docset-peers"),
    path(f"{DOCSET}pyramids/", docsets.PyramidList.as_view(), name="api-docset-pyramids"),
    path(f"{DOCSET}assignments/", docsets.Assignments.as_view(), name="api-docset-assignments"),
    path(f"{DOCSET}agreed/", docsets.AgreedPyramid.as_view(), name="api-docset-agreed"),
    path("projects/<slug:slug>/transfers/", transfers.TransferList.as_view(), name="api-transfers"),
    path("projects/<slug:slug>/imports/", transfers.ImportFiles.as_view(), name="api-imports"),
    path("projects/<slug:slug>/exports/", transfers.ExportFiles.as_view(), name="api-exports"),
    path("archives/", transfers.RestoreArchive.as_view(), name="api-archives"),
    path("transfers/<int:pk>/", transfers.TransferDetail.as_view(), name="api-transfer"),
    path("transfers/<int:pk>/carry-out/", transfers.CarryOut.as_view(), name="api-carry-out"),
    path("transfers/<int:pk>/cancel/", transfers.Cancel.as_view(), name="api-cancel"),
    path("transfers/<int:pk>/file/", transfers.TransferFile.as_view(), name="api-transfer-file"),
]
