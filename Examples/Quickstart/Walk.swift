import Foundation
import Mocking

// MARK: The API

/// The endpoints of the boards API.
enum BoardsAPI: RequestConvertible {
  case login(user: String, password: String)
  case boards
  case board(id: Int)
  case create(title: String)
  case update(id: Int, title: String)
  case delete(id: Int)

  static let baseURL = URL(string: "https://boards.example.com/")
  static let headers: HTTPHeaders = ["Accept": "application/json"]

  var request: Request {
    switch self {
    case .login(let user, let password):
      .post("login", parameters: ["user": user, "password": password])
    case .boards: .get("boards")
    case .board(let id): .get("boards/\(id)")
    case .create(let title): .post("boards", parameters: ["title": title])
    case .update(let id, let title): .patch("boards/\(id)", parameters: ["title": title])
    case .delete(let id): .delete("boards/\(id)")
    }
  }
}

/// The response to a login: the token for all other requests.
struct Session: Codable, Sendable {
  var token: String
}

/// A board with its cards.
struct Board: Codable, Sendable, Equatable {
  var id: Int
  var title: String
  var cards: [String] = []

  /// An element of the list of boards.
  struct Summary: Codable, Sendable, Equatable {
    var id: Int
    var title: String
  }

  var summary: Summary { Summary(id: id, title: title) }
}

// MARK: The chain

/// A chain of dependent requests to the boards API.
struct Walk: Sendable {
  let mode: RequestMode
  let networking: Networking<BoardsAPI>

  /// Logs in, fetches every board, then creates, renames and deletes one.
  ///
  /// - Returns: A promise of the time of each step. It is rejected with a ``Failure``.
  func start() -> Promise<[StepTimer.Measurement]> {
    let (mode, networking) = (mode, networking)
    let timer = StepTimer()

    return networking.request(.login(user: "ada", password: "lovelace"))
      .validate()
      .decode(Session.self)
      .tap { session in networking.authenticate(bearerToken: session.token) }
      .record(.logIn, in: timer)

      .then { _ in networking.request(.boards) }
      .validate()
      .decode([Board.Summary].self)
      .record(.list, in: timer)

      .then { boards in when(boards.map { networking.request(.board(id: $0.id)).board() }) }
      .record(.details, in: timer) { boards in boards.count }

      .then { _ in networking.request(.create(title: "Stilts")).board() }
      .record(.create, in: timer)

      .then { board in networking.request(.update(id: board.id, title: "Long Stilts")).board() }
      .validate { board in board.title == "Long Stilts" }
      .record(.update, in: timer)

      .then { board in networking.request(.delete(id: board.id)) }
      .validate()
      .record(.delete, in: timer)

      .map { _ in timer.measurements }
      .recover { error in throw Failure(mode: mode, step: timer.currentStep, reason: error) }
  }

  /// The error of a walk, with its mode and the step that failed.
  struct Failure: Error, CustomStringConvertible {
    let mode: RequestMode
    let step: Step
    let reason: any Error

    var description: String { "with .\(mode), could not \(step.rawValue): \(reason)" }
  }
}

extension NetworkPromise {
  /// Validates the response and decodes a board from its body.
  fileprivate func board() -> Promise<Board> {
    validate().decode(Board.self)
  }
}

// MARK: The steps and their times

/// The steps of a walk, in order.
enum Step: String, CaseIterable, Sendable {
  case logIn = "log in"
  case list = "list the boards"
  case details = "fetch each board"
  case create = "create one"
  case update = "rename it"
  case delete = "delete it"

  /// The method and path of the requests, for the report.
  var request: String {
    switch self {
    case .logIn: "POST login"
    case .list: "GET boards"
    case .details: "GET boards/{id}"
    case .create: "POST boards"
    case .update: "PATCH boards/{id}"
    case .delete: "DELETE boards/{id}"
    }
  }
}

/// A timer of the steps of one walk.
final class StepTimer: Sendable {
  /// A completed step.
  struct Measurement: Sendable {
    let step: Step
    let requests: Int
    let duration: Duration
  }

  private struct State {
    var measurements: [Measurement] = []
    var start = ContinuousClock.now
  }

  private let state = MockState(State())

  var measurements: [Measurement] { state.withValue { $0.measurements } }

  /// The first step that is not completed.
  var currentStep: Step {
    let completed = measurements.count
    return Step.allCases.dropFirst(completed).first ?? .delete
  }

  /// Ends a step and starts the next one.
  func record(_ step: Step, requests: Int) {
    let now = ContinuousClock.now
    state.withValue { state in
      state.measurements.append(
        Measurement(step: step, requests: requests, duration: now - state.start))
      state.start = now
    }
  }
}

extension Promise where Value: Sendable {
  /// Records the duration of a step when this promise is fulfilled.
  ///
  /// This is an example of a custom operator.
  fileprivate func record(
    _ step: Step, in timer: StepTimer,
    requests: @escaping @Sendable (Value) -> Int = { _ in 1 }
  ) -> Promise {
    tap(on: .inline) { value in timer.record(step, requests: requests(value)) }
  }
}

/// The result of one walk in one mode.
struct Run: Sendable {
  let mode: RequestMode
  let measurements: [StepTimer.Measurement]
  /// The maximum number of concurrent requests, or `nil` if the backend does not count them.
  let maxConcurrentRequests: Int?

  /// The mode in Swift syntax.
  var name: String { ".\(mode)" }
  var requests: Int { measurements.map(\.requests).reduce(0, +) }
  var duration: Duration { measurements.map(\.duration).reduce(.zero, +) }
}
