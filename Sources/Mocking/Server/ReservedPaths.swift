import Networking

/// A handler of the requests below a reserved path of a server, such as the admin API.
///
/// These requests use no route and no enqueued mock. They are not recorded, not counted, and not
/// reported to `onExchange`.
package protocol ReservedPathHandler: AnyObject, Sendable {
  /// The maximum size of a request body.
  ///
  /// The rest of a larger body is discarded; ``ReceivedRequest/bodyByteCount`` is its size.
  var maximumBodyBytes: Int { get }

  /// Checks that no route is below the reserved path.
  ///
  /// - Throws: ``MockServerError/reservedPath(_:)``.
  static func check(_ routes: [Route]) throws(MockServerError)

  /// Returns whether the target of a request is below the reserved path.
  ///
  /// It runs on the thread of the server for each request, and must be fast.
  func handles(_ target: String) -> Bool

  /// Responds to a request.
  ///
  /// It runs on the thread of the server and must not block.
  ///
  /// - Parameters:
  ///   - request: The request with its body.
  ///   - completion: A closure that receives the response, once, on any thread.
  func respond(
    to request: ReceivedRequest,
    _ completion: @escaping @Sendable (_ response: ReservedPathResponse) -> Void)

  /// Ends all responses in progress, because the server stops.
  func stop()
}

/// A response to a request below a reserved path.
package struct ReservedPathResponse: Sendable {
  /// The response, which is sent as it is: without a sequence, a template, a delay or a file.
  package var mock: Mock
  /// An action at the end of the exchange, even if the client has disconnected.
  package var atEnd: (@Sendable () -> Void)?

  /// Creates a response.
  package init(mock: Mock) { self.mock = mock }
}
