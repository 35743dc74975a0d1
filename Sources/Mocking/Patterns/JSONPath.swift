package import Networking

/// A path that selects values in a JSON text, in a subset of JSONPath.
///
/// | syntax | selects |
/// |---|---|
/// | `$` | the root |
/// | `.name`, `['name']`, `["name"]` | a member of an object |
/// | `[0]`, `[-1]` | an element of an array, counted from its start or from its end |
/// | `.*`, `[*]` | all members or elements |
/// | `..name`, `..*`, `..[0]` | the same at any depth |
/// | `[1:3]`, `[:2]`, `[::-1]` | the elements of a slice with its start, end and step |
/// | `[?@.price < 10]` | the members or elements that meet a condition, see ``JSONFilter`` |
/// | `[0, 'name']` | the values of several selectors |
///
/// A search visits each value at most once, so its time is at most proportional to the size of the
/// JSON value times the size of the path. Queries for several values and functions in filters are
/// therefore errors. The order of the selected values is that of the text.
///
/// Source: RFC 9535 section 2.
package struct JSONPath: Sendable, Hashable {
  /// A part of a segment in brackets.
  enum Selector: Sendable, Hashable {
    case member(String)
    /// An index; a negative one counts from the end.
    case element(Int)
    case all
    case slice(start: Int?, end: Int?, step: Int)
    case filter(JSONFilter)

    /// Returns whether a member is selected.
    func selects(_ name: String, _ value: JSON) -> Bool {
      switch self {
      case .member(let wanted): wanted == name
      case .all: true
      case .filter(let filter): filter.holds(for: value)
      case .element, .slice: false
      }
    }

    /// Returns whether an element is selected.
    func selects(_ index: Int, of count: Int, _ value: JSON) -> Bool {
      switch self {
      case .element(let wanted): wanted == index || wanted == index - count
      case .all: true
      case .slice(let start, let end, let step):
        Self.slice(start, end, step, of: count, contains: index)
      case .filter(let filter): filter.holds(for: value)
      case .member: false
      }
    }

    /// Source: RFC 9535 section 2.3.4.2.2.
    private static func slice(
      _ start: Int?, _ end: Int?, _ step: Int, of count: Int, contains index: Int
    ) -> Bool {
      func place(_ bound: Int?, _ standard: Int) -> Int {
        bound.map { $0 < 0 ? count + $0 : $0 } ?? standard
      }
      if step > 0 {
        let first = max(place(start, 0), 0)
        return index >= first && index < place(end, count) && (index - first) % step == 0
      }
      guard step < 0 else { return false }
      let first = min(place(start, count - 1), count - 1)
      return index <= first && index > place(end, -1) && (first - index) % -step == 0
    }
  }

  struct Segment: Sendable, Hashable {
    let selectors: [Selector]
    /// Whether the segment applies to the values at any depth.
    let isDescendant: Bool
  }

  /// The limit for the number of segments, which are the bits of a word.
  static let maximumSegmentCount = 60

  /// The path as written.
  let text: String
  let segments: [Segment]

  /// Parses a path.
  ///
  /// - Throws: ``JSONPathError`` for the first error.
  package init(_ text: String) throws(JSONPathError) {
    self.text = text
    var parser = JSONPathParser(text)
    segments = try parser.parse()
    guard segments.count <= Self.maximumSegmentCount else {
      throw JSONPathError(
        reason: "the path has more than \(Self.maximumSegmentCount) segments", position: 0)
    }
  }

  /// The names of the members in the path, without those in filters.
  var names: [String] {
    segments.flatMap(\.selectors).compactMap { selector in
      if case .member(let name) = selector { name } else { nil }
    }
  }

  /// Returns the selected values in the order of the text, the members of objects by name.
  ///
  /// - Parameters:
  ///   - json: The root.
  ///   - limit: The maximum number of values.
  /// - Returns: The values.
  package func values(in json: JSON, limit: Int = .max) -> [JSON] {
    var values: [JSON] = []
    guard limit > 0 else { return [] }
    _ = search(json, 1, isSorted: true) { value in
      values.append(value)
      return values.count >= limit
    }
    return values
  }

  /// Returns whether a selected value satisfies a condition.
  func contains(in json: JSON, where isWanted: (_ value: JSON) -> Bool) -> Bool {
    search(json, 1, isSorted: false, isWanted)
  }

  /// Searches a value and the values in it.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - states: The numbers of segments, as bits, after which the path leads to the value.
  ///   - isSorted: Whether members are visited in the order of their names.
  ///   - isWanted: A closure that receives the selected values, and ends the search with `true`.
  /// - Returns: Whether the closure has ended the search.
  private func search(
    _ value: JSON, _ states: UInt64, isSorted: Bool, _ isWanted: (JSON) -> Bool
  ) -> Bool {
    if states >> UInt64(segments.count) & 1 == 1, isWanted(value) { return true }
    switch value {
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        let next = next(states) { $0.selects(index, of: elements.count, element) }
        if next != 0, search(element, next, isSorted: isSorted, isWanted) { return true }
      }
    case .dictionary(let members):
      for (name, member) in isSorted ? members.sorted(by: { $0.key < $1.key }) : Array(members) {
        let next = next(states) { $0.selects(name, member) }
        if next != 0, search(member, next, isSorted: isSorted, isWanted) { return true }
      }
    case .null, .bool, .int, .decimal, .double, .string: break
    }
    return false
  }

  /// Returns the states of a child of a value.
  private func next(_ states: UInt64, _ selects: (Selector) -> Bool) -> UInt64 {
    var next: UInt64 = 0
    for (index, segment) in segments.enumerated() where states >> UInt64(index) & 1 == 1 {
      if segment.isDescendant { next |= 1 << UInt64(index) }
      if segment.selectors.contains(where: selects) { next |= 1 << UInt64(index + 1) }
    }
    return next
  }
}

