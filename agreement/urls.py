"""URL patterns of the pages and the REST API of agreement."""

from django.urls import path

from agreement.api import discussion as api_discussion
from agreement.api import results as api_results
from agreement.results.registry import ENDPOINTS, PAGES
from agreement.web import discussion, pages

PROJECT = "projects/<slug:slug>/"
AGREEMENT = f"{PROJECT}agreement/"
ITEM = f"{AGREEMENT}items/<slug:text>/<str:key>/"

page_patterns = [
    *(path(f"{PROJECT}{page.path}", pages.page_view(page), name=page.route) for page in PAGES),
    path(f"{AGREEMENT}headline/", pages.headline, name="agreement-headline"),
    path(f"{AGREEMENT}texts/round/", pages.set_round, name="set-round"),
    path(f"{AGREEMENT}categories/mapping/", pages.save_mapping, name="save-mapping"),
    path(f"{AGREEMENT}computations/<int:pk>/", pages.computation, name="computation"),
    path(f"{ITEM}remarks/", discussion.remark, name="remark"),
    path(f"{ITEM}remarks/<int:pk>/withdraw/", discussion.withdraw, name="withdraw-remark"),
    path(f"{ITEM}flag/", discussion.flag, name="flag"),
    path(f"{ITEM}flag/resolve/", discussion.resolve, name="resolve-flag"),
    path(f"{AGREEMENT}flags/", discussion.flags, name="flags"),
]

api_patterns = [
    *(
        path(f"{PROJECT}{page.api_path}", api_results.endpoint(page).as_view(), name=page.api_route)
        for page in ENDPOINTS
    ),
    path(f"{ITEM}remarks/", api_discussion.RemarkList.as_view(), name="api-remarks"),
    path(f"{ITEM}remarks/<int:pk>/", api_discussion.RemarkDetail.as_view(), name="api-remark"),
    path(f"{ITEM}flag/", api_discussion.FlagDetail.as_view(), name="api-flag"),
    path(f"{AGREEMENT}mappings/", api_discussion.MappingList.as_view(), name="api-mappings"),
    path(f"{AGREEMENT}tables/", api_results.PageList.as_view(), name="api-table-pages"),
    path(f"{AGREEMENT}tables/<slug:page>/", api_results.TableList.as_view(), name="api-tables"),
    path(f"{AGREEMENT}tables/<slug:page>/<slug:table>/", api_results.TableDetail.as_view(), name="api-table"),
    path(f"{PROJECT}tasks/", api_discussion.TaskList.as_view(), name="api-tasks"),
]
