import Foundation
import Promises

extension MockServer {
  /// Starts a server of what a file lays down; see ``StubFile``.
  ///
  /// The file is read once. Later changes are taken over by ``replaceRoutes(with:)`` and the routes of the
  /// file read again.
  ///
  /// - Parameters:
  ///   - stubs: the file, stubs in JSON or an HTTP archive.
  ///   - port: the port to listen on; 0 has the system choose a free one.
  ///   - limits: what the server takes from clients.
  ///   - scheduler: where delays take their time from.
  ///   - onExchange: is told of each request once its exchange has ended, on the server's thread, so it
  ///     must not block.
  /// - Throws: ``StubFileError``, ``RecordingError``, ``MockServerError/cannotListen(port:reason:)``.
  public convenience init(
    stubs: URL, port: Int = 0, limits: MockServerLimits = MockServerLimits(),
    scheduler: any Scheduler = .live,
    onExchange: (@Sendable (_ exchange: ServedExchange) -> Void)? = nil
  ) throws {
    let file = try StubFile(contentsOf: stubs)
    try self.init(
      routes: file.routes, port: port, limits: limits, scheduler: scheduler,
      connectionFault: file.connectionFault, onExchange: onExchange)
  }
}
