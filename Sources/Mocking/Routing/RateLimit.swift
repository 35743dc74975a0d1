import CatenaSystem
import Foundation
import Networking

/// A limit for the number of requests of a client within a time.
///
/// ```swift
/// Route(.get, "/search", .json([])).limited(by: RateLimit(10, per: .seconds(60)))
///
/// // All routes have one quota for each value of the field.
/// let routes = backend.limited(by: RateLimit(100, per: .seconds(60), by: .header("Authorization")))
/// ```
///
/// - **Windows.** The time of a client starts with its first request, and again with its first request
///   after the end. It is the time of the backend's ``Scheduler``, so that a test advances it.
/// - **Responses** have the fields `RateLimit-Policy` and `RateLimit`. A request above the limit receives
///   a 429 with `Retry-After` and problem details, and the route is not used: its handler does not run,
///   its scenario and its variables do not change.
/// - **Sharing.** All routes with the same object have one quota, also those of several backends.
///   ``ScenarioStates/reset()`` starts it again.
/// - **Clients.** Requests without the header field have one quota together, and so have those of a
///   backend without sockets. At most 10,000 clients are counted; then all of them start again.
///
/// Source: RFC 6585 section 4; draft-ietf-httpapi-ratelimit-headers-10.
public final class RateLimit: Sendable {
  /// The part of a request that identifies its client.
  public enum Client: Sendable, Hashable {
    /// The IP address.
    case address
    /// The value of a header field, such as `Authorization`.
    case header(String)
  }

  private struct Window {
    let end: Duration
    var count = 0
  }

  /// The number of requests.
  public let requests: Int
  /// The length of the time.
  public let window: Duration
  /// The part of a request that identifies its client.
  public let client: Client
  private let windows = Mutex<[String: Window]>([:])
  private static let maximumClients = 10_000

  /// Creates a limit.
  ///
  /// - Parameters:
  ///   - requests: The number of requests. A negative number counts as 0.
  ///   - window: The length of the time.
  ///   - client: The part of a request that identifies its client.
  public init(_ requests: Int, per window: Duration, by client: Client = .address) {
    self.requests = max(requests, 0)
    self.window = max(window, .zero)
    self.client = client
  }

  /// Counts a request.
  ///
  /// - Parameter request: The request.
  /// - Returns: The response if there were too many. Otherwise a mock with the header fields for the
  ///   response.
  func count(_ request: ReceivedRequest) -> (isAllowed: Bool, mock: Mock) {
    let (end, count) = windows.withLock { windows in
      let key = key(of: request)
      if windows.count >= Self.maximumClients, windows[key] == nil { windows = [:] }
      var current = windows[key] ?? Window(end: request.time + window)
      if current.end <= request.time { current = Window(end: request.time + window) }
      // The number of refused requests does not matter.
      current.count = min(current.count, requests) + 1
      windows[key] = current
      return (current.end, current.count)
    }
    let seconds = Self.seconds(end - request.time)
    let isAllowed = count <= requests
    var mock =
      isAllowed ? Mock() : .problem(429, "more than \(requests) requests in \(window)")
    if !isAllowed { mock.headers["Retry-After"] = "\(seconds)" }
    mock.headers["RateLimit-Policy"] = "\"default\";q=\(requests);w=\(Self.seconds(window))"
    mock.headers["RateLimit"] = "\"default\";r=\(max(requests - count, 0));t=\(seconds)"
    return (isAllowed, mock)
  }

  /// Starts the times of all clients again.
  func restart() { windows.withLock { $0 = [:] } }

  private func key(of request: ReceivedRequest) -> String {
    switch client {
    case .address: request.clientAddress ?? ""
    case .header(let name):
      Checksum(request.headers.values(for: name).joined(separator: ",").utf8).text
    }
  }

  /// Returns the number of whole seconds after which a time has passed, at least 1.
  private static func seconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    return max(Int(seconds) + (attoseconds > 0 ? 1 : 0), 1)
  }
}

extension Route {
  /// Returns a copy that responds to a limited number of requests of each client within a time.
  ///
  /// - Parameter limit: The limit. It replaces that of the route.
  /// - Returns: The route.
  public func limited(by limit: RateLimit) -> Route {
    copy(of: self) { $0.responder.rateLimit = limit }
  }
}

extension [Route] {
  /// Returns copies of the routes that share a quota.
  ///
  /// - Parameter limit: The limit for the routes that have none.
  /// - Returns: The routes.
  public func limited(by limit: RateLimit) -> [Route] {
    map { $0.responder.rateLimit == nil ? $0.limited(by: limit) : $0 }
  }
}
