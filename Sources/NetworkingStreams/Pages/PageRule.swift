import Foundation
import Networking

/// A rule that finds the next page of a list.
///
/// ```swift
/// networking.pages(of: .orders, next: .link)
/// networking.pages(of: .orders, next: .cursor("after", at: "paging.next"))
/// networking.pages(of: .orders, next: .number(items: "orders"))
/// networking.pages(of: .orders, next: .custom { page in
///   try page.json(at: "more").bool == true ? .parameters(["from": .int(page.number * 50)]) : nil
/// })
/// ```
///
/// A rule whose name has `at path` reads a value of a JSON body. A path has names of members and
/// indices of elements, separated by periods: `meta.next`, or `data.-1.id` for the last element.
public struct PageRule: Sendable {
  /// The request of the next page.
  public enum Next: Sendable {
    /// A URL, which can be relative to that of the page.
    case url(String)
    /// The request of this page with some parameters replaced or added.
    case parameters(Parameters)
    /// Another request to the same endpoint.
    case request(Request)
  }

  let next: @Sendable (_ page: Page) throws -> Next?

  /// Returns a rule of the caller's.
  ///
  /// - Parameter next: The closure, which returns the request of the next page, or `nil` after the
  ///   last one. It runs once for each page, on the thread on which the response has arrived, and must
  ///   not block. Its error ends the sequence.
  /// - Returns: The rule.
  public static func custom(
    _ next: @escaping @Sendable (_ page: Page) throws -> Next?
  ) -> PageRule {
    PageRule(next: next)
  }

  /// The link of the relation type `next` in the `Link` header field.
  ///
  /// Source: RFC 8288.
  public static let link = link(relation: "next")

  /// Returns a rule that follows a link in the `Link` header field.
  ///
  /// A link with an `anchor`, which is a link of another resource, is ignored.
  ///
  /// - Parameter relation: The relation type.
  /// - Returns: The rule.
  public static func link(relation: String) -> PageRule {
    let relation = relation.lowercased()
    return PageRule { page in
      page.response.links.first { $0.relations.contains(relation) && $0["anchor"] == nil }
        .map { .url($0.target) }
    }
  }

  /// Returns a rule that follows a URL in the body.
  ///
  /// The page is the last one if the value is missing, `null`, `false` or empty.
  ///
  /// - Parameter path: The path of the URL, such as `next` or `links.next`.
  /// - Returns: The rule.
  public static func url(at path: String) -> PageRule {
    PageRule { page in try page.cursor(at: path).map { .url($0) } }
  }

  /// Returns a rule that sends a cursor of the body as a parameter.
  ///
  /// The page is the last one if the value is missing, `null`, `false` or empty.
  ///
  /// ```swift
  /// .cursor("starting_after", at: "data.-1.id", while: "has_more")
  /// ```
  ///
  /// - Parameters:
  ///   - parameter: The name of the parameter. It is in the query of a GET, and in the body of a POST
  ///     with parameters.
  ///   - path: The path of the cursor, a string or a number.
  ///   - condition: The path of a Boolean, which is `true` if there are more pages. `nil` for none.
  /// - Returns: The rule.
  public static func cursor(
    _ parameter: String, at path: String, while condition: String? = nil
  ) -> PageRule {
    PageRule { page in
      if let condition, try page.json(at: condition).bool != true { return nil }
      return try page.cursor(at: path).map { .parameters([parameter: .string($0)]) }
    }
  }

  /// Returns a rule that sends the value of a response header field as a parameter.
  ///
  /// The page is the last one if the field is missing or empty.
  ///
  /// - Parameters:
  ///   - parameter: The name of the parameter.
  ///   - name: The name of the header field.
  /// - Returns: The rule.
  public static func cursor(_ parameter: String, inField name: String) -> PageRule {
    PageRule { page in
      guard let value = page.response.headers[name], !value.isEmpty else { return nil }
      return .parameters([parameter: .string(value)])
    }
  }

  /// Returns a rule that counts pages.
  ///
  /// The last page is that with the number at `total`, or one without items, or one with fewer items
  /// than `size`. The first request has the number only if the endpoint sets it.
  ///
  /// - Parameters:
  ///   - parameter: The name of the parameter.
  ///   - first: The number of the first page.
  ///   - items: The path of the items. The default is the root of the body.
  ///   - size: The number of items of a full page. `nil` if it is not known.
  ///   - total: The path of the number of pages. `nil` uses the items.
  /// - Returns: The rule. It throws ``NetworkError`` with the code `jsonFailed` if there is no array
  ///   at `items`.
  public static func number(
    _ parameter: String = "page", first: Int = 1, items: String = "", size: Int? = nil,
    total: String? = nil
  ) -> PageRule {
    PageRule { page in
      let number = page.number(of: parameter) ?? first
      if let total, let count = try page.json(at: total).int {
        guard number &- first &+ 1 < count else { return nil }
      } else {
        guard try page.isFull(items, size) else { return nil }
      }
      return .parameters([parameter: .int(number &+ 1)])
    }
  }

  /// Returns a rule that counts items.
  ///
  /// The last page is that which ends at the number at `total`, or one without items, or one with
  /// fewer items than `size`.
  ///
  /// - Parameters:
  ///   - parameter: The name of the parameter.
  ///   - items: The path of the items. The default is the root of the body.
  ///   - size: The number of items of a full page. `nil` if it is not known.
  ///   - total: The path of the number of all items. `nil` uses the items of the page.
  /// - Returns: The rule. It throws ``NetworkError`` with the code `jsonFailed` if there is no array
  ///   at `items`.
  public static func offset(
    _ parameter: String = "offset", items: String = "", size: Int? = nil, total: String? = nil
  ) -> PageRule {
    PageRule { page in
      let next = (page.number(of: parameter) ?? 0) &+ (try page.itemCount(items))
      guard try page.isFull(items, size) else { return nil }
      if let total, let count = try page.json(at: total).int, next >= count { return nil }
      return .parameters([parameter: .int(next)])
    }
  }
}
