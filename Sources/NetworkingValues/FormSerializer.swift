import Foundation
public import Networking
public import Promises

extension Promise where Value == Response {
  /// Parses a URL-encoded body, such as the response of an older token endpoint.
  ///
  /// ```swift
  /// networking.request(.token).validate().toForm().done { form in use(form["access_token"].string) }
  /// ```
  ///
  /// The value has a member for each name: a string or, if the body has the name more than once, an
  /// array of strings in their order. A plus sign is a space. A name or value whose percent-encoding
  /// is not valid is unchanged.
  ///
  /// Source: the URL Standard (WHATWG) section 5.1, application/x-www-form-urlencoded parsing.
  ///
  /// - Parameters:
  ///   - file: The source file of the call, for diagnostics.
  ///   - line: The source line of the call, for diagnostics.
  /// - Returns: A promise of the fields. It is rejected with a ``NetworkError`` with the code
  ///   `stringFailed`, which contains the response.
  public func toForm(file: StaticString = #fileID, line: UInt = #line) -> Promise<JSON> {
    serialize(using: FormSerializer(), file: file, line: line)
  }
}

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
