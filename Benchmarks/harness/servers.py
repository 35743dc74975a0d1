"""The servers on loopback: nginx over HTTP, TLS and HTTP/2, and the servers that the shapes start."""

import os
import shutil
import socket
import subprocess
import time

HTTP, TLS, HTTP2 = 18480, 18481, 18482
# bench-server, which discards uploads. nginx has its TLS.
SINK = 18484
BODY = '{"id":7,"title":"Board of forty bytes!"}'


class Servers:
    """All servers of a run: a context manager that stops them on exit."""

    def __init__(self, folder):
        self.folder = folder
        self.ca = os.path.join(folder, "ca.pem")
        self.large = os.path.join(folder, "large")
        self.processes = []

    def __enter__(self):
        self._certificates()
        self._nginx()
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            self.end(process)

    def start(self, command, port, core=None):
        """Starts a server, on one core if `core` is set, and returns when its port is open."""
        if core is not None:
            command = ["taskset", "-c", str(core)] + command
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        self.processes.append(process)
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return process
            except OSError:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"{command} does not listen on {port}")
                time.sleep(0.02)

    def end(self, process):
        """Stops a server and waits until it has exited."""
        process.terminate()
        process.wait()
        self.processes.remove(process)

    def make_large(self, size):
        """Creates the body of /large as a sparse file of zeros, which takes no space."""
        with open(self.large, "wb") as file:
            file.truncate(size)

    def _certificates(self):
        def openssl(*arguments):
            subprocess.run(
                ["openssl", *arguments], check=True, cwd=self.folder, stderr=subprocess.DEVNULL)

        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Benchmarks")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
        with open(os.path.join(self.folder, "names"), "w") as names:
            names.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                "-CAcreateserial", "-days", "2", "-extfile", "names", "-out", "server.pem")

    def _nginx(self):
        def site(listen, more=""):
            return f"""
  server {{
    listen {listen};
    {more}
    location /boards/ {{ default_type application/json; return 200 '{BODY}'; }}
    location /once/ {{ keepalive_timeout 0; default_type application/json; return 200 '{BODY}'; }}
    location /large {{ root {self.folder}; default_type application/json; }}
    location /up {{
      proxy_pass http://127.0.0.1:{SINK}; proxy_http_version 1.1; proxy_request_buffering off;
      client_max_body_size 0;
    }}
  }}"""

        tls = f"ssl_certificate {self.folder}/server.pem; ssl_certificate_key {self.folder}/server.key;"
        text = f"""
worker_processes 1;
daemon off;
error_log {self.folder}/nginx.log;
pid {self.folder}/nginx.pid;
events {{ worker_connections 16384; multi_accept on; }}
worker_rlimit_nofile 65536;
http {{
  access_log off;
  sendfile on;
  tcp_nodelay on;
  keepalive_timeout 3600;
  keepalive_requests 1000000000;
  http2_max_concurrent_streams 256;
  client_body_temp_path {self.folder}; proxy_temp_path {self.folder};
  fastcgi_temp_path {self.folder}; uwsgi_temp_path {self.folder}; scgi_temp_path {self.folder};
  {site(f"127.0.0.1:{HTTP} backlog=8192")}
  {site(f"127.0.0.1:{TLS} ssl", tls)}
  {site(f"127.0.0.1:{HTTP2} ssl http2", tls)}
}}
"""
        # nginx runs its workers as the user `nobody`, who must be able to read the folder.
        os.chmod(self.folder, 0o755)
        self.start(self._nginx_command("nginx", text), HTTP)

    def static_nginx(self, port):
        """Returns the command of an nginx of one process that serves the body of `/boards/7` from a file."""
        os.makedirs(os.path.join(self.folder, "static/boards"), exist_ok=True)
        with open(os.path.join(self.folder, "static/boards/7"), "w") as file:
            file.write(BODY)
        return self._nginx_command("static", f"""
master_process off;
daemon off;
error_log {self.folder}/static.log;
pid {self.folder}/static.pid;
events {{ worker_connections 1024; multi_accept on; }}
http {{
  access_log off;
  sendfile on;
  keepalive_timeout 3600;
  keepalive_requests 1000000000;
  client_body_temp_path {self.folder}; proxy_temp_path {self.folder};
  fastcgi_temp_path {self.folder}; uwsgi_temp_path {self.folder}; scgi_temp_path {self.folder};
  default_type application/json;
  server {{ listen 127.0.0.1:{port}; root {self.folder}/static; }}
}}
""")

    def _nginx_command(self, name, text):
        path = os.path.join(self.folder, name + ".conf")
        with open(path, "w") as file:
            file.write(text)
        nginx = shutil.which("nginx") or "/usr/sbin/nginx"
        return [nginx, "-c", path, "-e", os.path.join(self.folder, name + ".log")]
