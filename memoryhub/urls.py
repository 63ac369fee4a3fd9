"""The whole URL map."""

urlpatterns = []
