import Foundation

/// A fault of a connection or of a response.
///
/// The table shows the result for a client, from a socket and in memory alike, and the exit code of
/// the `curl` command line tool:
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
/// A fault on connect occurs before the server reads anything. Set it with the `connectionFault` of
/// a ``MockServer``. There, ``malformedChunk`` acts as ``close``. A ``reset`` on connect occurs at
/// the client's first byte, or after 0.2 seconds without one, because a client that is still
/// connecting treats an immediate reset as a refused connection.
///
/// `CurlTransport` and `URLSessionTransport` give the same results, with one exception: if the
/// connection closes in the head after a complete status line, `URLSession` on Linux terminates the
/// process. The `curl` tool treats this head as complete and exits with 0.
///
/// A stall never ends for a client without an idle timeout. A body without a length, which the
/// header fields of a handler can cause, is complete when the connection closes. On a reused
/// connection a client may retry a request by itself if it has received no byte of the response.
public enum MockFault: Sendable, Hashable {
  /// Closes the connection in an orderly way, which truncates a body.
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
  /// Sends the body in the chunked coding, with an invalid size for the next chunk, and closes the
  /// connection.
  ///
  /// At any stage except `body` the invalid chunk precedes the first byte of the body.
  case malformedChunk

  /// Garbage that no client accepts as HTTP.
  public static let garbage = MockFault.garbage(Data("\u{1}\u{2}not HTTP\u{3}\r\n".utf8))

  /// The position of a fault in a response.
  public enum Stage: Sendable, Hashable {
    /// After the request, before the first byte of the response.
    case request
    /// After a number of bytes of the status line and header fields; after all of them if there are
    /// fewer.
    case head(afterBytes: Int)
    /// After a number of bytes of the body on the wire; after all of them if there are fewer.
    case body(afterBytes: Int)
    /// After the whole response.
    case end
  }
}
