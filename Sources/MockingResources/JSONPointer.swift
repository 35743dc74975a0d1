import Mocking
import Networking

/// The position of a value in a JSON value, such as `/boards/0/title`.
///
/// Source: RFC 6901.
package struct JSONPointer: Hashable {
  /// The reason why a value does not exist or cannot be changed.
  struct Failure: Error {
    let reason: String
    var kind = JSONPatch.Kind.invalid
  }

  /// The decoded reference tokens from the root.
  package let tokens: [String]

  /// Parses a pointer.
  ///
  /// `nil` if the text is neither empty nor begins with a slash, or if a `~` is not followed by 0 or
  /// 1.
  package init?(_ text: String) {
    guard !text.isEmpty else {
      tokens = []
      return
    }
    guard text.utf8.first == UInt8(ascii: "/") else { return nil }
    var tokens: [String] = []
    for part in text.utf8.dropFirst().split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    {
      guard let token = Self.decoded(part) else { return nil }
      tokens.append(token)
    }
    self.tokens = tokens
  }

  private static func decoded(_ part: Substring.UTF8View) -> String? {
    guard part.contains(UInt8(ascii: "~")) else { return String(Substring(part)) }
    var bytes: [UInt8] = []
    var rest = part
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "~") else {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
      case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
      default: return nil
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the pointer to a member of the root.
  package static func escaped(_ name: String) -> String {
    "/" + name.replacing("~", with: "~0").replacing("/", with: "~1")
  }

  /// Whether this pointer leads to a value inside the value of another pointer.
  func isInside(_ other: JSONPointer) -> Bool {
    tokens.count > other.tokens.count && tokens.starts(with: other.tokens)
  }

  // MARK: Reading

  /// Returns the value.
  func value(in json: JSON) throws(Failure) -> JSON {
    try value(at: tokens[...], in: json)
  }

  private func value(at path: ArraySlice<String>, in json: JSON) throws(Failure) -> JSON {
    var value = json
    for token in path {
      value =
        switch try step(token, in: value) {
        case .member(let name): value[name]
        case .element(let index): value[index]
        }
    }
    return value
  }

  /// Returns the step to the child with a token, which must exist.
  private func step(_ token: String, in json: JSON) throws(Failure) -> JSONValuePath.Step {
    switch json {
    case .dictionary(let members):
      guard members[token] != nil else { throw missing }
      return .member(token)
    case .array(let elements):
      guard let index = Self.index(token), elements.indices.contains(index) else { throw missing }
      return .element(index)
    default: throw missing
    }
  }

  /// Returns the number of elements of an array that an insertion or a removal moves.
  func movedElements(in json: JSON) throws(Failure) -> Int {
    guard let last = tokens.last, last != "-",
      case .array(let elements) = try value(at: tokens.dropLast(), in: json)
    else { return 0 }
    return max(elements.count - (Self.index(last) ?? elements.count), 0)
  }

  private var missing: Failure {
    Failure(reason: "there is no value at \(ReportFormatter.quoted(description))")
  }

  /// Parses an index, which has no leading zeros.
  private static func index(_ token: String) -> Int? {
    let digits = token.utf8
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }),
      digits.count == 1 || digits.first != UInt8(ascii: "0")
    else { return nil }
    return Int(token)
  }

  // MARK: Changing

  /// Adds a member, inserts an element before the index, or replaces the root.
  ///
  /// The index `-` appends an element. An existing member is replaced.
  func insert(_ value: JSON, in json: inout JSON) throws(Failure) {
    guard let last = tokens.last else {
      json = value
      return
    }
    try change(&json, tokens.dropLast()) { (parent: inout JSON) throws(Failure) in
      switch parent {
      case .dictionary: parent[last] = value
      case .array(var elements):
        let index = last == "-" ? elements.count : Self.index(last)
        guard let index, index <= elements.count else { throw missing }
        parent = .null
        elements.insert(value, at: index)
        parent = .array(elements)
      default: throw missing
      }
    }
  }

  /// Replaces the value, which must exist.
  func replace(by value: JSON, in json: inout JSON) throws(Failure) {
    try change(&json, tokens[...]) { (old: inout JSON) throws(Failure) in old = value }
  }

  /// Removes the value, which must exist, and returns it.
  ///
  /// The root is replaced by `null`.
  func remove(from json: inout JSON) throws(Failure) -> JSON {
    let removed = try value(in: json)
    guard let last = tokens.last else {
      json = .null
      return removed
    }
    try change(&json, tokens.dropLast()) { (parent: inout JSON) throws(Failure) in
      if case .array(var elements) = parent, let index = Self.index(last) {
        parent = .null
        elements.remove(at: index)
        parent = .array(elements)
      } else {
        parent.remove(last)
      }
    }
    return removed
  }

  /// Runs a change on the value at a path, which must exist.
  private func change(
    _ json: inout JSON, _ path: ArraySlice<String>,
    _ body: (inout JSON) throws(Failure) -> Void
  ) throws(Failure) {
    guard let token = path.first else { return try body(&json) }
    // A reference to the children during the change would make it copy them.
    switch try step(token, in: json) {
    case .member(let name): try change(&json[name], path.dropFirst(), body)
    case .element(let index): try change(&json[index], path.dropFirst(), body)
    }
  }
}

extension JSONPointer: CustomStringConvertible {
  /// The text of the pointer.
  package var description: String { tokens.map(Self.escaped).joined() }
}
