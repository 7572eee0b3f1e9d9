"""The addresses of the REST API of agreement."""

from django.urls import path

from agreement.api import discussion, results
from agreement.results.registry import ENDPOINTS

PROJECT = "projects/<slug:slug>/"
AGREEMENT = f"{PROJECT}agreement/"
ITEM = f"{AGREEMENT}items/<slug:text>/<str:key>/"

urlpatterns = [
    *(path(f"{PROJECT}{page.api_path}", results.endpoint(page).as_view(), name=page.api_route) for page in ENDPOINTS),
    path(f"{ITEM}remarks/", discussion.RemarkList.as_view(), name="api-remarks"),
    path(f"{ITEM}remarks/<int:pk>/", discussion.RemarkDetail.as_view(), name="api-remark"),
    path(f"{ITEM}flag/", discussion.FlagDetail.as_view(), name="api-flag"),
    path(f"{AGREEMENT}mappings/", discussion.MappingList.as_view(), name="api-mappings"),
    path(f"{AGREEMENT}tables/", results.PageList.as_view(), name="api-table-pages"),
    path(f"{AGREEMENT}tables/<slug:page>/", results.TableList.as_view(), name="api-tables"),
    path(f"{AGREEMENT}tables/<slug:page>/<slug:table>/", results.TableDetail.as_view(), name="api-table"),
    path(f"{PROJECT}tasks/", discussion.TaskList.as_view(), name="api-tasks"),
]
