import Foundation
import Networking

/// Bytes in, requests out, one at a time: the receiving side of a connection, without the connection.
///
/// Bytes may come in pieces of any size; what comes out does not depend on where they were cut. It goes
/// like this, again and again: `next()` gives a `head`, `receiveBody` says what is to become of the body,
/// `next()` gives the `request`, and `responseSent()` lets the one after that be read. So requests sent ahead
/// wait here until their turn. A `parseError` is the last that comes.
struct RequestParser {
  enum Event: Hashable {
    /// A head is there; ``receiveBody(_:)`` has to follow.
    case head(RequestHead)
    /// The request is complete; ``responseSent()`` has to follow.
    case request(RequestBody)
    /// What came is no request that can be answered otherwise than by this.
    case parseError(HTTPParseError)
  }

  enum BodyPolicy: Hashable {
    case collect
    /// The bytes are counted, and dropped where there are more than this; there may be any number.
    case keep(upTo: Int)
    /// The bytes are counted and dropped; there may be any number.
    case discard
  }

  private enum State {
    case head(RequestHeadParser)
    case awaitingBodyPolicy(RequestHead.Framing)
    case sized(remaining: Int)
    case chunked(ChunkedDecoder)
    case complete
    case awaitingResponse
    case failed
  }

  private let limits: MockServerLimits
  private var state: State
  private var headBytes = 0
  private var input = InputBuffer()
  private var body = RequestBody()
  private var policy = BodyPolicy.collect

  init(limits: MockServerLimits = MockServerLimits()) {
    self.limits = limits
    state = .head(RequestHeadParser(limits: limits))
  }

  /// How many bytes have come that are not used yet.
  var bufferedBytes: Int { input.count }

  /// Whether a request has begun to come that is not complete.
  var isInsideRequest: Bool {
    switch state {
    case .head(let parser): !parser.isAtStart || !input.isEmpty
    case .awaitingBodyPolicy, .sized, .chunked: true
    case .complete, .awaitingResponse, .failed: false
    }
  }

  // MARK: Events in

  mutating func receive(_ bytes: UnsafeRawBufferPointer) {
    switch state {
    case .failed: break
    case .sized(let remaining) where input.isEmpty:
      // The bulk of a large body takes no way round the buffer.
      let used = min(remaining, bytes.count)
      collect(UnsafeRawBufferPointer(rebasing: bytes[..<used]))
      state = used == remaining ? .complete : .sized(remaining: remaining - used)
      if used < bytes.count { input.append(UnsafeRawBufferPointer(rebasing: bytes[used...])) }
    default: input.append(bytes)
    }
  }

  /// After a `head`: what to do with the body.
  mutating func receiveBody(_ policy: BodyPolicy) {
    guard case .awaitingBodyPolicy(let framing) = state else { return }
    self.policy = policy
    body = RequestBody()
    switch framing {
    case .none: state = .complete
    case .sized(let length):
      state = .sized(remaining: length)
      if policy == .collect, length <= limits.bodyBytes {
        body.data.reserveCapacity(min(length, Self.reserved))
      }
    case .chunked: state = .chunked(ChunkedDecoder(limits: limits))
    }
  }

  /// After a `request`: the next may come.
  mutating func responseSent() {
    guard case .awaitingResponse = state else { return }
    state = .head(RequestHeadParser(limits: limits))
    headBytes = 0
  }

  // MARK: Events out

  /// What has happened since, in order; nil when more bytes or an answer are needed first.
  mutating func next() -> Event? {
    do throws(HTTPParseError) {
      return try advance()
    } catch {
      state = .failed
      input.removeAll()
      body = RequestBody()
      return .parseError(error)
    }
  }

  private mutating func advance() throws(HTTPParseError) -> Event? {
    switch state {
    case .head(var parser):
      let head = try readHead(&parser)
      state = head.map { .awaitingBodyPolicy($0.framing) } ?? .head(parser)
      return head.map(Event.head)
    case .sized(let remaining):
      if policy == .collect, body.byteCount + remaining > limits.bodyBytes { throw tooLarge }
      let piece = input.prefix(remaining)
      piece.withUnsafeBytes { collect($0) }
      input.skip(piece.count)
      guard piece.count == remaining else {
        state = .sized(remaining: remaining - piece.count)
        return nil
      }
      return complete()
    case .chunked(var decoder):
      // Out of `self` while `collect` is at work on that; swapped, not copied.
      var input = InputBuffer()
      swap(&input, &self.input)
      defer { swap(&input, &self.input) }
      let isComplete = try decoder.decode(&input) { piece throws(HTTPParseError) in
        if policy == .collect, body.byteCount + piece.count > limits.bodyBytes { throw tooLarge }
        piece.withUnsafeBytes { collect($0) }
      }
      state = .chunked(decoder)
      guard isComplete else { return nil }
      body.trailers = HTTPHeaders(decoder.trailers)
      return complete()
    case .complete: return complete()
    case .awaitingBodyPolicy, .awaitingResponse, .failed: return nil
    }
  }

