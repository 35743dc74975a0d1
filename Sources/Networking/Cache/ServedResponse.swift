import CatenaSystem
import Dispatch
import Foundation
import Promises

/// A stored response that is delivered to the destination of a request.
struct ServedResponse: Sendable {
  /// The result of a delivery.
  enum Outcome: Sendable {
    case delivered(Response)
    /// The file of the body is missing or has changed.
    case changed
    /// The file of the body cannot be read now.
    case unreadable
  }

  /// The hop of the request.
  let hop: CachedHop
  let head: HTTPResponseHead
  let body: StoredBody
  let provenance: Response.Provenance
  let metrics: TransportMetrics

  /// The queue for files, so that neither a caller nor the records of the cache wait for them.
  private static let queue = DispatchQueue(
    label: "Catena.HTTPCache.bodies", attributes: .concurrent)

  /// The response if the body and its destination are in memory, or `nil`.
  var inMemory: Response? {
    guard hop.destination.isMemory || !isSuccessful, case .data(let data) = body else { return nil }
    reportProgress()
    return response(.memory(data))
  }

  /// Delivers the response.
  ///
  /// - Returns: A promise of the outcome. It is rejected with a ``NetworkError`` with the code
  ///   `fileNotWritten` if the destination cannot be written.
  func delivered() -> Promise<Outcome> {
    let (promise, resolver) = Promise<Outcome>.pending(on: .inline)
    let activity = hop.stage.scheduler.beginActivity()
    Self.queue.async {
      do {
        let content = try content { resolver.isSettled }
        if content != nil { reportProgress() }
        resolver.fulfill(content.map { .delivered(response($0)) } ?? .changed)
      } catch is FileError {
        // Only reading the body has errors of this type.
        resolver.fulfill(.unreadable)
      } catch var error as NetworkError {
        (error.request, error.response) = (.init(hop.exchange.request), head)
        resolver.reject(error)
      } catch {
        resolver.reject(error)
      }
      activity?.end()
    }
    return promise
  }

  private var isSuccessful: Bool { (200...299).contains(head.status) }

  private func response(_ content: Response.Content) -> Response {
    Response(head, content, to: hop.exchange.request, metrics, from: provenance)
  }

  private func reportProgress() {
    guard let progress = hop.exchange.progress else { return }
    let count = Int64(body.count)
    progress.begin()
    progress.change { $0.received = .init(bytes: count, total: count) }
  }

  /// Moves the body to its destination, or returns `nil` if it has changed.
  private func content(unless isCancelled: () -> Bool) throws -> Response.Content? {
    switch hop.destination {
    case .file(let target) where isSuccessful:
      let file = try NetworkError.reporting(.fileNotWritten) {
        try PartialFile(for: target.url, replacing: target.replaces)
      }
      guard
        try read({ piece in
          if isCancelled() { throw CancellationError() }
          try NetworkError.reporting(.fileNotWritten) { try file.write(piece) }
        })
      else { return nil }
      if isCancelled() { throw CancellationError() }
      try NetworkError.reporting(.fileNotWritten) { try file.commit() }
      return .file(target.url)
    case .stream where isSuccessful:
      // Checked before the first byte is delivered.
      guard let reader = try StoredBodyReader(body), try read({ _ in }) else { return nil }
      let flow = FlowControl()
      let channel = ByteChannel(flow)
      let feeder = StoredBodyFeeder(reader, body.count, channel, on: Self.queue, metrics)
      flow.attach(feeder)
      feeder.resume()
      return .streaming(StreamingBody(channel))
    case .memory, .file, .stream:
      var data = Data()
      data.reserveCapacity(body.count)
      return try read({ data.append($0) }) ? .memory(data) : nil
    }
  }

  /// Reads the body, and returns whether it is complete and unchanged.
  private func read(_ consume: (Data) throws -> Void) throws -> Bool {
    switch body {
    case .data(let data):
      try consume(data)
      return true
    case .file(let file): return try DiskCacheFiles.read(file, consume)
    }
  }
}

/// A source of the bytes of a stored body for a streaming response.
///
/// It reads while the reader of the response has fewer bytes than the marks of its flow control.
final class StoredBodyFeeder: TransportHandle {
  private static let pieceSize = 64 << 10

  /// The ends of the stream, which are released when it ends.
  ///
  /// The channel has the flow control, which has this object.
  private typealias Ends = (channel: ByteChannel, reader: StoredBodyReader)

  private struct State: ~Copyable {
    var ends: Ends?
    var position = 0
    var isPaused = false
    var isReading = false
  }

  private let count: Int
  private let queue: DispatchQueue
  private let metrics: TransportMetrics
  private let state: Mutex<State>

  init(
    _ reader: StoredBodyReader, _ count: Int, _ channel: ByteChannel, on queue: DispatchQueue,
    _ metrics: TransportMetrics
  ) {
    self.count = count
    self.queue = queue
    self.metrics = metrics
    state = Mutex(State(ends: (channel, reader)))
  }

  func cancel() { end()?.abandon() }

  func suspend() { state.withLock { $0.isPaused = true } }

  func resume() {
    let starts = state.withLock { state in
      state.isPaused = false
      guard !state.isReading, state.ends != nil else { return false }
      state.isReading = true
      return true
    }
    if starts { queue.async { self.feed() } }
  }

  private func feed() {
    while let (ends, position) = next() {
      let piece = ends.reader.read(upTo: Self.pieceSize, at: position)
      guard let piece, !piece.isEmpty || position == count else {
        end()?.fail(NetworkError(.connectionLost, "the stored body cannot be read"))
        return
      }
      if piece.isEmpty {
        end()?.end(metrics, [:])
        return
      }
      state.withLock { $0.position += piece.count }
      ends.channel.write(piece)
    }
  }

  /// Returns the ends and the next position to read, or `nil` if reading stops here.
  private func next() -> (Ends, position: Int)? {
    state.withLock { state in
      guard !state.isPaused, let ends = state.ends else {
        state.isReading = false
        return nil
      }
      return (ends, state.position)
    }
  }

  /// Ends the stream, and returns its channel, or `nil` if it has ended before.
  private func end() -> ByteChannel? { state.withLock { $0.ends.take() }?.channel }
}
