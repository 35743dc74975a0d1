"""A check for schemathesis: openapi-core, which validates by jsonschema, accepts each response.

The environment variable CONTRACT_DOCUMENT is the path of the document.
"""

import decimal
import json
import os
import urllib.parse

import schemathesis
from openapi_core import Config, OpenAPI
from openapi_core.datatypes import RequestParameters
from openapi_core.exceptions import OpenAPIError
from openapi_core.templating.paths.exceptions import OperationNotFound
from openapi_core.templating.responses.exceptions import ResponseNotFound
from werkzeug.datastructures import Headers

DOCUMENT = OpenAPI.from_file_path(
    os.environ["CONTRACT_DOCUMENT"],
    config=Config(extra_media_type_deserializers={"application/problem+json": json.loads}))


def origin(url):
    """Returns the scheme and the host of a URL, or an empty text for a relative one."""
    parts = urllib.parse.urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


# The mock server responds in place of the first server.
SERVER = origin(DOCUMENT.spec.read_value().get("servers", [{"url": "/"}])[0]["url"])


class Request:
    """A request of schemathesis, as openapi-core reads it."""

    def __init__(self, response):
        request = response.request
        self.host_url = SERVER or origin(request.url)
        self.path = urllib.parse.urlsplit(request.url).path
        self.method = request.method.lower()
        self.content_type = request.headers.get("Content-Type", "")
        self.body = request.body
        self.parameters = RequestParameters()


class Response:
    """A response of schemathesis, as openapi-core reads it."""

    def __init__(self, response):
        self.data = response.content
        self.status_code = response.status_code
        self.headers = Headers([(name, values[0]) for name, values in response.headers.items()])
        self.content_type = self.headers.get("Content-Type", "")


def reasons(error):
    """Returns the messages of jsonschema."""
    for reason in getattr(error.__cause__, "schema_errors", []):
        if reason.validator == "multipleOf":
            # jsonschema divides binary numbers: 4.31 is none of its multiples of 0.01.
            number, factor = (decimal.Decimal(str(value)) for value in (reason.instance, reason.validator_value))
            if number % factor == 0:
                continue
        yield f"{list(reason.absolute_path)}: {reason.message}"[:500]


def is_sent(value):
    """Returns whether requests sends a value of a query."""
    return any(each is not None for each in value) if isinstance(value, (list, tuple, dict)) else value is not None


@schemathesis.hook
def filter_query(context, query):
    # Without the values that are not sent, a request may be valid although it was generated as invalid.
    return all(map(is_sent, (query or {}).values()))


@schemathesis.check
def openapi_core(context, response, case):
    try:
        DOCUMENT.validate_response(Request(response), Response(response))
    except OperationNotFound:
        # The mock server responds to OPTIONS by itself, and rejects other methods.
        assert response.status_code in (204, 405)
    except ResponseNotFound:
        # The mock server reports errors of the request by statuses that the document need not have.
        assert response.status_code >= 400
    except OpenAPIError as error:
        messages = list(reasons(error))
        if messages or not hasattr(error.__cause__, "schema_errors"):
            raise AssertionError(f"openapi-core: {messages or error}") from None
