"""The studio on the loopback address: one page, one WebSocket. See docs/protocol.md for what goes over it.

The token is part of the page's address behind ``#``, which browsers keep to themselves, and the first message that the
page sends. Host and Origin are checked, so that no other page and no other name for this machine gets in.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from myodyne.errors import MyodyneError
from myodyne.studio.desk import Desk
from myodyne.studio.library import Library, Opened
from myodyne.studio.reference import Reference
from myodyne.studio.session import Session
from myodyne.studio.showing import Message
from myodyne.studio.tasks.task_desk import TaskDesk
from myodyne.view.assets import asset

PROTOCOL = 5
# Limits of what a page may send: bytes of a message, messages in a second, pages at once.
MOST_BYTES, MOST_RATE, MOST_PAGES = 200_000, 300, 8
_FILES = {"/": ("studio.html", "text/html"), "/studio.js": ("studio.js", "text/javascript")}
_FILES["/viewer.css"] = ("viewer.css", "text/css")
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


class Studio:
    """The web application of one desk, for the host names and port that it listens on."""

    def __init__(
        self,
        opened: Opened,
        port: int,
        file: Path | None = None,
        reference: Reference | None = None,
    ) -> None:
        self.token = secrets.token_urlsafe(32)
        self.hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self._pages: set[asyncio.Queue[Message]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._library = Library(None if file is None else file.parent)
        self.desk = self._desk(opened, file, reference)
        self.app = Starlette(
            routes=[*(Route(path, self._file) for path in _FILES), WebSocketRoute("/socket", self._socket)],
            lifespan=self._lifespan,
        )

    def _desk(self, opened: Opened, file: Path | None, reference: Reference | None = None) -> Desk | TaskDesk:
        if isinstance(opened, Session):
            return Desk(opened, self._broadcast, file, reference)
        return TaskDesk(*opened, self._broadcast, file, reference)

    def _receive(self, data: dict[str, Any]) -> None:
        """Open something else, or let the desk do what a page asks for."""
        if data.get("kind") == "library":
            self._broadcast(Message({"kind": "library", "groups": self._library.groups()}))
        elif data.get("kind") == "open":
            self._open(data)
        else:
            self.desk.receive(data)

    def _open(self, data: dict[str, Any]) -> None:
        try:
            desk = self._desk(*self._library.open(data.get("group"), data.get("name")))
        except (MyodyneError, OSError, ValueError) as error:
            self._broadcast(Message({"kind": "refused", "reason": str(error)}))
            return
        before, self.desk = self.desk, desk
        before.close()
        # Pages load anew: what they know is of the former desk.
        self._broadcast(Message({"kind": "opened"}))

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        self._loop = asyncio.get_running_loop()
        yield
        self.desk.close()

    def _broadcast(self, message: Message) -> None:
        """Hand a message to all pages; it may come from the player's thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._enqueue, message)

    def _enqueue(self, message: Message) -> None:
        for page in self._pages:
            page.put_nowait(message)

    async def _file(self, request: Request) -> Response:
        if request.headers.get("host") not in self.hosts:
            return PlainTextResponse("this address is not the studio's", 421, headers=_HEADERS)
        name, kind = _FILES[request.url.path]
        return Response(asset(name), media_type=kind, headers=_HEADERS)

    async def _socket(self, socket: WebSocket) -> None:
        host, origin = socket.headers.get("host"), socket.headers.get("origin")
        if host not in self.hosts or origin not in {f"http://{name}" for name in self.hosts}:
            await socket.close(1008)
            return
        await socket.accept()
        if len(self._pages) >= MOST_PAGES or not await self._greeted(socket):
            await socket.close(1008)
            return
        page: asyncio.Queue[Message] = asyncio.Queue()
        self._pages.add(page)
        sender = asyncio.create_task(_send_all(socket, page))
        try:
            await asyncio.to_thread(self.desk.begin)
            await self._listen(socket)
        # A page may leave at any time, also while it is being answered.
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            self._pages.discard(page)
            sender.cancel()

    async def _greeted(self, socket: WebSocket) -> bool:
        """Whether the first message comes in time, holds the token and speaks this protocol."""
        try:
            text = await asyncio.wait_for(socket.receive_text(), 10.0)
            hello = json.loads(text) if len(text) < 1000 else {}
        except (TimeoutError, ValueError, WebSocketDisconnect, KeyError, RecursionError):
            return False
        if not isinstance(hello, dict) or not isinstance(hello.get("token"), str):
            return False
        if not hmac.compare_digest(hello["token"].encode(), self.token.encode()):
            return False
        if hello.get("protocol") != PROTOCOL:
            await socket.send_text(json.dumps({"kind": "refused", "reason": "the page is out of date: reload it"}))
            return False
        return True

    async def _listen(self, socket: WebSocket) -> None:
        loop = asyncio.get_running_loop()
        allowed, refilled = float(MOST_RATE), loop.time()
        while True:
            text = await _text(socket)
            now = loop.time()
            allowed, refilled = min(float(MOST_RATE), allowed + (now - refilled) * MOST_RATE), now
            if len(text) > MOST_BYTES or allowed < 1.0:
                await socket.close(1009)
                return
            allowed -= 1.0
            try:
                data = json.loads(text)
            except (ValueError, RecursionError):
                data = None
            if not isinstance(data, dict):
                await socket.send_text(json.dumps({"kind": "refused", "reason": "that is no message of the studio"}))
                continue
            await asyncio.to_thread(self._receive, data)


async def _text(socket: WebSocket) -> str:
    """Return the next message; bytes are none that a page of ours sends."""
    received = await socket.receive()
    if received["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(received.get("code", 1000))
    return str(received.get("text") or "")


async def _send_all(socket: WebSocket, page: asyncio.Queue[Message]) -> None:
    """Send messages until the page leaves."""
    with suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await _send_next(socket, page)


async def _send_next(socket: WebSocket, page: asyncio.Queue[Message]) -> None:
    message = await page.get()
    # Scenes that wait behind a newer one are out of date.
    while message.block and not page.empty():
        newer = page.get_nowait()
        if not newer.block:
            await socket.send_text(json.dumps(newer.data))
            continue
        message = newer
    text = json.dumps(message.data, allow_nan=False)
    if not message.block:
        await socket.send_text(text)
        return
    head = text.encode()
    # The block begins at a multiple of four bytes, as views of arrays need it.
    head += b" " * (-len(head) % 4)
    await socket.send_bytes(struct.pack("<I", len(head)) + head + message.block)


def serve(studio: Studio, port: int, ready: Callable[[], None]) -> None:
    """Serve the studio until Ctrl-C; `ready` is called when pages can be opened."""
    import uvicorn

    config: Any = uvicorn.Config(
        studio.app,
        host="127.0.0.1",
        port=port,
        log_level="error",
        access_log=False,
        ws_max_size=MOST_BYTES,
        ws_per_message_deflate=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)

    async def run() -> None:
        task = asyncio.create_task(server.serve())
        while not server.started and not task.done():
            await asyncio.sleep(0.01)
        if server.started:
            ready()
        await task

    asyncio.run(run())
