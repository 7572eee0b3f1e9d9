"""The client: all that a script does with a server."""

from coindex.client.projects import Projects
from coindex.client.results import Results
from coindex.client.transfers import Transfers


class Client(Projects, Results, Transfers):
    """A server and the key of somebody, who may do by it what the key's scope says.

    `with Client("https://coindex.example", key) as client: client.projects().frame()`. What has no method of its own is
    there by `get`, `rows` and `request`.
    """
