"""An authorization server of django-oauth-toolkit, with the user "ann" and a protected resource at /orders.

    python -m differential.servers.authorization FOLDER

Keeps its database and its key in FOLDER, and prints "ready URL".
"""

import os
import pathlib
import subprocess
import sys

import django
from django.conf import settings

from ..support.processes import wsgi_server

folder = pathlib.Path(sys.argv[1])
# The server is made first, because the settings have its address. It listens, and has no application yet.
server = wsgi_server(None)
url = f"http://127.0.0.1:{server.server_port}"
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
key = subprocess.run(["openssl", "genrsa", "2048"], check=True, capture_output=True, text=True).stdout
middleware = ["sessions.middleware.Session", "auth.middleware.Authentication", "messages.middleware.Message"]
processors = ["template.context_processors.request", "contrib.auth.context_processors.auth",
              "contrib.messages.context_processors.messages"]
settings.configure(
    DEBUG=False, SECRET_KEY="a key of the tests", ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF=__name__, USE_TZ=True,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": folder / "database"}},
    INSTALLED_APPS=[*(f"django.contrib.{name}" for name in ["admin", "auth", "contenttypes", "messages", "sessions"]),
                    "oauth2_provider"],
    MIDDLEWARE=[f"django.contrib.{name}Middleware" for name in middleware],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
                "OPTIONS": {"context_processors": [f"django.{name}" for name in processors]}}],
    DEFAULT_AUTO_FIELD="django.db.models.AutoField", LOGIN_URL="/admin/login/", STATIC_URL="/static/",
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    OAUTH2_PROVIDER={
        "SCOPES": {"openid": "OpenID", "read": "Read", "introspection": "Introspection"},
        "DEFAULT_SCOPES": ["read"], "OIDC_ENABLED": True, "OIDC_RSA_PRIVATE_KEY": key, "PKCE_REQUIRED": True,
        "OIDC_ISS_ENDPOINT": url + "/o", "ROTATE_REFRESH_TOKEN": True,
        "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 0, "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "ACCESS_TOKEN_EXPIRE_SECONDS": 3600, "ALLOWED_REDIRECT_URI_SCHEMES": ["http", "https"],
        "OAUTH_DEVICE_VERIFICATION_URI": url + "/o/device/", "DEVICE_FLOW_INTERVAL": 1,
    })
django.setup()

from django.contrib import admin  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.urls import include, path  # noqa: E402
from oauth2_provider.models import get_application_model  # noqa: E402
from oauth2_provider.views.generic import ProtectedResourceView  # noqa: E402


class Orders(ProtectedResourceView):
    def get(self, request, *arguments, **parameters):
        return HttpResponse("orders")


urlpatterns = [path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
               path("admin/", admin.site.urls), path("orders", Orders.as_view())]
call_command("migrate", verbosity=0)
user = User.objects.create_superuser("ann", password="ann-password")
Application = get_application_model()
for name, kind, grant, secret, redirects in [
    ("service", "confidential", "client-credentials", "service-secret", ""),
    ("password-app", "public", "password", "", ""),
    ("public-app", "public", "authorization-code", "", "http://127.0.0.1/callback"),
    ("device-app", "public", Application.GRANT_DEVICE_CODE, "", ""),
]:
    Application.objects.create(
        client_id=name, name=name, client_type=kind, authorization_grant_type=grant, client_secret=secret,
        redirect_uris=redirects, user=user, algorithm="RS256")
server.set_app(get_wsgi_application())
print("ready", url, flush=True)
server.serve_forever()
