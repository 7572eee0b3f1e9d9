"""What a reader has already is not sent again."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.http import ConditionalGetMiddleware

API = "/api/"


class ConditionalGet(ConditionalGetMiddleware):
    """Answers `If-None-Match` with 304 in the API alone: a page has a new token each time, so none is ever the same."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        return super().process_response(request, response) if request.path.startswith(API) else response
