package import Promises

/// The options of one call, beside its endpoint.
///
/// The modules of streams, transfers and sign-ins make their requests with it.
package struct CallOptions: Sendable {
  /// The destination of the response body.
  package var destination: BodyDestination
  /// Changes the wire request, after the client's hooks.
  ///
  /// `nil` changes nothing. An error rejects the request.
  package var prepare: (@Sendable (_ request: HTTPRequest) throws -> HTTPRequest)?
  /// The request of the endpoint, or its error.
  ///
  /// `nil` reads it when the call begins. A transfer reads it once for all its calls.
  package var request: Result<Request, any Error>?
  /// The changes of the endpoint's request, in order.
  package var changes: [RequestOption]
  /// The receiver of the progress of both bodies, beside the handler of the request.
  package var progress: (any ProgressReceiver)?
  /// The source of time of the deadlines, which stops while a transfer is paused.
  ///
  /// `nil` uses that of the client.
  package var deadlineClock: (any Scheduler)?
  /// Whether the deadlines end when the head of a stream arrives.
  package var deadlinesEndWithHead = false
  /// Returns whether another request is sent after an unsuccessful response, so that its body is not
  /// delivered.
  ///
  /// It is called at most once for a response, and only if its body takes long. `nil` means never.
  package var discards: Discard?
  /// Whether the client's cache may respond to the request, and store its response.
  package var usesCache = true
  /// The sessions that the request belongs to.
  ///
  /// `nil` uses the current ones.
  package var sessions: CallSessions?
  /// The transport.
  ///
  /// `nil` selects it by the endpoint.
  var transport: SelectedTransport?
  /// The entry of the offline store that is sent again.
  ///
  /// `nil` if there is none.
  var replayed: CopyOnWrite<OfflineStore.Entry>?

  /// Makes the options of a usual request.
  ///
  /// - Parameters:
  ///   - destination: The destination of the response body.
  ///   - changes: The changes of the endpoint's request, in order.
  package init(to destination: BodyDestination = .memory, _ changes: [RequestOption] = []) {
    self.destination = destination
    self.changes = changes
  }
}

/// The fixed settings of a client for the reception of responses.
struct ReceptionSettings: Sendable {
  /// The maximum size of a body in memory, in bytes, or `nil` for no limit.
  var maximumBodySize: Int?
  /// The limit for the time from the first bytes to the last in memory, or `nil` for no limit.
  ///
  /// It is compared when bytes arrive, so that an exchange needs no timer. The idle timeout covers
  /// the time in which none arrive.
  var timeLimit: Duration?
  /// Whether redirects are followed, so that their bodies are not delivered.
  var followsRedirects = false
  /// The source of time.
  var scheduler: any Scheduler = .live
}

/// The reception of one response: the options of the call, and the settings of the client.
///
/// It is a class because all stages pass it on, and copies of the options would cost most of their
/// time.
final class Reception: Sendable {
  let options: CallOptions
  let settings: ReceptionSettings
  /// A receiver of a copy of a successful response whose body does not go to memory.
  let copy: (any ResponseCopy)?

  init(
    options: CallOptions = CallOptions(), settings: ReceptionSettings = ReceptionSettings(),
    copy: (any ResponseCopy)? = nil
  ) {
    self.options = options
    self.settings = settings
    self.copy = copy
  }

  /// The receiver of the progress.
  var progress: (any ProgressReceiver)? { options.progress }
}

extension HTTPResponseHead {
  /// Whether the response is a redirect, whose body is truncated.
  var isTruncatedRedirect: Bool { (300...399).contains(status) && headers.contains("Location") }
}
