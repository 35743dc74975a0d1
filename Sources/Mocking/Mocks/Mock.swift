import Foundation
import Networking

/// An answer laid down beforehand, in place of a server's.
///
/// ```swift
/// .json(["token": "t-1"])
/// .status(404)
/// .failure(.connectionLost).delayed(by: .seconds(2))
/// .text("...").dribbled(pieces: 10, over: .seconds(5))
/// .data(image).interrupted(by: .reset, at: .body(afterBytes: 512))
/// .sequence(.status(503), .status(503), .json([]))
/// ```
///
/// It says what is answered, when, how fast, and what goes wrong on the way, however it is served: by a
/// ``MockServer`` on a socket, or in memory by a ``MockTransport`` or a ``MockProvider``. Both give a
/// client the same response and the same failures. It is a value, and keeps no account of how often it
/// has answered: who serves it does.
public struct Mock: Sendable {
  /// The status code, three digits.
  public var status: Int
  /// The header fields.
  ///
  /// `Content-Length` or `Transfer-Encoding` is added if neither is here; what is here is sent, be it
  /// true or not. A name that is no token, or a CR, LF or NUL, is never sent: the answer becomes a 500
  /// that says so.
  public var headers: HTTPHeaders
  /// The body; it is not sent in answer to HEAD, nor with a status of 1xx, 204 or 304.
  public var body: Body
  /// A failure in place of a response; nil for none.
  ///
  /// In memory the request fails with this code. On a socket, which knows no codes, it becomes the
  /// behaviour that comes nearest: `connectionLost` a reset behind the status line, `timedOut` a stall,
  /// `malformedResponse` garbage in place of a status line, and all others, which no server can bring
  /// about once it has the request, a 500 that says so.
  public var error: NetworkError.Code?
  /// How long the answer waits before its first byte; nil leaves that to who serves it.
  public var delay: MockDelay?
  /// How long it waits between the head and the body; nil is not at all.
  public var bodyDelay: MockDelay?
  /// How the body is drawn out; nil sends it as fast as the client takes it.
  var pace: Pace?
  var interruption: Interruption?
  var source = Source.fields

  /// Where what is answered comes from.
  enum Source: Sendable {
    /// From the other properties.
    case fields
    case sequence(ResponseSequence)
    case template(@Sendable (_ request: ReceivedRequest) throws -> Mock)
    /// What was to be answered cannot be made: why.
    case invalid(String)
  }

  struct Interruption: Hashable {
    let fault: MockFault
    let stage: MockFault.Stage
  }

  /// Makes an answer.
  ///
  /// - Parameters:
  ///   - status: the status code, 100 to 999.
  ///   - headers: the header fields.
  ///   - body: the body.
  ///   - error: a failure, in place of a response; then the others do not matter but for `delay`.
  ///   - delay: how long it takes to come; nil leaves that to who serves it.
  public init(
    status: Int = 200, headers: HTTPHeaders = [:], body: Body = .none,
    error: NetworkError.Code? = nil, delay: MockDelay? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.error = error
    self.delay = delay
  }

  /// The same answer with a header field set.
  ///
  /// - Parameters:
  ///   - name: the field's name.
  ///   - value: the value, in place of any there are.
  /// - Returns: the answer.
  public func header(_ name: String, _ value: String) -> Mock {
    var mock = self
    mock.headers[name] = value
    return mock
  }
}

extension Mock {
  /// This answer, as one of a sequence or made by a template: what it leaves open is as `outer` says.
  func inheriting(_ outer: Mock) -> Mock {
    var mock = self
    mock.delay = delay ?? outer.delay
    mock.bodyDelay = bodyDelay ?? outer.bodyDelay
    mock.pace = pace ?? outer.pace
    mock.interruption = interruption ?? outer.interruption
    if !outer.headers.isEmpty { mock.headers = outer.headers.merging(headers) }
    return mock
  }
}

extension Mock {
  /// An answer's body.
  public enum Body: Sendable {
    /// No body.
    case none
    /// Bytes, sent with their length.
    case data(Data)
    /// Pieces, sent in the chunked coding one chunk each; empty ones are left out.
    case chunks([Data])
    /// So many bytes, sent with their length and made as they are sent, so that they take no memory.
    ///
    /// The closure gets the range of the bytes wanted and returns them; on a socket it runs on the thread
    /// that serves all connections. Bytes too many are cut off; too few break the connection off.
    case generated(byteCount: Int, @Sendable (_ range: Range<Int>) -> Data)
    /// What is in a file, read each time it is answered.
    case file(MockFile)
  }
}

extension Mock {
  /// What is answered when a handler or a template has thrown, or its promise was rejected.
  static func handlerFailed(_ error: any Error) -> Mock {
    .text("the handler failed: \(error)\n", status: 500)
  }

  /// What a server answers when what was to be answered cannot be made.
  static func unavailable(_ reason: String) -> Mock {
    .text("\(reason)\n", status: 500)
  }
}
