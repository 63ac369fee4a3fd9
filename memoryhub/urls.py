"""The whole URL map."""

from django.contrib import admin
from django.contrib.auth import views as login
from django.urls import URLPattern, URLResolver, include, path, re_path
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView

from memories.api.not_found import ApiNotFound
from memories.mcp import endpoint
from memoryhub import health, metrics_page
from teams.views import account, appearance, digest, enter_team, join

urlpatterns: list[URLPattern | URLResolver] = [
    path("", enter_team.redirect_to_last_team, name="home"),
    path("login/", enter_team.LogIn.as_view(), name="login"),
    path("logout/", login.LogoutView.as_view(), name="logout"),
    path("account/", account.show_account, name="account"),
    path("account/password/", account.PasswordPage.as_view(), name="password"),
    path("account/sessions/", account.log_out_elsewhere, name="log-out-elsewhere"),
    path("account/digest/<uuid:membership_id>/", digest.choose_digest_view, name="digest-choose"),
    path("digest/<str:signature>/", digest.end_digest_view, name="digest-end"),
    path("join/<str:secret>/", join.follow_link, name="join"),
    path("join/", join.show_invitation, name="join-page"),
    path("theme/", appearance.choose_appearance, {"name": "theme"}, name="theme"),
    path("keys/", appearance.choose_appearance, {"name": "keys"}, name="keys"),
    path("t/<str:organization>/<str:team>/", include("memories.urls")),
    path("t/<str:organization>/<str:team>/", include("teams.urls")),
    path("api/v1/", include("memories.api.urls")),
    path("api/v1/teams/<str:organization>/<str:team>/", include("memories.api.people_urls")),
    path("api/schema/", SpectacularJSONAPIView.as_view(), name="api-schema"),
    path("api/docs/", SpectacularSwaggerSplitView.as_view(url_name="api-schema"), name="api-docs"),
    re_path(r"^api/", ApiNotFound.as_view()),
    path("mcp", endpoint.endpoint, name="mcp"),
    path("mcp/<str:dialect>", endpoint.endpoint, name="mcp-dialect"),
    path("admin/", admin.site.urls),
    path("metrics", metrics_page.show_metrics, name="metrics"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]

handler404 = "memoryhub.error_pages.not_found"
handler400 = "memoryhub.error_pages.bad_request"
handler500 = "memoryhub.error_pages.server_error"
