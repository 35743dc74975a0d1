/// The query of a request received, decoded.
public struct RequestQuery: Sendable, Hashable {
  /// One name and its value.
  public struct Item: Sendable, Hashable {
    /// The name, decoded.
    public let name: String
    /// The value, decoded; empty when there is no equals sign.
    public let value: String
  }

  /// The items in order; a name may occur more than once.
  public let items: [Item]

  /// Items are parted by `&`; a `+` is a space.
  ///
  /// One that cannot be decoded stays as it was sent.
  init(_ text: Substring?) {
    items = (text ?? "").split(separator: "&").map { part in
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      func decoded(_ side: Substring) -> String {
        PercentCoding.decode(side, plusIsSpace: true) ?? String(side)
      }
      return Item(name: decoded(sides[0]), value: sides.count > 1 ? decoded(sides[1]) : "")
    }
  }

  /// The first value of a name, or nil when there is none.
  ///
  /// - Parameter name: the name, in this very spelling.
  public subscript(name: String) -> String? {
    items.first { $0.name == name }?.value
  }

  /// Every value of a name, in order.
  ///
  /// - Parameter name: the name, in this very spelling.
  /// - Returns: the values; empty when there is none.
  public func values(for name: String) -> [String] {
    items.filter { $0.name == name }.map(\.value)
  }
}
