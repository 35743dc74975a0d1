#if os(Linux) || os(macOS)
  package import Foundation
  package import Networking

  /// A certificate authority and certificates that `openssl` creates in a temporary folder.
  package final class Certificates: Sendable {
    /// Whether the `openssl` tool is installed.
    package static let areAvailable = tool != nil

    /// The path of the tool, if it is installed.
    package static let tool = paths.first { FileManager.default.isExecutableFile(atPath: $0) }

    #if os(Linux)
      private static let paths = ["/usr/bin/openssl", "/usr/local/bin/openssl"]
    #else
      /// The paths of Homebrew, because the `s_server` of macOS cannot select an unused port.
      private static let paths = [
        "/opt/homebrew/opt/openssl@3/bin/openssl", "/usr/local/opt/openssl@3/bin/openssl",
      ]
    #endif

    private let folder = TemporaryFolder()

    /// Creates the certificate authority.
    package init() async throws {
      try await run(
        ["req", "-x509"] + Self.newKey + [
          "-subj", "/CN=Catena test authority", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2",
        ])
    }

    /// The certificate of the authority.
    package var authority: URL { folder.url("ca.pem") }

    /// The TLS options of a client that trusts the authority alone.
    package var trusting: TLSOptions {
      get throws { try TLSOptions(trust: .all(.authorities(.file(authority)))) }
    }

    /// The identity of a client.
    ///
    /// - Parameters:
    ///   - name: The name of the certificate.
    ///   - key: The key. `nil` is that of the certificate.
    ///   - password: The password of the key.
    /// - Returns: The identity.
    package func identity(
      _ name: String, key: URL? = nil, password: String? = nil
    ) -> ClientIdentity {
      ClientIdentity(
        certificate: .file(certificate(name)), privateKey: .file(key ?? self.key(name)),
        password: password)
    }

    package func certificate(_ name: String) -> URL { folder.url("\(name).pem") }
    package func key(_ name: String) -> URL { folder.url("\(name).key") }

    /// Creates a certificate signed by the authority, or a self-signed one.
    package func make(
      _ name: String, host: String = "IP:127.0.0.1", days: Int = 2, selfSigned: Bool = false
    ) async throws {
      try await run(
        ["req"] + Self.newKey + [
          "-subj", "/CN=\(name)", "-keyout", "\(name).key", "-out", "\(name).csr",
        ])
      // Apple platforms require the usage in the certificate of a server.
      let extensions = "subjectAltName=\(host)\nextendedKeyUsage=serverAuth,clientAuth\n"
      try Data(extensions.utf8).write(to: folder.url("\(name).ext"))
      let issuer =
        selfSigned
        ? ["-signkey", "\(name).key"] : ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"]
      try await run(
        ["x509", "-req", "-in", "\(name).csr", "-out", "\(name).pem", "-days", "\(days)"]
          + ["-extfile", "\(name).ext"] + issuer)
    }

    /// Encrypts a private key.
    ///
    /// - Returns: The file of the encrypted key.
    package func encryptKey(_ name: String, password: String) async throws -> URL {
      try await run(
        ["pkey", "-in", "\(name).key", "-aes256", "-passout", "pass:\(password)"]
          + ["-out", "\(name).encrypted.key"])
      return key("\(name).encrypted")
    }

    /// Writes the files of a certificate that has been made elsewhere.
    package func add(_ name: String, pem: String, key: String) throws {
      try Data(pem.utf8).write(to: certificate(name))
      try Data(key.utf8).write(to: self.key(name))
    }

    /// Makes a PKCS#12 archive of a certificate and its key.
    ///
    /// - Returns: The file of the archive.
    package func archive(
      _ name: String, password: String, options: [String]
    ) async throws -> URL {
      try await run(
        [
          "pkcs12", "-export", "-in", "\(name).pem", "-inkey", "\(name).key", "-passout",
          "pass:\(password)",
        ]
          + ["-out", "\(name).p12"] + options)
      return folder.url("\(name).p12")
    }

    /// Returns the pin of a certificate's public key, `sha256//...`.
    package func pin(_ name: String) async throws -> String {
      let pem = try await run(["x509", "-in", "\(name).pem", "-noout", "-pubkey"])
      try pem.write(to: folder.url("\(name).pub"))
      let key = ["pkey", "-pubin", "-in", "\(name).pub", "-outform", "der", "-out", "\(name).der"]
      try await run(key)
      let hash = try await run(["dgst", "-sha256", "-binary", "\(name).der"])
      return "sha256//" + hash.base64EncodedString()
    }

    private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

    @discardableResult
    private func run(_ arguments: [String]) async throws -> Data {
      guard let tool = Self.tool else { throw TestError("openssl is not installed") }
      let end = try await ChildProcess(tool, arguments, folder: folder.url).end
      guard end.status == .exited(0) else {
        throw TestError("openssl \(arguments.joined(separator: " ")): \(end.errors)")
      }
      return end.outputData
    }
  }

  /// A TLS server, `openssl s_server`, on the loopback interface; it stops when this object is
  /// released.
  package final class TLSServer: Sendable {
    package let port: Int
    private let process: ChildProcess

    /// - Parameters:
    ///   - certificates: The source of the certificate.
    ///   - name: The name of the server certificate.
    ///   - options: Additional options of the tool.
    /// - Throws: A `TestError` if the tool is missing or exits.
    package init(
      _ certificates: Certificates, _ name: String, _ options: [String] = []
    ) async throws {
      guard let tool = Certificates.tool else { throw TestError("openssl is not installed") }
      process = try ChildProcess(
        tool,
        ["s_server", "-accept", "127.0.0.1:0", "-www"]
          + ["-cert", certificates.certificate(name).path, "-key", certificates.key(name).path]
          + options)
      let start = "ACCEPT 127.0.0.1:"
      let line = await process.lines.first { $0.hasPrefix(start) }
      guard let line, let port = Int(line.dropFirst(start.count)) else {
        throw TestError("openssl s_server has exited: \(await process.end.errors)")
      }
      self.port = port
    }

    package var url: URL {
      LoopbackSocket.url("https", port)
    }
  }

  /// An nginx server with TLS and HTTP/2 on a Unix socket; it stops when this object is released.
  ///
  /// `/` responds immediately, `/read` after the request body. Requests below `/upstream` are proxied
  /// to another server on the loopback interface. `/client` responds with the result of the client
  /// certificate's verification, and `/to/` followed by a port redirects there. The header field
  /// `X-Connection` of a response identifies its connection.
  package final class NginxServer: Sendable {
    /// Whether nginx is installed.
    package static let isAvailable = tool != nil

    /// The path of the program, if it is installed.
    ///
    /// The last two are those of Homebrew.
    package static let tool = [
      "/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx", "/opt/homebrew/bin/nginx",
      "/usr/local/bin/nginx",
    ].first { FileManager.default.isExecutableFile(atPath: $0) }

    private let process: ChildProcess
    private let folder: TemporaryFolder
    /// The certificates, whose folder is removed on release.
    private let certificates: Certificates

    /// - Parameters:
    ///   - certificates: The source of the certificate.
    ///   - name: The name of the server certificate.
    ///   - upstream: The port of the upstream server.
    ///   - requestsPerConnection: The number of requests after which a connection is closed by
    ///     GOAWAY.
    ///   - speaksHTTP2: Whether HTTP/2 is offered in addition to HTTP/1.1.
    /// - Throws: A `TestError` if nginx is missing or exits.
    package init(
      _ certificates: Certificates, _ name: String, upstream: UInt16,
      requestsPerConnection: Int = 1_000, speaksHTTP2: Bool = true
    ) async throws {
      guard let tool = Self.tool else { throw TestError("nginx is not installed") }
      self.certificates = certificates
      // The path of a Unix socket is limited to 107 bytes, so the folder is directly below `/tmp`.
      folder = TemporaryFolder(in: URL(fileURLWithPath: "/tmp"))
      let path = folder.url.path
      let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
        "\($0)_temp_path \(path)/\($0);"
      }
      let configuration = """
        daemon off; master_process off; pid \(path)/pid; error_log stderr notice;
        events { worker_connections 4096; }
        http {
          access_log off; \(paths.joined(separator: " "))
          server {
            listen unix:\(path)/s ssl\(speaksHTTP2 ? " http2" : "");
            ssl_certificate \(certificates.certificate(name).path);
            ssl_certificate_key \(certificates.key(name).path);
            keepalive_requests \(requestsPerConnection);
            add_header X-Connection $connection;
            ssl_verify_client optional_no_ca;
            location / { return 200 "done"; }
            location /read { proxy_pass http://unix:\(path)/p:/; }
            location /client { return 200 $ssl_client_verify; }
            location ~ ^/to/(\\d+)$ { return 307 https://localhost:$1/client; }
            location /upstream/ { proxy_pass http://127.0.0.1:\(upstream); proxy_read_timeout 1h; }
          }
          server { listen unix:\(path)/p; location / { return 200 "done"; } }
        }
        """
      let file = folder.url("nginx.conf")
      try Data(configuration.utf8).write(to: file)
      process = try ChildProcess(tool, ["-p", path, "-e", "stderr", "-c", file.path])
      // nginx logs this line when it listens.
      guard await process.errorLines.first(where: { $0.contains("getrlimit") }) != nil else {
        throw TestError(await process.end.errors)
      }
    }

    deinit {
      process.signal(SIGKILL)
    }

    /// The path of the Unix socket.
    package var socketPath: String { folder.url("s").path }

    /// Kills the server immediately, with all open exchanges.
    package func stop() async {
      process.signal(SIGKILL)
      _ = await process.end
    }
  }

  #if os(Linux)
    extension ServerTLS {
      /// - Parameters:
      ///   - certificates: The source of the certificate.
      ///   - name: The name of the server certificate.
      ///   - protocols: The protocols that it selects.
      /// - Throws: A `TestError` if OpenSSL is missing or rejects the certificate.
      package convenience init(
        _ certificates: Certificates, _ name: String, protocols: Protocols = .http2
      ) throws {
        try self.init(
          certificate: certificates.certificate(name), key: certificates.key(name),
          protocols: protocols)
      }
    }
  #endif
#endif
