import Foundation
import Networking

/// The work of a connection on other threads: parsing of large bodies, and access to files.
extension Connection {
  /// The size from which a body is parsed on another thread.
  private static let parsedInAdvanceBytes = 128 * 1024

  /// Returns whether the body of a request is parsed before a route is chosen for it.
  ///
  /// Conditions, templates and synchronous handlers read the body on the thread of the server, where
  /// parsing a large one would delay all other connections.
  func isParsedInAdvance(_ request: ReceivedRequest) -> Bool {
    guard request.body.count >= Self.parsedInAdvanceBytes, core.queue.count == 0,
      case .routes? = routing
    else { return false }
    return true
  }

  /// Parses the body of a request on another thread, and then starts the response.
  func parse(_ request: ReceivedRequest) {
    phase = .opening
    let requestCount = requestCount
    // Virtual time does not advance until the delays of the response have been scheduled.
    let activity = core.scheduler.beginActivity()
    core.bodyQueue.async { [self] in
      request.content.parseBody(of: request)
      let isRunning = core.loop.execute {
        defer { activity?.end() }
        guard self.phase == .opening, self.requestCount == requestCount,
          let routing = self.routing, let routes = self.routes
        else { return }
        self.respond(to: request, routing, routes)
        self.process()
      }
      if !isRunning { activity?.end() }
    }
  }

  // MARK: Files

  /// The queue for calls that may wait for a disk.
  private static let fileQueue = DispatchQueue(label: "Catena.Files", attributes: .concurrent)

  /// Opens the file of a mock on another thread, and then sends the response.
  func openFile(of mock: Mock, for request: ReceivedRequest) {
    phase = .opening
    let requestCount = requestCount
    // Virtual time does not advance until the delays of the response have been scheduled.
    let activity = core.scheduler.beginActivity()
    Self.fileQueue.async { [self] in
      let opened: Mock
      do throws(MockFile.ReadError) {
        opened = try mock.openingFile(for: request)
      } catch {
        opened = .unavailable(error.reason)
      }
      let isRunning = core.loop.execute {
        defer { activity?.end() }
        guard self.phase == .opening, self.requestCount == requestCount else { return }
        self.send(opened, to: request)
        self.process()
      }
      if !isRunning { activity?.end() }
    }
  }

  /// Reads a piece of a file on another thread, and then continues the response.
  func readFile(
    _ range: Range<Int>, _ read: @escaping @Sendable (Range<Int>) -> Data, _ number: Int
  ) {
    Self.fileQueue.async { [weak self, loop = core.loop] in
      let piece = read(range)
      loop.execute { [weak self] in
        guard let self, self.phase == .playing, self.player.received(piece, in: number) else {
          return
        }
        self.process()
      }
    }
  }
}
