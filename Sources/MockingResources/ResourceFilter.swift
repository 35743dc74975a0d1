import Networking

/// A condition on a member of an item, from a query parameter such as `price_gte=10` or `price:gte=10`.
struct ResourceFilter {
  /// The comparison that the end of the parameter's name selects.
  enum Comparison: String, CaseIterable {
    case equal = ""
    case notEqual = "_ne"
    case less = "_lt"
    case atMost = "_lte"
    case greater = "_gt"
    case atLeast = "_gte"
    /// A part of the text, ignoring case.
    case like = "_like"
    /// The same as ``like``.
    case contains = "_contains"
    /// A prefix of the text, ignoring case.
    case startsWith = "_startsWith"
    /// A suffix of the text, ignoring case.
    case endsWith = "_endsWith"
    /// One of several values, separated by commas.
    case oneOf = "_in"

    /// Creates the comparison of an operator after a colon, as in json-server 1.0.
    init?(operator name: Substring) {
      self.init(rawValue: name == "eq" ? "" : "_\(name)")
    }
  }

  /// A value of the parameter.
  private struct Operand {
    let text: String
    let number: Double?
    let folded: [UInt8]

    init(_ text: some StringProtocol) {
      self.text = String(text)
      number = Double(self.text)
      folded = Array(self.text.lowercased().utf8)
    }
  }

  /// The names of the member and of its parents.
  let path: [String]
  private let comparison: Comparison
  private let operands: [Operand]

  /// Creates a filter.
  ///
  /// - Parameters:
  ///   - name: The name of the parameter.
  ///   - values: The values of all parameters with the name, at least one.
  ///   - isMember: Returns whether an item may have a member with a name. If a name is a member, its
  ///     end selects no comparison.
  init(_ name: String, _ values: [String], isMember: (_ name: String) -> Bool) {
    let path = Self.path(name)
    let last = path[path.count - 1]
    let parts = last.split(separator: ":", omittingEmptySubsequences: false)
    let found = Comparison.allCases.first { comparison in
      comparison != .equal && last.hasSuffix(comparison.rawValue)
        && last.utf8.count > comparison.rawValue.utf8.count
    }
    if isMember(last) {
      comparison = .equal
      self.path = path
    } else if let found {
      comparison = found
      self.path = path.dropLast() + [String(last.dropLast(found.rawValue.count))]
    } else if parts.count == 2, let found = Comparison(operator: parts[1]) {
      comparison = found
      self.path = path.dropLast() + [String(parts[0])]
    } else {
      comparison = .equal
      self.path = path
    }
    operands =
      comparison == .oneOf
      ? values.flatMap { $0.split(separator: ",").map { Operand($0) } } : values.map { Operand($0) }
  }

  /// The number of values that are compared with that of an item.
  var operandCount: Int { operands.count }

  /// The length of the longest text that is searched for, or 0 for other comparisons.
  var longestText: Int {
    guard comparison == .like || comparison == .contains else { return 0 }
    return operands.map(\.folded.count).max() ?? 0
  }

  /// Splits the path of a member, such as `author.name`.
  static func path(_ name: String) -> [String] {
    name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }

  /// Returns the value of a member, or `nil` if it is missing.
  static func value(at path: [String], in json: JSON) -> JSON? {
    var value = json
    for name in path {
      switch value {
      case .dictionary(let members):
        guard let member = members[name] else { return nil }
        value = member
      case .array(let elements):
        guard let index = Int(name), elements.indices.contains(index) else { return nil }
        value = elements[index]
      default: return nil
      }
    }
    return value
  }

  /// Returns whether an item meets the condition.
  ///
  /// Of several equal values one must match; all other comparisons must hold for all values. An array
  /// matches if one of its elements does.
  func matches(_ item: JSON) -> Bool {
    let value = Self.value(at: path, in: item)
    switch comparison {
    case .equal, .oneOf:
      return operands.contains { operand in holds(value) { Self.isEqual($0, operand) } }
    case .notEqual:
      return !operands.contains { operand in holds(value) { Self.isEqual($0, operand) } }
    case .less: return all(value) { Self.order($0, $1).map { $0 < 0 } ?? false }
    case .atMost: return all(value) { Self.order($0, $1).map { $0 <= 0 } ?? false }
    case .greater: return all(value) { Self.order($0, $1).map { $0 > 0 } ?? false }
    case .atLeast: return all(value) { Self.order($0, $1).map { $0 >= 0 } ?? false }
    case .like, .contains: return all(value) { TextSearch.contains($1.folded, in: $0) }
    case .endsWith:
      return all(value) { value, operand in
        value.string.map { $0.lowercased().utf8.reversed().starts(with: operand.folded.reversed()) }
          ?? false
      }
    case .startsWith:
      return all(value) { value, operand in
        value.string.map { $0.lowercased().utf8.starts(with: operand.folded) } ?? false
      }
    }
  }

  private func all(_ value: JSON?, _ holds: (JSON, Operand) -> Bool) -> Bool {
    operands.allSatisfy { operand in self.holds(value) { holds($0, operand) } }
  }

  private func holds(_ value: JSON?, _ test: (JSON) -> Bool) -> Bool {
    guard let value else { return false }
    if case .array(let elements) = value { return elements.contains(where: test) }
    return test(value)
  }

  private static func isEqual(_ value: JSON, _ operand: Operand) -> Bool {
    switch value {
    case .null: operand.text == "null"
    case .bool(let value): operand.text == (value ? "true" : "false")
    case .string(let text): text == operand.text
    case .int(let number):
      Int(operand.text).map { $0 == number } ?? (Double(number) == operand.number)
    case .double, .decimal: value.double == operand.number
    case .array, .dictionary: false
    }
  }

  /// Compares a value; numbers by size, strings by their characters.
  ///
  /// A string is compared with a number only if it is the text of a number. `nil` if the values cannot
  /// be compared.
  private static func order(_ value: JSON, _ operand: Operand) -> Int? {
    if let right = operand.number {
      guard let left = value.double ?? value.string.flatMap(Double.init) else { return nil }
      return left == right ? 0 : left < right ? -1 : left > right ? 1 : nil
    }
    guard case .string(let text) = value else { return nil }
    return text == operand.text ? 0 : text < operand.text ? -1 : 1
  }
}

/// A search for a text in the strings and numbers of a JSON value, ignoring case.
enum TextSearch {
  /// Returns whether a value contains a text.
  ///
  /// - Parameters:
  ///   - part: The text in lowercase, in UTF-8.
  ///   - json: The value. The names of members are not searched.
  /// - Returns: `true` if a string or a number contains it.
  static func contains(_ part: [UInt8], in json: JSON) -> Bool {
    switch json {
    case .string(let text): contains(part, in: text.lowercased())
    case .int(let number): contains(part, in: String(number))
    case .double, .decimal: contains(part, in: json.description)
    case .array(let values): values.contains { contains(part, in: $0) }
    case .dictionary(let members): members.values.contains { contains(part, in: $0) }
    case .null, .bool: false
    }
  }

  private static func contains(_ part: [UInt8], in text: String) -> Bool {
    guard let first = part.first else { return true }
    var text = text
    return text.withUTF8 { bytes in
      guard bytes.count >= part.count else { return false }
      for start in 0...(bytes.count - part.count) where bytes[start] == first {
        if bytes[start...].starts(with: part) { return true }
      }
      return false
    }
  }
}
