import Foundation
import Networking

/// What a ``MockServer`` answers: status, header fields and body, when, how fast, and what goes wrong.
///
/// ```swift
/// .json(board)
/// .status(404)
/// .text("...").dribbled(pieces: 10, over: .seconds(5))
/// .data(image).delayed(by: .milliseconds(300)).interrupted(by: .reset, at: .body(afterBytes: 512))
/// ```
public struct MockResponse: Sendable {
  /// A response's body.
  public enum Body: Sendable {
    /// No body.
    case none
    /// Bytes, sent with their length.
    case data(Data)
    /// Pieces, sent in the chunked coding one chunk each; empty ones are left out.
    case chunks([Data])
    /// So many bytes, sent with their length and made as they are sent, so that they take no memory.
    ///
    /// The closure gets the range of the bytes wanted and returns them; it runs on the thread that
    /// serves all connections. Bytes too many are cut off; too few break the connection off.
    case generated(byteCount: Int, @Sendable (_ range: Range<Int>) -> Data)
  }

  /// The status code, three digits.
  public var status: Int
  /// The header fields, as they are sent.
  ///
  /// `Content-Length` or `Transfer-Encoding` is added if neither is here; what is here is sent, be it
  /// true or not.
  public var headers: HTTPHeaders
  /// The body; it is not sent in answer to HEAD, nor with a status of 1xx, 204 or 304.
  public var body: Body
  /// How long the answer waits before its first byte.
  public var delay: Duration = .zero
  /// How the body is drawn out; nil sends it as fast as the client takes it.
  var dribble: Dribble?
  var interruption: Interruption?

  struct Dribble: Hashable {
    let pieces: Int
    let duration: Duration
  }

  struct Interruption: Hashable {
    let fault: MockFault
    let stage: MockFault.Stage
  }

  /// Makes a response.
  ///
  /// - Parameters:
  ///   - status: the status code, 100 to 999.
  ///   - headers: the header fields. A name that is no token, or a CR, LF or NUL, is never sent: the
  ///     response becomes a 500 that says so.
  ///   - body: the body.
  public init(status: Int = 200, headers: HTTPHeaders = [:], body: Body = .none) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  // MARK: Time and faults

  /// The same response, later.
  ///
  /// - Parameter delay: how long it waits before its first byte, on the server's scheduler; less than
  ///   nothing is nothing.
  /// - Returns: the response.
  public func delayed(by delay: Duration) -> MockResponse {
    var response = self
    response.delay = max(delay, .zero)
    return response
  }

  /// The same response with its body drawn out.
  ///
  /// The first piece goes with the head, the last one when all the time has passed, the others evenly
  /// between. The pieces are of the bytes as they go over the wire.
  ///
  /// - Parameters:
  ///   - pieces: in how many pieces; there are no more than bytes, and at least one.
  ///   - duration: the time from the first to the last, on the server's scheduler.
  /// - Returns: the response.
  public func dribbled(pieces: Int, over duration: Duration) -> MockResponse {
    var response = self
    response.dribble = Dribble(pieces: max(pieces, 1), duration: max(duration, .zero))
    return response
  }

  /// The same response, which goes wrong on the way.
  ///
  /// - Parameters:
  ///   - fault: what happens.
  ///   - stage: where.
  /// - Returns: the response.
  public func interrupted(by fault: MockFault, at stage: MockFault.Stage) -> MockResponse {
    var response = self
    response.interruption = Interruption(fault: fault, stage: stage)
    return response
  }

  /// The same response with a header field set.
  ///
  /// - Parameters:
  ///   - name: the field's name.
  ///   - value: the value, in place of any there are.
  /// - Returns: the response.
  public func header(_ name: String, _ value: String) -> MockResponse {
    var response = self
    response.headers[name] = value
    return response
  }
}
