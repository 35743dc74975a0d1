import Foundation
import Networking

/// An incremental parser of the requests on one connection.
///
/// The result does not depend on how the bytes are split into pieces. The calls for each request
/// are:
///
/// 1. `next()` returns `head`.
/// 2. `receiveBody(_:)` sets how the body is handled.
/// 3. `next()` returns `request`.
/// 4. `responded()` starts the next request. Pipelined requests stay in the buffer until then.
///
/// No event follows a `parseError`.
struct RequestParser {
  enum Event: Hashable {
    /// A complete head. ``receiveBody(_:)`` must be called next.
    case head(RequestHead)
    /// The next bytes of a body that is not kept. See ``BodyPolicy/stream(after:)``.
    case bodyPiece(Data)
    /// The body of a complete request, or the rest of it after ``bodyPiece(_:)``. ``responded()``
    /// must be called after the response.
    case request(RequestBody)
    /// A request that is malformed or too large. The connection must be closed after the response.
    case parseError(HTTPParseError)
  }

  enum BodyPolicy: Hashable {
    /// Keeps the body. A body beyond the limit for bodies is rejected.
    case collect
    /// Keeps a body of at most this size. A longer one is counted and discarded, and never
    /// rejected.
    case keep(upTo: Int)
    /// Keeps a body of at most this size. A longer one is counted and discarded, and beyond the limit
    /// for bodies rejected.
    case limited(keep: Int)
    /// Counts the bytes and discards them. A body of any size is accepted.
    case discard
    /// Keeps a body of at most this size. A longer one is returned in pieces, as it arrives. A body of
    /// any size is accepted.
    case stream(after: Int)

    /// Returns the length above which a body is rejected; a discarded body needs no memory.
    fileprivate func limit(_ limits: MockServerLimits) -> Int? {
      if case .limited = self { return limits.bodyBytes }
      return self == .collect ? min(limits.bodyBytes, limits.totalBodyBytes) : nil
    }

    /// Returns a policy that discards a body that is longer than the size to keep.
    fileprivate func discarding(_ length: Int) -> BodyPolicy {
      switch self {
      case .keep(let most) where length > most: .keep(upTo: 0)
      case .limited(let most) where length > most: .limited(keep: 0)
      default: self
      }
    }
  }

  private enum State {
    case head(RequestHeadParser)
    /// Waits for ``receiveBody(_:)``.
    case headReturned(RequestHead.Framing)
    case sized(remaining: Int)
    case chunked(ChunkedDecoder)
    case complete
    /// Waits for ``responded()``.
    case responding
    case failed
  }

  private let limits: MockServerLimits
  private var state: State
  private var headBytes = 0
  private var input = InputBuffer()
  private var body = RequestBody()
  private var policy = BodyPolicy.collect
  /// The request line and the parsed fields of a head that is malformed or too large.
  ///
  /// `nil` if the error is in the request line or in a body.
  private(set) var rejectedHead: RequestHead?
  /// Whether a piece of the current body has been returned.
  private var isStreaming = false
  /// Whether the response depends on a body whose policy allows that it is discarded.
  private var isNeeded = false
  /// The error in a body that is being received.
  private var bodyError: HTTPParseError?
  /// The maximum size of the current body, because of the bodies of other requests.
  ///
  /// Beyond it, a body that is not needed is discarded, or else the request is rejected.
  var bodyRoom = Int.max

  init(limits: MockServerLimits = MockServerLimits()) {
    self.limits = limits
    state = .head(RequestHeadParser(limits: limits))
  }

  /// The number of bytes that have been received but not parsed.
  var bufferedBytes: Int { input.count + (isStreaming ? body.data.count : 0) }

  /// The number of bytes of the current body that are in memory.
  var bodyBytes: Int { body.data.count }

  /// Whether a request has been received partially.
  var isInsideRequest: Bool {
    switch state {
    case .head(let parser): !parser.isAtStart || !input.isEmpty
    case .headReturned, .sized, .chunked: true
    case .complete, .responding, .failed: false
    }
  }

