#!/usr/bin/env python3
"""An authorization server with token exchange and `iss` in redirects, made of idpyoidc, for .ci/oauth2.

    .ci/oauth2-exchange.py

Listens on a free port of 127.0.0.1, and prints "ready URL". URL/right, URL/other and URL/missing are issuers. The
metadata of each announces `iss`; the redirects have the right value, that of another issuer, or none. The number of
requests that the token endpoint has received is at ISSUER/token-requests. An exception closes the connection without
a response.

The public client "app" signs in the user "ann@example.com", without a page. The client "gateway" may exchange the
token for one with the audience "warehouse", which is also a client and introspects it. The secret of both is the name
with "-secret".
"""

import copy
import http.server
import logging
import tempfile
import urllib.parse

from idpyoidc.server import Server
from idpyoidc.server.configure import ASConfiguration
from idpyoidc.server.oauth2.token_helper import validate_token_exchange_policy

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"
REFRESH_TOKEN = "urn:ietf:params:oauth:token-type:refresh_token"
SCOPES = ["orders", "stock", "offline_access"]

CLIENTS = {
    "app": {
        "token_endpoint_client_authn_method": ["public"], "allowed_scopes": SCOPES,
        "grant_types_supported": ["authorization_code", "refresh_token"]},
    "gateway": {
        "client_secret": "gateway-secret", "token_endpoint_client_authn_method": ["client_secret_basic"],
        "allowed_scopes": SCOPES, "grant_types_supported": [EXCHANGE],
        "token_exchange": {
            "subject_token_types_supported": [ACCESS_TOKEN],
            "requested_token_types_supported": [ACCESS_TOKEN, REFRESH_TOKEN],
            "policy": {"": {"function": validate_token_exchange_policy, "kwargs": {"audience": ["warehouse"]}}}}},
    "warehouse": {"client_secret": "warehouse-secret", "grant_types_supported": []},
}


def encrypter():
    keys = [{"type": "OCT", "use": ["enc"], "kid": name} for name in ("password", "salt")]
    return {"kwargs": {"iterations": 1, "keys": {"key_defs": keys}}}


def endpoint(path, name, **arguments):
    return {"path": path, "class": "idpyoidc.server.oauth2." + name, "kwargs": arguments}


def token(seconds):
    return {"class": "idpyoidc.server.token.jwt_token.JWTToken", "kwargs": {"lifetime": seconds}}


def make(issuer, folder):
    """Returns the server of an issuer."""
    both = ["access_token", "refresh_token"]
    server = Server(cwd=folder, conf=ASConfiguration(base_path=folder, conf={
        "issuer": issuer,
        "keys": {"key_defs": [{"type": "EC", "crv": "P-256", "use": ["sig"]}], "uri_path": "jwks.json"},
        "endpoint": {
            "metadata": endpoint("metadata", "server_metadata.ServerMetadata"),
            "authorization": endpoint("authorization", "authorization.Authorization"),
            "token": endpoint("token", "token.Token", client_authn_method=["client_secret_basic", "public"]),
            "introspection": endpoint(
                "introspection", "introspection.Introspection", client_authn_method=["client_secret_basic"]),
        },
        "authentication": {"none": {
            "acr": "urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified",
            "class": "idpyoidc.server.user_authn.user.NoAuthn", "kwargs": {"user": "ann@example.com"}}},
        "userinfo": {"class": "idpyoidc.server.user_info.UserInfo", "kwargs": {"db": {}}},
        "authz": {"class": "idpyoidc.server.authz.AuthzHandling", "kwargs": {"grant_config": {"usage_rules": {
            "authorization_code": {"supports_minting": both, "max_usage": 1},
            "access_token": {"supports_minting": both, "expires_in": 600},
            "refresh_token": {"supports_minting": both, "expires_in": 3600}}}}},
        "add_on": {"pkce": {
            "function": "idpyoidc.server.oauth2.add_on.pkce.add_support",
            "kwargs": {"essential": True, "code_challenge_methods": {"S256": None}}}},
        "token_handler_args": {
            "code": {"kwargs": {"lifetime": 60, "crypt_conf": encrypter()}},
            "token": token(600), "refresh": token(3600)},
        "session_params": {"encrypter": encrypter()},
    }))
    server.context.cdb.update(copy.deepcopy(CLIENTS))
    # The package sends `iss`, but its metadata does not announce it.
    server.context.provider_info["authorization_response_iss_parameter_supported"] = True
    return server


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path)
        self.respond(parts.path, parts.query)

    def do_POST(self):
        self.respond(self.path, self.rfile.read(int(self.headers["Content-Length"])).decode())

    def respond(self, path, form):
        words = path.strip("/").split("/")
        if words[:2] == [".well-known", "oauth-authorization-server"]:
            issuer, name = words[-1], "server_metadata"
        else:
            issuer, name = words[0], words[-1]
        server = self.server.issuers.get(issuer)
        if server and name == "token-requests":
            return self.send(200, str(self.server.token_requests[issuer]))
        if not server or name not in server.endpoint:
            return self.send(404, "{}")
        if name == "token":
            self.server.token_requests[issuer] += 1
        part = server.endpoint[name]
        request = part.parse_request(
            dict(urllib.parse.parse_qsl(form)), http_info={"headers": dict(self.headers), "url": self.path})
        options = {"release": ["username"]} if name == "introspection" else {}
        result = request if "error" in request else part.process_request(request, **options)
        if "error" in result:
            return self.send(400, result.to_json())
        if name == "authorization":
            parameters = result["response_args"]
            assert parameters["iss"] == self.server.url + "/" + issuer
            if issuer == "other":
                parameters["iss"] = self.server.url + "/right"
            elif issuer == "missing":
                del parameters["iss"]
        response = part.do_response(request=request, **result)["response"]
        if name == "authorization":
            self.send(302, "", location=response)
        else:
            self.send(200, response)

    def send(self, status, body, location=None):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        if location:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *arguments):
        pass


def main():
    # The refusals are expected.
    logging.disable()
    with tempfile.TemporaryDirectory() as folder:
        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        server.url = f"http://127.0.0.1:{server.server_port}"
        server.issuers = {name: make(f"{server.url}/{name}", folder) for name in ("right", "other", "missing")}
        server.token_requests = dict.fromkeys(server.issuers, 0)
        print("ready", server.url, flush=True)
        server.serve_forever()


main()
