import Foundation
import Promises

/// One call: a request of a client, with everything that its attempts and hops have in common.
///
/// A client makes one `Call` for each request and passes it on unchanged. Stages read it as ``Exchange/call``.
final class Call: Sendable {
  /// The defaults that the endpoint's type declares for its requests.
  struct EndpointDefaults: Sendable {
    /// The header fields of the endpoint's type.
    var headers: HTTPHeaders = [:]
    /// The base URL of the endpoint's type. A base URL that is set on the client overrides it.
    var baseURL: URL?
    /// The retry policy of the endpoint. `nil` uses the client's policy.
    var retry: RetryPolicy?
  }

  /// The caller's request, after the client's `beforeEach` hook.
  let request: Request
  let endpoint: EndpointDefaults
  /// The client's settings at the time of the request.
  private let snapshot: ClientSettings.Snapshot
  let transport: SelectedTransport
  /// The destination of the response body.
  let destination: BodyDestination
  /// Provides the client's current credentials. `nil` keeps those of the snapshot.
  let credentialSource: (any CredentialSource)?
  /// The role of the offline store. `nil` means that the store is not involved.
  let offline: OfflineMode?
  /// The token refresh that made the request, if any.
  ///
  /// Read when the call is made, because the call may start on another thread.
  let refresh = RefreshRound.current
  let state: CallState

  init(
    _ request: Request, endpoint: EndpointDefaults = EndpointDefaults(),
    settings: ClientSettings.Snapshot, over transport: SelectedTransport,
    to destination: BodyDestination = BodyDestination(),
    credentialSource: (any CredentialSource)? = nil,
    offline: OfflineMode? = nil, reportingTo events: CallEvents? = nil
  ) {
    self.request = request
    self.endpoint = endpoint
    snapshot = settings
    self.transport = transport
    self.destination = destination
    self.credentialSource = credentialSource
    self.offline = offline
    state = CallState(reportingTo: events)
  }

  /// The client's settings at the time of the request.
  var settings: ClientSettings { snapshot.settings }
}

/// A source of a client's current credentials; the client itself.
protocol CredentialSource: AnyObject, Sendable {
  /// The current credentials. `nil` when there are none.
  var credentials: Credentials? { get }
}
