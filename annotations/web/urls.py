"""The addresses of what coders do."""

from django.urls import path

from annotations import api, coding_api, docset_api, project_api, transfer_api
from annotations.views import account, coding, docsets, invitations, projects, transfers

# The agreed pyramid of a docset, and peers held against it: a coder may have a pyramid of their own besides.
AGREED = "projects/<slug:slug>/texts/<slug:text>/agreed/"
DOCSET = "projects/<slug:slug>/docsets/<slug:docset>/"

pages = [
    path("", projects.home, name="home"),
    path("account/", account.account, name="account"),
    path("account/keys/<int:pk>/revoke/", account.revoke_token, name="revoke-token"),
    path("invitations/<str:secret>/", invitations.invitation, name="invitation"),
    path("projects/new/", projects.new_project, name="new-project"),
    path("projects/new/archive/", transfers.restore, name="restore"),
    path("projects/<slug:slug>/", projects.project_home, name="project"),
    path("projects/<slug:slug>/scheme/", projects.scheme, name="scheme"),
    path("projects/<slug:slug>/members/", projects.members, name="members"),
    path("projects/<slug:slug>/members/<int:pk>/remove/", projects.remove_member, name="remove-member"),
    path(
        "projects/<slug:slug>/invitations/<int:pk>/withdraw/", projects.withdraw_invitation, name="withdraw-invitation"
    ),
    path("projects/<slug:slug>/transfers/", transfers.all_transfers, name="transfers"),
    path("projects/<slug:slug>/import/", transfers.import_files, name="import"),
    path("projects/<slug:slug>/export/", transfers.export_files, name="export"),
    path("projects/<slug:slug>/assign/", projects.assign, name="assign"),
    path("projects/<slug:slug>/docsets/", docsets.docsets, name="docsets"),
    path(DOCSET, docsets.docset, name="docset"),
    path(f"{DOCSET}peers/", docsets.peers, name="docset-peers"),
    path(f"{DOCSET}assign/", docsets.assign, name="docset-assign"),
    path(f"{DOCSET}agreed/", docsets.agreed, name="docset-agreed"),
    path("projects/<slug:slug>/texts/<slug:text>/code/", coding.code, name="code"),
    path("projects/<slug:slug>/texts/<slug:text>/submit/", coding.submit, name="submit"),
    path("projects/<slug:slug>/texts/<slug:text>/codings/<str:coder>/reopen/", coding.reopen, name="reopen"),
    path(f"{AGREED}code/", coding.code, {"agreed": True}, name="code-agreed"),
    path(f"{AGREED}submit/", coding.submit, {"agreed": True}, name="submit-agreed"),
    path(f"{AGREED}codings/<str:coder>/reopen/", coding.reopen, {"agreed": True}, name="reopen-agreed"),
    path("transfers/<int:pk>/", transfers.transfer, name="transfer"),
    path("transfers/<int:pk>/carry-out/", transfers.carry_out, name="carry-out"),
    path("transfers/<int:pk>/discard/", transfers.discard, name="discard"),
    path("transfers/<int:pk>/file/", transfers.file, name="transfer-file"),
]

api_v1 = [
    path("projects/", project_api.ProjectList.as_view(), name="api-projects"),
    path("projects/<slug:slug>/", project_api.ProjectDetail.as_view(), name="api-project"),
    path("projects/<slug:slug>/scheme/", project_api.SchemeDetail.as_view(), name="api-scheme"),
    path("projects/<slug:slug>/members/", project_api.MemberList.as_view(), name="api-members"),
    path("projects/<slug:slug>/members/<str:username>/", project_api.MemberDetail.as_view(), name="api-member"),
    path("projects/<slug:slug>/invitations/", project_api.InvitationList.as_view(), name="api-invitations"),
    path("projects/<slug:slug>/invitations/<int:pk>/", project_api.InvitationDetail.as_view(), name="api-invitation"),
    path("projects/<slug:slug>/codings/", coding_api.CodingList.as_view(), name="api-codings"),
    path("projects/<slug:slug>/markables/", coding_api.MarkableList.as_view(), name="api-markables"),
    path("projects/<slug:slug>/judgements/", coding_api.JudgementList.as_view(), name="api-judgements"),
    path("projects/<slug:slug>/operations/", coding_api.OperationList.as_view(), name="api-all-operations"),
    path("projects/<slug:slug>/texts/", api.TextList.as_view(), name="api-texts"),
    path("projects/<slug:slug>/texts/<slug:text>/", api.TextDetail.as_view(), name="api-text"),
    path("projects/<slug:slug>/texts/<slug:text>/coding/", api.OwnCoding.as_view(), name="api-coding"),
    path(
        "projects/<slug:slug>/texts/<slug:text>/coding/operations/",
        api.OwnOperations.as_view(),
        name="api-operations",
    ),
    path(
        "projects/<slug:slug>/texts/<slug:text>/codings/<str:coder>/",
        coding_api.CodingDetail.as_view(),
        name="api-coding-of",
    ),
    path(
        f"{AGREED}codings/<str:coder>/",
        coding_api.CodingDetail.as_view(),
        {"agreed": True},
        name="api-agreed-coding-of",
    ),
    path(f"{AGREED}coding/", api.OwnCoding.as_view(), {"agreed": True}, name="api-coding-agreed"),
    path(f"{AGREED}coding/operations/", api.OwnOperations.as_view(), {"agreed": True}, name="api-operations-agreed"),
    path("projects/<slug:slug>/docsets/", docset_api.DocsetList.as_view(), name="api-docsets"),
    path(DOCSET, docset_api.DocsetDetail.as_view(), name="api-docset"),
    path(f"{DOCSET}peers/", docset_api.PeerList.as_view(), name="api-docset-peers"),
    path(f"{DOCSET}pyramids/", docset_api.PyramidList.as_view(), name="api-docset-pyramids"),
    path(f"{DOCSET}assignments/", docset_api.Assignments.as_view(), name="api-docset-assignments"),
    path(f"{DOCSET}agreed/", docset_api.AgreedPyramid.as_view(), name="api-docset-agreed"),
    path("projects/<slug:slug>/transfers/", transfer_api.TransferList.as_view(), name="api-transfers"),
    path("projects/<slug:slug>/imports/", transfer_api.ImportFiles.as_view(), name="api-imports"),
    path("projects/<slug:slug>/exports/", transfer_api.ExportFiles.as_view(), name="api-exports"),
    path("archives/", transfer_api.RestoreArchive.as_view(), name="api-archives"),
    path("transfers/<int:pk>/", transfer_api.TransferDetail.as_view(), name="api-transfer"),
    path("transfers/<int:pk>/carry-out/", transfer_api.CarryOut.as_view(), name="api-carry-out"),
    path("transfers/<int:pk>/file/", transfer_api.TransferFile.as_view(), name="api-transfer-file"),
]
