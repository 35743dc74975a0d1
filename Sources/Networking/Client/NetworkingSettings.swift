import Foundation
import Promises

/// What of a client may be changed while it works; a request takes what is in force when it is made.
struct NetworkingSettings: Sendable {
  var baseURL: @Sendable () -> URL?
  var callbackContext = ExecutionContext.main
  var beforeEach: (@Sendable (Request) -> Request)?
  var preProcessRequest: (@Sendable (HTTPRequest) throws -> HTTPRequest)?
  var middleware: (@Sendable (Request) -> Promise<Void>)?
  var credentials: Credentials?
  var interceptors: [any Interceptor] = []
  /// Nil when nobody watches.
  var watchers: EventWatchers?
  /// What is written about the calls; one of those who watch, unless that is nothing.
  var log: (level: LoggingConfiguration.Level, feed: LogFeed?) = (.none, nil)
  var hopInterceptors: [any Interceptor] = []
  var onAutomaticReplay: (@Sendable (Result<OfflineStore.Report, any Error>) -> Void)?

  /// The settings as they were at one moment, for all the requests made until they change.
  final class Snapshot: Sendable {
    let settings: NetworkingSettings

    init(_ settings: NetworkingSettings) {
      self.settings = settings
    }

    /// The same but for a change.
    func changed(_ change: (inout NetworkingSettings) -> Void) -> Snapshot {
      var settings = settings
      change(&settings)
      return Snapshot(settings)
    }
  }

  /// The value of an `Authorization` field, and the one origin that it is for.
  struct Credentials: Hashable, Sendable {
    let value: String
    let origin: Origin
  }
}
