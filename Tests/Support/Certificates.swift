#if os(Linux)
  import Foundation

  /// Certificates made by the `openssl` tool in a folder of their own, which goes with them.
  package final class Certificates: Sendable {
    /// Whether the tool is there.
    package static let areAvailable = tool != nil

    static let tool = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }

    private let folder = FileManager.default.temporaryDirectory.appending(
      path: "catena-\(UUID().uuidString)")

    /// Makes an authority.
    package init() async throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try await run(
        ["req", "-x509"] + Self.newKey + [
          "-subj", "/CN=Catena test authority", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2",
        ])
    }

    deinit {
      try? FileManager.default.removeItem(at: folder)
    }

    /// The authority's own certificate.
    package var authority: URL { folder.appending(path: "ca.pem") }

    package func certificate(_ name: String) -> URL { folder.appending(path: "\(name).pem") }
    package func key(_ name: String) -> URL { folder.appending(path: "\(name).key") }

    /// Makes a certificate from the authority, or from itself.
    package func make(
      _ name: String, host: String = "IP:127.0.0.1", days: Int = 2, selfSigned: Bool = false
    ) async throws {
      try await run(
        ["req"] + Self.newKey + [
          "-subj", "/CN=\(name)", "-keyout", "\(name).key", "-out", "\(name).csr",
        ])
      try Data("subjectAltName=\(host)\n".utf8).write(to: folder.appending(path: "\(name).ext"))
      let issuer =
        selfSigned
        ? ["-signkey", "\(name).key"] : ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"]
      try await run(
        ["x509", "-req", "-in", "\(name).csr", "-out", "\(name).pem", "-days", "\(days)"]
          + ["-extfile", "\(name).ext"] + issuer)
    }

    /// The hash that pins a certificate's key, `sha256//...`.
    package func pin(_ name: String) async throws -> String {
      let pem = try await run(["x509", "-in", "\(name).pem", "-noout", "-pubkey"])
      try pem.write(to: folder.appending(path: "\(name).pub"))
      let key = ["pkey", "-pubin", "-in", "\(name).pub", "-outform", "der", "-out", "\(name).der"]
      try await run(key)
      let hash = try await run(["dgst", "-sha256", "-binary", "\(name).der"])
      return "sha256//" + hash.base64EncodedString()
    }

    private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

    @discardableResult
    private func run(_ arguments: [String]) async throws -> Data {
      guard let tool = Self.tool else { throw TestError("no openssl") }
      let end = try await ChildProcess(tool, arguments, folder: folder).end
      guard end.status == .exited(0) else {
        throw TestError("openssl \(arguments.joined(separator: " ")): \(end.errors)")
      }
      return end.outputData
    }
  }
#endif
