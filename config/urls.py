"""The URL map."""

from typing import Any, cast

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeView
from django.urls import include, path, reverse_lazy
from django.views.decorators.csp import csp_override
from drf_spectacular.views import SpectacularAPIView, SpectacularRedocView, SpectacularSwaggerSplitView

from config import health

handler404 = "config.errors.not_found"
handler500 = "config.errors.server_error"

# Both insert inline styles; scripts stay as restricted as on other pages.
apidocs = csp_override(cast(Any, settings.CHARTS_CSP))

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("sign-in/", LoginView.as_view(template_name="registration/sign_in.html"), name="sign_in"),
    path("sign-out/", LogoutView.as_view(), name="sign_out"),
    path(
        "account/password/",
        PasswordChangeView.as_view(
            template_name="registration/change_password.html", success_url=reverse_lazy("account")
        ),
        name="change-password",
    ),
    path("", include("annotations.web.urls")),
    path("", include("agreement.web.urls")),
    path("api/v1/", include("annotations.api.urls")),
    path("api/v1/", include("agreement.api.urls")),
    path("api/v1/schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path(
        "api/v1/docs/",
        apidocs(SpectacularSwaggerSplitView.as_view(url_name="api-schema", http_method_names=["get", "head"])),
        name="api-docs",
    ),
    path(
        "api/v1/redoc/",
        apidocs(SpectacularRedocView.as_view(url_name="api-schema", template_name="redoc.html")),
        name="api-redoc",
    ),
    path("admin/", admin.site.urls),
]
