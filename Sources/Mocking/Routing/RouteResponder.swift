import Foundation
import Networking
import Promises

/// The source of the responses of a route.
struct RouteResponder: Sendable {
  /// The handler of a request: a fixed mock, a synchronous closure, or a closure that returns a
  /// promise.
  enum Handler: Sendable {
    case mock(Mock)
    case immediate(IsolatedClosure<ReceivedRequest, Mock>)
    case promised(IsolatedClosure<ReceivedRequest, Promise<Mock>>)
    /// A handler whose mocks inherit from another mock.
    indirect case inheriting(Handler, from: Mock)
    /// A handler whose mocks belong to an isolated client.
    indirect case isolated(Handler, Mock.Client)

    /// The response of a handler: a mock, or a promise if the handler has not finished.
    enum Response {
      case mock(Mock)
      case promise(Promise<Mock>)
    }

    /// Runs the handler for a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - scheduler: The scheduler whose virtual time waits for the handler.
    /// - Returns: The mock, or a promise of it.
    /// - Throws: The error of the handler.
    func callAsFunction(
      _ request: ReceivedRequest, awaitedBy scheduler: any Scheduler
    ) throws -> Response {
      switch self {
      case .mock(let mock): .mock(mock)
      case .immediate(let handler):
        handler.isCallable
          ? .mock(try handler(request))
          : .promise(handler.onItsActor(request, awaitedBy: scheduler))
      case .promised(let handler):
        handler.isCallable
          ? .promise(try ActivityExecutor.counting(for: scheduler) { try handler(request) })
          : .promise(
            try handler.start(request, awaitedBy: scheduler, returningOn: .background))
      case .inheriting(let handler, let outer):
        switch try handler(request, awaitedBy: scheduler) {
        case .mock(let mock): .mock(mock.inheriting(outer))
        case .promise(let promise):
          .promise(promise.map(on: .inline) { mock in mock.inheriting(outer) })
        }
      case .isolated(let handler, let client):
        switch try handler(request, awaitedBy: scheduler) {
        case .mock(let mock): .mock(mock.isolated(for: client))
        case .promise(let promise):
          .promise(promise.map(on: .inline) { mock in mock.isolated(for: client) })
        }
      }
    }

    /// Returns a handler whose mocks inherit from a mock.
    func inheriting(_ outer: Mock) -> Handler {
      if case .mock(let mock) = self { return .mock(mock.inheriting(outer)) }
      return .inheriting(self, from: outer)
    }

    /// Whether the response may be made from the request.
    fileprivate var readsRequest: Bool {
      switch self {
      case .mock(let mock): mock.readsRequest
      case .immediate, .promised: true
      case .inheriting(let handler, let outer): outer.readsRequest || handler.readsRequest
      case .isolated(let handler, _): handler.readsRequest
      }
    }
  }

  /// The place from which the responses come.
  enum Origin: Sendable {
    /// The handler creates them.
    case mock
    /// The handler forwards requests to a server. Mocked and recorded responses take precedence.
    case server(URL)
    /// The handler plays a recording.
    case recording(any Restartable)
  }

  var handler: Handler
  var origin = Origin.mock
  /// The limit for the number of requests of each client.
  var rateLimit: RateLimit?
  /// Whether the route discards request bodies and only counts their bytes.
  var discardsBody = false
  /// The part of the handler that takes long for a large body.
  ///
  /// A server calls it on another thread before the handler, which uses its result in
  /// ``RequestContent/result(of:_:)``.
  var preparation: (@Sendable (_ request: ReceivedRequest) -> Void)?
  /// Returns whether the preparation takes long for a request, even if its body is small.
  var isPreparationLong: (@Sendable (_ request: ReceivedRequest) -> Bool)?

  /// Creates the source of mocked responses.
  init(_ handler: Handler) { self.handler = handler }

  /// The server that requests are forwarded to, if there is one.
  var server: URL? {
    if case .server(let url) = origin { url } else { nil }
  }

  /// The recording of the responses, if there is one.
  var recording: (any Restartable)? {
    if case .recording(let recording) = origin { recording } else { nil }
  }

  /// Whether the responses were recorded.
  var isRecorded: Bool { recording != nil }

  /// Whether a response may be made from the request.
  var readsRequest: Bool { preparation != nil || handler.readsRequest }
}

extension Route {
  /// Returns a copy whose responses are those of a recording.
  package func replaying(_ recording: any Restartable) -> Route {
    var route = self
    route.responder.origin = .recording(recording)
    return route
  }

  /// Whether the responses were recorded.
  package var isRecorded: Bool { responder.isRecorded }
}

/// A source of responses that have an order, such as a recording.
package protocol Restartable: Sendable {
  /// Makes the next request receive the first response again.
  func restart()
}

extension Mock {
  fileprivate func isolated(for client: Client) -> Mock {
    copy(of: self) { $0.client = client }
  }

  /// Whether the response or its webhooks may be made from the request.
  fileprivate var readsRequest: Bool {
    guard webhooks.isEmpty else { return true }
    return switch source {
    case .fields, .invalid: false
    case .sequence(let sequence): sequence.mocks.contains(where: \.readsRequest)
    case .weighted(let choice): choice.shares.contains(where: \.mock.readsRequest)
    case .template: true
    }
  }
}