  /// Whether a head has been received partially.
  var isInsideHead: Bool {
    guard case .head(let parser) = state else { return false }
    return headBytes > 0 || !parser.isAtStart || !input.isEmpty
  }

  /// Returns whether a body with this framing would be rejected because of its declared length.
  func isTooLarge(_ framing: RequestHead.Framing, _ policy: BodyPolicy) -> Bool {
    guard case .sized(let length) = framing, let limit = policy.limit(limits) else { return false }
    return length > limit
  }

  // MARK: Input

  mutating func receive(_ bytes: UnsafeRawBufferPointer) {
    switch state {
    case .failed: break
    case .sized(let remaining) where input.isEmpty:
      // Fast path: a large body bypasses the buffer.
      let used = min(remaining, bytes.count)
      collect(UnsafeRawBufferPointer(rebasing: bytes[..<used]))
      state = used == remaining ? .complete : .sized(remaining: remaining - used)
      if used < bytes.count { input.append(UnsafeRawBufferPointer(rebasing: bytes[used...])) }
    default: input.append(bytes)
    }
  }

  /// Sets how the body is handled; called after a `head` event.
  ///
  /// - Parameters:
  ///   - policy: The policy.
  ///   - isNeeded: Whether the request is rejected if ``bodyRoom`` is too small for a body that the
  ///     policy would keep. With ``BodyPolicy/collect`` and ``BodyPolicy/stream(after:)`` it always is.
  mutating func receiveBody(_ policy: BodyPolicy, isNeeded: Bool = false) {
    guard case .headReturned(let framing) = state else { return }
    self.policy = policy
    self.isNeeded = isNeeded
    isStreaming = false
    body = RequestBody()
    switch framing {
    case .none: state = .complete
    case .sized(let length):
      state = .sized(remaining: length)
      self.policy = policy.discarding(length)
      if policy == .collect, !isTooLarge(framing, policy) {
        body.data.reserveCapacity(min(length, Self.reservedCapacity))
      }
    case .chunked: state = .chunked(ChunkedDecoder(limits: limits))
    }
  }

  /// Starts parsing the next request; called after a `request` event.
  mutating func responded() {
    guard case .responding = state else { return }
    state = .head(RequestHeadParser(limits: limits))
    headBytes = 0
  }

  // MARK: Output

  /// Returns the next event, or `nil` if more bytes or a call of another method are needed first.
  mutating func next() -> Event? {
    do throws(HTTPParseError) {
      return try advance()
    } catch {
      state = .failed
      input.removeAll()
      body = RequestBody()
      bodyError = nil
      return .parseError(error)
    }
  }

