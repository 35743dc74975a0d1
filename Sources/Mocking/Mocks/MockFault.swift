public import Foundation

/// A fault of a connection or of a response.
///
/// The table shows the result for a client, which is the same on a socket and in memory, and the
/// exit code of the `curl` command line tool:
///
/// | | on connect | at the request | in the head | in the body | at the end |
/// |---|---|---|---|---|---|
/// | ``MockServer/refuseConnections()`` | `cannotConnect`, 7 | | | | |
/// | ``close`` | `connectionLost`, 52 | `connectionLost`, 52 | `connectionLost`, 52 | head, bytes, `connectionLost`, 18 | the response, 0 |
/// | ``reset`` | `connectionLost`, 56 | `connectionLost`, 56 | `connectionLost`, 56 | head, bytes, `connectionLost`, 56 | the response, 0 |
/// | ``stall`` | `timedOut(.idle)`, 28 | `timedOut(.idle)`, 28 | `timedOut(.idle)`, 28 | head, bytes, `timedOut(.idle)`, 28 | the response, 0 |
/// | ``garbage(_:)`` | `malformedResponse`, 1 | `malformedResponse`, 1 | `malformedResponse`, 8 | the bytes in place of body bytes, 0; in a chunked body `malformedResponse`, 56 | the response, 0 |
/// | ``malformedChunk`` | `connectionLost`, 52 | head, `malformedResponse`, 56 | head, `malformedResponse`, 56 | head, bytes, `malformedResponse`, 56 | head, `malformedResponse`, 56 |
///
/// A fault on connect occurs before the server reads anything. The `connectionFault` parameter of a
/// ``MockServer`` sets it. On connect, ``malformedChunk`` has the effect of ``close``, and a
/// ``reset`` occurs at the client's first byte, or after 0.2 seconds without one, because a client
/// that is still connecting treats an immediate reset as a refused connection.
///
/// `CurlTransport` and `URLSessionTransport` give the same results, with one exception: if the
/// connection closes in the head after a complete status line, `URLSession` on Linux terminates the
/// process. The `curl` tool treats this head as complete and exits with 0.
///
/// A stall never ends for a client without an idle timeout. If a handler sets header fields that
/// declare no body length, the body is complete when the connection closes. On a reused connection,
/// a client may retry a request automatically if it has received no byte of the response.
public enum MockFault: Sendable, Hashable {
  /// Closes the connection without a reset, which truncates the body.
  case close
  /// Resets the connection.
  case reset
  /// Sends nothing more.
  ///
  /// The connection stays open until the client closes it or the server stops.
  case stall
  /// Sends bytes that are not part of the response, and then the rest of the response.
  ///
  /// At the stage `request` the bytes precede the status line.
  case garbage(Data)
  /// Sends a chunk with an invalid size in a body with the chunked coding, and closes the
  /// connection.
  ///
  /// At the stage `body`, the bytes before the position are sent first, in a valid chunk. At all
  /// other stages, the invalid chunk is the first one.
  case malformedChunk

  /// Garbage that no client accepts as HTTP.
  public static let garbage = MockFault.garbage(Data("\u{1}\u{2}not HTTP\u{3}\r\n".utf8))

  /// The position of a fault in a response.
  public enum Stage: Sendable, Hashable {
    /// After the request, before the first byte of the response.
    case request
    /// After a number of bytes of the status line and the header fields, or after all of them if
    /// there are fewer.
    case head(afterBytes: Int)
    /// After a number of bytes of the body on the wire, or after all of them if there are fewer.
    case body(afterBytes: Int)
    /// After the whole response.
    case end
  }
}

extension Mock.Interruption: CustomStringConvertible {
  /// The fault and its position, such as `reset in the body after 512 bytes`.
  package var description: String {
    let name =
      switch fault {
      case .close: "close"
      case .reset: "reset"
      case .stall: "stall"
      case .garbage: "garbage"
      case .malformedChunk: "malformed chunk"
      }
    let place =
      switch stage {
      case .request: "after the request"
      case .head(let count): "in the head after \(count) bytes"
      case .body(let count): "in the body after \(count) bytes"
      case .end: "at the end"
      }
    return chance < 1 ? "\(name) \(place) with a chance of \(chance)" : "\(name) \(place)"
  }
}
