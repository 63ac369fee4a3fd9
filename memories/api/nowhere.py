"""Every address below /api/ at which there is nothing else."""

from typing import Any

from rest_framework.request import Request
from rest_framework.views import APIView

from memoryhub.errors import NotFound


class Nowhere(APIView):
    authentication_classes = ()
    permission_classes = ()
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise NotFound("There is nothing at this address.")
