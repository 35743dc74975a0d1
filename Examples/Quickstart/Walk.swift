import Mocking

/// The chain: each request depends on the answer to the one before.
struct Walk: Sendable {
  let networking: Networking<BoardsAPI>

  /// Logs in, looks at every board, and makes one, renames it and throws it away.
  ///
  /// - Returns: a promise of the time each step took, rejected with a ``Step/Failure``.
  func start() -> Promise<[Stopwatch.Lap]> {
    let networking = networking
    let stopwatch = Stopwatch()

    return networking.request(.login(user: "ada", password: "lovelace"))
      .validate()
      .decode(Session.self)
      .tap { session in networking.authenticate(bearerToken: session.token) }
      .lap(.logIn, stopwatch)

      .then { _ in networking.request(.boards) }
      .validate()
      .decode([Board.Summary].self)
      .lap(.list, stopwatch)

      .then { boards in when(boards.map { networking.request(.board(id: $0.id)).board() }) }
      .lap(.details, stopwatch) { boards in boards.count }

      .then { _ in networking.request(.create(title: "Stilts")).board() }
      .lap(.create, stopwatch)

      .then { board in networking.request(.update(id: board.id, title: "Long Stilts")).board() }
      .validate { board in board.title == "Long Stilts" }
      .lap(.update, stopwatch)

      .then { board in networking.request(.delete(id: board.id)) }
      .validate()
      .lap(.delete, stopwatch)

      .map { _ in stopwatch.laps }
      .recover { error in throw Step.Failure(step: stopwatch.nextStep, reason: error) }
  }
}

extension NetworkPromise {
  /// The board in an answer that has to hold one.
  fileprivate func board() -> Promise<Board> {
    validate().decode(Board.self)
  }
}
