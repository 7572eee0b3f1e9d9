"""A network that can be taken away: connections to the server of the tests pass through here."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Thread


class Gateway:
    """A port of this machine behind which a server is, as long as the gateway is open."""

    def __init__(self, host: str, port: int) -> None:
        self.server = (host, port)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.is_open = True
        self.connections: set[socket.socket] = set()
        Thread(target=self._accept, daemon=True).start()

    def shut(self) -> None:
        """Break all connections, and every further one."""
        self.is_open = False
        for connection in list(self.connections):
            _break(connection)

    def open(self) -> None:
        """Let connections pass again."""
        self.is_open = True

    def close(self) -> None:
        """End the gateway."""
        self.shut()
        self.listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:  # closed
                return
            if not self.is_open:
                client.close()
                continue
            server = socket.create_connection(self.server)
            self.connections |= {client, server}
            for source, target in ((client, server), (server, client)):
                Thread(target=self._copy, args=(source, target), daemon=True).start()

    def _copy(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):  # the other direction is broken: so is this one
            while data := source.recv(65536):
                target.sendall(data)
        self.connections -= {source, target}
        _break(source)
        _break(target)


def _break(connection: socket.socket) -> None:
    with suppress(OSError):  # it is broken already
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
