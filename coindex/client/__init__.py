"""A client of the REST API: `from coindex.client import Client`. It needs httpx, and for tables pandas."""

try:
    import httpx as _httpx  # noqa: F401 - for a clear error if it is missing
except ImportError as error:
    raise ImportError("coindex.client needs httpx (extra client): pip install httpx") from error

from coindex.client.coding import Coding
from coindex.client.connection import Patience
from coindex.client.errors import ApiError, ClientError, Conflict, NoAnswer, TransferFailed
from coindex.client.frames import Rows
from coindex.client.operations import Operation, check, clear, decide, describe, judge, move, new_uuid, unmark
from coindex.client.projects import Projects
from coindex.client.results import Results
from coindex.client.transfers import Transfers

__all__ = [
    "ApiError",
    "Client",
    "ClientError",
    "Coding",
    "Conflict",
    "NoAnswer",
    "Operation",
    "Patience",
    "Rows",
    "TransferFailed",
    "check",
    "clear",
    "decide",
    "describe",
    "judge",
    "move",
    "new_uuid",
    "unmark",
]


class Client(Projects, Results, Transfers):
    """A client for a server, with the rights of its API key.

    `with Client("https://coindex.example", key) as client: client.projects().frame()`. Endpoints without a method of
    their own are available through `get`, `rows` and `request`.
    """
