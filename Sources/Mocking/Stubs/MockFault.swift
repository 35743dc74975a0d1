import Foundation

/// What may go wrong with a connection or a response, byte by byte.
///
/// What a client makes of it, be the answer served on a socket or in memory:
///
/// | | at the request | in the head | in the body | at the end |
/// |---|---|---|---|---|
/// | ``close`` ``reset`` | `connectionLost` | `connectionLost` | head, bytes, `connectionLost` | the response |
/// | ``stall`` | `timedOut(.idle)` | `timedOut(.idle)` | head, bytes, `timedOut(.idle)` | the response |
/// | ``garbage(_:)`` | `malformedResponse` | `malformedResponse` | the bytes in the body's place; in a chunked one `malformedResponse` | the response |
/// | ``malformedChunk`` | head, `malformedResponse` | head, `malformedResponse` | head, bytes, `malformedResponse` | head, `malformedResponse` |
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
