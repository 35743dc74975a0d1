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

extension Connection {
  /// Receives the body of a request below the reserved path.
  ///
  /// A body that is declared as too large is not read.
  func receiveReservedBody(_ head: RequestHead, _ handler: any ReservedPathHandler) {
    reservedHandler = handler
    if case .sized(let length) = head.framing, length > handler.maximumBodyBytes {
      self.head?.keepsAlive = false
      var body = RequestBody()
      body.byteCount = length
      return handle(body)
    }
    if head.expectsContinue, parser.bufferedBytes == 0 {
      _ = Self.continueHead.withUnsafeBytes { socket.send($0) }
    }
    parser.receiveBody(.keep(upTo: handler.maximumBodyBytes), isNeeded: true)
  }

  /// Starts the response to a request below the reserved path.
  func respond(to head: RequestHead, _ body: RequestBody, by handler: any ReservedPathHandler) {
    let target = RequestTarget(head.target)
    let request = ReceivedRequest(
      method: head.method, target: head.target,
      path: ReceivedPath(
        text: target.map { String($0.path) } ?? head.target, target?.segments ?? []),
      headers: head.headers, trailers: body.trailers, body: body.data,
      bodyByteCount: body.byteCount, version: "1.\(head.minorVersion)", connection: index,
      exchange: requestCount, time: core.scheduler.now)
    requestCount += 1
    requestBodyBytes = body.data.count
    phase = .handling
    let requestCount = requestCount
    handler.respond(to: request) { [self] response in
      core.loop.execute {
        guard self.phase == .handling, self.requestCount == requestCount else { return }
        self.atEnd = response.atEnd
        self.play(
          ResponseScript(
            response.mock,
            for: .init(
              method: head.method, minorVersion: head.minorVersion,
              keepsAlive: self.head?.keepsAlive ?? false, date: self.core.date.now())))
        self.process()
      }
    }
  }
}
