"""The addresses of the pages of agreement."""

from django.urls import path

from agreement.results.registry import PAGES
from agreement.web import discussion, pages

PROJECT = "projects/<slug:slug>/"
AGREEMENT = f"{PROJECT}agreement/"
ITEM = f"{AGREEMENT}items/<slug:text>/<str:key>/"

urlpatterns = [
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
