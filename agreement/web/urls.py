"""The addresses of the pages of agreement."""

from django.urls import path

from agreement.web.views import categories, computations, datasheet, flags, headline, items, results, texts

AGREEMENT = "projects/<slug:slug>/agreement/"
ITEM = f"{AGREEMENT}items/<slug:text>/<str:key>/"

urlpatterns = [
    path(AGREEMENT, results.agreement, name="agreement"),
    path(f"{AGREEMENT}headline/", headline.headline, name="agreement-headline"),
    path(f"{AGREEMENT}grid/", results.grid, name="grid"),
    path(f"{AGREEMENT}compare/", results.compare, name="compare"),
    path(f"{AGREEMENT}difference/", results.difference, name="difference"),
    path(f"{AGREEMENT}groups/", results.groups, name="groups"),
    path(f"{AGREEMENT}data/", results.data, name="agreement-data"),
    path(f"{AGREEMENT}methods/", results.methods, name="methods"),
    path(f"{AGREEMENT}texts/", texts.texts, name="texts"),
    path(f"{AGREEMENT}texts/round/", texts.set_round, name="set-round"),
    path(f"{AGREEMENT}coders/", results.coders, name="coders"),
    path(f"{AGREEMENT}coders/<str:first>/<str:second>/", results.pair, name="coder-pair"),
    path(f"{AGREEMENT}coreference/", results.coreference, name="coreference"),
    path(f"{AGREEMENT}models/", results.models, name="agreement-models"),
    path(f"{AGREEMENT}gold/", results.gold, name="gold"),
    path(f"{AGREEMENT}categories/", categories.categories, name="categories"),
    path(f"{AGREEMENT}categories/mapping/", categories.save_mapping, name="save-mapping"),
    path(f"{AGREEMENT}course/", results.course, name="course"),
    path(f"{AGREEMENT}planning/", results.planning, name="planning"),
    path(f"{AGREEMENT}computations/<int:pk>/", computations.computation, name="computation"),
    path(f"{AGREEMENT}scores/", results.scores, name="scores"),
    path(f"{AGREEMENT}study/", results.study, name="study"),
    path(f"{AGREEMENT}scus/", results.scus, name="scus"),
    path(f"{AGREEMENT}peers/", results.peers, name="peers"),
    path(f"{AGREEMENT}items/", items.items, name="items"),
    path(ITEM, items.item, name="item"),
    path(f"{ITEM}remarks/", items.remark, name="remark"),
    path(f"{ITEM}remarks/<int:pk>/withdraw/", items.withdraw, name="withdraw-remark"),
    path(f"{ITEM}flag/", items.flag, name="flag"),
    path(f"{ITEM}flag/resolve/", flags.resolve, name="resolve-flag"),
    path(f"{AGREEMENT}flags/", flags.flags, name="flags"),
    path("projects/<slug:slug>/datasheet/", datasheet.datasheet, name="datasheet"),
    path("projects/<slug:slug>/scheme/allows/", results.allows, name="allows"),
]
