import Foundation
import Mocking
import Networking
import Testing

/// A fault of the matrix.
struct MatrixFault: Sendable, CustomTestStringConvertible {
  /// The place of the fault.
  enum Place: Sendable {
    /// The response to a request.
    case response(Mock)
    /// The response to the second hop of a redirect.
    case redirected(Mock)
    /// A connection when it is accepted.
    case connection(MockFault)
    /// The server does not listen.
    case refusal
  }

  /// The result for the client.
  enum End: Sendable {
    case status(Int)
    /// A failure with one of these codes; the kernel decides which one the client sees.
    case failure(Set<NetworkError.Code>)
  }

  /// The `Retry-After` field of the server.
  enum RetryAfter: Sendable {
    case seconds(Int)
    /// A date this number of seconds after ``startDate``.
    case date(Int)
  }

  let testDescription: String
  let place: Place
  let end: End
  var retryAfter: RetryAfter?
  /// Whether the connection closes before the first byte of the response.
  var closesBeforeResponse = false
  /// Whether the fault ends only with the timeout of the attempt.
  var isStall = false

  /// The wall-clock time at virtual time zero.
  static let startDate = Date(timeIntervalSince1970: 784_111_777)

  /// All faults, on Apple platforms without those after which URLSession may repeat a request itself.
  static let all =
    responseFaults + statuses + connections
    + redirects.filter { fault in
      #if os(Linux)
        true
      #else
        !fault.closesBeforeResponse
      #endif
    }

  private static let lost = End.failure([.connectionLost])
  private static let malformed = End.failure([.malformedResponse])
  private static let timedOut = End.failure([.timedOut(.attempt)])
  private static let succeeded = End.status(200)

  /// Each fault at each stage: the request, the head, the body, and the end.
  static let responseFaults: [MatrixFault] = [
    (MockFault.close, [lost, lost, lost, succeeded]),
    (.reset, [lost, lost, lost, succeeded]),
    (.stall, [timedOut, timedOut, timedOut, succeeded]),
    // In a body with a `Content-Length`, garbage is part of the body.
    (.garbage, [malformed, malformed, succeeded, succeeded]),
    (.malformedChunk, [malformed, malformed, malformed, malformed]),
  ].flatMap { fault, ends in
    zip([MockFault.Stage.request, .head(afterBytes: 20), .body(afterBytes: 3), .end], ends)
      .map { stage, end in
        MatrixFault(
          testDescription: "\(fault) at \(stage)", place: .response(.fault(fault, at: stage)),
          end: end, closesBeforeResponse: [.close, .reset].contains(fault) && stage == .request,
          isStall: fault == .stall && stage != .end)
      }
  }

  static let statuses =
    [408, 429, 500, 502, 503, 504, 404].map { status in
      MatrixFault(
        testDescription: "\(status)", place: .response(.text("no", status: status)),
        end: .status(status))
    } + [
      retryAfterStatus("7", .seconds(7)), retryAfterStatus("60", .seconds(60)),
      retryAfterStatus("61", .seconds(61)),
      // 13 seconds after ``startDate``.
      retryAfterStatus("Sun, 06 Nov 1994 08:49:50 GMT", .date(13)),
    ]

  static let connections = [
    MatrixFault(
      testDescription: "refused", place: .refusal, end: .failure([.cannotConnect])),
    MatrixFault(testDescription: "closed on accept", place: .connection(.close), end: lost),
    MatrixFault(
      testDescription: "reset on accept", place: .connection(.reset),
      end: .failure([.connectionLost, .cannotConnect])),
    MatrixFault(
      testDescription: "stalled on accept", place: .connection(.stall), end: timedOut,
      isStall: true),
  ]

  static let redirects = [
    MatrixFault(
      testDescription: "redirect to 503", place: .redirected(.status(503)), end: .status(503)),
    MatrixFault(
      testDescription: "redirect to a close",
      place: .redirected(.fault(.close, at: .request)), end: lost, closesBeforeResponse: true),
    MatrixFault(
      testDescription: "redirect to a reset in the head",
      place: .redirected(.fault(.reset, at: .head(afterBytes: 20))), end: lost),
    MatrixFault(
      testDescription: "redirect to a stall",
      place: .redirected(.fault(.stall, at: .request)), end: timedOut, isStall: true),
  ]

  private static func retryAfterStatus(_ value: String, _ retryAfter: RetryAfter) -> MatrixFault {
    MatrixFault(
      testDescription: "429, Retry-After: \(value)",
      place: .response(.status(429, headers: ["Retry-After": value])), end: .status(429),
      retryAfter: retryAfter)
  }
}
