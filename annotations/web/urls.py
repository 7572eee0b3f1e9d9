"""The URL map of the pages."""

from django.urls import path

from annotations.web.views import (
    account,
    assignments,
    coding,
    docsets,
    help,
    invitations,
    members,
    projects,
    scheme,
    texts,
    transfers,
)

# The agreed pyramid of a docset, and peers coded against it: a coder may have codings of their own of the same texts.
AGREED = "projects/<slug:slug>/texts/<slug:text>/agreed/"
DOCSET = "projects/<slug:slug>/docsets/<slug:docset>/"

urlpatterns = [
    path("", projects.home, name="home"),
    path("account/", account.account, name="account"),
    path("account/keys/<int:pk>/revoke/", account.revoke_token, name="revoke-token"),
    path("help/", help.index, name="help"),
    path("help/images/<str:name>/", help.image, name="help-image"),
    path("help/<slug:name>/", help.page, name="help-manual"),
    path("invitations/<str:secret>/", invitations.invitation, name="invitation"),
    path("projects/new/", projects.new_project, name="new-project"),
    path("projects/new/archive/", transfers.restore, name="restore"),
    path("projects/<slug:slug>/", projects.project_home, name="project"),
    path("projects/<slug:slug>/scheme/", scheme.scheme, name="scheme"),
    path("projects/<slug:slug>/scheme/exchange/", scheme.exchange, name="exchange-scheme"),
    path("projects/<slug:slug>/members/", members.members, name="members"),
    path("projects/<slug:slug>/members/<int:pk>/remove/", members.remove_member, name="remove-member"),
    path(
        "projects/<slug:slug>/invitations/<int:pk>/withdraw/", members.withdraw_invitation, name="withdraw-invitation"
    ),
    path("projects/<slug:slug>/transfers/", transfers.all_transfers, name="transfers"),
    path("projects/<slug:slug>/import/", transfers.import_files, name="import"),
    path("projects/<slug:slug>/export/", transfers.export_files, name="export"),
    path("projects/<slug:slug>/assign/", assignments.assign, name="assign"),
    path("projects/<slug:slug>/texts/", texts.texts, name="project-texts"),
    path("projects/<slug:slug>/texts/<slug:text>/", texts.text, name="text"),
    path("projects/<slug:slug>/texts/<slug:text>/edit/", texts.edit_text, name="edit-text"),
    path("projects/<slug:slug>/texts/<slug:text>/correct/", texts.correct_text, name="correct-text"),
    path("projects/<slug:slug>/texts/<slug:text>/delete/", texts.delete_text, name="delete-text"),
    path("projects/<slug:slug>/texts/<slug:text>/codings/<str:coder>/unassign/", texts.unassign, name="unassign"),
    path("projects/<slug:slug>/add-texts/", texts.add_texts, name="add-texts"),
    path("projects/<slug:slug>/text-order/", texts.order_texts, name="order-texts"),
    path("projects/<slug:slug>/docsets/", docsets.docsets, name="docsets"),
    path(DOCSET, docsets.docset, name="docset"),
    path(f"{DOCSET}peers/", docsets.peers, name="docset-peers"),
    path(f"{DOCSET}assign/", docsets.assign, name="docset-assign"),
    path(f"{DOCSET}delete/", docsets.delete_docset, name="delete-docset"),
    path(f"{DOCSET}summaries/delete/", docsets.delete_summary, name="delete-summary"),
    path(f"{DOCSET}agreed/", docsets.agreed, name="docset-agreed"),
    path("projects/<slug:slug>/texts/<slug:text>/code/", coding.code, name="code"),
    path("projects/<slug:slug>/texts/<slug:text>/submit/", coding.submit, name="submit"),
    path("projects/<slug:slug>/texts/<slug:text>/reopen/", coding.reopen_own, name="reopen-own"),
    path("projects/<slug:slug>/texts/<slug:text>/codings/<str:coder>/reopen/", coding.reopen, name="reopen"),
    path(f"{AGREED}code/", coding.code, {"agreed": True}, name="code-agreed"),
    path(f"{AGREED}submit/", coding.submit, {"agreed": True}, name="submit-agreed"),
    path(f"{AGREED}reopen/", coding.reopen_own, {"agreed": True}, name="reopen-own-agreed"),
    path(f"{AGREED}codings/<str:coder>/reopen/", coding.reopen, {"agreed": True}, name="reopen-agreed"),
    path("transfers/<int:pk>/", transfers.transfer, name="transfer"),
    path("transfers/<int:pk>/carry-out/", transfers.carry_out, name="carry-out"),
    path("transfers/<int:pk>/cancel/", transfers.cancel, name="cancel"),
    path("transfers/<int:pk>/discard/", transfers.discard, name="discard"),
    path("transfers/<int:pk>/file/", transfers.file, name="transfer-file"),
]
