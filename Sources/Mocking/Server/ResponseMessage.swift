import Foundation
import Networking

/// The bytes of a response: the head, and the body with its framing.
///
/// Source: RFC 9112 sections 4, 6 and 7.
struct ResponseMessage {
  private(set) var head: [UInt8] = []
  /// The body with its framing.
  ///
  /// Empty if the response must not have one.
  private(set) var body = WireBytes()
  /// The body without framing.
  private(set) var payload = WireBytes()
  /// Whether the connection stays open for another request.
  private(set) var keepsAlive: Bool
  /// The body that is sent before ``body``, if it is a stream.
  private(set) var stream: MockStream?
  /// The interim responses before the head.
  private(set) var interim: [UInt8] = []
  /// The framing of the body of a forwarded response.
  private(set) var relayFraming = RelayFraming.sized

  /// The framing of a body whose length may be unknown.
  enum RelayFraming {
    /// `Content-Length`.
    case sized
    /// `Transfer-Encoding: chunked`.
    case chunked
    /// The end of the connection.
    case untilClose
  }

  init(_ mock: Mock, for exchange: ResponseScript.ResponseContext) {
    let (isBodiless, isFramed) = (mock.isBodiless, mock.isFramed)
    let malformsChunk = mock.interruption?.fault == .malformedChunk
    var framing: (name: String, value: String)?
    keepsAlive = Self.keepsAlive(mock, exchange)

    switch mock.body {
    // A resolved mock has no file; the resolver has replaced it by its contents.
    case .none, .file: break
    case .data(let data): payload.append(.data(data))
    case .chunks(let chunks): for chunk in chunks { payload.append(.data(chunk)) }
    case .generated(let count, let make): payload.append(.generated(0..<max(count, 0), make))
    case .stream(let items): stream = items
    }
    let hasTrailers =
      !mock.trailers.isEmpty && exchange.minorVersion > 0 && !isBodiless && !isFramed
      && mock.relay == nil
    body = payload
    if malformsChunk {
      if !isFramed { framing = ("Transfer-Encoding", "chunked") }
    } else if mock.isChunked || hasTrailers {
      if exchange.minorVersion > 0 {
        body = Self.chunked(payload, hasTrailers ? mock.trailers : [:])
        if !isFramed { framing = ("Transfer-Encoding", "chunked") }
      } else {
        keepsAlive = false
      }
    } else if mock.relay != nil {
      if !isBodiless, !isFramed {
        if exchange.minorVersion > 0 {
          framing = ("Transfer-Encoding", "chunked")
          relayFraming = .chunked
        } else {
          relayFraming = .untilClose
          keepsAlive = false
        }
      }
    } else if !isBodiless, !isFramed {
      framing = ("Content-Length", String(payload.count))
    }
    if isBodiless || exchange.method == .head {
      body = WireBytes()
      stream = nil
    }
    if exchange.minorVersion > 0 {
      for response in mock.interimResponses { interim += Self.bytes(of: response) }
    }
    render(
      mock, isBodiless ? nil : framing, exchange, trailers: hasTrailers ? mock.trailers : [:])
  }

  /// Returns a message whose ``head`` has the body, too, and the length of the head, or `nil` for a
  /// response that has other parts or is not small.
  static func whole(
    _ mock: Mock, for exchange: ResponseScript.ResponseContext
  ) -> (message: ResponseMessage, headByteCount: Int)? {
    guard mock.interruption == nil, mock.relay == nil, mock.pace == nil, mock.bodyDelay == nil,
      mock.interimResponses.isEmpty, mock.trailers.isEmpty, !mock.isBodiless,
      exchange.method != .head
    else { return nil }
    var body = Data()
    switch mock.body {
    case .none: break
    case .data(let data) where data.count <= smallByteCount: body = data
    case .data, .chunks, .generated, .stream, .file: return nil
    }
    var message = ResponseMessage(keepsAlive: keepsAlive(mock, exchange))
    message.head.reserveCapacity(256 + body.count)
    let framing = mock.isFramed ? nil : ("Content-Length", String(body.count))
    message.render(mock, framing, exchange, trailers: [:])
    let headByteCount = message.head.count
    body.withUnsafeBytes { message.head += $0 }
    return (message, headByteCount)
  }

