"""The addresses of what managers learn."""

from django.urls import path

from agreement import api, discussion_api, pyramid_api, table_api
from agreement.views import categories, coders, computations, course, explorer, items, pyramids, texts

AGREEMENT = "projects/<slug:slug>/agreement/"
ITEM = f"{AGREEMENT}items/<slug:text>/<str:key>/"

pages = [
    path(AGREEMENT, explorer.agreement, name="agreement"),
    path(f"{AGREEMENT}headline/", explorer.headline, name="agreement-headline"),
    path(f"{AGREEMENT}grid/", explorer.grid, name="grid"),
    path(f"{AGREEMENT}compare/", explorer.compare, name="compare"),
    path(f"{AGREEMENT}methods/", explorer.methods, name="methods"),
    path(f"{AGREEMENT}texts/", texts.texts, name="texts"),
    path(f"{AGREEMENT}texts/round/", texts.set_round, name="set-round"),
    path(f"{AGREEMENT}coders/", coders.coders, name="coders"),
    path(f"{AGREEMENT}coders/<str:first>/<str:second>/", coders.pair, name="coder-pair"),
    path(f"{AGREEMENT}categories/", categories.categories, name="categories"),
    path(f"{AGREEMENT}categories/mapping/", categories.save_mapping, name="save-mapping"),
    path(f"{AGREEMENT}course/", course.course, name="course"),
    path(f"{AGREEMENT}computations/<int:pk>/", computations.computation, name="computation"),
    path(f"{AGREEMENT}scores/", pyramids.scores, name="scores"),
    path(f"{AGREEMENT}study/", pyramids.study, name="study"),
    path(f"{AGREEMENT}scus/", pyramids.scus, name="scus"),
    path(f"{AGREEMENT}peers/", pyramids.peers, name="peers"),
    path(f"{AGREEMENT}items/", items.items, name="items"),
    path(ITEM, items.item, name="item"),
    path(f"{ITEM}remarks/", items.remark, name="remark"),
    path(f"{ITEM}remarks/<int:pk>/withdraw/", items.withdraw, name="withdraw-remark"),
    path(f"{ITEM}flag/", items.flag, name="flag"),
    path("projects/<slug:slug>/scheme/allows/", explorer.allows, name="allows"),
]

api_v1 = [
    path("projects/<slug:slug>/agreement/", api.Agreement.as_view(), name="api-agreement"),
    path("projects/<slug:slug>/agreement/data/", api.Data.as_view(), name="api-data"),
    path("projects/<slug:slug>/agreement/grid/", api.Grid.as_view(), name="api-grid"),
    path("projects/<slug:slug>/agreement/scores/", pyramid_api.Scores.as_view(), name="api-scores"),
    path("projects/<slug:slug>/agreement/study/", pyramid_api.Study.as_view(), name="api-study"),
    path("projects/<slug:slug>/agreement/scus/", pyramid_api.Scus.as_view(), name="api-scus"),
    path("projects/<slug:slug>/agreement/peers/", pyramid_api.Peers.as_view(), name="api-peers"),
    path("projects/<slug:slug>/agreement/items/", api.Items.as_view(), name="api-items"),
    path("projects/<slug:slug>/agreement/items/<slug:text>/<str:key>/", api.Item.as_view(), name="api-item"),
    path(f"{ITEM}remarks/", discussion_api.RemarkList.as_view(), name="api-remarks"),
    path(f"{ITEM}remarks/<int:pk>/", discussion_api.RemarkDetail.as_view(), name="api-remark"),
    path(f"{ITEM}flag/", discussion_api.FlagDetail.as_view(), name="api-flag"),
    path(f"{AGREEMENT}mappings/", discussion_api.MappingList.as_view(), name="api-mappings"),
    path(f"{AGREEMENT}tables/", table_api.PageList.as_view(), name="api-table-pages"),
    path(f"{AGREEMENT}tables/<slug:page>/", table_api.TableList.as_view(), name="api-tables"),
    path(f"{AGREEMENT}tables/<slug:page>/<slug:table>/", table_api.TableDetail.as_view(), name="api-table"),
    path("projects/<slug:slug>/tasks/", discussion_api.TaskList.as_view(), name="api-tasks"),
]
