#if os(Linux)
  import Foundation

  /// nginx on a Unix socket, speaking TLS and HTTP/2; it ends with this object.
  ///
  /// `/` answers at once, and what is below `/upstream` is asked of another server on 127.0.0.1. The field
  /// `X-Connection` of an answer tells which connection it came by.
  package final class NginxServer: Sendable {
    /// Whether the program is there, with HTTP/2.
    package static let isAvailable = tool != nil

    private static let tool = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }

    private let process: ChildProcess
    private let folder: URL

    /// - Parameters:
    ///   - certificates: the folder to take from.
    ///   - name: the certificate to show.
    ///   - upstream: the port of the other server.
    ///   - requestsPerConnection: after how many a connection is said goodbye to, by GOAWAY.
    ///   - speaksHTTP2: whether it does, rather than HTTP/1.1 alone.
    /// - Throws: a `TestError` when the program is missing or ends.
    package init(
      _ certificates: Certificates, _ name: String, upstream: UInt16,
      requestsPerConnection: Int = 1_000, speaksHTTP2: Bool = true
    ) async throws {
      guard let tool = Self.tool else { throw TestError("no nginx") }
      let folder = URL(fileURLWithPath: "/tmp/catena-\(UUID().uuidString)")
      self.folder = folder
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
        "\($0)_temp_path \(folder.path)/\($0);"
      }
      let configuration = """
        daemon off; master_process off; pid \(folder.path)/pid; error_log stderr notice;
        events { worker_connections 4096; }
        http {
          access_log off; \(paths.joined(separator: " "))
          server {
            listen unix:\(folder.path)/s ssl\(speaksHTTP2 ? " http2" : "");
            ssl_certificate \(certificates.certificate(name).path);
            ssl_certificate_key \(certificates.key(name).path);
            keepalive_requests \(requestsPerConnection);
            add_header X-Connection $connection;
            location / { return 200 "done"; }
            location /upstream/ { proxy_pass http://127.0.0.1:\(upstream); proxy_read_timeout 1h; }
          }
        }
        """
      let file = folder.appending(path: "nginx.conf")
      try Data(configuration.utf8).write(to: file)
      process = try ChildProcess(tool, ["-p", folder.path, "-e", "stderr", "-c", file.path])
      // Said once it listens.
      guard await process.errorLines.first(where: { $0.contains("getrlimit") }) != nil else {
        throw TestError(await process.end.errors)
      }
    }

    deinit {
      process.signal(SIGKILL)
      try? FileManager.default.removeItem(at: folder)
    }

    /// Where it listens.
    package var socketPath: String { folder.path + "/s" }

    /// Ends it at once, with whatever it has in hand.
    package func stop() async {
      process.signal(SIGKILL)
      _ = await process.end
    }
  }
#endif