/// A condition on a member or element: `@.price < 10 && !(@.sold || @.kind == 'book')`.
///
/// | syntax | holds |
/// |---|---|
/// | `@.a.b`, `@['a'][0]`, `@` | if the value exists |
/// | `@.a == 1`, `!=`, `<`, `<=`, `>`, `>=` | if two values, or a value and a literal, compare so |
/// | `a && b`, `a \|\| b`, `!a`, `(a)` | combinations |
///
/// A literal is a number, a text in single or double quotation marks, `true`, `false` or `null`. Numbers
/// and texts are ordered, texts by Unicode scalars; other values are only equal or not. Unlike in RFC
/// 9535, arrays and objects equal nothing, so that the time of a comparison is limited.
///
/// Source: RFC 9535 section 2.3.5.
indirect enum JSONFilter: Sendable, Hashable {
  enum Comparison: String, Sendable, CaseIterable {
    case equal = "=="
    case notEqual = "!="
    case atMost = "<="
    case atLeast = ">="
    case less = "<"
    case greater = ">"
  }

  enum Operand: Sendable, Hashable {
    case literal(JSON)
    /// Members and elements, from the tested value inwards.
    case path([JSONPath.Selector])

    /// Returns the value, or `nil` if there is none.
    func value(in json: JSON) -> JSON? {
      guard case .path(let steps) = self else {
        return if case .literal(let literal) = self { literal } else { nil }
      }
      var value = json
      for step in steps {
        switch (step, value) {
        case (.member(let name), .dictionary(let members)):
          guard let member = members[name] else { return nil }
          value = member
        case (.element(let index), .array(let elements)):
          let index = index < 0 ? elements.count + index : index
          guard elements.indices.contains(index) else { return nil }
          value = elements[index]
        default: return nil
        }
      }
      return value
    }
  }

  case exists(Operand)
  case compare(Operand, Comparison, Operand)
  case all([JSONFilter])
  case any([JSONFilter])
  case not(JSONFilter)

  /// Returns whether the condition holds for a member or element.
  func holds(for value: JSON) -> Bool {
    switch self {
    case .exists(let operand): operand.value(in: value) != nil
    case .all(let filters): filters.allSatisfy { $0.holds(for: value) }
    case .any(let filters): filters.contains { $0.holds(for: value) }
    case .not(let filter): !filter.holds(for: value)
    case .compare(let left, let comparison, let right):
      Self.compare(left.value(in: value), comparison, right.value(in: value))
    }
  }

  private static func compare(_ left: JSON?, _ comparison: Comparison, _ right: JSON?) -> Bool {
    switch comparison {
    case .equal: isEqual(left, right)
    case .notEqual: !isEqual(left, right)
    case .less: isLess(left, right)
    case .greater: isLess(right, left)
    case .atMost: isLess(left, right) || isEqual(left, right)
    case .atLeast: isLess(right, left) || isEqual(left, right)
    }
  }

  /// Returns whether two values are equal; two missing values are.
  private static func isEqual(_ left: JSON?, _ right: JSON?) -> Bool {
    switch (left, right) {
    case (.array?, _), (.dictionary?, _): false
    default: left == right
    }
  }

  private static func isLess(_ left: JSON?, _ right: JSON?) -> Bool {
    switch (left, right) {
    case (.string(let left)?, .string(let right)?):
      return left.unicodeScalars.lexicographicallyPrecedes(right.unicodeScalars)
    case (.int(let left)?, .int(let right)?): return left < right
    default:
      guard let left = left?.double, let right = right?.double else { return false }
      return left < right
    }
  }
}
