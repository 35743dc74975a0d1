import Networking
import TestSupport

/// A random story of a client: its options and the steps of its user, its server and its network.
///
/// A story stays valid if parts are removed, so that a failing one can be shortened.
struct Story: Sendable, CustomStringConvertible {
  enum Part: Sendable {
    case option(StoryOption)
    case step(StoryStep)
  }

  var parts: [Part]

  init(parts: [Part]) {
    self.parts = parts
  }

  /// Draws a story.
  init(seed: UInt64) {
    var draws = StoryDraws(generator: SeededGenerator(seed: seed))
    parts = draws.options().map(Part.option) + draws.steps().map(Part.step)
  }

  var options: [StoryOption] {
    parts.compactMap { if case .option(let option) = $0 { option } else { nil } }
  }

  var steps: [StoryStep] {
    parts.compactMap { if case .step(let step) = $0 { step } else { nil } }
  }

  /// The replies to each request, in the order of the requests.
  var requests: [StoryRequest] {
    steps.compactMap { if case .request(let request) = $0 { request } else { nil } }
  }

  var description: String {
    parts.map { part in
      switch part {
      case .option(let option): "  option \(option)"
      case .step(let step): "  \(step)"
      }
    }
    .joined(separator: "\n")
  }
}

/// A setting of the client.
enum StoryOption: Sendable {
  case mode(RequestMode)
  /// The number of retries, the delay before each in seconds, and whether requests get a key.
  case retry(limit: Int, seconds: Int, addsKey: Bool)
  case callTimeout(seconds: Int)
  case attemptTimeout(seconds: Int)
  /// The limit of redirects.
  case redirects(limit: Int)
  /// The time to wait for a network in seconds, or `nil` to fail at once.
  case whenUnreachable(waitsSeconds: Int?)
  /// A token refresh after a 401, with the replies to the requests for tokens.
  case refresh([StoryReply])
  /// One exchange for identical concurrent requests.
  case sharing
  /// A cookie jar.
  case cookies
  /// A circuit breaker: the number of failures, and the cooldown in seconds.
  case circuit(threshold: Int, seconds: Int)
  /// An offline store, and whether it is replayed when the network returns.
  case offline(isAutomatic: Bool)
}

/// One step of a story.
enum StoryStep: Sendable {
  case request(StoryRequest)
  /// The cancellation of a request. The number counts modulo the requests made so far.
  case cancel(Int)
  case cancelAll
  case suspend
  case resume
  case network(isUp: Bool)
  case advance(seconds: Int)
  /// A replay of the offline store.
  case replay
}

/// A request and the replies to its hops, in order.
///
/// Further hops get a 200.
struct StoryRequest: Sendable {
  var method: HTTPMethod
  /// The time limit of the call in seconds, or `nil` for that of the client.
  var timeout: Int?
  /// The resource of a GET that several requests may have in common, or `nil` for one of its own.
  var resource: Int?
  /// The key of the request in the offline store, or `nil` if it is not stored.
  var storeKey: Int?
  var replies: [StoryReply]

  /// Returns the path of the request.
  ///
  /// - Parameter call: The number of the request.
  /// - Returns: The path.
  func path(_ call: Int) -> String { resource.map { "/s/\($0)" } ?? "/r/\(call)" }
}

/// A reply of the server to one hop.
struct StoryReply: Sendable {
  enum Kind: Sendable {
    case status(Int)
    /// A 503 with `Retry-After`, in seconds.
    case retryAfter(Int)
    case redirect(Int, crossesOrigin: Bool)
    case failure(NetworkError.Code)
    /// The connection breaks in the middle of the body.
    case broken
    /// Nothing is ever sent.
    case silent
  }

  var kind: Kind
  /// The delay in seconds.
  var delay: Int
  /// The cookie that a response sets.
  var cookie: StoryCookie?
}

/// A cookie of a response.
///
/// Its value is the number of the hop.
struct StoryCookie: Sendable {
  enum Kind: Sendable {
    /// A cookie without an end.
    case plain
    case expiring(seconds: Int)
    /// A cookie that the server deletes.
    case deleted
    /// A cookie for the domain of the other server, or for the public suffix of both.
    case foreign(isSuffix: Bool)
  }

  var name: String
  var kind: Kind
}
