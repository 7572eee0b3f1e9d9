"""The addresses of what coders do."""

from django.urls import path

from annotations import api, views

pages = [
    path("", views.home, name="home"),
    path("projects/new/", views.new_project, name="new-project"),
    path("projects/<slug:slug>/", views.project_home, name="project"),
    path("projects/<slug:slug>/scheme/", views.scheme, name="scheme"),
    path("projects/<slug:slug>/members/", views.members, name="members"),
    path("projects/<slug:slug>/import/", views.import_files, name="import"),
    path("projects/<slug:slug>/assign/", views.assign, name="assign"),
    path("projects/<slug:slug>/texts/<slug:text>/code/", views.code, name="code"),
    path("projects/<slug:slug>/texts/<slug:text>/submit/", views.submit, name="submit"),
    path("projects/<slug:slug>/texts/<slug:text>/codings/<str:coder>/reopen/", views.reopen, name="reopen"),
]

api_v1 = [
    path("projects/", api.ProjectList.as_view(), name="api-projects"),
    path("projects/<slug:slug>/", api.ProjectDetail.as_view(), name="api-project"),
    path("projects/<slug:slug>/texts/", api.TextList.as_view(), name="api-texts"),
    path("projects/<slug:slug>/texts/<slug:text>/", api.TextDetail.as_view(), name="api-text"),
    path("projects/<slug:slug>/texts/<slug:text>/coding/", api.OwnCoding.as_view(), name="api-coding"),
    path(
        "projects/<slug:slug>/texts/<slug:text>/coding/operations/",
        api.OwnOperations.as_view(),
        name="api-operations",
    ),
]
