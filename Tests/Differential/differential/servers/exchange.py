"""An authorization server of idpyoidc, with token exchange and `iss` in redirects.

    python -m differential.servers.exchange

Prints "ready URL". URL/right, URL/other and URL/missing are issuers. The metadata of each announces `iss`; the redirects
have the right value, that of another issuer, or none. The number of requests that the token endpoint has received is at
ISSUER/token-requests.

The public client "app" signs in the user "ann@example.com", without a page. The client "gateway" may exchange the token for
one with the audience "warehouse", which is also a client and introspects it. The secret of both is the name with "-secret".
"""

import copy
import logging
import tempfile
import urllib.parse

from idpyoidc.server import Server
from idpyoidc.server.configure import ASConfiguration
from idpyoidc.server.oauth2.token_helper import validate_token_exchange_policy

from ..support.processes import wsgi_server

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
MINTING = {"supports_minting": ["access_token", "refresh_token"]}
USAGE_RULES = {"authorization_code": {**MINTING, "max_usage": 1}, "access_token": {**MINTING, "expires_in": 600},
               "refresh_token": {**MINTING, "expires_in": 3600}}
KEYS = [{"type": "OCT", "use": ["enc"], "kid": name} for name in ("password", "salt")]
ENCRYPTER = {"kwargs": {"iterations": 1, "keys": {"key_defs": KEYS}}}


def part(name, **arguments):
    return {"class": "idpyoidc.server." + name, "kwargs": arguments}


def endpoint(name, **arguments):
    path = name.split(".")[0].replace("server_", "")
    return {"path": path, **part("oauth2." + name, **arguments)}


def make(issuer, folder):
    """Returns the server of an issuer."""
    basic = ["client_secret_basic"]
    server = Server(cwd=folder, conf=ASConfiguration(base_path=folder, conf=copy.deepcopy({
        "issuer": issuer,
        "keys": {"key_defs": [{"type": "EC", "crv": "P-256", "use": ["sig"]}], "uri_path": "jwks.json"},
        "endpoint": {
            "metadata": endpoint("server_metadata.ServerMetadata"),
            "authorization": endpoint("authorization.Authorization"),
            "token": endpoint("token.Token", client_authn_method=[*basic, "public"]),
            "introspection": endpoint("introspection.Introspection", client_authn_method=basic)},
        "authentication": {"none": {"acr": "urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified",
                                    **part("user_authn.user.NoAuthn", user="ann@example.com")}},
        "userinfo": part("user_info.UserInfo", db={}),
        "authz": part("authz.AuthzHandling", grant_config={"usage_rules": USAGE_RULES}),
        "add_on": {"pkce": {"function": "idpyoidc.server.oauth2.add_on.pkce.add_support",
                            "kwargs": {"essential": True, "code_challenge_methods": {"S256": None}}}},
        "token_handler_args": {
            "code": {"kwargs": {"lifetime": 60, "crypt_conf": ENCRYPTER}},
            "token": part("token.jwt_token.JWTToken", lifetime=600),
            "refresh": part("token.jwt_token.JWTToken", lifetime=3600)},
        "session_params": {"encrypter": ENCRYPTER},
    })))
    server.context.cdb.update(copy.deepcopy(CLIENTS))
    # The package sends `iss`, but its metadata does not announce it.
    server.context.provider_info["authorization_response_iss_parameter_supported"] = True
    return server


def respond(path, form, headers):
    """Returns the status, the body and the location of a response."""
    words = path.strip("/").split("/")
    is_metadata = words[:2] == [".well-known", "oauth-authorization-server"]
    issuer, name = (words[-1], "server_metadata") if is_metadata else (words[0], words[-1])
    server = issuers.get(issuer)
    if server and name == "token-requests":
        return 200, str(token_requests[issuer]), None
    if not server or name not in server.endpoint:
        return 404, "{}", None
    token_requests[issuer] += name == "token"
    fields = {"headers": headers, "url": path}
    request = server.endpoint[name].parse_request(dict(urllib.parse.parse_qsl(form)), http_info=fields)
    options = {"release": ["username"]} if name == "introspection" else {}
    result = request if "error" in request else server.endpoint[name].process_request(request, **options)
    if "error" in result:
        return 400, result.to_json(), None
    if name == "authorization":
        parameters = result["response_args"]
        assert parameters["iss"] == f"{url}/{issuer}"
        if issuer == "other":
            parameters["iss"] = f"{url}/right"
        elif issuer == "missing":
            del parameters["iss"]
    response = server.endpoint[name].do_response(request=request, **result)["response"]
    return (302, "", response) if name == "authorization" else (200, response, None)


def application(environ, start):
    form = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"] or 0)).decode() or environ["QUERY_STRING"]
    headers = {"Authorization": environ["HTTP_AUTHORIZATION"]} if "HTTP_AUTHORIZATION" in environ else {}
    status, body, location = respond(environ["PATH_INFO"], form, headers)
    start(f"{status} Status", [("Content-Type", "application/json")] + ([("Location", location)] if location else []))
    return [body.encode()]


# The refusals are expected.
logging.disable()
token_requests = dict.fromkeys(["right", "other", "missing"], 0)
with tempfile.TemporaryDirectory() as folder, wsgi_server(application) as server:
    url = f"http://127.0.0.1:{server.server_port}"
    issuers = {name: make(f"{url}/{name}", folder) for name in token_requests}
    print("ready", url, flush=True)
    server.serve_forever()
