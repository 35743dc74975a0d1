package import Networking

/// The path as a JSON Pointer, such as `/boards/0/title`.
///
/// A step that was read from a pointer is a member. In an array, a member whose name is an index leads
/// to the element at this index.
///
/// Source: RFC 6901.
extension JSONValuePath {
  /// Creates a path of reference tokens.
  ///
  /// - Parameter tokens: The names of members and the indices of elements, decoded, from the root.
  package init(tokens: [String]) {
    self.init(steps: tokens.map { .member($0) })
  }

  /// Parses a pointer.
  ///
  /// `nil` if the text is neither empty nor begins with a slash, or if a `~` is not followed by 0 or 1.
  ///
  /// - Parameter text: The pointer, without a `#` and without percent-encoding.
  package init?(pointer text: String) {
    guard text.isEmpty || text.utf8.first == UInt8(ascii: "/") else { return nil }
    self.init()
    guard !text.isEmpty else { return }
    for part in text.utf8.dropFirst().split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    {
      guard let token = Self.decoded(part) else { return nil }
      steps.append(.member(token))
    }
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

  /// The reference tokens, decoded, from the root.
  package var tokens: [String] {
    steps.map { step in
      switch step {
      case .member(let name): name
      case .element(let index): String(index)
      }
    }
  }

  /// The pointer.
  package var pointer: String {
    tokens.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
  }
}

extension JSONValuePath.Step {
  /// Returns the index of an element of an array, or `nil` for the name of a member.
  ///
  /// The index of a pointer has no sign and no leading zeros.
  package var index: Int? {
    guard case .member(let name) = self else {
      return if case .element(let index) = self { index } else { nil }
    }
    let digits = name.utf8
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }),
      digits.count == 1 || digits.first != UInt8(ascii: "0")
    else { return nil }
    return Int(name)
  }
}

extension JSONValuePath {
  /// Returns the path of a child of the value at this path.
  ///
  /// - Parameter step: The step to the child.
  /// - Returns: The longer path.
  package func appending(_ step: Step) -> JSONValuePath { JSONValuePath(steps: steps + [step]) }
}