  private init(keepsAlive: Bool) { self.keepsAlive = keepsAlive }

  private static func keepsAlive(
    _ mock: Mock, _ exchange: ResponseScript.ResponseContext
  ) -> Bool {
    guard let connection = mock.headers["Connection"] else { return exchange.keepsAlive }
    return exchange.keepsAlive && !connection.lowercased().contains("close")
  }

  /// The limit for the length of a body that is copied into one buffer with the head.
  private static let smallByteCount = 32 * 1024

  private static func bytes(of response: InterimResponse) -> [UInt8] {
    let fields = response.headers.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    let line = "HTTP/1.1 \(response.status) \(ReasonPhrase.of(response.status))\r\n"
    return Array((line + fields + "\r\n").utf8)
  }

  /// Whether the body is small enough to be copied into one buffer with the head.
  var isSmall: Bool {
    guard stream == nil, interim.isEmpty, body.segments.count < 2, let segment = body.segments.first
    else {
      return stream == nil && interim.isEmpty && body.segments.isEmpty
    }
    if case .data(let data) = segment {
      return data.count <= Self.smallByteCount
    } else {
      return false
    }
  }

  private mutating func render(
    _ mock: Mock, _ framing: (name: String, value: String)?,
    _ exchange: ResponseScript.ResponseContext, trailers: HTTPHeaders
  ) {
    if head.capacity == 0 { head.reserveCapacity(256) }
    head += "HTTP/1.1 ".utf8
    head += String(mock.status).utf8
    head.append(UInt8(ascii: " "))
    head += ReasonPhrase.of(mock.status).utf8
    head += "\r\n".utf8
    for field in mock.headers.fields { add(field.name, field.value) }
    if let date = exchange.date, !mock.headers.contains("Date") { add("Date", date) }
    if let framing { add(framing.name, framing.value) }
    if !trailers.isEmpty, !mock.headers.contains("Trailer") {
      add("Trailer", trailers.fields.map(\.name).joined(separator: ", "))
    }
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

  private static func chunked(_ payload: WireBytes, _ trailers: HTTPHeaders) -> WireBytes {
    var wire = WireBytes()
    for segment in payload.segments {
      var chunk = WireBytes()
      chunk.append(segment)
      wire.append(Self.chunk(chunk))
    }
    let fields = trailers.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    wire.append(.bytes(Array("0\r\n\(fields)\r\n".utf8)[...]))
    return wire
  }

  private static func chunk(_ content: WireBytes) -> WireBytes {
    var wire = WireBytes(Array("\(String(content.count, radix: 16))\r\n".utf8))
    wire.append(content)
    wire.append(.bytes(Array("\r\n".utf8)[...]))
    return wire
  }

  /// Returns a chunk with the first bytes of the payload, followed by a chunk size that is not a
  /// number.
  static func malformedChunks(of payload: WireBytes, afterBytes length: Int) -> WireBytes {
    var payload = payload
    let first = payload.removeFirst(max(length, 0))
    var wire = first.count > 0 ? chunk(first) : WireBytes()
    wire.append(.bytes(Array("no-size\r\n".utf8)[...]))
    return wire
  }
}

extension Mock {
  /// Whether the status forbids a body.
  var isBodiless: Bool { (100..<200).contains(status) || status == 204 || status == 304 }

  /// Whether the body is sent in the chunked coding.
  fileprivate var isChunked: Bool {
    switch body {
    case .chunks, .stream: true
    case .none, .data, .generated, .file: false
    }
  }

  /// Whether the header fields contain `Content-Length` or `Transfer-Encoding`.
  var isFramed: Bool { headers.contains("Content-Length") || headers.contains("Transfer-Encoding") }

  /// The delay before the first byte.
  var headDelay: Duration { delay?.duration(0) ?? .zero }

