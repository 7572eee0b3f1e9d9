"""The addresses of what managers learn."""

from django.urls import path

from agreement import api, views

pages = [
    path("projects/<slug:slug>/agreement/", views.agreement, name="agreement"),
    path("projects/<slug:slug>/agreement/headline/", views.headline, name="agreement-headline"),
    path("projects/<slug:slug>/agreement/items/", views.items, name="items"),
    path("projects/<slug:slug>/agreement/items/<slug:text>/<str:key>/", views.item, name="item"),
]

api_v1 = [
    path("projects/<slug:slug>/agreement/", api.Agreement.as_view(), name="api-agreement"),
    path("projects/<slug:slug>/agreement/grid/", api.Grid.as_view(), name="api-grid"),
    path("projects/<slug:slug>/agreement/items/", api.Items.as_view(), name="api-items"),
    path("projects/<slug:slug>/agreement/items/<slug:text>/<str:key>/", api.Item.as_view(), name="api-item"),
]
