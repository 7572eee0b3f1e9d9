"""The tables in Django's admin, for staff. Judgements are not among them: only operations change them."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from annotations.models import Category, Coding, Level, Membership, Project, Text, User

admin.site.register(User, UserAdmin)


class LevelInline(admin.TabularInline[Level, Project]):
    model = Level
    extra = 0


class CategoryInline(admin.TabularInline[Category, Project]):
    model = Category
    extra = 0


class MembershipInline(admin.TabularInline[Membership, Project]):
    model = Membership
    extra = 0
    autocomplete_fields = ["user"]


@admin.register(Project)
class ProjectAdmin(admin.ModelAdmin[Project]):
    list_display = ["title", "slug", "answers", "results_open"]
    search_fields = ["title", "slug"]
    prepopulated_fields = {"slug": ["title"]}
    inlines = [MembershipInline, LevelInline, CategoryInline]


@admin.register(Text)
class TextAdmin(admin.ModelAdmin[Text]):
    list_display = ["title", "slug", "project", "language"]
    list_filter = ["project"]
    search_fields = ["title", "slug"]
    readonly_fields = ["content"]


@admin.register(Coding)
class CodingAdmin(admin.ModelAdmin[Coding]):
    list_display = ["text", "coder", "status", "version"]
    list_filter = ["text__project", "status"]
    readonly_fields = ["text", "coder", "status", "version"]
