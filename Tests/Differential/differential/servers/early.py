"""A server of hyper-h2, which speaks HTTP/2 only.

    python -m differential.servers.early KEY CERTIFICATE [RESET]

Responds with 401 as soon as it has the head of a request. Reads the body and ignores it. The response to `/length` has a
Content-Length. Prints "ready URL".

With RESET, the stream is reset without an error after the response: `apart` in a TLS record of its own, `body` in one record
with the body of the response, `all` in one record with the whole response.
"""

import asyncio
import contextlib
import ssl
import sys

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions

BODY = b'{"error":"expired"}'
MODE = sys.argv[3] if len(sys.argv) > 3 else None


class Connection(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        self.http.initiate_connection()
        self.flush()

    def reset(self, stream):
        if MODE == "apart":
            self.flush()
        # A request without a body has already closed the stream.
        with contextlib.suppress(h2.exceptions.StreamClosedError):
            self.http.reset_stream(stream, h2.errors.ErrorCodes.NO_ERROR)

    def flush(self):
        self.transport.write(self.http.data_to_send())

    def data_received(self, data):
        try:
            for event in self.http.receive_data(data):
                self.handle(event)
        except h2.exceptions.ProtocolError:
            self.flush()
            return self.transport.close()
        self.flush()

    def handle(self, event):
        if isinstance(event, h2.events.RequestReceived):
            fields = [(":status", "401"), ("content-type", "application/json")]
            if (b":path", b"/length") in event.headers or (":path", "/length") in event.headers:
                fields.append(("content-length", str(len(BODY))))
            self.http.send_headers(event.stream_id, fields)
            if MODE == "body":
                self.flush()
            self.http.send_data(event.stream_id, BODY, end_stream=True)
            if MODE:
                self.reset(event.stream_id)
                self.flush()
        elif isinstance(event, h2.events.DataReceived) and event.flow_controlled_length:
            with contextlib.suppress(h2.exceptions.StreamClosedError):
                self.http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)


async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[1])
    context.set_alpn_protocols(["h2"])
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0, ssl=context, backlog=4096)
    print("ready", f"https://localhost:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


asyncio.run(main())
