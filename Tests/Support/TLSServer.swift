#if os(Linux)
  import Foundation

  /// `openssl s_server` on 127.0.0.1, answering each request with a page; it ends with this object.
  package final class TLSServer: Sendable {
    package let port: Int
    private let process: ChildProcess

    /// - Parameters:
    ///   - certificates: the folder to take from.
    ///   - name: the certificate to show.
    ///   - options: more of the tool's options.
    /// - Throws: a `TestError` when the tool is missing or ends.
    package init(
      _ certificates: Certificates, _ name: String, _ options: [String] = []
    ) async throws {
      guard let tool = Certificates.tool else { throw TestError("no openssl") }
      process = try ChildProcess(
        tool,
        ["s_server", "-accept", "127.0.0.1:0", "-www"]
          + ["-cert", certificates.certificate(name).path, "-key", certificates.key(name).path]
          + options)
      let start = "ACCEPT 127.0.0.1:"
      let line = await process.lines.first { $0.hasPrefix(start) }
      guard let line, let port = Int(line.dropFirst(start.count)) else {
        throw TestError("openssl s_server has ended: \(await process.end.errors)")
      }
      self.port = port
    }

    package var url: URL {
      guard let url = URL(string: "https://127.0.0.1:\(port)/") else {
        preconditionFailure("no URL")
      }
      return url
    }
  }
#endif
