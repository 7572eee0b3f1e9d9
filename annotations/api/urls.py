"""The URL map of the REST API."""

from django.urls import path

from annotations.api import (
    codings,
    docsets,
    gold,
    people,
    plans,
    projects,
    questions,
    rounds,
    schemes,
    texts,
    transfers,
)

PROJECT = "projects/<slug:slug>/"
SCHEME = f"{PROJECT}scheme/"
ROUND = f"{PROJECT}rounds/<slug:name>/"
TEXT = f"{PROJECT}texts/<slug:text>/"
# The agreed pyramid of a docset and its peers have URLs of their own: a coder may also have codings of these texts.
AGREED = f"{TEXT}agreed/"
GOLD = f"{TEXT}gold/"
DOCSET = f"{PROJECT}docsets/<slug:docset>/"

urlpatterns = [
    path("projects/", projects.ProjectList.as_view(), name="api-projects"),
    path(PROJECT, projects.ProjectDetail.as_view(), name="api-project"),
    path(f"{PROJECT}archived/", projects.ProjectArchived.as_view(), name="api-project-archived"),
    path(f"{PROJECT}clones/", projects.CloneList.as_view(), name="api-clones"),
    path(SCHEME, schemes.SchemeDetail.as_view(), name="api-scheme"),
    path(f"{SCHEME}preview/", schemes.SchemePreview.as_view(), name="api-scheme-preview"),
    path(f"{SCHEME}export/", schemes.ExportScheme.as_view(), name="api-scheme-export"),
    path(f"{SCHEME}read/", schemes.ReadScheme.as_view(), name="api-scheme-read"),
    path(f"{SCHEME}versions/", schemes.SchemeVersionList.as_view(), name="api-scheme-versions"),
    path(f"{SCHEME}versions/<int:number>/", schemes.SchemeVersionDetail.as_view(), name="api-scheme-version"),
    path(f"{SCHEME}versions/<int:number>/undo/", schemes.SchemeVersionUndo.as_view(), name="api-scheme-version-undo"),
    path(f"{PROJECT}members/", people.MemberList.as_view(), name="api-members"),
    path(f"{PROJECT}members/<str:username>/", people.MemberDetail.as_view(), name="api-member"),
    path(f"{PROJECT}models/", people.ModelList.as_view(), name="api-models"),
    path(f"{PROJECT}models/<str:username>/", people.ModelDetail.as_view(), name="api-model"),
    path(f"{PROJECT}models/<str:username>/key/", people.ModelKey.as_view(), name="api-model-key"),
    path(f"{PROJECT}invitations/", people.InvitationList.as_view(), name="api-invitations"),
    path(f"{PROJECT}invitations/<int:pk>/", people.InvitationDetail.as_view(), name="api-invitation"),
    path(f"{PROJECT}guidelines/", questions.GuidelinesVersionList.as_view(), name="api-guidelines-versions"),
    path(f"{PROJECT}questions/", questions.QuestionList.as_view(), name="api-questions"),
    path(f"{PROJECT}questions/<uuid:question>/", questions.QuestionDetail.as_view(), name="api-question"),
    path(f"{PROJECT}questions/<uuid:question>/replies/", questions.ReplyList.as_view(), name="api-replies"),
    path(f"{PROJECT}plans/", plans.PlanList.as_view(), name="api-plans"),
    path(f"{PROJECT}hours/", plans.Hours.as_view(), name="api-hours"),
    path(f"{PROJECT}repeats/", plans.Repeats.as_view(), name="api-repeats"),
    path(f"{PROJECT}pool/", plans.Pool.as_view(), name="api-pool"),
    path(f"{PROJECT}gold/", gold.GoldStates.as_view(), name="api-gold-states"),
    path(f"{PROJECT}gold/decisions/", gold.Decisions.as_view(), name="api-decisions"),
    path(f"{PROJECT}gold/own/", gold.OwnGold.as_view(), name="api-own-gold"),
    path(f"{PROJECT}rounds/", rounds.RoundList.as_view(), name="api-rounds"),
    path(ROUND, rounds.RoundDetail.as_view(), name="api-round"),
    path(f"{ROUND}texts/", rounds.RoundTexts.as_view(), name="api-round-texts"),
    path(f"{ROUND}gold/", gold.GoldOfRound.as_view(), name="api-gold"),
    path(f"{ROUND}gold/hand-on/", gold.HandOnGold.as_view(), name="api-hand-on-gold"),
    path(f"{ROUND}training/", rounds.TrainingResults.as_view(), name="api-training"),
    path(f"{ROUND}training/decisions/", rounds.TrainingDecisions.as_view(), name="api-training-decisions"),
    path(f"{ROUND}training/next/", rounds.NextAttempt.as_view(), name="api-training-next"),
    path(f"{PROJECT}codings/", codings.CodingList.as_view(), name="api-codings"),
    path(f"{PROJECT}markables/", codings.MarkableList.as_view(), name="api-markables"),
    path(f"{PROJECT}judgements/", codings.JudgementList.as_view(), name="api-judgements"),
    path(f"{PROJECT}operations/", codings.OperationList.as_view(), name="api-all-operations"),
    path(f"{PROJECT}texts/", texts.TextList.as_view(), name="api-texts"),
    path(TEXT, texts.TextDetail.as_view(), name="api-text"),
    path(f"{TEXT}corrections/", texts.Corrections.as_view(), name="api-text-corrections"),
    path(f"{TEXT}coding/", texts.OwnCoding.as_view(), name="api-coding"),
    path(f"{TEXT}coding/operations/", texts.OwnOperations.as_view(), name="api-operations"),
    path(f"{TEXT}coding/feedback/", rounds.OwnFeedback.as_view(), name="api-feedback"),
    path(f"{TEXT}codings/<str:coder>/", codings.CodingDetail.as_view(), name="api-coding-of"),
    path(
        f"{AGREED}codings/<str:coder>/", codings.CodingDetail.as_view(), {"agreed": True}, name="api-agreed-coding-of"
    ),
    path(f"{AGREED}coding/", texts.OwnCoding.as_view(), {"agreed": True}, name="api-coding-agreed"),
    path(f"{AGREED}coding/operations/", texts.OwnOperations.as_view(), {"agreed": True}, name="api-operations-agreed"),
    path(f"{AGREED}queue/", gold.GoldQueue.as_view(), {"agreed": True}, name="api-agreed-queue"),
    path(f"{GOLD}queue/", gold.GoldQueue.as_view(), name="api-gold-queue"),
    path(f"{GOLD}coding/", texts.OwnCoding.as_view(), {"gold": True}, name="api-coding-gold"),
    path(f"{GOLD}coding/operations/", texts.OwnOperations.as_view(), {"gold": True}, name="api-operations-gold"),
    path(f"{PROJECT}docsets/", docsets.DocsetList.as_view(), name="api-docsets"),
    path(DOCSET, docsets.DocsetDetail.as_view(), name="api-docset"),
    path(f"{DOCSET}peers/", docsets.PeerList.as_view(), name="api-docset-peers"),
    path(f"{DOCSET}pyramids/", docsets.PyramidList.as_view(), name="api-docset-pyramids"),
    path(f"{DOCSET}assignments/", docsets.Assignments.as_view(), name="api-docset-assignments"),
    path(f"{DOCSET}agreed/", docsets.AgreedPyramid.as_view(), name="api-docset-agreed"),
    path(f"{PROJECT}transfers/", transfers.TransferList.as_view(), name="api-transfers"),
    path(f"{PROJECT}imports/", transfers.ImportFiles.as_view(), name="api-imports"),
    path(f"{PROJECT}exports/", transfers.ExportFiles.as_view(), name="api-exports"),
    path("archives/", transfers.RestoreArchive.as_view(), name="api-archives"),
    path("transfers/<int:pk>/", transfers.TransferDetail.as_view(), name="api-transfer"),
    path("transfers/<int:pk>/carry-out/", transfers.CarryOut.as_view(), name="api-carry-out"),
    path("transfers/<int:pk>/cancel/", transfers.Cancel.as_view(), name="api-cancel"),
    path("transfers/<int:pk>/file/", transfers.TransferFile.as_view(), name="api-transfer-file"),
]
