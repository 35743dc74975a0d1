import Foundation
import Networking

/// A response as bytes: the head, and the body in its framing.
///
/// Source: RFC 9112 sections 4, 6 and 7.
struct ResponseMessage {
  private(set) var head: [UInt8] = []
  /// The body as it goes over the wire; empty when none may be sent.
  private(set) var body = WireBytes()
  /// The body without any framing.
  private(set) var payload = WireBytes()
  /// Whether another request may follow.
  private(set) var keepsAlive: Bool

  init(_ mock: Mock, for exchange: ResponseScript.Exchange) {
    let (isBodiless, isFramed) = (mock.isBodiless, mock.isFramed)
    let malformsChunk = mock.interruption?.fault == .malformedChunk
    var framing: (name: String, value: String)?
    keepsAlive = exchange.keepsAlive
    if let connection = mock.headers["Connection"]?.lowercased(), connection.contains("close") {
      keepsAlive = false
    }

    switch mock.body {
    // A file has been read by now.
    case .none, .file: break
    case .data(let data): payload.append(.data(data))
    case .chunks(let chunks): for chunk in chunks { payload.append(.data(chunk)) }
    case .generated(let count, let make): payload.append(.generated(0..<max(count, 0), make))
    }
    body = payload
    if malformsChunk {
      if !isFramed { framing = ("Transfer-Encoding", "chunked") }
    } else if case .chunks = mock.body {
      if exchange.minorVersion > 0 {
        body = Self.chunked(payload)
        if !isFramed { framing = ("Transfer-Encoding", "chunked") }
      } else {
        keepsAlive = false
      }
    } else if !isBodiless, !isFramed {
      framing = ("Content-Length", String(payload.count))
    }
    if isBodiless || exchange.method == .head { body = WireBytes() }

    render(mock, isBodiless ? nil : framing, exchange)
  }

  var isSmall: Bool {
    guard body.segments.count < 2, let segment = body.segments.first else {
      return body.segments.isEmpty
    }
    if case .data(let data) = segment { return data.count <= 32 * 1024 } else { return false }
  }

  private mutating func render(
    _ mock: Mock, _ framing: (name: String, value: String)?,
    _ exchange: ResponseScript.Exchange
  ) {
    head.reserveCapacity(256)
    head += "HTTP/1.1 \(mock.status) \(StatusPhrase.of(mock.status))\r\n".utf8
    for field in mock.headers.fields { add(field.name, field.value) }
    if let date = exchange.date, !mock.headers.contains("Date") { add("Date", date) }
    if let framing { add(framing.name, framing.value) }
    if !mock.headers.contains("Connection") {
      if !keepsAlive {
        add("Connection", "close")
      } else if exchange.minorVersion == 0 {
        add("Connection", "keep-alive")
      }
    }
    head += "\r\n".utf8
  }

  private mutating func add(_ name: String, _ value: String) {
    head += name.utf8
    head += ": ".utf8
    head += value.utf8
    head += "\r\n".utf8
  }

  // MARK: Chunks

  private static func chunked(_ payload: WireBytes) -> WireBytes {
    var wire = WireBytes()
    for segment in payload.segments {
      var chunk = WireBytes()
      chunk.append(segment)
      wire.append(Self.chunk(chunk))
    }
    wire.append(.bytes(Array("0\r\n\r\n".utf8)[...]))
    return wire
  }

  private static func chunk(_ content: WireBytes) -> WireBytes {
    var wire = WireBytes(Array("\(String(content.count, radix: 16))\r\n".utf8))
    wire.append(content)
    wire.append(.bytes(Array("\r\n".utf8)[...]))
    return wire
  }

  /// One chunk of so many bytes, and then a size that is no number.
  static func malformedChunks(of payload: WireBytes, afterBytes length: Int) -> WireBytes {
    var payload = payload
    let first = payload.removeFirst(max(length, 0))
    var wire = first.count > 0 ? chunk(first) : WireBytes()
    wire.append(.bytes(Array("no-size\r\n".utf8)[...]))
    return wire
  }
}
