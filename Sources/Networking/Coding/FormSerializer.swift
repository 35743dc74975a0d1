import Foundation

/// A serializer that parses a URL-encoded body.
struct FormSerializer: ResponseSerializing {
  /// Parses the body.
  ///
  /// - Parameter response: The response. An empty body has no members.
  /// - Returns: The names and their values.
  /// - Throws: ``NetworkError`` with the code `stringFailed` if the body is not text.
  func serialize(_ response: Response) throws -> JSON {
    var fields: [String: [JSON]] = [:]
    for field in try StringSerializer().serialize(response).split(separator: "&") {
      let sides = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.replacing("+", with: " ").removingPercentEncoding ?? String($0) }
      fields[sides[0], default: []].append(.string(sides.count > 1 ? sides[1] : ""))
    }
    return .dictionary(fields.mapValues { $0.count == 1 ? $0[0] : .array($0) })
  }
}
