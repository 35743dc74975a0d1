#if os(Linux)
  import Foundation
  import Glibc

  /// `openssl s_server` on 127.0.0.1, answering each request with a page; it ends with this object.
  ///
  /// Not to be started while another process is: a child started at the wrong moment would inherit the
  /// pipe that the other is read by, and hold it open.
  package final class TLSServer: Sendable {
    package let port: Int
    private let process = Process()

    /// - Parameters:
    ///   - certificates: the folder to take from.
    ///   - name: the certificate to show.
    ///   - options: more of the tool's options.
    /// - Throws: a `TestError` when the tool is missing or ends.
    package init(_ certificates: Certificates, _ name: String, _ options: [String] = []) throws {
      guard let tool = Certificates.tool else { throw TestError("no openssl") }
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: tool)
      process.arguments =
        ["s_server", "-accept", "127.0.0.1:0", "-www"]
        + ["-cert", certificates.certificate(name).path, "-key", certificates.key(name).path]
        + options
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      process.standardInput = FileHandle.nullDevice
      try process.launchAlone()
      var said = Data()
      while true {
        let more = output.fileHandleForReading.availableData
        guard !more.isEmpty else { throw TestError("openssl s_server has ended") }
        said += more
        let text = String(decoding: said, as: UTF8.self)
        if let range = text.range(of: "ACCEPT 127.0.0.1:"),
          let end = text[range.upperBound...].firstIndex(of: "\n"),
          let port = Int(text[range.upperBound..<end])
        {
          self.port = port
          return
        }
      }
    }

    deinit {
      // Not by a signal that can be blocked: the child has the mask of the thread that started it, and
      // those of Swift's own pool block all that can be.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }

    package var url: URL {
      guard let url = URL(string: "https://127.0.0.1:\(port)/") else {
        preconditionFailure("no URL")
      }
      return url
    }
  }
#endif
