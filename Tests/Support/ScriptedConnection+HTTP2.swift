#if os(Linux) || os(macOS)
  package import Foundation

  /// The HTTP/2 part of a ``ScriptedServer``: a client that begins with the connection preface of
  /// HTTP/2 is served in frames.
  ///
  /// The script runs when a request is complete. If a request is answered early, the script runs when
  /// its head is complete, and its body gets no frames but those for the window of the connection.
  /// The `stream` and `connection` of a request identify it. Its fields are not decoded.
  ///
  /// Source: RFC 9113 sections 3.4, 4.1 and 6.
  extension ScriptedConnection {
    private enum Kind {
      static let data: UInt8 = 0
      static let headers: UInt8 = 1
      static let settings: UInt8 = 4
      static let ping: UInt8 = 6
      static let windowUpdate: UInt8 = 8
    }

    /// Serves requests until the connection has to be closed.
    mutating func serveHTTP2(
      _ answersEarly: (RawRequest) -> Bool, _ script: ScriptedServer.Script
    ) {
      guard read(6) == Data("SM\r\n\r\n".utf8), perform(.frame(Kind.settings)) else { return }
      var open: [UInt32: RawRequest] = [:]
      while let (kind, flags, stream, payload) = readFrame() {
        let isAcknowledgement = flags & 1 != 0
        switch kind {
        case Kind.settings where !isAcknowledgement:
          guard perform(.frame(Kind.settings, flags: 1)) else { return }
        case Kind.ping where !isAcknowledgement:
          guard perform(.frame(Kind.ping, flags: 1, 0, payload)) else { return }
        case Kind.headers:
          var request = RawRequest(head: Data("HTTP/2".utf8), connection: number)
          request.stream = stream
          request.fields = [String(data: payload, encoding: .isoLatin1) ?? ""]
          open[stream] = request
          guard flags & 1 == 0, answersEarly(request) else { break }
          open[stream] = nil
          logs.requests.append(request)
          for step in script(request) where !perform(step) { return }
        case Kind.data where !payload.isEmpty:
          open[stream]?.body += payload
          let size = Data(bigEndian: UInt32(payload.count))
          for stream in open[stream] == nil ? [0] : [0, stream] {
            guard perform(.frame(Kind.windowUpdate, stream, size)) else { return }
          }
        default: break
        }
        guard kind <= Kind.headers, flags & 1 != 0, let request = open.removeValue(forKey: stream)
        else { continue }
        logs.requests.append(request)
        for step in script(request) where !perform(step) { return }
      }
      logs.closed.append(number)
    }

    private mutating func readFrame() -> (kind: UInt8, flags: UInt8, stream: UInt32, Data)? {
      guard let head = read(9) else { return nil }
      let bytes = [UInt8](head)
      let size = bytes[..<3].reduce(0) { $0 << 8 | Int($1) }
      let stream = bytes[5...].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
      guard let payload = read(size) else { return nil }
      return (bytes[3], bytes[4], stream, payload)
    }
  }

  extension ScriptedServer.Step {
    /// An HTTP/2 frame.
    package static func frame(
      _ kind: UInt8, flags: UInt8 = 0, _ stream: UInt32 = 0, _ payload: Data = Data()
    ) -> Self {
      let size = Data(bigEndian: UInt32(payload.count)).dropFirst()
      return .send(size + [kind, flags] + Data(bigEndian: stream) + payload)
    }

    /// A response to a request of any version, with the identifier of the stream as its body.
    ///
    /// Over HTTP/2 it has no length.
    package static func respond(to request: RawRequest, status: Int = 200) -> Self {
      let text = Data("\(request.stream)".utf8)
      guard request.stream > 0 else { return .respond("\(status) -", [], text) }
      // `:status` is number 8 in the static table of HPACK, with the value 200.
      // Source: RFC 7541 sections 6.1 and 6.2.2, appendix A.
      let head = status == 200 ? Data([0x88]) : Data([0x08, 3]) + Data("\(status)".utf8)
      return .all([
        frame(1, flags: 4, request.stream, head), frame(0, flags: 1, request.stream, text),
      ])
    }

    /// Sends the bytes of several steps at once, in one TLS record if they are at most 16 KiB.
    package static func all(_ steps: [Self]) -> Self {
      .send(
        steps.reduce(into: Data()) { bytes, step in
          if case .send(let more) = step { bytes += more }
        })
    }

    /// Resets a stream, by default with REFUSED_STREAM.
    package static func reset(_ request: RawRequest, code: UInt32 = 7) -> Self {
      frame(3, request.stream, Data(bigEndian: code))
    }

    /// Sends GOAWAY with the code NO_ERROR.
    package static func goAway(lastStream: UInt32) -> Self {
      frame(7, 0, Data(bigEndian: lastStream) + Data(bigEndian: 0))
    }
  }

  extension Data {
    fileprivate init(bigEndian number: UInt32) {
      self = Swift.withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }
  }
#endif
