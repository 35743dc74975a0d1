"""A server of tuspyserver, which writes the offset of each PATCH and the received bytes into FOLDER/tus.log.

    python -m differential.servers.tus FOLDER RATE

Receives RATE bytes a second, and prints "ready URL".
"""

import asyncio
import sys

import uvicorn
from fastapi import FastAPI
from tuspyserver import create_tus_router

from ..support.processes import free_port

folder, rate = sys.argv[1], int(sys.argv[2])
app = FastAPI()
app.include_router(create_tus_router(prefix="files", files_dir=folder + "/uploads", max_size=1 << 40))
log = open(folder + "/tus.log", "a", buffering=1)


async def counting(scope, receive, send):
    if scope["type"] != "http":
        return await app(scope, receive, send)
    headers = {name.decode().lower(): value.decode() for name, value in scope["headers"]}
    count, status = 0, 0

    async def counted():
        nonlocal count
        message = await receive()
        count += len(message.get("body", b""))
        await asyncio.sleep(len(message.get("body", b"")) / rate)
        return message

    async def noted(message):
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        await send(message)

    log.write(f"begin {scope['method']} {headers.get('upload-offset', '-')}\n")
    try:
        await app(scope, counted, noted)
    finally:
        log.write(f"end {scope['method']} {status} {count}\n")


class Server(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets)
        print("ready", f"http://127.0.0.1:{port}", flush=True)


port = free_port()
Server(uvicorn.Config(counting, host="127.0.0.1", port=port, log_level="warning", timeout_keep_alive=600)).run()
