/// The path of a value in a JSON text: `routes[2].headers`.
package struct JSONValuePath: Hashable, Sendable {
  /// A step into an object or an array.
  package enum Step: Hashable, Sendable {
    /// The member of an object with a name.
    case member(String)
    /// The element of an array at an index.
    case element(Int)
  }

  /// The steps from the root to the value.
  package var steps: [Step]

  /// Creates a path.
  ///
  /// - Parameter steps: The steps. The path of the root has none.
  package init(steps: [Step] = []) { self.steps = steps }

  /// Creates a path from the coding path of a decoder.
  ///
  /// - Parameter keys: The coding path.
  package init(_ keys: [any CodingKey]) {
    steps = keys.map { key in key.intValue.map { .element($0) } ?? .member(key.stringValue) }
  }
}

extension JSONValuePath: CustomStringConvertible {
  /// The path in the syntax of JavaScript.
  ///
  /// The path of the root is empty.
  package var description: String {
    steps.reduce(into: "") { text, step in
      switch step {
      case .element(let index): text += "[\(index)]"
      case .member(let name) where Self.isPlain(name): text += text.isEmpty ? name : ".\(name)"
      case .member(let name): text += "[\(name.debugDescription)]"
      }
    }
  }

  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { $0.isASCIIAlphanumeric || "$-_".utf8.contains($0) }
  }
}

extension DecodingError {
  /// The problem and its path, without the value: `boards[0].id is missing`.
  package var explanation: String {
    switch self {
    case .keyNotFound(let key, let context): "\(Self.path(context.codingPath + [key])) is missing"
    case .valueNotFound(_, let context): "\(Self.path(context.codingPath)) is null"
    case .typeMismatch(let type, let context):
      "\(Self.path(context.codingPath)) is not of the type \(type)"
    case .dataCorrupted(let context):
      context.codingPath.isEmpty
        ? context.debugDescription
        : "\(Self.path(context.codingPath)) is invalid: \(context.debugDescription)"
    @unknown default: "the value cannot be decoded"
    }
  }

  /// The path of the problem and its description, which may contain the value.
  var context: Context? {
    switch self {
    case .keyNotFound(_, let context), .valueNotFound(_, let context),
      .typeMismatch(_, let context), .dataCorrupted(let context):
      context
    @unknown default: nil
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.isEmpty ? "the root" : "\(JSONValuePath(keys))"
  }
}

extension JSONValuePath: ExpressibleByArrayLiteral {
  /// Creates a path of steps.
  package init(arrayLiteral elements: Step...) { self.init(steps: elements) }
}

extension JSONValuePath.Step: ExpressibleByStringLiteral {
  /// Creates the step to a member.
  package init(stringLiteral value: String) { self = .member(value) }
}
