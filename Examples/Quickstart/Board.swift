/// A board with the cards on it, as the API shows it.
struct Board: Codable, Sendable, Equatable {
  var id: Int
  var title: String
  var cards: [String] = []

  /// What the list of boards tells of each.
  struct Summary: Codable, Sendable, Equatable {
    var id: Int
    var title: String
  }

  var summary: Summary { Summary(id: id, title: title) }
}

extension Board {
  /// What a backend has at first, the served one and the mocked one.
  static let samples = [
    Board(id: 1, title: "Balsa Fish", cards: ["Cut the fins", "Sand the body"]),
    Board(id: 2, title: "Paper Plane", cards: ["Fold", "Throw"]),
    Board(id: 3, title: "Tin Robot", cards: ["Find the key"]),
    Board(id: 4, title: "Kite", cards: ["Wait for wind"]),
    Board(id: 5, title: "Music Box", cards: ["Oil the cylinder", "Tune the comb"]),
    Board(id: 6, title: "Spinning Top"),
  ]
}
