"""A network that can be taken away: connections to the server of the tests pass through here."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Thread

BACKLOG = 128


class Gateway:
    """A port of this machine behind which a server is, as long as the gateway is open."""

    def __init__(self, host: str, port: int) -> None:
        self.server = (host, port)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
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
        with suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)  # else who waits in accept() would take one more
        self.listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:  # closed
                return
            Thread(target=self._connect, args=(client,), daemon=True).start()

    def _connect(self, client: socket.socket) -> None:
        """Let a client through, in a thread of its own: a server that is slow to take it keeps nobody else waiting."""
        with client:
            if not self.is_open:
                return
            try:
                server = socket.create_connection(self.server)
            except OSError:
                return
            with server:
                self.connections |= {client, server}
                if not self.is_open:  # since a moment ago
                    return
                answers = Thread(target=_copy, args=(server, client), daemon=True)
                answers.start()
                _copy(client, server)
                answers.join()
                self.connections -= {client, server}


def _copy(source: socket.socket, target: socket.socket) -> None:
    """Copy until the source has said all; tell the target so. The other direction goes on: an answer may be on its way.

    Where one of them breaks, both do.
    """
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        _break(source)
        _break(target)


def _break(connection: socket.socket) -> None:
    """End both directions. Whoever copies closes it."""
    with suppress(OSError):  # it is broken already
        connection.shutdown(socket.SHUT_RDWR)
