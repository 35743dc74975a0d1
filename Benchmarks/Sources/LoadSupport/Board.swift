/// What the servers of the benchmarks answer with: 40 bytes of JSON.
public struct Board: Codable, Sendable, Equatable {
  /// Its number.
  public let id: Int
  /// Its title.
  public let title: String

  /// The JSON itself.
  public static let json = #"{"id":7,"title":"Board of forty bytes!"}"#

  /// Whether this is the board that the servers have.
  public var isRight: Bool { id == 7 }
}
