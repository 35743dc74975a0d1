import Foundation
import Promises

/// Mutable client settings; each request takes a snapshot.
struct ClientSettings: Sendable {
  /// The base URL that overrides that of the endpoints.
  ///
  /// `nil` overrides nothing.
  var baseURL: URL?
  var callbackContext = ExecutionContext.main
  var beforeEach: (@Sendable (Request) -> Request)?
  var preProcessRequest: (@Sendable (HTTPRequest) throws -> HTTPRequest)?
  /// The hook, which receives the client that makes the call.
  var middleware: (@Sendable (Request, any CredentialSource) -> Promise<Void>)?
  var credentials = ClientCredentials.none
  /// The session of the current user.
  ///
  /// Each client has its own.
  var session = Self.withoutUser
  var interceptors: InterceptorList = []
  /// The receivers of events.
  var eventSinks: [EventSink] = []
  /// The log level, and the queue of the log.
  ///
  /// The queue is `nil` before the first level above `.none`.
  var log: (level: LoggingConfiguration.Level, queue: EventQueue?) = (.none, nil)
  var onAutomaticReplay:
    (@Sendable @isolated(any) (Result<OfflineStore.Report, any Error>) -> Void)?
  /// The client's source of time, which does not change.
  var scheduler: any Scheduler = .live

  /// The session of settings without a client, which never ends.
  private static let withoutUser = UserSession()

  /// The settings at one time, shared by all requests made until they change.
  final class Snapshot: Sendable {
    let settings: ClientSettings

    init(_ settings: ClientSettings) { self.settings = settings }

    /// Returns a changed snapshot.
    func updated(_ change: (inout ClientSettings) -> Void) -> Snapshot {
      var settings = settings
      change(&settings)
      return Snapshot(settings)
    }
  }
}
