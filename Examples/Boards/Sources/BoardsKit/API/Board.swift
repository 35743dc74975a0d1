/// A board, as the server sends it.
nonisolated public struct Board: Codable, Hashable, Identifiable, Sendable {
  /// The identifier.
  public let id: Int
  /// The title.
  public var title: String
}