  private mutating func readHead(_ parser: inout RequestHeadParser) throws(HTTPParseError)
    -> RequestHead?
  {
    while true {
      let isAtStart = parser.isAtStart
      let rest = limits.headBytes - headBytes
      let limit = isAtStart ? min(limits.requestLineBytes, rest) : rest
      let line = try input.takeLine(
        limit: limit,
        orThrow: isAtStart
          ? HTTPParseError(414, "the request line has more than \(limits.requestLineBytes) bytes")
          : HTTPParseError(431, "the head has more than \(limits.headBytes) bytes"))
      guard let line else { return nil }
      headBytes += line.count + 2
      if let head = try parser.take(line) { return head }
    }
  }

  private mutating func complete() -> Event {
    state = .awaitingResponse
    defer { body = RequestBody() }
    return .request(body)
  }

  private mutating func collect(_ bytes: UnsafeRawBufferPointer) {
    body.byteCount += bytes.count
    switch policy {
    case .collect: break
    case .keep(let most):
      guard body.byteCount <= most else {
        body.data = Data()
        return
      }
    case .discard: return
    }
    if !bytes.isEmpty { body.data.append(contentsOf: bytes) }
  }

  private var tooLarge: HTTPParseError {
    HTTPParseError(413, "the body has more than \(limits.bodyBytes) bytes")
  }

  /// A client may announce what it never sends, so not all of it is reserved.
  private static let reserved = 16 * 1024 * 1024
}

/// A request's head: the request line and the fields, and what follows from them.
struct RequestHead: Hashable {
  /// How the end of the body is found.
  enum Framing: Hashable {
    /// There is no body.
    case none
    /// `Content-Length`.
    case sized(Int)
    /// `Transfer-Encoding: chunked`.
    case chunked
  }

  var method: HTTPMethod
  /// As it stands in the request line.
  var target: String
  /// The minor version of HTTP/1.
  var minorVersion: Int
  var headers: HTTPHeaders = [:]
  var framing: Framing = .none
  /// Whether the connection is to stay open after the response.
  var keepsAlive = true
  /// Whether the client waits for a `100 Continue` before it sends the body.
  var expectsContinue = false
}

/// What comes after a head.
struct RequestBody: Hashable {
  /// Empty when it was not to be collected.
  var data = Data()
  /// How long it was, collected or not.
  var byteCount = 0
  var trailers: HTTPHeaders = [:]
}

/// Why a request is not even looked at: the status to answer with, and what was wrong, for people.
struct HTTPParseError: Error, Hashable {
  let status: Int
  let reason: String

  init(_ status: Int, _ reason: String) {
    self.status = status
    self.reason = reason
  }
}

/// The bytes that have come and are not used yet.
///
/// However the bytes arrive, every byte is looked at once when lines are searched for.
struct InputBuffer {
  private var bytes: [UInt8] = []
  private var start = 0
  /// So many of the unread bytes are known to hold no line feed.
  private var scanned = 0

  var count: Int { bytes.count - start }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ new: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: new)
  }

  /// Up to so many of the unread bytes; they stay unread until skipped.
  func prefix(_ length: Int) -> ArraySlice<UInt8> {
    bytes[start...].prefix(length)
  }

  mutating func skip(_ length: Int) {
    start += min(length, count)
    scanned = 0
    if start == bytes.count {
      // What a burst has made large does not stay with an idle connection.
      bytes.removeAll(keepingCapacity: bytes.capacity <= Self.kept)
      start = 0
    } else if start >= Self.kept, start > bytes.count / 2 {
      bytes.removeSubrange(..<start)
      start = 0
    }
  }

  mutating func removeAll() {
    self = InputBuffer()
  }

  /// Takes the next line, without its CR LF; nil when it is not complete yet.
  ///
  /// With the CR LF it may have `limit` bytes, or `excess` is thrown.
  mutating func takeLine(
    limit: Int, orThrow excess: @autoclosure () -> HTTPParseError
  ) throws(HTTPParseError) -> ArraySlice<UInt8>? {
    guard let end = bytes[(start + scanned)...].firstIndex(of: UInt8(ascii: "\n")) else {
      scanned = count
      if count >= limit { throw excess() }
      return nil
    }
    guard end - start < limit else { throw excess() }
    guard end > start, bytes[end - 1] == UInt8(ascii: "\r") else {
      throw HTTPParseError(400, "a line ends in a bare line feed, not in CR LF")
    }
    let line = bytes[start..<(end - 1)]
    skip(end + 1 - start)
    return line
  }

  private static let kept = 64 * 1024
}
