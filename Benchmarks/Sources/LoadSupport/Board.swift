/// The response body of the benchmark servers: 40 bytes of JSON.
public struct Board: Codable, Sendable, Equatable {
  /// The number of the board.
  public let id: Int
  /// The title of the board.
  public let title: String

  /// The body as JSON.
  public static let json = #"{"id":7,"title":"Board of forty bytes!"}"#
}
