import CatenaSystem
import Foundation

/// Names with values of a received request: its decoded query, its form fields or its cookies.
public struct RequestQuery: Sendable, Hashable {
  /// A name with its value.
  public struct Item: Sendable, Hashable {
    /// The decoded name.
    public let name: String
    /// The decoded value.
    ///
    /// Empty if the item has no equals sign.
    public let value: String
  }

  /// The items in order.
  ///
  /// A name may occur more than once.
  public let items: [Item]

  init(items: [Item]) {
    self.items = items
  }

  /// Parses items separated by `&`, and decodes `+` as a space.
  ///
  /// A name or value that cannot be decoded is unchanged.
  package init(_ text: Substring?) {
    // Bytes, because a separator and a following combining character form one `Character`.
    items = (text ?? "").utf8.split(separator: UInt8(ascii: "&")).map { part in
      let sides = part.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      func decoded(_ side: Substring.UTF8View) -> String {
        let side = Substring(side)
        return PercentEncoding.decode(side, plusIsSpace: true) ?? String(side)
      }
      return Item(name: decoded(sides[0]), value: sides.count > 1 ? decoded(sides[1]) : "")
    }
  }

  /// The first value of a name.
  ///
  /// `nil` if there is none.
  ///
  /// - Parameter name: The name, case-sensitive.
  public subscript(name: String) -> String? {
    items.first { $0.name == name }?.value
  }

  /// Returns all values of a name, in order.
  ///
  /// - Parameter name: The name, case-sensitive.
  /// - Returns: The values. Empty if there are none.
  public func values(for name: String) -> [String] {
    items.filter { $0.name == name }.map(\.value)
  }
}
