import Foundation
import Networking

/// The body of a request that is forwarded while it is received.
extension Connection {
  /// Starts the response to a request whose body is too large to be kept.
  ///
  /// The journal records the request without its body.
  ///
  /// - Parameter piece: The first bytes of the body.
  func startUpload(_ piece: Data) {
    guard let head = exchange.head else { return }
    let pipe = BodyPipe()
    pipe.attach(UploadProducer(connection: self))
    pipe.append(piece)
    exchange.upload = pipe
    var body = RequestBody()
    var length: Int64?
    body.byteCount = piece.count
    if case .sized(let declared) = head.framing {
      body.byteCount = declared
      length = Int64(declared)
    }
    handle(body, stream: BodyStream(length: length, once: BodyPipe.Pieces(pipe: pipe)))
  }

  /// Passes received bytes of the body on, until the buffer is full.
  func continueUpload() {
    while let upload = exchange.upload, exchange.phase == .handling || exchange.phase == .playing,
      !upload.isFull
    {
      switch parser.next() {
      case .bodyPiece(let piece): upload.append(piece)
      case .request(let body):
        upload.append(body.data)
        upload.finish(isComplete: true)
        exchange.upload = nil
      case .parseError(let error): rejectUpload(error)
      case .head, nil: return
      }
    }
  }

  /// Responds to a request whose body is malformed, unless its response has already started.
  private func rejectUpload(_ error: HTTPParseError) {
    endUpload()
    guard exchange.phase == .handling else { return close(by: .server) }
    let pending = exchange.pending.take()
    exchange.reporter?.report(.response(status: error.status))
    play(errorScript(error))
    pending?.cancel()
  }

  /// Ends the body of the current request, which is incomplete.
  func endUpload() {
    exchange.upload.take()?.finish(isComplete: false)
  }
}

/// Work on other threads: the parsing of large bodies, and access to files.
extension Connection {
  /// Returns whether the body of a request is parsed before a route is chosen for it, and the response is
  /// prepared.
  ///
  /// Conditions, templates and synchronous handlers read the body on the thread of the server, where
  /// parsing a large one would delay all other connections.
  func isParsedInAdvance(_ request: ReceivedRequest) -> Bool {
    if exchange.routing?.isPreparationLong(for: request) == true, core.queue.count == 0 {
      return true
    }
    // An encoded body may be large after decoding.
    let isLarge =
      request.body.count > ReceivedRequest.largeBodyBytes
      || request.headers.contains("Content-Encoding")
    return isLarge && readsBody(request)
  }

  /// Returns whether the route of a request may read its body.
  func readsBody(_ request: ReceivedRequest) -> Bool {
    !request.body.isEmpty && core.queue.count == 0 && exchange.routing?.readsBody == true
  }

  /// Returns the error for a body for whose decoded bytes and values there is no memory.
  func bodyTooLarge(_ request: ReceivedRequest, _ reservation: BodyReservation) -> HTTPParseError {
    let limit = core.bodyBudget.limit
    return reservation.wanted > limit - request.body.count
      ? HTTPParseError(413, "the body, decoded and parsed, would use more than \(limit) bytes")
      : .totalBodiesTooLarge(limit)
  }

  /// Parses and checks the body of a request on another thread, and then starts the response.
  func parse(_ request: ReceivedRequest) {
    guard case .routes(let routing, let routes)? = exchange.target else { return }
    exchange.open()
    let number = exchange.number
    let preparations: [@Sendable (ReceivedRequest) -> Void] =
      if case .routes(let candidates, _) = routing {
        candidates.compactMap { $0.entry.route.responder.preparation }
      } else { [] }
    // Virtual time does not advance until the delays of the response have been scheduled.
    let activity = core.scheduler.beginActivity()
    let reservation = BodyReservation(core.bodyBudget)
    exchange.reservation = reservation
    core.bodyQueue.async { [self] in
      let isReserved = request.content.reserve(for: request, in: reservation)
      if isReserved {
        request.content.parseBody(of: request)
        for prepare in preparations { prepare(request) }
      }
      resume(number, in: .opening, during: activity) {
        if isReserved {
          var request = request
          self.respond(to: &request, routing, routes)
        } else {
          self.reject(self.bodyTooLarge(request, reservation))
        }
      }
    }
  }

  // MARK: Files

  /// The queue for calls that may wait for a disk.
  private static let fileQueue = DispatchQueue(label: "Catena.Files", attributes: .concurrent)

  /// Opens the file of a mock on another thread, and then sends the response.
  ///
  /// - Parameters:
  ///   - mock: The mock.
  ///   - request: The request.
  ///   - resources: Resources whose changes are written before.
  func openFile(
    of mock: Mock, for request: ReceivedRequest, saving resources: (any RequestResources)?
  ) {
    exchange.open()
    let number = exchange.number
    // Virtual time does not advance until the delays of the response have been scheduled.
    let activity = core.scheduler.beginActivity()
    Self.fileQueue.async { [self] in
      resources?.saveChanges()
      let opened: Mock
      do throws(MockFile.ReadError) {
        opened = try mock.openingFile(for: request)
      } catch {
        opened = .unavailable(error.reason)
      }
      resume(number, in: .opening, during: activity) { self.send(opened, to: request) }
    }
  }

  /// Reads a piece of a file on another thread, and then continues the response.
  func readFile(
    _ range: Range<Int>, _ read: @escaping @Sendable (Range<Int>) -> Data, _ number: Int
  ) {
    Self.fileQueue.async { [weak self, loop = core.loop] in
      let piece = read(range)
      loop.execute { [weak self] in
        guard let self, self.exchange.phase == .playing, self.player.received(piece, in: number)
        else {
          return
        }
        self.process()
      }
    }
  }
}

/// The handle of a client that sends a body.
///
/// While the buffer is full, the connection passes no bytes on and stops reading the socket.
private struct UploadProducer: TransportHandle {
  weak var connection: Connection?

  func suspend() {}

  func resume() {
    guard let connection else { return }
    connection.core.loop.execute { [weak connection] in connection?.process() }
  }

  /// Continues too, so that the connection discards the rest of the body.
  func cancel() { resume() }
}
