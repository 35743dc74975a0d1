import Foundation
import Networking

/// A page of a list, as the rule for the next page receives it.
public struct Page: Sendable {
  /// The number of the page among those that have been received, from 1.
  public let number: Int
  /// The request of the page.
  public let request: Request
  /// The response.
  public let response: Response

  /// Creates a page, for tests of rules.
  ///
  /// - Parameters:
  ///   - number: The number of the page, from 1.
  ///   - request: The request of the page.
  ///   - response: The response.
  public init(number: Int, request: Request, response: Response) {
    self.number = number
    self.request = request
    self.response = response
  }

  /// Parses the body as JSON.
  ///
  /// - Returns: The value.
  /// - Throws: ``NetworkError`` with the code `jsonFailed` or `noData`.
  public func json() throws -> JSON { try JSONSerializer().serialize(response) }

  /// Parses the body as JSON, and returns the value at a path.
  ///
  /// - Parameter path: The names of members and the indices of elements, separated by periods, such as
  ///   `meta.next`. The index `-1` is the last element. The empty path is the root.
  /// - Returns: The value. `null` if there is none.
  /// - Throws: ``NetworkError`` with the code `jsonFailed` or `noData`.
  public func json(at path: String) throws -> JSON {
    path.split(separator: ".").reduce(try json()) { value, step in
      guard let elements = value.array else { return value[String(step)] }
      guard let index = Int(step) else { return .null }
      return value[index < 0 ? elements.count + index : index]
    }
  }
}

extension Page {
  /// Returns a string or a number of the body as text.
  func cursor(at path: String) throws -> String? {
    let value = try json(at: path)
    let text: String? =
      switch value {
      case .string(let text): text
      case .int(let number): "\(number)"
      case .decimal(let number): "\(number)"
      case .double(let number): "\(number)"
      case .null, .bool, .array, .dictionary: nil
      }
    return text.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the value of a parameter of the request.
  func number(of parameter: String) -> Int? {
    switch request.parameters?[parameter] {
    case .int(let number): number
    case .string(let text): Int(text)
    default: nil
    }
  }

  func itemCount(_ path: String) throws -> Int {
    guard let items = try json(at: path).array else {
      let place = path.isEmpty ? "the body" : "the value at \(path)"
      throw NetworkError(.jsonFailed, response, "\(place) is not an array")
    }
    return items.count
  }

  func isFull(_ path: String, _ size: Int?) throws -> Bool {
    try itemCount(path) >= max(size ?? 1, 1)
  }
}
