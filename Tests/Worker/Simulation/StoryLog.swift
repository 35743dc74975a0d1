import CatenaSystem
import Networking
import Promises

/// An event of a story.
enum StoryEvent: Sendable {
  case started(call: Int)
  /// The call has left the queue, and its time limit runs.
  case began(call: Int)
  /// The call has passed all interceptors, as often as it is sent.
  case entered(call: Int)
  case hop(StoryHop)
  /// An exchange of the transport has ended.
  case ended(hop: Int, StoryHop.End)
  case cancelled(call: Int)
  case settled(call: Int, StoryOutcome, isStored: Bool)
  case suspended
  case resumed
  case network(isUp: Bool)
  case refreshStarted
  case refreshEnded(isSuccessful: Bool)
  case replayStarted
  /// A replay of the offline store has ended, or was not possible.
  case replayEnded(StoryReplay?)
  /// The calls whose requests are in the offline store at the end of the story.
  case remaining([Int])
}

/// One hop of a call, as the transport gets it.
struct StoryHop: Sendable {
  /// The end of an exchange.
  enum End: Sendable {
    case complete
    case failed
    /// The client has closed the connection.
    case closed
  }

  /// The number of the hop in the story.
  var number: Int
  /// The call that the request names.
  ///
  /// For an exchange that several calls share, it is the first of them.
  var call: Int
  var host: String
  var path: String
  var method: HTTPMethod
  var authorization: String?
  var idempotencyKey: String?
  var cookies: String?
  var bodySize: Int
  /// The reply of the server, or `nil` if the network was down.
  var reply: StoryReply?
}

/// The outcome of a call.
enum StoryOutcome: Sendable, Equatable {
  case status(Int)
  case failed(NetworkError.Code)
  case cancelled
  case refreshFailed
  case unexpected(String)

  init(_ result: Result<Response, any Error>) {
    self =
      switch result {
      case .success(let response): .status(response.status)
      case .failure(let error) where error.isCancellation: .cancelled
      case .failure(is RefreshError): .refreshFailed
      case .failure(let error as NetworkError): .failed(error.code)
      case .failure(let error): .unexpected("\(error)")
      }
  }
}

/// The calls whose requests a replay has sent.
struct StoryReplay: Sendable, Equatable {
  var delivered: [Int]
  var failed: [Int]
  var kept: [Int]
}

/// The error of a token request that failed.
struct RefreshError: Error {}

/// The events of a story, in order, each with its virtual time.
final class StoryLog: Sendable {
  struct Entry: Sendable {
    let time: Duration
    let event: StoryEvent
  }

  private struct State {
    var entries: [Entry] = []
    var hops = 0
  }

  let time: TestScheduler
  private let state = Mutex(State())

  init(time: TestScheduler) {
    self.time = time
  }

  var entries: [Entry] { state.withLock { $0.entries } }

  func append(_ event: StoryEvent) {
    let entry = Entry(time: time.now, event: event)
    state.withLock { $0.entries.append(entry) }
  }

  /// Appends a hop and returns its number.
  func append(_ hop: StoryHop) -> Int {
    let now = time.now
    return state.withLock { state in
      var hop = hop
      hop.number = state.hops
      state.hops += 1
      state.entries.append(Entry(time: now, event: .hop(hop)))
      return hop.number
    }
  }
}
