"""The answer at every address below /api/ that has no endpoint."""

from typing import Any

from rest_framework.request import Request
from rest_framework.views import APIView

from memoryhub.errors import NotFound


class ApiNotFound(APIView):
    authentication_classes = ()
    permission_classes = ()
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise NotFound("There is nothing at this address.")
