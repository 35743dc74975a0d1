package import Foundation
package import Promises

/// The parts of a client that the modules of streams, transfers and sign-ins work with.
package struct RequestContext: Sendable {
  /// The source of time.
  package let scheduler: any Scheduler
  /// The source of the wall clock time.
  package let wallClock: @Sendable () -> Date
  /// The execution context of handlers, in the client's time.
  package let handlers: ExecutionContext
  /// The retry policy of requests that have none of their own.
  package let retry: RetryPolicy
  /// The attributes of each request, such as the client's decoder.
  package let attributes: RequestAttributes
  /// The performer of calls of the client's session.
  ///
  /// `nil` if the stages perform them.
  package let performer: (any CallPerformer)?
}

extension Networking {
  /// The context of requests.
  package var context: RequestContext {
    RequestContext(
      scheduler: runner.scheduler, wallClock: runner.wallClock,
      handlers: runner.scheduler.context(for: callbackContext), retry: runner.retry,
      attributes: runner.attributes, performer: runner.performer)
  }

  /// The sessions of a request that is made now.
  package var currentSessions: CallSessions { CallSessions(currentSettings()) }

  /// Returns the base URL of an endpoint: that of the client, or else that of the endpoint.
  ///
  /// - Throws: The error of the endpoint.
  package func currentBaseURL(of endpoint: some RequestConvertible) throws -> URL? {
    try currentSettings().settings.baseURL ?? defaults(of: endpoint).baseURL.get()
  }

  /// Returns a receiver that passes the progress to a handler in the ``callbackContext``.
  package func progressReceiver(_ handler: @escaping TransferProgress.Handler)
    -> any ProgressReceiver
  {
    ProgressReporter(on: callbackContext, scheduler: runner.scheduler, handler)
  }

  /// Adds work to the queue of requests that never wait, so that ``suspend()`` and
  /// ``cancelAllRequests()`` apply to it.
  ///
  /// - Parameters:
  ///   - file: The source file of the caller.
  ///   - line: The source line of the caller.
  ///   - onCancel: A closure that runs when the promise is cancelled.
  ///   - begin: A closure that starts the work.
  /// - Returns: A promise of the response, in the ``callbackContext``.
  package func enqueue(
    _ file: StaticString, _ line: UInt, onCancel: @escaping @Sendable () -> Void = {},
    _ begin: @escaping @Sendable () -> NetworkPromise
  ) -> NetworkPromise {
    let pending = NetworkPromise.pending(on: context.handlers, file: file, line: line)
    pending.resolver.onCancel(onCancel)
    unthrottledQueue.add(pending, priority: .normal, begin)
    return pending.promise
  }

  /// Returns the first request that the client would send for an endpoint, without sending it.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - options: The changes of its request, in order.
  ///   - preProcesses: Whether ``preProcessRequest`` changes the request.
  /// - Returns: The request with the current credentials and cookies.
  /// - Throws: The errors of the endpoint and of ``preProcessRequest``, and ``NetworkError``.
  package func firstHop(
    of endpoint: some RequestConvertible, _ options: [RequestOption] = [], preProcesses: Bool = true
  ) throws -> HTTPRequest {
    let settings = currentSettings().settings
    let defaults = defaults(of: endpoint)
    var original = try Self.request(of: endpoint, CallOptions(options), defaults)
    runner.addSecretNames(to: &original)
    let changed = settings.beforeEach?(original) ?? original
    let preProcess = preProcesses ? settings.preProcessRequest : nil
    var request = try runner.wireRequest(
      of: changed, defaults, baseURL: settings.baseURL ?? defaults.baseURL.get(),
      preProcess: preProcess)
    // A hook cannot add the credentials to a request that must not have them.
    if changed.sendsCredentials != false, case .bound(let credentials) = settings.credentials,
      let value = credentials.field(for: request)
    {
      request.headers["Authorization"] = value
    }
    return runner.cookies?.addingCookies(to: request) ?? request
  }
}
