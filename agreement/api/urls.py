"""The addresses of the REST API of agreement."""

from django.urls import path

from agreement.api import agreement, datasheet, discussion, models, pyramids, tables

AGREEMENT = "projects/<slug:slug>/agreement/"
ITEM = f"{AGREEMENT}items/<slug:text>/<str:key>/"

urlpatterns = [
    path("projects/<slug:slug>/agreement/", agreement.Agreement.as_view(), name="api-agreement"),
    path("projects/<slug:slug>/agreement/data/", agreement.Data.as_view(), name="api-data"),
    path(f"{AGREEMENT}compare/", agreement.Compare.as_view(), name="api-compare"),
    path(f"{AGREEMENT}groups/", agreement.Groups.as_view(), name="api-groups"),
    path(f"{AGREEMENT}models/", models.Models.as_view(), name="api-agreement-models"),
    path(f"{AGREEMENT}gold/", agreement.Gold.as_view(), name="api-agreement-gold"),
    path(f"{AGREEMENT}repeats/", agreement.Repeats.as_view(), name="api-agreement-repeats"),
    path(f"{AGREEMENT}planning/", agreement.Planning.as_view(), name="api-planning"),
    path(f"{AGREEMENT}coreference/", agreement.Coreference.as_view(), name="api-coreference"),
    path("projects/<slug:slug>/agreement/grid/", agreement.Grid.as_view(), name="api-grid"),
    path("projects/<slug:slug>/agreement/scores/", pyramids.Scores.as_view(), name="api-scores"),
    path("projects/<slug:slug>/agreement/study/", pyramids.Study.as_view(), name="api-study"),
    path("projects/<slug:slug>/agreement/scus/", pyramids.Scus.as_view(), name="api-scus"),
    path("projects/<slug:slug>/agreement/peers/", pyramids.Peers.as_view(), name="api-peers"),
    path("projects/<slug:slug>/agreement/items/", agreement.Items.as_view(), name="api-items"),
    path("projects/<slug:slug>/agreement/items/<slug:text>/<str:key>/", agreement.Item.as_view(), name="api-item"),
    path(f"{ITEM}remarks/", discussion.RemarkList.as_view(), name="api-remarks"),
    path(f"{ITEM}remarks/<int:pk>/", discussion.RemarkDetail.as_view(), name="api-remark"),
    path(f"{ITEM}flag/", discussion.FlagDetail.as_view(), name="api-flag"),
    path(f"{AGREEMENT}mappings/", discussion.MappingList.as_view(), name="api-mappings"),
    path(f"{AGREEMENT}tables/", tables.PageList.as_view(), name="api-table-pages"),
    path(f"{AGREEMENT}tables/<slug:page>/", tables.TableList.as_view(), name="api-tables"),
    path(f"{AGREEMENT}tables/<slug:page>/<slug:table>/", tables.TableDetail.as_view(), name="api-table"),
    path("projects/<slug:slug>/datasheet/", datasheet.DatasheetDetail.as_view(), name="api-datasheet"),
    path("projects/<slug:slug>/tasks/", discussion.TaskList.as_view(), name="api-tasks"),
]
