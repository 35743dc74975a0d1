import Foundation

/// What may go wrong with a connection or a response, byte by byte.
///
/// What a client makes of it, be the answer served on a socket or in memory, and with which exit code the
/// `curl` tool of the command line ends:
///
/// | | on connect | at the request | in the head | in the body | at the end |
/// |---|---|---|---|---|---|
/// | ``MockServer/refuseConnections()`` | `cannotConnect`, 7 | | | | |
/// | ``close`` | `connectionLost`, 52 | `connectionLost`, 52 | `connectionLost`, 52 | head, bytes, `connectionLost`, 18 | the response, 0 |
/// | ``reset`` | `connectionLost`, 56 | `connectionLost`, 56 | `connectionLost`, 56 | head, bytes, `connectionLost`, 56 | the response, 0 |
/// | ``stall`` | `timedOut(.idle)`, 28 | `timedOut(.idle)`, 28 | `timedOut(.idle)`, 28 | head, bytes, `timedOut(.idle)`, 28 | the response, 0 |
/// | ``garbage(_:)`` | `malformedResponse`, 1 | `malformedResponse`, 1 | `malformedResponse`, 8 | the bytes in the body's place, 0; in a chunked one `malformedResponse`, 56 | the response, 0 |
/// | ``malformedChunk`` | `connectionLost`, 52 | head, `malformedResponse`, 56 | head, `malformedResponse`, 56 | head, bytes, `malformedResponse`, 56 | head, `malformedResponse`, 56 |
///
/// What happens on connect, before anything is read, is said by the `connectionFault` of a ``MockServer``.
/// A ``malformedChunk`` there is a ``close``, and a reset comes with the client's first byte, or 0.2
/// seconds later where none comes: one at once is a refusal to a client that is still connecting.
///
/// `CurlTransport` and `URLSessionTransport` agree. A head that is closed on behind its whole status line is
/// complete to the `curl` tool, which ends with 0, and ends the process of a `URLSession` on Linux.
///
/// A stall lasts for ever where a client has no limit to silence. A body without a length of its own, as
/// one of a handler's own header fields may be, is complete when the connection closes. On a connection
/// that has served before, a client may try a request again of itself when not one byte came in answer.
public enum MockFault: Sendable, Hashable {
  /// The connection is closed in good order: a body is truncated by it.
  case close
  /// The connection is reset.
  case reset
  /// Nothing more is sent; the connection stays open until the client leaves or the server stops.
  case stall
  /// Bytes that belong nowhere are sent, and then the rest as if nothing had happened: before the
  /// status line at the stage `request`.
  case garbage(Data)
  /// The body goes in the chunked coding, and the next chunk's size is no number; then the connection
  /// is closed. At any stage but `body` it comes before the first byte of the body.
  case malformedChunk

  /// Garbage that nobody takes for HTTP.
  public static let garbage = MockFault.garbage(Data("\u{1}\u{2}not HTTP\u{3}\r\n".utf8))

  /// Where a response goes wrong.
  public enum Stage: Sendable, Hashable {
    /// After the request, before the first byte of the response.
    case request
    /// After so many bytes of the status line and header fields; all of them, if there are fewer.
    case head(afterBytes: Int)
    /// After so many bytes of the body as they go over the wire; all of them, if there are fewer.
    case body(afterBytes: Int)
    /// After the whole response.
    case end
  }
}
