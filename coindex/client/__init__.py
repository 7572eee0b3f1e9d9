"""A client of the REST API: `from coindex.client import Client`. It needs httpx, and for tables pandas."""

try:
    import httpx as _httpx  # noqa: F401 - to say what is missing
except ImportError as error:
    raise ImportError("coindex.client needs httpx (extra client): pip install httpx") from error

from coindex.client.client import Client
from coindex.client.connection import Patience
from coindex.client.errors import ApiError, ClientError, Conflict, NoAnswer, TransferFailed
from coindex.client.frames import Rows
from coindex.client.operations import Operation, check, clear, decide, describe, judge, move, new_uuid, unmark
from coindex.client.own import Coding

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
