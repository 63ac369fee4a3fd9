"""The whole URL map."""

from django.contrib import admin
from django.contrib.auth import views as login
from django.urls import URLPattern, URLResolver, include, path, re_path
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView

from memories.api.nowhere import Nowhere
from memories.mcp import door
from memoryhub import health, metrics
from teams.views import account, entering, joining, looks

urlpatterns: list[URLPattern | URLResolver] = [
    path("", entering.start, name="home"),
    path("login/", entering.LogIn.as_view(), name="login"),
    path("logout/", login.LogoutView.as_view(), name="logout"),
    path("account/", account.page, name="account"),
    path("account/password/", account.PasswordPage.as_view(), name="password"),
    path("account/sessions/", account.log_out_elsewhere, name="log-out-elsewhere"),
    path("join/<str:secret>/", joining.page, name="join"),
    path("theme/", looks.choose, {"name": "theme"}, name="theme"),
    path("keys/", looks.choose, {"name": "keys"}, name="keys"),
    path("t/<str:organization>/<str:team>/", include("memories.urls")),
    path("t/<str:organization>/<str:team>/", include("teams.urls")),
    path("api/v1/", include("memories.api.urls")),
    path("api/schema/", SpectacularJSONAPIView.as_view(), name="api-schema"),
    path("api/docs/", SpectacularSwaggerSplitView.as_view(url_name="api-schema"), name="api-docs"),
    re_path(r"^api/", Nowhere.as_view()),
    path("mcp", door.endpoint, name="mcp"),
    path("mcp/<str:dialect>", door.endpoint, name="mcp-dialect"),
    path("admin/", admin.site.urls),
    path("metrics", metrics.page, name="metrics"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]

handler404 = "memoryhub.refusals.not_found"
handler400 = "memoryhub.refusals.bad_request"
handler500 = "memoryhub.refusals.server_error"
