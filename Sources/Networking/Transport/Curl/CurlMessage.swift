#if CATENA_CURL

  /// A message of libcurl about the HTTP/2 stream of an exchange.
  ///
  /// libcurl does not report GOAWAY frames in any other way.
  enum CurlMessage: Equatable {
    /// The exchange uses a connection with this number. libcurl from 8.2 does not send this message.
    case connection(Int64)
    /// The request is sent on a stream with this number.
    case stream(Int64)
    /// The connection has received a GOAWAY frame with this number of the last stream.
    ///
    /// Source: RFC 9113 section 6.8.
    case goaway(lastStream: Int64)
    /// libcurl sends the request again, on a connection that a later message reports.
    case repetition
    /// The stream with this number has ended without an error, and libcurl cannot send on it.
    case streamEnd(Int64)
    /// libcurl keeps too many connections, and closes the one of the next message.
    case eviction
    /// libcurl closes the connection with this number.
    case closing(Int64)

    /// Parses a message, or returns `nil` for any other message.
    ///
    /// No text of a server is at the start of a message.
    init?(_ bytes: UnsafeRawBufferPointer) {
      let message: CurlMessage? =
        switch bytes.first {
        case UInt8(ascii: "R"):
          bytes.number(after: "Re-using existing connection #").map(Self.connection)
            ?? (bytes.starts(with: "REFUSED_STREAM, retrying".utf8) ? .repetition : nil)
        case UInt8(ascii: "C"):
          if bytes.starts(with: "Connection died, retrying".utf8) {
            .repetition
          } else if bytes.starts(with: "Connection cache is full".utf8) {
            .eviction
          } else if bytes.starts(with: "Connected to ".utf8) {
            bytes.number(afterLast: "#").map(Self.connection)
          } else {
            bytes.number(after: "Closing connection ").map(Self.closing)
          }
        case UInt8(ascii: "U"): bytes.number(after: "Using Stream ID: ").map(Self.stream)
        case UInt8(ascii: "["):
          bytes.number(after: "[HTTP/2] [", before: "] OPENED stream ").map(Self.stream)
        case UInt8(ascii: "s"):
          bytes.number(after: "stream ", before: " closed").map(Self.streamEnd)
        // libcurl 7.88 writes the first word in two ways.
        case UInt8(ascii: "r")
        where bytes.starts(with: "received GOAWAY, ".utf8)
          || bytes.starts(with: "recveived GOAWAY, ".utf8):
          bytes.number(afterLast: "=").map(Self.goaway)
        default: nil
        }
      guard let message else { return nil }
      self = message
    }
  }

  extension UnsafeRawBufferPointer {
    /// Returns the number that follows the last occurrence of a character.
    fileprivate func number(afterLast character: Unicode.Scalar) -> Int64? {
      lastIndex(of: UInt8(ascii: character)).flatMap {
        UnsafeRawBufferPointer(rebasing: self[($0 + 1)...]).number(after: "")
      }
    }

    /// Returns the decimal number after a prefix, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - prefix: The text before the number.
    ///   - suffix: The text that must follow the number.
    /// - Returns: The number.
    fileprivate func number(after prefix: StaticString, before suffix: StaticString = "") -> Int64?
    {
      guard starts(with: prefix.bytes) else { return nil }
      var number: Int64 = 0
      var end = prefix.utf8CodeUnitCount
      // A number of 18 digits cannot overflow.
      while end < Swift.min(count, prefix.utf8CodeUnitCount + 18), self[end].isASCIIDigit {
        number = number * 10 + Int64(self[end] - UInt8(ascii: "0"))
        end += 1
      }
      let rest = self[end...]
      guard end > prefix.utf8CodeUnitCount, rest.first?.isASCIIDigit != true,
        rest.starts(with: suffix.bytes)
      else { return nil }
      return number
    }
  }

  extension StaticString {
    fileprivate var bytes: UnsafeBufferPointer<UInt8> {
      UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
  }

  /// The state of the HTTP/2 connections of an I/O thread, as far as its messages tell.
  ///
  /// Only the I/O thread uses it.
  final class CurlConnections {
    private struct Connection {
      /// The number of the last stream of the GOAWAY frames, or `nil` if there was none.
      var lastStream: Int64?
      /// Whether it has carried a response.
      var hasResponded = false
    }

    /// The maximum number of connections, because libcurl does not report the end of each.
    private static let limit = 256

    private var connections: [Int64: Connection] = [:]
    private var closed: [Int64] = []

    /// Records a frame.
    ///
    /// A later frame can only lower the number of the last stream.
    func add(lastStream: Int64, on connection: Int64) {
      change(connection) { $0.lastStream = min($0.lastStream ?? lastStream, lastStream) }
    }

    /// Records that a response has begun on a connection.
    func addResponse(on connection: Int64) { change(connection) { $0.hasResponded = true } }

    /// Records the end of a connection, whose exchanges may still have to be ended.
    func close(_ connection: Int64) {
      if connections[connection] != nil { closed.append(connection) }
    }

    /// Forgets the connections that have been closed.
    func removeClosed() {
      guard !closed.isEmpty else { return }
      for connection in closed { connections[connection] = nil }
      closed.removeAll(keepingCapacity: true)
    }

    private func change(_ number: Int64, _ change: (inout Connection) -> Void) {
      if connections[number] == nil, connections.count >= Self.limit { removeLeastUseful() }
      change(&connections[number, default: Connection()])
    }

    /// Forgets the oldest connection, which has the lowest number, but rather one without a GOAWAY frame.
    private func removeLeastUseful() {
      let least = connections.min { first, second in
        let isEnding = (first.value.lastStream != nil, second.value.lastStream != nil)
        return isEnding.0 == isEnding.1 ? first.key < second.key : isEnding.1
      }
      if let least { connections[least.key] = nil }
    }

    /// Whether a response has begun on a connection.
    func hasResponded(_ connection: Int64) -> Bool { connections[connection]?.hasResponded == true }

    /// Whether the server has announced the end of a connection.
    func isEnding(_ connection: Int64) -> Bool { connections[connection]?.lastStream != nil }

    /// Whether the server has stated that it did not and will not process a stream.
    ///
    /// Source: RFC 9113 section 6.8.
    func excludes(stream: Int64, on connection: Int64) -> Bool {
      connections[connection]?.lastStream.map { stream > $0 } ?? false
    }
  }
#endif
