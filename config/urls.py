"""The URL map."""

from typing import Any, cast

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LogoutView
from django.urls import include, path
from django.views.decorators.csp import csp_override
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularRedocView, SpectacularSwaggerSplitView

from agreement.urls import api_patterns, page_patterns
from annotations.web.views.accounts import MemberPasswordView, PasswordView, ResetPasswordView, mail, with_mail
from config.api_schema import SchemaView
from config.limits import bodies
from config.limits.hashers import refuse_crowd
from config.limits.sign_in import SignInView, forgotten_password
from config.monitoring import health, metrics

handler404 = "config.errors.not_found"
handler500 = "config.errors.server_error"

# Both insert inline styles; scripts stay as restricted as on other pages.
apidocs = csp_override(cast(Any, settings.CHARTS_CSP))
change_password = refuse_crowd(PasswordView.as_view())

reset_password = with_mail(refuse_crowd(ResetPasswordView.as_view()))
member_password = refuse_crowd(MemberPasswordView.as_view())
swagger = apidocs(SpectacularSwaggerSplitView.as_view(url_name="api-schema", http_method_names=["get", "head"]))
redoc = apidocs(SpectacularRedocView.as_view(url_name="api-schema", template_name="redoc.html"))
# The admin uses the same limited sign-in page.
staff_sign_in = RedirectView.as_view(pattern_name="sign_in", query_string=True, http_method_names=["get", "head"])

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics.metrics, name="metrics"),
    path("signed-in", bodies.signed_in, name="signed_in"),
    path("sign-in/", refuse_crowd(SignInView.as_view()), name="sign_in"),
    path("sign-out/", login_not_required(LogoutView.as_view()), name="sign_out"),
    path("password/forgotten/", forgotten_password, name="forgotten-password"),
    path("password/mail/<str:uidb64>/<str:token>/", reset_password, name="reset-password"),
    path("password/member/<str:uidb64>/<str:token>/", member_password, name="member-password"),
    path("account/password/", change_password, name="change-password"),
    path("account/mail/", refuse_crowd(mail), name="account-mail"),
    # The admin's own page does not limit guesses of the old password.
    path("admin/password_change/", admin.site.admin_view(change_password), name="change-password-of-staff"),
    # first, so that API requests are not compared with the patterns of pages
    path("api/v1/", include("annotations.api.urls")),
    path("api/v1/", include(api_patterns)),
    path("api/v1/schema/", SchemaView.as_view(), name="api-schema"),
    path("api/v1/docs/", swagger, name="api-docs"),
    path("api/v1/redoc/", redoc, name="api-redoc"),
    path("", include("annotations.web.urls")),
    path("", include(page_patterns)),
    path("admin/login/", login_not_required(staff_sign_in), name="staff_sign_in"),
    path("admin/", admin.site.urls),
]