  /// The reason why the mock cannot be sent, or `nil` if it can.
  var validationError: String? {
    guard (100...999).contains(status) else {
      return "the handler returned the status \(status)"
    }
    guard headers.fields.allSatisfy(\.isSendable) else {
      return "the handler returned a malformed header field"
    }
    for response in interimResponses where !response.isValid {
      return "the handler returned a malformed interim response with the status \(response.status)"
    }
    for field in trailers.fields where !field.isTrailer {
      return "the handler returned a field that must not be a trailer"
    }
    return nil
  }

  /// The mock that a server sends in place of this mock.
  ///
  /// A failure becomes a fault that causes a similar failure in the client. If there is no such
  /// fault, or if the mock is invalid, the result is a 500 with the reason.
  var serverMock: Mock {
    var mock: Mock
    if let failure {
      mock =
        switch failure.code {
        // A server that has received the request cannot cause the failures before the request, and
        // loses the connection instead. It resets it after the status line: if a reused connection
        // closes before the first byte, clients retry automatically, and the failure would not be visible.
        case .connectionLost, .cannotConnect, .notConnectedToInternet, .dnsFailed,
          .tlsHandshakeFailed, .tlsCertificateExpired, .tlsHostMismatch, .tlsUntrusted,
          .tlsRevoked, .tlsRevocationUnknown, .pinMismatch:
          Mock().interrupted(by: .reset, at: .head(afterBytes: "HTTP/1.1 200 OK\r\n".utf8.count))
        case .timedOut: Mock().interrupted(by: .stall, at: .request)
        case .malformedResponse: Mock().interrupted(by: .garbage, at: .request)
        default: .unavailable("a server cannot cause the failure \(failure.name)")
        }
    } else if let validationError {
      mock = .unavailable(validationError)
    } else {
      return self
    }
    mock.delay = delay
    return mock
  }
}

/// A sequence of bytes to send, which can be split at any position.
///
/// Segments may be generated while they are sent.
struct WireBytes {
  enum Segment {
    case bytes(ArraySlice<UInt8>)
    case data(Data)
    case generated(Range<Int>, @Sendable (Range<Int>) -> Data)

    var count: Int {
      switch self {
      case .bytes(let bytes): bytes.count
      case .data(let data): data.count
      case .generated(let range, _): range.count
      }
    }

    fileprivate func prefix(_ length: Int) -> Segment {
      switch self {
      case .bytes(let bytes): .bytes(bytes.prefix(length))
      case .data(let data): .data(data.prefix(length))
      case .generated(let range, let make): .generated(range.prefix(length), make)
      }
    }

    func dropFirst(_ length: Int) -> Segment {
      switch self {
      case .bytes(let bytes): .bytes(bytes.dropFirst(length))
      case .data(let data): .data(data.dropFirst(length))
      case .generated(let range, let make): .generated(range.dropFirst(length), make)
      }
    }
  }

  private(set) var segments: [Segment] = []

  init() {}

  init(_ bytes: [UInt8]) {
    append(.bytes(bytes[...]))
  }

  var count: Int { segments.reduce(0) { $0 + $1.count } }

  mutating func append(_ segment: Segment) {
    if segment.count > 0 { segments.append(segment) }
  }

  mutating func append(_ other: WireBytes) {
    segments += other.segments
  }

  /// Removes and returns the first `length` bytes, or all bytes if there are fewer.
  mutating func removeFirst(_ length: Int) -> WireBytes {
    var first = WireBytes()
    var wanted = length
    var used = 0
    while wanted > 0, used < segments.count {
      let segment = segments[used]
      guard segment.count > wanted else {
        first.segments.append(segment)
        wanted -= segment.count
        used += 1
        continue
      }
      first.segments.append(segment.prefix(wanted))
      segments[used] = segment.dropFirst(wanted)
      break
    }
    segments.removeFirst(used)
    return first
  }
}

/// The value of the Date field, cached for one second.
///
/// Source: RFC 9110 section 6.6.1.
struct DateHeaderCache {
  private var second = Int.min
  private var text = ""

  /// Returns the value for the current time.
  mutating func now() -> String {
    let now = time(nil)
    if now != second {
      second = now
      text = HTTPDate.text(of: Date(timeIntervalSince1970: Double(now)))
    }
    return text
  }
}