  private mutating func advance() throws(HTTPParseError) -> Event? {
    if let bodyError { throw bodyError }
    switch state {
    case .head(var parser):
      do throws(HTTPParseError) {
        let head = try readHead(&parser)
        state = head.map { .headReturned($0.framing) } ?? .head(parser)
        return head.map(Event.head)
      } catch {
        rejectedHead = parser.partialHead
        throw error
      }
    case .sized(let remaining):
      try checkLength(body.byteCount + remaining)
      let piece = input.prefix(remaining)
      piece.withUnsafeBytes { collect($0) }
      if let bodyError { throw bodyError }
      input.skip(piece.count)
      guard piece.count == remaining else {
        state = .sized(remaining: remaining - piece.count)
        return takePiece()
      }
      return complete()
    case .chunked(var decoder):
      // The closure mutates `self`, so the buffer is moved out of it during the call. A swap avoids
      // a copy.
      var input = InputBuffer()
      swap(&input, &self.input)
      defer { swap(&input, &self.input) }
      let isComplete = try decoder.decode(&input) { piece throws(HTTPParseError) in
        try checkLength(body.byteCount + piece.count)
        piece.withUnsafeBytes { collect($0) }
        if let bodyError { throw bodyError }
      }
      state = .chunked(decoder)
      guard isComplete else { return takePiece() }
      body.trailers = HTTPHeaders(decoder.trailers)
      return complete()
    case .complete: return complete()
    case .headReturned, .responding, .failed: return nil
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

  /// Returns the bytes of a body that is too large to be kept.
  private mutating func takePiece() -> Event? {
    guard case .stream(let limit) = policy, !body.data.isEmpty,
      isStreaming || body.data.count > limit
    else { return nil }
    isStreaming = true
    defer { body.data = Data() }
    return .bodyPiece(body.data)
  }

  private mutating func complete() -> Event {
    state = .responding
    defer { body = RequestBody() }
    return .request(body)
  }

  private mutating func collect(_ bytes: UnsafeRawBufferPointer) {
    body.byteCount += bytes.count
    switch policy {
    case .collect, .stream: break
    case .keep(let most), .limited(let most):
      guard body.byteCount <= most else {
        body.data = Data()
        return
      }
    case .discard: return
    }
    guard !bytes.isEmpty, bodyError == nil else { return }
    // The pieces of a body that is forwarded have another limit.
    if !isStreaming, body.data.count + bytes.count > bodyRoom {
      body.data = Data()
      switch policy {
      case .keep where !isNeeded, .limited where !isNeeded: policy = policy.discarding(.max)
      case .collect, .discard, .keep, .limited, .stream:
        bodyError = .totalBodiesTooLarge(limits.totalBodyBytes)
      }
      return
    }
    body.data.append(contentsOf: bytes)
  }

  private func checkLength(_ count: Int) throws(HTTPParseError) {
    guard let limit = policy.limit(limits), count > limit else { return }
    throw HTTPParseError(413, "the body has more than \(limit) bytes")
  }

  /// The maximum capacity that is reserved before a body arrives.
  ///
  /// A client may declare a length and never send the body, so memory for the rest is allocated
  /// when the bytes arrive.
  private static let reservedCapacity = 16 * 1024 * 1024
}

/// The head of a request: the request line, the header fields, and the values derived from them.
struct RequestHead: Hashable {
  /// The framing of a body, which determines its end.
  enum Framing: Hashable {
    /// No body.
    case none
    /// `Content-Length`.
    case sized(Int)
    /// `Transfer-Encoding: chunked`.
    case chunked
  }

  var method: HTTPMethod
  /// The target exactly as in the request line.
  var target: String
  /// The minor version of HTTP/1.
  var minorVersion: Int
  var headers: HTTPHeaders = [:]
  var framing: Framing = .none
  /// Whether the connection stays open after the response.
  var keepsAlive = true
  /// Whether the client waits for a `100 Continue` before it sends the body.
  var expectsContinue = false
}

/// The body of a request, and its trailers.
struct RequestBody: Hashable {
  /// The bytes.
  ///
  /// Empty if they were discarded.
  var data = Data()
  /// The number of bytes, kept or discarded.
  var byteCount = 0
  var trailers: HTTPHeaders = [:]
}

/// A buffer of the bytes that have been received but not parsed.
///
/// The search for a line end examines each byte once, even if the line arrives in many pieces.
struct InputBuffer {
  private var bytes: [UInt8] = []
  private var start = 0
  /// The number of unread bytes that are known to contain no line feed.
  private var scanned = 0

  var count: Int { bytes.count - start }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ new: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: new)
  }

  /// Returns at most `length` unread bytes, without removing them.
  func prefix(_ length: Int) -> ArraySlice<UInt8> {
    bytes[start...].prefix(length)
  }

  mutating func skip(_ length: Int) {
    start += min(length, count)
    scanned = 0
    if start == bytes.count {
      // Releases a large buffer. An idle connection would otherwise keep it in memory.
      bytes.removeAll(keepingCapacity: bytes.capacity <= Self.retainedCapacity)
      start = 0
    } else if start >= Self.retainedCapacity, start > bytes.count / 2 {
      bytes.removeSubrange(..<start)
      start = 0
    }
  }

  mutating func removeAll() {
    self = InputBuffer()
  }

  /// Removes and returns the next line without its CR LF, or returns `nil` if it is incomplete.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of bytes, including the CR LF.
  ///   - excess: The error for a longer line.
  /// - Returns: The line, or `nil`.
  /// - Throws: `excess` if the line is too long, or another ``HTTPParseError`` if it does not end
  ///   in CR LF.
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

  private static let retainedCapacity = 64 * 1024
}
